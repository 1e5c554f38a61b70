"""What learning does when a program runs: priors, observations, posteriors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.errors import ExactnessError, InputError
from discreet.programs.abstract import FamilyName
from discreet.programs.families import Law, label_key
from discreet.programs.numbers import (
    SECRET,
    Secret,
    Whole,
    add,
    inverse,
    multiply,
)
from discreet.programs.running import (
    THETA,
    Chance,
    Data,
    Drawing,
    Interpreter,
    Routine,
    _secret,
)

ONE = Fraction(1)


def ran(run: Interpreter, law: Law) -> Any:
    """A prior, or a draw inside a likelihood."""
    unknown = law.family in ("Bernoulli", "Categorical") or THETA in law.parameters
    return Drawing(law) if unknown else law


def infer(run: Interpreter, belief: Law) -> Law:
    """A belief is kept as its posterior; its parameters are counts, also of no records at all."""
    if belief.family == "Beta":
        return Law("Beta", tuple(_raised(x, [], None) for x in belief.parameters))
    if belief.family == "Dirichlet":
        return Law("Dirichlet", (tuple(_raised(x, [], None) for x in belief.parameters[0]),))
    return belief


def observe(run: Interpreter, likelihood: Routine, belief: Law) -> Law:
    """Learn that a test of the unknown holds."""
    if belief.family == "Finite":
        values, weights = belief.parameters
        chances = [_chance(run.apply(likelihood, value)) for value in values]
        # of private records every chance is above 0, so what is left out is public
        kept = [
            (value, _times(weight, chance))
            for value, weight, chance in zip(values, weights, chances, strict=True)
            if isinstance(chance, Secret) or chance > 0
        ]
        if not kept:
            raise InputError("no value of a Finite is possible after an observation", "program")
        return Law("Finite", (tuple(v for v, _ in kept), tuple(w for _, w in kept)))
    found = run.apply(likelihood, THETA)
    if not isinstance(found, Chance):
        raise ExactnessError("a likelihood that is no draw")
    extra = found.law.parameters[1] if found.law.family == "Normal" else None
    return _updated(run, belief, found.law.family, [found.value], extra, None)


def _times(weight: Any, chance: Any) -> Any:
    return SECRET if isinstance(chance, Secret) or isinstance(weight, Secret) else weight * chance


def _chance(found: Any) -> Any:
    """The probability that a test holds."""
    if isinstance(found, Secret):
        return SECRET
    if isinstance(found, bool):
        return Fraction(int(found))
    assert isinstance(found, Chance)
    if _secret(found.value):
        return SECRET
    p = found.law.parameters[0]
    return p if found.value else 1 - p


def observe_all(run: Interpreter, family: FamilyName, data: Any, prior: Law, variance: Any) -> Law:
    """Learn from every record."""
    values = list(data) if isinstance(data, tuple) else data.listed()
    labels = None
    if isinstance(data, Data) and data.table is not None:
        labels = list({label_key(value): value for value in data.table.values()}.values())
    n = None if isinstance(data, tuple) else run.n
    return _updated(run, prior, family.family, values, variance, labels, n)


def _updated(
    run: Interpreter,
    prior: Law,
    family: str,
    values: list[Any] | None,
    variance: Any,
    labels: list[Any] | None,
    n: int | None = None,
) -> Law:
    seen: list[Any] | None = values
    if values is None or _secret(tuple(values)):
        seen = None
    if family == "Bernoulli":
        flags = None if seen is None else [_flag(value) for value in seen]
        ones, zeros = prior.parameters
        keys = None if flags is None else list(map(label_key, flags))
        return Law("Beta", (_raised(ones, keys, True), _raised(zeros, keys, False)))
    if family == "Categorical":
        alpha = prior.parameters[0]
        names = labels if labels is not None else list(range(len(alpha)))
        if seen is not None and any(value not in names[: len(alpha)] for value in seen):
            raise InputError(
                f"data must be categories of the prior, which has {len(alpha)}", "data"
            )
        keys = None if seen is None else list(map(label_key, seen))
        pairs = zip(alpha, names, strict=False)
        return Law("Dirichlet", (tuple(_raised(a, keys, name) for a, name in pairs),))
    mean, spread = prior.parameters
    v, big = run.known(variance), run.known(spread)
    size = n if n is not None else len(values or ())
    after = v * big / (v + size * big)
    if seen is None or isinstance(mean, Secret):
        return Law("Normal", (SECRET, after))
    total = sum((run.known(value) for value in seen), Fraction(0))
    return Law("Normal", ((run.known(mean) * v + big * total) / (v + size * big), after))


def _flag(value: Any) -> bool:
    """A record of Bernoulli data; a noisy one too."""
    if isinstance(value, bool):
        return value
    raise InputError("Bernoulli observes True and False", "program")


def _raised(parameter: Any, keys: list[Any] | None, name: Any) -> Whole:
    """A prior parameter, or one that was raised before, plus how often a label occurs."""
    start = parameter if isinstance(parameter, Whole) else Whole(parameter, ONE, 0)
    if keys is None or start.count is None:
        return Whole(start.offset, ONE, None)
    return Whole(start.offset, ONE, start.count + keys.count(label_key(name)))


def params(run: Interpreter, posterior: Any) -> Any:
    """Of a posterior."""
    if isinstance(posterior, Secret):
        return SECRET
    return posterior.parameters[0] if posterior.family == "Dirichlet" else posterior.parameters


def mean(run: Interpreter, posterior: Law) -> Any:
    """Of a posterior; that of a Beta has no rule, but is audited."""
    if posterior.family == "Normal":
        return posterior.parameters[0]
    if posterior.family != "Beta":
        raise ExactnessError("a mean of several numbers")
    ones, zeros = posterior.parameters
    return multiply(ones, inverse(add(ones, zeros)))
