"""Mutants of programs: small changes of the source, most of which weaken the privacy."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.core import Adjacency
from discreet.programs.costs import Budget
from discreet.programs.program import Program, make_program
from discreet.programs.symbolic import number


@dataclass(frozen=True)
class Mutant:
    """A changed program; `weaker` where the change takes noise away or claims more."""

    name: str
    program: Program
    weaker: bool


Change = Callable[[ast.Call], ast.expr]


class _At(ast.NodeTransformer):
    """Changes the calls of some words: all of them, or only the one at a place."""

    def __init__(self, words: tuple[str, ...], change: Change, place: int | None) -> None:
        self.words, self.change, self.place, self.seen = words, change, place, 0

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in self.words:
            return node
        self.seen += 1
        return self.change(node) if self.place in (None, self.seen - 1) else node


def _text(expression: str, **parts: ast.expr) -> ast.expr:
    """An expression with parts in the place of names."""
    return ast.parse(
        expression.format(**{name: f"({ast.unparse(part)})" for name, part in parts.items()}),
        mode="eval",
    ).body


def _argument(place: int, expression: str) -> Change:
    def change(node: ast.Call) -> ast.expr:
        node.args[place] = _text(expression, x=node.args[place])
        return node

    return change


def _keyword(name: str, expression: str) -> Change:
    def change(node: ast.Call) -> ast.expr:
        for keyword in node.keywords:
            if keyword.arg == name:
                keyword.value = _text(expression, x=keyword.value)
        return node

    return change


def _halves(node: ast.Call) -> ast.expr:
    node.args = [_text("{x} / 2", x=x) if isinstance(x, ast.Constant) else x for x in node.args]
    return node


def _without_noise(node: ast.Call) -> ast.expr:
    inner = node.args[0]
    noisy = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name)
    if noisy and inner.func.id in ("laplace", "gauss"):  # type: ignore[attr-defined]
        return inner.args[1]  # type: ignore[attr-defined,no-any-return]
    return node


# name, words, what is done to a call, whether to each call alone, whether it is weaker
CHANGES: tuple[tuple[str, tuple[str, ...], Change, bool, bool], ...] = (
    ("half the noise", ("laplace", "exp_mech"), _argument(0, "2 * {x}"), False, True),
    ("half the noise once", ("laplace", "exp_mech"), _argument(0, "2 * {x}"), True, True),
    ("without the 2", ("exp_mech",), _argument(0, "2 * {x}"), False, True),
    ("half the sigma", ("gauss",), _argument(0, "{x} / 2"), False, True),
    ("sigma for half the distance", ("analytic_sigma",), _argument(2, "{x} / 2"), False, True),
    ("more noise", ("laplace", "exp_mech"), _argument(0, "{x} / 2"), False, False),
    ("no clip", ("clip",), lambda node: node.args[0], True, True),
    ("a wider clip", ("clip",), _argument(2, "2 * {x}"), True, True),
    ("no noise once", ("sample",), _without_noise, True, True),
    ("no input noise", ("sample_each",), lambda node: node.args[1], False, True),
    ("twice the value", ("laplace",), _argument(1, "2 * {x}"), True, True),
    ("a divided value", ("laplace",), _argument(1, "{x} / 0.5"), True, True),
    ("the inverse", ("laplace",), _argument(1, "1 / {x}"), True, False),
    ("half the prior", ("Beta",), _halves, True, False),
    ("smaller variance", ("observe_all",), _keyword("variance", "{x} / 4"), False, False),
    ("squared", ("hellinger",), lambda node: _text("{x} ** 2", x=node), False, False),
    ("kl", ("hellinger",), lambda n: _text("kl({a}, {b})", a=n.args[0], b=n.args[1]), False, False),
    ("coarser grid", ("laplace",), _keyword("grid", "{x} * 3000"), False, True),
    ("the score doubled", ("exp_mech",), _argument(1, "lambda r: 2 * {x}(r)"), False, True),
    ("all in the first cell", ("parallel",), _argument(2, "(lambda r: True, {x}[1])"), False, True),
)


class _Twice(ast.NodeTransformer):
    """The draw at a place is made twice, and both are returned."""

    def __init__(self, place: int) -> None:
        self.place, self.seen, self.extra = place, 0, ""

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        value = node.value
        if not (isinstance(value, ast.Call) and ast.unparse(value.func) == "sample"):
            return self.generic_visit(node)
        self.seen += 1
        if self.seen - 1 != self.place:
            return node
        self.extra = "again"
        return [node, *ast.parse(f"again = {ast.unparse(value)}").body]

    def visit_Return(self, node: ast.Return) -> ast.AST:
        assert node.value is not None
        if self.extra:
            self.extra, node.value = "", _text("({x}, again)", x=node.value)
        elif "sample(" in ast.unparse(node.value) and self.place < 0:
            node.value = _text("({x}, {x})", x=node.value)
        return node


def _function(program: Program) -> ast.FunctionDef:
    found = ast.parse(program.source.text).body[0]
    assert isinstance(found, ast.FunctionDef)
    found.decorator_list = []
    return found


def _changed(program: Program, tree: ast.AST) -> Program | None:
    """The program with this source; None if it is the old one."""
    text = ast.unparse(ast.fix_missing_locations(tree))
    if text == ast.unparse(_function(program)):
        return None
    words = dict(program.source.bindings) | {"kl": "kl"}
    source = replace(
        program.source, text=text, first_line=1, indent=0, bindings=tuple(words.items())
    )
    made = make_program(
        source, program.records, program.adjacency.value, "1", dict(program.kinds), program.n
    )
    return replace(made, budget=program.budget)


def mutants(program: Program) -> Iterator[Mutant]:
    """All mutants of a program."""
    for name, words, change, alone, weaker in CHANGES:
        for place in range(8) if alone else [None]:
            transformer = _At(words, change, place)
            tree = transformer.visit(_function(program))
            if place is not None and transformer.seen <= place:
                break
            made = _changed(program, tree)
            if made is not None:
                yield Mutant(name if place is None else f"{name}, {place + 1}", made, weaker)
    for place in range(-1, 4):
        made = _changed(program, _Twice(place).visit(_function(program)))
        if made is not None:
            yield Mutant(f"drawn twice, {place + 1}", made, True)
    yield from _declared_otherwise(program)


def _declared_otherwise(program: Program) -> Iterator[Mutant]:
    for share in (Fraction(1, 2), Fraction(9, 10)):
        factor, old = number(share), program.budget
        claim = Budget(old.epsilon * factor, old.delta, f"{share} of {old}")
        yield Mutant(f"{share} of the budget", replace(program, budget=claim), True)
    if program.adjacency is Adjacency.ADD_REMOVE:
        yield Mutant("swapped", replace(program, adjacency=Adjacency.SUBSTITUTE), True)
    elif program.n is None and "n" not in program.budget.epsilon.symbols:
        yield Mutant("swapped", replace(program, adjacency=Adjacency.ADD_REMOVE), False)
