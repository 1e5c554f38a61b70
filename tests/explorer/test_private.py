"""Nothing private reaches the browser, whatever is done in the pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from tests.explorer.browsing import Explorer, cell, labelled, opened, planned

COUNTS = (1_048_613, 1_739_391)  # long enough not to turn up by chance
PICTURE = re.compile(r"base64,[A-Za-z0-9+/=]+")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    text = "outcome,patient\n" + "cured,p1\n" * COUNTS[0] + "failed,p2\n" * COUNTS[1]
    (tmp_path / "patients.csv").write_text(text, encoding="utf-8")
    dp.Ledger.open(tmp_path / "budget.db", budget=1).create("trial-7")
    return tmp_path


def listening(page: Any) -> list[str]:
    """Everything that reaches the browser, from now on."""
    heard: list[str] = []

    def text(payload: Any) -> str:
        return payload if isinstance(payload, str) else bytes(payload).decode("latin-1")

    def answered(response: Any) -> None:
        kind = response.headers.get("content-type", "")
        if not any(word in kind for word in ("font", "javascript", "css")):
            heard.append(response.text())

    page.on(
        "websocket", lambda s: s.on("framereceived", lambda payload: heard.append(text(payload)))
    )
    page.on("response", answered)
    return heard


def refused(page: Any, said: str) -> None:
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Release and pay").click()
    page.get_by_role("alert").filter(has_text=said).wait_for()


def test_only_what_was_paid_for_is_sent(page: Any, explorer: Explorer, records: Path) -> None:
    heard = listening(page)
    opened(page, explorer)
    planned(page, explorer, records, "0.001")
    page.get_by_text("Expected Hellinger distance").wait_for()
    labelled(page, "Declared categories").fill("cured, missed")
    refused(page, "must hold declared categories")  # what else is there is not said
    labelled(page, "Declared categories").fill("cured, failed")
    labelled(page, "Column").fill("patient")
    refused(page, "must hold declared categories")
    labelled(page, "Column").fill("outcome")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Release and pay").click()
    page.get_by_text("ε = 0.001, δ = 0 for replacing one record").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download release.json").click()
    released = dp.Release.load(Path(waiting.value.path()))
    page.get_by_role("link", name="Budget").click()
    cell(page, "trial-7", 2).filter(has_text="0.999").wait_for()
    assert sum(released.value) == sum(COUNTS)  # n is public
    private = {str(count) for count in COUNTS} - {str(count) for count in released.value}
    seen = "\n".join(PICTURE.sub("", message) for message in heard)
    assert len(heard) > 30
    assert str(released.value[0]) in seen  # so the counts would be found
    assert str(sum(COUNTS)) in seen
    assert not [count for count in private if count in seen.replace(",", "")]
    assert not re.search(r"p1\b", seen)


@pytest.mark.slow
def test_nothing_is_read_before_it_is_confirmed(
    page: Any, explorer: Explorer, records: Path
) -> None:
    """A plan is the same whatever the file is, even one that is not there."""
    shown = []
    for name in ("patients.csv", "none.csv"):
        planned(page, explorer, records, "0.5")
        labelled(page, "File on this machine").fill(str(records / name))
        page.get_by_text("The 95 % interval is expected").wait_for()
        page.get_by_role("button", name="Release…").click()
        page.get_by_text("It cannot be undone").wait_for()
        shown.append([line.inner_text() for line in page.locator(".q-dialog .q-card div").all()])
        page.get_by_role("button", name="Cancel").click()
    assert shown[0] == shown[1]


@pytest.mark.slow
def test_a_file_without_a_header_shows_no_record(
    page: Any, explorer: Explorer, records: Path
) -> None:
    """A near miss of what the first line holds is not corrected."""
    (records / "head.csv").write_text("Smithers,1957-03-02\ncured,x\n", encoding="utf-8")
    heard = listening(page)
    planned(page, explorer, records, "0.5")
    labelled(page, "File on this machine").fill(str(records / "head.csv"))
    labelled(page, "Column").fill("smither")
    refused(page, "does not exist in the first line")
    assert not [message for message in heard if "Smithers" in message]
