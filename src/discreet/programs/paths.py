"""Which way a program goes where a public value decides."""

from __future__ import annotations

from discreet.errors import DiscreetError


class Path:
    """Which way public branches go in this run; new ones go the first way and are noted."""

    def __init__(self, decisions: tuple[bool, ...] = ()) -> None:
        self.decisions, self.taken = decisions, list[bool]()

    def choose(self) -> bool:
        """The next decision."""
        place = len(self.taken)
        self.taken.append(self.decisions[place] if place < len(self.decisions) else True)
        return self.taken[-1]

    def following(self) -> tuple[bool, ...] | None:
        """The decisions of the next path in order."""
        left = list(self.taken)
        while left and not left[-1]:
            left.pop()
        return (*left[:-1], False) if left else None


class Straight(Path):
    """A path without branches."""

    def choose(self) -> bool:
        """There is no decision to be made."""
        raise DiscreetError("which way to go is not known")
