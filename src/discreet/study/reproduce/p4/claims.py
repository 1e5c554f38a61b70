"""What P4 claims of its examples."""

from __future__ import annotations

from discreet.study.reproduce.p4 import claims_beta, claims_normal, programs
from discreet.study.reproduce.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_normal.CLAIMS,
    *claims_beta.CLAIMS,
    *programs.CLAIMS,
)
