"""What P0 claims."""

from __future__ import annotations

from discreet_papers.p0 import (
    claims_data,
    claims_definitions,
    claims_figure_2,
    claims_figure_3,
    claims_laplace,
    claims_privacy,
    claims_table,
)
from discreet_papers.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_definitions.CLAIMS,
    *claims_privacy.CLAIMS,
    *claims_laplace.CLAIMS,
    *claims_table.CLAIMS,
    *claims_figure_2.CLAIMS,
    *claims_figure_3.CLAIMS,
    *claims_data.CLAIMS,
)
