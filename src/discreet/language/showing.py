"""Derivations and diagnostics for people: in text, and coloured in a terminal."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.core.files import write_file
from discreet.programs.reports import Report

if TYPE_CHECKING:
    from rich.text import Text

COLOURS = {"PROVED": "green", "REFUTED": "red", "UNKNOWN": "yellow"}
KEY = "public: the same for neighbouring data; moved by d: one record moves it by d at most."
_TAB, _WIDEST = 4, 96  # columns of a tab, and of a conclusion
_GUTTER = "bright_blue"


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a program is private, or why it is not: print it, or show it in a notebook."""

    report: Report

    def __rich__(self) -> Text:
        return _derive(self.report) if self.report.proved else diagnose(self.report)

    def __str__(self) -> str:
        return self.__rich__().plain

    __repr__ = __str__

    def html(self) -> str:
        """A page that needs nothing else."""
        from discreet.language import pages

        return pages.page(self.report)

    def _repr_html_(self) -> str:
        from discreet.language import pages

        return pages.fragment(self.report)

    def save(self, path: object, overwrite: bool = False) -> None:
        """Write the page to a file.

        Args:
            path: such as "explained.html"; a file that exists is refused.
            overwrite: replace it instead.
        """
        write_file(path, self.html(), overwrite)


# ---- what there is to say ------------------------------------------------------------------------


@dataclass(frozen=True)
class Excerpt:
    """A line of the source and the part that is meant; `more` if that goes on below."""

    number: int
    before: str
    meant: str
    after: str
    more: bool


def excerpt(report: Report) -> Excerpt | None:
    """Where the finding is, if there is one."""
    found, source = report.diagnostic, report.program.source
    lines = source.text.split("\n")
    if found is None or not 0 <= found.span.line - source.first_line < len(lines):
        return None
    span, line = found.span, lines[found.span.line - source.first_line]
    more = span.end_line > span.line
    start = span.column - source.indent
    end = len(line) if more else span.end_column - source.indent
    return Excerpt(span.line, line[:start], line[start:end], line[end:], more)


def place(report: Report) -> str:
    """file:line:column, the file as seen from here."""
    source, found = report.program.source, excerpt(report)
    path = Path(source.file)
    here = Path.cwd()
    file = path.relative_to(here) if path.is_relative_to(here) else path
    if found is None:
        return f"{file}:{source.first_line + _decorators(source.text)}:{source.indent + 1}"
    return f"{file}:{found.number}:{source.indent + len(found.before) + 1}"


def remarks(report: Report) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is said of a finding below the source: labels and lines."""
    found = report.diagnostic
    assert found is not None
    witness = "" if report.witness is None else str(report.witness)
    said = {
        "why": (found.reason,),
        "spent": found.costs,
        "declared": (found.declared or str(report.program.budget),),
        "for example": (found.example,),
        "witness": (witness,),
        "fix": (found.fix,),
    }
    return ((label, lines) for label, lines in said.items() if any(lines))


@dataclass(frozen=True)
class Row:
    """A line of the source, and below it what is concluded there and spent so far."""

    number: int
    source: str
    conclusions: tuple[tuple[str, str], ...]


def rows(report: Report) -> Iterator[Row]:
    """The derivation; the decorator is left out."""
    proof, source = report.proof, report.program.source
    assert proof is not None
    found: dict[int, dict[str, str]] = {}
    for cost in proof.costs:
        found.setdefault(cost.span.end_line, {})[f"costs {cost.own}: {cost.text}"] = ""
    for step in proof.steps:
        found.setdefault(step.span.end_line, {}).setdefault(step.conclusion, step.total)
    lines = source.text.rstrip("\n").split("\n")
    start = _decorators(source.text)
    for number, line in enumerate(lines[start:], source.first_line + start):
        yield Row(number, line.expandtabs(_TAB), tuple(found.get(number, {}).items()))


def _decorators(text: str) -> int:
    """How many lines stand before the function."""
    function = ast.parse(text).body[0]
    assert isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
    return function.lineno - 1


def conclusion(report: Report) -> str:
    """The last sentence of a derivation."""
    proof, budget = report.proof, report.program.budget
    assert proof is not None
    paths = f" on {proof.paths} paths" if proof.paths > 1 else ""
    return f"in all {proof.total}{paths}, within the declared {budget}"


def covered(report: Report) -> str:
    """The changes of the data for which it is proved."""
    assert report.proof is not None
    changes = [str(scenario) for scenario in report.proof.scenarios]
    if len(changes) > 3:
        changes[2:] = [f"{len(changes) - 2} more changes of one record"]
    return f"for all data and their neighbours, where {', or '.join(changes)}"


# ---- in text -------------------------------------------------------------------------------------


def diagnose(report: Report) -> Text:
    """One line for a program that is proved; else what is wrong, where, why, and what to write."""
    from rich.cells import cell_len

    colour = COLOURS[report.verdict]
    text = _head(report)
    if report.diagnostic is None:
        adjacency = report.program.adjacency.value
        text.append(f"{report.program.budget}, {adjacency}, {report.seconds:.3f} s", colour)
        return text
    text.append(report.diagnostic.message, "bold")
    found = excerpt(report)
    margin = " " * len(str(found.number if found else 0))
    text.append(f"\n{margin}--> ", _GUTTER).append(place(report))
    if found is not None:
        line = (found.before + found.meant + found.after).expandtabs(_TAB)
        left = found.before.expandtabs(_TAB)
        width = cell_len((found.before + found.meant).expandtabs(_TAB)) - cell_len(left)
        text.append(f"\n{margin} |\n{found.number} | ", _GUTTER).append(line)
        text.append(f"\n{margin} | ", _GUTTER).append(" " * cell_len(left))
        text.append("^" * max(width, 1) + (" …" if found.more else ""), f"bold {colour}")
    text.append(f"\n{margin} |", _GUTTER)
    for label, lines in remarks(report):
        style = "green" if label == "fix" else ""
        text.append(f"\n{margin} = ", _GUTTER).append(f"{label + ':':<12} ", f"bold {style}")
        text.append(f"\n{margin}{' ' * 16}".join(lines), style)
    return text


def _derive(report: Report) -> Text:
    lines = list(rows(report))
    margin = " " * len(str(lines[-1].number))
    below = [
        [(_wrapped(line, what), so_far) for what, so_far in line.conclusions] for line in lines
    ]
    right = 3 + max(
        (len(part) for found in below for parts, _ in found for part in parts), default=0
    )
    text = _head(report).append(conclusion(report))
    text.append(f"\n{margin}--> ", _GUTTER).append(place(report))
    text.append(f"\n{margin} | {' ' * right}spent so far", _GUTTER)
    for line, found in zip(lines, below, strict=True):
        text.append(f"\n{line.number:>{len(margin)}} | ", _GUTTER).append(line.source)
        for parts, so_far in found:
            for part in parts:
                text.append(f"\n{margin} | ", _GUTTER).append(part, "green")
            text.append(" " * (right - len(parts[-1])) + so_far, "bold")
            text.rstrip()
    text.append(f"\n{margin} |", _GUTTER)
    for remark in (covered(report), KEY):
        text.append(f"\n{margin} = ", _GUTTER).append(remark)
    return text


def _wrapped(line: Row, what: str) -> list[str]:
    """A conclusion beneath its line, in two lines at most."""
    indent = " " * (len(line.source) - len(line.source.lstrip()))
    return textwrap.wrap(
        what,
        _WIDEST,
        initial_indent=f"{indent}└ ",
        subsequent_indent=f"{indent}  ",
        max_lines=2,
        placeholder=" …",
    )


def _head(report: Report) -> Text:
    from rich.text import Text

    text = Text().append(report.verdict, f"bold {COLOURS[report.verdict]}")
    return text.append(f" {report.program.name}", "bold").append(": ")
