"""What P1 claims."""

from __future__ import annotations

from discreet_papers.p1 import (
    claims_bounds,
    claims_privacy,
    claims_sensitivity,
    claims_studies,
    claims_tables,
)
from discreet_papers.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_tables.CLAIMS,
    *claims_privacy.CLAIMS,
    *claims_sensitivity.CLAIMS,
    *claims_bounds.CLAIMS,
    *claims_studies.CLAIMS,
)
