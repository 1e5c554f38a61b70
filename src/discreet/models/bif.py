"""The Bayesian interchange format (BIF), read and written."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np

from discreet import check
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
    name = Path(path)
    try:
        text = name.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"path {str(name)!r} is not a text in UTF-8", "path") from None
    except OSError as error:
        raise InputError(f"path {str(name)!r} cannot be read: {error.strerror}", "path") from None
    return parse(text, str(name))


def parse(text: str, name: str = "text") -> Parsed:
    """What the text of a BIF file says."""
    return _Parser(text, name).network()


class _Parser:
    """One pass over the words of a file."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.tokens = list(_tokens(text))
        self.place = 0
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
                # a file of another kind may hold records: it is not quoted
                got = f", got {word!r}" if self.place > 1 else ""
                raise self.error(f"expected network, variable or probability{got}")
        for node in self.states:
            if node not in self.tables:
                raise self.error(f"variable {node!r} has no probability")
        if not self.states:
            raise self.error("there is no variable")
        return {node: self.parents[node] for node in self.states}, self.states, self.tables

    def variable(self) -> None:
        """`variable X { type discrete [ 2 ] { yes, no }; }`."""
        node = self.word()
        if node in self.states:
            raise self.error(f"variable {node!r} is declared twice")
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
                    raise self.error(f"{node!r} has {len(states)} states, declared are {number}")
                self.states[node] = tuple(states)
            else:
                raise self.error(f"expected type, property or }}, got {word!r}")
        if node not in self.states:
            raise self.error(f"variable {node!r} has no type")

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
        table = np.full(shape, np.nan)
        self.expect("{")
        while (word := self.next().text) != "}":
            if word == "property":
                self.skip_to(";")
            elif word == "table":
                numbers = self.numbers(table.size)
                # the node varies slowest, the last parent fastest
                table[...] = np.moveaxis(np.reshape(numbers, (shape[-1], *shape[:-1])), 0, -1)
            elif word == "default":
                numbers = self.numbers(shape[-1])
                table[np.isnan(table).any(axis=-1)] = numbers
            elif word == "(":
                cell = self.configuration(above)
                table[cell] = self.numbers(shape[-1])
            else:
                raise self.error(f"expected a row of the table of {node!r}, got {word!r}")
        if np.isnan(table).any():
            raise self.error(f"the table of {node!r} has no row for some configuration")
        rows = table.reshape(-1, shape[-1])
        if (rows < 0).any() or (abs(rows.sum(axis=1) - 1) > 0.01).any():
            raise self.error(f"a row of the table of {node!r} does not sum to 1")
        self.parents[node], self.tables[node] = tuple(above), rows

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
            raise self.error("expected numbers separated by commas") from None
        if len(found) != count:
            raise self.error(f"expected {check.number_of(count, 'number')}, got {len(found)}")
        return found

    def known(self, node: str) -> str:
        """A declared variable."""
        if node not in self.states:
            raise self.error(f"{node!r} is no declared variable")
        return node

    def listed(self, end: str) -> list[str]:
        """Words separated by commas, up to an end."""
        found = [self.word()]
        while (sign := self.next().text) != end:
            if sign != ",":
                raise self.error(f"expected , or {end}, got {sign!r}")
            found.append(self.word())
        return found

    def word(self) -> str:
        """A name or a number."""
        text = self.next().text
        if text in "{}()[],;|":
            raise self.error(f"expected a name, got {text!r}")
        return text[1:-1] if text.startswith('"') else text

    def expect(self, text: str) -> None:
        """The word that has to follow."""
        found = self.next().text
        if found != text:
            raise self.error(f"expected {text}, got {found!r}")

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
