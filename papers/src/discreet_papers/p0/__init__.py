"""P0: its tables and figures, its claims and its printed numbers."""

from discreet_papers.p0.claims import CLAIMS
from discreet_papers.p0.figures import PARTS
from discreet_papers.p0.printed import PRINTED

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
