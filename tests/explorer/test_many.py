"""Many people at once: every page gets its own answers."""

from __future__ import annotations

from typing import Any

import pytest

import discreet as dp
from tests.explorer.browsing import Explorer, cell, labelled, opened

SESSIONS = 20


@pytest.mark.slow
def test_twenty_sessions(browser: Any, explorer: Explorer) -> None:
    context = browser.new_context(viewport={"width": 1000, "height": 800})
    context.set_default_timeout(60_000)
    pages = [context.new_page() for _ in range(SESSIONS)]
    pages[0].bring_to_front()  # others draw no menus
    opened(pages[0], explorer)
    for page in pages[1:]:
        page.goto(explorer.address)
    for place, page in enumerate(pages):
        labelled(page, "ε").fill(f"{0.5 + place / 10:g}")
    for place, page in enumerate(pages):
        made = dp.mechanism("lattice", dp.BetaBinomial(), 90, epsilon=0.5 + place / 10)
        mean = dp.accuracy(made, (71, 19)).mean
        cell(page, "lattice", 0).filter(has_text=f"{mean:.4g}").wait_for()
        cell(page, "lattice", 6).filter(has_text="0.").wait_for()
    context.close()
