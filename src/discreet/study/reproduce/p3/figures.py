"""The figures of P3."""

from __future__ import annotations

from discreet.study.reproduce.p3 import experiments, search, theory
from discreet.study.reproduce.parts import Part

PARTS: tuple[Part, ...] = (*search.PARTS, *experiments.PARTS, *theory.PARTS)
