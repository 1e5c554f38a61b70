"""P4: its examples as programs and figures, and its claims; it prints no numbers as results."""

from discreet.study.reproduce.p4.claims import CLAIMS
from discreet.study.reproduce.p4.figures import PARTS as FIGURES
from discreet.study.reproduce.p4.programs import PART
from discreet.study.reproduce.parts import Part, Printed

PARTS: tuple[Part, ...] = (*FIGURES, PART)
PRINTED: tuple[Printed, ...] = ()

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
