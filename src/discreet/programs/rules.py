"""The rules: one function for every construct of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from discreet.programs import (
    beliefs,
    candidates,
    declared,
    listing,
    mechanisms,
    posteriors,
    symbolic,
    syntax,
)
from discreet.programs.abstract import (
    FLAG,
    Abstract,
    Belief,
    Items,
    LawOf,
    Noisy,
    Private,
    Public,
    Scale,
    Theta,
    Vector,
    deeper,
    is_public,
    is_releasable,
    numeric,
)
from discreet.programs.describing import describe
from discreet.programs.families import FAMILIES
from discreet.programs.numbers import rounded
from discreet.programs.symbolic import ZERO, Expression, worst

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

Rule: TypeAlias = "Callable[[Checker, syntax.Call, tuple[Abstract, ...]], Abstract]"


def call(checker: Checker, node: syntax.Call, names: Mapping[str, Abstract]) -> Abstract:
    """A construct of the language."""
    arguments = tuple(checker.value(argument, names) for argument in node.arguments)
    if node.name in FAMILIES:
        _require_parameters(checker, node, arguments)
        return LawOf(node.name, arguments)
    return RULES[node.name](checker, node, arguments)


def _require_parameters(
    checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]
) -> None:
    """Numbers where numbers belong, lists where lists belong."""
    for argument, place in zip(arguments, node.arguments, strict=True):
        listed = isinstance(argument, (Items, Vector)) or (
            isinstance(argument, Public) and argument.sort in ("list", "vector")
        )
        wanted = node.name in ("Dirichlet", "Categorical", "Finite")
        single = isinstance(argument, Theta) or numeric(argument) is not None
        if not (listed if wanted else single):
            what = "a list of numbers" if wanted else "a number"
            raise checker.error(
                place, f"{node.name} needs {what}, got {describe(argument)}", kind="syntax"
            )


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
            found.append(beliefs.public_vector(kind))
        else:
            found.append(Public(sort="list", note=kind.family))
    return found


def require_public(checker: Checker, node: syntax.Statement, value: Abstract) -> None:
    """Refuse to release what is private."""
    if is_releasable(value):
        return
    if is_public(value) and not isinstance(value, (Public, Items, LawOf)):
        raise checker.error(
            node, f"{describe(value)} is not released", fix="return numbers or laws", kind="syntax"
        )
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
    for end, argument in zip((low, high), node.arguments[1:], strict=True):
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
    why = f"clipped to [{ends[0]}, {ends[1]}]"
    found = Private(distances, why, None, ends[0], ends[1], inexact=inner.inexact)
    return replace(found, depth=deeper(inner), state=inner.state)


def extreme(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """Min and max move by at most the largest of what their arguments move by."""
    numbers = [numeric(argument) for argument in arguments]
    if any(x is None for x in numbers) or len(numbers) < 2:
        raise checker.error(
            node,
            f"{node.name} needs two numbers or more",
            fix=f"write {node.name}(x, y); of records, one could move it by any amount: choose "
            "among public numbers by exp_mech(eps, score, candidates)",
            kind="syntax",
        )
    private = [x for x in numbers if isinstance(x, Private)]
    if not private:
        known = [x.number for x in numbers if isinstance(x, Public) and x.number is not None]
        note = FLAG if any(isinstance(x, Public) and x.note == FLAG for x in numbers) else None
        if len(known) < len(numbers):
            return Public(note=note)
        take = symbolic.least if node.name == "min" else symbolic.largest
        return Public(take(*known), note=note)
    inexact = any(x.inexact for x in private)
    for x in private:
        if x.distances is None:
            return replace(
                x, low=None, high=None, inexact=inexact, token=None, depth=deeper(*private)
            )
    columns = zip(*(x.distances for x in private if x.distances is not None), strict=True)
    moves = tuple(worst(*column) for column in columns)
    state = any(x.state for x in private)
    return Private(moves, private[0].why, inexact=inexact, depth=deeper(*private), state=state)


def magnitude(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """|x| moves by at most what x moves by."""
    x = numeric(arguments[0])
    if x is None:
        raise checker.error(node, f"abs has no rule for {describe(arguments[0])}", kind="syntax")
    if isinstance(x, Public):
        return Public(None if x.number is None else symbolic.absolute(x.number))
    return replace(x, step=None, low=None, high=None, sort="number", token=None, depth=deeper(x))


def analytic(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """sqrt, log and exp: of public numbers."""
    x = numeric(arguments[0])
    if isinstance(x, Private):
        raise checker.failing(node, f"{node.name} of a private value")
    if x is None:
        raise checker.error(
            node, f"{node.name} has no rule for {describe(arguments[0])}", kind="syntax"
        )
    if x.number is None or x.number.symbols:
        return Public()  # computed at run time, and rounded
    if x.number.value is None or (node.name != "exp" and x.number.value <= 0):
        raise checker.error(node, f"{node.name} of {x.number} does not exist", kind="value")
    if node.name == "exp" and abs(x.number.value) > 1000:
        raise checker.error(node, f"exp of {x.number} is out of range", kind="value")
    return Public(symbolic.number(rounded(node.name, x.number)))


def circle(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """π, rounded: programs compute with rationals."""
    return Public(symbolic.number(rounded("pi", symbolic.ZERO)))


RULES: dict[str, Rule] = {
    "clip": clip,
    "min": extreme,
    "max": extreme,
    "abs": magnitude,
    "sqrt": analytic,
    "log": analytic,
    "exp": analytic,
    "pi": circle,
    "map": listing.mapped,
    "sum": listing.summed,
    "count": listing.counted,
    "len": listing.length,
    "fold": listing.folded,
    "range": listing.ranged,
    "ran": beliefs.drawn,
    "observe": beliefs.observed,
    "observe_all": beliefs.observed_all,
    "infer": beliefs.inferred,
    "params": posteriors.parameters,
    "mean": posteriors.mean,
    "hellinger": posteriors.distance,
    "total_variation": posteriors.distance,
    "kl": posteriors.distance,
    "laplace": mechanisms.laplace,
    "gauss": mechanisms.gauss,
    "analytic_sigma": mechanisms.analytic_sigma,
    "exp_mech": candidates.exponential,
    "sample": mechanisms.sample,
    "sample_each": mechanisms.sample_each,
    "parallel": mechanisms.parallel,
}
