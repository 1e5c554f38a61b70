"""Candidates of exp_mech, however many they are: the cost is that of the worst of them."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.exact import balls
from discreet.language import Between, Bool, Enum, List, Pos, Real
from discreet.programs import candidates
from discreet.programs.auditing import loss
from discreet.programs.declared import Records
from discreet.programs.drawing import Sampler
from discreet.programs.program import Program
from discreet.programs.proving import Prover
from discreet.programs.running import finished
from discreet.programs.symbolic import Expression, absolute, largest, least, number, symbol
from tests.programs.making import made, proved

FLAGS = List[Bool]
PARAMS = {"eps": Pos, "w": Between(-1, 1), "v": Between(0, 2)}


def picking(grid: str, score: str, budget: str = "10**9*eps", data: Records = FLAGS) -> Program:
    """A program that picks one of a grid; s moves by 1 where a flag does, t by 3."""
    sums = "s = sum(data)\nt = sum(map(lambda r: 3*r, data))\n" if data == FLAGS else ""
    body = f"{sums}return sample(exp_mech(eps, lambda c: {score}, {grid}))"
    return made(body, data, "substitute", budget, PARAMS)


def costs_exactly(grid: str, score: str, cost: object, data: Records = FLAGS) -> bool:
    """Whether it is proved at this cost, and not at a little less."""
    enough = picking(grid, score, f"({cost})*eps", data)
    return proved(enough) and not proved(picking(grid, score, f"({cost} - 1/1000)*eps", data))


@pytest.mark.parametrize("size", [64, 65, 1_000, 10_000])
def test_there_is_no_cliff(size: int) -> None:
    assert costs_exactly(f"[i for i in range({size})]", "s*c", size - 1)
    assert costs_exactly(str([*range(size)]), "s*c", size - 1)
    assert costs_exactly(f"[i - {size // 2} for i in range({size})]", "s*c + t", 3 + size // 2)


GIVEN = {"eps": Fraction(1, 10), "w": Fraction(1), "v": Fraction(1)}


@pytest.mark.parametrize("size", [64, 65, 10_000])
def test_what_is_declared_too_small_loses_more(size: int) -> None:
    """Which is seen at the first candidate that is tried, so that no check takes long."""
    program = picking(f"[i for i in range({size})]", "s*c", f"{size}/4*eps")
    assert not proved(program)
    assert loss(program, GIVEN, (False,), (True,), end=-inf).violated


WORST = {  # the grid, the score, and what the worst candidate costs
    "negative ones": ("[i for i in range(-500, 300)]", "s*c", 500),
    "only negative ones": ("[-i for i in range(7, 900)]", "s*c", 899),
    "one that is 0": ("[0 for i in range(900)]", "s*c + s", 1),
    "not sorted": (str([(37 * i) % 1009 for i in range(1009)]), "s*c", 1008),
    "twice and more often": (str([*range(70), *range(70), 69, 0]), "s*c", 69),
    "fractions": ("[i / 100 for i in range(1000)]", "s*c", "999/100"),
    "shifted": ("[i for i in range(1000)]", "(s - c)*7", 7),
    "a sum of them": ("[i - 500 for i in range(1000)]", "s*(2*c + 1)", 999),
    "a square": ("[i + 1000 for i in range(1000)]", "c*s*c", 1999**2),
    "a square of both signs": ("[i - 70 for i in range(100)]", "c*s*c", 4900),
    "divided": ("[i + 1 for i in range(1000)]", "s/c", 1),
    # the ends of these grids are not the worst candidates
    "inside": ("[i for i in range(101)]", "s*c*(100 - c)", 2500),
    "inside, of both signs": ("[i - 50 for i in range(101)]", "s*(2500 - c*c)", 2500),
    "singled out": ("[i for i in range(101)]", "s*1000 if c == 50 else s", 1000),
    "from where on": ("[i for i in range(101)]", "s if c > 3 else s*7", 7),
    "0 at the ends": ("[i for i in range(101)]", "clip(100*s, 0, c*(100 - c))", 100),
    "never divided by 0": (str([2 * i - 99 for i in range(100)]), "s/c", 1),
}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_candidate_is_paid_for(name: str) -> None:
    assert costs_exactly(*WORST[name])


def test_a_candidate_may_be_a_bound() -> None:
    grid = "[i + 1 for i in range(1000)]"
    assert costs_exactly(grid, "sum(map(lambda r: clip(r, 0, c), data))", 1000, List[Real])


def test_a_public_score_costs_nothing() -> None:
    assert proved(picking("[i for i in range(1000)]", "c*c", "eps/10**9"))


def cost(program: Program, w: Fraction, v: Fraction) -> Fraction:
    values = {"eps": Fraction(1), "w": w, "v": v}
    spent = [x for cost in program.prove().costs for x in cost.epsilons]
    with balls.precision(128):
        return max(balls.fraction(x.ball(values).mid()) for x in spent)


SCORES = (
    "s*c",
    "-s*c + t",
    "(s - c)*7 + c*t",
    "s*c*w",
    "(c*w - v)*s + t*v",
    "s*(c + v)",
    "s*max(c, v)",
    "s*c*c",
    "s*(c - 3)*(c + w)",
    "clip(s, 0, 1)*c",
    "s if c < 1 else t*c",
    "abs(s - c)*c",
    "sum(map(lambda r: c*r + r, data))",
    "count(lambda r: r == (c > 1), data)*c",
)


@given(
    st.sampled_from(SCORES),
    st.lists(st.fractions(-50, 50, max_denominator=7), min_size=3, max_size=9),
    st.fractions(-1, 1, max_denominator=9),
    st.fractions(0, 2, max_denominator=9),
)
def test_as_one_by_one(score: str, grid: list[Fraction], w: Fraction, v: Fraction) -> None:
    text = f"[{', '.join(f'({x.numerator})/{x.denominator}' for x in grid)}]"
    with mock.patch.object(candidates, "FEW", 1):
        together = picking(text, score)
        found = proved(together)
    one_by_one = picking(text, score)
    assert found == proved(one_by_one)
    if found:
        assert cost(together, w, v) == cost(one_by_one, w, v)


def test_a_question_with_very_many_parts_ends() -> None:
    """At which z3 would fail, and the process with it."""
    prover = Prover({"c": Between(-1, 1), "w": Between(-1, 1)})
    parts = [number(i) * symbol("w") + number(i * i) * symbol("c") for i in range(9_999)]
    assert prover.at_most(largest(*parts), number(10**9)).holds is None
    assert prover.at_most(largest(*parts[:99]), number(10**9)).holds


def test_the_ends_of_many_numbers_are_enough() -> None:
    gone_through: list[object] = []
    one_by_one = candidates._one_by_one

    def counted(checker: Any, node: Any, score: Any, items: Any) -> Any:
        found = list(items)
        gone_through.extend(found)
        return one_by_one(checker, node, score, found)

    with mock.patch.object(candidates, "_one_by_one", counted):
        assert proved(picking("[i - 7 for i in range(10000)]", "(2*s - c)*c*w + v*t"))
    assert len(gone_through) == 2


def test_of_many_alternatives_those_that_matter_are_kept() -> None:
    """Which score is worst depends on w, and it is not convex."""
    found = picking("[i for i in range(1000)]", "s*c*(999 - c)*w + t*v", "(249500*w**2 + 6)*eps")
    assert not proved(found)  # w² < |w|
    assert proved(picking("[i for i in range(1000)]", "s*c*(999 - c)*w + t*v", "(249500 + 6)*eps"))


C, W = symbol("c"), symbol("w")
CONVEX: list[tuple[Expression, bool]] = [
    (C, True),
    (-C * W, True),
    (absolute(C * W + number(1)), True),
    (-absolute(C), False),
    (W * absolute(C), False),  # w may be negative
    (least(C, number(1)), False),
    (absolute(C) * absolute(C), False),  # a product of convex numbers need not be convex
    (C * C, False),  # which is, but is not seen to be where c may be negative
    (C * absolute(C), False),
    (C * (number(1) - C), False),
]


@pytest.mark.parametrize(("x", "convex"), CONVEX)
def test_what_is_seen_to_be_convex(x: Expression, convex: bool) -> None:
    prover = Prover({"c": Between(-2, 2), "w": Between(-1, 1)})
    assert prover.convex(x, "c") is convex


def test_powers_of_positive_numbers_are_convex() -> None:
    prover = Prover({"c": Between(1, 2), "w": Between(0, 1)})
    assert prover.convex(C * C * W, "c")
    assert prover.convex(number(1) / C, "c")
    assert not prover.convex(-C * C, "c")
    assert not prover.convex(-W / C, "c")


def test_a_proof_is_of_the_law_that_is_drawn_from() -> None:
    """The exact loss of the few data sets there can be stays below the cost, and comes near it."""
    with mock.patch.object(candidates, "FEW", 1):
        program = picking("[-40, 3, 0, 40, 3]", "s*c", "40*eps")
        assert proved(program)
    witness = loss(program, GIVEN, (False,), (True,))
    assert not witness.violated
    assert witness.tightness > 0.4


@pytest.mark.parametrize("size", [65, 10_000])
def test_it_runs(size: int) -> None:
    program = picking(f"[i / 2 for i in range({size})]", "s*c", f"{size}*eps")
    sampler = Sampler(np.random.default_rng(1).bytes)
    value = finished(program.evaluate(GIVEN, (True,) * 100, 100, sampler))
    assert value == Fraction(size - 1, 2)  # which has nearly all of the weight
    assert program.released(GIVEN, 100, tuple(sampler.transcript)) == value


SAME = {  # what is as provable of n as of a few, and its cost
    "draws in a list": ("return [sample(laplace(eps, sum(data))) for i in range({n})]", "{n}"),
    "draws in a loop": (
        "x = 0\nfor i in range({n}):\n    x = sample(laplace(eps, sum(data)))\nreturn x",
        "{n}",
    ),
    "a place in a list": (
        "g = [2*i for i in range({n})]\nreturn sample(laplace(eps, g[{n} - 1]*sum(data)))",
        "(2*{n} - 2)",
    ),
    "a length": (
        "g = [i for i in range({n})]\nreturn sample(laplace(eps, len(g)*sum(data)))",
        "{n}",
    ),
    "candidates of several parts": (
        "return sample(exp_mech(eps, lambda c: c[0]*sum(data), [(i, 1) for i in range({n})]))",
        "({n} - 1)",
    ),
}


@pytest.mark.parametrize("n", [64, 65, 1_000])
@pytest.mark.parametrize("name", SAME)
def test_no_other_cliff(name: str, n: int) -> None:
    if (name, n) == ("draws in a list", 1_000):
        n = 100_000  # which are paid for at once
    body, cost = (text.format(n=n) for text in SAME[name])
    assert proved(made(body, FLAGS, "substitute", f"{cost}*eps"))
    assert not proved(made(body, FLAGS, "substitute", f"({cost} - 1/1000)*eps"))


@pytest.mark.parametrize("labels", [12, 13, 32])
def test_counts_of_several_labels(labels: int) -> None:
    """One record is in one of them, so that replacing it changes two counts."""
    names = [f"l{i}" for i in range(labels)]
    draws = ", ".join(f"sample(laplace(eps, count(lambda r: r == {x!r}, data)))" for x in names)
    data = List[Enum(*names)]
    assert proved(made(f"return ({draws})", data, "substitute", "2*eps"))
    assert proved(made(f"return ({draws})", data, "add-remove", "eps"))
    assert not proved(made(f"return ({draws})", data, "substitute", "1.999*eps"))


def test_rounds_that_differ_are_not_paid_for_as_one() -> None:
    for body in (
        "return [sample(laplace(eps*(i + 1), sum(data))) for i in range(65)]",
        "x = sample(laplace(eps, sum(data)))\n"
        "return [sample(laplace(eps, (5 if x > i else 1)*sum(data))) for i in range(65)]",
    ):
        assert not proved(made(body, FLAGS, "substitute", "100*eps"))
