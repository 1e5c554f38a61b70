"""What we found ourselves; no paper has it."""

from discreet.study.reproduce.ours.claims import CLAIMS
from discreet.study.reproduce.parts import Part, Printed

PARTS: tuple[Part, ...] = ()
PRINTED: tuple[Printed, ...] = ()

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
