"""What P2 claims."""

from __future__ import annotations

from discreet_papers.p2 import (
    claims_figure_1,
    claims_figure_2,
    claims_fourier,
    claims_laplace,
    claims_map,
    claims_regression,
    claims_sampler,
)
from discreet_papers.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_laplace.CLAIMS,
    *claims_fourier.CLAIMS,
    *claims_sampler.CLAIMS,
    *claims_map.CLAIMS,
    *claims_figure_1.CLAIMS,
    *claims_figure_2.CLAIMS,
    *claims_regression.CLAIMS,
)
