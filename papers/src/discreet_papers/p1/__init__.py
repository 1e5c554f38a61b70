"""P1: its tables and figures, its claims and its printed numbers."""

from discreet_papers.p1.claims import CLAIMS
from discreet_papers.p1.figures import PARTS
from discreet_papers.p1.printed import PRINTED

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
