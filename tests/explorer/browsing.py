"""A running explorer, and what the tests do with its pages."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from tests.specs import MECHANISMS

T = TypeVar("T")
FIRST = ("lattice", "ls_hist", "ehds")
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
        printed, _ = self.process.communicate(timeout=60)
        return printed


def settled(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result, in a thread of its own: the browser's driver has a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def labelled(page: Any, text: str) -> Any:
    return page.get_by_label(text, exact=True)


def cell(page: Any, row: str, column: int) -> Any:
    """A figure of the table, once it is there."""
    found = page.locator(
        "table.figures tr", has=page.get_by_role("rowheader", name=row, exact=True)
    )
    return found.locator("td").nth(column)


def opened(page: Any, explorer: Explorer) -> None:
    """The design space as it is at first: the server remembers what other tests chose."""
    page.goto(explorer.address)
    page.locator("table.figures tbody tr, .problem:visible").first.wait_for()
    labelled(page, "Data").click()
    page.get_by_role("option", name="Immunotherapy: result").click()
    labelled(page, "Prior: a number, one per category, or jeffreys").fill("1")
    labelled(page, "ε").fill("1")
    for name in MECHANISMS:
        box = page.get_by_role("checkbox", name=name, exact=True)
        if (box.get_attribute("aria-checked") == "true") != (name in FIRST):
            box.click()
    cell(page, "lattice", 0).filter(has_text="0.07598").wait_for()


def planned(page: Any, explorer: Explorer, trial: Path, epsilon: str) -> None:
    """The plan page, filled in."""
    page.goto(f"{explorer.address}plan")
    for label, text in (
        ("File on this machine", str(trial / "patients.csv")),
        ("Column", "outcome"),
        ("Declared categories", "cured, failed"),
        ("ε", epsilon),
        ("Ledger", str(trial / "budget.db")),
        ("Data set", "trial-7"),
        ("Proportions", "80, 20"),
        ("Prior", "1"),
        ("Records", "600"),
    ):
        labelled(page, label).fill(text)


def picture(page: Any, name: str) -> None:
    """Keep a screenshot for people to look at."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(ARTEFACTS / f"{name}.png"), full_page=True)
