"""What P4 claims of its examples."""

from __future__ import annotations

from discreet_papers.p4 import claims_beta, claims_normal, programs
from discreet_papers.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_normal.CLAIMS,
    *claims_beta.CLAIMS,
    *programs.CLAIMS,
)
