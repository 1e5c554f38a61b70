from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import discreet as dp
from discreet import plots
from discreet.planning.accuracy import accuracy, plot_bounds

BETA = dp.BetaBinomial()


def texts(ax: Axes) -> list[str]:
    return [item.get_text() for item in ax.texts]


def drawn(ax: Axes, path: Path) -> None:
    """The figure can be written, and nothing is cut off at the top or overlaps."""
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.savefig(path / "figure.png")
    boxes = [item.get_window_extent() for item in ax.texts]
    frame = ax.get_window_extent()
    for i, box in enumerate(boxes):
        assert frame.x0 - 2 <= box.x0
        assert box.x1 <= frame.x1 + 2
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_every_mechanism_has_its_own_colour() -> None:
    assert set(plots.COLOURS) >= set(dp.MECHANISMS)
    assert len(set(plots.COLOURS.values())) == len(plots.COLOURS)
    assert plots.style("ehdl")["dashes"]
    assert "dashes" not in plots.style("lattice")
    assert plots.colour_of("ehds, calibrated") == plots.COLOURS["ehds"]
    assert plots.style("unheard of")["color"] == plots.OTHER


def test_the_curve_is_the_law(tmp_path: Path) -> None:
    law = accuracy(dp.mechanism("lattice", BETA, n=9, epsilon=1), (4, 5))
    ax = law.plot()
    (line,) = ax.lines
    x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    for d, reached in zip(law.distances, np.cumsum(law.probabilities), strict=True):
        assert y[x == d].max() == pytest.approx(reached)
        assert y[x < d].max(initial=0) < reached
    assert (np.diff(y) >= 0).all()
    assert texts(ax) == ["lattice"]
    assert "Hellinger" in ax.get_xlabel()
    assert ax.get_title(loc="right") == ""
    drawn(ax, tmp_path)


def test_private_counts_are_marked_in_the_figure() -> None:
    counts = dp.Counts((4, 5), (True, False))
    made = dp.mechanism("ls_hist", BETA, n=9, epsilon=1)
    assert accuracy(made, counts).plot().get_title(loc="right") == "for the data owner only"
    assert plot_bounds(made, counts).get_title(loc="right") == "for the data owner only"


def test_several_laws_are_labelled_apart(tmp_path: Path) -> None:
    laws = {}
    for name in ("lattice", "ls_hist", "ls_dim", "ehds", "ehd"):
        law = accuracy(dp.mechanism(name, BETA, n=60, epsilon=2), (40, 20))
        laws[name] = (law.distances, law.probabilities)
    ax = plots.plot_errors(laws, "hellinger")
    assert texts(ax) == list(laws)
    assert [line.get_color() for line in ax.lines] == [plots.COLOURS[name] for name in laws]
    drawn(ax, tmp_path)


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("ehd", {"|R|·exp(−κc)", "|R|·exp(−κc)/normaliser", "|R|·exp(−κc)/N(n)"}),
        ("ehds", {"|R|·exp(−κc)", "|R|·exp(−κc)/normaliser"}),
        ("ls_hist", {"union bound"}),
    ],
)
def test_bounds_lie_above_the_exact_tail(name: str, labels: set[str], tmp_path: Path) -> None:
    ax = plot_bounds(dp.mechanism(name, BETA, n=30, epsilon=4), (10, 20))
    exact, *bounds = ax.lines
    assert set(texts(ax)) == {"a bound above 1 says nothing", f"{name}, exact"} | labels
    assert ax.get_yscale() == "log"
    x, y = (np.asarray(data, dtype=float) for data in exact.get_data())
    for line in bounds:
        c, bound = (np.asarray(data, dtype=float) for data in line.get_data())
        # the tail just left of c, read off the exact curve
        tail = y[np.maximum(np.searchsorted(x, c, side="left") - 1, 0)]
        there = (c > 0) & (c <= x.max())
        assert there.sum() > 500
        assert (bound >= tail * (1 - 1e-9))[there].all()
    drawn(ax, tmp_path)


def test_ranges_are_listed_from_the_top(tmp_path: Path) -> None:
    ax = plots.plot_ranges({"lattice": (0.1, 0.3), "ehds, calibrated": (0.2, 0.9)}, "hellinger")
    assert [item.get_text() for item in ax.get_yticklabels()] == ["lattice", "ehds, calibrated"]
    assert list(ax.get_yticks()) == [1, 0]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in dots] == [(0.1, 1), (0.2, 0)]  # type: ignore[index]
    drawn(ax, tmp_path)


def test_a_profile_beside_what_is_guaranteed(tmp_path: Path) -> None:
    epsilons = np.linspace(0, 0.5, 50)
    deltas = np.maximum(0.2 - 0.5 * epsilons, 0)
    ax = plots.plot_profile(epsilons, deltas, "ls_dim", 1.0)
    assert texts(ax) == ["ls_dim, exact", "guaranteed: δ = 0 from here on"]
    assert ax.get_yscale() == "log"
    assert ax.get_xlim()[1] == pytest.approx(1.02)
    drawn(ax, tmp_path)
    without = plots.plot_profile(epsilons, deltas, "ehdl", math.inf)
    assert texts(without) == ["nothing is guaranteed", "ehdl, exact"]
    drawn(without, tmp_path)


def test_titles_say_what_was_computed() -> None:
    made = dp.mechanism("ehdl", BETA, n=9, epsilon=1, calibrate=True)
    found = [accuracy(made, (4, 5)).plot(), dp.audit(made).plot(), plot_bounds(made, (4, 5))]
    assert {ax.get_title(loc="left") for ax in found} == {"ehdl, calibrated, n = 9, ε = 1"}
    assert not any(line.is_dashed() for line in found[0].lines)  # calibrated, it is private
    private = dp.mechanism("lattice", BETA, epsilon=0.5, adjacency="add-remove")
    title = accuracy(private, (4, 5)).plot().get_title(loc="left")
    assert title == "lattice, n private, ε = 0.5"


@pytest.mark.parametrize(
    ("distance", "text"),
    [
        ("hellinger", "Hellinger distance to the true posterior"),
        ("total_variation", "total variation distance to the true posterior"),
        ("kl", "Kullback–Leibler divergence KL(true ‖ released)"),
        ("l1", "l1 distance between the parameters"),
    ],
)
def test_the_axis_names_the_distance(distance: str, text: str) -> None:
    law = accuracy(dp.mechanism("lattice", BETA, n=9, epsilon=1), (4, 5), distance)
    assert law.plot().get_xlabel() == text


@pytest.mark.parametrize("epsilon", [1e-4, 1, 100])
def test_the_words_beside_a_point_stay_in_the_figure(epsilon: float, tmp_path: Path) -> None:
    ax = dp.plan(BETA, 20, epsilon=epsilon).plot()
    drawn(ax, tmp_path)
    (box,) = [item.get_window_extent() for item in ax.texts]
    frame = ax.get_window_extent()
    assert frame.y0 <= box.y0 < box.y1 <= frame.y1


@pytest.mark.parametrize("ax", ["x", 5, Figure()])
def test_axes_are_axes(ax: Axes) -> None:
    law = accuracy(dp.mechanism("lattice", BETA, n=9, epsilon=1), (4, 5))
    with pytest.raises(dp.InputError, match="ax must be a matplotlib Axes, got") as raised:
        law.plot(ax)
    assert raised.value.argument == "ax"


def test_given_axes_are_used_and_no_window_is_opened() -> None:
    before = "matplotlib.pyplot" in sys.modules  # by other tests
    own = Figure().subplots()
    law = accuracy(dp.mechanism("lattice", BETA, n=9, epsilon=1), (4, 5))
    assert law.plot(own) is own
    assert law.plot() is not own
    assert ("matplotlib.pyplot" in sys.modules) == before


@pytest.fixture
def without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("without_matplotlib")
def test_a_missing_matplotlib_is_said_in_one_sentence() -> None:
    law = accuracy(dp.mechanism("lattice", BETA, n=9, epsilon=1), (4, 5))
    with pytest.raises(dp.MissingPackageError, match=r"matplotlib: pip install 'discreet\[plot\]'"):
        law.plot()
