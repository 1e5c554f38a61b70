"""Every table, figure and claim of the papers, computed anew: `discreet reproduce`."""

from discreet.study.reproduce.running import Run, reproduce

__all__ = ["Run", "reproduce"]
