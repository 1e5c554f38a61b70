"""Every table, figure and claim of the papers, computed anew: `discreet reproduce`."""

from discreet_papers.running import Run, reproduce

__all__ = ["Run", "reproduce"]
