"""Which records a release is about, and which statements about them go together."""

from __future__ import annotations

from typing import NamedTuple

from discreet import check
from discreet.check import Category
from discreet.core import Config, Counts, Guarantee
from discreet.core.statistics import Statistics
from discreet.core.tables import Tables
from discreet.errors import InputError
from discreet.families.normal.model import NormalMean
from discreet.programs.mechanism import ProgramModel

N_SOURCES = ("declared", "sum of the counts")


class Counted(NamedTuple):
    """Which records were counted; of counts that were given as numbers nothing is known."""

    column: str | None = None
    where: str | None = None
    dropped: bool = False
    other: Category | None = None
    line_breaks: bool = False


def counted(counts: object) -> Counted:
    """What counts remember of the records."""
    if isinstance(counts, Counts):
        return Counted(
            counts.column, counts.where, counts.dropped, counts.other, counts.line_breaks
        )
    if isinstance(counts, (Tables, Statistics)):
        column = None  # the model knows the names of several
        if isinstance(counts, Statistics) and len(counts.columns) == 1:
            column = counts.columns[0]
        return Counted(column, counts.where, counts.dropped, line_breaks=counts.line_breaks)
    return Counted()


def require_agreement(config: Config, records: Counted, n_source: str | None) -> None:
    """Refuse statements that no release makes, by themselves or together."""
    model = config.model
    for argument, value in (("column", records.column), ("where", records.where)):
        if not isinstance(value, (str, type(None))):
            raise InputError(f"{argument} must be text, got {check.brief(value)}", argument)
    labels = getattr(model, "categories", ()) if model.by is None else model.by.categories
    check.choice("dropped", records.dropped, (True, False))
    check.choice("line_breaks", records.line_breaks, (True, False))
    check.choice("other", records.other, (None, *labels))
    if isinstance(model, ProgramModel):
        source = N_SOURCES[model.program.n is None] if config.n is not None else None
        if records != Counted() or n_source != source:
            raise InputError("a program declares which records it reads")
        return
    if records.column is not None and not (
        isinstance(model, NormalMean) or hasattr(model, "categories")
    ):
        raise InputError("its model has the names of several columns", "column")
    if records.dropped and records.other is not None:
        raise InputError("undeclared values are left out or counted, not both", "other")
    if config.n is not None and (
        records.dropped or (records.where is not None and n_source == N_SOURCES[1])
    ):
        raise InputError("its n cannot be public", "n")


def require_payable(guarantee: Guarantee, simulated: bool) -> None:
    """Refuse a receipt for what no ledger pays for."""
    if simulated or not guarantee.private:
        raise InputError("no ledger pays for what is simulated or not private")
