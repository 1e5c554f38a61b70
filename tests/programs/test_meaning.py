"""Random expressions mean the same to the checker and to the run.

What the checker knows of a value (what it is, how far one record moves it, in which steps, between
which ends) is compared with the values that runs compute on neighbouring data.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any
from unittest import mock

import pytest

from discreet.exact import balls
from discreet.language import Bool, Enum, List, Real, Tuple
from discreet.programs import answers, rules
from discreet.programs.abstract import Abstract, Items, Private, Public, RecordList
from discreet.programs.declared import Records
from discreet.programs.diagnostics import ProgramError
from discreet.programs.drawing import rehearse
from discreet.programs.families import label_key
from discreet.programs.numbers import Irrational, as_number, plain, real
from discreet.programs.program import Program
from discreet.programs.symbolic import Expression, worst
from tests.programs.making import made

KINDS: dict[str, tuple[Records, tuple[Any, ...]]] = {
    "bool": (List[Bool], (False, True)),
    "numbers": (List[Enum(1, 2, 7)], (1, 2, 7)),
    "labels": (List[Enum("a", "b")], ("a", "b")),
    "pair": (List[Tuple[Enum("a", 1), Bool]], (("a", False), ("a", True), (1, False), (1, True))),
    "real": (List[Real], (Fraction(0), Fraction(1, 3), Fraction(-7, 2), Fraction(1000))),
}
LITERALS = ("0", "1", "2", "-3", "1/2", "True", "False", "1 * True", "'a'", "(1, 'a')", "sqrt(2)")
COMPARED = ("==", "!=", "<", ">=")


class Writer:
    """Writes expressions over some names."""

    def __init__(self, seed: int, names: tuple[str, ...]) -> None:
        self.random, self.names = random.Random(seed), names

    def atom(self) -> str:
        return self.random.choice(self.names * 2 + LITERALS)

    def written(self, depth: int) -> str:
        """One expression."""
        if depth == 0:
            return self.atom()
        x, y, z = (self.written(depth - 1 if self.random.random() < 0.6 else 0) for _ in "xyz")
        constant = self.random.choice(("2", "-1", "1/3", "True", "(2 > 1)"))
        return self.random.choice(
            (
                f"({x} + {y})",
                f"({x} - {y})",
                f"({constant} * {x})",
                f"({x} * {y})",
                f"({x} / {constant})",
                f"({x} {self.random.choice(COMPARED)} {y})",
                f"({x} == {y})",
                f"({x} and {y})",
                f"({x} or {y})",
                f"(not {x})",
                f"({x} if {z} else {y})",
                f"({x}, {y})[{self.random.choice('01')}]",
                f"clip({x}, 0, {self.random.choice(('1', '3/2', '0'))})",
                f"min({x}, {y})",
                f"max({x}, {y}, 1)",
                f"abs({x})",
                f"({x} ** 2)",
                f"(-{x})",
            )
        )


@contextmanager
def heard(word: str, checked: list[Any], run: list[Any]) -> Iterator[None]:
    """What a word is called with, or what it gives, in the checker and in a run."""
    rule, answer = rules.RULES[word], answers.ANSWERS[word]

    def listen(kept: list[Any], inner: Callable[..., Any], *arguments: Any) -> Any:
        found = inner(*arguments)
        if word == "map":
            kept.append(found)
        else:
            kept.append(arguments[-1][1] if kept is checked else arguments[2])
        return found

    with (
        mock.patch.dict(rules.RULES, {word: partial(listen, checked, rule)}),
        mock.patch.dict(answers.ANSWERS, {word: partial(listen, run, answer)}),
    ):
        yield


def same(abstract: Abstract, value: Any) -> None:
    """A public value is what the run has."""
    if isinstance(abstract, Items):
        assert isinstance(value, tuple)
        for part, entry in zip(abstract.items, value, strict=True):
            same(part, entry)
    elif isinstance(abstract, Public):
        assert (abstract.sort == "flag") == isinstance(value, bool)
        if abstract.number is not None and abstract.sort != "flag":
            assert abs(exact(value) - approximate(abstract.number)) < Fraction(1, 10**24)
        elif abstract.literal is not None:
            assert label_key(value) == label_key(abstract.literal)


def approximate(x: Expression) -> Fraction:
    if x.value is not None:
        return x.value
    with balls.precision(256):
        return balls.fraction(x.ball({"n": Fraction(3)}).mid())


def exact(value: Any) -> Fraction:
    found = as_number(value)
    assert found is not None
    inner = plain(found)
    if isinstance(inner, Irrational):
        with balls.precision(256):
            return balls.fraction(real(inner)().mid())
    assert isinstance(inner, Fraction)
    return inner


def checked_program(text: str, data: Records, adjacent: str) -> Program | None:
    program = made(text, data, adjacent, "1000000*eps")
    try:
        program.prove()
    except ProgramError:
        return None
    return program


def of_each(kind: str, seed: int) -> bool:
    """A function of one record; whether the checker had a rule for it."""
    data, records = KINDS[kind]
    names = ("r[0]", "r[1]") if kind == "pair" else ("r",)
    body = Writer(seed, names).written(1 + seed % 3)
    tables: list[RecordList] = []
    values: list[Any] = []
    text = f"m = map(lambda r: {body}, data)\nreturn sample(laplace(eps, len(m), grid=1))"
    with heard("map", tables, values):
        program = checked_program(text, data, "substitute")
        if program is None:
            return False
        if len(tables) > 1:  # there are several paths
            return False
        given = {"eps": Fraction(1)}
        for record in records:
            program.evaluate(given, (record,), 1, partial(rehearse, 0))
    found = tables[0]
    for record, value in zip(records, values, strict=True):
        if found.table is not None:
            same(dict(found.table)[record], value.table[record])
        else:
            moved(found.item, [v.values[0] for v in values])
    return True


def moved(abstract: Abstract, values: list[Any]) -> None:
    """Values of different records: no further apart than is known, in steps, between the ends."""
    if isinstance(abstract, Items):
        for place, part in enumerate(abstract.items):
            moved(part, [value[place] for value in values])
    if isinstance(abstract, Public):
        assert len({label_key(value) for value in values}) == 1
    if not isinstance(abstract, Private) or abstract.sort == "category":
        return
    assert (abstract.sort == "flag") == all(isinstance(value, bool) for value in values)
    numbers = [exact(value) for value in values]
    apart = [abs(x - y) for x in numbers for y in numbers]
    if abstract.distances is not None:
        assert max(apart) <= approximate(worst(*abstract.distances))
    if abstract.step is not None:
        step = approximate(abstract.step)
        assert all((x / step).denominator == 1 for x in apart)
    if abstract.low is not None and abstract.high is not None:
        assert approximate(abstract.low) <= min(numbers)
        assert max(numbers) <= approximate(abstract.high)


AGGREGATES = {
    "bool": ("sum(data)", "count(lambda r: not r, data)", "len(data)", "p[0]", "h"),
    "numbers": ("count(lambda r: r == 2, data)", "sum(map(lambda r: 2 if r == 7 else 0, data))"),
    "real": (
        "sum(map(lambda r: clip(r, 0, 3), data))",
        "count(lambda r: r < 1/2, data)",
        "len(data)",
    ),
}
POSTERIOR = (
    "p = params(infer(observe_all(Bernoulli, data, prior=Beta(1, 2))))\n"
    "h = hellinger(infer(observe_all(Bernoulli, data, prior=Beta(1, 2))), Beta(3, 1))\n"
)


def of_all(kind: str, adjacent: str, seed: int) -> bool:
    """A number of all records, on neighbouring data."""
    data, records = KINDS[kind]
    chosen = random.Random(seed)
    body = Writer(seed, AGGREGATES[kind]).written(1 + seed % 3)
    before = POSTERIOR if kind == "bool" else ""
    text = f"{before}x = {body}\nreturn sample(laplace(eps, x, grid=1))"
    numbers: list[Abstract] = []
    values: list[Any] = []
    with heard("laplace", numbers, values):
        program = checked_program(text, data, adjacent)
        if program is None or len(numbers) > 1:
            return False
        rest = tuple(chosen.choice(records) for _ in range(2))
        sets = [(record, *rest) for record in records]
        if adjacent == "add-remove":
            sets = [rest, (chosen.choice(records), *rest)]
        for one in sets:
            n = len(one) if adjacent == "substitute" else None
            program.evaluate({"eps": Fraction(1)}, one, n, partial(rehearse, 0))
    if isinstance(numbers[0], Private):
        moved(numbers[0], values)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_a_record(kind: str) -> None:
    assert sum(of_each(kind, seed) for seed in range(700)) > 30


@pytest.mark.parametrize("adjacent", ["substitute", "add-remove"])
@pytest.mark.parametrize("kind", AGGREGATES)
def test_numbers_of_all_records(kind: str, adjacent: str) -> None:
    assert sum(of_all(kind, adjacent, seed) for seed in range(700)) > 30


def test_a_wrong_rule_is_noticed() -> None:
    def tight(checker: Any, node: Any, arguments: Any) -> Any:
        found = kept(checker, node, arguments)
        if isinstance(found, Private) and found.distances is not None:
            return Private(checker.zero(), found.why, found.step)
        return found

    kept = rules.RULES["abs"]
    with mock.patch.dict(rules.RULES, {"abs": tight}), pytest.raises(AssertionError):
        test_numbers_of_all_records("bool", "substitute")
