"""Rules of lists of private records: map, sum, count, len, fold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from discreet.core import Adjacency
from discreet.programs import declared, symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Belief,
    Closure,
    Hidden,
    Items,
    LawOf,
    Private,
    Public,
    RecordList,
    added,
    is_public,
    is_public_list,
    is_releasable,
    numeric,
)
from discreet.programs.describing import describe
from discreet.programs.diagnostics import ProgramError
from discreet.programs.symbolic import (
    ONE,
    ZERO,
    Expression,
    largest,
    least,
    number,
    rational_gcd,
    worst,
)

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

Arguments = tuple[Abstract, ...]
CLIP = "clip every record first: map(lambda x: clip(x, 0, 1), data)"


def records(checker: Checker, kind: declared.Kind, name: str) -> RecordList:
    """The private data."""
    values = declared.support(kind)
    if values is not None:
        table = tuple((value, literal(value)) for value in values)
        return RecordList(tabled(checker, table), table, name)
    return RecordList(_item(checker, kind), None, name, isinstance(kind, declared.Category))


def literal(value: Any) -> Abstract:
    """A record that is known."""
    if isinstance(value, tuple):
        return Items(tuple(map(literal, value)))
    return Public(literal=value, sort="flag" if isinstance(value, bool) else "category")


def _item(checker: Checker, kind: declared.Kind) -> Abstract:
    if isinstance(kind, declared.Record):
        return Items(tuple(_item(checker, part) for part in kind.parts))
    if isinstance(kind, declared.Number):
        if kind.low is not None and kind.high is not None:
            low, high = number(kind.low), number(kind.high)
            why = f"records are declared to lie in [{low}, {high}]"
            return Private(checker.everywhere(high - low), why, None, low, high)
        return Private(None, reason="records are any real numbers", fix=CLIP)
    sort = "flag" if isinstance(kind, declared.Flag) else "category"
    return _discrete(checker, sort)


def _discrete(checker: Checker, sort: str) -> Private:
    flag = sort == "flag"
    return Private(
        checker.everywhere(ONE),
        "a record may change",
        ONE if flag else None,
        ZERO if flag else None,
        ONE if flag else None,
        sort,
    )


def tabled(checker: Checker, table: tuple[tuple[Any, Abstract], ...]) -> Abstract:
    """One record's value, when all it can be are listed."""
    numbers = [numeric(value) for _, value in table]
    exact = [x.number for x in numbers if isinstance(x, Public) and x.number is not None]
    if len(exact) == len(table):
        low, high = least(*exact), largest(*exact)
        flag = all(isinstance(v, Public) and isinstance(v.literal, bool) for _, v in table)
        moves = _moves(checker, table, exact, False)
        why = f"a record's value lies in {{{', '.join(map(str, dict.fromkeys(exact)))}}}"
        return Private(moves, why, _step(exact), low, high, "flag" if flag else "number")
    widths = {len(value.items) for _, value in table if isinstance(value, Items)}
    if all(isinstance(value, Items) for _, value in table) and len(widths) == 1:
        width = widths.pop()
        columns = []
        for place in range(width):
            column = tuple(
                (key, value.items[place]) for key, value in table if isinstance(value, Items)
            )
            columns.append(tabled(checker, column))
        return Items(tuple(columns))
    return _discrete(checker, "category")


def _moves(
    checker: Checker,
    table: tuple[tuple[Any, Abstract], ...],
    exact: list[Expression],
    summed_up: bool,
) -> tuple[Expression, ...]:
    """By how much the value, or the sum over all records, moves in each scenario."""
    values = {repr(key): x for (key, _), x in zip(table, exact, strict=True)}
    moves = []
    for scenario in checker.scenarios:
        if not scenario.listed:
            between = [symbolic.absolute(a - b) for a in exact for b in exact]
            alone = [symbolic.absolute(a) for a in exact]
            moves.append(largest(*(alone if scenario.added and summed_up else between)))
        elif scenario.added:
            after = values[repr(scenario.after)]
            spread = [symbolic.absolute(after - b) for b in exact]
            moves.append(symbolic.absolute(after) if summed_up else largest(*spread))
        else:
            apart = values[repr(scenario.after)] - values[repr(scenario.before)]
            moves.append(symbolic.absolute(apart))
    return tuple(moves)


def _step(exact: Iterable[Expression]) -> Expression | None:
    values = [x.value for x in exact]
    if any(value is None for value in values):
        return None
    found = reduce(rational_gcd, (value for value in values if value is not None))
    return number(found) if found else ONE


def require_records(checker: Checker, node: syntax.Call, value: Abstract) -> RecordList:
    """The private records, or a function of each."""
    if isinstance(value, RecordList):
        return value
    raise checker.error(
        node,
        f"{node.name} needs the private records, got {describe(value)}",
        kind="syntax",
    )


def guarded(closure: Closure) -> Closure:
    """The same function, where it can see nothing private but its arguments."""
    names: dict[str, Abstract] = {}
    for name, value in closure.names.items():
        if isinstance(value, Closure):
            names[name] = guarded(value)
        else:
            names[name] = value if is_public(value) else Hidden(name)
    return Closure(closure.node, names)


def function_of(checker: Checker, node: syntax.Call, value: Abstract) -> Closure:
    """A function of one record."""
    if isinstance(value, Closure):
        return guarded(value)
    raise checker.error(
        node, f"{node.name} needs a function", fix="write lambda r: …", kind="syntax"
    )


def pure(
    checker: Checker, node: syntax.Node, function: Closure, arguments: tuple[Abstract, ...]
) -> Abstract:
    """The value of a function that may be applied any number of times: it must not draw."""
    before = len(checker.costs)
    found = checker.apply(node, function, arguments)
    if len(checker.costs) > before:
        raise checker.error(
            node,
            "sample has no rule inside this function, which is applied more than once",
            "every draw has to be paid for",
            "draw outside of it; for a draw per record write sample_each(f, data)",
            "syntax",
        )
    return found


def pure_public(
    checker: Checker, node: syntax.Node, function: Closure, arguments: tuple[Abstract, ...]
) -> Abstract:
    """The same of public arguments: what comes out is public."""
    found = pure(checker, node, function, arguments)
    if not is_releasable(found):
        raise checker.error(
            node,
            f"a function of a public list gives {describe(found)}",
            fix="use only public values in it",
            kind="private",
        )
    return found


def mapped(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """The same function of every record: neighbours stay neighbours."""
    function = function_of(checker, node, arguments[0])
    if is_public_list(arguments[1]):
        pure_public(checker, node, function, (Public(),))
        return Public(sort="list")
    data = require_records(checker, node, arguments[1])
    if data.table is None:
        found = pure(checker, node, function, (untokened(data.item),))
        return RecordList(found, None, data.own)
    table = tuple((key, pure(checker, node, function, (v,))) for key, v in data.table)
    return RecordList(tabled(checker, table), table, data.own)


def untokened(item: Abstract) -> Abstract:
    """One record, as a value without identity."""
    return replace(item, token=None) if isinstance(item, Private) else item


def summed(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """Σ f(record): replacing one moves it by |f(r) − f(r')|, adding one by |f(r)|."""
    if isinstance(arguments[0], Public) and arguments[0].sort in ("list", "vector"):
        return Public()
    if isinstance(arguments[0], Items):
        total: Public | Private = Public(ZERO)
        for item in arguments[0].items:
            part = numeric(item)
            if part is None:
                raise checker.error(node, "sum needs numbers", kind="syntax")
            total = added(total, part, 1)
        return total
    data = require_records(checker, node, arguments[0])
    if data.table is not None:
        numbers = [numeric(value) for _, value in data.table]
        exact = [x.number for x in numbers if isinstance(x, Public) and x.number is not None]
        if len(exact) < len(data.table):
            raise _no_numbers(checker, node)
        moves = _moves(checker, data.table, exact, True)
        return Private(moves, _why_sum(checker, moves), _step(exact))
    one = numeric(data.item)
    if isinstance(one, Public):
        return _public_sum(checker, one)
    if one is not None and one.depth:
        raise checker.failing(node, "a sum of distances over the records")
    if one is None:
        raise _no_numbers(checker, node)
    if one.low is None or one.high is None:
        reason = one.reason or "nothing bounds what one record adds to the sum"
        fix, origin = one.fix or CLIP, one.origin or node.span
        return Private(None, reason=reason, fix=fix, origin=origin, inexact=one.inexact)
    if checker.adjacency is Adjacency.ADD_REMOVE:
        move = largest(symbolic.absolute(one.low), symbolic.absolute(one.high))
    else:
        move = one.high - one.low
    moves = checker.everywhere(move)
    step = ONE if isinstance(data.item, Private) and data.item.sort == "flag" else None
    return Private(moves, _why_sum(checker, moves), step, inexact=one.inexact)


def _no_numbers(checker: Checker, node: syntax.Call) -> ProgramError:
    return checker.error(
        node,
        f"{node.name} needs records that are numbers",
        fix="of labels count some: count(lambda r: r == x, data); declare numbers with their "
        "bounds: List[Between(0, 5)]",
        kind="syntax",
    )


def _why_sum(checker: Checker, moves: tuple[Expression, ...]) -> str:
    change = "adding" if checker.adjacency is Adjacency.ADD_REMOVE else "replacing"
    return f"{change} one record moves the sum by at most {worst(*moves)}"


def _public_sum(checker: Checker, item: Public) -> Abstract:
    """The same public number for every record."""
    if item.number is None:
        return Private(None, reason="a sum of released numbers over the records has no bound")
    if checker.length is not None:
        return Public(item.number * checker.length, note=item.note)
    moves = checker.everywhere(symbolic.absolute(item.number))
    return Private(moves, _why_sum(checker, moves))


def counted(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """How many records satisfy a test."""
    return summed(checker, node, (mapped(checker, node, arguments),))


def length(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """n: public under substitution, private with distance 1 under add-remove."""
    if isinstance(arguments[0], Public) and arguments[0].sort in ("list", "vector"):
        return Public()
    if isinstance(arguments[0], Items):
        return Public(number(len(arguments[0].items)))
    require_records(checker, node, arguments[0])
    if checker.length is not None:
        return Public(checker.length)
    return Private(
        checker.everywhere(ONE),
        "under add-remove the number of records is private: neighbours differ in it by 1",
        ONE,
    )


def ranged(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """A range by itself."""
    raise checker.error(
        node,
        "range has a rule in for and in [f(i) for i in range(k)] only",
        fix="write for i in range(k)",
        kind="syntax",
    )


def folded(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """By induction on the list: fold(step, start, data)."""
    from discreet.programs.beliefs import folded_belief, folded_public  # which need this file

    step, start = function_of(checker, node, arguments[0]), arguments[1]
    if isinstance(start, LawOf):
        start = Belief(start)
    if not is_public(start) or not isinstance(start, (Public, Belief)):
        raise checker.error(
            node.arguments[1],
            "a fold starts with a public number or a public prior",
            f"it starts with {describe(start)}",
            "write fold(step, 0, data)",
            "private",
        )
    if is_public_list(arguments[2]):
        return folded_public(checker, node, step, start)
    data = require_records(checker, node, arguments[2])
    if isinstance(start, Belief):
        return folded_belief(checker, node, step, start, data)
    if numeric(start) is None:
        raise checker.error(
            node,
            "fold starts with a number or a prior",
            f"it starts with {describe(start)}",
            "start with ran(Beta(a, b)) or ran(Finite(…)), without infer; what is known already "
            "belongs to the prior's parameters",
            "syntax",
        )
    return _folded_number(checker, node, step, data)


def _folded_number(
    checker: Checker, node: syntax.Call, step: Closure, data: RecordList
) -> Abstract:
    """The state moves by at most what the one record that differs moves it by.

    Same records must not move two states further apart: distance(step(s, r), step(s', r)) ≤
    distance(s, s') =: D for all D ≥ 0. Then, with equal states before it, the record that differs
    makes a distance d, and the rest of the list keeps it. Under add-remove the state has to change
    by a bounded amount, so it has to be the old state plus a function of the record.
    """
    apart = checker.prover.fresh("D", declared.Number(ZERO.value))
    state = Private(checker.everywhere(apart), "the state so far", symbolic.ONE, state=True)
    later = numeric(pure(checker, node, step, (state, _public_like(data.item))))
    if isinstance(later, Private) and later.distances is not None:
        kept = all(checker.prover.at_most(d, apart).holds for d in later.distances)
    else:
        kept = isinstance(later, Public)
    if not kept:
        raise checker.error(
            node,
            "the fold may move two states further apart with every record",
            "with equal records the distance of the states grows, so no bound holds for all n",
            "let the step add a bounded function of the record: state + f(r)",
        )
    if checker.adjacency is Adjacency.ADD_REMOVE:
        return _folded_added(checker, node, step, data)
    change = numeric(pure(checker, node, step, (Public(), untokened(data.item))))
    if isinstance(change, Public):
        return Private(checker.zero(), "the fold does not use the records")
    if change is not None and change.depth:
        raise checker.failing(node, "a fold of distances over the records")
    if change is None or change.distances is None:
        reason = getattr(change, "reason", "") or "the step has no bound"
        return Private(None, reason=reason, fix=CLIP, origin=node.span, inexact=True)
    # a run keeps the state as a plain number, so noise on it needs a grid
    return Private(change.distances, "by induction on the list", inexact=change.inexact)


def _public_like(item: Abstract) -> Abstract:
    if isinstance(item, Items):
        return Items(tuple(map(_public_like, item.items)))
    return Public(sort=item.sort if isinstance(item, (Public, Private)) else "number")


def _folded_added(checker: Checker, node: syntax.Call, step: Closure, data: RecordList) -> Abstract:
    """step(s, r) − s for a symbolic state s has to be a function of r alone."""
    state = checker.prover.fresh("s", declared.Number())
    changes: list[Expression] = []
    for _, value in data.table or ():
        after = numeric(pure(checker, node, step, (Public(state), value)))
        if isinstance(after, Public) and after.number is not None:
            change = after.number - state
            if not change.symbols & state.symbols:
                changes.append(change)
    if data.table and len(changes) == len(data.table):
        pairs = zip(data.table, changes, strict=True)
        table = tuple((key, Public(change)) for (key, _), change in pairs)
        found = summed(checker, node, (replace(data, table=table),))
        return replace(found, step=None) if isinstance(found, Private) else found
    raise checker.error(
        node,
        "under add-remove a fold has a bound only if it adds a function of the record",
        "one list has a record more: its step has to change the state by a bounded amount",
        "write sum(map(f, data))",
    )
