"""The rules: one function for every construct of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from discreet.programs import declared, listing, mechanisms, posteriors, symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Belief,
    Closure,
    FamilyName,
    Items,
    LawOf,
    Noisy,
    Private,
    Public,
    Scale,
    Theta,
    is_public,
    numeric,
)
from discreet.programs.describing import describe
from discreet.programs.families import FAMILIES
from discreet.programs.numbers import rounded
from discreet.programs.symbolic import ZERO, Expression, largest, worst

if TYPE_CHECKING:
    from discreet.programs.checking import Checker

Rule: TypeAlias = "Callable[[Checker, syntax.Call, tuple[Abstract, ...]], Abstract]"


def call(checker: Checker, node: syntax.Call, names: Mapping[str, Abstract]) -> Abstract:
    """A construct of the language."""
    arguments = tuple(checker.value(argument, names) for argument in node.arguments)
    keywords = {name: checker.value(value, names) for name, value in node.keywords}
    if node.name in FAMILIES:
        return law(checker, node, arguments, keywords)
    rule, parameters, optional = RULES[node.name]
    bound = list(arguments)
    for name in (*parameters, *optional)[len(arguments) :]:
        if name in keywords:
            bound.append(keywords.pop(name))
        elif name in parameters:
            raise checker.error(
                node,
                f"{node.name} needs {name}",
                fix=f"write {node.name}({', '.join(parameters)})",
                kind="syntax",
            )
        else:
            bound.append(NOTHING)
    if keywords or (len(bound) > len(parameters) + len(optional) and node.name not in VARIADIC):
        raise checker.error(
            node,
            f"{node.name} takes {', '.join((*parameters, *optional))} only",
            fix=f"write {node.name}({', '.join(parameters)})",
            kind="syntax",
        )
    return rule(checker, node, tuple(bound))


NOTHING = Public(sort="nothing")  # an argument that was left out


def law(
    checker: Checker,
    node: syntax.Call,
    arguments: tuple[Abstract, ...],
    keywords: dict[str, Abstract],
) -> Abstract:
    """A distribution with its parameters."""
    names = FAMILIES[node.name]
    given = dict(zip(names, arguments, strict=False)) | keywords
    if len(arguments) > len(names) or set(given) != set(names):
        raise checker.error(
            node,
            f"{node.name} needs {' and '.join(names)}",
            fix=f"write {node.name}({', '.join(names)})",
            kind="syntax",
        )
    return LawOf(node.name, tuple(given[name] for name in names))


def inputs(
    checker: Checker,
    parameters: tuple[str, ...],
    records: declared.Records,
    kinds: Mapping[str, declared.Parameter],
) -> list[Abstract]:
    """What a program starts with: private records, then public parameters."""
    found: list[Abstract] = [listing.records(checker, records.item, parameters[0])]
    for name in parameters[1:]:
        kind = kinds[name]
        if isinstance(kind, declared.Number):
            found.append(Public(symbolic.symbol(name)))
        elif isinstance(kind, declared.Many):
            found.append(posteriors.public_vector(kind))
        else:
            found.append(Public(literal=kind.family, sort="list"))
    return found


def require_public(checker: Checker, node: syntax.Statement, value: Abstract) -> None:
    """Refuse to release what is private."""
    if is_public(value) and not isinstance(value, (Closure, FamilyName, Theta, Scale)):
        return
    if isinstance(value, Noisy):
        raise checker.error(
            node,
            "a mechanism is returned, not a draw from it",
            fix="write sample(…) around it",
            kind="syntax",
        )
    place, inner = _private_part(node, value)
    named = place.name if isinstance(place, syntax.Name) else "this value"
    raise checker.error(
        place,
        f"{named} is private and is returned without noise: {describe(inner)}",
        getattr(inner, "why", "")
        or getattr(inner, "reason", "")
        or "it is computed from the records",
        _noise_for(checker, inner, named),
        "private",
    )


def _noise_for(checker: Checker, value: Abstract, named: str) -> str:
    """What to write."""
    if isinstance(value, Belief):
        return "release its parameters with noise, a, b = params(post), or choose by exp_mech"
    idle = [cost for cost in checker.costs if worst(*cost.epsilons) == ZERO and not cost.gaussian]
    if idle and isinstance(value, Private):
        return (
            f"the noise of line {idle[0].span.line} is drawn around a public number; noise "
            "protects only the value inside laplace: x = sample(laplace(eps, x))"
        )
    name = named if named != "this value" else "x"
    return f"add noise before returning: sample(laplace(eps, {name}))"


def _private_part(
    node: syntax.Node | syntax.Statement, value: Abstract
) -> tuple[syntax.Node | syntax.Statement, Abstract]:
    """The first private part of a returned value, and where it is written."""
    if isinstance(node, syntax.Return):
        return _private_part(node.value, value)
    parts: tuple[Abstract, ...] = ()
    if isinstance(value, Items):
        parts = value.items
    elif isinstance(value, LawOf):
        parts = value.parameters
    written: tuple[syntax.Node, ...] = ()
    if isinstance(node, syntax.Group):
        written = node.items
    elif isinstance(node, syntax.Call):
        written = node.arguments
    for place, part in enumerate(parts):
        if not is_public(part):
            inside = written[place] if len(written) == len(parts) else node
            return _private_part(inside, part)
    return node, value


def scaled_noise(operator: str, left: Abstract, right: Abstract) -> Scale | None:
    """A noise scale times or over a number."""
    for scale, other, swapped in ((left, right, False), (right, left, True)):
        if not isinstance(scale, Scale) or not isinstance(other, Public) or other.number is None:
            continue
        if operator == "*":
            return Scale(scale.epsilon, scale.delta, scale.distance, scale.factor * other.number)
        if operator == "/" and not swapped and other.number.terms:
            return Scale(scale.epsilon, scale.delta, scale.distance, scale.factor / other.number)
    return None


# ---- arithmetic ---------------------------------------------------------------------------------


def clip(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """min(d, U − L)."""
    x, low, high = arguments
    ends: list[Expression] = []
    for end, argument in zip((low, high), node.arguments[1:], strict=False):
        if not isinstance(end, Public) or end.number is None:
            raise checker.error(
                argument,
                "a bound of clip must be a public number",
                f"it is {describe(end)}",
                "write numbers, or declared parameters",
                "private",
            )
        ends.append(end.number)
    answer = checker.prover.at_most(ends[0], ends[1])
    if not answer.holds:
        raise checker.error(
            node,
            f"clip needs a lower bound that is never above the upper one: {ends[0]}, {ends[1]}",
            fix="exchange them",
            kind="value",
        )
    inner = numeric(x)
    if isinstance(inner, Public):
        return Public(None)
    if inner is None:
        raise checker.error(node, f"clip has no rule for {describe(x)}", kind="syntax")
    width = ends[1] - ends[0]
    if inner.distances is None:
        distances = checker.everywhere(width)
    else:
        distances = tuple(symbolic.least(d, width) for d in inner.distances)
    return Private(distances, f"clipped to [{ends[0]}, {ends[1]}]", None, ends[0], ends[1])


def extreme(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """Min and max move by at most the largest of what their arguments move by."""
    numbers = [numeric(argument) for argument in arguments if argument is not NOTHING]
    if any(x is None for x in numbers) or len(numbers) < 2:
        raise checker.error(node, f"{node.name} needs two numbers or more", kind="syntax")
    private = [x for x in numbers if isinstance(x, Private)]
    if not private:
        known = [x.number for x in numbers if isinstance(x, Public) and x.number is not None]
        if len(known) < len(numbers):
            return Public()
        return Public(symbolic.least(*known) if node.name == "min" else symbolic.largest(*known))
    for x in private:
        if x.distances is None:
            return x
    columns = zip(*(x.distances for x in private if x.distances is not None), strict=True)
    return Private(tuple(largest(*column) for column in columns), private[0].why)


def magnitude(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """|x| moves by at most what x moves by."""
    x = numeric(arguments[0])
    if x is None:
        raise checker.error(node, f"abs has no rule for {describe(arguments[0])}", kind="syntax")
    if isinstance(x, Public):
        return Public(None if x.number is None else symbolic.absolute(x.number))
    return replace(x, step=None, low=None, high=None, sort="number")


def analytic(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """sqrt, log and exp: of public numbers."""
    x = numeric(arguments[0])
    if isinstance(x, Private):
        return checker.unbounded(
            node,
            f"{node.name} of a private value",
            "add noise first, and compute with the released value",
        )
    if x is None:
        raise checker.error(
            node, f"{node.name} has no rule for {describe(arguments[0])}", kind="syntax"
        )
    if x.number is None or x.number.symbols:
        return Public()  # computed at run time, and rounded
    return Public(symbolic.number(rounded(node.name, x.number)))


def circle(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """π, rounded: programs compute with rationals."""
    return Public(symbolic.number(rounded("pi", symbolic.ZERO)))


RULES: dict[str, tuple[Rule, tuple[str, ...], tuple[str, ...]]] = {
    "clip": (clip, ("x", "low", "high"), ()),
    "min": (extreme, ("x", "y"), ()),
    "max": (extreme, ("x", "y"), ()),
    "abs": (magnitude, ("x",), ()),
    "sqrt": (analytic, ("x",), ()),
    "log": (analytic, ("x",), ()),
    "exp": (analytic, ("x",), ()),
    "pi": (circle, (), ()),
    "map": (listing.mapped, ("function", "data"), ()),
    "sum": (listing.summed, ("data",), ()),
    "count": (listing.counted, ("function", "data"), ()),
    "len": (listing.length, ("data",), ()),
    "fold": (listing.folded, ("step", "start", "data"), ()),
    "range": (listing.ranged, ("stop",), ("end",)),
    "ran": (posteriors.drawn, ("law",), ()),
    "observe": (posteriors.observed, ("likelihood", "belief"), ()),
    "observe_all": (posteriors.observed_all, ("family", "data", "prior"), ("variance",)),
    "infer": (posteriors.inferred, ("belief",), ()),
    "params": (posteriors.parameters, ("posterior",), ()),
    "mean": (posteriors.mean, ("posterior",), ()),
    "hellinger": (posteriors.distance, ("posterior", "other"), ()),
    "total_variation": (posteriors.distance, ("posterior", "other"), ()),
    "kl": (posteriors.distance, ("posterior", "other"), ()),
    "laplace": (mechanisms.laplace, ("eps", "x"), ("grid",)),
    "gauss": (mechanisms.gauss, ("sigma", "x"), ("grid",)),
    "analytic_sigma": (mechanisms.analytic_sigma, ("eps", "delta", "distance"), ()),
    "exp_mech": (mechanisms.exponential, ("eps", "score", "candidates"), ()),
    "sample": (mechanisms.sample, ("mechanism",), ()),
    "sample_each": (mechanisms.sample_each, ("mechanism", "data"), ()),
    "parallel": (mechanisms.parallel, ("body", "data", "cells"), ()),
}
VARIADIC = ("min", "max")
