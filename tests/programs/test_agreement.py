"""What is run is what was proved: numbers mean the same to the checker, the run and the replay."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb

import discreet as dp
from discreet import language
from discreet.exact import balls
from discreet.programs import noise, running
from discreet.programs.numbers import Irrational, Whole
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
    def shifted(value: Any, column: list[Any]) -> Any:  # a private offset
        found = kept(value, column)
        return replace(found, offset=found.value, count=0) if isinstance(found, Whole) else found

    kept = running._in_steps
    monkeypatch.setattr(running, "_in_steps", shifted)
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
        "far = Beta(2 + ((1/10) ** 64) ** 8, 1)\n"
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


def _parity(x: str) -> str:
    return (
        "x = sample(laplace(eps, sum(data)))\ny = 0\nq = 1\nif x > 3:\n"
        f"    y = sample(laplace(eps, {x}))\n    for i in range(41):\n"
        "        q = q * (y - (i - 20))\n    q = 1 / q\nreturn q"
    )


def test_a_failure_after_the_charge_says_one_thing_only() -> None:
    program = written(BOOLS.replace('"eps"', '"2*eps"', 1), "data, eps", _parity("sum(data) / 2"))
    assert program.check().proved
    said = set()
    for seed in range(20):
        try:
            program.run([True] * (4 + seed % 2), eps=10, rng=np.random.default_rng(seed))
        except dp.InputError as error:
            said.add(str(error))
    assert len(said) == 1
    assert "failed on what was drawn" in said.pop()


def test_a_flag_times_a_count_has_no_steps() -> None:
    """A run cannot tell which factor is the public one, so that noise on it needs a grid."""
    declared = BOOLS.replace('"eps"', '"2*eps"', 1)
    report = written(declared, "data, eps", _parity("True * (sum(data) / 2)")).check()
    assert not report.proved
    with_grid = written(BOOLS, "data, eps", "return sample(laplace(eps, True * sum(data), grid=1))")
    assert with_grid.run([True, True], eps=100).value == 2


def test_labels_are_compared_with_flags_as_the_checker_does() -> None:
    labels = BOOLS.replace("Bool", "Enum(1, 2)", 1).replace('"eps"', '"6*eps"', 1)
    program = written(
        labels,
        "data, eps",
        "s = sum(map(lambda r: 5 if r == 1 * True else (3 if r == 2 else 0), data))\n"
        "return sample(laplace(eps, s))",
    )
    assert program.check().proved
    assert program.run([1, 2], eps=100).value == 8


NOT_DRAWN = [
    ("return sample(laplace(eps, sum(data) / 3, grid=1/10**30))", {"eps": 1}),
    ("return sample(laplace(eps, sum(data)))", {"eps": 1e-20}),
]


@pytest.mark.parametrize(("body", "given"), NOT_DRAWN)
def test_noise_that_cannot_be_drawn_is_refused_before_any_charge(
    body: str, given: dict[str, Any], tmp_path: Path
) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=10)
    program = written(BOOLS.replace('"eps"', '"2*eps"', 1), "data, eps", body)
    assert program.check().proved, str(program.check())
    with pytest.raises(dp.InputError, match="cannot be run"):
        program.run([True], ledger=ledger, dataset="trial", **given)
    assert not ledger.datasets()


@pytest.mark.parametrize("law", ["Normal('a', 1)", "Normal(0, 'a')", "Normal(0, 0)"])
def test_candidates_are_laws_of_numbers(law: str) -> None:
    program = written(
        'data=List[Real], adjacent="substitute", budget="eps", '
        'params={"eps": Pos, "candidates": Candidates(Normal)}',
        "data, eps, candidates",
        "xs = map(lambda x: clip(x, 0, 1), data)\n"
        "post = infer(observe_all(Normal, xs, prior=Normal(0, 1), variance=1))\n" + NEAR,
    )
    assert program.check().proved
    with pytest.raises(dp.InputError, match="positive variance"):
        program.run([0.5], eps=1, candidates=[eval(law, vars(language))])


def test_a_program_without_end_is_no_program() -> None:
    program = written(BOOLS, "data, eps", "return (lambda f: f(f))(lambda f: f(f))")
    report = program.check()
    assert report.verdict == "UNKNOWN"
    assert "without end" in str(report)
    with pytest.raises(dp.PrivacyRefusedError):
        program.run([True], eps=1)
    with pytest.raises(dp.InputError, match="too many"):
        program.audit(n=1)


def test_a_posterior_draw_of_a_normal_is_not_refuted_as_if_it_were_a_beta() -> None:
    program = written(
        'data=List[Real], adjacent="substitute", budget=("0.5", "0.05"), params={}',
        "data",
        "xs = map(lambda x: clip(x, 0, 1), data)\n"
        "return sample(infer(observe_all(Normal, xs, prior=Normal(1/1000, 1), variance=9)))",
    )
    assert program.check().verdict == "UNKNOWN"
