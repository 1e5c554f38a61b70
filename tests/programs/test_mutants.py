"""Mutants of every proved program: none is both proved and refuted, and weaker ones are refuted."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from discreet.programs import auditing
from discreet.programs.diagnostics import ProgramError
from tests.programs.mutating import Mutant, mutants
from tests.programs.tables import PROVED, at

# weaker mutants that no small data refute: the program, the mutant, and why
UNREFUTED = (
    ("adaptive", "drawn twice, 2", "the second draw is fresh in one branch only: too many outputs"),
    ("adaptive", "drawn twice, 3", "the repeated draw has no value in the other branch"),
    ("(beta_input|learn_bias)", "half|without|score|budget", "two candidates lose half the claim"),
    (
        "(dirichlet_l1|naive_bayes_substitute)",
        "twice the value|divided",
        "a vector has no products",
    ),
    (
        "finite_hellinger",
        "9/10",
        "Kantorovich's bound is for any posterior, these reach 0.82 of it",
    ),
    ("naive_bayes", "drawn twice, 1", "six draws have too many outputs"),
    ("normal_hellinger", "no clip|wider|9/10", "the grid of candidates is fixed and far away"),
)
LONG = ("clamped", "naive_bayes", "naive_bayes_substitute", "normal_hellinger", "normal_input")
NAMES = [pytest.param(n, marks=pytest.mark.slow if n in LONG else ()) for n in PROVED]


def unrefuted(program: str, mutant: str) -> bool:
    return any(re.fullmatch(p, program) and re.search(m, mutant) for p, m, _ in UNREFUTED)


def proof_fails(mutant: Mutant) -> ProgramError | None:
    try:
        mutant.program.prove()
    except ProgramError as error:
        return error
    return None


@pytest.mark.parametrize("name", NAMES)
def test_no_mutant_is_both_proved_and_refuted(name: str) -> None:
    kept = [mutant for mutant in mutants(PROVED[name]) if proof_fails(mutant) is None]
    assert kept  # such as one with more noise
    for mutant in kept:
        assert not mutant.weaker, mutant.name
        for eps in (Fraction(1), Fraction(1, 2)):
            found = auditing.worst_loss(mutant.program, at(mutant.program, eps), 1)
            assert found is not None
            assert not found.violated, f"{mutant.name}: {found}"


@pytest.mark.parametrize("name", NAMES)
def test_weaker_mutants_are_refuted(name: str) -> None:
    tried = 0
    for mutant in mutants(PROVED[name]):
        error = proof_fails(mutant)
        if not mutant.weaker or unrefuted(name, mutant.name):
            continue
        assert error is not None, mutant.name
        found = auditing.refute(mutant.program, error.diagnostic.values, seconds=30)
        assert found is not None, f"{mutant.name}: {error}"
        tried += 1
    assert tried >= 2 or unrefuted(name, "budget")


def test_most_weaker_mutants_have_no_excuse() -> None:
    weaker = [(n, m.name) for n, p in PROVED.items() for m in mutants(p) if m.weaker]
    assert len(weaker) > 200
    assert sum(unrefuted(*pair) for pair in weaker) < len(weaker) / 8
