"""`discreet regress`: from a file to a released regression."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

import discreet as dp
from tests.cli.cases import call, done

SECRET = "Müller-7391"
PAY = ("--y", "pay", "--bounds", "age=20:60", "--bounds", "years=0:40", "--bounds", "pay=0:10")
BOUNDS = {"age": (20, 60), "years": (0, 40), "pay": (0, 10)}
CENSUS = (
    *("--y", "lweekinc", "--x", "educ,exper,expersq", "--bounds", "lweekinc=2:10"),
    *("--bounds", "educ=0:20", "--bounds", "exper=0:60", "--bounds", "expersq=0:3600"),
)


@pytest.fixture
def wages(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    age, years = rng.uniform(20, 60, 2000), rng.uniform(0, 40, 2000)
    pay = age / 12 + years / 20 + rng.normal(0, 0.5, 2000)
    path = tmp_path / "wages.csv"
    pd.DataFrame({"age": age, "years": years, "pay": pay}).to_csv(path, index=False)
    return path


def test_a_regression_is_released_and_paid_for(
    wages: Path, budget: Path, tmp_path: Path, schema: object
) -> None:
    out, plot = tmp_path / "release.json", tmp_path / "weights.svg"
    paid = ("--ledger", budget, "--dataset", "wages", "--request-id", "r")
    asked = ("regress", wages, *PAY, "--epsilon", "2", *paid)
    shown = done(*asked, "--out", out, "--plot", plot)
    for text in (
        *("intercept", "age", "years", "as released", "noise-aware", "clipped to the public"),
        *("It cost ε = 2", "number of records is made public", "Left for wages: ε = 1", str(plot)),
    ):
        assert text in shown.out
    made = dp.Release.load(out)
    assert made.posterior.names == ("intercept", "age", "years")
    jsonschema.validate(json.loads(out.read_text(encoding="utf-8")), schema)
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    assert done(*asked, "--json").document == json.loads(out.read_text(encoding="utf-8"))
    assert "Nothing was charged now" in done(*asked).out
    assert "statistics" in done("ledger", "history", budget).out
    assert "that entry 3 paid for" in done("ledger", "verify", budget, "--release", out).out
    refused = call(*asked[:-1], "another")
    assert refused.status == 1
    assert "epsilon 1 left of 3" in refused.err


def test_the_usual_prior_is_that_of_the_estimator(wages: Path) -> None:
    found = done("regress", wages, *PAY, "--epsilon", "1", "--json").document
    assert found["model"] == dp.LinearRegression(bounds=BOUNDS).of("pay").to_document()
    assert found["model"]["noise"] == ["2", "25/16"]


def test_all_that_can_be_declared(wages: Path, schema: object) -> None:
    given = (
        *("--x", "years,age", "--prior", "intercept=1:4", "--prior", "age=0.5"),
        *("--prior", "years=-1/3:2", "--noise-variance", "3:1.5", "--radius", "1.2"),
        *("--epsilon", "1", "--delta", "1e-6", "--adjacency", "add-remove", "--unknown", "drop"),
        *("--where", "age < 50"),
    )
    document = done("regress", wages, *PAY, *given, "--json").document
    jsonschema.validate(document, schema)
    model = document["model"]
    assert model["X"] == ["years", "age"]
    assert model["bounds"] == [["0", "40"], ["20", "60"], ["0", "10"]]
    assert model["mean"] == ["1", "-1/3", "0"]
    assert [model["covariance"][i][i] for i in range(3)] == ["4", "2", "1/2"]
    assert (model["noise"], model["radius"], model["intercept"]) == (["3", "3/2"], "6/5", True)
    assert document["guarantee"]["delta"] == "1/1000000"
    assert (document["n"], document["where"], document["dropped"]) == (None, "age < 50", True)
    plain = ("--no-intercept", "--prior", "2:9", "--noise-variance", "0.5", "--epsilon", "1")
    model = done("regress", wages, *PAY, *plain, "--json").document["model"]
    assert (model["intercept"], model["mean"], model["noise"]) == (False, ["2", "2"], ["1/2"])
    assert model["covariance"] == [["9", "0"], ["0", "9"]]


def test_samples_of_weights(wages: Path, tmp_path: Path, schema: object) -> None:
    out, plot = tmp_path / "release.json", tmp_path / "weights.png"
    sample = ("--mechanism", "sample", "--samples", "3", "--norm", "1/2", "--noise-variance", "1")
    shown = done(
        "regress", wages, *PAY, *sample, "--epsilon", "5", "--out", out, "--plot", plot
    ).out
    assert "as released" in shown
    assert "noise-aware" not in shown
    document = json.loads(out.read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    assert document["options"]["norm"] == {"exact": "1/2"}
    assert len(document["value"]) == 9
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ((), {}),
        (("--delta", "1e-6"), {"delta": 1e-6}),
        (("--adjacency", "add-remove"), {"adjacency": "add-remove"}),
        (("--mechanism", "sample", "--samples", "4"), {"mechanism": "sample", "samples": 4}),
    ],
)
def test_what_to_expect_reads_and_pays_nothing(
    budget: Path, tmp_path: Path, given: tuple[str, ...], options: dict[str, object]
) -> None:
    out = tmp_path / "release.json"
    asked = ("regress", tmp_path / "missing.csv", *PAY, "--noise-variance", "1", "--epsilon", "1")
    paid = ("--ledger", budget, "--dataset", "wages", "--out", out)
    ask = (*asked, *paid, *given, "--expected-error", "--n", "900")
    model = dp.LinearRegression(noise_variance=1, bounds=BOUNDS).of("pay")
    expected = model.expected_error(900, 1, **options)  # type: ignore[arg-type]
    shown = done(*ask).out
    assert str(expected) in shown
    assert "Nothing was read or paid for" in shown
    document = done(*ask, "--json").document
    assert document["prediction"] == expected.prediction
    assert document["weights"] == expected.coefficients
    assert not out.exists()
    assert done("ledger", "show", budget, "--json").document == []


def test_what_is_refused(wages: Path, tmp_path: Path) -> None:
    asked = ("regress", wages, *PAY, "--epsilon", "1")
    without = ("regress", wages, "--y", "pay", "--epsilon", "1", "--bounds", "age=20:60")
    expect = (*asked, "--expected-error")
    for arguments, message in (
        (("regress", *asked[2:]), "data must be given"),
        (without, "bounds of column 'pay' must be given: they are public"),
        ((*asked, "--x", "age,height"), "bounds of column 'height' must be given"),
        ((*asked, "--x", "age,age"), "X must be one or more different columns"),
        ((*asked, "--x", "age,"), "x must be names separated by commas"),
        ((*asked, "--bounds", "age=0:1"), "bounds must name 'age' once"),
        ((*asked, "--bounds", "height"), "bounds must be COLUMN=LOW:HIGH, got 'height'"),
        ((*asked, "--bounds", "height=1"), "bounds must be COLUMN=LOW:HIGH, got '1'"),
        ((*asked, "--bounds", "height=2:1"), "bounds['height'] must be low < high, got 2 and 1"),
        ((*asked, "--bounds", "height=0:inf"), "bounds must be finite"),
        ((*asked, "--bounds", "height=0:1"), "column 'height' does not exist"),
        ((*asked, "--prior", "age=1"), "prior must name the coefficients intercept, age, years"),
        ((*asked, "--prior", "1", "--prior", "2"), "prior must be [COEFFICIENT=][MEAN:]VARIANCE"),
        ((*asked, "--prior", "0"), "prior must be greater than 0"),
        ((*asked, "--noise-variance", "-1"), "--noise-variance must be greater than 0"),
        ((*asked, "--noise-variance", "1:2:3"), "must be VARIANCE or SHAPE:SCALE"),
        ((*asked, "--radius", "0"), "radius must be greater than 0"),
        ((*asked, "--mechanism", "sample"), "--noise-variance must be known for 'sample'"),
        ((*asked, "--samples", "2"), "samples is not an option of statistics"),
        ((*asked, "--delta", "2"), "delta must lie strictly between 0 and 1"),
        ((*asked, "--epsilon", "0"), "epsilon must be greater than 0"),
        ((*asked, "--n", "3"), "data must have the declared n = 3"),
        (
            (*asked, "--mechanism", "sample", "--adjacency", "add-remove"),
            "sample is defined for adjacency 'substitute' only, got 'add-remove'; use 'statistics'",
        ),
        ((*asked, "--quiet"), "nothing would be kept"),
        ((*asked, "--dataset", "d"), "dataset needs a ledger"),
        ((*asked, "--out", wages), "out must be another file than data"),
        ((*asked, "--plot", "x.jpg"), "plot must end in"),
        (expect, "n must be given with --expected-error"),
        ((*expect, "--n", "9", "--mechanism", "sample"), "must be known for 'sample'"),
    ):
        result = call(*arguments)
        assert (result.status, result.out) == (2, ""), arguments
        assert message in result.err, (arguments, result.err)
        assert result.err.startswith("Error: ")
        assert len(result.err.splitlines()) == 1
    refused = call(*asked, "--unknown", "drop")
    assert refused.status == 1
    assert "no public n" in refused.err


@pytest.mark.parametrize("value", [SECRET, "", "nan", "-inf"])
def test_an_error_does_not_quote_records(tmp_path: Path, value: str) -> None:
    path = tmp_path / "wages.csv"
    path.write_text(f"age,years,pay\n31,2,4\n7391,{value},5\n", encoding="utf-8")
    result = call("regress", path, *PAY, "--epsilon", "1")
    assert (result.status, result.out) == (2, "")
    assert "column 'years' must hold finite numbers" in result.err
    assert "--unknown drop" in result.err
    assert "7391" not in result.err
    assert "clipped" in done("regress", path, *PAY, "--epsilon", "1", "--unknown", "middle").out


def test_census2000(shared_data: Path) -> None:
    """The non-private slope of education is where the noise-aware posterior has it."""
    path = shared_data / "census2000.csv"
    if not path.is_file():
        pytest.skip("census2000.csv is not among the real data sets")
    document = done(
        "regress", path, *CENSUS, "--epsilon", "1", "--delta", "1e-6", "--json"
    ).document
    made = dp.Release.from_json(document)
    assert made.config.n == 29_501
    aware = made.noise_aware()
    model = made.config.model
    true = model.posterior(model.count(path, model.y, model.X)).mean()
    place = aware.names.index("educ")
    # the noise is normal: beyond 8 standard deviations with a probability far below 1e-6
    assert abs(aware.mean()[place] - true[place]) < 8 * aware.sd()[place] < 0.5
    shown = done("regress", *CENSUS, "--epsilon", "1", "--n", "29501", "--expected-error").out
    assert "expersq" in shown
