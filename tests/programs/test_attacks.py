"""What hostile reviewers had proved although it is not private: never again."""

from __future__ import annotations

import json
from typing import Any

import pytest

import discreet as dp
from discreet.core.documents import digest
from tests.programs.attacks import BOOLS, CASES, LEARN, with_params, written


@pytest.mark.parametrize("name", CASES)
def test_it_is_not_proved(name: str) -> None:
    report = written(*CASES[name]).check()
    assert not report.proved, str(report)
    assert report.diagnostic is not None
    assert "the checker failed" not in report.diagnostic.message


def test_a_pre_run_is_no_oracle() -> None:
    """Whether a run fails before it is paid for must not depend on the records."""
    program = written(
        with_params('"c": Real'),
        "data, eps, c",
        "x = sample(laplace(eps, sum(data)))\nreturn 1 / (x - c)",
    )
    for c in range(30, 44):
        program.run([True] * 37, eps=1e-5, c=c + 0.5)


CRASHES = [
    ("return sample(laplace(eps, clip(sum(data), low=0, high=1), grid=1))", True),
    ("return sample(gauss(sigma=10, x=sum(data)))", False),
    ("return sample(laplace(eps, min(sum(data), y=3), grid=1))", True),
    ("return sample(mechanism=laplace(eps, sum(data)))", True),
    ("return log(-1)", False),
    ("return sqrt(0 - 1)", False),
    ("return exp(100000)", False),
    (
        "m = map(lambda r: (1, 2) if r else (1, 2, 3), data)\n"
        "return sample(laplace(eps, len(m), grid=1))",
        True,
    ),
    ("return lambda x: x", False),
    ("return (1, laplace)", False),
    ("return analytic_sigma(1, 1 / 2, 1)", False),
    ("post = infer(observe_all(Bernoulli, data, prior=Dirichlet((1,))))\nreturn 1", False),
]


@pytest.mark.parametrize(("body", "proved"), CRASHES)
def test_odd_programs_do_not_crash(body: str, proved: bool) -> None:
    report = written(BOOLS, "data, eps", body).check()
    assert report.proved is proved
    if report.diagnostic is not None:
        assert "the checker failed" not in report.diagnostic.message


RUNS = [
    (
        BOOLS,
        "return sample(laplace(eps, fold(lambda s, r: s + r, 0, data), grid=1))",
        [True, False],
    ),
    (BOOLS, "return sample_each(lambda y: laplace(eps, y), data)", [True, False]),
    (
        BOOLS.replace("Bool", "Tuple[Real, Bool]").replace('"eps"', '"2*eps"', 1),
        "return sample(laplace(eps, sum(map(lambda r: clip(r[1], 0, 1), data)), grid=1))",
        [(1.0, True), (2.0, False)],
    ),
    (
        with_params('"c": Real').replace('budget="eps"', 'budget="max(c, -c)*eps"'),
        "return sample(laplace(eps, c * sum(data)))",
        [True, False],
    ),
    (
        BOOLS.replace("Bool", "Real").replace('budget="eps"', 'budget="eps"') + ", n=9",
        "c = map(lambda x: clip(x, 0, 1), data)\n"
        "post = infer(fold(lambda b, d: observe(lambda r: ran(Normal(r, 1)) == d, b), "
        "ran(Normal(0, 1)), c))\nm, v = params(post)\n"
        "return Normal(sample(laplace(eps, m, grid=1 / 100)), v)",
        [0.5] * 9,
    ),
    (
        BOOLS.replace('budget="eps"', 'budget="4*eps"'),
        f"post = infer(fold({LEARN}, Finite((1 / 3, 2 / 3), (1, 2)), data))\n"
        "return sample(laplace(eps, hellinger(post, Finite((1 / 3, 2 / 3), (1, 2))), grid=1))",
        [True, False],
    ),
    (
        BOOLS,
        "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
        "grid = [Beta(1 + i, 3 - i) for i in range(3)]\n"
        "return sample(exp_mech(eps, lambda r: max(-hellinger(post, r), -1 / 2), grid))",
        [True, False],
    ),
]


@pytest.mark.parametrize(("declared", "body", "data"), RUNS)
def test_what_is_proved_runs(declared: str, body: str, data: list[Any]) -> None:
    arguments = "data, eps, c" if '"c"' in declared else "data, eps"
    program = written(declared, arguments, body)
    assert program.check().proved, str(program.check())
    for c in (0, -2) if '"c"' in declared else (None,):
        given: dict[str, Any] = {} if c is None else {"c": c}
        if c == 0:
            with pytest.raises(dp.InputError, match="positive at these parameters"):
                program.run(data, eps=1, **given)
            continue
        release = program.run(data, eps=1, **given)
        assert dp.Release.from_json(release.to_json()) == release
    if "n=9" in declared:
        assert float(release.value.parameters[1]) == pytest.approx(0.1)


def test_an_unproved_program_is_not_read() -> None:
    """A document with a recomputed digest may say anything: its program is proved again."""
    program = written(BOOLS, "data, eps", "return sample(laplace(eps, sum(data)))")
    document = program.run([True], eps=1)
    edited = json.loads(document.to_json())
    edited["model"]["source"] = edited["model"]["source"].replace("laplace(eps", "laplace(1000*eps")
    edited.pop("sha256")
    with pytest.raises(dp.DocumentError):
        dp.Release.from_json(edited | {"sha256": digest(edited)})


def test_budgets_that_do_not_exist() -> None:
    for budget in ("sqrt(-1)*eps", "log(0)*eps"):
        declared = BOOLS.replace('budget="eps"', f'budget="{budget}"')
        report = written(declared, "data, eps", "return sample(laplace(eps, sum(data)))").check()
        assert not report.proved


def test_powers_of_a_budget_are_read_back() -> None:
    declared = with_params('"a": Pos', BOOLS.replace('budget="eps"', 'budget="eps*(1 + a)**-2"'))
    body = "return sample(laplace(eps / (1 + a) ** 2, sum(data)))"
    release = written(declared, "data, eps, a", body).run([True], eps=1, a=2)
    assert dp.Release.from_json(release.to_json()) == release
