"""A running explorer, and a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import optional

ARTEFACTS = Path(__file__).parents[2] / "build" / "screenshots"


class Explorer:
    """`discreet explore` as a process of its own."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "discreet", "explore", "--no-browser", *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line + self.process.stdout.read()
        self.address = found.group()

    def close(self) -> str:
        """End it, and return what it printed."""
        self.process.terminate()
        printed, _ = self.process.communicate(timeout=20)
        return printed


@pytest.fixture(scope="session")
def explorer() -> Iterator[Explorer]:
    pytest.importorskip("nicegui", reason="the explorer needs NiceGUI")
    found = Explorer()
    yield found
    assert "Traceback" not in found.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync = pytest.importorskip("playwright.sync_api", reason="a browser needs playwright")
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
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def picture(page: Any, name: str) -> None:
    """Keep a screenshot for people to look at."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"{name}.png"), full_page=True)
