"""The explorer in a real browser: the first page, controls, and many sessions at once."""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchmarks.timing import show

LIMIT = 300  # milliseconds within which a control has to answer
SESSIONS = 20
# times from moving the slider until the first figures are new, and until none is missing
MOVE = """(power) => new Promise((resolve) => {
  const text = () => document.querySelector('table.figures')?.textContent ?? '';
  const slider = document.querySelector('input[type=range][aria-label^="ε"]');
  const before = text(), begun = performance.now();
  let first = null;
  setTimeout(() => resolve([first ?? 10_000, 10_000]), 10_000);
  const watch = new MutationObserver(() => {
    if (text() === before) return;
    first ??= performance.now() - begun;
    if (text().includes('…')) return;
    watch.disconnect();
    resolve([first, performance.now() - begun]);
  });
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
  slider.value = power;
  slider.dispatchEvent(new Event('input', { bubbles: true }));
})"""
# starts the clock at the next input or click, stops it when what is in an area has changed
WATCH = """(area) => { window.answer = new Promise((resolve) => {
  const shown = () => document.querySelector(area)?.innerHTML ?? '';
  const before = shown();
  let begun = null;
  for (const kind of ['input', 'click'])
    document.addEventListener(kind, () => { begun ??= performance.now(); }, { capture: true });
  setTimeout(() => resolve(10_000), 10_000);
  const watch = new MutationObserver(() => {
    if (begun === null || shown() === before) return;
    watch.disconnect();
    resolve(performance.now() - begun);
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  watch.observe(document.body, all);
}); }"""
TABLE = "table.figures"
FAN = '[aria-label="Released posteriors around the true one"]'
BOUGHT = '[aria-label="Expected and 95 % error at this and other ε"]'
SETTINGS = {  # counts, and mechanisms besides the three that are chosen at first
    "n = 90, k = 2": ("71, 19", ()),
    "n = 500, k = 2": ("400, 100", ()),
    "n = 500, k = 2, all eight mechanisms": (
        "400, 100",
        ("optimal", "ls_dim", "ehd", "ehdl", "smooth_hellinger"),
    ),
    "n = 30, k = 3": ("10, 12, 8", ()),
    "n = 731, k = 3": ("463, 247, 21", ()),
}


def explorer() -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        print("explorer: Chromium is not installed")
        return
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "discreet", "explore", "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = re.findall(r"http://\S+", server.stdout.readline())[0]
    try:
        with sync_playwright() as driver:
            found = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            rows = [
                _first_page(found, address),
                *_slider(found, address),
                _many(found, address),
                *_others(found, address),
            ]
            found.close()
    finally:
        server.terminate()
        server.communicate()
    heads = ["what", "first answer", f"of {LIMIT} ms", "all figures"]
    show("The explorer, in milliseconds until it is seen", heads, rows)


def _ready(page: Any) -> None:
    page.wait_for_function(
        "(t => t && !t.textContent.includes('…'))(document.querySelector('table.figures'))",
        timeout=60_000,
        polling=100,  # a page in the background draws no frames
    )


def _first_page(browser: Any, address: str) -> list[str]:
    times = []
    for _ in range(5):
        page = browser.new_context().new_page()  # nothing is cached
        begun = time.perf_counter()
        page.goto(address)
        page.locator("table.figures td").first.wait_for()
        times.append(1000 * (time.perf_counter() - begun))
        page.context.close()
    return ["first page, nothing cached", f"{statistics.median(times):.0f}", "", ""]


def _slider(browser: Any, address: str) -> list[list[str]]:
    rows = []
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(address)
    for name, (counts, more) in SETTINGS.items():
        page.get_by_label("Data", exact=True).click()
        page.get_by_role("option", name="Type counts").click()
        page.get_by_label("Counts, made up or public", exact=True).fill(counts)
        for mechanism in more:
            page.get_by_role("checkbox", name=mechanism, exact=True).click()
        _ready(page)
        page.wait_for_timeout(500)
        moves = [page.evaluate(MOVE, power / 100) for power in range(-37, 38, 7)]
        for mechanism in more:
            page.get_by_role("checkbox", name=mechanism, exact=True).click()
        first = statistics.median(m[0] for m in moves)
        whole = statistics.median(m[1] for m in moves)
        rows.append([f"slider, {name}", f"{first:.0f}", f"{first / LIMIT:.2f}", f"{whole:.0f}"])
    page.close()
    return rows


def _others(browser: Any, address: str) -> list[list[str]]:
    """Every other control, each with values that were not asked for before."""
    from discreet.explorer.design import KNOWN

    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.goto(address)

    def settle() -> None:
        page.wait_for_timeout(500)
        if "plan" not in page.url:
            _ready(page)

    def option(label: str, name: str) -> Any:
        page.get_by_label(label, exact=True).click()
        return page.get_by_role("option", name=name, exact=True)

    def row(name: str, area: str, acts: Iterable[Callable[[], Callable[[], Any]]]) -> list[str]:
        """What an act returns is timed; what it does before is not."""
        times = []
        for act in acts:
            control = act()
            page.evaluate(WATCH, area)
            control()
            times.append(page.evaluate("window.answer"))
            settle()
        middle = statistics.median(times)
        what = f"{name}; the slowest took {max(times):.0f}"
        return [what, f"{middle:.0f}", f"{middle / LIMIT:.2f}", ""]

    def typed(name: str, label: str, values: Iterable[object], area: str = TABLE) -> list[str]:
        field = page.get_by_label(label, exact=True)
        return row(name, area, [partial(partial, field.fill, str(v)) for v in values])

    def chosen(name: str, label: str, options: Iterable[str], area: str = TABLE) -> list[str]:
        return row(name, area, [partial(choice, label, o) for o in options])

    def choice(label: str, name: str) -> Any:
        return option(label, name).click

    def box(epsilon: float) -> Any:
        page.get_by_label("ε", exact=True).fill(str(epsilon))
        settle()
        return page.get_by_role("checkbox", name="ehd", exact=True).click

    option("Data", "Type counts").click()
    settle()
    prior = "Prior: a number, one per category, or jeffreys"
    steps = range(7)
    rows = [
        typed(
            "counts, n = 500",
            "Counts, made up or public",
            (f"{400 - i}, {100 + i}" for i in steps),
        ),
        typed("prior, n = 500", prior, range(2, 9)),
        typed("ε typed, n = 500", "ε", (0.31 + i / 10 for i in steps)),
        row("a mechanism's box, n = 500", TABLE, [partial(box, 1.01 + i / 9) for i in steps]),
        chosen("a known data set", "Data", reversed(KNOWN)),
    ]
    option("Data", "Immunotherapy: type of wart").click()
    settle()
    parts = ("plantar", "both", "common")
    rows.append(chosen("category of the fan, k = 3", "Category", parts, FAN))
    option("Data", "Sketch proportions").click()
    settle()
    rows += [
        typed("share, n = 600, k = 3", "share of A", range(20, 27)),
        typed("records, k = 3", "Records", range(450, 520, 10)),
        chosen("number of categories, n = 510", "Categories", "24536784"),
    ]
    page.goto(f"{address}plan")
    settle()
    rows += [
        typed("plan: ε, n = 600", "ε", (0.31 + i / 10 for i in steps), BOUGHT),
        typed("plan: records", "Records", range(500, 507), BOUGHT),
    ]
    page.close()
    return rows


def _many(browser: Any, address: str) -> list[str]:
    """Every page in its turn moves its slider while the others are open and have just done so."""
    pages = [browser.new_page() for _ in range(SESSIONS)]
    for page in pages:
        page.goto(address)
    for page in pages:
        _ready(page)
    moves = []
    for place, page in enumerate(pages):
        page.bring_to_front()
        moves.append(page.evaluate(MOVE, place / 20 - 0.59)[0])
    middle = statistics.median(moves)
    what = f"slider, {SESSIONS} sessions open; the slowest took {max(moves):.0f}"
    return [what, f"{middle:.0f}", f"{middle / LIMIT:.2f}", ""]
