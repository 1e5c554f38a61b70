"""The tables and figures of P1."""

from __future__ import annotations

from discreet.study.reproduce.parts import Part

PARTS: tuple[Part, ...] = ()
