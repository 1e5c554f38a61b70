"""What P3 claims."""

from __future__ import annotations

from discreet_papers.p3 import (
    claims_accuracy,
    claims_l1,
    claims_numbers,
    claims_proof,
    claims_setup,
)
from discreet_papers.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_setup.CLAIMS,
    *claims_proof.CLAIMS,
    *claims_numbers.CLAIMS,
    *claims_l1.CLAIMS,
    *claims_accuracy.CLAIMS,
)
