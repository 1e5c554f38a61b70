"""The Bayesian interchange format (BIF), read and written."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TypeAlias

import numpy as np

from discreet import check
from discreet.core.files import read_file
from discreet.errors import InputError
from discreet.exact import Floats

Parsed: TypeAlias = tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], dict[str, Floats]]

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|[{}()\[\],;|]|[^\s{}()\[\],;|"]+', re.DOTALL)


@dataclass(frozen=True)
class Token:
    """A word or a sign, and the line it stands in."""

    text: str
    line: int


def read(path: str | PathLike[str]) -> Parsed:
    """Parents, states and conditional probabilities by node."""
    return parse(read_file(path).removeprefix("\ufeff"), str(path))


def parse(text: str, name: str = "text") -> Parsed:
    """What the text of a BIF file says."""
    return _Parser(text, name).network()


class _Parser:
    """One pass over the words of a file."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.tokens = list(_tokens(text))
        self.place = 0
        self.begun = False  # whether a variable has been read
        self.states: dict[str, tuple[str, ...]] = {}
        self.parents: dict[str, tuple[str, ...]] = {}
        self.tables: dict[str, Floats] = {}

    def network(self) -> Parsed:
        """The whole file."""
        while self.place < len(self.tokens):
            word = self.next().text
            if word == "network":
                self.skip_block()
            elif word == "variable":
                self.variable()
            elif word == "probability":
                self.probability()
            else:
                raise self.error(f"expected network, variable or probability{self.got(word)}")
        for node in self.states:
            if node not in self.tables:
                raise self.error(f"variable {self.said(node)} has no probability")
        if not self.states:
            raise self.error("there is no variable")
        return {node: self.parents[node] for node in self.states}, self.states, self.tables

    def variable(self) -> None:
        """`variable X { type discrete [ 2 ] { yes, no }; }`."""
        node = self.word()
        if node in self.states:
            raise self.error(f"variable {self.said(node)} is declared twice")
        self.expect("{")
        while (word := self.next().text) != "}":
            if word == "property":
                self.skip_to(";")
            elif word == "type":
                self.expect("discrete")
                self.expect("[")
                number = self.word()
                self.expect("]")
                self.expect("{")
                states = self.listed("}")
                self.expect(";")
                if number != str(len(states)):
                    raise self.error(
                        f"{self.said(node)} has {check.number_of(len(states), 'state')}, declared "
                        f"are {self.said(number)}"
                    )
                for place, state in enumerate(states):
                    if state in states[:place]:
                        raise self.error(f"{self.said(node)} has state {self.said(state)} twice")
                self.states[node] = tuple(states)
            else:
                raise self.error(f"expected type, property or }}{self.got(word)}")
        if node not in self.states:
            raise self.error(f"variable {self.said(node)} has no type")
        self.begun = True

    def probability(self) -> None:
        """`probability ( X | A, B ) { (a, b) 0.1, 0.9; … }`."""
        self.expect("(")
        node = self.known(self.word())
        above: list[str] = []
        if self.peek() == "|":
            self.next()
            above = [self.known(name) for name in self.listed(")")]
        else:
            self.expect(")")
        if node in self.tables:
            raise self.error(f"the probability of {node!r} is given twice")
        shape = [len(self.states[name]) for name in (*above, node)]
        table, default = np.full(shape, np.nan), None
        whole = f"the table of {self.said(node)}"
        self.expect("{")
        while (word := self.next().text) != "}":
            if word == "property":
                self.skip_to(";")
            elif word == "table":
                if not np.isnan(table).all():
                    raise self.error(f"{whole} is given twice")
                numbers = self.numbers(table.size)
                # the node varies slowest, the last parent fastest
                table[...] = np.moveaxis(np.reshape(numbers, (shape[-1], *shape[:-1])), 0, -1)
                for cell in np.ndindex(*shape[:-1]):
                    row = f"row {self.named(above, cell)} of {whole}" if above else whole
                    self.require_row(table[cell].tolist(), row)
            elif word == "default":
                if default is not None:
                    raise self.error(f"{whole} has two default rows")
                default = self.numbers(shape[-1])
                self.require_row(default, f"the default row of {whole}")
            elif word == "(":
                cell = self.configuration(above)
                row = f"row {self.named(above, cell)} of {whole}"
                if not np.isnan(table[cell]).any():
                    raise self.error(f"{row} is given twice")
                table[cell] = self.numbers(shape[-1])
                self.require_row(table[cell].tolist(), row)
            else:
                raise self.error(f"expected a row of {whole}{self.got(word)}")
        missing = np.isnan(table).any(axis=-1)
        if default is not None:
            table[missing] = default
        elif missing.any():
            cell = tuple(np.argwhere(missing)[0].tolist())
            raise self.error(f"{whole} has no row{f' {self.named(above, cell)}' if above else ''}")
        self.parents[node], self.tables[node] = tuple(above), table.reshape(-1, shape[-1])

    def named(self, above: Sequence[str], cell: Sequence[int]) -> str:
        """A configuration as the file writes it."""
        states = (self.states[name][place] for name, place in zip(above, cell, strict=True))
        return f"({', '.join(states)})"

    def require_row(self, numbers: Sequence[float], row: str) -> None:
        """Refuse what is no distribution."""
        if min(numbers) < 0:
            raise self.error(f"{row} has a negative number")
        if abs(sum(numbers) - 1) > 0.01:
            raise self.error(f"{row} does not sum to 1 but to {sum(numbers):.6g}")

    def configuration(self, above: Sequence[str]) -> tuple[int, ...]:
        """The states of the parents, up to the closing parenthesis."""
        found = self.listed(")")
        if len(found) != len(above):
            raise self.error(f"expected states of {len(above)} parents, got {len(found)}")
        for name, state in zip(above, found, strict=True):
            if state not in self.states[name]:
                raise self.error(f"{state!r} is no state of {name!r}")
        return tuple(self.states[n].index(s) for n, s in zip(above, found, strict=True))

    def numbers(self, count: int) -> list[float]:
        """Numbers separated by commas, up to a semicolon."""
        words = self.listed(";")
        try:
            found = [float(word) for word in words]
        except ValueError:
            found = [math.nan]
        if not all(map(math.isfinite, found)):
            raise self.error("expected numbers separated by commas")
        if len(found) != count:
            raise self.error(f"expected {check.number_of(count, 'number')}, got {len(found)}")
        return found

    def known(self, node: str) -> str:
        """A declared variable."""
        if node not in self.states:
            raise self.error(f"{self.said(node)} is no declared variable")
        return node

    def listed(self, end: str) -> list[str]:
        """Words separated by commas, up to an end."""
        found = [self.word()]
        while (sign := self.next().text) != end:
            if sign != ",":
                raise self.error(f"expected , or {end}{self.got(sign)}")
            found.append(self.word())
        return found

    def word(self) -> str:
        """A name or a number."""
        text = self.next().text
        if text in "{}()[],;|":
            raise self.error(f"expected a name{self.got(text)}")
        return text[1:-1] if text.startswith('"') else text

    def expect(self, text: str) -> None:
        """The word that has to follow."""
        found = self.next().text
        if found != text:
            raise self.error(f"expected {text}{self.got(found)}")

    def skip_block(self) -> None:
        """A name and what stands between braces."""
        while self.next().text != "{":
            pass
        self.skip_to("}")

    def skip_to(self, end: str) -> None:
        """All up to a sign."""
        while self.next().text != end:
            pass

    def peek(self) -> str:
        """The next word, without taking it."""
        return self.tokens[self.place].text if self.place < len(self.tokens) else ""

    def next(self) -> Token:
        """The next word."""
        if self.place >= len(self.tokens):
            raise self.error("the file ends too early")
        self.place += 1
        return self.tokens[self.place - 1]

    def said(self, word: str) -> str:
        """A word of the file: not before one variable is read, or the file may hold records."""
        return check.shorten(repr(word)) if self.begun else "…"

    def got(self, word: str) -> str:
        """What stands in place of the expected."""
        return f", got {self.said(word)}" if self.begun else ""

    def error(self, reason: str) -> InputError:
        """What is wrong, and in which line."""
        line = self.tokens[self.place - 1].line if self.tokens else 1
        return InputError(f"path {self.name!r}, line {line}: {reason}", "path")


def _tokens(text: str) -> Iterator[Token]:
    line, end = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", end, match.start())
        end = match.start()
        if not match[0].startswith(("//", "/*")):
            yield Token(match[0], line)


def write(
    parents: Mapping[str, Sequence[str]],
    states: Mapping[str, Sequence[object]],
    tables: Mapping[str, Floats],
) -> str:
    """The text of a BIF file."""
    lines = ["network unknown {", "}"]
    for node, labels in states.items():
        listed = ", ".join(_quoted(label) for label in labels)
        lines += [
            f"variable {_quoted(node)} {{",
            f"  type discrete [ {len(labels)} ] {{ {listed} }};",
            "}",
        ]
    for node, above in parents.items():
        rows = np.reshape(tables[node], (-1, len(states[node]))).tolist()
        given = "" if not above else " | " + ", ".join(map(_quoted, above))
        lines.append(f"probability ( {_quoted(node)}{given} ) {{")
        for labels, row in zip(itertools.product(*(states[a] for a in above)), rows, strict=True):
            numbers = ", ".join(map(repr, row))
            head = f"({', '.join(map(_quoted, labels))})" if above else "table"
            lines.append(f"  {head} {numbers};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _quoted(name: object) -> str:
    text = str(name)
    if '"' in text or "\n" in text:
        raise InputError(f"name {check.brief(text)} cannot be written to a BIF file", "path")
    return text if re.fullmatch(r"[\w.+-]+", text) else f'"{text}"'
