"""The figures of the explorer are those of the library, and come from public values only."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import trapezoid

import discreet as dp
from discreet.exact import Floats
from discreet.explorer import previews
from discreet.explorer.previews import Errors, Fan, Loss, Missing, Widths, figure
from discreet.explorer.settings import read_setting, sketched
from discreet.planning import comparison
from discreet.planning.accuracy import mean_error

SMALL = read_setting("71, 19", "1", "1")
LARGE = read_setting("463 247 21", "1", "0.5")


def test_errors_are_those_of_accuracy() -> None:
    found = figure("errors", SMALL, "lattice")
    law = dp.accuracy(dp.mechanism("lattice", SMALL.model, 90, epsilon=1), (71, 19))
    assert isinstance(found, Errors)
    assert (found.mean, found.error_95, found.exact) == (law.mean, law.quantile(0.95), law.exact)
    assert found.draws is None
    assert found.x == sorted(found.x)
    assert found.share == sorted(found.share)
    assert found.share[-1] == pytest.approx(1)


def test_what_cannot_be_listed_is_estimated_and_says_so() -> None:
    huge = read_setting("600000, 300000, 100000", "1", "0.001")
    found = figure("errors", huge, "lattice", 500)
    assert isinstance(found, Errors)
    assert found.draws == 500
    assert found.standard_error > 0


@pytest.mark.parametrize("name", ["lattice", "ls_dim"])
def test_what_takes_long_to_list_is_estimated_at_first(name: str) -> None:
    four = read_setting("24, 18, 12, 6", "1", "1")
    rough, fine = figure("errors", four, name), figure("errors", four, name, previews.MANY)
    assert (rough.draws, fine.draws) == (previews.FEW, None)
    assert rough.mean == pytest.approx(fine.mean, abs=6 * rough.standard_error)  # 1e-8


def test_a_curve_has_its_points_where_it_rises() -> None:
    """Of 205,000 possible errors nearly all are in a tail."""
    four = read_setting("24, 18, 12, 6", "1", "1")
    found = figure("errors", four, "lattice", previews.MANY)
    law = dp.accuracy(four.mechanism("lattice"), four.counts)
    reached = np.cumsum(law.probabilities)
    assert found.share[1:] == pytest.approx(
        [float(reached[np.searchsorted(law.distances, x)]) for x in found.x[1:]], abs=1e-12
    )
    assert np.diff(found.share).max() < 0.01 + law.probabilities.max()


@pytest.mark.parametrize(
    ("counts", "name", "heavy"),
    [
        ("400, 100", "ehds", False),
        ("463, 247, 21", "ehds", False),
        ("200, 200, 100, 100", "ehds", True),
        ("200, 200, 100, 100", "lattice", False),
        ("1500, 500", "optimal", False),
        ("3000, 2000", "optimal", True),
    ],
)
def test_what_weighs_very_many_candidates_keeps_nobody_waiting(
    counts: str, name: str, heavy: bool
) -> None:
    assert previews.weighty(read_setting(counts, "1", "1"), name) == heavy


def test_a_fan_has_the_true_posterior_inside() -> None:
    found = figure("fan", SMALL, "lattice", 0)
    assert isinstance(found, Fan)
    x = np.array(found.x)
    means = {q: _mean(x, np.array(y)) for q, y in found.released.items()}
    true = _mean(x, np.array(found.true))
    assert trapezoid(found.true, x) == pytest.approx(1, abs=0.01)
    assert list(means.values()) == sorted(means.values())
    assert means[0.025] < true < means[0.975]


def _mean(x: Floats, density: Floats) -> float:
    return float(trapezoid(x * density, x) / trapezoid(density, x))


def test_losses_limits_and_widths() -> None:
    loss = figure("loss", SMALL, "ehds")
    assert loss == Loss(dp.audit(dp.mechanism("ehds", SMALL.model, 90, epsilon=1)).epsilon)
    assert figure("limit", SMALL) == dp.optimal(SMALL.model, 90, 1).value
    average = figure("averaged", SMALL, "lattice")
    assert average.mean == pytest.approx(figure("limit", SMALL))
    assert average.mean == pytest.approx(mean_error(SMALL.mechanism("lattice")))
    assert average.standard_error == 0
    wide = figure("widths", SMALL, "lattice")
    assert isinstance(wide, Widths)
    assert wide.noisy > wide.exact > 0


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("loss", (LARGE, "ehds")),
        ("limit", (LARGE,)),
        ("averaged", (LARGE, "lattice")),
        ("widths", (SMALL, "ehdl")),
        ("errors", (LARGE, "optimal")),
    ],
)
def test_what_is_not_there_has_a_reason(kind: str, arguments: tuple[Any, ...]) -> None:
    found = figure(kind, *arguments)
    assert isinstance(found, Missing)
    assert len(found.reason) > 20


def test_what_compare_prints_is_shown() -> None:
    """A loss that a theorem gives is not missing because an audit would take long."""
    rows = {row.mechanism: row for row in dp.compare(LARGE.model, LARGE.counts, 0.5).rows}
    assert rows["lattice"].loss == 0.5
    for name in ("lattice", "ls_hist", "ehds"):
        found = figure("loss", LARGE, name)
        assert (found.value if isinstance(found, Loss) else None) == rows[name].loss
    assert figure("loss", LARGE, "lattice") == Loss(0.5, theorem=True)
    assert previews.MOST_AUDITED >= comparison.MOST_AUDITED
    assert min(previews.MOST_AVERAGED, previews.MOST_SOLVED) >= comparison.MOST_AVERAGED
    assert previews.MOST_OF_SEVERAL >= comparison.MOST_SOLVED


def test_what_is_proved_bounds_the_loss() -> None:
    """With a δ at that δ: the panel takes an epsilon for a bound only where there is none."""
    for name in dp.MECHANISMS:
        proved = figure("proved", SMALL, name)
        assert proved.delta == (1e-6 if name == "gaussian" else 0)
        assert (proved.epsilon == np.inf) == (name == "ehdl")
        assert figure("loss", SMALL, name).value <= proved.epsilon * (1 + 1e-9)


def test_the_optimal_mechanism_of_two_categories_has_no_largest_n() -> None:
    found = figure("errors", read_setting("3000, 2000", "1", "1"), "optimal")
    assert isinstance(found, Errors)
    assert found.mean < figure("errors", read_setting("3000, 2000", "1", "1"), "ls_hist").mean


def test_an_average_over_several_categories_is_estimated_where_listing_takes_long() -> None:
    four = read_setting("1, 0, 0, 0", "1", "1")
    found = figure("averaged", four, "lattice")
    assert found.standard_error > 0
    exact = mean_error(four.mechanism("lattice"))
    assert found.mean == pytest.approx(exact, abs=6 * found.standard_error)  # 1e-8
    assert found.mean > figure("limit", four)


ABSURD = [
    ("", "1", "1"),
    ("5", "1", "1"),
    ("a, b", "1", "1"),
    ("1/2, 3", "1", "1"),
    ("-1, 4", "1", "1"),
    ("0, 0", "1", "1"),
    ("1e400, 3", "1", "1"),
    ("nan, 3", "1", "1"),
    (", ".join("1" * 9), "1", "1"),
    ("71, 19", "0", "1"),
    ("71, 19", "-1", "1"),
    ("71, 19", "1, 2, 3", "1"),
    ("71, 19", "x", "1"),
    ("71, 19", "", "1"),
    ("71, 19", "1", ""),
    ("71, 19", "1", "0"),
    ("71, 19", "1", "-3"),
    ("71, 19", "1", "inf"),
    ("71, 19", "1", "1/0"),
    ("71, 19", "1", "<b>1</b>"),
    ("٣, 19", "1", "𝟙x"),
]


@pytest.mark.parametrize(("counts", "prior", "epsilon"), ABSURD)
def test_absurd_numbers_get_a_sentence(counts: str, prior: str, epsilon: str) -> None:
    with pytest.raises(dp.InputError) as caught:
        read_setting(counts, prior, epsilon)
    assert "\n" not in str(caught.value)


@given(
    shares=st.lists(st.integers(0, 10**6), min_size=2, max_size=8).filter(any),
    n=st.integers(1, 10**9),
)
def test_a_sketch_has_the_records_and_the_proportions(shares: list[int], n: int) -> None:
    counts = sketched(shares, n)
    assert sum(counts) == n
    for count, share in zip(counts, shares, strict=True):
        assert abs(count - Fraction(share * n, sum(shares))) < 1


def test_nothing_is_raised_in_another_process() -> None:
    assert isinstance(figure("errors", SMALL, "lattice"), Errors)
    assert isinstance(figure("errors", SMALL, "smooth_hellinger"), Errors)
    kinds = {"proved", "errors", "fan", "loss", "limit", "averaged", "widths"}
    assert set(previews.FIGURES) == kinds


@pytest.mark.parametrize("prior", ["1e-9", "0.001", "1", "1e9"])
@pytest.mark.parametrize("counts", ["1000000000, 0", "1, 0", "71, 19", "20 20 20 20 20 20 20 20"])
def test_curves_are_finite_and_seen(counts: str, prior: str) -> None:
    """The peak of a posterior of a billion records lies between two points of the axis."""
    found = figure("fan", read_setting(counts, prior, "0.00001"), "lattice")
    assert isinstance(found, Fan)
    for curve in (found.true, *found.released.values()):
        assert np.isfinite(curve).all()
    assert found.x == sorted(found.x)
    assert max(found.true) > 0


def test_private_n() -> None:
    setting = replace(SMALL, adjacency="add-remove", max_per_unit=3)
    found = figure("errors", setting, "lattice")
    law = dp.accuracy(setting.mechanism("lattice"), (71, 19))
    assert found.mean == pytest.approx(law.mean)
    assert isinstance(figure("errors", setting, "ehds"), Missing)
