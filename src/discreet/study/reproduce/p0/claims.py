"""What P0 claims."""

from __future__ import annotations

from discreet.study.reproduce.parts import Claim

CLAIMS: tuple[Claim, ...] = ()
