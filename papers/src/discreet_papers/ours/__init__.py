"""What we found ourselves; no paper has it."""

from discreet_papers.ours import networks, theory, use
from discreet_papers.parts import Claim, Part, Printed

CLAIMS: tuple[Claim, ...] = (*use.CLAIMS, *networks.CLAIMS, *theory.CLAIMS)
PARTS: tuple[Part, ...] = ()
PRINTED: tuple[Printed, ...] = ()
