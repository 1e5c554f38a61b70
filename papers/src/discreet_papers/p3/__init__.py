"""P3: its tables and figures, its claims and its printed numbers."""

from discreet_papers.p3.claims import CLAIMS
from discreet_papers.p3.figures import PARTS
from discreet_papers.p3.printed import PRINTED

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
