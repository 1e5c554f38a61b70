"""P4: its examples as programs and figures, and its claims; it prints no numbers as results."""

from discreet_papers.p4.claims import CLAIMS
from discreet_papers.p4.figures import PARTS as FIGURES
from discreet_papers.p4.programs import PART
from discreet_papers.parts import Part, Printed

PARTS: tuple[Part, ...] = (*FIGURES, PART)
PRINTED: tuple[Printed, ...] = ()

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
