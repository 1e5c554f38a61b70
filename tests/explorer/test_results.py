"""A release as it is shown once it is paid for: what the command line prints, from it alone."""

from __future__ import annotations

import pytest

pytest.importorskip("nicegui", reason="the explorer needs NiceGUI")

import discreet as dp
from discreet.explorer import results


def test_it_is_the_summary_with_the_parameters() -> None:
    made = dp.release((71, 19), dp.DirichletMultinomial(["cured", "failed"]), 1)
    shown = results.with_the_noise(made)
    summary = made.summary()
    assert [(row[0], row[1], *row[3:]) for row in shown.rows] == summary.rows
    assert shown.sentences == summary.remarks
    alphas = [str(1 + count) for count in made.value]
    assert [row[2] for row in shown.rows] == [alphas[0], "", alphas[1], ""]


def test_nothing_but_the_release_enters() -> None:
    made = dp.release((71, 19), dp.DirichletMultinomial(["cured", "failed"]), 1)
    again = dp.Release.from_json(made.to_json())
    assert results.with_the_noise(made)[:2] == results.with_the_noise(again)[:2]


def test_what_cannot_include_the_noise_says_so() -> None:
    model = dp.DirichletMultinomial(["a", "b", "c"])
    made = dp.release((463, 247, 21), model, 1, "ehds")
    shown = results.with_the_noise(made)
    assert {row[1] for row in shown.rows} == {"as released"}
    assert [(row[0], *row[2:]) for row in shown.rows] == made.posterior.table()
    assert shown.sentences == [results.AS_IF]


def test_of_many_categories_the_first_are_shown() -> None:
    model = dp.DirichletMultinomial([f"c{i}" for i in range(25)])
    shown = results.as_released(dp.release([40] * 25, model, 1), "")
    assert len(shown.rows) == 20
    assert shown.sentences[-1] == "… 25 categories in all."
