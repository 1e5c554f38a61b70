"""Ranges: lists that go over one, and what is paid in every round of a loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.programs import declared, symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Items,
    LawOf,
    Public,
    RecordList,
    is_releasable,
)
from discreet.programs.describing import describe
from discreet.programs.symbolic import ZERO, Expression, number

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

MOST_UNROLLED = 64  # rounds that are gone through one by one
MOST_LISTED = 100_000  # entries of a list that are kept: more take a run minutes


def range_of(
    checker: Checker, node: syntax.Node, names: Mapping[str, Abstract]
) -> tuple[Expression, Expression]:
    """Start and length of a range."""
    if not isinstance(node, syntax.Call) or node.name != "range":
        value = checker.value(node, names)
        if isinstance(value, RecordList):
            raise checker.error(
                node,
                "a loop over private records has no rule",
                fix="write sum(map(f, data)), fold(step, start, data) or sample_each(f, data)",
                kind="syntax",
            )
        raise checker.error(
            node, "this loop has no rule", fix="write for i in range(k)", kind="syntax"
        )
    ends = []
    given = [part for part in node.arguments if not isinstance(part, syntax.Missing)]
    for argument in given:
        value = checker.value(argument, names)
        if not isinstance(value, Public):
            raise checker.error(
                argument,
                "the length of this range is private",
                getattr(value, "why", "") or f"it is {describe(value)}",
                "use a public number; under add-remove the number of records is private",
                "private",
            )
        ends.append(value.number)
    if None in ends:
        raise checker.error(
            node, "range needs one or two known numbers", fix="write range(k)", kind="syntax"
        )
    known = [end for end in ends if end is not None]
    for end in known:
        if not _whole(checker, end):
            raise checker.error(
                node,
                f"a range ends at whole numbers, and {end} may not be one",
                fix="use whole numbers, len(data), or parameters declared as Nat",
                kind="value",
            )
    start, stop = (ZERO, known[0]) if len(known) == 1 else (known[0], known[1])
    return start, stop - start


def _whole(checker: Checker, x: Expression) -> bool:
    """Whether it is a whole number for all values of the parameters."""
    return all(
        coefficient.denominator == 1
        and all(
            isinstance(base, symbolic.Symbol)
            and power > 0
            and checker.prover.symbols.get(base.name, declared.Number()).whole
            for base, power in monomial
        )
        for monomial, coefficient in x.terms
    )


def each(checker: Checker, node: syntax.Each, names: Mapping[str, Abstract]) -> Abstract:
    """A public list of public values."""
    start, count = range_of(checker, node.source, names)
    if count.value is not None and start.value is not None:
        few = count.value <= MOST_UNROLLED
        if few or (count.value <= MOST_LISTED and _is_plain(checker, node, names, start)):
            places = range(int(count.value))
            inside = [dict(names) | {node.name: Public(start + number(i))} for i in places]
            items = tuple(checker.value(node.body, scope) for scope in inside)
            if items and all(map(is_releasable, items)):
                return Items(items)
    index = checker.prover.fresh(node.name, declared.Number())
    before, ways = len(checker.costs), len(checker.path.taken)
    item = checker.value(node.body, dict(names) | {node.name: Public(index)})
    if len(checker.costs) > before:
        require_straight(checker, node, ways)
        repeat(checker, node, index, count, before)
    if not is_releasable(item):
        raise checker.error(
            node,
            "a list of private values has no rule",
            fix="release each value with noise, or compute it from public numbers",
            kind="private",
        )
    if isinstance(item, LawOf):
        return Public(sort="list", note=item.family)
    return Public(sort="list")


def _is_plain(
    checker: Checker, node: syntax.Each, names: Mapping[str, Abstract], start: Expression
) -> bool:
    """Whether the first entry of a list is written down, without a draw or a branch."""
    before, ways = len(checker.costs), len(checker.path.taken)
    first = checker.value(node.body, dict(names) | {node.name: Public(start)})
    straight = (len(checker.costs), len(checker.path.taken)) == (before, ways)
    del checker.costs[before:], checker.path.taken[ways:]
    return straight and _is_known(first)


def _is_known(item: Abstract) -> bool:
    """A number, a flag or a label, or several of them; laws are known by their family."""
    if isinstance(item, Items):
        return all(map(_is_known, item.items))
    if not isinstance(item, Public):
        return False
    known = item.number is not None and item.number.value is not None
    return known or item.literal is not None


def require_straight(checker: Checker, node: syntax.Node | syntax.Statement, ways: int) -> None:
    """Refuse a branch that rounds may take in different ways: one walk does not show that."""
    if len(checker.path.taken) > ways:
        raise checker.error(
            node,
            f"a branch in more than {MOST_UNROLLED} rounds, or unknown many, has no rule",
            fix=f"make it {MOST_UNROLLED} rounds at most, or branch outside of the loop",
            kind="unknown",
        )


def repeat(
    checker: Checker,
    node: syntax.Node | syntax.Statement,
    index: Expression,
    count: Expression,
    before: int,
) -> None:
    """Pay in every round what one of them has cost since `before`."""
    # no rounds at all where the end lies before the start: nothing is paid back
    times = count
    if not checker.prover.at_most(ZERO, count).holds:
        times = symbolic.largest(ZERO, count)
    inside = checker.costs[before:]
    del checker.costs[before:]
    for cost in inside:
        used = frozenset[str]().union(*(e.symbols for e in cost.epsilons), cost.delta.symbols)
        if used & index.symbols or cost.gaussian is not None:
            raise checker.error(
                node,
                f"the cost of more than {MOST_UNROLLED} rounds, or unknown many, may change "
                "from one to the next",
                fix=f"spend the same in every round, or make it {MOST_UNROLLED} at most",
                kind="unknown",
            )
        checker.costs.append(cost.times(times))
