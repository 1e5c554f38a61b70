"""What is run is what was proved: numbers mean the same to the checker, the run and the replay."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from flint import arb

import discreet as dp
from discreet.exact import balls
from discreet.programs import noise
from discreet.programs.numbers import Irrational
from discreet.programs.running import Data
from tests.programs.attacks import BOOLS, with_params, written

TUPLES = (
    "m = map(lambda r: (2, 3) if r else (4, 5), data)\n"
    "xs = sample_each(lambda t: laplace(eps / 2, t[0]), m)\n"
    "y = sample(laplace(1000, xs[0], grid=1))\n"
    "return y - xs[0]"
)
NEAR = "return sample(exp_mech(eps, lambda r: -hellinger(post, r), candidates))"
FINITE = with_params('"candidates": Candidates(Finite)')
BETA = with_params('"candidates": Candidates(Beta)')
LEARN = "lambda b, d: observe(lambda r: ran(Bernoulli(r)) == d, b)"

# once proved with a loss above the claim, for the run had other numbers than the proof
RIGHT: dict[str, tuple[str, str, str]] = {
    "numbers in tuples": (BOOLS, "data, eps", TUPLES.rsplit("\n", 2)[0] + "\nreturn xs[0]"),
    "a prior of flags": (
        BETA.replace('"eps"', '"0.05*eps"', 1),
        "data, eps, candidates",
        "post = infer(observe_all(Bernoulli, data, prior=Beta(100 * True, 100 * (2 > 1))))\n"
        + NEAR,
    ),
    "values that are listed twice": (
        FINITE.replace('"eps"', '"eps/100"', 1),
        "data, eps, candidates",
        "prior = Finite((1/2, 501/1000, 501/1000), (1, 1, 1))\n"
        f"post = infer(fold({LEARN}, prior, data))\n" + NEAR,
    ),
    "weights of flags": (
        FINITE,
        "data, eps, candidates",
        f"post = infer(fold({LEARN}, Finite((1/4, 3/4), (True * 1, 1)), data))\n" + NEAR,
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_the_exact_loss_is_within_the_claim(name: str) -> None:
    program = written(*RIGHT[name])
    assert program.check().proved, str(program.check())
    audit = program.audit(n=2)
    assert not audit.violated, str(audit)
    assert audit.epsilon > 0


def test_a_private_number_does_not_pass_for_a_public_one() -> None:
    program = written(BOOLS, "data, eps", TUPLES)
    for data in ([True], [False]):
        assert program.run(data, eps=0.01).value == 0


def test_a_run_that_differs_from_its_replay_is_no_release(monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(self: Data) -> list[Any] | None:  # as it was: a private number as a plain one
        if self.values is None or self.table is None:
            return None if self.values is None else list(self.values)
        return [self.table[value] for value in self.values]

    monkeypatch.setattr(Data, "listed", plain)
    with pytest.raises(dp.ExactnessError, match="ran otherwise than it was proved"):
        written(BOOLS, "data, eps", TUPLES).run([True], eps=0.01)


def test_a_number_in_balls_is_rounded_when_it_is_known_well() -> None:
    def late() -> arb:  # nothing is known of it below 5000 bits
        return arb(7) / 10 if balls.working_bits() > 5000 else arb(0, 100)

    assert noise._nearest(Irrational(late), Fraction(1, 10)) == 7
    assert noise._nearest(Irrational(lambda: arb(1) / 2), Fraction(1)) in (0, 1)


@pytest.mark.parametrize("data", [[True], [False]])
def test_numbers_of_very_many_digits_are_refused_whatever_the_data(data: list[bool]) -> None:
    program = written(
        BOOLS.replace('"eps"', '"2*eps"', 1),
        "data, eps",
        "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        "far = Beta(2 + ((1/10) ** 64) ** 16, 1)\n"
        "return sample(laplace(eps, total_variation(post, far), grid=1))",
    )
    assert program.check().proved, str(program.check())
    with pytest.raises(dp.InputError, match="less than 300 digits"):
        program.run(data, eps=1)


def test_thresholds_of_numbers() -> None:
    """A comparison with a public number is a flag: it is counted without a grid."""
    program = written(
        BOOLS.replace("Bool", "Real", 1),
        "data, eps",
        "below = count(lambda r: r < 1/2, data)\nreturn sample(laplace(eps, below))",
    )
    assert program.check().proved, str(program.check())
    assert program.run([0.25, 0.5, 7], eps=100).value == 1
    audit = program.audit(n=2)
    assert audit.tightness == pytest.approx(1)


OUTSIDE = [("Between(1, 2)", "100*eps*(x - 1)"), ("Nat", "eps*((x - 1)*(x - 2) + 1)")]


@pytest.mark.parametrize(("kind", "budget"), OUTSIDE)
def test_a_witness_has_parameters_that_are_allowed(kind: str, budget: str) -> None:
    declared = with_params(f'"x": {kind}').replace('"eps"', f'"{budget}"', 1)
    report = written(declared, "data, eps, x", "return sample(laplace(eps, sum(data)))").check()
    assert report.verdict in ("UNKNOWN", "REFUTED")
    if report.witness is not None:
        x = report.witness.parameters["x"]
        assert (1 < x <= 2) if kind != "Nat" else x.denominator == 1
