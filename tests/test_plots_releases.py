from __future__ import annotations

import sys
from datetime import UTC, datetime
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.tri import TriContourSet

import discreet as dp
from discreet.exact import Floats
from discreet.plots import simplex
from discreet.plots.budget import Spending, plot_budget
from discreet.plots.posteriors import BLUE, GREY, plot_groups, plot_posterior
from discreet.posteriors.dirichlet import DirichletPosterior
from discreet.posteriors.mixture import DirichletMixture

TWO = dp.BetaBinomial(categories=("cured", "not cured"))
THREE = dp.DirichletMultinomial(["cured", "improved", "unchanged"])
SIX = dp.DirichletMultinomial(["18–29", "30–44", "45–59", "60–74", "75–89", "90 +"])


def release(
    counts: tuple[int, ...], model: Any, epsilon: float = 0.2, **more: Any
) -> dp.Release[Any, Any, Any]:
    rng = np.random.default_rng(7)
    return dp.release(counts, model, epsilon=epsilon, rng=rng, **more)


def posterior(*parameters: float, labels: Any = None) -> DirichletPosterior:
    names = [f"c{i}" for i in range(len(parameters))] if labels is None else labels
    return DirichletPosterior(tuple(names), tuple(Fraction(str(a)) for a in parameters))


def data(line: Line2D) -> tuple[Floats, Floats]:
    x, y = line.get_data()
    return np.asarray(x, dtype=float), np.asarray(y, dtype=float)


def written(ax: Axes) -> list[str]:
    """Every word of the figure but the numbers at its axes."""
    ticks = [item.get_text() for item in ax.get_yticklabels()]
    titles = [ax.get_title(loc=loc) for loc in ("left", "center", "right")]
    words = [item.get_text() for item in ax.texts] + ticks + titles
    return [*words, ax.get_xlabel(), ax.get_ylabel()]


def numbers(ax: Axes) -> Floats:
    """Every number that an artist carries."""
    parts = [np.concatenate(data(line)) for line in ax.lines]
    for collection in ax.collections:
        parts += [np.ravel(np.asarray(path.vertices)) for path in collection.get_paths()]
        if collection.get_array() is not None:
            parts.append(np.ravel(np.asarray(collection.get_array())))
        if isinstance(collection, TriContourSet):
            parts.append(np.asarray(collection.levels, dtype=float))
    parts += [np.ravel(np.asarray(patch.get_path().vertices)) for patch in ax.patches]
    return np.concatenate([np.asarray(part, dtype=float) for part in parts])


def whole(ax: Axes, tmp_path: Path) -> None:
    """It can be written without a warning, and nothing lies beyond the paper."""
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    figure.savefig(tmp_path / "figure.png")
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) > -0.03
    assert box.x1 < width + 0.03
    assert box.y1 < height + 0.03


# two categories


def test_densities_are_those_of_the_posteriors(tmp_path: Path) -> None:
    made = release((60, 40), TWO)
    aware = made.noise_aware()
    ax = made.plot()
    solid = next(line for line in ax.lines if line.get_color() == BLUE)
    dashed = next(line for line in ax.lines if line.get_color() == GREY)
    assert dashed.is_dashed()
    assert not solid.is_dashed()
    for line, law in ((solid, aware), (dashed, made.posterior)):
        x, y = data(line)
        assert len(x) > 150
        np.testing.assert_allclose(y, law.pdf(x), rtol=1e-9)
        low, high = law.interval(0.95)[0]
        assert np.isclose(x, low, rtol=1e-9).any()
        assert np.isclose(x, high, rtol=1e-9).any()
        middle = x[(x >= low) & (x <= high)]
        assert np.trapezoid(y[(x >= low) & (x <= high)], middle) == pytest.approx(0.95, abs=1e-3)
    *drops, shade = ax.collections
    shaded = shade.get_paths()[0].get_extents()
    np.testing.assert_allclose([shaded.x0, shaded.x1], aware.interval(0.95)[0], rtol=1e-9)
    ends = [path.get_extents().x0 for item in drops for path in item.get_paths()]
    np.testing.assert_allclose(ends, made.posterior.interval(0.95)[0], rtol=1e-9)
    words = " ".join(written(ax))
    for name, law in (("noise-aware", aware), ("as released", made.posterior)):
        low, high = law.interval(0.95)[0]
        assert f"{name}, {low:.2f} – {high:.2f}" in words
    assert "probability of cured" in words
    whole(ax, tmp_path)


def test_an_infinite_density_leaves_the_frame(tmp_path: Path) -> None:
    for law in (posterior(0.1, 0.1), posterior(0.1, 5), posterior(3, 0.5)):
        ax = plot_posterior(law, None)
        x, y = data(ax.lines[0])
        assert np.isfinite(y).all()
        top = ax.get_ylim()[1]
        assert y.max() > top  # it leaves the frame
        assert law.cdf(0.1) * 10 <= top / 1.1
        inner = (y < top) & (x > 0.05) & (x < 0.95)
        assert inner.sum() > 50
        np.testing.assert_allclose(y[inner], law.pdf(x[inner]), rtol=1e-9)
        whole(ax, tmp_path)


def test_a_plain_posterior_that_is_far_too_narrow_does_not_flatten_the_other() -> None:
    narrow, wide = posterior(1e6, 1e6), posterior(50, 50)
    ax = plot_posterior(narrow, wide)
    peak = float(wide.pdf(0.5))
    assert ax.get_ylim()[1] == pytest.approx(1.18 * 6 * peak, rel=1e-3)
    assert plot_posterior(None, narrow).get_ylim()[1] == pytest.approx(1.18 * narrow.pdf(0.5))


def test_a_billion_records_have_ticks_with_all_digits(tmp_path: Path) -> None:
    ax = posterior(4.63e8, 5.37e8).plot()
    whole(ax, tmp_path)
    ticks = [item.get_text() for item in ax.get_xticklabels()]
    assert len(set(ticks)) == len(ticks) >= 3
    assert all(text.startswith("0.46") and len(text) > 5 for text in ticks)
    assert ax.xaxis.get_offset_text().get_text() == ""
    low, high = posterior(4.63e8, 5.37e8).interval(0.95)[0]
    assert f"posterior, {low:.6f} – {high:.6f}" in written(ax)
    assert ax.get_xlim()[1] - ax.get_xlim()[0] < 4 * (high - low)


def test_one_posterior_alone_is_not_called_released() -> None:
    assert any("posterior, " in word for word in written(posterior(3, 4).plot()))
    assert not any("released" in word for word in written(posterior(3, 4).plot()))
    mixture = DirichletMixture(("a", "b"), np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones(2))
    assert any("noise-aware, " in word for word in written(mixture.plot()))


# three categories


def contours(ax: Axes) -> dict[str, Any]:
    """The outlines by colour."""
    sets = [item for item in ax.collections if isinstance(item, TriContourSet) and not item.filled]
    return {to_hex(np.array(item.get_edgecolor())[0]).upper(): item.get_paths() for item in sets}


@pytest.mark.parametrize("cells", [None, 0], ids=["exact", "by draws"])
@pytest.mark.parametrize("scale", [1, 10**8])
def test_regions_hold_what_they_say(
    cells: int | None, scale: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if cells is not None:
        monkeypatch.setattr(simplex, "_MOST_CELLS", cells)
    rows = scale * np.array([[20.0, 9.0, 11.0], [22.0, 9.0, 9.0], [17.0, 12.0, 11.0]])
    rows = rows[:1] + (rows - rows[:1]) / scale**0.5
    aware = DirichletMixture(THREE.categories, rows, np.array([0.5, 0.3, 0.2]))
    plain = posterior(*rows[0], labels=THREE.categories)
    ax = plot_posterior(plain, aware)
    window = simplex.Window.of([plain, aware])
    assert window.whole == (scale == 1)
    rng, found = np.random.default_rng(1), contours(ax)
    for law, colour, shares in ((aware, BLUE, (0.95, 0.5)), (plain, GREY, (0.95,))):
        places = window.place(law.sample(20_000, rng))
        for path, share in zip(found[colour.upper()], shares, strict=True):
            inside = float(np.mean(path.contains_points(places)))
            assert inside == pytest.approx(share, abs=0.3 * share * (1 - share))
    assert {*THREE.categories, "noise-aware, 95 %", "noise-aware, 50 %", "as released, 95 %"} <= {
        item.get_text() for item in ax.texts
    }
    whole(ax, tmp_path)


def test_the_density_of_a_region_is_that_of_the_law() -> None:
    mixture = release((9, 4, 2), THREE).noise_aware()
    theta = np.random.default_rng(1).dirichlet((2, 2, 2), 40)
    found = simplex.log_density(mixture.parameters, mixture.weights, theta)
    np.testing.assert_allclose(found, mixture.to_scipy().logpdf(theta.T), rtol=1e-9, atol=1e-9)


def test_corners_and_lines_of_the_simplex_are_where_they_are_said_to_be() -> None:
    ax = posterior(4, 5, 6, labels=("a", "b", "c")).plot()
    corners = {item.get_text(): item.get_position() for item in ax.texts[-5:]}
    places = simplex.Window(np.zeros(3), 1.0).place(np.eye(3))
    for name, place in zip("abc", places, strict=True):
        at = next(item.get_position() for item in ax.texts if item.get_text() == name)
        assert np.hypot(*(np.array(at) - place)) < 0.2, corners
    # the lines θ_i = 0.2, 0.4, 0.6, 0.8 and their labels, which stand near where they begin
    values = np.linalg.inv(np.column_stack([places, np.ones(3)]))
    for i in range(3):
        for share, line in zip((0.2, 0.4, 0.6, 0.8), ax.lines[4 * i : 4 * i + 4], strict=True):
            theta = np.column_stack([*data(line), np.ones(2)]) @ values
            np.testing.assert_allclose(theta[:, i], share, atol=1e-9)
            text = ax.texts[ax.lines.index(line)]
            assert text.get_text() == f"{share:.1f}"
            assert (
                np.hypot(*(np.array(text.get_position()) - np.array(line.get_xydata())[0])) < 0.03
            )


@pytest.mark.parametrize("alpha", [(0.1, 0.1, 0.1), (0.1, 1.1, 4.1), (1, 1, 1), (3, 1, 0.2)])
def test_small_priors_in_the_simplex(alpha: tuple[float, ...], tmp_path: Path) -> None:
    ax = plot_posterior(posterior(*alpha), posterior(*alpha))
    assert np.isfinite(numbers(ax)).all()
    assert any("uniform" in word for word in written(ax)) == (alpha == (1, 1, 1))
    whole(ax, tmp_path)


# more categories


def bars(ax: Axes, colour: str, width: float) -> Floats:
    """Ends of the horizontal bars of one kind, from the top."""
    found = [
        data(line)[0]
        for line in ax.lines
        if line.get_color() == colour and line.get_linewidth() == width and len(data(line)[0]) == 2
    ]
    return np.array(found)


def dots(ax: Axes) -> Floats:
    return np.array([data(line)[0][0] for line in ax.lines if line.get_marker() == "o"])


def test_intervals_of_many_categories(tmp_path: Path) -> None:
    made = release((30, 80, 120, 60, 20, 2), SIX)
    aware = made.noise_aware(rng=np.random.default_rng(1))
    ax = made.plot(noise_aware=aware)
    np.testing.assert_allclose(bars(ax, BLUE, 1.2), aware.interval(0.95), rtol=1e-9)
    np.testing.assert_allclose(bars(ax, BLUE, 3.4), aware.interval(0.5), rtol=1e-9)
    np.testing.assert_allclose(bars(ax, GREY, 1.2), made.posterior.interval(0.95), rtol=1e-9)
    np.testing.assert_allclose(dots(ax), aware.mean(), rtol=1e-9)
    assert [item.get_text() for item in ax.get_yticklabels()] == list(SIX.categories)
    heights = [data(line)[1][0] for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(heights, ax.get_yticks(), atol=0.2)
    assert "as released: 95 % (grey)" in ax.get_xlabel()
    whole(ax, tmp_path)


def test_of_two_hundred_categories_forty_are_shown(tmp_path: Path) -> None:
    labels = tuple(f"category number {i} with a long name" for i in range(200))
    rows = np.random.default_rng(1).uniform(1, 50, (3, 200))
    ax = plot_posterior(None, DirichletMixture(labels, rows, np.ones(3)))
    ticks = [item.get_text() for item in ax.get_yticklabels()]
    assert len(ticks) == 41
    assert ticks[-1] == "… and 160 more"
    assert ticks[0] == "category number 0 with …"
    assert len(dots(ax)) == 40
    whole(ax, tmp_path)
    drawn = [item.get_window_extent() for item in ax.get_yticklabels()]
    assert not any(one.overlaps(other) for one, other in pairwise(drawn))
    figure = Figure(figsize=(6.4, 4))
    own = figure.subplots()
    plot_posterior(None, DirichletMixture(labels, rows, np.ones(3)), own)
    assert tuple(figure.get_size_inches()) == (6.4, 4)
    figure.savefig(tmp_path / "small.png")
    drawn = [item.get_window_extent() for item in own.get_yticklabels()]
    assert not any(one.overlaps(other) for one, other in pairwise(drawn))


def test_raw_counts_that_make_no_posterior(tmp_path: Path) -> None:
    made = release((1, 2, 0, 0), dp.DirichletMultinomial(list("abcd")), 0.05, postprocess=None)
    with pytest.raises(dp.NotAPosteriorError):
        _ = made.posterior
    ax = made.plot()
    assert len(dots(ax)) == 4
    assert not len(bars(ax, GREY, 1.2))
    assert "released" not in ax.get_xlabel()
    whole(ax, tmp_path)


def test_groups_one_below_another(tmp_path: Path) -> None:
    groups = ("placebo", "drug")
    joint = np.array([[4.0, 9.0, 3.0, 8.0, 2.0, 5.0], [5.0, 8.0, 3.0, 7.0, 3.0, 5.0]])
    aware = {
        group: DirichletMixture(THREE.categories, joint[:, 3 * i : 3 * i + 3], np.ones(2))
        for i, group in enumerate(groups)
    }
    plain = {
        group: posterior(*law.parameters[0], labels=THREE.categories)
        for group, law in aware.items()
    }
    ax = plot_groups(aware, plain)
    ticks = [item.get_text() for item in ax.get_yticklabels()]
    assert ticks == [word for label in THREE.categories for word in (label, *groups)]
    bold = [item.get_text() for item in ax.get_yticklabels() if item.get_fontweight() == "bold"]
    assert bold == list(THREE.categories)
    expected = np.array([[aware[group].mean()[i] for group in groups] for i in range(3)])
    np.testing.assert_allclose(dots(ax), expected.ravel(), rtol=1e-9)
    colours = [line.get_color() for line in ax.lines if line.get_marker() == "o"]
    assert colours[0] != colours[1]
    assert colours[:2] * 3 == colours
    ends = np.array([[plain[group].interval(0.95)[i] for group in groups] for i in range(3)])
    np.testing.assert_allclose(bars(ax, GREY, 1.2), ends.reshape(-1, 2), rtol=1e-9)
    whole(ax, tmp_path)


def test_a_release_with_groups_is_drawn_by_group(tmp_path: Path) -> None:
    table = {"outcome": ["yes"] * 30 + ["no"] * 50, "arm": (["a"] * 20 + ["b"] * 20) * 2}
    model = dp.DirichletMultinomial(["yes", "no"])
    import pandas as pd

    counts = model.count(pd.DataFrame(table), "outcome", by="arm", groups=["a", "b"])
    made = release(counts, model, 0.5)  # type: ignore[arg-type]
    aware = made.noise_aware(rng=np.random.default_rng(1))
    ax = made.plot(noise_aware=aware)
    assert [item.get_text() for item in ax.get_yticklabels()] == ["yes", "a", "b"]
    means = [law.mean()[0] for law in made.by_group(aware).values()]
    np.testing.assert_allclose(dots(ax), means, rtol=1e-9)
    whole(ax, tmp_path)


def test_many_groups_are_cut_at_forty_rows() -> None:
    laws = {f"ward {i}": posterior(1, 2, 3) for i in range(15)}
    ax = plot_groups(laws)
    ticks = [item.get_text() for item in ax.get_yticklabels()]
    assert len(ticks) == 41
    assert ticks[-1] == "… and 8 more"
    assert len({line.get_color() for line in ax.lines}) == 1


# what a figure says


def test_the_title_says_what_is_guaranteed() -> None:
    made = release((60, 40), TWO, 0.5)
    title = made.plot().get_title(loc="left").replace("\n", " ")
    assert title == made.title
    assert title.startswith("simulated, not private: lattice, n = 100")
    assert title.endswith("ε = 0.5, δ = 0 for replacing one record")
    real = dp.release((60, 40), TWO, epsilon=0.5).plot().get_title(loc="left")
    assert "simulated" not in real
    assert real.startswith("lattice, n = 100")


@pytest.mark.parametrize("model", [TWO, THREE, SIX], ids=["two", "three", "six"])
def test_nothing_private_is_drawn(model: dp.DirichletMultinomial) -> None:
    """The figure follows from the published JSON, and no number of the true posterior is in it."""
    counts = (613, 287, 171, 331, 91, 17)[: len(model.categories)]
    made = release(counts, model, 0.05)
    assert made.value != counts
    aware = made.noise_aware(rng=np.random.default_rng(1))
    drawn, read = made.plot(noise_aware=aware), dp.Release.from_json(made.to_json())
    again = read.plot(noise_aware=read.noise_aware(rng=np.random.default_rng(1)))
    np.testing.assert_array_equal(numbers(drawn), numbers(again))
    assert written(drawn) == written(again)
    true = model.posterior(counts)
    private = np.concatenate([true.mean(), np.ravel(true.interval(0.95)), true.mode()])
    gaps = np.abs(numbers(drawn)[:, None] / private - 1)
    assert gaps.min() > 1e-9
    words = " ".join(written(drawn))
    assert not any(f"{value:.6g}" in words for value in private)
    assert not any(str(count) in words for count in counts if count > 99)


def test_labels_of_any_kind(tmp_path: Path) -> None:
    long = "Überlebenswahrscheinlichkeit nach der Behandlung"
    labels = ("5 $ to 10 $", "третья категория с именем", long, "a_b^{2}", "ünïcödé ≥ ½", "$x")
    for k in (2, 3, 6):
        law = posterior(*range(2, 2 + k), labels=labels[:k])
        ax = plot_posterior(law, law, title="paid in $ and $\\frac$")
        whole(ax, tmp_path)
        words = " ".join(written(ax))
        assert r"5 \$ to 10 \$" in words
        assert (f"{long[:23]}…" in words) == (k > 2)
        assert long not in words


def test_where_the_noise_cannot_be_accounted_for_the_figure_says_so() -> None:
    model = dp.DirichletMultinomial(list("abcd"))
    made = release((40, 30, 20, 10), model, 1, mechanism="ehds")
    with pytest.raises(dp.NotEnumerable):
        made.noise_aware()
    ax = made.plot()
    assert "the noise is not accounted for" in ax.get_title(loc="left").replace("\n", " ")
    np.testing.assert_allclose(dots(ax), made.posterior.mean(), rtol=1e-9)


def test_given_axes_and_bad_input() -> None:
    before = "matplotlib.pyplot" in sys.modules  # by other tests
    made = release((60, 40), TWO)
    own = Figure().subplots()
    assert made.plot(own) is own
    for draw in (made.plot, posterior(1, 2).plot, made.noise_aware().plot):
        with pytest.raises(dp.InputError, match="ax must be a matplotlib Axes, got 3"):
            draw(3)  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="ax must be"):
        plot_posterior(posterior(1, 2, 3), None, "ax")  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="noise-aware posterior of this release"):
        made.plot(noise_aware=TWO.posterior((60, 40)))
    with pytest.raises(dp.InputError, match="noise-aware posterior of this release"):
        made.plot(noise_aware=release((9, 9, 9), THREE).noise_aware())
    with pytest.raises(dp.InputError, match="plain or noise_aware must be given"):
        plot_posterior(None, None)
    with pytest.raises(dp.InputError, match="same categories"):
        plot_posterior(posterior(1, 2), posterior(1, 2, 3))
    with pytest.raises(dp.InputError, match="at least one group"):
        plot_groups({})
    assert ("matplotlib.pyplot" in sys.modules) == before


# budgets

DAYS = ["2026-03-01T09:00:00+00:00", "2026-03-02T09:00:00+00:00", "2026-03-05T10:30:00+00:00"]


def test_a_budget_over_time(tmp_path: Path) -> None:
    history = Spending(DAYS, [0, 0.5, 0.5], [1, 1, 2], ["", "unfinished", ""])
    ax = plot_budget({"trial-7": history}, title="budget.db")
    spent, mark, budget = ax.lines
    x, y = data(spent)
    days = [dates.date2num(datetime.fromisoformat(day)) for day in DAYS]  # type: ignore[no-untyped-call]
    assert y.tolist() == [0, 0, 0.5, 0.5, 0.5, 0.5]
    np.testing.assert_allclose(x[:5], np.repeat(days, 2)[1:], rtol=1e-12)
    assert data(budget)[1].tolist() == [1, 1, 1, 1, 2, 2]
    assert budget.is_dashed()
    assert [float(v[0]) for v in data(mark)] == [days[1], 0.5]
    assert {"trial-7: 0.5 of 2", "budget"} == {item.get_text() for item in ax.texts}
    assert "circle: charged, outcome unknown" in ax.get_xlabel()
    assert "refused" not in ax.get_xlabel()
    assert ax.get_title(loc="left") == "budget.db"
    whole(ax, tmp_path)
    ticks = [item.get_text() for item in ax.get_xticklabels()]
    assert 3 <= len(ticks) <= 8
    assert len(set(ticks)) > 2


def test_several_budgets(tmp_path: Path) -> None:
    def spent(total: float, budget: float = 3.0) -> Spending:
        return Spending(
            [datetime(2026, 3, d, tzinfo=UTC) for d in (1, 2)], [0, total], [budget] * 2
        )

    ax = plot_budget({"a": spent(1), "b": spent(2), "c $": spent(1.5, 2)})
    words = {item.get_text() for item in ax.texts}
    assert {"a: 1 of 3", "b: 2 of 3", "budget of b", r"budget of c \$"} <= words
    whole(ax, tmp_path)
    assert "budget of each" in written(plot_budget({"a": spent(1), "b": spent(2)}))
    many = plot_budget({f"data {i}": spent(i / 10) for i in range(9)})
    assert many.get_title(loc="right") == "… and 3 more data sets"
    assert "data 8: 0.8 of 3" in written(many)
    assert not any("data 2" in word for word in written(many))


def test_refused_charges_are_crosses_and_one_entry_is_enough(tmp_path: Path) -> None:
    history = Spending(DAYS, [0, 0.5, 0.5], [1, 1, 1], ["", "", "refused"])
    ax = plot_budget({"x": history})
    assert [line.get_marker() for line in ax.lines] == ["None", "x", "None"]
    assert "cross: refused" in ax.get_xlabel()
    whole(plot_budget({"x": Spending(DAYS[:1], [0], [3])}), tmp_path)


@pytest.mark.parametrize(
    ("history", "words"),
    [
        (Spending([], [], []), "at least one entry"),
        (Spending(DAYS, [0], [1]), "of one length"),
        (Spending(DAYS[::-1], [0, 0, 0], [1, 1, 1]), "in order of time"),
        (Spending(["yesterday"], [0], [1]), "ISO 8601, got 'yesterday'"),
        (Spending([3], [0], [1]), "datetimes or text, got 3"),  # type: ignore[list-item]
        (Spending(DAYS[:1], [0], [float("nan")]), "finite"),
        (Spending(DAYS[:1], [0], [1], ["lost"]), "marks must be one of"),
    ],
)
def test_histories_that_are_none(history: Spending, words: str) -> None:
    with pytest.raises(dp.InputError, match=words):
        plot_budget({"x": history})
    with pytest.raises(dp.InputError, match="at least one data set"):
        plot_budget({})
