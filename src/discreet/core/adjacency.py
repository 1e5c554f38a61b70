"""Which data sets are neighbours."""

from __future__ import annotations

from enum import StrEnum


class Adjacency(StrEnum):
    """Which data sets are neighbours.

    `SUBSTITUTE`: one record is replaced by another, so n is public. `ADD_REMOVE`: one record is
    added or removed, so n is private. `ATTRIBUTE`: one attribute of one record changes, which is
    weaker than record level.
    """

    SUBSTITUTE = "substitute"
    ADD_REMOVE = "add-remove"
    ATTRIBUTE = "attribute"

    @classmethod
    def of(cls, value: object) -> Adjacency:
        """Read a name."""
        if isinstance(value, cls):
            return value
        from discreet import check

        return cls(check.choice("adjacency", value, tuple(item.value for item in cls)))

    @property
    def change(self) -> str:
        """The change in words."""
        return {"substitute": "replacing", "add-remove": "adding or removing"}.get(
            self.value, "changing one attribute of"
        )
