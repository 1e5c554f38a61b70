"""The numbers that P0 prints."""

from __future__ import annotations

from discreet.study.reproduce.parts import Printed

PRINTED: tuple[Printed, ...] = ()
