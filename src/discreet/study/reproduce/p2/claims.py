"""What P2 claims."""

from __future__ import annotations

from discreet.study.reproduce.p2 import (
    claims_figure_1,
    claims_fourier,
    claims_laplace,
    claims_map,
    claims_sampler,
)
from discreet.study.reproduce.parts import Claim

CLAIMS: tuple[Claim, ...] = (
    *claims_laplace.CLAIMS,
    *claims_fourier.CLAIMS,
    *claims_sampler.CLAIMS,
    *claims_map.CLAIMS,
    *claims_figure_1.CLAIMS,
)
