"""What people write first: it is proved, or the advice leads to what is."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.language import Between, Bool, Candidates, Enum, List, Pos, Real, Tuple
from discreet.programs import auditing
from discreet.programs.declared import Records
from discreet.programs.reports import Report, check_program
from discreet.releases.programs import release_program
from tests.programs.making import made

PAIRS = List[Tuple[Enum("a", "b"), Real]]
FOLD = "lambda b, d: observe(lambda r: ran(Bernoulli(r)) == d, b)"
FINITE = "Finite((0.2, 0.5, 0.8), (1, 1, 1))"


def checked(lines: str, data: Records, adjacent: str = "substitute", **declared: Any) -> Report:
    budget = declared.pop("budget", "eps")
    return check_program(made(lines, data, adjacent, budget, declared.pop("params", None)))


def advice(report: Report) -> str:
    """All that is said of a program that is not proved."""
    assert not report.proved
    found = report.diagnostic
    assert found is not None
    return f"{found.message}; {found.reason}; {found.fix}"


@pytest.mark.parametrize("adjacent", ["substitute", "add-remove"])
def test_a_missing_grid_is_no_refutation(adjacent: str) -> None:
    lines = "return sample(laplace(eps, fold(lambda s, r: s + r, 0, data)))"
    report = checked(lines, List[Bool], adjacent)
    assert report.verdict == "UNKNOWN"
    assert "grid=1" in advice(report)
    assert checked(lines.replace("data)))", "data), grid=1))"), List[Bool], adjacent).proved


def test_rounding_to_an_assumed_grid_is_no_refutation() -> None:
    mean = "m = sum(map(lambda x: clip(x, 0, 10), data)) / len(data)\n"
    report = checked(mean + "return sample(laplace(eps * len(data) / 10, m))", List[Real])
    assert report.verdict == "UNKNOWN"
    assert "10/len(data)" in advice(report)
    half = checked(mean + "return sample(laplace(eps * len(data) / 5, m))", List[Real])
    assert half.verdict == "REFUTED"
    assert half.witness is not None
    assert "steps of 1/1024" in half.witness.assuming
    assert 1.99 < half.witness.epsilon <= 2


def test_the_grid_of_normal_noise() -> None:
    total = "s = sum(map(lambda x: clip(x, 0, 10), data))\n"
    noise = "return sample(gauss(analytic_sigma(eps, delta, 10), s))"
    params = {"eps": Pos, "delta": Between(0, 0.5)}
    both: dict[str, Any] = {"budget": ("eps", "delta"), "params": params}
    assert "d = 10 " in advice(checked(total + noise, List[Real], **both))
    assert checked(total + noise.replace(", s)", ", s, grid=10/1024)"), List[Real], **both).proved


def test_a_score_is_scaled_by_its_distance() -> None:
    lines = (
        "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        "return sample(exp_mech(eps / sqrt(1 - pi / 4), lambda r: -hellinger(post, r), grid))"
    )
    params = {"eps": Pos, "grid": Candidates(dp.language.Beta)}
    assert checked(lines, List[Bool], params=params).proved
    more = lines.replace("eps / sqrt(1 - pi / 4)", "eps * sqrt(2) / sqrt(1 - pi / 4)")
    report = checked(more, List[Bool], params=params, budget="sqrt(2)*eps")
    assert "rounded up to 30 digits" in advice(report)
    assert "1.0001*(sqrt(2)*eps)" in advice(report)


def test_the_textbook_sigma_is_named() -> None:
    lines = "sigma = sqrt(2 * log(1.25 / delta)) / eps\nreturn sample(gauss(sigma, sum(data)))"
    params = {"eps": Pos, "delta": Between(0, 0.5)}
    report = checked(lines, List[Bool], budget=("eps", "delta"), params=params)
    assert "write analytic_sigma(eps, delta, distance)" in advice(report)


def test_a_fold_calls_its_step_with_the_belief_first() -> None:
    swapped = FOLD.replace("lambda b, d", "lambda d, b")
    report = checked(f"return infer(fold({swapped}, ran(Beta(1, 1)), data))", List[Bool])
    assert "the belief first and the record second" in advice(report)


def restricted(test: str) -> str:
    return (
        f"able = observe(lambda r: {test}, ran({FINITE}))\n"
        f"post = infer(fold({FOLD}, able, data))\n"
        "cands = (Finite((0.5, 0.8), (1, 1)), Finite((0.5, 0.8), (8, 1)))\n"
        "return sample(exp_mech(eps, lambda r: -total_variation(post, r), cands))"
    )


def test_public_tests_come_before_the_records() -> None:
    program = made(restricted("r > 0.3"), List[Bool], "substitute", "eps")
    assert check_program(program).proved
    for n in (1, 2):
        worst = auditing.worst_loss(program, {"eps": Fraction(1)}, n)
        assert worst is not None
        assert not worst.violated
    released = release_program(program, [True, False, True], {"eps": 1})
    assert len(released.value.parameters[0]) == 2
    assert "no value of the belief is possible" in advice(
        checked(restricted("r > 0.9"), List[Bool])
    )


def test_a_finite_prior_is_folded_over() -> None:
    lines = f"return infer(observe_all(Bernoulli, data, prior={FINITE}))"
    assert "ran(Finite(…)), data)" in advice(checked(lines, List[Bool]))


@pytest.mark.parametrize("adjacent", ["substitute", "add-remove"])
def test_a_flag_times_a_bounded_number(adjacent: str) -> None:
    lines = (
        's = sum(map(lambda r: (r[0] == "a") * clip(r[1], low, 10), data))\n'
        "return sample(laplace(eps / {}, s, grid=1))"
    )
    for low, width in ((0, 10), (-5, 15 if adjacent == "substitute" else 10), (2, 10)):
        text = lines.replace("low", str(low))
        program = made(text.format(width), PAIRS, adjacent, "eps")
        assert check_program(program).proved, low
        worst = auditing.worst_loss(program, {"eps": Fraction(1)}, 1)
        assert worst is not None
        assert not worst.violated
        assert checked(text.format(width - 1), PAIRS, adjacent).verdict == "REFUTED"


def test_the_product_is_what_is_released() -> None:
    lines = (
        's = sum(map(lambda r: (r[0] == "a") * clip(r[1], 0, 10), data))\n'
        "return sample(laplace(eps, s, grid=1))"
    )
    program = made(lines, PAIRS, "add-remove", "1000*eps")
    data = [("a", 3), ("b", 8), ("a", 40), ("a", 0)]
    assert release_program(program, data, {"eps": 100}).value == 13


CALLS = [
    ("data.count(True)", "private data", "count(lambda r: r == x, data)"),
    ("np.mean(data)", "private data", "sum(map(lambda x: clip(x, low, high), data)) / len(data)"),
    ("random.gauss(0, 1)", "public values", "sample(gauss(sigma, x))"),
    ("math.sqrt(eps)", "public values", "sqrt(x), from discreet.language"),
    ("filter(data)", "private data", "count(lambda r: r == x, data)"),
    ("laplac(eps, sum(data))", "private data", "did you mean laplace?"),
]


@pytest.mark.parametrize(("call", "on", "instead"), CALLS)
def test_unknown_calls_name_what_was_meant(call: str, on: str, instead: str) -> None:
    said = advice(checked(f"return {call}", List[Bool]))
    assert on in said
    assert instead in said


def test_unknown_names_are_guessed() -> None:
    said = advice(checked("return sample(laplace(epz, sum(data)))", List[Bool]))
    assert "did you mean eps?" in said


def test_costs_are_short() -> None:
    lines = (
        'cells = (lambda r: r == "a", lambda r: r == "b")\n'
        "def one(cell):\n"
        "    x = sample(laplace(eps / 2, len(cell)))\n"
        "    return sample(laplace(eps / 2, len(cell)))\n"
        "return parallel(one, data, cells)"
    )
    report = checked(lines, List[Enum("a", "b")], "add-remove")
    assert report.proof is not None
    assert report.proof.total == "eps"


DATA: list[tuple[Records, Any, str]] = [
    (List[Bool], [True, None], "drop missing values first"),
    (List[Bool], np.ones((2, 2), dtype=bool), "one dimension"),
    (List[Enum("a", "b")], ["a", "c"], "must be one of the declared labels: 'a', 'b'"),
]


@pytest.mark.parametrize(("kind", "data", "message"), DATA)
def test_data_that_do_not_fit(kind: Records, data: Any, message: str) -> None:
    program = made("return sample(laplace(eps, len(data)))", kind, "add-remove", "eps")
    with pytest.raises(dp.InputError, match=message):
        release_program(program, data, {"eps": 1})


def test_frames_are_records_of_several_values() -> None:
    pandas = pytest.importorskip("pandas", reason="a frame needs pandas")
    frame = pandas.DataFrame({"g": ["a", "b", "a"], "x": [3, 8, 4]})
    lines = 's = count(lambda r: r[0] == "a", data)\nreturn sample(laplace(eps, s))'
    program = made(lines, PAIRS, "add-remove", "1000*eps")
    assert release_program(program, frame, {"eps": 100}).value == 2
    assert release_program(program, frame.to_numpy(), {"eps": 100}).value == 2
    polars = pytest.importorskip("polars", reason="a frame needs polars")
    assert release_program(program, polars.DataFrame(frame.to_dict("list")), {"eps": 100})
    flags = made("return sample(laplace(eps, sum(data)))", List[Bool], "add-remove", "eps")
    with pytest.raises(dp.InputError, match="one column"):
        release_program(flags, frame, {"eps": 1})


def test_a_delta_of_1_is_refused_when_it_is_known() -> None:
    lines = "return sample(laplace(eps, sum(data)))"
    program = made(lines, List[Bool], "substitute", ("eps", "d"), {"eps": Pos, "d": Pos})
    assert check_program(program).proved
    assert release_program(program, [True], {"eps": 1, "d": Fraction(1, 2)}).guarantee.delta < 1
    with pytest.raises(dp.InputError, match="delta from 0 to below 1"):
        release_program(program, [True], {"eps": 1, "d": 3})
