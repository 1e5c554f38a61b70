"""`dp.mechanism`: from a name and public settings to a mechanism."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, cast

from discreet import check
from discreet.auditing.calibration import CALIBRATED, calibrated
from discreet.core import Adjacency, Config, Mechanism
from discreet.core.counts import AnyModel
from discreet.core.law import Value
from discreet.errors import InputError, NotEnumerable
from discreet.families.dirichlet.mechanisms.exponential import ehd, ehdl, ehds, smooth_hellinger
from discreet.families.dirichlet.mechanisms.laplace import ls_dim, ls_hist
from discreet.families.dirichlet.mechanisms.lattice import lattice
from discreet.families.dirichlet.mechanisms.optimal import OptimalMechanism
from discreet.families.dirichlet.mechanisms.optimal import optimal as most_accurate
from discreet.families.dirichlet.model import DirichletMultinomial
from discreet.families.network.mechanisms.fourier import fourier
from discreet.families.network.mechanisms.map_estimate import map_estimate
from discreet.families.network.mechanisms.noisy_tables import family_lattice, laplace_updates
from discreet.families.network.mechanisms.sampling import limits_of, posterior_sample
from discreet.families.network.model import BayesNet
from discreet.families.network.samples import NetworkSamples
from discreet.families.normal.mechanisms import gaussian, hellinger, laplace, noisy_input
from discreet.families.normal.model import NormalMean
from discreet.families.regression.mechanisms.sample import weight_sample
from discreet.families.regression.mechanisms.statistics import noisy_statistics
from discreet.families.regression.model import LinearRegression
from discreet.families.regression.noise_aware import released_weights

MECHANISMS: dict[str, Callable[..., Mechanism]] = {
    "ls_dim": ls_dim,
    "ls_hist": ls_hist,
    "ehd": ehd,
    "ehdl": ehdl,
    "ehds": ehds,
    "smooth_hellinger": smooth_hellinger,
    "lattice": lattice,
    "optimal": most_accurate,
}

NETWORK_MECHANISMS: dict[str, Callable[..., Mechanism]] = {
    "lattice": family_lattice,
    "laplace_updates": laplace_updates,
    "fourier": fourier,
    "posterior_sample": posterior_sample,
    "map": map_estimate,
}

NORMAL_MECHANISMS: dict[str, Callable[..., Mechanism]] = {
    "laplace": laplace,
    "gaussian": gaussian,
    "input": noisy_input,
    "hellinger": hellinger,
}

REGRESSION_MECHANISMS: dict[str, Callable[..., Mechanism]] = {
    "statistics": noisy_statistics,
    "sample": weight_sample,
}

_BY_MODEL: dict[type, dict[str, Callable[..., Mechanism]]] = {
    DirichletMultinomial: MECHANISMS,
    BayesNet: NETWORK_MECHANISMS,
    NormalMean: NORMAL_MECHANISMS,
    LinearRegression: REGRESSION_MECHANISMS,
}


def mechanisms_for(model: object) -> dict[str, Callable[..., Mechanism]]:
    """The mechanisms for the counts of a model, by name."""
    return _BY_MODEL.get(type(model), MECHANISMS)


def usual(model: object) -> str:
    """The mechanism that is taken if none is asked for."""
    makers = mechanisms_for(model)
    return "lattice" if "lattice" in makers else next(iter(makers))


@cache
def _keywords(make: Callable[..., Mechanism]) -> tuple[str, ...]:
    parameters = inspect.signature(make).parameters.values()
    return tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)


def options_of(name: str, model: object = None) -> tuple[str, ...]:
    """The options that a mechanism takes, besides n and epsilon."""
    named = [option for option in _keywords(mechanisms_for(model)[name]) if option != "adjacency"]
    if name in CALIBRATED and mechanisms_for(model) is MECHANISMS:
        named.append("calibrate")
    return tuple(named)


def mechanism(
    name: str,
    model: AnyModel,
    n: int | None = None,
    *,
    epsilon: object,
    adjacency: Adjacency | str = Adjacency.SUBSTITUTE,
    **options: object,
) -> Mechanism:
    """Make a mechanism for the counts of a model.

    Args:
        name: one of
            "lattice": integer noise that keeps the total; options postprocess ("project", "clip",
            "remap" with loss and weights, or None), and under add-remove unit and max_per_unit;
            "optimal": the least expected loss that is possible; options loss ("hellinger",
            "total_variation", "squared_error" or a matrix) and weights ("uniform",
            "prior_predictive" or a vector);
            "ls_dim", "ls_hist": Laplace noise, rounded down;
            "ehd", "ehds" (gamma=1.0), "ehdl" (not private): exponential mechanisms with global,
            smooth or local sensitivity; option distance ("hellinger" or, for two categories,
            "total_variation");
            "smooth_hellinger": needs delta; option distance.
            The exponential mechanisms take calibrate=True: the exponent is scaled until the exact
            audit (`dp.audit`) certifies a loss of at most epsilon. Found once, kept on disk.
            `help(dp.MECHANISMS[name])` has the formula, the reference and the guarantee.
            For a `BayesNet`:
            "lattice": every table with its share of the budget, made to agree; option shares
            ("sizes" or "equal");
            "laplace_updates": independent noise on every cell;
            "fourier": noise on parities, for nodes of two states; option t, P2's stealth;
            "posterior_sample": draws of the probabilities; options samples, omega, grid;
            "map": likely probabilities; option points.
            For a `NormalMean`:
            "laplace": noise on the posterior mean; "gaussian": normal noise on the sum, needs
            delta; "input": normal noise on every record (P4), needs delta; "hellinger": the
            exponential mechanism over a grid of means; option points. Under add-remove the first
            two put noise on the distances from either bound, which also give n.
            For a `LinearRegression`:
            "statistics": noise on XᵀX, Xᵀy and yᵀy, normal with delta; option weight;
            "sample": draws of the weights from the truncated posterior; options samples, norm,
            steps.
        model: the model whose posterior is released.
        n: the public number of records; left out under add-remove, where it is private.
        epsilon: the nominal privacy parameter of the mechanism; `guarantee` says what is proved.
        adjacency: "substitute"; "add-remove" for `lattice`, in networks `laplace_updates`, of means
            `laplace` and `gaussian`, in regressions `statistics`; "attribute" for
            `posterior_sample`.
        options: of the mechanism, as listed.

    Example:
        >>> import discreet as dp
        >>> law = dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=1).law((4, 5))
        >>> round(law.probability((4, 5)), 4)
        0.4621
    """
    require_any_model(model)
    makers = mechanisms_for(model)
    check.choice("mechanism", name, tuple(makers))
    budget, neighbours = check.epsilon(epsilon), Adjacency.of(adjacency)
    taken = options_of(name, model)
    for option in options:
        if option not in taken:
            names = ", ".join(taken) or "no options"
            near = check.similar(option, taken)
            hint = f"; did you mean {near}?" if near else ""
            raise InputError(
                f"{option} is not an option of {name}, which takes {names}{hint}", option
            )
    if neighbours is not Adjacency.SUBSTITUTE:
        _require_adjacency(name, model, neighbours)
        options["adjacency"] = neighbours
    if neighbours is Adjacency.ADD_REMOVE:
        if n is not None:
            raise InputError(
                f"n must be None under add-remove, where it is private, got {check.brief(n)}", "n"
            )
        return makers[name](model, None, budget, **options)
    if n is None:
        raise InputError(f"n must be given under adjacency {neighbours.value!r}, got None", "n")
    calibrate = check.choice("calibrate", options.pop("calibrate", False), (True, False))
    n = check.whole("n", n)
    made = makers[name](model, n, budget, **options)
    if not calibrate:
        return made
    try:
        return calibrated(made)
    except NotEnumerable:
        if name != "smooth_hellinger":
            raise
        # too large to audit, as public values say: scaled by what is proved on paper
        wider = cast("Any", model), n, budget
        return smooth_hellinger(*wider, calibrate=True, **cast("Any", options))


def optimal(
    model: AnyModel,
    n: int,
    epsilon: object,
    loss: object = "hellinger",
    weights: object = "uniform",
) -> OptimalMechanism:
    """The ε-private mechanism with the least expected loss: the limit, as a mechanism.

    `dp.mechanism("optimal", …)` is the same. `.value` is its expected loss, `.gap` what it may lie
    above the least possible one among mechanisms that release vectors of counts.

    Args:
        model: the model.
        n: the public number of records.
        epsilon: the privacy parameter.
        loss: "hellinger", "total_variation" (two categories), "squared_error" (squared l2 error of
            the posterior mean) or a matrix of losses, a row for every true and a column for every
            released vector of counts, in lexicographic order; a DataFrame is read by position.
        weights: of the true counts: "uniform", "prior_predictive" or a vector that sums to one.

    Example:
        >>> import discreet as dp
        >>> round(dp.optimal(dp.BetaBinomial(), n=40, epsilon=1).value, 4)
        0.1174
    """
    made = mechanism("optimal", model, n, epsilon=epsilon, loss=loss, weights=weights)
    assert isinstance(made, OptimalMechanism)
    return made


def posterior(config: Config, value: Value) -> Any:
    """The posterior that a released value gives."""
    if config.mechanism in ("posterior_sample", "map"):
        return NetworkSamples(config.model, value)
    if isinstance(config.model, LinearRegression):
        made = mechanism(
            config.mechanism,
            config.model,
            config.n,
            epsilon=config.epsilon,
            adjacency=config.adjacency,
            **dict(config.options),
        )
        return released_weights(made, value)
    return config.model.released(value)


def remark(config: Config) -> str:
    """What the reader of released parameters has to know besides."""
    if config.mechanism != "posterior_sample":
        return ""
    least = min(limits_of(config).values())
    return f"No probability was drawn below {float(least):.3g}: what ε leaves of the posterior."


def require_model(model: object) -> None:
    """Refuse anything but a model, naming its type only: it may be the counts, swapped."""
    if not isinstance(model, DirichletMultinomial):
        raise InputError(f"model must be a DirichletMultinomial, got {check.brief(model)}", "model")


def require_any_model(model: object) -> None:
    """Refuse anything but a model."""
    if type(model) not in _BY_MODEL:
        require_model(model)


def _adjacencies(make: Callable[..., Mechanism]) -> list[Adjacency]:
    if "adjacency" not in _keywords(make):
        return [Adjacency.SUBSTITUTE]
    other = Adjacency.ATTRIBUTE if make is posterior_sample else Adjacency.ADD_REMOVE
    return [Adjacency.SUBSTITUTE, other]


def with_adjacency(model: object, adjacency: Adjacency) -> list[str]:
    """The mechanisms for the counts of a model that have an adjacency."""
    makers = mechanisms_for(model).items()
    return [name for name, make in makers if adjacency in _adjacencies(make)]


def _require_adjacency(name: str, model: AnyModel, adjacency: Adjacency) -> None:
    possible = _adjacencies(mechanisms_for(model)[name])
    if adjacency in possible:
        return
    able = with_adjacency(model, adjacency)
    if adjacency is Adjacency.ATTRIBUTE and not isinstance(model, (NormalMean, LinearRegression)):
        hint = "use 'posterior_sample' for a network"
    elif able:
        hint = f"use {' or '.join(map(repr, able))}"
    else:
        hint = f"no mechanism of a {type(model).__name__} has it"
    raise InputError(
        f"{name} is defined for adjacency {' or '.join(repr(x.value) for x in possible)} only, got "
        f"{adjacency.value!r}; {hint}",
        "adjacency",
    )
