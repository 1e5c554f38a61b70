"""Both lists: what must be proved is, what must not is refuted, each with a message of its own."""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path

import pytest

from discreet.programs.reports import Report, check_program
from tests.programs.tables import BROKEN, PROVED, table

# the text of the line that is pointed at, and what the message says
MESSAGES = {
    "beta_l1_eps": ("laplace(eps, b)", "spends epsilon 2*eps, more than the declared eps"),
    "candidates_from_n": ("range(len(data) + 1)", "the length of this range is private"),
    "dirichlet_one": ("laplace(eps, params(post))", "'cured' is replaced by 'improved'"),
    "divided": ("sum(data) / 0.5", "spends epsilon 2*eps, more than the declared eps/2"),
    "half_noise": ("laplace(2 * eps", "spends epsilon 2*eps, more than the declared eps"),
    "inverse": ("1 / a", "division by a private value"),
    "inverse_scale": ("laplace(1 / eps", "spends epsilon 1/eps"),
    "jeffreys": ("exp_mech(eps", "sqrt(1 - 2/pi)*eps"),
    "loop_branch": ("return first, second", "second is private and is returned without noise"),
    "n_releases": ("sample(laplace(eps, total))", "spends epsilon n*eps"),
    "no_noise": ("infer(observe_all", "Beta posterior given data"),
    "normal_unclipped": ("params(post)", "any real numbers"),
    "one_raw": ("return Beta(x, b)", "b is private and is returned without noise"),
    "overlapping_cells": ("parallel(size", "the cells overlap: a record (True, True)"),
    "parallel_substitute": ("parallel(size", "'sick' is replaced by 'well'"),
    "posterior_sample": ("sample(post)", "a draw from the posterior is not private"),
    "prior_from_data": ("Beta(1 + sum(data), 1)", "the prior is chosen from the data"),
    "private_branch": ("if a > b", "a branch on a private value"),
    "public_n": ("len(data) + 2 - x", "under add-remove the number of records is private"),
    "same_draw": ("a + noise, b + noise", "is drawn around a public number"),
    "squared_hellinger": ("** 2", "a power of a private value"),
    "unknown_function": ("scaled(sum(data))", "scaled is an unknown function"),
    "without_two": ("exp_mech(2 * eps", "spends epsilon 2*sqrt(1 - pi/4)*eps"),
}
# what the costs say where the message alone is not enough
COSTS = {
    "beta_l1_eps": "so far 2*eps",
    "divided": "distance 2",
    "half_noise": "distance 1 (replacing one record",
    "parallel_substitute": "leaves one cell and enters another",
    "n_releases": "n times",
    "same_draw": "distance 0 (it is public)",
}


@cache
def report(name: str) -> Report:
    return check_program((PROVED | BROKEN)[name])


def test_the_lists_are_those_of_the_language() -> None:
    assert len(PROVED) >= 22
    assert MESSAGES.keys() == BROKEN.keys()


@pytest.mark.parametrize("name", PROVED)
def test_what_must_be_proved_is_proved(name: str) -> None:
    assert report(name).verdict == "PROVED", str(report(name))


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refuted_by_data(name: str) -> None:
    found = report(name)
    assert found.verdict == "REFUTED", str(found)
    assert found.witness is not None
    assert found.witness.violated
    assert found.witness.tightness > 1


@pytest.mark.parametrize("name", BROKEN)
def test_a_message_says_where_why_and_what_to_do(name: str) -> None:
    found = report(name).diagnostic
    assert found is not None
    text, phrase = MESSAGES[name]
    source = report(name).program.source
    assert text in Path(source.file).read_text().splitlines()[found.span.line - 1]
    assert phrase in str(found)
    assert found.fix
    assert COSTS.get(name, "") in " ".join(found.costs)


@pytest.mark.slow
def test_the_table_of_the_guide_is_true() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "programs.md").read_text()
    for line in table().splitlines():
        assert line.rsplit(maxsplit=1)[0] in guide  # but for the seconds


def test_no_two_messages_are_the_same() -> None:
    said = {}
    for name in BROKEN:
        found = report(name).diagnostic
        assert found is not None
        told = (found.message, found.reason, *found.costs)
        said[name] = tuple(re.sub(r"line \d+", "line", part) for part in told)
    same = [(a, b) for a, b in itertools.combinations(said, 2) if said[a] == said[b]]
    assert not same
