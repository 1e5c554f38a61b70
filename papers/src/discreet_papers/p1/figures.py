"""The tables and figures of P1, and the studies it announces."""

from __future__ import annotations

from discreet_papers.p1 import studies, tables, theory
from discreet_papers.parts import Part

PARTS: tuple[Part, ...] = (*tables.PARTS, *theory.PARTS, *studies.PARTS)
