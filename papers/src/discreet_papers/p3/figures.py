"""The figures of P3."""

from __future__ import annotations

from discreet_papers.p3 import experiments, search, theory
from discreet_papers.parts import Part

PARTS: tuple[Part, ...] = (*search.PARTS, *experiments.PARTS, *theory.PARTS)
