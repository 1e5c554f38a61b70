from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import discreet as dp

MODEL = dp.DirichletMultinomial(("cured", "improved", "unchanged"))
COUNTS = (50, 30, 10)


def test_counts_in_any_form_give_the_same_release() -> None:
    forms = [
        COUNTS,
        list(COUNTS),
        np.array(COUNTS),
        np.array(COUNTS, dtype=float),
        {"unchanged": 10, "cured": 50, "improved": 30},
        dp.Counts(COUNTS, MODEL.categories),
        dp.Counts((10, 50, 30), ("unchanged", "cured", "improved")),
        MODEL.count(["cured"] * 50 + ["improved"] * 30 + ["unchanged"] * 10),
    ]
    values = {dp.release(c, MODEL, 1, rng=np.random.default_rng(5)).value for c in forms}  # type: ignore[arg-type]
    assert len(values) == 1


def test_n_is_declared_or_said_to_be_made_public() -> None:
    assert dp.release(COUNTS, MODEL, 1).n_source == "sum of the counts"
    assert dp.release(COUNTS, MODEL, 1, n=90).n_source == "declared"
    with pytest.raises(dp.InputError, match="counts must sum to the declared n = 91") as raised:
        dp.release(COUNTS, MODEL, 1, n=91)
    assert "90" not in str(raised.value)


def test_add_remove_keeps_n_private() -> None:
    release = dp.release(COUNTS, MODEL, 1, adjacency="add-remove")
    assert release.config.n is None
    assert release.n_source is None
    assert release.guarantee.adjacency is dp.Adjacency.ADD_REMOVE
    assert release.posterior.mean().sum() == pytest.approx(1)
    with pytest.raises(dp.InputError, match="n must be None under add-remove"):
        dp.release(COUNTS, MODEL, 1, adjacency="add-remove", n=90)


def test_units_travel_from_counts_to_guarantee() -> None:
    counts = dp.Counts(COUNTS, MODEL.categories, unit="patient", max_per_unit=3)
    release = dp.release(counts, MODEL, 1, adjacency="add-remove")
    assert release.guarantee.unit == "patient"
    assert release.guarantee.max_per_unit == 3
    with pytest.raises(dp.PrivacyRefusedError, match="up to 3 records per patient"):
        dp.release(counts, MODEL, 1)
    with pytest.raises(dp.InputError, match="max_per_unit is known from the counts"):
        dp.release(counts, MODEL, 1, adjacency="add-remove", max_per_unit=1)
    single = dp.Counts(COUNTS, MODEL.categories, unit="patient")
    assert dp.release(single, MODEL, 1).guarantee.unit == "patient"
    with pytest.raises(dp.PrivacyRefusedError, match="counts per patient"):
        dp.release(single, MODEL, 1, mechanism="ehds")


def test_dropped_records_have_no_public_n() -> None:
    counts = dp.Counts(COUNTS, MODEL.categories, dropped=True)
    with pytest.raises(dp.PrivacyRefusedError, match="no public n"):
        dp.release(counts, MODEL, 1)
    assert dp.release(counts, MODEL, 1, adjacency="add-remove").guarantee.private


def test_records_of_a_condition_have_no_public_n() -> None:
    counts = dp.Counts(COUNTS, MODEL.categories, where="age >= 50")
    with pytest.raises(dp.PrivacyRefusedError, match="with age >= 50 have no public n"):
        dp.release(counts, MODEL, 1)
    assert dp.release(counts, MODEL, 1, n=90).n_source == "declared"
    assert dp.release(counts, MODEL, 1, adjacency="add-remove").where == "age >= 50"


SOME = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 1], "x": [1, 2, 3], "y": [3, 2, 1]})
LETTERS = dp.BetaBinomial(categories=(0, 1))
NET = dp.BayesNet({"b": ["a"]}, {"a": (0, 1), "b": (0, 1)})
LINE = dp.LinearRegression(noise_variance=1, bounds={"x": (0, 10), "y": (0, 10)})
MEAN = dp.NormalMean(bounds=(0, 10))


@pytest.mark.parametrize(
    ("model", "columns", "options", "able"),
    [
        (LETTERS, ["a"], {}, ["lattice", "ls_hist", "gaussian"]),
        (LETTERS, ["a"], {"mechanism": "ehds"}, ["lattice", "ls_hist", "gaussian"]),
        (NET, [], {}, ["lattice", "gaussian", "laplace_updates"]),
        (NET, [], {"mechanism": "fourier"}, ["lattice", "gaussian", "laplace_updates"]),
        (LINE, ["y"], {}, ["statistics"]),
        (LINE, ["y"], {"mechanism": "sample"}, ["statistics"]),
        (MEAN, ["x"], {}, ["laplace"]),
        (MEAN, ["x"], {"mechanism": "gaussian", "delta": 1e-6}, ["gaussian"]),
        (MEAN, ["x"], {"mechanism": "hellinger"}, ["laplace", "gaussian"]),
        (MEAN, ["x"], {"mechanism": "input", "delta": 1e-6}, ["laplace", "gaussian"]),
    ],
)
@pytest.mark.parametrize("left_out", [{"where": "x > 0"}, {"unknown": "drop"}], ids=str)
def test_what_is_advised_for_a_private_n_works(
    model: Any,
    columns: list[str],
    options: dict[str, Any],
    able: list[str],
    left_out: dict[str, str],
) -> None:
    """The message names an adjacency, and mechanisms if the one asked for does not have it."""
    counts = model.count(SOME, *columns, **left_out)
    with pytest.raises(dp.PrivacyRefusedError) as refused:
        dp.release(counts, model, 1, **options)
    named = options.get("mechanism", able[0]) not in able
    mechanisms = f" with mechanism {' or '.join(map(repr, able))}" if named else ""
    advice = f"release them under adjacency 'add-remove'{mechanisms}"
    assert str(refused.value).split(", or declare n")[0].endswith(advice)
    for name in able:
        delta = 1e-6 if name == "gaussian" else 0
        release = dp.release(counts, model, 1, name, adjacency="add-remove", delta=delta)
        assert (release.where, release.dropped) == (counts.where, counts.dropped)
        assert release.noise_aware() is not None


def test_what_is_not_private_is_refused() -> None:
    with pytest.raises(dp.PrivacyRefusedError, match="allow_nonprivate=True"):
        dp.release(COUNTS, MODEL, 1, mechanism="ehdl")
    release = dp.release(COUNTS, MODEL, 1, mechanism="ehdl", allow_nonprivate=True)
    assert not release.guarantee.private
    with pytest.raises(dp.InputError, match="allow_nonprivate must be one of"):
        dp.release(COUNTS, MODEL, 1, mechanism="ehdl", allow_nonprivate="yes")  # type: ignore[arg-type]


def test_smooth_hellinger_is_refused_where_its_bound_exceeds_the_budget() -> None:
    with pytest.raises(dp.PrivacyRefusedError, match="calibrate=True") as raised:
        dp.release(COUNTS, MODEL, 1, mechanism="smooth_hellinger", delta=1e-6)
    guarantee = raised.value.guarantee
    assert isinstance(guarantee, dp.Guarantee)
    assert guarantee.epsilon > 1
    release = dp.release(COUNTS, MODEL, 1, mechanism="smooth_hellinger", delta=1e-6, calibrate=True)
    assert release.guarantee.epsilon == 1
    assert release.guarantee.delta == 0


@pytest.mark.parametrize("delta", [0, 0.0, 1, -1e-6, 1.5, math.nan, "x", True])
def test_delta_is_checked(delta: object) -> None:
    with pytest.raises(dp.InputError, match="delta must"):
        dp.release(COUNTS, MODEL, 1, mechanism="smooth_hellinger", delta=delta)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0}, "epsilon must be greater than 0, got 0"),
        ({"epsilon": -2}, "epsilon must be greater than 0, got -2"),
        ({"epsilon": math.nan}, "epsilon must be finite, got nan"),
        ({"epsilon": math.inf}, "epsilon must be finite, got inf"),
        ({"epsilon": "1"}, "epsilon must be a number, got '1'"),
        ({"epsilon": True}, "epsilon must be a number, got True"),
        ({"mechanism": "latice"}, "did you mean 'lattice'?"),
        ({"mechanism": 7}, "mechanism must be one of"),
        ({"gamma": 2}, "gamma is not an option of lattice"),
        ({"postproces": "clip"}, "did you mean postprocess?"),
        ({"delta": 1e-6, "mechanism": "lattice"}, "delta is not an option of lattice"),
        ({"postprocess": "round"}, "postprocess must be one of"),
        ({"adjacency": "add"}, "adjacency must be one of"),
        ({"ledger": "budget.db"}, "ledger must be made by dp.Ledger.open"),
        ({"dataset": "trial"}, "dataset must be None"),
        ({"rng": 5}, "rng must be a numpy.random.Generator"),
        ({"model": "model"}, "model must be a DirichletMultinomial"),
        ({"mechanism": "ehds", "gamma": 0}, "gamma must be greater than 0"),
        ({"mechanism": "ehds", "distance": "l1"}, "distance must be one of"),
        ({"mechanism": "ehds", "distance": "total_variation"}, "for two categories"),
    ],
)
def test_bad_input_is_one_sentence_and_draws_nothing(
    changes: dict[str, object], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_randomness(size: int) -> bytes:
        raise AssertionError("something was drawn")

    monkeypatch.setattr("os.urandom", no_randomness)
    arguments: dict[str, object] = {"counts": COUNTS, "model": MODEL, "epsilon": 1} | changes
    with pytest.raises(dp.InputError, match=message.replace("?", r"\?")) as raised:
        dp.release(**arguments)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)
    assert raised.value.argument
    assert not {"50", "30"} & set(str(raised.value).split())


SECRET = (7919, 104729, 1299709)


@pytest.mark.parametrize(
    "swapped",
    [
        lambda: dp.release(MODEL, SECRET, 1),  # type: ignore[arg-type]
        lambda: dp.release(SECRET, SECRET, 1),  # type: ignore[arg-type]
        lambda: dp.release(COUNTS, MODEL, SECRET),  # type: ignore[arg-type]
        lambda: dp.release(COUNTS, MODEL, 1, n=SECRET),  # type: ignore[arg-type]
        lambda: dp.release(COUNTS, MODEL, 1, mechanism=SECRET),  # type: ignore[arg-type]
        lambda: dp.release(COUNTS, MODEL, 1, adjacency=SECRET),  # type: ignore[arg-type]
        lambda: dp.release(COUNTS, MODEL, 1, rng=np.array(SECRET)),  # type: ignore[arg-type]
        lambda: dp.release(COUNTS, MODEL, 1, delta=list(SECRET)),  # type: ignore[arg-type]
        lambda: dp.mechanism("lattice", SECRET, n=9, epsilon=1),  # type: ignore[arg-type]
        lambda: dp.mechanism("ehds", MODEL, n=9, epsilon=1, gamma=SECRET),
        lambda: dp.mechanism("lattice", MODEL, n=9, epsilon=1, unit=SECRET),
        lambda: dp.local_sensitivity(SECRET, MODEL),  # type: ignore[arg-type]
        lambda: dp.smooth_sensitivity(MODEL, COUNTS, gamma=SECRET),  # type: ignore[arg-type]
        lambda: dp.global_sensitivity(MODEL, {"a": SECRET}),  # type: ignore[arg-type]
        lambda: dp.mechanism("lattice", MODEL, n=9, epsilon=1).postprocess((1.5, *SECRET)),  # type: ignore[arg-type]
        lambda: dp.mechanism("lattice", MODEL, n=90, epsilon=1).law(COUNTS).probability(SECRET[:2]),
    ],
)
def test_counts_in_the_wrong_place_are_not_quoted(swapped: Callable[[], object]) -> None:
    with pytest.raises(dp.InputError) as raised:
        swapped()
    text = str(raised.value) + repr(vars(raised.value)) + repr(raised.value.__context__)
    assert not any(str(count) in text for count in SECRET)


@pytest.mark.parametrize(
    "counts",
    [(50, 30), (50, 30, -10), (50.5, 30, 10), (math.nan, 1, 1), (2**64, 1, 1), {"x": 5}, "abc", 7],
)
def test_bad_counts_never_show_a_value(counts: object) -> None:
    with pytest.raises(dp.InputError, match="counts") as raised:
        dp.release(counts, MODEL, 1)  # type: ignore[arg-type]
    for secret in ("50", "30", "-10", "nan", str(2**64), "7"):
        assert secret not in str(raised.value).replace("2**62", "")


def test_a_mapping_may_leave_out_empty_categories() -> None:
    release = dp.release({"cured": 5}, MODEL, 50)
    assert release.value == (5, 0, 0)


def test_epsilon_is_the_exact_decimal() -> None:
    release = dp.release(COUNTS, MODEL, 0.1)
    assert release.guarantee.epsilon == Fraction(1, 10)


def test_raw_output_that_is_no_posterior() -> None:
    rng = np.random.default_rng(0)
    release = dp.release((0, 0, 9), MODEL, 0.01, postprocess=None, rng=rng)
    assert min(release.value) < 0
    with pytest.raises(ValueError, match="postprocess='project'"):
        release.posterior  # noqa: B018
    assert "greater than 0" in release._repr_html_()


def test_a_number_of_candidates_too_long_to_print() -> None:
    with pytest.raises(dp.NotEnumerable, match="about 10"):
        dp.release([300] * 3000, dp.DirichletMultinomial(range(3000)), 1, mechanism="ehd")


def test_too_many_candidates_name_their_number_and_a_way_out() -> None:
    with pytest.raises(dp.NotEnumerable, match="'lattice'") as raised:
        dp.release((10**4,) * 4, dp.DirichletMultinomial(range(4)), 1, mechanism="ehds")
    assert raised.value.candidates == math.comb(4 * 10**4 + 3, 3)


def test_the_hint_about_an_adjacency_names_what_the_model_has() -> None:
    line = dp.LinearRegression(1, 1, {"x": (0, 1), "y": (0, 1)}).of("y")
    mean = dp.NormalMean(0, 1, 1, bounds=(0, 1))
    for model, name, adjacency, hint in (
        (line, "sample", "add-remove", "'substitute' only, got 'add-remove'; use 'statistics'"),
        (line, "sample", "attribute", "no mechanism of a LinearRegression has it"),
        (line, "statistics", "attribute", "'substitute' or 'add-remove' only"),
        (mean, "input", "add-remove", "'substitute' only, .*; use 'laplace' or 'gaussian'"),
        (mean, "laplace", "attribute", "'substitute' or 'add-remove' only"),
        (mean, "hellinger", "attribute", "no mechanism of a NormalMean has it"),
        (MODEL, "ehds", "add-remove", "use 'lattice'"),
        (MODEL, "lattice", "attribute", "no mechanism of a DirichletMultinomial has it"),
    ):
        with pytest.raises(dp.InputError, match=hint) as raised:
            dp.mechanism(name, model, epsilon=1, adjacency=adjacency)
        assert raised.value.argument == "adjacency"


def test_a_series_of_pandas_says_nothing_of_records() -> None:
    counts = pd.Series({"a": 3, "b": 4})
    release = dp.release(counts, dp.BetaBinomial(categories=("a", "b")), epsilon=1)
    assert sum(release.value) == 7
    assert release.where is None
