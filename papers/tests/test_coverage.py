from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure
from rich.console import Console
from scipy import stats

import discreet as dp
from discreet.noise_aware import infer
from discreet_papers import coverage as study
from discreet_papers import marginals
from discreet_papers.coverage import SETTINGS, Setting, coverage


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_noise_aware_intervals_cover_and_naive_ones_do_not(setting: Setting) -> None:
    """2,000 draws have a standard error of half a point."""
    rng = np.random.default_rng([1, *map(ord, str(setting))])
    result = coverage(setting.model, setting.n, setting.epsilon, draws=2000, rng=rng)
    for aware, naive in zip(result.noise_aware, result.naive, strict=True):
        assert abs(aware - 0.95) < 0.015
        assert naive < aware + 0.01
    known: dict[Any, float] = {(100, 0.1): 0.517, (1000, 0.02): 0.363}
    if setting.prior == (1, 1) and (setting.n, setting.epsilon) in known:
        expected = known[setting.n, setting.epsilon]
        assert abs(result.naive[0] - expected) < 6 * np.sqrt(0.25 / 2000)


def takes_long(setting: Setting) -> bool:
    return len(setting.prior) > 2 or not isinstance(setting.n, int)


OTHERS = [(name, s) for name in ("gaussian", "ls_hist") for s in study.STUDIES[name]]


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        pytest.param(name, s, id=f"{name}, {s}", marks=[pytest.mark.slow] * takes_long(s))
        for name, s in OTHERS
    ],
)
def test_noise_aware_intervals_of_other_mechanisms_cover(name: str, setting: Setting) -> None:
    """300 draws: a share that is 95 % is not told from it, false alarms 1e-6 for each component."""
    rng, options = np.random.default_rng([2, *map(ord, str(setting))]), study.OPTIONS.get(name, {})
    result = coverage(*setting_of(setting), name, 300, rng=rng, **options)
    low, high = stats.binom.ppf([5e-7, 1 - 5e-7], 300, 0.95) / 300
    assert all(low <= share <= high for share in result.noise_aware)
    assert np.mean(result.naive) < np.mean(result.noise_aware) + 0.01  # some have little noise


def setting_of(setting: Setting) -> tuple[Any, Any, float]:
    return setting.model, setting.n, setting.epsilon


def test_twelve_settings() -> None:
    assert len(SETTINGS) == len(set(SETTINGS)) == 12
    assert len(OTHERS) >= 8
    assert {len(s.prior) for s in SETTINGS} == {2, 3}
    assert (min(s.n for s in SETTINGS), max(s.n for s in SETTINGS)) == (20, 10_000)
    assert (min(s.epsilon for s in SETTINGS), max(s.epsilon for s in SETTINGS)) == (0.02, 2)


@pytest.mark.parametrize(
    ("name", "prior", "n", "epsilon"),
    [
        ("lattice", (1, 1), 30, 0.5),
        ("lattice", (0.5, 0.5), 200, 0.1),
        ("lattice", (0.3, 4), 5000, 2),
        ("lattice", (1, 0.5, 3), 60, 0.7),
        ("lattice", (0.5, 0.5, 1, 2), 25, 2),
        ("ls_hist", (1, 2), 40, 0.6),
        ("ls_dim", (1, 1, 1), 20, 1.5),
        ("ehds", (1, 1), 25, 2),
    ],
)
def test_many_at_once_is_one_by_one(
    name: str, prior: tuple[Any, ...], n: int, epsilon: float, rng: np.random.Generator
) -> None:
    """The fast path, the posterior's own cdf, and its intervals agree."""
    model = dp.DirichletMultinomial(range(len(prior)), prior)
    mechanism = dp.mechanism(name, model, n=n, epsilon=epsilon)
    theta = rng.dirichlet(prior, 40)
    raws = study._simulate(mechanism, rng.multinomial(n, theta), rng)
    found = marginals.marginal_cdfs(mechanism, raws, theta, rng)
    for row in range(40):
        posterior = infer(mechanism, tuple(raws[row].tolist()))
        interval = posterior.interval(0.9)
        for i in range(len(prior)):
            assert found[row, i] == pytest.approx(posterior.cdf(theta[row, i], i), abs=1e-9)
            inside = interval[i, 0] <= theta[row, i] <= interval[i, 1]
            assert inside == (0.05 <= found[row, i] <= 0.95)


@pytest.mark.parametrize("name", ["lattice", "ls_dim", "ehds"])
@pytest.mark.parametrize("k", [2, 3])
def test_simulated_outputs_have_the_law_of_the_mechanism(
    name: str, k: int, rng: np.random.Generator
) -> None:
    model = dp.DirichletMultinomial(range(k))
    mechanism = dp.mechanism(name, model, n=8, epsilon=1)
    counts = np.array([[8] + [0] * (k - 1), [3, 5] + [0] * (k - 2)] * 20_000)
    raws = study._simulate(mechanism, counts, rng)
    for start in (0, 1):
        law = mechanism.raw_law(counts[start])
        outcome, times = np.unique(raws[start::2], axis=0, return_counts=True)
        for row in np.argsort(times)[-4:]:
            p = law.probability(outcome[row])
            assert abs(times[row] / 20_000 - p) < 6 * np.sqrt(p / 20_000)


def test_no_records() -> None:
    result = coverage(dp.BetaBinomial(), 0, 1, draws=500, rng=np.random.default_rng(0))
    assert result.noise_aware == result.naive


def test_other_levels_and_mechanisms(rng: np.random.Generator) -> None:
    model = dp.BetaBinomial("jeffreys")
    result = coverage(model, 40, 1, "ehds", draws=1000, level=0.5, rng=rng, gamma=0.5)
    assert abs(result.noise_aware[0] - 0.5) < 6 * 0.5 / np.sqrt(1000)
    assert result.mechanism == "ehds"
    assert result.error == pytest.approx(0.5 / np.sqrt(1000))
    assert "noise-aware" in str(result)


def test_wrong_arguments() -> None:
    model = dp.BetaBinomial()
    for options, message in (
        ({"draws": -1}, "size must"),
        ({"level": 1}, "level must"),
        ({"rng": 3}, "rng must"),
        ({"mechanism": "magic"}, "mechanism must be one of"),
        ({"colour": 1}, "colour is not an option"),
    ):
        with pytest.raises(dp.InputError, match=message):
            coverage(model, 10, 1, **options)


def test_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "SETTINGS", (SETTINGS[0], SETTINGS[8]))
    arguments = ["--draws", "200", "--out", str(tmp_path / "new"), "--seed", "3"]
    result = CliRunner().invoke(study.main, arguments)
    assert result.exit_code == 0, result.output
    assert "noise-aware" in result.output
    with (tmp_path / "new" / "coverage.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["component"] for row in rows] == ["0", "1", "0", "1", "2"]
    again = study.study(200, 3)
    assert float(rows[2]["noise_aware"]) == pytest.approx(again[1].noise_aware[0])
    assert (tmp_path / "new" / "coverage.png").stat().st_size > 5000
    before = (tmp_path / "new" / "coverage.csv").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(study, "study", lambda *_: pytest.fail("computed before it was refused"))
        refused = CliRunner().invoke(study.main, [*arguments[:-1], "4"])
    assert refused.exit_code == 2
    assert "exists already: --force" in refused.output
    assert (tmp_path / "new" / "coverage.csv").read_bytes() == before
    result = CliRunner().invoke(study.main, [*arguments[:-1], "4", "--force"])
    assert result.exit_code == 0
    assert (tmp_path / "new" / "coverage.csv").read_bytes() != before


def test_table_and_plot() -> None:
    shares = (0.951, 0.942, 0.963), (0.9, 0.91, 0.89)
    results = [study.Coverage(SETTINGS[8], "lattice", 0.95, 100, *shares)]
    console = Console(width=100)
    with console.capture() as capture:
        console.print(study.table(results))
    assert "95.1 94.2 96.3" in capture.get()
    ax = study.plot(results)
    assert [text.get_text() for text in ax.get_yticklabels()] == ["prior (1, 1, 1)  n = 50  ε = 1"]
    assert [text.get_text().strip() for text in ax.texts] == ["95 %"]
    assert ax.get_title(loc="left") == "lattice, 100 simulated releases per setting"
    figure, legend = ax.get_figure(root=True), ax.get_legend()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    assert legend is not None
    assert legend.get_window_extent().y1 < ax.get_window_extent().y0  # beside the data, not on them
    assert [np.size(line.get_xdata()) for line in ax.lines[:2]] == [3, 3]
