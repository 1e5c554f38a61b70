"""Which families there are, ours and those of other packages; and `dp.mechanism`.

Families are loaded on first use.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from discreet import check
from discreet.check import Number
from discreet.core.adjacency import Adjacency
from discreet.core.counts import AnyModel
from discreet.core.family import Deferred, Family, MechanismSpec
from discreet.core.mechanism import Mechanism
from discreet.errors import InputError

ENTRY_POINTS = "discreet.families"  # a package names its families there: kind = "module:FAMILY"
_OURS = {
    "DirichletMultinomial": "discreet.families.dirichlet:FAMILY",
    "BayesNet": "discreet.families.network:FAMILY",
    "NormalMean": "discreet.families.normal:FAMILY",
    "LinearRegression": "discreet.families.regression:FAMILY",
    "Program": "discreet.programs.family:FAMILY",
}
_loaded: dict[str, Family] = {}
_by_type: dict[type, Family] = {}  # of models that were seen


def register(family: Family) -> None:
    """Make a family known in this process, as an entry point does in all.

    Args:
        family: its kind is that of no other family.

    Raises:
        InputError: it is no family, or its kind is that of another.

    Example:
        docs/guide/your-own-family.md registers a family of waiting times.
    """
    if not isinstance(family, Family):
        raise InputError(f"family must be a Family, got {check.brief(family)}", "family")
    if family.kind in _OURS:
        raise InputError(f"family must have a kind of its own, got {family.kind!r}", "family")
    if _loaded.get(family.kind, family) != family:
        raise InputError(
            f"family {family.kind!r} is registered already, in another form: start Python anew",
            "family",
        )
    _loaded[family.kind] = family


def find(kind: object) -> Family | None:
    """The family of a kind; None if nobody has one."""
    if not isinstance(kind, str):
        return None
    if kind not in _loaded:
        if kind in _OURS:
            _loaded[kind] = _found(Deferred(_OURS[kind]).load(), kind)
        else:
            for point in _points(name=kind):
                try:
                    _loaded[kind] = _found(point.load(), kind)
                except (ImportError, AttributeError) as error:
                    raise InputError(
                        f"the entry point of family {kind!r}, {point.value}, cannot be loaded: "
                        f"{error}"
                    ) from None
    return _loaded.get(kind)


def _points(name: str | None = None) -> list[Any]:
    """What installed packages name: all, or one kind."""
    from importlib.metadata import entry_points

    points = entry_points(group=ENTRY_POINTS)
    return [point for point in points if name in (None, point.name)]


def _found(family: Any, kind: str) -> Family:
    if not isinstance(family, Family) or family.kind != kind:
        raise InputError(f"the entry point of family {kind!r} must be a Family of that kind")
    return family


def of_model(model: object) -> Family:
    """The family of a model; what is none is named by its type only, as it may be the counts."""
    known = _by_type.get(type(model))
    if known is not None and _loaded.get(known.kind) is known:
        return known
    family = find(getattr(type(model), "kind", None))
    if family is None or not isinstance(model, cast("type", family.model.load())):
        raise InputError(
            f"model must be a DirichletMultinomial or another model, got {check.brief(model)}",
            "model",
        )
    _by_type[type(model)] = family
    return family


def of_document(document: Any) -> Family:
    """The family that wrote the model of a document."""
    kind = document["model"].get("kind")
    family = find(kind)
    if family is None:
        raise InputError(
            f"model is of kind {check.brief(kind)}, which no installed package has", "model"
        )
    return family


def spec_of(mechanism: Mechanism) -> MechanismSpec:
    """What a mechanism can do."""
    return of_model(mechanism.config.model).spec(mechanism.name)


def known() -> list[str]:
    """All kinds, of other packages too."""
    others = (point.name for point in _points())
    return list(dict.fromkeys((*_OURS, *_loaded, *others)))


def mechanism(
    name: str,
    model: AnyModel,
    n: int | None = None,
    *,
    epsilon: Number,
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
            "gaussian": normal noise, needs delta; options postprocess ("project", "clip" or None),
            and under add-remove unit and max_per_unit;
            "randomized_response": every record perturbed by itself, a local guarantee; option
            postprocess ("project" or None);
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
            ("optimal", "sizes", "equal" or numbers), and as the next two unit, max_per_unit,
            per_unit;
            "gaussian": the same with normal noise, needs delta; option shares ("optimal", "equal"
            or numbers);
            "laplace_updates": independent noise on every cell;
            "fourier": noise on parities; option t, P2's stealth;
            these four take reconcile, what is made of noisy tables ("tables", "model" or None);
            "posterior_sample": draws of the probabilities; options samples, omega (a number, or
            "cut", P2's), grid;
            "map": likely probabilities; option score ("distance", or P2's "mass" with points).
            For a `NormalMean`:
            "laplace": noise on the posterior mean; "gaussian": normal noise on the sum, needs
            delta; "input": normal noise on every record (P4), needs delta; "hellinger": the
            exponential mechanism over a grid of means; option points. Under add-remove the first
            two put noise on the distances from either bound, which also give n, and take unit with
            max_per_unit, or with per_unit="average".
            For a `LinearRegression`:
            "statistics": noise on XᵀX, Xᵀy and yᵀy, normal with delta; option weight, and under
            add-remove unit with max_per_unit, or with per_unit="average";
            "sample": draws of the coefficients from the truncated posterior; options samples, norm,
            steps.
        model: the model whose posterior is released.
        n: the public number of records; left out under add-remove, where it is private.
        epsilon: the nominal privacy parameter of the mechanism; `guarantee` says what is proved.
        adjacency: "substitute"; "add-remove" for `lattice` and `gaussian`, in networks
            also `laplace_updates`, of means `laplace` and `gaussian`, in regressions `statistics`;
            "attribute" for `posterior_sample`.
        options: of the mechanism, as listed.

    Returns:
        A `Mechanism`: `law(counts)`, `raw_law(counts)`, `guarantee`, `config`.

    Raises:
        InputError: an argument is wrong.
        NotEnumerable: it is too large; the message says how large is possible.

    Guarantee:
        That of the mechanism, in `guarantee`, with its basis; `ehdl` has none.

    Example:
        >>> import discreet as dp
        >>> law = dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=1).law((4, 5))
        >>> round(law.probability((4, 5)), 4)
        0.4621
    """
    family = of_model(model)
    spec = family.spec(name)
    return make(family, spec, model, n, check.epsilon(epsilon), Adjacency(adjacency), options)


def make(
    family: Family,
    spec: MechanismSpec,
    model: AnyModel,
    n: int | None,
    epsilon: Fraction,
    adjacency: Adjacency,
    options: dict[str, object],
) -> Mechanism:
    """The mechanism of a spec, if options, adjacency and n go together."""
    _require_taken(spec, options)
    calibrate = options.pop("calibrate", False)
    if len(spec.adjacencies) > 1 or adjacency not in spec.adjacencies:
        _require_adjacency(family, spec, adjacency)
        options["adjacency"] = adjacency
    if adjacency is Adjacency.ADD_REMOVE:
        if n is not None:
            raise InputError(
                f"n must be None under add-remove, where it is private, got {check.brief(n)}", "n"
            )
    elif n is None:
        raise InputError(f"n must be given under adjacency {adjacency.value!r}, got None", "n")
    else:
        n = check.whole("n", n)
    made = _made(spec, spec.make(model, n, epsilon, **options))
    if calibrate is False:
        return made
    check.choice("calibrate", calibrate, (True, False))
    return _made(spec, spec.calibrate(made))


def _made(spec: MechanismSpec, found: Any) -> Mechanism:
    """What a family's function made, if it is a mechanism of that name."""
    if not isinstance(found, Mechanism) or found.name != spec.name:
        raise InputError(f"make of {spec.name!r} must return a Mechanism of that name", "mechanism")
    return found


def options_of(name: str, model: object) -> tuple[str, ...]:
    """The options that a mechanism takes, besides n and epsilon."""
    return tuple(option.name for option in of_model(model).spec(name).taken)


def _require_taken(spec: MechanismSpec, options: dict[str, object]) -> None:
    taken = [option.name for option in spec.taken]
    for option in options:
        if option not in taken:
            names = ", ".join(taken) or "no options"
            near = check.similar(option, taken)
            hint = f"; did you mean {near}?" if near else ""
            raise InputError(
                f"{option} is not an option of {spec.name}, which takes {names}{hint}", option
            )


def _require_adjacency(family: Family, spec: MechanismSpec, adjacency: Adjacency) -> None:
    if adjacency in spec.adjacencies:
        return
    able = family.having(adjacency)
    hint = (
        f"use {' or '.join(map(repr, able))}" if able else f"no mechanism of a {family.kind} has it"
    )
    raise InputError(
        f"{spec.name} is defined for adjacency "
        f"{' or '.join(repr(x.value) for x in spec.adjacencies)} only, got {adjacency.value!r}; "
        f"{hint}",
        "adjacency",
    )
