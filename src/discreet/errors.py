"""Exceptions. Every attribute is public information: no count or record is ever kept in one."""

from __future__ import annotations


class DiscreetError(Exception):
    """Base of every error raised on purpose."""


class InputError(DiscreetError, ValueError):
    """An argument is not acceptable; nothing was drawn and nothing was charged."""

    def __init__(self, message: str, argument: str = "") -> None:
        super().__init__(message)
        self.argument = argument


class PrivacyRefusedError(DiscreetError):
    """The release would not be as private as asked for; nothing was drawn."""

    def __init__(self, message: str, guarantee: object = None) -> None:
        super().__init__(message)
        self.guarantee = guarantee


class NotEnumerable(DiscreetError):  # noqa: N818 - a name of the public design
    """A law has too many outcomes to list; `candidates` says how many (None: infinitely many)."""

    def __init__(self, message: str, candidates: int | None = None) -> None:
        super().__init__(message)
        self.candidates = candidates


class NotAPosteriorError(DiscreetError, ValueError):
    """A released vector has a parameter that is not positive."""


class DocumentError(InputError):
    """A saved release is truncated, edited, or of another format version."""


class ExactnessError(DiscreetError, RuntimeError):
    """A bound that the exact sampler relies on was refuted by a ball: it stops without a result."""
