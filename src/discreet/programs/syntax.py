"""The intermediate representation: what is checked, run, replayed and audited is this one tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True)
class Span:
    """A place in the source: lines from 1, columns from 0, the end excluded."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Number:
    """A number as it is written: 0.1 is 1/10."""

    span: Span
    value: Fraction


@dataclass(frozen=True)
class Literal:
    """True, False, or a text."""

    span: Span
    value: bool | str


@dataclass(frozen=True)
class Name:
    """A variable."""

    span: Span
    name: str


@dataclass(frozen=True)
class Word:
    """A construct of the language as a value: a family of distributions."""

    span: Span
    name: str


@dataclass(frozen=True)
class Group:
    """A tuple or a list of expressions."""

    span: Span
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Unary:
    """-x or not x."""

    span: Span
    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary:
    """x + y, x < y, x and y, ..."""

    span: Span
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Choice:
    """A value if a test holds, else another."""

    span: Span
    test: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True)
class Index:
    """x[i]."""

    span: Span
    value: Node
    place: Node


@dataclass(frozen=True)
class Call:
    """A construct of the language by its name."""

    span: Span
    name: str
    arguments: tuple[Node, ...]  # in the order of its signature


@dataclass(frozen=True)
class Missing:
    """An argument that was left out."""

    span: Span


@dataclass(frozen=True)
class Apply:
    """A function of the program itself."""

    span: Span
    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Unknown:
    """A call of something that has no rule."""

    span: Span
    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Lambda:
    """A function within the program."""

    span: Span
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Each:
    """[body for name in range(…)]: a public list."""

    span: Span
    name: str
    source: Node
    body: Node


@dataclass(frozen=True)
class Let:
    """name = value, or a, b = value."""

    span: Span
    names: tuple[str, ...]
    unpack: bool
    value: Node


@dataclass(frozen=True)
class For:
    """For name in source."""

    span: Span
    name: str
    source: Node
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class If:
    """Two ways to go on."""

    span: Span
    test: Node
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Return:
    """What is released."""

    span: Span
    value: Node


Node: TypeAlias = (
    Number
    | Literal
    | Name
    | Word
    | Group
    | Unary
    | Binary
    | Choice
    | Index
    | Call
    | Missing
    | Apply
    | Unknown
    | Lambda
    | Each
)
Statement: TypeAlias = Let | For | If | Return


def words(node: object) -> frozenset[str]:
    """The constructs that a part of the tree calls."""
    own = frozenset({node.name}) if isinstance(node, Call) else frozenset[str]()
    return own.union(*(words(part) for part in parts(node)))


def parts(node: object) -> Iterator[object]:
    """What a node of the tree is made of."""
    if isinstance(node, tuple):
        yield from node
    elif hasattr(node, "__dataclass_fields__"):
        yield from (getattr(node, name) for name in node.__dataclass_fields__)
