"""P0: its tables and figures, its claims and its printed numbers."""

from discreet.study.reproduce.p0.claims import CLAIMS
from discreet.study.reproduce.p0.figures import PARTS
from discreet.study.reproduce.p0.printed import PRINTED

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
