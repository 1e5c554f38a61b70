"""P2: its figures and its table, its claims and its printed numbers."""

from discreet_papers.p2.claims import CLAIMS
from discreet_papers.p2.figures import PARTS
from discreet_papers.p2.printed import PRINTED

__all__ = ["CLAIMS", "PARTS", "PRINTED"]
