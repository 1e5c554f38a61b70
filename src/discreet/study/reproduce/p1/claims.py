"""What P1 claims."""

from __future__ import annotations

from discreet.study.reproduce.p1 import (
    claims_bounds,
    claims_privacy,
    claims_sensitivity,
    claims_studies,
    claims_tables,
)
from discreet.study.reproduce.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_tables.CLAIMS,
    *claims_privacy.CLAIMS,
    *claims_sensitivity.CLAIMS,
    *claims_bounds.CLAIMS,
    *claims_studies.CLAIMS,
)
