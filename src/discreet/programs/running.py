"""The interpreter: runs the tree that was checked, in exact numbers.

With data and a sampler it draws; without data it replays a transcript, and computes the released
value from public numbers only; the auditor lets it go through all draws.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from discreet.core import Adjacency
from discreet.errors import ExactnessError, InputError
from discreet.exact import balls
from discreet.programs import declared, syntax
from discreet.programs.abstract import FamilyName, Theta
from discreet.programs.families import FAMILIES, MOST_BITS, Law, label_key, require_short
from discreet.programs.numbers import (
    SECRET,
    Irrational,
    Secret,
    Whole,
    add,
    as_number,
    divide,
    inverse,
    multiply,
    negative,
    plain,
    plain_if_any,
    step_of,
)
from discreet.programs.requests import Audit, Draw

THETA = Theta()
MOST_FACTOR = Fraction(2**64)
HIDDEN_FLAG = Whole(Fraction(0), Fraction(1), None)


@dataclass(frozen=True)
class Data:
    """Records, or a function of each; `values` is None in a replay.

    `table` has the function's value for every record there can be, where they are few.
    """

    kind: declared.Kind
    values: tuple[Any, ...] | None
    table: dict[Any, Any] | None

    def listed(self) -> list[Any] | None:
        """The function's value for every record; numbers of a table in their common steps."""
        if self.values is None:
            return None
        if self.table is None:
            return list(self.values)
        columns = list(self.table.values())
        made = {value: _in_steps(found, columns) for value, found in self.table.items()}
        return [made[value] for value in self.values]

    def hidden(self) -> Any:
        """One of them in a replay, which does not know it."""
        if self.table is None:
            return _hidden(self.kind)
        return _hidden_of(list(self.table.values()))


def _in_steps(value: Any, column: list[Any]) -> Any:
    """A value of a column: numbers in their common steps, as `_hidden_of` knows them."""
    if isinstance(value, tuple) and all(isinstance(other, tuple) for other in column):
        if len({len(other) for other in column}) == 1:
            return tuple(_in_steps(value[i], [o[i] for o in column]) for i in range(len(value)))
        return value
    step = step_of(column)
    exact = plain_if_any(value)
    if step is None or not isinstance(exact, Fraction) or all(type(x) is bool for x in column):
        return value
    return Whole(Fraction(0), step, int(exact / step))


def _hidden_of(values: list[Any]) -> Any:
    """What is known of one of these values without knowing which."""
    widths = {len(value) for value in values if isinstance(value, tuple)}
    if all(isinstance(value, tuple) for value in values) and len(widths) == 1:
        return tuple(_hidden_of([value[i] for value in values]) for i in range(widths.pop()))
    step = step_of(values)
    return SECRET if step is None else Whole(Fraction(0), step, None)


def _hidden(kind: declared.Kind) -> Any:
    if isinstance(kind, declared.Record):
        return tuple(_hidden(part) for part in kind.parts)
    return HIDDEN_FLAG if isinstance(kind, declared.Flag) else SECRET


@dataclass(frozen=True)
class Routine:
    """A function of the program."""

    node: syntax.Lambda
    names: Mapping[str, Any]


@dataclass(frozen=True)
class Drawing:
    """A draw inside a likelihood."""

    law: Law


@dataclass(frozen=True)
class Chance:
    """That a draw equals a value."""

    law: Law
    value: Any


class Interpreter:
    """One run."""

    def __init__(
        self,
        adjacency: Adjacency,
        n: int | None,
        draw: Draw,
        audit: Audit | None = None,
        trace: list[Any] | None = None,
        replay: bool = False,
    ) -> None:
        self.adjacency, self.n, self.draw, self.replay = adjacency, n, draw, replay
        self.trace: list[Any] = [] if trace is None else trace  # what is public of every draw
        self.audit = audit

    def block(self, body: tuple[syntax.Statement, ...], names: dict[str, Any]) -> Any:
        """The value of the return that is met, or None."""
        for node in body:
            if isinstance(node, syntax.Let):
                value = self.value(node.value, names)
                if node.unpack:
                    names.update(zip(node.names, self.parts(value, len(node.names)), strict=True))
                else:
                    names[node.names[0]] = value
            elif isinstance(node, syntax.Return):
                return self.value(node.value, names)
            elif isinstance(node, syntax.If):
                found = self.block(
                    node.then if self.holds(node.test, names) else node.otherwise, names
                )
                if found is not None:
                    return found
            else:
                for i in self.range_of(node.source, names):
                    names[node.name] = Fraction(i)
                    self.block(node.body, names)
        return None

    def parts(self, value: Any, count: int) -> tuple[Any, ...]:
        """What a value unpacks into."""
        if isinstance(value, Secret):
            return (SECRET,) * count
        if len(value) != count:
            raise InputError(f"a list in the program does not have {count} values", "program")
        return tuple(value)

    def holds(self, node: syntax.Node, names: Mapping[str, Any]) -> bool:
        """A public test."""
        found = self.value(node, names)
        if _secret(found):
            raise ExactnessError("a replay met a test of a private value")
        return bool(found)

    def range_of(self, node: syntax.Node, names: Mapping[str, Any]) -> range:
        """The whole numbers that a loop goes over."""
        assert isinstance(node, syntax.Call)
        parts = [part for part in node.arguments if not isinstance(part, syntax.Missing)]
        ends = [self.known(self.value(part, names)) for part in parts]
        if any(end.denominator != 1 for end in ends):
            raise InputError("a range in the program must end at whole numbers", "program")
        return range(*map(int, ends))

    def known(self, value: Any) -> Fraction:
        """A public rational number."""
        number = plain_if_any(value)
        if not isinstance(number, Fraction):
            raise ExactnessError("a public number is not rational")
        return number

    # ---- expressions -------------------------------------------------------------------------

    def value(self, node: syntax.Node, names: Mapping[str, Any]) -> Any:
        """Evaluate.

        All numbers that a replay meets are public, and have to be short: added to a distance, which
        a run knows as a ball, a long one would fail for some data only. The run itself, which would
        show private numbers so, does not ask; what it draws is refused by the replay after it.
        """
        found = self._value(node, names)
        if self.replay and isinstance(found, (Fraction, Whole)):
            parts = (found,) if isinstance(found, Fraction) else (found.offset, found.step)
            if any(
                abs(part.numerator) >> MOST_BITS or part.denominator >> MOST_BITS for part in parts
            ):
                require_short("a public number in the program", parts)
        return found

    def _value(self, node: syntax.Node, names: Mapping[str, Any]) -> Any:
        if isinstance(node, (syntax.Number, syntax.Literal)):
            return node.value
        if isinstance(node, syntax.Missing):
            return None
        if isinstance(node, syntax.Name):
            return names[node.name]
        if isinstance(node, syntax.Word):
            return FamilyName(node.name)
        if isinstance(node, syntax.Group):
            return tuple(self.value(item, names) for item in node.items)
        if isinstance(node, syntax.Unary):
            return self.unary(node, self.value(node.operand, names))
        if isinstance(node, syntax.Binary):
            return self.binary(node, self.value(node.left, names), self.value(node.right, names))
        if isinstance(node, syntax.Choice):
            chosen = node.then if self.holds(node.test, names) else node.otherwise
            return self.value(chosen, names)
        if isinstance(node, syntax.Index):
            value, place = self.value(node.value, names), self.value(node.place, names)
            if isinstance(value, Secret):
                return SECRET
            where = self.known(place)
            if where.denominator != 1 or not 0 <= where < len(value):
                raise InputError("a place in the program lies outside of its list", "program")
            return value[int(where)]
        if isinstance(node, syntax.Lambda):
            return Routine(node, dict(names))
        if isinstance(node, syntax.Each):
            scopes = [
                dict(names) | {node.name: Fraction(i)} for i in self.range_of(node.source, names)
            ]
            return tuple(self.value(node.body, scope) for scope in scopes)
        if isinstance(node, syntax.Apply):
            arguments = [self.value(argument, names) for argument in node.arguments]
            return self.apply(self.value(node.function, names), *arguments)
        if isinstance(node, syntax.Unknown):
            return self.unknown(node, names)
        return self.call(node, names)

    def unknown(self, node: syntax.Unknown, names: Mapping[str, Any]) -> Any:
        """In an audit an unknown function multiplies by 1000: nobody said that it does not."""
        if self.audit is None:
            raise ExactnessError(f"{node.name} has no rule")
        values = [self.value(argument, names) for argument in node.arguments]
        first = as_number(values[0]) if values else Fraction(0)
        return values[0] if first is None else multiply(first, Fraction(1000))

    def apply(self, function: Any, *arguments: Any) -> Any:
        """A function of the program."""
        names = dict(function.names) | dict(zip(function.node.parameters, arguments, strict=True))
        return self.block(function.node.body, names)

    def unary(self, node: syntax.Unary, value: Any) -> Any:
        """-x, not x."""
        if node.operator == "not":
            return HIDDEN_FLAG if _secret(value) else not value
        if isinstance(value, Secret):
            return SECRET
        number = as_number(value)
        assert number is not None
        return negative(number)

    def binary(self, node: syntax.Binary, left: Any, right: Any) -> Any:
        """Arithmetic and comparisons."""
        operator = node.operator
        if isinstance(left, Drawing) or isinstance(right, Drawing):
            drawing, other = (left, right) if isinstance(left, Drawing) else (right, left)
            return Chance(drawing.law, other)
        if operator in ("and", "or"):
            if not all(isinstance(side, bool) or _secret(side) for side in (left, right)):
                raise InputError(f"{operator} in the program joins True and False only", "program")
            if _secret(left) or _secret(right):
                return HIDDEN_FLAG
            return (left and right) if operator == "and" else (left or right)
        if operator in ("==", "!=", "<", "<=", ">", ">="):
            return self.compared(operator, left, right)
        from discreet.programs.noise import Sigma  # which needs this file

        if isinstance(left, Sigma) or isinstance(right, Sigma):
            sigma, other = (left, right) if isinstance(left, Sigma) else (right, left)
            factor = self.known(other)
            return sigma.times(factor if operator == "*" else 1 / factor)
        x, y = as_number(left), as_number(right)
        if x is None or y is None:
            raise ExactnessError(f"{operator} met something else than numbers")
        if operator in ("*", "/"):
            _require_modest(x, y)
        if operator == "+":
            return add(x, y)
        if operator == "-":
            return add(x, negative(y))
        if operator == "*":
            return multiply(x, y)
        if operator == "/":
            return divide(x, y)
        return self.raised(x, y)

    def raised(self, x: Any, y: Any) -> Any:
        """x to a whole power."""
        a, b = plain(x), plain(y)
        if isinstance(a, Secret) or isinstance(b, Secret):
            return SECRET
        power = self.known(b)
        if power.denominator != 1 or abs(power) > 64:
            raise InputError("a power in the program must be a whole number up to 64", "program")
        result: Any = Fraction(1)
        for _ in range(abs(int(power))):
            result = multiply(result, a)
            require_short("a power in the program", result)  # powers of private numbers are refused
        return result if power >= 0 else inverse(result)

    def compared(self, operator: str, left: Any, right: Any) -> Any:
        """A flag."""
        if _secret(left) or _secret(right):
            return HIDDEN_FLAG
        x, y = as_number(left), as_number(right)
        both_flags = isinstance(left, bool) and isinstance(right, bool)
        if x is None or y is None or both_flags:
            if operator not in ("==", "!="):
                raise ExactnessError("labels have no order")
            same = label_key(_settled(left, True)) == label_key(_settled(right, True))
            return same if operator == "==" else not same
        gap = plain(add(x, negative(y)))
        if isinstance(gap, Irrational):
            order = balls.refine(gap.real, _sign)
        else:
            assert isinstance(gap, Fraction)
            order = (gap > 0) - (gap < 0)
        return {
            "==": order == 0,
            "!=": order != 0,
            "<": order < 0,
            "<=": order <= 0,
            ">": order > 0,
            ">=": order >= 0,
        }[operator]

    def call(self, node: syntax.Call, names: Mapping[str, Any]) -> Any:
        """A construct of the language."""
        from discreet.programs.answers import ANSWERS  # which needs this file

        arguments = [self.value(argument, names) for argument in node.arguments]
        if node.name in FAMILIES:
            # a limit on private numbers would show them: a replay meets all public ones
            if self.replay:
                require_short(
                    "a parameter of a distribution in the program", _settled(tuple(arguments))
                )
            return made_law(node.name, arguments, self.audit is not None)
        return ANSWERS[node.name](self, *arguments)


def _require_modest(x: Any, y: Any) -> None:
    """Refuse a public factor so large that a distance, known as a ball, is not settled in time.

    A replay, which does not know exact private numbers from balls, asks it of both.
    """
    for one, two in ((x, y), (y, x)):
        if not isinstance(one, (Secret, Irrational)):
            continue
        factor = plain(two)
        small = isinstance(factor, Fraction) and 1 / MOST_FACTOR <= abs(factor) <= MOST_FACTOR
        if isinstance(factor, Fraction) and factor and not small:
            raise InputError(
                "a factor of a private number in the program must lie between 2^-64 and 2^64",
                "program",
            )


def made_law(family: str, arguments: list[Any], audit: bool) -> Law:
    """A law of plain numbers; a flag is one, but for the values of a Finite."""
    if family == "Finite":
        values, weights = arguments
        return Law(family, (_settled(values, True), _settled(weights)))
    if audit and family == "Beta" and all(isinstance(x, (Fraction, Whole)) for x in arguments):
        counts = [x for x in arguments if isinstance(x, Whole)]
        if all(x.step == 1 for x in counts):  # of a prior that is chosen from the data
            return Law(family, tuple(arguments))
    return Law(family, tuple(map(_settled, arguments)))


def _settled(x: Any, flags: bool = False) -> Any:
    if isinstance(x, tuple):
        return tuple(_settled(part, flags) for part in x)
    if isinstance(x, bool) and not flags:
        return Fraction(int(x))
    return x.value if isinstance(x, Whole) and x.count is not None else x


def _secret(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_secret, value))
    return isinstance(value, Secret) or (isinstance(value, Whole) and value.count is None)


def _sign(value: arb) -> int | None:
    if value > 0:
        return 1
    return -1 if value < 0 else None


def finished(value: Any) -> Any:
    """The released value: numbers, labels, distributions and tuples of them; nothing private."""
    if _secret(value) or isinstance(value, Data):
        raise ExactnessError("a private value would be released")
    if isinstance(value, Whole):
        return value.value
    if isinstance(value, tuple):
        return tuple(finished(item) for item in value)
    if isinstance(value, Law):
        return Law(value.family, tuple(finished(part) for part in value.parameters))
    if isinstance(value, (Fraction, bool, str)):
        return value
    raise ExactnessError("a value of a kind that is not released")
