"""P4's programs that are not as private as it claims: refuted by data, each with a message."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.programs.reports import check_program
from discreet_papers.p4.programs import program_of

MESSAGES = {
    "classical_sigma": ("gauss(sigma", "spends delta"),
    "lemma_6_1": ("-hellinger(post, r)", "more than the declared sqrt(1 - pi/4)*eps"),
    "lemma_6_2": ("-total_variation(post, r)", "more than the declared sqrt(2 - pi/2)*eps"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_a_claim_that_does_not_hold_is_refuted(name: str) -> None:
    found = check_program(program_of(f"claimed.{name}").program)
    assert found.verdict == "REFUTED", str(found)
    assert found.witness is not None
    assert found.witness.tightness > 1
    assert found.diagnostic is not None
    text, phrase = MESSAGES[name]
    lines = Path(found.program.source.file).read_text(encoding="utf-8").splitlines()
    assert text in lines[found.diagnostic.span.line - 1]
    assert phrase in str(found.diagnostic)
    assert found.diagnostic.fix
