from __future__ import annotations

import doctest
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.exact import compositions
from discreet.noise_aware import infer
from discreet.planning.accuracy import accuracy, mean_error
from discreet.planning.errors import Errors
from discreet.planning.places import places

pd = pytest.importorskip("pandas")
BETA = dp.BetaBinomial()
THREE = dp.DirichletMultinomial(("a", "b", "c"))


def errors(
    name: str,
    model: dp.DirichletMultinomial,
    n: int,
    size: int = 256,
    at: object = None,
    worst: bool = False,
    distance: str = "hellinger",
    **options: object,
) -> Errors:
    def make(epsilon: Fraction) -> dp.Mechanism:
        public = None if "adjacency" in options else n
        return dp.mechanism(name, model, public, epsilon=epsilon, **options)  # type: ignore[arg-type]

    return Errors(make, model, places(model, n, at, worst, size), distance)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "6"])
@pytest.mark.parametrize(
    ("name", "counts", "options"),
    [
        ("lattice", (70, 30), {}),
        ("lattice", (100, 0), {}),
        ("ls_hist", (1, 99), {}),
        ("ls_dim", (70, 20, 10), {}),
        ("lattice", (70, 20, 10), {}),
        ("lattice", (70, 20, 10), {"postprocess": "clip"}),
        ("lattice", (60, 10, 10, 10, 10), {}),
        ("ehds", (70, 30), {}),
        ("ehd", (50, 25, 25), {}),
        ("smooth_hellinger", (70, 30), {"delta": 1e-6, "calibrate": True}),
        ("lattice", (6, 4), {"adjacency": "add-remove"}),
        ("lattice", (6, 4, 0), {"adjacency": "add-remove"}),
    ],
)
def test_quick_errors_agree_with_the_exact_law(
    name: str, counts: tuple[int, ...], options: dict[str, Any], epsilon: str
) -> None:
    """Within one per cent of the listed law, at one vector of counts."""
    model = dp.DirichletMultinomial(tuple("abcde")[: len(counts)])
    quick = errors(name, model, sum(counts), at=counts, **options)
    made = quick.make(Fraction(epsilon))
    law = accuracy(made, counts, rng=np.random.default_rng(1))
    slack = 5 * law.standard_error / law.mean
    assert quick.mean(Fraction(epsilon)) == pytest.approx(law.mean, rel=0.012 + slack)
    assert quick.quantile(Fraction(epsilon), 0.9) == pytest.approx(law.quantile(0.9), rel=0.06)


@pytest.mark.parametrize("distance", ["total_variation", "kl", "l1"])
def test_quick_errors_in_other_distances(distance: str) -> None:
    for name in ("lattice", "ehds"):
        quick = errors(name, BETA, 50, at=(20, 30), distance=distance)
        law = accuracy(dp.mechanism(name, BETA, n=50, epsilon=1), (20, 30), distance)
        assert quick.mean(Fraction(1)) == pytest.approx(law.mean, rel=1e-6)


def test_a_smaller_mean_for_candidates_in_runs() -> None:
    """Exponential mechanisms, two categories, n = 100,000: runs of candidates against all."""
    for counts in ((30_000, 70_000), (0, 100_000), (99_990, 10)):
        quick = errors("ehds", BETA, 100_000, at=counts)
        law = accuracy(dp.mechanism("ehds", BETA, n=100_000, epsilon=2), counts)
        assert quick.mean(Fraction(2)) == pytest.approx(law.mean, rel=2e-3)


@pytest.mark.parametrize("name", ["lattice", "ls_hist", "ehd"])
def test_averages_over_the_prior_predictive(name: str) -> None:
    model = dp.BetaBinomial(prior=(0.5, 2))
    made = dp.mechanism(name, model, n=300, epsilon=1)
    assert errors(name, model, 300).mean(Fraction(1)) == pytest.approx(
        mean_error(made, "prior_predictive"), rel=5e-3
    )


def test_averages_over_three_categories() -> None:
    made = dp.mechanism("lattice", THREE, n=30, epsilon=2)
    assert errors("lattice", THREE, 30).mean(Fraction(2)) == pytest.approx(
        mean_error(made, "prior_predictive"), rel=0.01
    )


def test_the_quantile_is_that_of_the_mixture() -> None:
    model = dp.BetaBinomial(prior=(0.5, 2))
    made = dp.mechanism("lattice", model, n=30, epsilon=1)
    every = compositions.rows(30, 2).tolist()
    weights = model.posterior((0, 0)).predictive_counts(30).pmf(every)
    for q in (0.5, 0.95):
        value = errors("lattice", model, 30).quantile(Fraction(1), q)
        above = [accuracy(made, row).tail(value * (1 + 1e-9) + 1e-12) for row in every]
        at_least = [accuracy(made, row).tail(value * (1 - 1e-9)) for row in every]
        assert np.dot(weights, above) <= 1 - q + 1e-9 < np.dot(weights, at_least) + 1e-9


def test_the_worst_case_is_the_largest() -> None:
    made = dp.mechanism("lattice", THREE, n=10, epsilon=1)
    laws = [accuracy(made, row) for row in compositions.rows(10, 3).tolist()]
    worst = errors("lattice", THREE, 10, worst=True)
    assert worst.mean(Fraction(1)) == pytest.approx(max(law.mean for law in laws), rel=1e-4)
    assert worst.quantile(Fraction(1), 0.9) == pytest.approx(
        max(law.quantile(0.9) for law in laws), rel=1e-6
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lattice", "ls_hist", "ehds"])
@pytest.mark.parametrize("prior", [1, (3, 0.5, 1)])
@pytest.mark.parametrize("epsilon", ["0.5", "4"])
def test_the_family_of_the_worst_case_has_about_the_worst(
    name: str, prior: Any, epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond 2,000 counts a family stands for all; here all are tried as well."""
    model = dp.DirichletMultinomial(("a", "b", "c"), prior=prior)
    every = errors(name, model, 24, worst=True)
    monkeypatch.setattr("discreet.planning.places.ALL_COUNTS", 1)
    family = errors(name, model, 24, worst=True)
    assert len(every.places.counts) == 325
    assert len(family.places.counts) < 60
    assert set(family.places.counts) <= set(every.places.counts)
    assert "lines from the corners" in family.places.words
    largest = every.mean(Fraction(epsilon))
    assert 0.97 * largest <= family.mean(Fraction(epsilon)) <= largest


def test_the_family_of_the_worst_case_stays_small() -> None:
    many = dp.DirichletMultinomial(tuple(range(50)), prior=[0.5 + i for i in range(50)])
    for model, n in ((BETA, 10**15), (THREE, 10**6), (many, 10**6)):
        found = places(model, n, None, True, 9)
        assert len(found.counts) < 400
        assert all(sum(row) == n and min(row) >= 0 for row in found.counts)
        assert (n, *[0] * (len(model.prior) - 1)) in found.counts


def test_proportions_become_counts() -> None:
    assert places(THREE, 10, (0.5, 0.3, 0.2), False, 9).counts == ((5, 3, 2),)
    assert places(THREE, 10, (1 / 3, 1 / 3, 1 / 3), False, 9).counts == ((4, 3, 3),)
    assert places(THREE, 10, (5, 3, 2), False, 9).counts == ((5, 3, 2),)
    # ties go to the first category
    assert places(THREE, 10, np.array([0.05, 0.05, 0.9]), False, 9).counts == ((1, 0, 9),)


@pytest.mark.parametrize(
    ("model", "n", "options"),
    [
        (BETA, 500, {"error": 0.05}),
        (BETA, 500, {"error": 0.1, "quantile": 0.9}),
        (BETA, 500, {"error": 0.2, "mechanism": "ehds"}),
        (BETA, 500, {"error": 3, "mechanism": "ls_hist", "distance": "l1", "at": (0.2, 0.8)}),
        (BETA, 10**6, {"error": 0.001}),
        (BETA, 100, {"width": 0.3, "at": (0.4, 0.6)}),
        (THREE, 600, {"error": 0.1, "at": (463, 116, 21)}),
        (THREE, 10, {"error": 0.2, "worst_case": True}),
    ],
)
def test_the_target_is_met_there_and_missed_one_step_below(
    model: dp.DirichletMultinomial, n: int, options: dict[str, Any]
) -> None:
    found = dp.plan(model, n, **options)
    epsilon = found.epsilon
    assert isinstance(epsilon, Fraction)
    digits = Fraction(f"{float(epsilon):.3g}")
    assert epsilon == digits
    kind = "width" if "width" in options else "quantile" if "quantile" in options else "error"
    target = float(options["width" if kind == "width" else "error"])
    value = {"error": found.error, "quantile": found.error_quantile, "width": found.width}[kind]
    assert value is not None
    assert value <= target
    step = Fraction(10) ** (math.floor(math.log10(epsilon)) - 2)
    assert found.setting.value(kind, epsilon - step) > target
    again = dp.plan(model, n, **options)
    assert (again.epsilon, again.error, str(again)) == (epsilon, found.error, str(found))


def test_the_other_way_round() -> None:
    found = dp.plan(BETA, 300, error=0.08)
    back = dp.plan(BETA, 300, epsilon=float(found.epsilon))
    assert back.epsilon == found.epsilon
    assert (back.error, back.error_quantile) == (found.error, found.error_quantile)
    assert back.width == found.width > back.width_without_noise
    made = dp.mechanism("lattice", BETA, n=300, epsilon=found.epsilon)
    assert back.error == pytest.approx(mean_error(made, "prior_predictive"), rel=5e-3)


def test_the_worst_case_costs_more() -> None:
    average = dp.plan(BETA, 300, error=0.1)
    worst = dp.plan(BETA, 300, error=0.1, worst_case=True)
    even = dp.plan(BETA, 300, error=0.1, at=(0.5, 0.5))
    assert even.epsilon < average.epsilon < worst.epsilon


def expected_width(made: dp.Mechanism, size: int, rng: np.random.Generator) -> tuple[float, float]:
    """By simulation, and its standard error."""
    model, n = made.config.model, made.config.n
    assert n is not None
    widths = []
    for _ in range(size):
        theta = rng.dirichlet([float(a) for a in model.prior])
        raw = made.raw_law(rng.multinomial(n, theta).tolist()).sample(rng=rng)
        interval = infer(made, raw, rng=rng).interval(0.95)
        widths.append(float((interval[:, 1] - interval[:, 0]).max()))
    return float(np.mean(widths)), float(np.std(widths) / math.sqrt(size))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "n", "epsilon", "size"), [(BETA, 100, 0.1, 200), (THREE, 60, 1.0, 60)]
)
def test_widths_agree_with_simulation(
    model: dp.DirichletMultinomial, n: int, epsilon: float, size: int, rng: np.random.Generator
) -> None:
    """Within two per cent, besides the error of the simulation."""
    mean, error = expected_width(dp.mechanism("lattice", model, n=n, epsilon=epsilon), size, rng)
    found = dp.plan(model, n, epsilon=epsilon)
    assert found.width == pytest.approx(mean, abs=5 * error + 0.02 * mean)
    assert found.width > found.width_without_noise


@pytest.mark.slow
def test_widths_under_add_remove(rng: np.random.Generator) -> None:
    made = dp.mechanism("lattice", BETA, epsilon=0.4, adjacency="add-remove")
    widths = []
    for ones in rng.binomial(40, rng.beta(1, 1, 150)).tolist():
        raw = made.raw_law((ones, 40 - ones)).sample(rng=rng)
        low, high = infer(made, raw).interval()[0]
        widths.append(high - low)
    found = dp.plan(BETA, 40, epsilon=0.4, adjacency="add-remove")
    error = float(np.std(widths)) / math.sqrt(len(widths))
    assert found.width == pytest.approx(np.mean(widths), abs=5 * error + 0.02 * found.width)


@pytest.mark.parametrize(("counts", "epsilon"), [((30, 70), 0.1), ((50, 50), 0.2)])
def test_the_width_at_a_place_is_the_mean_over_all_outputs(
    counts: tuple[int, int], epsilon: float
) -> None:
    """Noise-aware widths weighted by the probabilities of the outputs, within two per cent."""
    made, n = dp.mechanism("lattice", BETA, n=100, epsilon=epsilon), 100
    noise = np.arange(-150, 151)
    p = np.exp(-epsilon * np.abs(noise)) * math.tanh(epsilon / 2)
    assert p.sum() == pytest.approx(1, abs=1e-6)
    widths = []
    for z in (counts[0] + noise).tolist():
        low, high = infer(made, (z, n - z)).marginal().ppf([0.025, 0.975])
        widths.append(high - low)
    found = dp.plan(BETA, n, epsilon=epsilon, at=counts)
    assert found.width == pytest.approx(p @ widths, rel=0.02)
    assert found.width > 1.3 * found.width_without_noise  # half of what is added would be missed


def test_widths_at_a_place_and_at_the_worst() -> None:
    even = dp.plan(BETA, 100, epsilon=1, at=(50, 50))
    exact = BETA.posterior((50, 50)).interval(0.95)[0]
    assert even.width_without_noise == pytest.approx(exact[1] - exact[0])
    assert even.width > even.width_without_noise
    worst = dp.plan(BETA, 100, epsilon=1, worst_case=True)
    assert worst.width_without_noise == pytest.approx(exact[1] - exact[0])
    assert worst.width == pytest.approx(even.width, rel=0.02)


def test_other_levels_have_other_widths() -> None:
    wide, narrow = (dp.plan(BETA, 50, epsilon=1, at=(0.5, 0.5), level=q) for q in (0.99, 0.5))
    assert wide.width > 2 * narrow.width


def test_a_generous_target_needs_the_least_epsilon() -> None:
    found = dp.plan(BETA, 50, error=1.5)
    assert found.epsilon == Fraction(1, 10**4)
    assert "0.0001 (the smallest epsilon that is considered)" in str(found)
    assert "considered" not in str(dp.plan(BETA, 50, error=0.3))


def test_one_record() -> None:
    assert "for 1 record, averaged" in str(dp.plan(BETA, 1, epsilon=1))


def test_places_by_label() -> None:
    """A mapping or a Series is read by its labels, as counts are; what is left out is 0."""
    asked = dp.plan(THREE, 30, epsilon=1, at=(0.2, 0.8, 0))
    for at in ({"b": 0.8, "a": 0.2}, pd.Series({"b": 24, "a": 6})):
        assert dp.plan(THREE, 30, epsilon=1, at=at).error == asked.error
    with pytest.raises(dp.InputError, match="at has at position 1 a label that is not a category"):
        dp.plan(THREE, 30, epsilon=1, at={"a": 0.5, "x": 0.5})


def test_what_it_says() -> None:
    found = dp.plan(BETA, 300, error=0.08, quantile=0.9)
    text = str(found)
    assert "The least epsilon for which lattice keeps the 90 % quantile" in text
    assert "at or below 0.08, for 300 records, averaged over the counts" in text
    assert "without noise" not in text  # the width was not asked for
    assert f"ε = {float(found.epsilon):g}, δ = 0 for replacing one record" in text
    assert repr(found).startswith(f"<plan: epsilon = {float(found.epsilon):g}. The least")
    html = found._repr_html_()
    assert html.count("<tr>") == html.count("</tr>") == 4
    assert "without noise" in str(dp.plan(BETA, 30, epsilon=1))
    costly = str(dp.plan(THREE, 200, epsilon=1, mechanism="ehds", at=(0.5, 0.3, 0.2)))
    assert "not computed: the noise-aware posterior of ehds" in costly


def test_the_guarantee_is_the_proved_one() -> None:
    options: dict[str, Any] = {"mechanism": "smooth_hellinger", "delta": 1e-6}
    for asked in ({"epsilon": 1}, {"error": 0.5}):
        with pytest.raises(dp.InputError, match="ask for calibrate=True"):
            dp.plan(BETA, 40, **asked, **options)  # dp.release would refuse it
    found = dp.plan(BETA, 40, epsilon=1, calibrate=True, **options)
    assert found.guarantee.epsilon == 1
    private_n = dp.plan(BETA, 40, epsilon=1, adjacency="add-remove")
    assert private_n.guarantee.adjacency is dp.Adjacency.ADD_REMOVE


def test_it_pickles_and_is_frozen() -> None:
    found = dp.plan(BETA, 30, error=0.2)
    again = pickle.loads(pickle.dumps(found))
    assert (again.epsilon, again.width, str(again)) == (found.epsilon, found.width, str(found))
    with pytest.raises(AttributeError):
        found.epsilon = Fraction(1)  # type: ignore[misc]


@pytest.mark.parametrize("options", [{"error": 0.1}, {"width": 0.3}, {"epsilon": 1}])
def test_the_curve(options: dict[str, Any]) -> None:
    found = dp.plan(BETA, 100, at=(0.3, 0.7), **options)
    ax = found.plot()
    curve, *_, mark = ax.lines
    x, y = (np.asarray(data, dtype=float) for data in curve.get_data())
    assert (np.diff(x) > 0).all()
    assert (np.diff(y) < 0).all()
    assert x[0] == pytest.approx(float(found.epsilon) / 20, rel=0.01)
    value = found.width if "width" in options else found.error
    assert (mark.get_xdata(), mark.get_ydata()) == ([float(found.epsilon)], [value])
    assert ax.get_xlabel() == "ε"
    assert len(x) >= 25
    kind = "mean width" if "width" in options else "mean error"
    assert [item.get_text() for item in ax.texts] == [
        f"ε = {float(found.epsilon):g}: {kind} {value:.3g}"
    ]
    assert ax.get_title(loc="left").startswith("lattice, n = 100, at the proportions (0.3, 0.7)")
    assert ("width" in ax.get_ylabel()) == ("width" in options)


def test_unreachable_targets_say_what_is_possible() -> None:
    with pytest.raises(dp.InputError, match=r"width must be above 0\.19\d*, the expected width"):
        dp.plan(BETA, 100, width=0.1, at=(0.5, 0.5))
    with pytest.raises(dp.InputError, match=r"at least 0\.0732.*rounding down leaves an error"):
        dp.plan(BETA, 40, error=0.02, mechanism="ls_hist")
    with pytest.raises(dp.InputError, match="with epsilon up to 100, ehd reaches no smaller"):
        dp.plan(BETA, 10**6, error=1e-3, mechanism="ehd")


def test_rounding_down_leaves_an_error() -> None:
    """As epsilon grows, ⌊Laplace⌋ is 0 or −1 with probability ½ each: half a step of error."""
    half_steps = [
        0.5
        * float(dp.hellinger([ones + 1, 41 - ones], [max(ones - 1, 0) + 1, 41 - max(ones - 1, 0)]))
        for ones in range(41)
    ]
    left = dp.plan(BETA, 40, epsilon=100, mechanism="ls_hist").error
    assert left == pytest.approx(np.mean(half_steps), rel=1e-6)


def test_bad_input() -> None:
    wrong: list[dict[str, Any]] = [{}, {"error": 0.1, "width": 0.1}, {"error": 0.1, "epsilon": 1}]
    for given in wrong:
        with pytest.raises(dp.InputError, match="exactly one of error, width and epsilon"):
            dp.plan(BETA, 10, **given)
    with pytest.raises(dp.InputError, match="planning uses public values only"):
        dp.plan(BETA, 9, error=0.1, at=BETA.count([True] * 4 + [False] * 5))
    for at in ((0.5, 0.6), (5, 5), (-1, 10), (-0.5, 1.5)):
        with pytest.raises(dp.InputError, match="proportions that sum to 1 or counts that sum"):
            dp.plan(BETA, 9, error=0.1, at=at)
    with pytest.raises(dp.InputError, match="at must have 2 entries"):
        dp.plan(BETA, 9, error=0.1, at=(0.2, 0.3, 0.5))
    with pytest.raises(dp.InputError, match=r"at must be 2 numbers, one per category, got 0\.5"):
        dp.plan(BETA, 9, error=0.1, at=0.5)  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match=r"at\[0\] must be a number"):
        dp.plan(BETA, 9, error=0.1, at=("a", "b"))
    with pytest.raises(dp.InputError, match="at and worst_case exclude each other"):
        dp.plan(BETA, 9, error=0.1, at=(0.5, 0.5), worst_case=True)
    with pytest.raises(dp.InputError, match=r"must be private to plan .* got 'ehdl'"):
        dp.plan(BETA, 9, error=0.1, mechanism="ehdl")
    with pytest.raises(dp.InputError, match="choose postprocess="):
        dp.plan(BETA, 9, error=0.1, postprocess=None)
    with pytest.raises(dp.InputError, match="gamma is not an option of lattice"):
        dp.plan(BETA, 9, error=0.1, gamma=1)
    with pytest.raises(dp.InputError, match="error must be greater than 0, got 0"):
        dp.plan(BETA, 9, error=0)
    with pytest.raises(dp.InputError, match="n must lie between 1 and"):
        dp.plan(BETA, 0, error=0.1)
    with pytest.raises(dp.InputError, match="another model, got a tuple"):
        dp.plan((4, 5), 9, error=0.1)  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="two categories, got 3"):
        dp.plan(THREE, 9, error=0.1, distance="total_variation")
    with pytest.raises(dp.InputError, match="quantile must lie strictly"):
        dp.plan(BETA, 9, error=0.1, quantile=1)
    with pytest.raises(dp.InputError, match="level must lie strictly"):
        dp.plan(BETA, 9, error=0.1, level=0)
    with pytest.raises(dp.InputError, match="too many candidates to plan with"):
        dp.plan(THREE, 3000, error=0.1, mechanism="ehds")


def test_examples_in_the_docstrings() -> None:
    for room in ("discreet.planning.accuracy", "discreet.planning.plans"):
        result = doctest.testmod(import_module(room))
        assert result.attempted > 0
        assert result.failed == 0


def test_nothing_heavy_is_loaded_by_import() -> None:
    code = "import discreet, sys; print([m for m in ('scipy', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
