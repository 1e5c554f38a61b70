"""Budgets in writing: "2*eps", ("eps", "delta"), "sqrt(1 - pi/4)*eps"."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from fractions import Fraction

from discreet import check
from discreet.errors import InputError
from discreet.programs import distances, symbolic
from discreet.programs.costs import Budget
from discreet.programs.symbolic import ZERO, Expression, number


def read_budget(value: object, names: Collection[str]) -> Budget:
    """ε, or (ε, δ), as text or numbers in terms of the declared parameters."""
    parts = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(parts) <= 2:
        raise InputError(
            f'budget must be "eps" or ("eps", "delta"), got {check.brief(value)}', "budget"
        )
    epsilon = _part("budget", parts[0], names)
    delta = _part("budget", parts[1], names) if len(parts) == 2 else ZERO
    if delta.value is not None and delta.value >= 1:
        raise InputError(f"budget must have a delta below 1, got {parts[1]}", "budget")
    text = str(epsilon) if delta == ZERO else f"({epsilon}, {delta})"
    return Budget(epsilon, delta, text, tuple(str(part) for part in parts))


def _part(argument: str, value: object, names: Collection[str]) -> Expression:
    if isinstance(value, str):
        found = _Reader(value, names).read()
    else:
        found = number(check.rational(argument, value))
    if found.value is not None and found.value < 0:
        raise InputError(f"budget must not be negative, got {value}", "budget")
    return found


class _Reader:
    """An expression in writing."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self.text, self.names = text, names

    def fail(self, reason: str) -> InputError:
        return InputError(f"budget {check.shorten(self.text)} {reason}", "budget")

    def read(self) -> Expression:
        if len(self.text) > 1000:
            raise self.fail("is too long")
        try:
            tree = ast.parse(self.text.strip(), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise self.fail('is not an expression: write such as "2*eps"') from None
        try:
            return self.node(tree.body)
        except ZeroDivisionError:
            raise self.fail("divides by 0") from None

    def node(self, node: ast.expr) -> Expression:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            try:
                return number(Fraction(repr(node.value)))
            except ValueError:
                raise self.fail("has a number that is not finite") from None
        if isinstance(node, ast.Name):
            if node.id == "pi":
                return symbolic.PI
            if node.id not in self.names:
                known = ", ".join(sorted(self.names)) or "none"
                if node.id == "n":
                    raise self.fail("uses n, which is private under add-remove")
                raise self.fail(
                    f"uses the unknown parameter {node.id!r}; declared are {known}: write "
                    f'params={{"{node.id}": Pos}}'
                )
            return symbolic.symbol(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.node(node.operand)
        if isinstance(node, ast.BinOp):
            return self.operation(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self.call(node.func.id, [self.node(argument) for argument in node.args])
        raise self.fail("has a part that is not a number, a parameter, + - * / ** or a function")

    def operation(self, node: ast.BinOp) -> Expression:
        found = self.computed(node)
        if any(max(c.numerator, c.denominator).bit_length() > 1000 for _, c in found.terms):
            raise self.fail("has a number of very many digits")
        return found

    def computed(self, node: ast.BinOp) -> Expression:
        left, right = self.node(node.left), self.node(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div):
            return left / right
        power = right.value
        if isinstance(node.op, ast.Pow) and power is not None and power.denominator == 1:
            if abs(power) <= 64:
                return left ** int(power)
            raise self.fail("has a power above 64")
        raise self.fail("has an operator other than + - * / and whole powers")

    def call(self, name: str, parts: list[Expression]) -> Expression:
        if name in ("sqrt", "log", "exp") and len(parts) == 1:
            single: Callable[[Expression], Expression] = getattr(symbolic, name)
            return single(parts[0])
        if name in ("min", "max") and parts:
            return (symbolic.least if name == "min" else symbolic.largest)(*parts)
        if name == "hellinger_step" and len(parts) == 2:
            values = [part.value for part in parts]
            if all(value is not None and value > 0 for value in values):
                x, y = (value for value in values if value is not None)
                found = distances.beta_move("hellinger", x, y)
                assert found is not None
                return found
        raise self.fail(
            f"calls {name}: there are sqrt, log, exp, min, max and "
            "hellinger_step(a, b) of positive numbers"
        )
