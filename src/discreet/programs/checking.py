"""The checker: an interpreter of the tree that computes with distances instead of values.

Public branches are followed both ways, one run for each path; the budget has to cover every path.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.core import Adjacency
from discreet.programs import declared, posteriors, rounds, rules, symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Belief,
    Closure,
    FamilyName,
    Hidden,
    Items,
    LawOf,
    Private,
    Public,
    Scenario,
    Vector,
    is_public,
)
from discreet.programs.costs import Budget, Cost, in_all, require_within, spent
from discreet.programs.describing import describe
from discreet.programs.expressions import Expressions, Step
from discreet.programs.paths import Path
from discreet.programs.proving import Prover
from discreet.programs.symbolic import Expression, number

MOST_PATHS = 256
MOST_RECORDS = 32  # values of a record of which every pair is a change of its own


class Checker(Expressions):
    """Runs the statements of a program."""

    def inner(
        self, adjacency: Adjacency, scenarios: tuple[Scenario, ...], length: Expression | None
    ) -> Checker:
        """A checker of a part of the data, on the same path."""
        return Checker(adjacency, scenarios, self.prover, self.path, length)

    def block(
        self, body: tuple[syntax.Statement, ...], names: dict[str, Abstract]
    ) -> Abstract | None:
        """Run statements; the value of a return, if one is met."""
        for statement in body:
            found = self.statement(statement, names)
            if found is not None:
                return found
        return None

    def statement(self, node: syntax.Statement, names: dict[str, Abstract]) -> Abstract | None:
        """Run one; names change in place."""
        if isinstance(node, syntax.Let):
            value = self.value(node.value, names)
            self.bind(node, value, names)
            return None
        if isinstance(node, syntax.Return):
            value = self.value(node.value, names)
            self.returned = node
            return value
        if isinstance(node, syntax.If):
            return self.block(node.then if self.test(node.test, names) else node.otherwise, names)
        self.loop(node, names)
        return None

    def bind(self, node: syntax.Let, value: Abstract, names: dict[str, Abstract]) -> None:
        """Give names to a value, or to its parts."""
        if not node.unpack:
            names[node.names[0]] = value
            if not isinstance(value, (Closure, FamilyName)):
                self.note(node, node.names[0], value)
            return
        parts = self.parts(node, value, len(node.names))
        for name, part in zip(node.names, parts, strict=True):
            names[name] = part
            self.note(node, name, part)

    def note(self, node: syntax.Statement, name: str, value: Abstract) -> None:
        """Add a line to the derivation."""
        found = posteriors.describe_moves(self, value) if isinstance(value, Belief) else ""
        self.steps.append(Step(node.span, f"{name} : {describe(value)}{found}", self.so_far()))

    def so_far(self) -> str:
        """What was spent along this path."""
        return in_all(self.costs, self.scenarios)

    def parts(
        self, node: syntax.Statement | syntax.Node, value: Abstract, count: int
    ) -> tuple[Abstract, ...]:
        """What a value unpacks into."""
        if isinstance(value, Public) and value.sort in ("list", "vector"):
            return tuple(Public() for _ in range(count))
        items: tuple[Abstract, ...] | None = None
        if isinstance(value, Items):
            items = value.items
        elif isinstance(value, Vector):
            items = value.parts
        if items is None or len(items) != count:
            raise self.error(
                node,
                f"{describe(value)} does not unpack into {count} names",
                fix="index it, or use it as a whole",
                kind="syntax",
            )
        return items

    def loop(self, node: syntax.For, names: dict[str, Abstract]) -> None:
        """For i in range(k): unrolled, or once for all i."""
        start, count = rounds.range_of(self, node.source, names)
        if (
            count.value is not None
            and start.value is not None
            and count.value <= rounds.MOST_UNROLLED
        ):
            for i in range(int(count.value)):
                names[node.name] = Public(start + number(i))
                self.block(node.body, names)
            return
        before = dict(names)
        for name in sorted(_assigned(node.body) & names.keys()):
            names[name] = self.weakened(name, names[name])
        index = self.prover.fresh(node.name, declared.Number())
        names[node.name] = Public(index)
        spent_before, ways = len(self.costs), len(self.path.taken)
        self.block(node.body, names)
        rounds.require_straight(self, node, ways)
        # If the body may never run, a name is after the loop as private as before it, or as after a
        # round, and a new one may have no value at all.
        certain = self.prover.at_most(symbolic.ONE, count).holds
        for name in sorted({node.name} | _assigned(node.body)):
            if name not in names:
                continue  # it has a value on another path
            if certain and (name not in before or not is_public(before[name])):
                names[name] = self.weakened(name, names[name])
                continue
            if name not in before:
                names.pop(name, None)
                continue
            if is_public(before[name]) and not _same_kind(before[name], names[name]):
                raise self.error(
                    node,
                    f"{name} is something else after the loop than before it",
                    "a value that the loop carries along has to stay public, and of one kind",
                    "use sum(map(f, data)) or fold(step, start, data)",
                    "private",
                )
            after = names[name]
            if is_public(before[name]):
                names[name] = self.weakened(name, after)
            elif isinstance(after, (Public, Private)) and after.sort == "number":
                names[name] = self.weakened(name, before[name])
            else:
                names[name] = Hidden(name)
        rounds.repeat(self, node, index, count, spent_before)

    def weakened(self, name: str, value: Abstract) -> Abstract:
        """All that is known of a value after unknown many rounds."""
        if isinstance(value, Public):
            return Public(sort=value.sort, note=value.note)
        if isinstance(value, LawOf) and is_public(value):
            return Public(sort="law", note=value.family)
        return Hidden(name)


def _same_kind(one: Abstract, two: Abstract) -> bool:
    """Whether a public value is followed by a public one of the same kind."""
    if isinstance(one, LawOf) and isinstance(two, LawOf):
        return one.family == two.family and is_public(two)
    if isinstance(one, Public) and isinstance(two, Public):
        return (one.sort, one.note) == (two.sort, two.note)
    return isinstance(one, Closure) and one == two


def _assigned(body: tuple[syntax.Statement, ...]) -> set[str]:
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, syntax.Let):
            found.update(statement.names)
        elif isinstance(statement, syntax.For):
            found |= {statement.name} | _assigned(statement.body)
        elif isinstance(statement, syntax.If):
            found |= _assigned(statement.then) | _assigned(statement.otherwise)
    return found


@dataclass(frozen=True)
class Proof:
    """What the checker found along all paths."""

    steps: tuple[Step, ...]
    costs: tuple[Cost, ...]
    scenarios: tuple[Scenario, ...]
    paths: int
    total: str

    def lines(self) -> list[str]:
        """What was spent, line by line; of several paths each line once."""
        if self.paths == 1:
            return spent(list(self.costs), self.scenarios)
        return [f"line {cost.span.line}: {cost.text}: {cost.own}" for cost in self.costs]


def scenarios_of(kind: declared.Kind, adjacency: Adjacency) -> tuple[Scenario, ...]:
    """All changes of one record, where its values are few."""
    values = declared.support(kind)
    added_ = adjacency is Adjacency.ADD_REMOVE
    if values is None or len(values) > MOST_RECORDS:
        return (Scenario(added=added_),)
    if added_:
        return tuple(Scenario(None, value, True, True) for value in values)
    pairs = [(a, b) for i, a in enumerate(values) for b in values[i + 1 :]]
    return tuple(Scenario(a, b, True) for a, b in pairs) or (Scenario(),)


def derive(
    parameters: tuple[str, ...],
    body: tuple[syntax.Statement, ...],
    records: declared.Records,
    adjacency: Adjacency,
    kinds: Mapping[str, declared.Parameter],
    budget: Budget,
    n: int | None,
) -> Proof:
    """Check every path; raises `ProgramError` at the first that cannot be proved."""
    symbols = {name: kind for name, kind in kinds.items() if isinstance(kind, declared.Number)}
    length: Expression | None = None
    if adjacency is Adjacency.SUBSTITUTE:
        length = number(n) if n is not None else symbolic.symbol("n")
        symbols["n"] = declared.Number(Fraction(1), whole=True)
    prover = Prover(symbols)
    scenarios = scenarios_of(records.item, adjacency)
    steps: dict[tuple[syntax.Span, str], Step] = {}
    costs: dict[Cost, None] = {}
    totals: dict[str, None] = {}
    decisions: tuple[bool, ...] | None = ()
    paths, normal = 0, False
    while decisions is not None:
        paths += 1
        path = Path(decisions)
        checker = Checker(adjacency, scenarios, prover, path, length)
        names: dict[str, Abstract] = dict(
            zip(parameters, rules.inputs(checker, parameters, records, kinds), strict=True)
        )
        returned = checker.block(body, names)
        end = checker.returned
        assert returned is not None
        assert end is not None
        rules.require_public(checker, end, returned)
        checker.steps.append(Step(end.span, f"return : {describe(returned)}", checker.so_far()))
        require_within(checker.costs, budget, scenarios, prover, end.span)
        for step in checker.steps:
            steps.setdefault((step.span, step.conclusion), step)
        costs |= dict.fromkeys(checker.costs)
        totals[checker.so_far()] = None
        normal = normal or any(cost.gaussian is not None for cost in checker.costs)
        decisions = path.following()
        # Which way the program goes may depend on how much a draw of normal noise has shown, so a δ
        # that is computed for all draws of a path together does not hold for the program.
        if normal and (paths > 1 or decisions is not None):
            raise checker.error(
                end,
                "normal noise of a given size has a rule in programs without branches only",
                fix="write gauss(analytic_sigma(eps, delta, distance), x)",
                kind="unknown",
            )
        if paths > MOST_PATHS:
            raise checker.error(
                end, f"the program has more than {MOST_PATHS} paths", kind="unknown"
            )
    return Proof(tuple(steps.values()), tuple(costs), scenarios, paths, " or ".join(totals))
