from __future__ import annotations

import hashlib
import json
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dp
from discreet.errors import DocumentError
from tests.specs import NORMAL_MECHANISMS, REGRESSION_MECHANISMS

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "release.schema.json").read_text(encoding="utf-8")
)
labels = st.lists(
    st.one_of(
        st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=5), st.integers()
    ),
    min_size=2,
    max_size=5,
    unique=True,
)


def example(**options: object) -> dp.Release[Any, Any, Any]:
    model = dp.DirichletMultinomial(("überraschend", "日本", "c"), prior=(0.5, 1, 2))
    return dp.release((5, 3, 2), model, 0.3, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", dp.MECHANISMS)
def test_documents_follow_the_schema(name: str) -> None:
    options: dict[str, Any] = {"calibrate": True} if name == "smooth_hellinger" else {}
    options |= {"delta": 1e-5} if name in ("smooth_hellinger", "gaussian") else {}
    release = example(mechanism=name, allow_nonprivate=True, **options)
    document = json.loads(release.to_json())
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(document, SCHEMA)
    assert dp.Release.from_json(json.dumps(document)) == release  # layout does not matter


def test_add_remove_follows_the_schema() -> None:
    jsonschema.validate(json.loads(example(adjacency="add-remove").to_json()), SCHEMA)


MEAN = dp.NormalMean(Fraction(1, 3), 4, 9, bounds=(-5, 5))
LINE = dp.LinearRegression((1, 2), 1, {"x": (0, 4), "z": (-1, 1), "y": (0, 9)}, radius=1)
UNKNOWN = dp.LinearRegression(2, (3, 1), {"x": (0, 4), "y": (0, 9)}, intercept=False)
RECORDS = {"x": [1, 2.5, 3], "z": [0.5, -1, 1], "y": [2, 4.25, 7]}
CONTINUOUS: list[tuple[Any, str, dict[str, Any]]] = [
    (MEAN, "laplace", {}),
    (MEAN, "gaussian", {"delta": 1e-6}),
    (MEAN, "input", {"delta": 1e-6}),
    (MEAN, "hellinger", {"points": 11}),
    (LINE, "statistics", {}),
    (LINE, "statistics", {"delta": 1e-6, "weight": 2, "adjacency": "add-remove"}),
    (LINE, "sample", {"samples": 2, "norm": 0.5}),
    (UNKNOWN, "statistics", {}),
]


@pytest.mark.parametrize(("model", "name", "options"), CONTINUOUS)
def test_means_and_regressions_follow_the_schema(
    model: Any, name: str, options: dict[str, Any]
) -> None:
    data = RECORDS["x"] if model is MEAN else RECORDS
    counts = model.count(data) if model is MEAN else model.count(data, "y")
    release = dp.release(counts, model, 1, name, rng=np.random.default_rng(1), **options)
    document = json.loads(release.to_json())
    jsonschema.validate(document, SCHEMA)
    assert dp.Release.from_json(json.dumps(document)) == release
    for name in document["model"]:
        wrong = document | {"model": {k: v for k, v in document["model"].items() if k != name}}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"model": document["model"] | {"bounds": ["0"]}}, SCHEMA)


def test_every_mechanism_of_means_and_regressions_is_there() -> None:
    named = {(type(model), name) for model, name, _ in CONTINUOUS}
    assert {name for kind, name in named if kind is dp.NormalMean} == set(NORMAL_MECHANISMS)
    assert {name for kind, name in named if kind is dp.LinearRegression} == set(
        REGRESSION_MECHANISMS
    )


@given(labels, st.integers(0, 20))
def test_round_trip_with_any_labels(categories: list[str | int], n: int) -> None:
    model = dp.DirichletMultinomial(categories)
    release = dp.release([n] * len(categories), model, 1)
    again = dp.Release.from_json(release.to_json())
    assert again == release
    assert pickle.loads(pickle.dumps(release)) == release
    assert again.config.model.categories == model.categories


def test_saving_and_loading(tmp_path: Path) -> None:
    release = example()
    release.save(tmp_path / "release.json")
    assert dp.Release.load(tmp_path / "release.json") == release
    assert dp.Release.load(str(tmp_path / "release.json")).posterior == release.posterior


def test_the_digest_can_be_recomputed_from_the_documentation() -> None:
    document = json.loads(example().to_json())
    digest = document.pop("sha256")
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(canonical.encode("utf-8")).hexdigest() == digest


def edited(change: dict[str, object]) -> str:
    return json.dumps(json.loads(example().to_json()) | change)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not complete JSON"),
        (example().to_json()[:-20], "not complete JSON"),
        ("[" * 100_000, "not complete JSON"),
        ("[1, 2]", "not a discreet release"),
        ("{}", "not a discreet release"),
        ('{"format": "discreet-release", "version": 1, "x": "\\ud800"}', "malformed"),
        (edited({"version": 4}), "format version 4, this software reads 1 to 3"),
        (edited({"version": None}), "format version None"),
        (edited({"value": [1, 2, 3]}), "was changed"),
        (edited({"epsilon": "1/100"}), "was changed"),
        (edited({"simulated": False}), "was changed"),
        (edited({"sha256": "0" * 64}), "was changed"),
    ],
)
def test_damaged_documents_are_refused(text: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        dp.Release.from_json(text)


def signed(change: dict[str, object]) -> str:
    """A forgery with the right digest: it may be read, but never crash."""
    from discreet.core.documents import digest

    document = json.loads(example().to_json()) | change
    del document["sha256"]
    return json.dumps(document | {"sha256": digest(document)})


@pytest.mark.parametrize(
    "change",
    [
        {"model": None},
        {"model": {"categories": ["a"], "prior": ["1"]}},
        {"guarantee": {}},
        {"epsilon": "one"},
        {"epsilon": "1/0"},
        {"epsilon": "1e999999999"},
        {"adjacency": "near"},
        {"options": [1]},
        {"raw": 5},
        {"options": {"gamma": {"exact": []}}},
        {"value": [1, 2]},
        {"value": [9, 1, 0]},
        {"raw": [1.5, 1, 2]},
        {"raw": [10**30, 1, 2]},
        {"n": -3},
        {"n": "10"},
        {"mechanism": "foo"},
        {"simulated": "no"},
        {"n_source": "thin air"},
        {"n_source": None},
        {"extra": 1},
        {"receipt": 5},
        {"dropped": 1},
        {"other": "none of them"},
        {"guarantee": {"epsilon": "-1"}},
    ],
)
def test_malformed_documents_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(DocumentError, match="malformed"):
        dp.Release.from_json(signed(change))


def test_the_software_of_a_release_is_kept() -> None:
    old = signed({"software": "discreet 0.0.7"})
    release = dp.Release.from_json(old)
    assert release.software == "discreet 0.0.7"
    assert json.loads(release.to_json()) == json.loads(old)
    assert example().software == f"discreet {dp.__version__}"
    for wrong in (None, 5, "", ["discreet"]):
        with pytest.raises(DocumentError, match="malformed: software must"):
            dp.Release.from_json(signed({"software": wrong}))


def test_a_key_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    """Readers differ in which of the two values they take."""
    text = example().to_json()
    for key in ('"simulated": true,', '"epsilon": "3/10",'):
        assert key in text
        doubled = text.replace(key, f"{key} {key}")
        with pytest.raises(DocumentError, match="the release has a key twice"):
            dp.Release.from_json(doubled)
        (tmp_path / "release.json").write_text(doubled, encoding="utf-8")
        with pytest.raises(DocumentError, match=r"release.json': the release has a key twice"):
            dp.Release.load(tmp_path / "release.json")


def test_saving_replaces_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, link = tmp_path / "release.json", tmp_path / "link.json"
    example().save(path)
    path.chmod(0o640)
    link.symlink_to(path)
    before = path.read_text()

    def full(self: Path, target: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(dp.InputError, match="cannot be written: No space left"):
            example(mechanism="ls_hist").save(path, overwrite=True)
    assert path.read_text() == before
    for place in (path, link):
        with pytest.raises(dp.InputError, match="exists already: overwrite=True replaces it"):
            example(mechanism="ls_hist").save(place)
    assert path.read_text() == before
    example(mechanism="ls_hist").save(link, overwrite=True)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert dp.Release.load(path).config.mechanism == "ls_hist"
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_files_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DocumentError, match="not a text file"):
        dp.Release.load(tmp_path / "binary")
    with pytest.raises(DocumentError, match="missing' cannot be read: No such file"):
        dp.Release.load(tmp_path / "missing")
    with pytest.raises(DocumentError, match="cannot be read: Is a directory"):
        dp.Release.load(tmp_path)
    for place in (tmp_path, tmp_path / "missing" / "release.json"):
        with pytest.raises(dp.InputError, match=r"path .* cannot be written"):
            example().save(place)


@pytest.mark.parametrize("path", [None, [], "\0", "", b"x", 5])
def test_paths_are_names_of_files(path: Any) -> None:
    for use in (example().save, dp.Release.load):
        with pytest.raises(dp.InputError, match="path must be the name of a file") as raised:
            use(path)
        assert raised.value.argument == "path"


def test_parsed_documents() -> None:
    document = json.loads(example().to_json())
    assert dp.Release.from_json(document) == example()
    assert "sha256" in document  # it is left as it was
    others: tuple[Any, ...] = (None, [], 5)
    for other in others:
        with pytest.raises(DocumentError, match="text must be JSON text, got"):
            dp.Release.from_json(other)
    with pytest.raises(DocumentError, match=r"Release\.load reads a file"):
        dp.Release.from_json("release.json")


def test_nothing_private_is_written() -> None:
    """The true counts appear nowhere in a release, its JSON, its repr or its pickle."""
    model = dp.DirichletMultinomial(("a", "b", "c"))
    secret = (123457, 223469, 323473)
    release = dp.release(secret, model, 1e-3)
    texts = (release.to_json(), repr(release), release._repr_html_(), repr(vars(release)))
    for count in secret:
        if count not in release.value and count not in release.raw:
            assert all(str(count) not in text for text in texts)
