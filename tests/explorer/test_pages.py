"""The whole story in a real browser: explore, plan, release, budget."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from tests.explorer.browsing import Explorer, cell, labelled, opened, picture, planned


def test_explore(page: Any, explorer: Explorer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    opened(page, explorer)
    cell(page, "lattice", 5).filter(has_text="1").wait_for()
    page.get_by_text(
        "No private mechanism that releases counts has an average error below 0.08539"
    ).wait_for()
    picture(page, "design")
    labelled(page, "ε").fill("0.1")
    expected = dp.accuracy(dp.mechanism("lattice", dp.BetaBinomial(), 90, epsilon=0.1), (71, 19))
    cell(page, "lattice", 0).filter(has_text=f"{expected.mean:.4g}").wait_for()
    cell(page, "lattice", 3).filter(has_text="0.1").wait_for()
    assert all(url.startswith((explorer.address, "data:")) for url in asked)


@pytest.mark.slow
def test_choose_other_counts(page: Any, explorer: Explorer) -> None:
    opened(page, explorer)
    labelled(page, "Data").click()
    page.get_by_role("option", name="Bike sharing: weather").click()
    law = dp.accuracy(
        dp.mechanism("lattice", dp.DirichletMultinomial(list("abc")), 731, epsilon=1),
        (463, 247, 21),
    )
    cell(page, "lattice", 0).filter(has_text=f"{law.mean:.4g}").wait_for()
    page.get_by_text("the limit is found up to 5,000 records").wait_for()
    labelled(page, "Data").click()
    page.get_by_role("option", name="Sketch proportions").click()
    labelled(page, "Categories").click()
    page.get_by_role("option", name="4").click()
    cell(page, "ehds", 0).filter(has_text="±").wait_for()  # 36 million candidates
    labelled(page, "Categories").click()
    page.get_by_role("option", name="8").click()
    labelled(page, "Records").fill("100000")
    page.get_by_text("draws)").first.wait_for()
    page.get_by_text("20,000 draws").first.wait_for()
    share = page.get_by_label("share of H")
    share.focus()
    page.keyboard.press("End")
    page.wait_for_function("document.querySelector('[aria-label=\"share of H\"]').value == 100")
    picture(page, "sketch")


@pytest.mark.slow
def test_every_mechanism(page: Any, explorer: Explorer) -> None:
    opened(page, explorer)
    for name in ("optimal", "ls_dim", "ehd", "ehdl", "smooth_hellinger"):
        page.get_by_role("checkbox", name=name, exact=True).click()
        cell(page, name, 0).filter(has_text="0.").wait_for()
    cell(page, "ehdl", 3).filter(has_text="none").wait_for()
    cell(page, "ehdl", 4).filter(has_text="0.").wait_for()
    cell(page, "smooth_hellinger", 6).filter(has_text="–").wait_for()
    picture(page, "mechanisms")
    for name in ("lattice", "ls_hist", "ehds"):
        page.get_by_role("checkbox", name=name, exact=True).click()
    cell(page, "lattice", 0).wait_for(state="detached")


@pytest.mark.slow
def test_the_keyboard_is_enough(page: Any, explorer: Explorer) -> None:
    opened(page, explorer)
    slider = page.get_by_role("slider", name="ε on a logarithmic scale")
    for _ in range(60):
        page.keyboard.press("Tab")
        if slider.evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("Home")
    cell(page, "lattice", 3).filter(has_text="0.01").wait_for()
    assert labelled(page, "ε").input_value() == "0.01"
    assert slider.get_attribute("aria-label")
    box = page.get_by_role("checkbox", name="ls_dim", exact=True)
    box.focus()
    page.keyboard.press("Space")
    cell(page, "ls_dim", 0).wait_for()


ABSURD = ("", "-1", "1e999", "nan", "<script>alert(1)</script>", "9" * 400, "٣x", "1/0")


@pytest.mark.slow
def test_absurd_numbers_in_the_design_space(page: Any, explorer: Explorer) -> None:
    opened(page, explorer)
    labels = ("Counts, made up or public", "Prior: a number, one per category, or jeffreys", "ε")
    for label in labels:
        field = labelled(page, label)
        good = field.input_value()
        for bad in ABSURD:
            field.fill(bad)
            page.get_by_role("alert").filter(has_text="must").wait_for()
        field.fill(good)
        page.get_by_role("alert").first.wait_for(state="hidden")
    cell(page, "lattice", 0).wait_for()


WORDS = [  # what is typed where, and what is said of it
    ("File on this machine", "", "data must be given"),
    ("File on this machine", "\u202e", "must be a .csv"),
    ("File on this machine", "x" * 5000 + ".csv", "cannot be read"),
    ("Column", "", "column must be given"),
    ("Column", "\u202e", "does not exist in the first line"),
    ("Only records with (optional)", "drop table", "where"),
    ("Whose record: column (optional)", "patient", "belong together"),
    ("Ledger", "", "ledger must be given"),
    ("Ledger", "x" * 5000, "discreet ledger init"),
    ("Data set", "", "dataset must be given"),
    ("Data set", "\u202e", "invisible characters"),
    ("Data set", "x" * 5000, "at most 200 characters"),
]


@pytest.mark.slow
def test_absurd_words_in_a_plan(page: Any, explorer: Explorer, trial: Path) -> None:
    planned(page, explorer, trial, "0.5")
    for label in ("Declared categories", "Prior", "ε", "Records", "Proportions"):
        field = labelled(page, label)
        good = field.input_value()
        for bad in ("-1", "1e999", "<b>x</b>", "9" * 400):
            field.fill(bad)
            page.get_by_role("alert").first.wait_for()
        field.fill(good)
        page.get_by_role("alert").first.wait_for(state="hidden")
    for label, bad, said in WORDS:
        field = labelled(page, label)
        good = field.input_value()
        field.fill(bad)
        page.get_by_role("button", name="Release…").click()
        confirm = page.get_by_role("button", name="Release and pay")
        sentence = page.get_by_role("alert").filter(has_text=said)
        sentence.or_(confirm).first.wait_for()
        if confirm.is_visible():
            confirm.click()
        sentence.wait_for()
        field.fill(good)
    assert dp.Ledger.open(trial / "budget.db").remaining("trial-7").epsilon == 1


def test_plan_release_and_budget(page: Any, explorer: Explorer, trial: Path) -> None:
    planned(page, explorer, trial, "0.25")
    page.get_by_text("Expected Hellinger distance").wait_for()
    page.get_by_text("The 95 % interval is expected").wait_for()
    picture(page, "plan")
    page.get_by_role("button", name="Release…").click()
    page.get_by_text("spends ε = 0.25 of the 1 left of 'trial-7'; 0.75 will be left").wait_for()
    picture(page, "confirm")
    page.get_by_role("button", name="Release and pay").click()
    page.get_by_text("ε = 0.25, δ = 0 for replacing one record").wait_for()
    page.get_by_alt_text("The released posterior").wait_for()
    found = {}
    for file in ("json", "png", "py", "ipynb", "sh"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Download release.{file}").click()
        found[file] = Path(waiting.value.path()).read_bytes()
    released = dp.Release.from_json(found["json"].decode())
    assert released.guarantee.epsilon == dp.check.rational("epsilon", 0.25)
    assert found["png"].startswith(b"\x89PNG")
    assert b"dp.release(" in found["py"]
    assert b"nbformat" in found["ipynb"]
    assert b"discreet release" in found["sh"]
    page.get_by_text("Left for trial-7: ε = 0.75, δ = 0.").wait_for()
    rows = page.get_by_role("region", name="The released posterior").locator("tbody tr").all()
    shown = [row.locator("th, td").all_inner_texts() for row in rows]
    summary = released.summary()  # what the command line prints
    assert [(row[0], row[1], *row[3:]) for row in shown] == summary.rows
    page.get_by_text(summary.remarks[0]).wait_for()
    picture(page, "released")
    page.get_by_role("link", name="Budget").click()
    assert labelled(page, "Ledger").input_value() == str(trial / "budget.db")
    cell(page, "trial-7", 2).filter(has_text="ε = 0.75").wait_for()
    page.get_by_role("cell", name="outcome", exact=True).first.wait_for()
    picture(page, "budget")
    stored = dp.Ledger.open(trial / "budget.db").history("trial-7")[-1].document["release"]
    assert dp.Release.from_json(stored) == released
    page.get_by_role("link", name="Plan a release").click()
    assert labelled(page, "Column").input_value() == "outcome"  # what was typed is still there


def test_a_release_that_is_refused(page: Any, explorer: Explorer, trial: Path) -> None:
    planned(page, explorer, trial, "2")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("alert").filter(has_text="has epsilon 1 left of 1").wait_for()
    picture(page, "refused")
    assert dp.Ledger.open(trial / "budget.db").remaining("trial-7").epsilon == 1


@pytest.mark.slow
def test_a_release_that_is_cancelled(page: Any, explorer: Explorer, trial: Path) -> None:
    planned(page, explorer, trial, "0.5")
    page.get_by_role("button", name="Release…").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("It cannot be undone").wait_for(state="hidden")
    assert len(dp.Ledger.open(trial / "budget.db").history()) == 2  # it was opened and created


@pytest.mark.slow
def test_columns_are_suggested_where_there_is_a_schema(
    page: Any, explorer: Explorer, trial: Path
) -> None:
    import duckdb

    name = str(trial / "visits.parquet")
    duckdb.execute("copy (select 'cured' as outcome, 1 as patient) to ? (format parquet)", [name])
    planned(page, explorer, trial, "0.5")
    labelled(page, "File on this machine").fill(name)
    field = labelled(page, "Column")
    for _ in range(100):  # until the file has been looked at
        field.fill("")
        field.press_sequentially("out")
        field.press("Tab")
        if field.input_value() == "outcome":
            break
        page.wait_for_timeout(500)
    assert field.input_value() == "outcome"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1440])
def test_it_fits(browser: Any, explorer: Explorer, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, device_scale_factor=1
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    for path in ("", "plan", "budget"):
        page.goto(f"{explorer.address}{path}")
        page.get_by_role("main").wait_for()
        if not path:
            # at whatever counts another test left the server
            page.locator("table.figures td").filter(has_text="0.").first.wait_for()
        overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0, path
        unnamed = page.evaluate(
            "[...document.querySelectorAll('input, button, [role=slider], [role=img]')]"
            ".filter(e => e.offsetParent && !(e.labels?.length || e.ariaLabel || "
            "e.textContent.trim() || e.closest('label'))).map(e => e.outerHTML)"
        )
        assert not unnamed, path
        assert not page.evaluate(CONTRAST), path
        picture(page, f"{path or 'design'}-{width}-{scheme}")
    context.close()


# texts whose contrast to the nearest background behind them is below what WCAG AA asks for
CONTRAST = """() => {
  const rgb = c => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const e of document.querySelectorAll('h1, h2, label, a, button, th, td, .note, svg text')) {
    if (!e.getClientRects().length || !e.textContent.trim()) continue;
    const style = getComputedStyle(e);
    const ink = rgb(e.closest('svg') ? style.fill : style.color);
    const [a, b] = [light(ink), light(behind(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push([e.textContent.trim().slice(0, 40), ink]);
  }
  return low.length ? JSON.stringify(low) : '';
}"""
