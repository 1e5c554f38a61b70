"""Operators: arithmetic, comparisons, and, or, not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discreet.programs import rules, symbolic, syntax
from discreet.programs.abstract import (
    FLAG,
    Abstract,
    Items,
    Observation,
    Private,
    Public,
    Random,
    added,
    negated,
    numeric,
    scaled,
)
from discreet.programs.describing import describe
from discreet.programs.families import label_key
from discreet.programs.symbolic import ONE, ZERO, Expression

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

AFTER = "add noise first, x = sample(laplace(eps, x)), and compute with the released value"
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def unary(checker: Checker, node: syntax.Unary, value: Abstract) -> Abstract:
    """-x, not x."""
    if node.operator == "not":
        if isinstance(value, Public):
            known = isinstance(value.literal, bool)
            return Public(literal=not value.literal if known else None, sort="flag")
        if isinstance(value, Private) and value.sort == "flag":
            # one that is always False has the range from 0 to 0, and is always True after it
            return replace(value, low=ZERO, high=ONE, token=None)
    elif (x := numeric(value)) is not None:
        return negated(x)
    raise checker.error(node, f"{node.operator} has no rule for {describe(value)}", kind="syntax")


def binary(checker: Checker, node: syntax.Binary, left: Abstract, right: Abstract) -> Abstract:
    """Arithmetic and comparisons."""
    if node.operator in COMPARISONS:
        return _comparison(checker, node, left, right)
    if node.operator in ("and", "or"):
        return _connected(checker, node, left, right)
    if (scale := rules.scaled_noise(node.operator, left, right)) is not None:
        return scale
    x, y = numeric(left), numeric(right)
    if x is None or y is None:
        bad = left if x is None else right
        raise checker.error(
            node,
            f"{node.operator} needs two numbers, got {describe(bad)}",
            fix="compute with numbers only; several values are returned as (x, y)",
            kind="syntax",
        )
    if node.operator in ("+", "-"):
        return added(x, y, 1 if node.operator == "+" else -1)
    if node.operator == "*":
        found = _product(checker, node, x, y)
        # a flag has steps, as a count has, and a run does not know which of the two is public
        flagged = any(
            isinstance(s, Public) and (s.sort == "flag" or s.note == FLAG) for s in (left, right)
        )
        return replace(found, step=None) if isinstance(found, Private) and flagged else found
    if node.operator == "/":
        return _quotient(checker, node, x, y)
    return _power(checker, node, x, y)


def _product(
    checker: Checker, node: syntax.Node, x: Public | Private, y: Public | Private
) -> Abstract:
    """|c|·d."""
    _require_unscaled(checker, node, x, y)
    if isinstance(x, Private) and isinstance(y, Private):
        if x.depth or y.depth:
            raise checker.failing(node, "a distance of laws times a private value")
        for flag, other in ((x, y), (y, x)):
            if flag.sort == "flag" and other.low is not None and other.high is not None:
                # 0 or a number from low to high, whatever the records are
                low, high = symbolic.least(ZERO, other.low), symbolic.largest(ZERO, other.high)
                why = f"0, or a number from {other.low} to {other.high}"
                moves = checker.everywhere(high - low)
                return Private(moves, why, None, low, high, inexact=other.inexact)
        return checker.unbounded(node, "a product of two private values", AFTER)
    if isinstance(x, Public) and isinstance(y, Public):
        note = FLAG if FLAG in (x.note, y.note) else None
        if x.number is None or y.number is None:
            return Public(note=note)
        return Public(x.number * y.number, note=note)
    inner, factor = (x, y) if isinstance(x, Private) else (y, x)
    assert isinstance(inner, Private)
    assert isinstance(factor, Public)
    if factor.number is None:
        if inner.depth:
            raise checker.failing(node, "a distance of laws times a released number")
        return checker.unbounded(node, "a private value times a released one", AFTER)
    return scaled(inner, factor.number, _size(checker, factor.number))


def _require_unscaled(
    checker: Checker, node: syntax.Node, x: Public | Private, y: Public | Private
) -> None:
    """Refuse a product with the state of a fold."""
    if any(isinstance(side, Private) and side.state for side in (x, y)):
        raise checker.error(
            node,
            "the state of a fold is added to, not multiplied or divided",
            "its digits would grow with every record, and the time of a run would show the records",
            "multiply the record, or the result after the fold",
        )


def _size(checker: Checker, c: Expression) -> Expression:
    """|c|, in one piece where its sign is known."""
    for x in (c, -c) if c.value is None else ():
        low = checker.prover.lower_bound(x)
        if (low is not None and low >= 0) or checker.prover.positive(x).holds:
            return x
    return symbolic.absolute(c)


def _quotient(
    checker: Checker, node: syntax.Binary, x: Public | Private, y: Public | Private
) -> Abstract:
    """d/|c|, c never 0."""
    if isinstance(y, Private):
        raise checker.failing(
            node, "division by a private value (it may be near 0, where 1/x is steep)"
        )
    if y.number is None:
        if isinstance(x, Public):
            return Public()
        raise checker.failing(node, "a private value divided by a released one")
    answer = checker.prover.nonzero(y.number)
    if not answer.holds:
        raise checker.error(
            node.right,
            f"{y.number} may be 0 and is divided by",
            fix="declare its bounds in params={…}, such as Pos",
            kind="value",
        )
    _require_unscaled(checker, node, x, y)
    if isinstance(x, Private):
        factor = ONE / y.number
        found = scaled(x, factor, _size(checker, factor))
        return replace(found, step=None) if y.note == FLAG else found
    note = FLAG if FLAG in (x.note, y.note) else None
    return Public(None if x.number is None else x.number / y.number, note=note)


def _power(
    checker: Checker, node: syntax.Binary, x: Public | Private, y: Public | Private
) -> Abstract:
    """Whole powers of public numbers."""
    if isinstance(x, Private) or isinstance(y, Private):
        raise checker.failing(
            node, "a power of a private value (if x moves by d, x² may move by more)"
        )
    if x.number is None or y.number is None:
        return Public()
    exponent = y.number.value
    if exponent is None or exponent.denominator != 1 or abs(exponent) > 64:
        return Public()
    if exponent < 0 and not checker.prover.nonzero(x.number).holds:
        raise checker.error(node.left, f"{x.number} may be 0 and is divided by", kind="value")
    return Public(x.number ** int(exponent))


def _comparison(checker: Checker, node: syntax.Binary, left: Abstract, right: Abstract) -> Abstract:
    """A private flag; numbers are compared with public ones, where a run is sure of the order."""
    for one, two in ((left, right), (right, left)):
        if isinstance(one, Random):
            if node.operator != "==":
                raise checker.error(
                    node,
                    "a draw is compared by == only",
                    fix="write ran(Bernoulli(r)) == d",
                    kind="syntax",
                )
            return Observation(one.law, two)
    sorts = [getattr(side, "sort", "") for side in (left, right)]
    if ("category" in sorts or sorts == ["flag", "flag"]) and node.operator not in ("==", "!="):
        raise checker.error(
            node, "labels and flags have no order", fix="compare them by == or !=", kind="syntax"
        )
    if isinstance(left, Public) and isinstance(right, Public):
        return Public(literal=_compared(node.operator, left, right), sort="flag")
    if all(map(_discrete, (left, right))) and node.operator in ("==", "!="):
        return _flag(checker, "a comparison of records is 0 or 1")
    if all(map(_exact, (left, right))):
        return _flag(checker, "a comparison is 0 or 1")
    raise checker.failing(node, "a comparison of private numbers", "comparison")


def _exact(side: Abstract) -> bool:
    """A private number that a run has as a fraction, or a public one that is written down.

    Of numbers in balls, such as distances, a run cannot tell whether they are equal.
    """
    if isinstance(side, Private):
        return side.sort == "number" and not side.inexact
    return isinstance(side, Public) and side.number is not None


def _connected(checker: Checker, node: syntax.Binary, left: Abstract, right: Abstract) -> Abstract:
    """And, or."""
    for side in (left, right):
        if not isinstance(side, (Public, Private)) or side.sort != "flag":
            raise checker.error(
                node,
                f"{node.operator} joins True and False, got {describe(side)}",
                fix="compare first: x > 0",
                kind="syntax",
            )
    if isinstance(left, Public) and isinstance(right, Public):
        known = isinstance(left.literal, bool) and isinstance(right.literal, bool)
        if not known:
            return Public(sort="flag")
        both = left.literal and right.literal
        either = left.literal or right.literal
        return Public(literal=both if node.operator == "and" else either, sort="flag")
    return _flag(checker, "a flag is 0 or 1")


def _flag(checker: Checker, why: str) -> Private:
    """A private flag: as a number 0 or 1."""
    return Private(checker.everywhere(ONE), why, ONE, ZERO, ONE, "flag")


def _compared(operator: str, left: Public, right: Public) -> bool | None:
    """The result where both are known: numbers with numbers, labels with labels."""
    if left.number is not None and right.number is not None:
        one, two = left.number.value, right.number.value
        if one is None or two is None:
            return None
        order = (one > two) - (one < two)
        return {
            "==": order == 0,
            "!=": order != 0,
            "<": order < 0,
            "<=": order <= 0,
            ">": order > 0,
            ">=": order >= 0,
        }[operator]
    one, two = _label(left), _label(right)
    mixed = {left.sort, right.sort} == {"flag", "number"}  # which the run compares as numbers
    if one is None or two is None or mixed or operator not in ("==", "!="):
        return None
    same = bool(label_key(one) == label_key(two))
    return same if operator == "==" else not same


def _discrete(side: Abstract) -> bool:
    """Flags and labels, and tuples of them."""
    if isinstance(side, Items):
        return all(map(_discrete, side.items))
    return isinstance(side, (Public, Private)) and side.sort in ("flag", "category")


def _label(side: Public) -> Any:
    """A label, or a number to compare one with; flags are compared with flags only."""
    if side.sort in ("category", "flag"):
        return side.literal
    return None if side.number is None else side.number.value
