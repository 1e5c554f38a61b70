"""The tables and figures of P0."""

from __future__ import annotations

from discreet_papers.p0 import experiments, losses, steps, theory
from discreet_papers.parts import Part

PARTS: tuple[Part, ...] = (*steps.PARTS, *theory.PARTS, *experiments.PARTS, *losses.PARTS)
