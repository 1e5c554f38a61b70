"""The rule of exp_mech: how far one record moves the score of a candidate, whichever it is."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import DiscreetError
from discreet.programs import declared, syntax
from discreet.programs.abstract import (
    Abstract,
    Closure,
    Distances,
    Items,
    LawOf,
    Noisy,
    Public,
    is_releasable,
    numeric,
)
from discreet.programs.describing import describe
from discreet.programs.listing import pure
from discreet.programs.mechanisms import without_bound
from discreet.programs.paths import Straight
from discreet.programs.symbolic import ZERO, number, worst

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

FEW = 64  # candidates that are gone through one by one without a thought


def exponential(checker: Checker, node: syntax.Call, arguments: tuple[Abstract, ...]) -> Abstract:
    """A candidate r with weight exp(eps·score(r)/2): (eps·Δscore, 0)."""
    eps, score, candidates = arguments
    rate = checker.require_positive(node.arguments[0], eps, "eps")
    if not is_releasable(candidates):
        raise checker.error(
            node,
            "the candidates depend on the data",
            f"they are {describe(candidates)}: a candidate that one data set has and its "
            "neighbour has not gives the data away",
            'list them from public numbers, or declare them: params={"grid": Candidates(Beta)}',
            "private",
        )
    listed = isinstance(candidates, Items) and candidates.items
    if not listed and not (isinstance(candidates, Public) and candidates.sort == "list"):
        raise checker.error(
            node, "candidates must be a list", fix="write exp_mech(eps, f, grid)", kind="syntax"
        )
    if not isinstance(score, Closure):
        raise checker.error(
            node, "score must be a function", fix="write lambda r: …", kind="syntax"
        )
    items = candidates.items if isinstance(candidates, Items) else (_any_of(candidates),)
    if len({_kind(item) for item in items}) > 1:
        raise checker.error(
            node, "candidates must be of one kind", fix="all numbers, flags, labels or laws"
        )
    moves, why = _between(checker, node, score, items) or _one_by_one(checker, node, score, items)
    # The weight of r changes by at most exp(eps·Δ/2), and so does the sum of all weights.
    costs = tuple(rate * d for d in moves)
    text = f"exp_mech, the score moves by {worst(*moves)} ({why or 'it is public'})"
    return Noisy(costs, ZERO, _any_of(candidates), text)


def _one_by_one(
    checker: Checker, node: syntax.Call, score: Closure, items: Iterable[Abstract]
) -> tuple[Distances, str]:
    """By how much the score of any of them moves in every scenario, and why."""
    found, why = [checker.zero()], ""
    for item in dict.fromkeys(items):
        value = numeric(pure(checker, node, score, (item,)))
        if isinstance(value, Public):
            continue
        if value is None or value.distances is None:
            fix = "use -hellinger(post, r) itself, not its square and not kl"
            raise without_bound(checker, node, value, fix)
        found.append(value.distances)
        why = value.why
    return tuple(map(checker.prover.largest, zip(*found, strict=True))), why


def _between(
    checker: Checker, node: syntax.Call, score: Closure, items: tuple[Abstract, ...]
) -> tuple[Distances, str] | None:
    """The same of many numbers, from the least and the largest; None where that is no bound."""
    values = _numbers(items)
    if values is None or len(values) <= FEW:
        return None
    low, high = min(values), max(values)
    candidate = checker.prover.fresh("candidate", declared.Number(low, high))
    (name,) = candidate.symbols
    # What is found of a symbol holds for every number within its bounds, so the score of c moves by
    # at most D(c), whichever candidate c is. A D that is convex in c is nowhere between low and
    # high larger than at one of them. Both are candidates: one by one they would cost as much.
    moves = _moves_of_any(checker, node, score, Public(candidate))
    if moves is None or not all(checker.prover.convex(d, name) for d in moves):
        return None
    ends = [{name: number(low)}, {name: number(high)}]
    _, why = _one_by_one(checker, node, score, (Public(number(end)) for end in (low, high)))
    return tuple(worst(*(d.at(end) for end in ends)) for d in moves), why


def _moves_of_any(
    checker: Checker, node: syntax.Call, score: Closure, candidate: Public
) -> Distances | None:
    """How far the score of a candidate moves that is known by its bounds only; None if unknown.

    A branch on it would be taken the same way for all candidates, and is refused.
    """
    aside = checker.inner(checker.adjacency, checker.scenarios, checker.length)
    aside.path = Straight()
    try:
        value = numeric(pure(aside, node, score, (candidate,)))
    except DiscreetError:
        return None
    if isinstance(value, Public):
        return checker.zero()
    return None if value is None else value.distances


def _numbers(items: tuple[Abstract, ...]) -> set[Fraction] | None:
    """Candidates that are plain numbers, every one once."""
    found = set()
    for item in items:
        if not isinstance(item, Public) or item.note is not None or item.number is None:
            return None
        if item.number.value is None:
            return None
        found.add(item.number.value)
    return found


def _kind(item: Abstract) -> tuple[object, ...]:
    """What a candidate is."""
    if isinstance(item, Items):
        return tuple(map(_kind, item.items))
    if isinstance(item, LawOf):
        return ("law", item.family)
    return ("public", item.sort, item.note) if isinstance(item, Public) else (type(item),)


def _any_of(candidates: Abstract) -> Abstract:
    """One of public candidates, whichever."""
    if isinstance(candidates, Items) and candidates.items:
        first = candidates.items[0]
        if isinstance(first, Public):
            return Public(sort=first.sort)
        if isinstance(first, LawOf):
            return Public(sort="law", note=first.family)
        return Public(sort="list")
    if isinstance(candidates, Public) and candidates.note is not None:
        return Public(sort="law", note=candidates.note)
    return Public()
