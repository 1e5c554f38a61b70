"""What was written stays readable, and a seed keeps its draws."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

import discreet as dp
from discreet.core.documents import digest
from discreet.families import regression
from discreet.families.regression.mechanisms.statistics import noisy_statistics
from tests.golden import documents
from tests.golden.cases import NAMES, made
from tests.optional import module
from tests.specs import KINDS, found

OLD = documents.lines("releases_1.jsonl")  # of version 1, in which options may be left open
SECOND = documents.lines("releases_2.jsonl")  # of version 2, in which guarantees have no rho
RELEASES = documents.lines("releases.jsonl")
CERTIFICATES = documents.lines("certificates.jsonl")
COMMANDS = documents.lines("commands.jsonl")


def written(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)


def close(found: Any, wanted: Any) -> bool:
    """Equal, but for the last digits of floats, which depend on the machine's libraries."""
    if isinstance(wanted, float) and isinstance(found, float):
        return math.isclose(found, wanted, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return [*found] == [*wanted] and all(close(found[key], wanted[key]) for key in wanted)
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        return len(found) == len(wanted) and all(map(close, found, wanted))
    return type(found) is type(wanted) and bool(found == wanted)


def test_all_of_them_are_there() -> None:
    assert {*OLD} <= {*SECOND} <= {*RELEASES} == {*NAMES}
    kept = {(made["model"]["kind"], made["mechanism"]) for made in RELEASES.values()}
    assert kept >= {(kind, name) for kind in KINDS for name in found(kind).mechanisms}
    assert [*CERTIFICATES] == [*documents.AUDITED]
    assert [*COMMANDS] == [*documents.COMMANDS]


@pytest.mark.parametrize(
    "kept", [each for kept in (RELEASES, SECOND, OLD) for each in kept.values()]
)
def test_a_release_is_read_byte_for_byte(kept: dict[str, Any]) -> None:
    release = dp.Release.from_json(written(kept))
    assert release.to_json() == written(kept)
    unsigned = {key: value for key, value in kept.items() if key != "sha256"}
    assert kept["sha256"] == digest(unsigned)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_gives_the_same_release(name: str) -> None:
    release = made(name)
    assert release.to_json() == written(RELEASES[name])
    for version, kept in ((1, OLD), (2, SECOND)):
        if name in kept:
            assert as_of(release, version).to_json() == written(kept[name])


def as_of(release: dp.Release[Any, Any, Any], version: int) -> dp.Release[Any, Any, Any]:
    """The release as an earlier version wrote it, its certificate too."""
    if isinstance(basis := release.guarantee.basis, dp.Certificate):
        guarantee = replace(release.guarantee, basis=replace(basis, version=version))
        release = replace(release, mechanism=replace(release.mechanism, guarantee=guarantee))
    return replace(release, version=version)


def test_no_option_is_left_open() -> None:
    open_once = {"line statistics", "line normal", "line bare", "network posterior_sample"}
    for name, kept in RELEASES.items():
        left = {option for option, value in kept["options"].items() if value is None}
        assert left <= {"postprocess"}, name  # of which None is a choice
        assert isinstance(kept["options"].get("shares", []), list)
        first = OLD.get(name, kept)["options"]
        assert (None in first.values()) == (name in open_once) or left


def test_a_law_that_changes_stays_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A better default, or another law, reads old documents by the function that made them."""
    spec = regression.FAMILY.spec("statistics")

    def better(*arguments: Any, weight: Any = None, **options: Any) -> dp.Mechanism:
        return noisy_statistics(*arguments, weight=9 if weight is None else weight, **options)

    changed = replace(spec, make=better, earlier=((1, noisy_statistics),))
    monkeypatch.setitem(regression.FAMILY.mechanisms, "statistics", changed)
    kept = OLD["line statistics"]
    assert dp.Release.from_json(written(kept)).to_json() == written(kept)
    assert dict(made("line statistics").config.options)["weight"] == 9
    monkeypatch.setitem(regression.FAMILY.mechanisms, "statistics", replace(spec, make=better))
    with pytest.raises(dp.DocumentError):
        dp.Release.from_json(written(kept))


@pytest.mark.parametrize("name", documents.AUDITED)
def test_a_certificate_is_verified(name: str) -> None:
    kept = CERTIFICATES[name]
    found = dp.verify(kept).certificate
    assert replace(found, version=1).document() == kept
    assert dp.verify(found).certificate == found


def test_a_ledger_is_read_and_goes_on() -> None:
    with documents.ledger() as place:
        book = dp.Ledger.existing(place)
        assert book.verify().ok
        outcomes = [entry for entry in book.history() if entry.kind == "outcome"]
        paid = [name for name in documents.PAID if name in OLD]
        assert [entry.dataset for entry in outcomes] == paid
        for entry in outcomes:
            assert entry.settles is not None
            stored = book.released(entry.settles)
            release = dp.Release.from_json(stored)
            assert json.loads(release.to_json()) == stored
            assert book.verify(release).ok
            assert stored["mechanism"] == RELEASES[entry.dataset]["mechanism"]
            assert stored["options"] == OLD[entry.dataset]["options"]
        before = book.datasets()
        for name in paid:  # asked again, the stored release is returned
            again = made(name, ledger=book, dataset=name, request_id=name)
            assert again.receipt is not None
            assert again.receipt.stored is not None
        assert book.datasets() == before
        made("lattice", ledger=book, dataset="lattice")
        assert book.verify().ok


@pytest.mark.parametrize("name", documents.COMMANDS)
def test_commands_print_what_they_printed(name: str) -> None:
    if name.startswith("check"):
        module("z3", "language")
    assert close(documents.commands(name)[name], COMMANDS[name])
