"""Code on a page: it is run as a notebook does it, and prints what its comments and outputs say."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
from typing import Any

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*(?:e-?\d+)?")


def run_python(text: str, where: str, names: dict[str, Any]) -> tuple[str, int]:
    """What a block prints, and how many comments said it: a guarantee, a number, an example.

    A comment stands after a statement that prints, or on the line below it.
    """
    lines, everything, held = [*text.splitlines(), ""], "", 0
    linecache.cache[where] = (len(text), None, text.splitlines(keepends=True), where)
    for statement in ast.parse(text).body:
        last = statement.end_lineno or 0
        code = compile(ast.Module([statement], []), where, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, names)
        everything += out.getvalue()
        comment = re.search(r"  # (.*)$", lines[last - 1]) or re.match(r"# (.*)$", lines[last])
        if comment and out.getvalue() and (said := _said(comment[1], out.getvalue())) is not None:
            assert said, f"{where}: {comment[1]}, printed {out.getvalue()}"
            held += 1
    return everything, held


def _said(comment: str, printed: str) -> bool | None:
    """Whether a comment is right about an output; None if it says something else.

    "for example" stands before numbers that have noise in them, … for anything.
    """
    if example := re.search(r"for example (.*)$", comment):
        return masked(example[1]) == masked(printed)
    said = re.match(r"(?:ε =|…).*….*|… .*|ε = [^:]*|\d[\d./]*(?=:|$)", comment)
    if not said:
        return None
    parts = [re.escape(part.strip()) for part in said[0].split("…")]
    return re.match(r".*".join(parts), printed, re.DOTALL) is not None


def masked(text: str) -> str:
    """All numbers and all spaces alike."""
    return re.sub(r"\s+", " ", _NUMBER.sub("#", text)).replace("[ ", "[").strip()


def shows(output: str, printed: str) -> bool:
    """Whether an output is what was printed, but for its numbers; … stands for lines left out."""
    parts = [re.escape(masked(part)) for part in output.split("…\n")]
    return re.search(r".*".join(parts), masked(printed)) is not None
