"""Which data sets are neighbours."""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Adjacency(StrEnum):
    """Which data sets are neighbours.

    `SUBSTITUTE`: one record is replaced by another, so n is public. `ADD_REMOVE`: one record is
    added or removed, so n is private. `ATTRIBUTE`: one attribute of one record changes, which is
    weaker than record level.

    Example:
        >>> import discreet as dp
        >>> dp.Adjacency("add-remove").change
        'adding or removing'
    """

    SUBSTITUTE = "substitute"
    ADD_REMOVE = "add-remove"
    ATTRIBUTE = "attribute"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        from discreet import check

        return check.choice("adjacency", value, [item.value for item in cls])  # which refuses it

    @property
    def change(self) -> str:
        """The change in words."""
        return {"substitute": "replacing", "add-remove": "adding or removing"}.get(
            self.value, "changing one attribute of"
        )
