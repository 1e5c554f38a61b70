"""From the source of a function to the tree of `syntax`; Python never executes the body.

A closed world: what has no rule here is an error with its line and columns, and what to write
instead.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable
from fractions import Fraction

from discreet.programs.diagnostics import Diagnostic, ProgramError
from discreet.programs.families import FAMILIES
from discreet.programs.signatures import SIGNATURES, Signature
from discreet.programs.syntax import (
    Apply,
    Binary,
    Call,
    Choice,
    Each,
    For,
    Group,
    If,
    Index,
    Lambda,
    Let,
    Literal,
    Missing,
    Name,
    Node,
    Number,
    Return,
    Span,
    Statement,
    Unary,
    Unknown,
    Word,
)
from discreet.programs.unsupported import CALLED, INSTEAD

OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.And: "and",
    ast.Or: "or",
    ast.Not: "not",
    ast.USub: "-",
}


class Parser:
    """One program: its names, and where its text stands."""

    def __init__(
        self, text: str, resolve: Callable[[str], str | None], first_line: int, indent: int
    ) -> None:
        self.lines = text.split("\n")
        self.resolve, self.first_line, self.indent = resolve, first_line, indent

    def program(self, node: ast.FunctionDef) -> tuple[tuple[str, ...], tuple[Statement, ...]]:
        """The parameters and the body."""
        parameters = self.parameters(node, node.args)
        return parameters, self.block(node.body, frozenset(parameters), True, node)

    def span(self, node: ast.AST) -> Span:
        """Where a node stands in the file."""
        line = getattr(node, "lineno", 1)
        end = getattr(node, "end_lineno", None) or line
        start = self.column(line, getattr(node, "col_offset", 0))
        stop = self.column(end, getattr(node, "end_col_offset", None) or 0)
        shift = self.first_line - 1
        return Span(line + shift, start, end + shift, stop)

    def column(self, line: int, offset: int) -> int:
        """The column in the file, in characters, of an offset in bytes."""
        coded = self.lines[line - 1].encode() if line <= len(self.lines) else b""
        return len(coded[:offset].decode(errors="replace")) + self.indent

    def error(self, node: ast.AST, message: str, fix: str) -> ProgramError:
        """With the place."""
        return ProgramError(Diagnostic(self.span(node), message, fix=fix, kind="syntax"))

    def parameters(
        self, node: ast.FunctionDef | ast.Lambda, arguments: ast.arguments
    ) -> tuple[str, ...]:
        """The names, without defaults and stars."""
        if arguments.defaults or any(arguments.kw_defaults):
            given = next(d for d in (*arguments.defaults, *arguments.kw_defaults) if d)
            raise self.error(
                given,
                "default arguments have no rule",
                "give the value where the program is run: program.run(data, eps=1)",
            )
        if arguments.vararg or arguments.kwarg:
            raise self.error(node, "starred arguments have no rule", "name every argument")
        parts = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        return tuple(argument.arg for argument in parts)

    # ---- statements --------------------------------------------------------------------------

    def block(
        self, body: list[ast.stmt], known: frozenset[str], ends: bool, owner: ast.AST
    ) -> tuple[Statement, ...]:
        """Statements in order; `ends` where the last of them has to return."""
        found: list[Statement] = []
        names = known
        for place, statement in enumerate(body):
            if place == 0 and _docstring(statement):
                continue
            if isinstance(statement, ast.Pass):
                continue
            last = place == len(body) - 1
            made = self.statement(statement, names, ends and last)
            names |= _assigned(made)
            found.append(made)
            if isinstance(made, Return) and not last:
                raise self.error(
                    body[place + 1], "nothing comes after return", "delete what follows"
                )
        if ends and not (found and _returns(found[-1])):
            raise self.error(
                body[-1] if body else owner,
                "a program ends with return",
                "add return with the value to release",
            )
        return tuple(found)

    def statement(self, node: ast.stmt, known: frozenset[str], ends: bool) -> Statement:
        """One statement."""
        span = self.span(node)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return self.let(span, node.targets[0], node.value, known)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self.let(span, node.target, node.value, known)
        if isinstance(node, ast.Return):
            if node.value is None:
                raise self.error(node, "return has no value", "return the value to release")
            return Return(span, self.node(node.value, known))
        if isinstance(node, ast.If):
            test = self.node(node.test, known)
            then = self.block(node.body, known, ends, node)
            otherwise = self.block(node.orelse, known, ends, node) if node.orelse else ()
            if ends and not node.orelse:
                raise self.error(node, "a program ends with return", "add an else that returns")
            return If(span, test, then, otherwise)
        if isinstance(node, ast.For):
            if not isinstance(node.target, ast.Name) or node.orelse:
                raise self.error(node, "this loop has no rule", "write for i in range(k):")
            name = node.target.id
            body = self.block(node.body, known | {name}, False, node)
            if any(_has_return(part) for part in body):
                raise self.error(node, "return inside a loop has no rule", "return after the loop")
            return For(span, name, self.node(node.iter, known), body)
        if isinstance(node, ast.FunctionDef):
            if node.decorator_list:
                raise self.error(node, "a decorator here has no rule", "leave it out")
            parameters = self.parameters(node, node.args)
            body = self.block(node.body, known | set(parameters), True, node)
            return Let(span, (node.name,), False, Lambda(span, parameters, body))
        if isinstance(node, ast.Expr):
            raise self.unused(node.value)
        raise self.unsupported(node)

    def unused(self, value: ast.expr) -> ProgramError:
        """An expression by itself: it would do something else than compute, or nothing."""
        called = value.func if isinstance(value, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == "print":
            fix = "leave it out: print the release after run"
            return self.error(value, "print is not in the language", fix)
        if isinstance(called, ast.Attribute):
            fix = "give the result a new name; several values are returned as (x, y)"
            return self.error(value, "nothing is changed in place", fix)
        fix = "write return in front of it, name it: x = …, or leave it out"
        return self.error(value, "this value is not used", fix)

    def let(self, span: Span, target: ast.expr, value: ast.expr, known: frozenset[str]) -> Let:
        """An assignment to names only."""
        targets = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        names = [part.id for part in targets if isinstance(part, ast.Name)]
        if len(names) < len(targets):
            raise self.error(
                target,
                "nothing is changed in place",
                "assign to a new name: x = …, or a, b = …",
            )
        unpack = isinstance(target, (ast.Tuple, ast.List))
        return Let(span, tuple(names), unpack, self.node(value, known))

    def unsupported(self, node: ast.AST) -> ProgramError:
        """Of a construct without a rule."""
        kind = type(node).__name__
        if kind in ("ListComp", "GeneratorExp"):
            name = "a comprehension over data"
        else:
            name = CALLED.get(kind, kind)
        return self.error(
            node,
            f"{name} is not in the language",
            INSTEAD.get(kind, "see the constructs in the guide"),
        )

    # ---- expressions -------------------------------------------------------------------------

    def node(self, node: ast.expr, known: frozenset[str]) -> Node:
        """One expression."""
        span = self.span(node)
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.Name):
            return self.name(node, known)
        if isinstance(node, (ast.Tuple, ast.List)):
            return Group(span, tuple(self.node(item, known) for item in node.elts))
        if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
            operand = self.node(node.operand, known)
            if isinstance(node.op, ast.USub) and isinstance(operand, Number):
                return Number(span, -operand.value)
            return Unary(span, OPERATORS[type(node.op)], operand)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            left, right = self.node(node.left, known), self.node(node.right, known)
            return Binary(span, OPERATORS[type(node.op)], left, right)
        if isinstance(node, ast.BoolOp):
            parts = [self.node(value, known) for value in node.values]
            result = parts[0]
            for part in parts[1:]:
                result = Binary(span, OPERATORS[type(node.op)], result, part)
            return result
        if isinstance(node, ast.Compare):
            return self.comparison(node, known)
        if isinstance(node, ast.IfExp):
            parts = [self.node(part, known) for part in (node.test, node.body, node.orelse)]
            return Choice(span, parts[0], parts[1], parts[2])
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            return Index(span, self.node(node.value, known), self.node(node.slice, known))
        if isinstance(node, ast.Lambda):
            parameters = self.parameters(node, node.args)
            value = self.node(node.body, known | set(parameters))
            return Lambda(span, parameters, (Return(value.span, value),))
        if isinstance(node, ast.ListComp):
            return self.comprehension(node, known)
        if isinstance(node, ast.Call):
            return self.call(node, known)
        if isinstance(node, ast.Attribute) and (found := self.resolve(ast.unparse(node))):
            return self.primitive(node, found)
        raise self.unsupported(node)

    def constant(self, node: ast.Constant) -> Node:
        """A number by its digits, a flag or a text."""
        span, value = self.span(node), node.value
        if isinstance(value, (bool, str)):
            return Literal(span, value)
        if isinstance(value, int):
            return Number(span, Fraction(value))
        if isinstance(value, float) and value == value and abs(value) != float("inf"):
            return Number(span, Fraction(repr(value)))
        raise self.error(node, f"{value!r} has no rule", "write a number, True, False or a text")

    def name(self, node: ast.Name, known: frozenset[str]) -> Node:
        """A variable, or a construct that is passed on, such as Bernoulli."""
        if node.id in known:
            return Name(self.span(node), node.id)
        found = self.resolve(node.id)
        if found is None:
            near = difflib.get_close_matches(node.id, known, n=1)
            near = near or difflib.get_close_matches(node.id, [*SIGNATURES, *FAMILIES], n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise self.error(
                node,
                f"{node.id!r} is unknown here",
                "write len(data)"
                if node.id == "n"
                else f"{hint}a program sees its own names and those of discreet.language: pass the "
                "value as a parameter, declared in params={…}",
            )
        return self.primitive(node, found)

    def primitive(self, node: ast.expr, name: str) -> Node:
        """A construct as a value: pi, or a family of distributions."""
        return Call(self.span(node), name, ()) if name == "pi" else Word(self.span(node), name)

    def comparison(self, node: ast.Compare, known: frozenset[str]) -> Node:
        """a < b, or a chain a < b < c."""
        items = [self.node(item, known) for item in (node.left, *node.comparators)]
        result: Node | None = None
        for operator, left, right in zip(node.ops, items[:-1], items[1:], strict=True):
            if type(operator) not in OPERATORS:
                raise self.error(node, "in and is have no rule", "compare with ==, <, <=, > or >=")
            part = Binary(self.span(node), OPERATORS[type(operator)], left, right)
            result = part if result is None else Binary(self.span(node), "and", result, part)
        assert result is not None
        return result

    def comprehension(self, node: ast.ListComp, known: frozenset[str]) -> Node:
        """[f(i) for i in range(k)] and nothing else."""
        only = node.generators[0]
        source, target = only.iter, only.target
        if (
            len(node.generators) > 1
            or only.ifs
            or not isinstance(target, ast.Name)
            or not isinstance(source, ast.Call)
            or self.resolve(ast.unparse(source.func)) != "range"
        ):
            raise self.unsupported(node)
        name = target.id
        body = self.node(node.elt, known | {name})
        return Each(self.span(node), name, self.node(source, known), body)

    def call(self, node: ast.Call, known: frozenset[str]) -> Node:
        """A construct, a function of the program, or something unknown."""
        span = self.span(node)
        arguments = tuple(self.node(argument, known) for argument in node.args)
        keywords = []
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error(node, "** has no rule", "name every argument")
            keywords.append((keyword.arg, self.node(keyword.value, known)))
        if isinstance(node.func, ast.Name) and node.func.id in known:
            if keywords:
                raise self.error(node, "keywords have no rule here", "give arguments by position")
            return Apply(span, Name(self.span(node.func), node.func.id), arguments)
        if isinstance(node.func, ast.Lambda):
            return Apply(span, self.node(node.func, known), arguments)
        text = ast.unparse(node.func)
        if isinstance(node.func, (ast.Name, ast.Attribute)):
            if (name := self.resolve(text)) is not None:
                return self.bound(node, name, arguments, dict(keywords))
            return Unknown(span, text, arguments + tuple(value for _, value in keywords))
        raise self.unsupported(node)

    def bound(
        self, node: ast.Call, name: str, arguments: tuple[Node, ...], keywords: dict[str, Node]
    ) -> Call:
        """A construct with its arguments in the order of its signature."""
        signature = Signature(FAMILIES[name]) if name in FAMILIES else SIGNATURES[name]
        usage = f"write {name}({', '.join(signature.required)})"
        if name == "Dirichlet":
            usage = "write its parameters as one list: Dirichlet((1, 1, 1))"
        for given in keywords:
            if given not in signature.names:
                raise self.error(node, f"{name} has no argument {given}", usage)
        placed = list(arguments)
        for parameter in signature.names[len(arguments) :]:
            if parameter in keywords:
                placed.append(keywords.pop(parameter))
            elif parameter in signature.required:
                raise self.error(node, f"{name} needs {parameter}", usage)
            else:
                placed.append(Missing(self.span(node)))
        if keywords or (len(placed) > len(signature.names) and not signature.variadic):
            raise self.error(node, f"{name} takes {', '.join(signature.names)} only", usage)
        return Call(self.span(node), name, tuple(placed))


def _docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _returns(statement: Statement) -> bool:
    if isinstance(statement, If):
        ends = [bool(part) and _returns(part[-1]) for part in (statement.then, statement.otherwise)]
        return all(ends)
    return isinstance(statement, Return)


def _has_return(statement: Statement) -> bool:
    if isinstance(statement, If):
        return any(_has_return(part) for part in (*statement.then, *statement.otherwise))
    return isinstance(statement, Return)


def _assigned(statement: Statement) -> frozenset[str]:
    """Names that have a value afterwards."""
    if isinstance(statement, Let):
        return frozenset(statement.names)
    if isinstance(statement, For):
        return frozenset().union(*map(_assigned, statement.body))
    if isinstance(statement, If):
        parts = [
            frozenset[str]().union(*map(_assigned, part))
            for part in (statement.then, statement.otherwise)
        ]
        return parts[0] | parts[1]
    return frozenset()


def parse_program(
    text: str, name: str, resolve: Callable[[str], str | None], first_line: int = 1, indent: int = 0
) -> tuple[tuple[str, ...], tuple[Statement, ...]]:
    """The parameters and the body of the function of that name."""
    parser = Parser(text, resolve, first_line, indent)
    try:
        tree = ast.parse(text)
        found = [node for node in ast.walk(tree) if getattr(node, "name", None) == name]
        if not found or not isinstance(found[0], ast.FunctionDef):
            raise parser.unsupported(found[0] if found else tree)
        return parser.program(found[0])
    except ProgramError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        whole = ast.Pass(lineno=1, col_offset=0)
        raise parser.error(
            whole, "the source cannot be parsed", "write it flat: name parts"
        ) from None
