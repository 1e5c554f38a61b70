"""`dp.mechanism`: from a name and public settings to a mechanism."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache

from discreet import check
from discreet.core import Adjacency, Mechanism, Model
from discreet.errors import InputError
from discreet.mechanisms.exponential import ehd, ehdl, ehds, smooth_hellinger
from discreet.mechanisms.laplace import ls_dim, ls_hist
from discreet.mechanisms.lattice import lattice
from discreet.models.dirichlet import DirichletMultinomial

MECHANISMS: dict[str, Callable[..., Mechanism]] = {
    "ls_dim": ls_dim,
    "ls_hist": ls_hist,
    "ehd": ehd,
    "ehdl": ehdl,
    "ehds": ehds,
    "smooth_hellinger": smooth_hellinger,
    "lattice": lattice,
}


@cache
def options_of(name: str) -> tuple[str, ...]:
    """The options that a mechanism takes, besides n and epsilon."""
    parameters = inspect.signature(MECHANISMS[name]).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def mechanism(
    name: str,
    model: Model,
    n: int | None = None,
    *,
    epsilon: object,
    adjacency: Adjacency | str = Adjacency.SUBSTITUTE,
    **options: object,
) -> Mechanism:
    """Make a mechanism for the counts of a model.

    Args:
        name: ls_dim, ls_hist, ehd, ehdl, ehds, smooth_hellinger or lattice.
        model: the model whose posterior is released.
        n: the public number of records; None under add-remove, where it is private.
        epsilon: the nominal privacy parameter of the mechanism; `guarantee` says what is proved.
        adjacency: "substitute", or "add-remove" for `lattice`.
        options: gamma (ehds), delta and calibrate (smooth_hellinger), distance (exponential
            mechanisms), postprocess (lattice).
    """
    check.choice("mechanism", name, tuple(MECHANISMS))
    if not isinstance(model, DirichletMultinomial):
        raise InputError(f"model must be a DirichletMultinomial, got {model!r}", "model")
    budget, neighbours = check.epsilon(epsilon), Adjacency.of(adjacency)
    taken = options_of(name)
    for option in options:
        if option not in taken:
            names = ", ".join(taken) or "no options"
            raise InputError(f"{option} is not an option of {name}, which takes {names}", option)
    if neighbours is not Adjacency.SUBSTITUTE:
        _require_add_remove(name, neighbours, n)
        return lattice(model, None, budget, adjacency=neighbours, **options)  # type: ignore[arg-type]
    return MECHANISMS[name](model, check.whole("n", n), budget, **options)


def _require_add_remove(name: str, adjacency: Adjacency, n: int | None) -> None:
    if name != "lattice":
        raise InputError(
            f"{name} is defined for adjacency 'substitute' only, because its outputs use the "
            f"public n, got {adjacency.value!r}; use 'lattice'",
            "adjacency",
        )
    if adjacency is not Adjacency.ADD_REMOVE:
        raise InputError(
            f"lattice protects whole records: adjacency must be 'substitute' or 'add-remove', "
            f"got {adjacency.value!r}",
            "adjacency",
        )
    if n is not None:
        raise InputError(f"n must be None under add-remove, where it is private, got {n}", "n")
