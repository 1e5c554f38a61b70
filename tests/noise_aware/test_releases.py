"""Releases that know their noise, summaries, and what is refused."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import discreet as dp
from discreet.noise_aware import infer
from tests.noise_aware.cases import (
    OPTIONS,
    made,
)


@pytest.mark.parametrize("name", dp.MECHANISMS)
def test_releases_know_their_noise(name: str, rng: np.random.Generator) -> None:
    model = dp.BetaBinomial(categories=("cured", "not cured"))
    release = dp.release(
        (71, 19), model, 1, name, rng=rng, allow_nonprivate=True,
        **OPTIONS.get(name, {}) | ({"calibrate": True} if name == "smooth_hellinger" else {}),
    )  # fmt: skip
    posterior = dp.Release.from_json(release.to_json()).noise_aware()
    assert (posterior.sd() > release.posterior.sd()).all()
    again = pickle.loads(pickle.dumps(posterior))
    np.testing.assert_array_equal(again.interval(), release.noise_aware().interval())


def test_summary() -> None:
    model = dp.BetaBinomial(categories=("cured", "not <cured>"))
    summary = dp.release((71, 19), model, 0.3, rng=np.random.default_rng(1)).summary()
    posterior = summary.noise_aware
    text = str(summary)
    (low, high), share = posterior.interval()[0], posterior.parts().sampling / posterior.variance()
    assert f"cured and not <cured>: the interval is {high - low:.3g} wide" in text
    assert text.count("wide") == 1
    assert "% privacy." in text
    assert text.startswith("simulated, not private: lattice, n = 90: ")
    assert "<p>simulated, not private" in summary._repr_html_()
    assert f"{100 * share[0]:.0f} % of the variance is sampling" in text
    assert "as released" in text
    assert f"{low:.3f} – {high:.3f}" in text
    assert "not &lt;cured&gt;" in summary._repr_html_()
    console = Console(width=100, file=io.StringIO())
    console.print(summary)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "noise-aware" in shown
    assert "simulated, not private" in shown
    assert repr(summary) == text


def test_summary_of_real_and_of_nonprivate_releases() -> None:
    real = dp.release((71, 19), dp.BetaBinomial(), 1)
    assert str(real.summary()).startswith("lattice, n = 90: ε = 1, δ = 0 for replacing one record")
    without = dp.release((71, 19), dp.BetaBinomial(), 1, "ehdl", allow_nonprivate=True)
    text = str(without.summary())
    assert "% noise." in text
    assert "privacy" not in text


def test_summary_without_a_posterior() -> None:
    for seed in range(60):
        release = dp.release(
            (3, 0), dp.BetaBinomial(), 0.1, rng=np.random.default_rng(seed), postprocess=None
        )
        if min(release.raw) < 0:
            break
    with pytest.raises(dp.NotAPosteriorError, match=r"noise_aware\(\), or release with postproc"):
        _ = release.posterior
    text = str(release.summary())
    assert "as released" not in text
    assert "noise-aware" in text
    assert "noise_aware()" in release._repr_html_()


def test_summary_of_many_categories_and_many_records(rng: np.random.Generator) -> None:
    model = dp.DirichletMultinomial(range(40))
    text = str(dp.release([50] * 40, model, 1, rng=rng).summary(rng=rng))
    assert "40 categories in all" in text
    assert len(text.splitlines()) < 70
    rare = dp.release((10**7, 50), dp.BetaBinomial(), 1, rng=rng).summary()
    assert "0.000000" not in rare.rows[2][4]


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("lattice", (4, 5)),
        ("lattice", (4, 5, 6)),
        ("lattice", (4.5, 5.5)),
        ("lattice", "45"),
        ("lattice", None),
        ("ls_dim", (4, 6)),
        ("ehds", (4, 7)),
        ("ehds", (-1, 11)),
    ],
)
def test_outputs_that_cannot_be(name: str, raw: Any) -> None:
    with pytest.raises(dp.InputError, match="raw must be"):
        infer(made(name, 2, 10, 1, 1.0), raw)


def test_more_outputs_that_cannot_be() -> None:
    for name in dp.MECHANISMS:
        with pytest.raises(dp.InputError, match="raw must be an output"):
            infer(made(name, 2, 0, 1, 1.0), (1, -1) if not name.startswith("ls") else (1,))
    with pytest.raises(dp.InputError, match="raw must be an output"):
        infer(made("lattice", 3, 10, 1, 1.0), (1, 2, 3))


@pytest.mark.parametrize("n_prior", [5, (1, 2, 3), "flat", (5, 2), (-1, 4), (1.5, 3), [1, 2]])
def test_wrong_priors_of_n(n_prior: Any) -> None:
    with pytest.raises(dp.InputError, match="n_prior"):
        infer(made("lattice", 2, None, 1, 1.0), (3, 4), n_prior=n_prior)
    with pytest.raises(dp.InputError, match="n_prior must be None where n is public"):
        infer(made("lattice", 2, 7, 1, 1.0), (3, 4), n_prior=n_prior)


def test_wrong_generators() -> None:
    release = dp.release((3, 4, 5), dp.DirichletMultinomial(range(3)), 1)
    with pytest.raises(dp.InputError, match="rng must be"):
        release.noise_aware(rng=7)  # type: ignore[arg-type]


def test_one_release_has_one_posterior(rng: np.random.Generator) -> None:
    """Also where the counts behind it are drawn."""
    model = dp.DirichletMultinomial(range(6))
    release = dp.release([10**6] * 6, model, 1e-4, rng=rng)
    first, second = release.noise_aware(), release.noise_aware()
    assert first.diagnostics.method == "draws"
    assert (first.interval() == second.interval()).all()
    other = release.noise_aware(rng=np.random.default_rng(1))
    assert (first.interval() != other.interval()).any()
