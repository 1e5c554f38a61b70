"""Exceptions. Texts and attributes are public: no count or record is kept in one.

But for `UnknownValuesError`, whose attributes are for the data owner.
"""

from __future__ import annotations

from fractions import Fraction


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


class PrivacyWarning(UserWarning):
    """A release is made as it was asked for, though it protects less than one may think."""


class AccuracyWarning(UserWarning):
    """A release is made as it was asked for, though it says less than one may think."""


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


class DataError(InputError):
    """Records could not be read; the message names the file, the line and the rule."""


class UnknownValuesError(InputError):
    """Records are missing or in no declared category.

    Unlike all else that an error carries, `values` (up to five of them) and `hint` are private: for
    the data owner's eyes only.
    """

    def __init__(self, message: str, values: tuple[object, ...] = (), hint: str = "") -> None:
        super().__init__(message, "data")
        self.values = values
        self.hint = hint


class Charged(str):
    """A note on an error that came after a ledger was charged: which entry it is."""


class MissingPackageError(DiscreetError, ImportError):
    """A package is not installed that is needed here; the message says how to install it."""


class BudgetError(DiscreetError):
    """The budget of a data set does not cover the release; nothing was charged nor drawn."""

    def __init__(
        self,
        message: str,
        dataset: str = "",
        remaining_epsilon: Fraction = Fraction(0),
        remaining_delta: Fraction = Fraction(0),
    ) -> None:
        super().__init__(message)
        self.dataset = dataset
        self.remaining_epsilon = remaining_epsilon
        self.remaining_delta = remaining_delta


class LedgerError(DiscreetError):
    """A ledger is missing, locked, read-only, damaged or newer; nothing was granted."""
