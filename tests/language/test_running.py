"""Programs run: exact draws, a release that is read back, a ledger that pays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import discreet as dp
from discreet.core import Derivation
from discreet.language import Beta, PrivateProgram
from discreet.language.examples.beta_hellinger import beta_hellinger
from discreet.language.examples.beta_hellinger_100 import beta_hellinger_100
from discreet.language.examples.beta_input import beta_input
from discreet.language.examples.beta_l1 import beta_l1
from discreet.language.examples.beta_l1_add_remove import beta_l1_add_remove
from discreet.language.examples.clamped import clamped
from discreet.language.examples.dirichlet_l1 import dirichlet_l1
from discreet.language.examples.naive_bayes import naive_bayes
from discreet.language.examples.normal_input import normal_input
from discreet.language.examples.normal_mean import normal_mean
from tests.programs.attacks import with_params, written
from tests.programs.broken.beta_l1_eps import beta_l1_eps

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "release.schema.json").read_text(encoding="utf-8")
)
COINS = [True] * 30 + [False] * 10
GRID = [Beta(1 + i, 41 - i) for i in range(41)]
RUNS: list[tuple[PrivateProgram, Any, dict[str, Any]]] = [
    (beta_l1, COINS, {"eps": 1}),
    (beta_l1_add_remove, COINS, {"eps": 0.5}),
    (clamped, COINS, {"eps": 0.1}),
    (beta_input, COINS, {"eps": 1}),
    (beta_hellinger, COINS, {"eps": 10, "candidates": GRID}),
    (dirichlet_l1, [0, 1, 2, 2, 0], {"alpha": [1, 0.5, 2], "eps": 1}),
    (naive_bayes, [("sick", True), ("well", False)], {"eps": 1}),
    (normal_mean, [0.1, 0.5, 2.0], {"v": 1, "V": 4, "eps": 1}),
    (normal_input, [0.1, 0.5, 2.0], {"eps": 1, "delta": 1e-6}),
]


@pytest.mark.parametrize(
    ("program", "data", "given"), RUNS, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_release_is_read_back(program: PrivateProgram, data: Any, given: dict[str, Any]) -> None:
    release = program.run(data, **given)
    assert isinstance(release.guarantee.basis, Derivation)
    assert not release.simulated
    document = json.loads(release.to_json())
    jsonschema.validate(document, SCHEMA)
    assert dp.Release.from_json(release.to_json()) == release
    assert (
        release.guarantee.epsilon
        == program.program.costs(program.program.read_parameters(given), len(data))[0]
    )


def test_the_value_follows_from_the_draws_alone() -> None:
    """An edited transcript changes the value; an edited value is refused."""
    release = beta_l1.run(COINS, eps=1)
    document = json.loads(release.to_json())
    assert release.value == Beta(1 + release.raw[0], 1 + release.raw[1])
    document["value"] = {"law": "Beta", "parameters": [{"exact": "1"}, {"exact": "1"}]}
    with pytest.raises(dp.DocumentError, match="changed after"):
        dp.Release.from_json(document)


def test_the_posterior_of_a_release() -> None:
    release = clamped.run(COINS, eps=100, rng=np.random.default_rng(1))
    assert release.simulated
    assert release.posterior.mean() == pytest.approx([31 / 42, 11 / 42], abs=0.03)
    assert release.posterior.categories == (True, False)


def test_a_negative_parameter_is_an_error_on_use_only() -> None:
    rng = np.random.default_rng(2)
    releases = [beta_l1.run([True], eps=0.1, rng=rng) for _ in range(40)]
    negative = [made for made in releases if min(made.value.parameters) <= 0]
    assert negative
    for made in negative:
        with pytest.raises(dp.NotAPosteriorError, match="0 or less"):
            _ = made.posterior


def test_noise_has_the_law_that_was_proved() -> None:
    """The mean square of 1,500 draws, within 6 standard errors; not that of half the noise."""
    rng = np.random.default_rng(3)
    eps = 0.5
    draws = [int(beta_l1.run(COINS, eps=eps, rng=rng).raw[0]) - 30 for _ in range(1500)]
    q = np.exp(-eps)
    variance = 2 * q / (1 - q) ** 2
    error = np.sqrt((_fourth(eps) - variance**2) / len(draws))
    assert abs(np.mean(np.square(draws)) - variance) < 6 * error
    half = np.exp(-2 * eps)
    assert abs(np.mean(np.square(draws)) - 2 * half / (1 - half) ** 2) > 6 * error


def _fourth(eps: float) -> float:
    z = np.arange(-400, 401)
    p = np.tanh(eps / 2) * np.exp(-eps * np.abs(z))
    return float((p * z**4.0).sum())


def test_what_is_not_proved_is_not_run() -> None:
    with pytest.raises(dp.PrivacyRefusedError, match="more than the declared eps"):
        beta_l1_eps.run(COINS, eps=1)


BAD: list[tuple[PrivateProgram, Any, dict[str, Any], str]] = [
    (beta_l1, [1, 0], {"eps": 1}, r"data\[0\] must be True or False"),
    (beta_l1, [True, None], {"eps": 1}, r"data\[1\] must be True or False"),
    (beta_l1, "TF", {"eps": 1}, "data must be a list of records"),
    (beta_l1, [], {"eps": 1}, "at least one record"),
    (beta_l1, [True], {"eps": 0}, "eps must be above 0, got 0"),
    (beta_l1, [True], {"eps": float("nan")}, "eps"),
    (beta_l1, [True], {}, "needs the parameter eps"),
    (beta_l1, [True], {"eps": 1, "sigma": 2}, "no parameter of beta_l1"),
    (beta_hellinger_100, COINS, {"eps": 1, "candidates": GRID}, "declared 100 records"),
    (beta_hellinger, COINS, {"eps": 1, "candidates": []}, "candidates must be a list"),
    (beta_hellinger, COINS, {"eps": 1, "candidates": [1]}, r"candidates\[0\] must be a Beta"),
    (beta_hellinger, COINS, {"eps": 1, "candidates": [Beta(-1, 1)]}, "positive parameters"),
    (dirichlet_l1, [0, 7], {"eps": 1, "alpha": [1, 1]}, r"data\[1\] must be below the length 2"),
    (normal_mean, [float("inf")], {"v": 1, "V": 1, "eps": 1}, r"data\[0\] must be a finite number"),
]


@pytest.mark.parametrize(("program", "data", "given", "message"), BAD)
def test_bad_input_is_refused_before_any_charge(
    program: PrivateProgram, data: Any, given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=10, delta=0.1)
    with pytest.raises(dp.InputError, match=message) as caught:
        program.run(data, ledger=ledger, dataset="trial", **given)
    assert "7" not in str(caught.value).replace("100", "")
    assert not ledger.datasets()


def _at_place(place: str) -> PrivateProgram:
    return written(
        with_params('"alpha": Vector(Pos)'),
        "data, eps, alpha",
        f"x = sample(laplace(eps, sum(data)))\n{place}",
    )


def test_what_public_numbers_make_fail_is_refused_before_any_charge(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=10)
    third = _at_place("return x + alpha[3]")
    assert third.check().proved
    with pytest.raises(dp.InputError, match="whatever is drawn: a place in the program lies out"):
        third.run(COINS, eps=1, alpha=[1, 2], ledger=ledger, dataset="trial")
    assert not ledger.datasets()
    assert third.run(COINS, eps=1, alpha=[1, 2, 3, 4], ledger=ledger, dataset="trial").value


def test_what_only_some_draws_make_fail_is_run() -> None:
    inverse = _at_place("return 1 / x")  # a rehearsal with the draw 0 divides by 0
    assert inverse.check().proved
    assert 0 < inverse.run(COINS, eps=100, alpha=[1]).value < 1


def test_the_ledger_pays_what_was_declared(tmp_path: Path) -> None:
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=3)
    release = beta_l1.run(COINS, eps=1, ledger=ledger, dataset="trial", request_id="one")
    again = beta_l1.run(COINS, eps=1, ledger=ledger, dataset="trial", request_id="one")
    assert again.value == release.value
    assert ledger.remaining("trial").epsilon == 1
    with pytest.raises(dp.BudgetError):
        beta_l1.run(COINS, eps=1, ledger=ledger, dataset="trial")
