"""The figures and the table of P2, and its first figure on real data."""

from __future__ import annotations

from discreet_papers.p2 import accuracy, guarantees, regression
from discreet_papers.parts import Part

PARTS: tuple[Part, ...] = (*guarantees.PARTS, *accuracy.PARTS, *regression.PARTS)
