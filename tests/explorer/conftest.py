"""A running explorer, a real browser, and data to release."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from tests import optional
from tests.explorer.browsing import Explorer

SENTINELS = (48_611, 23_917)  # private counts that must not be seen


@pytest.fixture(scope="session")
def explorer() -> Iterator[Explorer]:
    pytest.importorskip("nicegui", reason="the explorer needs NiceGUI")
    found = Explorer()
    yield found
    printed = found.close()
    assert "Traceback" not in printed, printed


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync = optional.module("playwright.sync_api", "chromium")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        optional.require("chromium", "Chromium is not installed")
    with sync.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, accept_downloads=True)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    """A file of private records, and a ledger that pays for releases from them."""
    rows = ["outcome", *["cured"] * SENTINELS[0], *["failed"] * SENTINELS[1], ""]
    (tmp_path / "patients.csv").write_text("\n".join(rows), encoding="utf-8")
    dp.Ledger.open(tmp_path / "budget.db", budget=1).create("trial-7")
    return tmp_path
