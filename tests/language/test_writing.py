"""How programs are written: where the source comes from, what is in the language, what is not."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
import discreet.language as dl
from discreet.language import (
    Bool,
    Enum,
    List,
    Pos,
    PrivateProgram,
    Real,
    Tuple,
    laplace,
    private,
    sample,
)
from discreet.language import laplace as noise

HEAD = """from discreet.language import *

@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def program(data, eps):
"""


def written(body: str, head: str = HEAD) -> PrivateProgram:
    """A program as a notebook cell would have it: text that Python knows under a file's name."""
    text = head + "".join(f"    {line}\n" for line in body.splitlines())
    name = f"<cell {abs(hash(text))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "cell"}
    exec(compile(text, name, "exec"), names)
    found = names["program"]
    assert isinstance(found, PrivateProgram)
    return found


def fault(body: str) -> dict[str, Any]:
    report = written(body).check()
    assert not report.proved
    assert report.diagnostic is not None
    return report.diagnostic.document()


def test_a_program_in_a_test() -> None:
    @private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
    def inner(data: list[bool], eps: float) -> float:
        return sample(laplace(eps, sum(data)))

    report = inner.check()
    assert report.proved
    assert report.proof is not None
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    step = report.proof.costs[0].span
    assert lines[step.line - 1][step.column : step.end_column] == "sample(laplace(eps, sum(data)))"


def test_a_program_in_a_notebook_cell() -> None:
    assert written("return sample(laplace(eps, sum(data)))").check().proved


def test_words_are_found_by_what_they_are_not_by_their_name() -> None:
    @private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
    def renamed(data: list[bool], eps: float) -> float:
        return dl.sample(noise(eps, sum(data)))

    assert renamed.check().proved

    def laplace(eps: float, x: float) -> float:
        return x

    @private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
    def shadowed(data: list[bool], eps: float) -> float:
        return laplace(eps, sum(data))

    report = shadowed.check()
    assert not report.proved
    assert "laplace is an unknown function" in str(report)


def test_source_that_is_not_there() -> None:
    names: dict[str, Any] = {}
    with pytest.raises(dp.InputError, match="source of program is not available"):
        exec(HEAD + "    return sample(laplace(eps, sum(data)))\n", names)
    with pytest.raises(dp.InputError, match="a lambda has no source"):
        private(data=List[Bool], adjacent="substitute", budget="1")(lambda data: 1)
    with pytest.raises(dp.InputError, match="a program is a function"):
        private(data=List[Bool], adjacent="substitute", budget="1")(sum)


def test_a_program_is_not_called() -> None:
    with pytest.raises(dp.InputError, match=r"program\.run\(data"):
        written("return sample(laplace(eps, sum(data)))")([True], eps=1)
    with pytest.raises(dp.DiscreetError, match="a word of the language"):
        sample(noise(1, 2))


UNSUPPORTED = [
    ("x = [r for r in data]\nreturn sample(laplace(eps, sum(x)))", "comprehension", "map(f, data)"),
    ("x = sum(r for r in data)\nreturn x", "comprehension", "map(f, data)"),
    ("try:\n    x = 1\nexcept ValueError:\n    x = 2\nreturn x", "try", "no exceptions"),
    ("global z\nreturn 1", "global", "parameter"),
    ("x = 0\nx += 1\nreturn x", "in place", "x = total + x|total = total"),
    ("x = [1, 2]\nx[0] = 3\nreturn 1", "in place", "new name"),
    ("while True:\n    x = 1\nreturn 1", "while", "range"),
    ("x = data.count(True)\nreturn x", "unknown function", "discreet.language"),
    ("import math\nreturn 1", "import", "top of the file"),
    ("f = lambda r, k=1: r\nreturn 1", "default", "where the program is run"),
    ("for r in data:\n    x = r\nreturn 1", "loop over private records", "fold"),
    ("sample(laplace(eps, sum(data)))\nreturn 1", "not used", "name it"),
    ("x = sample(laplace(eps, sum(data)))", "ends with return", "return"),
    ("return sample(laplace(eps, other))", "unknown here", "parameter"),
    ("x = f'{eps}'\nreturn x", "f-string", "numbers"),
    ("return sample(laplace(eps, data[0]))", "single private record", "map"),
    ("return sample(laplace(eps))", "laplace needs x", "laplace(eps, x)"),
    ("return laplace(eps, sum(data))", "not a draw", "sample"),
    ("return sample(sum(data))", "sample needs a mechanism", "laplace"),
    ("return sample(laplace(0 * eps, sum(data)))", "must be positive", "Pos"),
    ("return sample(laplace(eps, sum(data) / (eps - 1)))", "may be 0", "params"),
    ("return sample(laplace(eps, clip(sum(data), 1, 0)))", "lower bound", "exchange"),
    (
        "for _ in range(100000):\n    x = sample(laplace(eps, sum(data)))\nreturn x",
        "spends",
        "noise",
    ),
]


@pytest.mark.parametrize(("body", "message", "fix"), UNSUPPORTED)
def test_what_has_no_rule_is_named_with_what_to_write_instead(
    body: str, message: str, fix: str
) -> None:
    found = fault(body)
    assert found["line"] > HEAD.count("\n")
    assert message in found["message"]
    assert any(part in found["fix"] for part in fix.split("|"))


BUDGETS = [
    ("-1", "must not be negative"),
    ("eps +", "is not an expression"),
    ("2*epsilon", "unknown parameter 'epsilon'; declared are eps, n"),
    ("nan", "unknown parameter"),
    ("1/0", "divides by 0"),
    ("__import__('os')", "calls __import__|not a number"),
    (("eps", "eps", "eps"), "budget must be"),
    (None, "budget"),
    (float("inf"), "budget"),
    (-2, "must not be negative"),
    ("-eps", "must not be negative, and -eps is at eps = "),
    ("eps - 1", "must not be negative"),
    (("eps", 1), "delta below 1"),
    (("eps", 2), "delta below 1"),
    ("eps**eps", "operator"),
    ("x" * 2000, "too long"),
]


@pytest.mark.parametrize(("budget", "message"), BUDGETS)
def test_budgets_in_writing(budget: Any, message: str) -> None:
    with pytest.raises(dp.InputError) as caught:

        @private(data=List[Bool], adjacent="substitute", budget=budget, params={"eps": Pos})
        def program(data: list[bool], eps: float) -> float:
            return sample(laplace(eps, sum(data)))

    assert any(part in str(caught.value) for part in message.split("|"))


DECLARATIONS: list[tuple[dict[str, Any], str]] = [
    ({"data": bool}, r"data must be such as List\[Bool\]"),
    ({"adjacent": "replace"}, "adjacent must be"),
    ({"params": {"eps": float}}, "params"),
    ({"params": {}}, "params must declare eps"),
    ({"params": {"eps": Pos, "more": Pos}}, "params has more, which is no argument"),
    ({"params": {"eps": Pos, "n": Pos}}, "must not have n"),
    ({"n": 0}, "n must"),
    ({"n": 3, "adjacent": "add-remove"}, "private"),
]


@pytest.mark.parametrize(("changed", "message"), DECLARATIONS)
def test_declarations(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "data": List[Bool],
        "adjacent": "substitute",
        "budget": "1",
        "params": {"eps": Pos},
    } | changed
    with pytest.raises(dp.InputError, match=message):

        @private(**given)
        def program(data: list[bool], eps: float) -> float:
            return sample(laplace(eps, sum(data)))


def test_kinds_of_records() -> None:
    with pytest.raises(dp.InputError, match="a record must be"):
        List[int]
    assert str(List[Tuple[Bool, Enum("a", "b")]]) == "List[Tuple[Bool, Enum('a', 'b')]]"
    assert str(List[Real]) == "List[Real]"


def test_folds_by_induction() -> None:
    head = HEAD.replace("List[Bool]", "List[Real]")
    noise = "return sample(laplace(eps, x, grid=1 / 8))"
    good = f"x = fold(lambda s, r: s + clip(r, 0, 1), 0, data)\n{noise}"
    assert written(good, head).check().proved
    for step, said in (("2 * s", "not multiplied"), ("s + s", "further apart")):
        bad = f"x = fold(lambda s, r: {step} + clip(r, 0, 1), 0, data)\n{noise}"
        report = written(bad, head).check()
        assert not report.proved
        assert said in str(report)


def test_no_other_decorator_stands_between() -> None:
    def kept(function: Callable[..., Any]) -> Callable[..., Any]:
        return functools.wraps(function)(lambda *arguments: function(*arguments))

    with pytest.raises(dp.InputError, match="directly above def"):

        @private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
        @kept
        def hidden(data: list[bool], eps: float) -> float:
            return sample(laplace(eps, sum(data)))


def test_a_name_of_the_function_around_that_has_no_value_yet() -> None:
    @private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
    def early(data: list[bool], eps: float) -> float:
        return sample(laplace(eps, later))

    later = 3.0
    report = early.check()
    assert "'later' is unknown here" in str(report)
    assert later


def test_the_data_come_first() -> None:
    with pytest.raises(dp.InputError, match="the first argument of program is the data"):

        @private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
        def program(eps: float, data: list[bool]) -> float:
            return sample(laplace(eps, sum(data)))
