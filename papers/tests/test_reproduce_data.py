"""`discreet reproduce --data`: real records, what stands in for them, and unusable folders."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text
from tests.cli.cases import call, done

from discreet.errors import InputError
from discreet_papers import registry, reproduce
from discreet_papers.data import DataSet, remark
from discreet_papers.drawing import panels
from discreet_papers.p2 import accuracy, census, data_sets
from discreet_papers.p2.simulating import EXACT, LAPLACE
from discreet_papers.p2.survey import Survey
from discreet_papers.parts import Part, Scale, Table

FILES = ("votes84.csv", "spect.csv", "census2000.csv")


def write(path: Path, head: list[str], rows: Iterator[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files of the shape of the real ones."""
    found, rng = tmp_path / "data", np.random.default_rng(8)
    found.mkdir()
    write(
        found / "votes84.csv",
        ["class", *(f"vote {i}" for i in range(16))],
        ([("democrat", "republican")[i % 2], *rng.choice(["y", "n", "?"], 16)] for i in range(200)),
    )
    write(
        found / "spect.csv",
        ["split", "diagnosis", *(f"F{i}" for i in range(1, 23))],
        (["train", i % 2, *rng.integers(0, 2, 22)] for i in range(200)),
    )
    write(
        found / "census2000.csv",
        ["state", "educ", "lweekinc", "exper", "expersq"],
        (["Ohio", 8 + i % 10, rng.uniform(3, 10), i % 50, (i % 50) ** 2] for i in range(2000)),
    )
    return found


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One part that reads all files and one that reads none; what was computed, in order."""
    calls: list[str] = []

    def draw(table: Table) -> Any:
        figure, [ax] = panels(1)
        ax.plot(table.numbers("records"))
        return figure

    def part(name: str, *data: DataSet) -> Part:
        def compute(scale: Scale) -> Table:
            calls.append(name)
            found = [one.records(scale.data) for one in data]
            sizes = [len(x.records if isinstance(x, Survey) else x.labels) for x in found]
            rows = [(x.synthetic, size) for x, size in zip(found, sizes, strict=True)]
            return Table.of("synthetic records", [*rows, (False, 1)])

        return Part(name, "Figure 1", "A caption.", compute, draw, data)

    monkeypatch.setattr(registry, "PARTS", (part("p2-read", *registry.DATA), part("p2-alone")))
    for name in ("CLAIMS", "PRINTED"):
        monkeypatch.setattr(registry, name, ())
    return calls


def test_the_files_that_are_known() -> None:
    assert sorted(one.file for one in registry.DATA) == sorted(FILES)
    text = done("reproduce", "--help").out
    assert all(file in text for file in FILES)
    reading = {part.name for part in registry.PARTS if part.data}
    assert reading == {"p2-figure-2", "p2-data"}
    for part in registry.PARTS:
        assert all(one.file in part.caption for one in part.data)


def test_without_data(computed: list[str], tmp_path: Path) -> None:
    """Terminal, JSON and page say that records are synthetic, and what to pass for real ones."""
    sentence = remark(one.file for one in registry.DATA)
    shown = done("reproduce", "p2", "--out", tmp_path / "x").out
    assert f"p2-read: {sentence}" in " ".join(shown.split())
    assert "p2-alone:" not in shown
    found = done("reproduce", "p2", "--out", tmp_path / "x", "--json").document
    assert found["synthetic"] == {"p2-read": [one.file for one in registry.DATA]}
    page = (tmp_path / "x" / "report.html").read_text(encoding="utf-8")
    assert page.count(escape(sentence)) == 1
    table = (tmp_path / "x" / "p2-read.csv").read_text(encoding="utf-8")
    assert table.count("True") == 3


def test_with_data(computed: list[str], folder: Path, tmp_path: Path) -> None:
    shown = done("reproduce", "p2", "--data", folder, "--out", tmp_path / "x").out
    assert "ynthetic" not in shown
    assert "ynthetic" not in (tmp_path / "x" / "report.html").read_text(encoding="utf-8")
    table = (tmp_path / "x" / "p2-read.csv").read_text(encoding="utf-8")
    assert sorted(table.splitlines()[1:]) == ["False,1", "False,200", "False,200", "False,2000"]


def test_a_folder_that_has_some(computed: list[str], folder: Path, tmp_path: Path) -> None:
    (folder / "spect.csv").unlink()
    found = done("reproduce", "p2", "--data", folder, "--out", tmp_path / "x", "--json").document
    assert found["synthetic"] == {"p2-read": ["spect.csv"]}


def test_a_result_is_kept_for_the_same_records_only(
    computed: list[str], folder: Path, tmp_path: Path
) -> None:
    def again(*options: object) -> list[str]:
        computed.clear()
        done("reproduce", "p2", "--out", tmp_path / "x", *options)
        return list(computed)

    assert again() == ["p2-read", "p2-alone"]
    assert again() == []
    assert again("--data", folder) == ["p2-read"]
    assert again("--data", folder) == []
    with (folder / "spect.csv").open("a", encoding="utf-8") as file:
        file.write("test,1" + ",0" * 22 + "\n")
    assert again("--data", folder) == ["p2-read"]
    assert again() == ["p2-read"]


def test_naive_bayes_on_what_is_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy, "ON_DATA", (EXACT, LAPLACE))
    (folder / "spect.csv").unlink()
    [part] = [part for part in accuracy.PARTS if part.name == "p2-data"]
    table = part.compute(Scale(quick=True, data=folder))
    assert table.values("panel") == ["votes84", "spect, synthetic", "titanic2201"]
    figure = part.draw(table)
    words = {text.get_text() for text in figure.findobj(Text)}
    assert remark(["spect.csv"]) in words
    assert "votes84: party, from 16 votes" in words
    assert "synthetic, the size of spect: from 22 features" in words
    assert all(ax.has_data() for ax in figure.axes)


def test_what_is_read(folder: Path) -> None:
    with (folder / "votes84.csv").open(encoding="utf-8") as file:
        _, first, *_ = csv.reader(file)
    votes = data_sets.VOTES.records(folder)
    assert votes.labels[:2].tolist() == [1, 0]  # a democrat first
    assert votes.places[0].tolist() == [int(vote == "y") for vote in first[1:]]
    assert data_sets.SPECT.records(folder).places.shape == (200, 22)
    survey = census.CENSUS.records(folder)
    assert survey.columns == ("educ", "exper", "expersq", "lweekinc")
    assert survey.records[3, :2].tolist() == pytest.approx([2 * 3 / 9 - 1, 2 * 3 / 50 - 1])


def replaced(old: str, new: str, times: int = 1) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, times)


@pytest.mark.parametrize(
    ("file", "edit", "sentence"),
    [
        ("census2000.csv", replaced("lweekinc", "wage"), "must have one column 'lweekinc'"),
        ("census2000.csv", replaced("state", "educ"), "must have one column 'educ'"),
        ("census2000.csv", replaced("Ohio,8,", "Ohio,eight,"), "must have numbers in educ, exper"),
        ("census2000.csv", replaced("Ohio,8,", "Ohio,nan,"), "must have finite numbers in educ"),
        ("census2000.csv", replaced("Ohio,8,", "Ohio,"), "for every column in record 1"),
        ("census2000.csv", lambda text: "\n".join(text.split("\n")[:100]), "at least 100 records"),
        ("census2000.csv", lambda text: "", "cannot be read: not a CSV file in UTF-8"),
        ("census2000.csv", replaced("Ohio", "\udcff"), "cannot be read: not a CSV file in UTF-8"),
        ("votes84.csv", replaced("class", "party"), "must have one column 'class'"),
        ("votes84.csv", replaced(",vote 3", "", 1), "must have 16 more columns, got 15"),
        ("votes84.csv", replaced("democrat", "whig"), "class republican or democrat in record 1"),
        ("votes84.csv", replaced(",y", ",yes"), "must have no features but n, y, ? in record "),
        ("votes84.csv", replaced("republican", "democrat", -1), "have records of both classes"),
        ("spect.csv", replaced("diagnosis", "label"), "must have one column 'diagnosis'"),
        ("spect.csv", replaced("F22", "F23"), "must have one column 'F22'"),
        ("spect.csv", replaced("train,1", "train,2"), "must have a class 0 or 1 in record 2"),
        ("spect.csv", replaced(",0,1", ",0,?"), "must have no features but 0, 1 in record "),
    ],
)
def test_files_that_cannot_be_used(
    file: str, edit: Callable[[str], str], sentence: str, folder: Path, tmp_path: Path
) -> None:
    path = folder / file
    text = edit(path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    result = call("reproduce", "p0-table-1", "--data", folder, "--out", tmp_path / "x")
    assert result.status == 2
    assert f"data '{path}'" in " ".join(result.err.split())
    assert sentence in " ".join(result.err.split())
    assert "Traceback" not in result.err
    assert not (tmp_path / "x").exists()


def test_folders_that_cannot_be_used(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "folders" / "spect.csv").mkdir(parents=True)
    for data, sentence in (
        (tmp_path / "nowhere", "data must be a folder that exists, got"),
        (folder / "spect.csv", "data must be a folder that exists, got"),
        (tmp_path / "empty", "data must have one of votes84.csv, spect.csv, census2000.csv, got"),
        (tmp_path / "folders", "cannot be read: Is a directory"),
        ("", "data must be the path of a folder, got ''"),
    ):
        result = call("reproduce", "p2", "--data", data, "--out", tmp_path / "x")
        assert result.status == 2
        assert sentence in " ".join(result.err.split())
        assert not (tmp_path / "x").exists()
    with pytest.raises(InputError, match="data must be the path of a folder, got a list"):
        reproduce(["p2"], tmp_path / "x", data=[folder])  # type: ignore[arg-type]


@pytest.mark.slow
def test_no_panel_is_blank() -> None:
    """Of any part, in a run of an installed package, which has no data."""
    for part in registry.PARTS:
        table = part.compute(Scale(quick=True))
        assert table.rows
        for ax in part.draw(table).axes:
            assert ax.has_data() or len(ax.texts) > 10, part.name  # the latter: a table
