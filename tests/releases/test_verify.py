"""Certificates: written, read, verified, and refused when edited."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import discreet as dp
from discreet.core import Witness
from discreet.core.documents import digest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def certificate() -> dp.Certificate:
    model = dp.DirichletMultinomial(("ja", "nein", "weiß nicht"), (1, 0.5, 2))
    return dp.audit(dp.mechanism("ehds", model, n=7, epsilon=1.5, gamma=0.7)).certificate


def test_a_certificate_is_verified_in_every_form(
    certificate: dp.Certificate, tmp_path: Path
) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(certificate.to_json(), encoding="utf-8")
    saved = tmp_path / "saved.json"
    certificate.save(saved)
    assert saved.read_text(encoding="utf-8").strip() == certificate.to_json()
    forms = (certificate, certificate.to_json(), certificate.document(), path, str(path), saved)
    for form in (*forms, "\n " + certificate.to_json()):
        found = dp.verify(form)
        assert Fraction(found.epsilon) == certificate.epsilon
        assert found.certificate == certificate


def test_the_document_says_everything(certificate: dp.Certificate) -> None:
    document = json.loads(certificate.to_json())
    assert document["mechanism"] == "ehds"
    assert document["n"] == 7
    assert document["epsilon"] == "3/2"
    assert document["options"]["gamma"] == {"exact": "7/10"}
    assert document["model"]["prior"] == ["1", "1/2", "2"]
    assert Fraction(document["bounds"]["lower"]) <= Fraction(document["bounds"]["upper"])
    assert sorted(document["witness"]) == ["counts", "neighbour", "output"]
    assert document["software"].startswith("discreet ")
    schema = json.loads((ROOT / "docs" / "release.schema.json").read_text(encoding="utf-8"))
    about = {"$defs": schema["$defs"], "$ref": "#/$defs/certificate"}
    jsonschema.validate(document, about)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"scale": 2}, about)


def edited(certificate: dp.Certificate, *path: str, value: object, sign: bool) -> str:
    document: dict[str, Any] = json.loads(certificate.to_json())
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    if sign:
        document.pop("sha256")
        document["sha256"] = digest(document)
    return json.dumps(document)


@pytest.mark.parametrize("sign", [False, True])
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("bounds", "upper"), "1/10"),
        (("bounds", "upper"), "3"),
        (("bounds", "lower"), "1/1000"),
        (("n",), 8),
        (("epsilon",), "2"),
        (("model", "prior"), ["1", "1", "1"]),
        (("options", "gamma"), {"exact": "1"}),
        (("scale",), "2"),
        (("scale",), "-1"),
        (("witness", "counts"), [7, 0, 0]),
        (("witness", "neighbour"), ["x"]),
        (("witness", "output"), [99, 0, 0]),
        (("options", "calibrate"), True),
        (("total",), 5),
        (("mechanism",), "ehd"),
        (("mechanism",), "magic"),
        (("bounds",), None),
        (("version",), 99),
        (("format",), "other"),
        (("options",), None),
        (("model",), {}),
        (("model",), None),
        (("epsilon",), "1/0"),
        (("n",), 10**6),
        (("adjacency",), "add-remove"),
    ],
    ids=str,
)
def test_an_edited_certificate_is_refused(
    certificate: dp.Certificate, path: tuple[str, ...], value: object, sign: bool
) -> None:
    """With its digest computed anew as well: the audit does not find the claim again."""
    with pytest.raises(dp.DocumentError, match="certificate"):
        dp.verify(edited(certificate, *path, value=value, sign=sign))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("options", None, "malformed: a part of it is not of the right kind"),
        ("model", {}, "malformed: model is of kind None"),
        ("epsilon", "1/0", "malformed: value must be a number, got '1/0'"),
    ],
)
def test_malformed_certificates_say_what_is_wrong(
    certificate: dp.Certificate, path: str, value: object, message: str
) -> None:
    with pytest.raises(dp.DocumentError, match=message):
        dp.verify(edited(certificate, path, value=value, sign=True))


def test_a_key_that_occurs_twice_is_refused(certificate: dp.Certificate) -> None:
    doubled = certificate.to_json().replace('"n": 7,', '"n": 8, "n": 7,')
    with pytest.raises(dp.DocumentError, match="certificate has a key twice"):
        dp.verify(doubled)


def test_a_certificate_too_large_to_audit() -> None:
    found = dp.audit(dp.mechanism("ehds", dp.BetaBinomial(), n=7, epsilon=1)).certificate
    many = dict(zip(Witness._fields, ([10**6, 0], [10**6 - 1, 1], [10**6, 0]), strict=True))
    document = found.document() | {"n": 10**6, "witness": many}
    del document["sha256"]
    with pytest.raises(dp.DocumentError, match="cannot be verified: an audit at n = 1000000"):
        dp.verify(document | {"sha256": digest(document)})


@pytest.mark.parametrize(
    ("lower", "upper"),
    [("-1e-11", "-1e-11"), ("1e-11", "1e-11"), ("0", "1e-8"), ("-1e-8", "0")],
    ids=["less than is surely lost", "more than may be lost", "loose above", "loose below"],
)
def test_slightly_wrong_bounds_are_refused(
    certificate: dp.Certificate, lower: str, upper: str
) -> None:
    bounds = {
        "lower": str(certificate.epsilon_lower + Fraction(lower)),
        "upper": str(certificate.epsilon + Fraction(upper)),
        "width": str(certificate.width),
    }
    with pytest.raises(dp.DocumentError, match="privacy loss"):
        dp.verify(edited(certificate, "bounds", value=bounds, sign=True))


def test_what_is_no_certificate(certificate: dp.Certificate, tmp_path: Path) -> None:
    release = dp.release((3, 4), dp.BetaBinomial(), 1).to_json()
    missing = tmp_path / "missing"
    for thing in ("{", "[]", "1", 7, None, "{}", certificate.to_json()[:-30], release, missing, ""):
        with pytest.raises(dp.DocumentError, match="certificate"):
            dp.verify(thing)  # type: ignore[arg-type]
    with pytest.raises(dp.DocumentError, match="missing' cannot be read: No such file"):
        dp.verify(str(missing))
    with pytest.raises(dp.DocumentError, match="certificate claims a privacy loss of"):
        dp.verify(replace(certificate, epsilon=Fraction(1, 10), epsilon_lower=Fraction(1, 10)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n", "epsilon"),
    [("ehds", 50, 5000), ("ls_hist", 2000, 3), ("lattice", 2000, 3), ("optimal", 2000, 3)],
)
def test_witnesses_of_tiny_probability(name: str, n: int, epsilon: float) -> None:
    """Outputs whose probability is no float: the loss there is still verified."""
    found = dp.audit(dp.mechanism(name, dp.BetaBinomial(), n=n, epsilon=epsilon))
    assert dp.verify(found.certificate).witness == found.witness


def test_another_witness_as_bad_is_accepted() -> None:
    """The lattice law loses epsilon at many places; which one is named does not matter."""
    found = dp.audit(dp.mechanism("lattice", dp.BetaBinomial(), n=9, epsilon=1))
    other = Witness((4, 5), (5, 4), (4, 5))
    assert found.witness != other
    assert dp.verify(replace(found.certificate, witness=other)).epsilon == found.epsilon
    for wrong in (
        Witness((4, 5), (6, 3), (4, 5)),
        Witness((5, 4), (4, 5), (4, 5)),
        Witness((4, 5), (5, 4), (4, 99)),
    ):
        with pytest.raises(dp.DocumentError, match="witness"):
            dp.verify(replace(found.certificate, witness=wrong))


def test_the_loss_is_said_as_a_bound(certificate: dp.Certificate) -> None:
    close = replace(certificate, epsilon=1 - Fraction(1, 3 * 10**9))
    assert "privacy loss at most 1 (certificate" in str(close)


def test_add_remove_certificates() -> None:
    made = dp.mechanism("lattice", dp.BetaBinomial(), epsilon=0.5, adjacency="add-remove")
    found = dp.audit(made, total=6)
    assert dp.verify(found.certificate.to_json()).total == 6
