"""P1: its tables and figures, its claims and its printed numbers."""

from discreet.study.reproduce.p1.claims import CLAIMS
from discreet.study.reproduce.p1.figures import PARTS
from discreet.study.reproduce.p1.printed import PRINTED

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
