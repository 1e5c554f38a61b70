"""The figure and the table of P2 on networks, and the figure on real data."""

from __future__ import annotations

from discreet.study.reproduce.p2 import accuracy, guarantees
from discreet.study.reproduce.parts import Part

PARTS: tuple[Part, ...] = (*guarantees.PARTS, *accuracy.PARTS)
