"""Calibration by audit, and its cache."""

from __future__ import annotations

import json
import pickle
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.specs import CALIBRATED

import discreet as dp
from discreet.auditing import calibration, certificate_store

OPTIONS: dict[str, dict[str, Any]] = {"smooth_hellinger": {"delta": 1e-6}}


def make(name: str, model: dp.DirichletMultinomial, n: int, epsilon: float) -> dp.Mechanism:
    return dp.mechanism(name, model, n=n, epsilon=epsilon, calibrate=True, **OPTIONS.get(name, {}))


@pytest.mark.parametrize("name", CALIBRATED)
@pytest.mark.parametrize(
    ("k", "n", "prior", "epsilon"),
    [(2, 1, 1, 1), (2, 40, 1, 1), (2, 30, (0.1, 3), 5), (3, 9, "jeffreys", 0.5), (4, 4, 1, 1e-6)],
)
def test_the_budget_is_spent_and_not_more(
    name: str, k: int, n: int, prior: Any, epsilon: float
) -> None:
    made = make(name, dp.DirichletMultinomial(range(k), prior), n, epsilon)
    assert made.guarantee.epsilon == Fraction(str(epsilon))
    certificate = made.guarantee.basis
    assert isinstance(certificate, dp.Certificate)
    found = dp.verify(certificate.to_json())
    assert Fraction(found.epsilon) <= made.guarantee.epsilon
    assert found.epsilon == pytest.approx(epsilon, rel=1e-5)
    assert dp.audit(made).epsilon == found.epsilon
    assert pickle.loads(pickle.dumps(made)) == made
    law = made.law((n, *[0] * (k - 1)))
    assert pickle.loads(pickle.dumps(law)).probability(law.support[0]) == pytest.approx(
        law.probability(law.support[0])
    )


def test_a_calibrated_ehdl_is_private() -> None:
    release = dp.release((12, 8), dp.BetaBinomial(), 1, "ehdl", calibrate=True)
    assert release.guarantee.private
    assert "exact audit: privacy loss at most" in str(release.guarantee.basis)
    again = dp.Release.from_json(release.to_json())
    assert again == release
    assert again.guarantee.basis == release.guarantee.basis
    with pytest.raises(dp.PrivacyRefusedError, match="ehdl is not private"):
        dp.release((12, 8), dp.BetaBinomial(), 1, "ehdl", calibrate=False)


def test_reading_a_release_needs_no_calibration(monkeypatch: pytest.MonkeyPatch) -> None:
    text = dp.release((5, 3), dp.BetaBinomial(), 1, "ehds", calibrate=True).to_json()
    monkeypatch.setattr(calibration, "_search", None)
    monkeypatch.setattr(certificate_store, "load", None)
    assert dp.Release.from_json(text).config.mechanism == "ehds"
    document = json.loads(text)
    document["guarantee"]["basis"]["certificate"]["scale"] = "99"
    with pytest.raises(dp.DocumentError):
        dp.Release.from_json(json.dumps(document))


@pytest.mark.parametrize(("epsilon", "most"), [(1, 0.230), (5, 0.0049)])
def test_mean_error_of_calibrated_ehds(epsilon: float, most: float) -> None:
    made = make("ehds", dp.BetaBinomial(), 40, epsilon)
    errors = []
    for ones in range(41):
        law = made.law((ones, 40 - ones))
        distances = dp.hellinger(law.support + 1, np.array([ones + 1, 41 - ones]))
        errors.append(float((np.exp(law.log_p) * distances).sum()))
    assert np.mean(errors) <= most


def test_too_large_to_audit() -> None:
    with pytest.raises(dp.NotEnumerable, match="an audit at n = 1000000"):
        make("ehds", dp.BetaBinomial(), 10**6, 1)
    made = make("smooth_hellinger", dp.BetaBinomial(), 10**6, 1)
    assert isinstance(made.guarantee.basis, dp.Theorem)  # scaled by the proved bound instead
    assert made.guarantee.epsilon == 1
    same = make("smooth_hellinger", dp.BetaBinomial(), np.int64(10**6), 1)  # type: ignore[arg-type]
    assert same == made


def test_bad_values() -> None:
    for value in (1, "yes", None, 0.5):
        with pytest.raises(dp.InputError, match="calibrate must be one of True, False"):
            dp.mechanism("ehds", dp.BetaBinomial(), n=5, epsilon=1, calibrate=value)
    with pytest.raises(dp.InputError, match="calibrate is not an option of lattice"):
        dp.mechanism("lattice", dp.BetaBinomial(), n=5, epsilon=1, calibrate=True)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(certificate_store, "directory", lambda: tmp_path / "a" / "certificates")
    return tmp_path / "a" / "certificates"


def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts how often a calibration is really done."""
    done: list[int] = []
    search = calibration._search

    def counted(base: dp.Mechanism) -> dp.Certificate:
        done.append(1)
        return search(base)

    monkeypatch.setattr(calibration, "_search", counted)
    return done


def test_a_second_calibration_is_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = searches(monkeypatch)
    first = make("ehds", dp.BetaBinomial(), 6, 1)
    assert make("ehds", dp.BetaBinomial(), 6, 1) == first
    assert len(done) == 1
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert len(list(place.iterdir())) == 1
    # another setting, whatever it is, is another entry
    make("ehds", dp.BetaBinomial(), 7, 1)
    make("ehds", dp.BetaBinomial(2), 6, 1)
    make("ehds", dp.BetaBinomial(categories=("a", "b")), 6, 1)
    make("ehd", dp.BetaBinomial(), 6, 1)
    dp.mechanism("ehds", dp.BetaBinomial(), n=6, epsilon=1, gamma=2, calibrate=True)
    # and so is another version of the software
    monkeypatch.setattr(certificate_store, "__version__", "0.0.1")
    make("ehds", dp.BetaBinomial(), 6, 1)
    assert len(done) == 7 == len(list(place.iterdir()))


@pytest.mark.parametrize("damage", ["truncated", "edited", "signed", "foreign", "empty", "noise"])
def test_a_damaged_entry_is_not_used(
    place: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    made = make("ehds", dp.BetaBinomial(), 6, 1)
    other = make("ehds", dp.BetaBinomial(), 6, 2)
    [path] = [p for p in place.iterdir() if json.loads(p.read_text())["epsilon"] == "1"]
    text = path.read_text()
    assert isinstance(made.guarantee.basis, dp.Certificate)
    assert isinstance(other.guarantee.basis, dp.Certificate)
    path.write_text(
        {
            "truncated": text[:-40],
            "edited": text.replace('"scale": "', '"scale": "9'),
            "signed": other.guarantee.basis.to_json().replace('"epsilon": "2"', '"epsilon": "1"'),
            "foreign": other.guarantee.basis.to_json(),
            "empty": "",
            "noise": "\x00[1, 2",
        }[damage]
    )
    done = searches(monkeypatch)
    assert make("ehds", dp.BetaBinomial(), 6, 1).guarantee == made.guarantee
    assert len(done) == 1
    assert path.read_text() == text  # and it is mended


def test_a_directory_open_to_others_is_not_used(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("ehds", dp.BetaBinomial(), 6, 1)
    place.chmod(0o770)
    done = searches(monkeypatch)
    make("ehds", dp.BetaBinomial(), 6, 1)
    assert len(done) == 1


def test_a_link_is_not_followed(place: Path, tmp_path: Path) -> None:
    made = make("ehds", dp.BetaBinomial(), 6, 1)
    [path] = place.iterdir()
    elsewhere = tmp_path / "elsewhere.json"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert certificate_store.load(made.config) is None
    path.unlink()
    elsewhere.rename(path)
    assert certificate_store.load(made.config) == made.guarantee.basis
    path.chmod(0o666)
    assert certificate_store.load(made.config) is None
    path.chmod(0o600)
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert certificate_store.load(made.config) is None


def test_a_certificate_for_another_claim_is_not_used(place: Path) -> None:
    made = make("ehds", dp.BetaBinomial(), 6, 1)
    certificate = made.guarantee.basis
    assert isinstance(certificate, dp.Certificate)
    base = dp.mechanism("ehds", dp.BetaBinomial(), n=6, epsilon=1)
    for wrong in (
        replace(certificate, epsilon=Fraction(2)),
        replace(certificate, scale=None),
        replace(certificate, config=replace(made.config, n=7)),
    ):
        with pytest.raises(dp.DocumentError, match="certificate does not fit the mechanism"):
            calibration.restore(base, wrong)
    certificate_store.save(made.config, replace(certificate, scale=None))
    assert make("ehds", dp.BetaBinomial(), 6, 1) == made


def test_without_a_place_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(certificate_store, "directory", lambda: blocked / "certificates")
    assert make("ehds", dp.BetaBinomial(), 6, 1).guarantee.epsilon == 1
