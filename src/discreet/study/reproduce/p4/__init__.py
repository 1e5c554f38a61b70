"""P4: its normal examples as a figure, and its claims; it prints no numbers as results."""

from discreet.study.reproduce.p4.claims import CLAIMS
from discreet.study.reproduce.p4.figures import PARTS
from discreet.study.reproduce.parts import Printed

PRINTED: tuple[Printed, ...] = ()

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
