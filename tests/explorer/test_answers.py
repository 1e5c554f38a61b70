"""What a page shows is the answer to what is typed in it, or is dimmed and says why not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from tests.explorer.browsing import Explorer, cell, labelled, opened, picture, planned

DIMMED = ".answer > [inert]"
CURVE = "Expected and 95 % error at this and other ε"
# every state of a chart from now on: whether it is dimmed, whether lines are drawn, its words
WATCH = """(name) => {
  const chart = document.querySelector(`[aria-label="${name}"]`), part = chart.parentElement;
  window.states = [];
  const note = () => window.states.push({
    dimmed: part.inert,
    lines: chart.querySelectorAll('svg path[fill="none"][stroke-width="2"]').length,
    words: chart.textContent,
  });
  new MutationObserver(note).observe(
    part, {attributes: true, attributeFilter: ["inert"], childList: true, subtree: true});
  note();
}"""


def choose(page: Any, field: str, option: str) -> None:
    labelled(page, field).click()
    page.get_by_role("option", name=option, exact=True).click()


def texts(page: Any, chart: str) -> list[str]:
    return list(page.get_by_label(chart, exact=True).locator("svg text").all_text_contents())


def drawn(page: Any, chart: str, word: str) -> None:
    """Wait for a chart that is no longer dimmed."""
    part = page.locator(".answer > :not([inert])", has=page.get_by_label(chart, exact=True))
    part.filter(has_text=word).wait_for()


def test_a_theorem_speaks_where_an_audit_would_take_too_long(page: Any, explorer: Explorer) -> None:
    opened(page, explorer)
    page.get_by_role("checkbox", name="ehdl", exact=True).click()
    choose(page, "Data", "Bike sharing: weather")
    assert dp.compare(dp.DirichletMultinomial(list("abc")), (463, 247, 21), 1).rows[0].loss == 1
    cell(page, "lattice", 4).filter(has_text=re.compile(r"^1 \(theorem\)$")).wait_for()
    cell(page, "ls_hist", 4).filter(has_text="≤ 1 (theorem)").wait_for()
    cell(page, "ehdl", 4).filter(has_text="–").wait_for()
    chart = "Privacy loss of every mechanism"
    drawn(page, chart, "theorem")
    shown = texts(page, chart)
    assert shown.count("1 (theorem)") == 1
    assert shown.count("≤ 1 (theorem)") == 2
    assert shown.count("not computable here") == 1  # of ehdl nothing is proved
    page.get_by_text("Found by a theorem, not by an audit: lattice.").wait_for()
    page.get_by_text("At most what a theorem proves (ls_hist, ehds)").wait_for()
    picture(page, "theorem")


NUMBER = re.compile(r"^-?[\d.,]+(e-?\d+)?$")


def test_ticks_are_round_numbers(page: Any, explorer: Explorer, trial: Path) -> None:
    def look(charts: int) -> None:
        found = page.locator("[role=img]")
        assert found.count() == charts
        for chart in found.all():
            ticks = chart.locator("svg text").all_text_contents()
            numbers = [text for text in ticks if NUMBER.match(text)]
            assert len(numbers) >= 4, ticks
            assert max(map(len, numbers)) <= 7, ticks  # as in 0.08539

    opened(page, explorer)
    page.get_by_text("No private mechanism that releases counts has an average error").wait_for()
    cell(page, "ehds", 6).filter(has_text="0.").wait_for()
    look(5)
    planned(page, explorer, trial, "0.35355339059327384")
    drawn(page, CURVE, "ε = 0.3536")
    look(1)
    picture(page, "ticks")
    page.goto(f"{explorer.address}budget")
    labelled(page, "Ledger").fill(str(trial / "budget.db"))
    page.get_by_role("button", name="Show").click()
    drawn(page, "ε spent, release by release", "budget")
    look(1)


def test_an_old_chart_stays_dimmed_until_the_new_one_comes(
    page: Any, explorer: Explorer, trial: Path
) -> None:
    planned(page, explorer, trial, "0.25")
    choose(page, "Mechanism", "ehds")
    labelled(page, "ε").fill("0.5")
    drawn(page, CURVE, "ε = 0.5")
    page.evaluate(WATCH, CURVE)
    labelled(page, "ε").fill("0.125")
    drawn(page, CURVE, "ε = 0.125")
    states = page.evaluate("window.states")
    assert any(state["dimmed"] for state in states)
    assert all(state["lines"] == 2 for state in states), states  # it is never blank
    first = next(place for place, state in enumerate(states) if state["dimmed"])
    assert all("ε = 0.125" in state["words"] for state in states[first:] if not state["dimmed"])
    assert not states[-1]["dimmed"]
    choose(page, "Mechanism", "lattice")


def test_a_field_in_error_dims_the_design_space(page: Any, explorer: Explorer) -> None:
    opened(page, explorer)
    cell(page, "ehds", 6).filter(has_text="0.").wait_for()
    page.locator(DIMMED).first.wait_for(state="detached")
    for label, bad, said in (
        ("ε", "-1", "epsilon must be greater than 0"),
        ("Counts, made up or public", "71", "counts must be 2 to 8 whole numbers"),
    ):
        good = labelled(page, label).input_value()
        labelled(page, label).fill(bad)
        page.locator(".answer .why").filter(has_text=said).nth(5).wait_for()
        page.locator(DIMMED).nth(5).wait_for(state="attached")
        assert page.locator(DIMMED).count() == page.locator(".answer").count() == 6
        reasons = page.locator(".answer .why").all_inner_texts()
        assert all(said in reason for reason in reasons)
        picture(page, "design-error")
        labelled(page, label).fill(good)
        page.locator(DIMMED).first.wait_for(state="detached")
        cell(page, "lattice", 0).filter(has_text="0.07598").wait_for()


def test_a_field_in_error_dims_the_plan(page: Any, explorer: Explorer, trial: Path) -> None:
    planned(page, explorer, trial, "0.25")
    drawn(page, CURVE, "ε = 0.25")
    labelled(page, "Records").fill("many")
    page.locator(".answer .why").filter(has_text="records must be a number").wait_for()
    page.locator(DIMMED).nth(1).wait_for(state="attached")
    assert page.locator(DIMMED).count() == page.locator(".answer").count() == 2
    picture(page, "plan-error")
    labelled(page, "Records").fill("600")
    drawn(page, CURVE, "ε = 0.25")


def test_another_ledger_dims_the_budget(page: Any, explorer: Explorer, trial: Path) -> None:
    page.goto(f"{explorer.address}budget")
    labelled(page, "Ledger").fill(str(trial / "budget.db"))
    page.get_by_role("button", name="Show").click()
    drawn(page, "ε spent, release by release", "budget")
    labelled(page, "Ledger").fill("elsewhere.db")
    page.get_by_text("Not for the ledger that is typed: press Show.").wait_for()
    assert page.locator(DIMMED).count() == 1
    labelled(page, "Ledger").fill(str(trial / "budget.db"))
    page.locator(DIMMED).wait_for(state="detached")
    labelled(page, "Ledger").fill("elsewhere.db")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("alert").filter(has_text="does not exist").wait_for()
    page.get_by_label("ε spent, release by release").wait_for(state="hidden")


@pytest.mark.slow
def test_a_ledger_without_data_sets_has_no_chart(
    page: Any, explorer: Explorer, trial: Path
) -> None:
    dp.Ledger.open(trial / "empty.db", budget=1)
    page.goto(f"{explorer.address}budget")
    for name, text in (("budget.db", "budget"), ("empty.db", None)):
        labelled(page, "Ledger").fill(str(trial / name))
        page.get_by_role("button", name="Show").click()
        if text:
            drawn(page, "ε spent, release by release", text)
    page.get_by_role("rowheader", name="trial-7").first.wait_for(state="detached")
    assert texts(page, "ε spent, release by release") == []
