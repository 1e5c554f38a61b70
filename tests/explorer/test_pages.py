"""The whole story in a real browser."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from tests.explorer.conftest import Explorer, picture

SENTINELS = (48_611, 23_917)


def labelled(page: Any, text: str) -> Any:
    return page.get_by_label(text, exact=True)


def cell(page: Any, row: str, column: int) -> Any:
    """A figure of the table, once it is there."""
    found = page.locator(
        "table.figures tr", has=page.get_by_role("rowheader", name=row, exact=True)
    )
    return found.locator("td").nth(column)


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    rows = ["outcome", *["cured"] * SENTINELS[0], *["failed"] * SENTINELS[1], ""]
    (tmp_path / "patients.csv").write_text("\n".join(rows), encoding="utf-8")
    dp.Ledger.open(tmp_path / "budget.db", budget=1).create("trial-7", unit="patient")
    return tmp_path


def planned(page: Any, explorer: Explorer, trial: Path, epsilon: str) -> None:
    """The plan page, filled in."""
    page.goto(f"{explorer.address}plan")
    labelled(page, "File on this machine").fill(str(trial / "patients.csv"))
    labelled(page, "Column").fill("outcome")
    labelled(page, "Declared categories").fill("cured, failed")
    labelled(page, "ε").fill(epsilon)
    labelled(page, "Ledger").fill(str(trial / "budget.db"))
    labelled(page, "Data set").fill("trial-7")


def test_explore(page: Any, explorer: Explorer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(explorer.address)
    cell(page, "lattice", 0).filter(has_text="0.07598").wait_for()
    cell(page, "lattice", 5).filter(has_text="1").wait_for()
    picture(page, "design")
    labelled(page, "ε").fill("0.1")
    cell(page, "lattice", 3).filter(has_text="0.1").wait_for()
    expected = dp.accuracy(dp.mechanism("lattice", dp.BetaBinomial(), 90, epsilon=0.1), (71, 19))
    cell(page, "lattice", 0).filter(has_text=f"{expected.mean:.4g}").wait_for()
    assert all(url.startswith(explorer.address) for url in asked)


def test_the_keyboard_is_enough(page: Any, explorer: Explorer) -> None:
    page.goto(explorer.address)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    cell(page, "lattice", 3).filter(has_text="0.794").wait_for()
    box = page.get_by_role("checkbox", name="ls_dim", exact=True)
    box.focus()
    page.keyboard.press("Space")
    cell(page, "ls_dim", 0).wait_for()


def test_absurd_numbers_in_the_page(page: Any, explorer: Explorer) -> None:
    page.goto(explorer.address)
    for label in ("Counts, made up or public", "Prior (one number, or one per category)", "ε"):
        field = labelled(page, label)
        good = field.input_value()
        for bad in ("", "-1", "1e999", "nan", "<script>alert(1)</script>", "9" * 400):
            field.fill(bad)
            page.get_by_role("alert").filter(has_text="must").wait_for()
        field.fill(good)
        page.get_by_role("alert").wait_for(state="hidden")


def test_plan_release_and_budget(page: Any, explorer: Explorer, trial: Path) -> None:
    heard = listening(page)
    planned(page, explorer, trial, "0.001")
    page.get_by_text("Expected Hellinger distance").wait_for()
    page.get_by_role("button", name="Release…").click()
    page.get_by_text("ε = 0.001 of the 1 left of 'trial-7'").wait_for()
    picture(page, "confirm")
    page.get_by_role("button", name="Release and pay").click()
    page.get_by_text("ε = 0.001, δ = 0 for replacing one patient").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download release.json").click()
    document = Path(waiting.value.path()).read_text(encoding="utf-8")
    released = dp.Release.from_json(document)
    picture(page, "released")
    for file in ("release.png", "release.py", "release.ipynb", "release.sh"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download {file}").click()
        assert Path(waiting.value.path()).stat().st_size > 100
    assert sum(released.value) == sum(SENTINELS)  # n is public
    page.goto(f"{explorer.address}budget")
    labelled(page, "Ledger").fill(str(trial / "budget.db"))
    page.get_by_role("button", name="Show").click()
    cell(page, "trial-7", 2).filter(has_text="0.999").wait_for()
    picture(page, "budget")
    private = {str(count) for count in SENTINELS} - {str(count) for count in released.value}
    assert len(heard) > 50
    for message in heard:
        assert not [count for count in private if re.search(rf"(?<!\d){count}(?!\d)", message)]


def listening(page: Any) -> list[str]:
    """Everything that reaches the browser, from now on."""
    heard: list[str] = []

    def text(payload: Any) -> str:
        return payload if isinstance(payload, str) else bytes(payload).decode("latin-1")

    def answered(response: Any) -> None:
        kind = response.headers.get("content-type", "")
        if "font" not in kind and "javascript" not in kind:
            heard.append(response.text())

    page.on(
        "websocket", lambda s: s.on("framereceived", lambda payload: heard.append(text(payload)))
    )
    page.on("response", answered)
    return heard


def test_a_release_that_is_refused(page: Any, explorer: Explorer, trial: Path) -> None:
    planned(page, explorer, trial, "2")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Release and pay").click()
    page.get_by_role("alert").filter(has_text="trial-7").wait_for()
    picture(page, "refused")
    assert dp.Ledger.open(trial / "budget.db").remaining("trial-7").epsilon == 1


def test_a_release_that_is_cancelled(page: Any, explorer: Explorer, trial: Path) -> None:
    planned(page, explorer, trial, "0.5")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("It cannot be undone").wait_for(state="hidden")
    assert len(dp.Ledger.open(trial / "budget.db").history()) == 2  # it was opened and created


def test_a_file_that_vanishes_between_plan_and_release(
    page: Any, explorer: Explorer, trial: Path
) -> None:
    planned(page, explorer, trial, "0.5")
    page.get_by_role("button", name="Release…").click()
    page.get_by_text("cannot be undone").wait_for()
    (trial / "patients.csv").unlink()
    page.get_by_role("button", name="Release and pay").click()
    page.get_by_role("alert").filter(has_text="does not exist").wait_for()
    assert dp.Ledger.open(trial / "budget.db").remaining("trial-7").epsilon == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_it_fits(browser: Any, explorer: Explorer, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, device_scale_factor=1
    )
    page = context.new_page()
    for path in ("", "plan", "budget"):
        page.goto(f"{explorer.address}{path}")
        page.get_by_role("main").wait_for()
        if not path:
            cell(page, "lattice", 5).filter(has_text="1").wait_for()
        overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0, path
        unnamed = page.evaluate(
            "[...document.querySelectorAll('input, button')].filter(e => e.offsetParent && "
            "!(e.labels?.length || e.ariaLabel || e.textContent.trim() || e.closest('label')))"
            ".map(e => e.outerHTML)"
        )
        assert not unnamed, path
        picture(page, f"{path or 'design'}-{width}-{scheme}")
    context.close()


def test_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "discreet", "explore", "--no-browser", "--port", port]
        found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert f"port {port} cannot be used" in found.stderr
    assert "Traceback" not in found.stderr


def test_json_in_the_page_is_what_was_stored(trial: Path) -> None:
    """The document that is downloaded is the one in the ledger's book."""
    made = dp.release(
        (5, 4),
        dp.BetaBinomial(),
        0.1,
        ledger=dp.Ledger.open(trial / "budget.db"),
        dataset="trial-7",
    )
    assert json.loads(made.to_json())["sha256"]
