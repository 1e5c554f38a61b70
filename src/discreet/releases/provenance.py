"""Which records a release is about, and which statements about them go together."""

from __future__ import annotations

from typing import NamedTuple

from discreet import check
from discreet.check import Category
from discreet.core import Config, Guarantee, families
from discreet.core.counts import N_SOURCES
from discreet.errors import InputError


class Provenance(NamedTuple):
    """Which records were counted; of counts that were given as numbers nothing is known."""

    column: str | None = None
    where: str | None = None
    dropped: bool = False
    other: Category | None = None
    line_breaks: bool = False


def provenance(counts: object) -> Provenance:
    """What counts remember of the records; a Series has an attribute `where` too."""
    if type(getattr(counts, "line_breaks", None)) is not bool:
        return Provenance()
    known = {name: getattr(counts, name, None) for name in Provenance._fields}
    return Provenance(**{name: value for name, value in known.items() if value is not None})


def require_agreement(config: Config, records: Provenance, n_source: str | None) -> None:
    """Refuse statements that no release makes, by themselves or together."""
    model, reads = config.model, families.of_model(config.model).reads
    for argument, value in (("column", records.column), ("where", records.where)):
        if not isinstance(value, (str, type(None))):
            raise InputError(f"{argument} must be text, got {check.brief(value)}", argument)
    labels = getattr(model, "categories", ()) if model.by is None else model.by.categories
    check.choice("dropped", records.dropped, (True, False))
    check.choice("line_breaks", records.line_breaks, (True, False))
    check.choice("other", records.other, (None, *labels))
    if reads == "nothing":
        if records != Provenance() or (config.n is not None and n_source != model.n_source):
            raise InputError("a program declares which records it reads")
        return
    if records.column is not None and reads != "column":
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
