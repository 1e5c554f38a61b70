"""`discreet mean`: from a column of numbers to the released posterior of their mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

import discreet as dp
from tests.cli.cases import call, done

PRIOR = ("--prior-mean", "40", "--prior-variance", "100", "--variance", "300")
AGE = ("--column", "age", "--bounds", "0:100", *PRIOR)
MODEL = dp.NormalMean(40, 100, 300, bounds=(0, 100))
INCOME = ("--column", "lweekinc", "--bounds", "2:10", "--prior-mean", "6")
MECHANISMS: list[tuple[tuple[str, ...], dict[str, object]]] = [
    (("--mechanism", "laplace"), {"mechanism": "laplace"}),
    (("--mechanism", "gaussian", "--delta", "1e-6"), {"mechanism": "gaussian", "delta": 1e-6}),
    (("--delta", "1e-6"), {"mechanism": "laplace"}),  # whose noise is the smaller one
    (("--mechanism", "input", "--delta", "1/1000"), {"mechanism": "input", "delta": 1e-3}),
    (("--mechanism", "hellinger", "--points", "51"), {"mechanism": "hellinger", "points": 51}),
]


def test_a_mean_is_released_and_paid_for(
    patients: Path, budget: Path, tmp_path: Path, schema: object
) -> None:
    out, plot = tmp_path / "release.json", tmp_path / "mean.svg"
    paid = ("--ledger", budget, "--dataset", "trial", "--request-id", "r")
    asked = ("mean", patients, *AGE, "--epsilon", "2", *paid)
    shown = done(*asked, "--out", out, "--plot", plot)
    for text in (
        *("as released", "noise-aware", "% privacy", "clipped", "It cost ε = 2"),
        *("number of records is made public", "Left for trial: ε = 1", str(out)),
    ):
        assert text in " ".join(shown.out.split())
    made = dp.Release.load(out)
    assert made.config.model == MODEL
    jsonschema.validate(json.loads(out.read_text(encoding="utf-8")), schema)
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    assert done(*asked, "--json").document == json.loads(out.read_text(encoding="utf-8"))
    assert "laplace" in done("ledger", "history", budget).out
    assert "that entry 3 paid for" in done("ledger", "verify", budget, "--release", out).out
    assert call(*asked[:-1], "another").status == 1


@pytest.mark.parametrize(("given", "options"), MECHANISMS)
def test_every_mechanism(
    patients: Path, schema: object, given: tuple[str, ...], options: dict[str, object]
) -> None:
    document = done("mean", patients, *AGE, *given, "--epsilon", "1", "--json").document
    jsonschema.validate(document, schema)
    assert document["mechanism"] == options["mechanism"]
    assert "noise-aware" in done("mean", patients, *AGE, *given, "--epsilon", "1").out
    n = len(pd.read_csv(patients))
    expected = MODEL.expected_error(n, 1, **options)  # type: ignore[arg-type]
    ask = ("mean", *AGE, *given, "--epsilon", "1", "--n", n, "--expected-error")
    shown = done(*ask).out
    assert str(expected) in shown
    assert "Nothing was read or paid for" in shown
    assert done(*ask, "--json").document == expected._asdict()


def test_some_records(patients: Path) -> None:
    n = int((pd.read_csv(patients)["age"] < 50).sum())
    where = ("mean", patients, *AGE, "--epsilon", "1", "--where", "age < 50")
    document = done(*where, "--n", n, "--json").document
    assert (document["n"], document["n_source"], document["where"]) == (n, "declared", "age < 50")
    refused = call(*where)
    assert (refused.status, refused.out) == (1, "")
    assert "have no public n: release them under adjacency 'add-remove', or declare" in refused.err
    refused = call(*where, "--mechanism", "hellinger")
    assert "'add-remove' with mechanism 'laplace' or 'gaussian', or declare" in refused.err


@pytest.mark.parametrize("given", [(), ("--mechanism", "gaussian", "--delta", "1e-6")])
def test_a_private_number_of_records(
    patients: Path, budget: Path, tmp_path: Path, schema: object, given: tuple[str, ...]
) -> None:
    """What the advice says: the same command under add-remove."""
    done("ledger", "create", "ward", budget, "--delta", "1e-5", "--adjacency", "add-remove")
    out, plot = tmp_path / "release.json", tmp_path / "mean.svg"
    private = ("--adjacency", "add-remove", *given)
    paid = ("--ledger", budget, "--dataset", "ward", "--out", out, "--plot", plot)
    some = ("mean", patients, *AGE, "--epsilon", "1", "--where", "age < 50", *private)
    shown = done(*some, *paid).out
    assert "n private" in shown
    assert "noise-aware" in shown
    assert "for adding or removing one record" in " ".join(shown.split())
    assert "number of records is made public" not in shown
    made = dp.Release.load(out)
    document = json.loads(out.read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    assert (document["n"], len(document["raw"]), len(document["value"])) == (None, 2, 2)
    assert made.where == "age < 50"
    assert plot.read_text(encoding="utf-8").startswith("<?xml")
    assert call(*some, "--n", "30").err.startswith("Error: n must be None under add-remove")
    options = {"delta": 1e-6, "mechanism": "gaussian"} if given else {}
    expected = MODEL.expected_error(90, 1, adjacency="add-remove", **options)  # type: ignore[arg-type]
    ask = ("mean", *AGE, *private, "--epsilon", "1", "--n", 90, "--expected-error")
    assert str(expected) in done(*ask).out
    assert done(*ask, "--json").document == expected._asdict()


def test_the_prior_follows_from_the_bounds(patients: Path) -> None:
    asked = ("mean", patients, "--column", "age", "--bounds", "0:100", "--epsilon", "1", "--json")
    made = dp.Release.from_json(done(*asked).document)
    assert made.config.model == dp.NormalMean(50, 625, 625, bounds=(0, 100))
    made = dp.Release.from_json(done(*asked, "--variance", "300").document)
    assert made.config.model == dp.NormalMean(50, 625, 300, bounds=(0, 100))


def test_what_is_refused(patients: Path) -> None:
    asked = ("mean", patients, *AGE, "--epsilon", "1")
    tail = (*PRIOR, "--epsilon", "1")
    for arguments, message in (
        (("mean", *AGE, "--epsilon", "1"), "data must be given"),
        (("mean", patients, "--column", "age", "--bounds", "9", *tail), "bounds must be LOW:HIGH"),
        (("mean", patients, "--column", "age", "--bounds", "9:1", *tail), "low < high"),
        (("mean", patients, "--column", "age", "--bounds", "0:inf", *tail), "must be finite"),
        (("mean", patients, "--column", "height", *AGE[2:], "--epsilon", "1"), "'height' does not"),
        ((*asked, "--prior-variance", "0"), "--prior-variance must be greater than 0"),
        ((*asked, "--prior-mean", "x"), "--prior-mean must be a number"),
        ((*asked, "--variance", "-1"), "variance must be greater than 0"),
        ((*asked, "--mechanism", "gaussian"), "delta must be given for 'gaussian'"),
        ((*asked, "--mechanism", "laplace", "--delta", "1e-6"), "not an option of laplace"),
        ((*asked, "--points", "5"), "points is not an option of laplace"),
        ((*asked, "--n", "3"), "data must have the declared n = 3"),
        (
            (*asked, "--mechanism", "hellinger", "--adjacency", "add-remove"),
            "hellinger is defined for adjacency 'substitute' only, got 'add-remove'; "
            "use 'laplace' or 'gaussian'",
        ),
        (
            (*asked, *("--mechanism", "input", "--delta", "1e-6", "--adjacency", "add-remove")),
            "use 'laplace' or 'gaussian'",
        ),
        ((*asked, "--quiet"), "nothing would be kept"),
        ((*asked, "--expected-error"), "n must be given with --expected-error"),
        ((*asked, "--expected-error", "--n", "-1"), "n must lie between"),
    ):
        result = call(*arguments)
        assert (result.status, result.out) == (2, ""), arguments
        assert message in result.err, (arguments, result.err)
        assert result.err.startswith("Error: ")
        assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize("value", ["Müller-7391", "", "inf"])
def test_an_error_does_not_quote_records(tmp_path: Path, value: str) -> None:
    path = tmp_path / "ages.csv"
    path.write_text(f"age,id\n31,1\n{value},2\n7391,3\n", encoding="utf-8")
    result = call("mean", path, *AGE, "--epsilon", "1")
    assert (result.status, result.out) == (2, "")
    assert "column 'age' must hold finite numbers" in result.err
    assert "7391" not in result.err
    asked = ("mean", path, *AGE, "--epsilon", "1", "--unknown")
    assert "clipped" in done(*asked, "middle").out
    refused = call(*asked, "drop")
    assert (refused.status, refused.out) == (1, "")
    assert "dropped have no public n: release them under adjacency 'add-remove'" in refused.err
    dropped = done(*asked, "drop", "--adjacency", "add-remove", "--json").document
    assert (dropped["dropped"], dropped["n"]) == (True, None)


@pytest.mark.parametrize(("name", "options"), [("laplace", {}), ("hellinger", {"points": 9})])
def test_certificates_of_means_are_verified(
    tmp_path: Path, name: str, options: dict[str, Any], schema: dict[str, Any]
) -> None:
    model = dp.NormalMean(0, 1, 1, bounds=(-1, 1), grid=4)
    path = tmp_path / "certificate.json"
    certificate = dp.audit(dp.mechanism(name, model, 3, epsilon=1, **options)).certificate
    certificate.save(path)
    about = {"$defs": schema["$defs"], "$ref": "#/$defs/certificate"}
    jsonschema.validate(json.loads(certificate.to_json()), about)
    assert "The certificate holds." in done("audit", "--verify", path).out
    if name == "laplace":
        private = dp.mechanism(name, model, epsilon=1, adjacency="add-remove")
        dp.audit(private).certificate.save(path, overwrite=True)
        assert "The certificate holds." in done("audit", "--verify", path).out
    path.write_text(path.read_text(encoding="utf-8").replace(f'"{name}"', '"gaussian"'))
    assert call("audit", "--verify", path).status == 2


def test_census2000(shared_data: Path) -> None:
    """The true mean of 29,501 log incomes, off by noise of scale (high − low)/n = 0.00027."""
    path = shared_data / "census2000.csv"
    if not path.is_file():
        pytest.skip("census2000.csv is not among the real data sets")
    rest = ("--prior-variance", "1", "--variance", "0.5", "--epsilon", "1", "--json")
    made = dp.Release.from_json(done("mean", path, *INCOME, *rest).document)
    true = pd.read_csv(path)["lweekinc"].clip(2, 10).mean()
    # Laplace noise exceeds 16 scales with a probability of 1e-7; the prior moves it by 0.00002
    assert float(made.posterior.mean()) == pytest.approx(true, abs=16 * 8 / 29_501)
