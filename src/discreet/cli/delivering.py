"""What is done with a release once it is made: it is written, printed, and never lost."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from discreet.cli import common
from discreet.errors import DiscreetError, InputError

if TYPE_CHECKING:
    from discreet.ledger import Ledger
    from discreet.releases.published import AnyRelease


def require_payer(ledger: str | None, dataset: str | None, **others: str | None) -> None:
    """A release that was meant to be paid for is never made without."""
    if ledger is not None and dataset is None:
        raise InputError("dataset must be given with a ledger: whose budget pays", "dataset")
    for argument, value in ({"dataset": dataset} | others).items():
        if ledger is None and value is not None:
            raise InputError(f"{argument} needs a ledger: give --ledger", argument)


def carry_out(
    count: Callable[[], Any],
    model: Any,
    epsilon: Fraction,
    mechanism: str | None,
    options: Mapping[str, Any],
    *,
    n: int | None,
    adjacency: str,
    ledger: str | None,
    dataset: str | None,
    request_id: str | None,
    part: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    out: str | None = None,
    plot: str | None = None,
    bif: str | None = None,
) -> int:
    """Open the ledger, count, release, and deliver what was released."""
    from discreet.releases.releasing import release

    book = None if ledger is None else _existing(ledger)
    with common.waiting("counting"):
        counts = count()
    _say_privately(counts)
    with common.said():
        made = release(
            counts,
            model,
            epsilon,
            mechanism,
            n=n,
            adjacency=adjacency,
            ledger=book,
            dataset=dataset,
            request_id=request_id,
            part=part,
            **options,
        )
    left = None if book is None or dataset is None else (dataset, book, part)
    files = {"Release": out, "Plot": plot, "Network": bif}
    return deliver(made, left, files, force, as_json, quiet)


def _existing(place: str) -> Ledger:
    from discreet.ledger import Ledger

    return Ledger.existing(place)


def _say_privately(counts: Any) -> None:
    """What who holds the data should know: records left out or put into `other`, or none at all.

    It is counted without noise: a terminal is told, no file and no pipe.
    """
    if not sys.stderr.isatty():
        return
    from discreet import check

    if counts.unknown:
        number = check.number_of(counts.unknown, "record")
        what = "left out" if counts.dropped else f"counted as {counts.other!r}"
        said = f"Private, for you only: {number} with missing or undeclared values, {what}."
        click.echo(said, err=True)
    elif counts.where is not None and counts.n_records == 0:
        click.echo("Private, for you only: no record satisfies the condition.", err=True)


def deliver(
    made: AnyRelease,
    left: tuple[str, Any, str | None] | None,
    files: Mapping[str, str | None],
    force: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Write and print a release. It is paid for: what fails here must not lose it."""
    from discreet.cli import places, showing
    from discreet.cli.failures import spoken

    out, plot, bif = (files[what] for what in ("Release", "Plot", "Network"))
    safe = False
    try:
        if out is not None:
            made.save(out, force)
            safe = not as_json
        aware = None
        if plot is not None or not (as_json or quiet):
            aware = showing.noise_aware(made)
        if plot is not None:
            places.save_plot(plot, lambda: made.plot(noise_aware=aware), force)
        if bif is not None:
            made.posterior.to_bif(bif, force)
        if as_json:
            common.print_json(json.loads(made.to_json()))
            safe = True
        elif not quiet:
            showing.show(made, aware)
            showing.show_cost(made)
            _show_rest(made, left, files)
    except BaseException as error:
        written = "" if out is None else f"the release was written to {out}"
        note = written if safe else _rescue(made, left)
        if isinstance(error, DiscreetError):
            click.echo(f"Error: {spoken(str(error))}{note and f'; {note}'}", err=True)
            return 1
        if note:
            click.echo(f"Note: {note}", err=True)
        raise
    return 0


def _rescue(made: AnyRelease, left: tuple[str, Any, str | None] | None) -> str:
    """Put a release where it is not lost, and say where."""
    from discreet.ledger.stores import shown

    try:
        click.echo(made.to_json())
        return "the release is on standard output, keep it"
    except OSError:  # full, or closed
        if made.receipt is None or left is None:
            click.echo(made.to_json(), err=True)
            return "the release is on standard error, keep it"
    place, number = shlex.quote(shown(left[1].place)), made.receipt.number
    return (
        f"the release is stored in the ledger as the outcome of entry {number}: "
        f"discreet ledger released {place} {number} --out FILE"
    )


def _show_rest(
    made: AnyRelease, left: tuple[str, Any, str | None] | None, written: Mapping[str, str | None]
) -> None:
    """What is left, and where the files are."""
    if left is None:
        common.say("No ledger paid for it: releases from the same data add up.")
    else:
        dataset, book, part = left
        receipt = made.receipt
        number = receipt and receipt.number
        charges = [entry for entry in book.history(dataset) if entry.kind == "charge"]
        charged = next(entry.charged for entry in charges if entry.number == number)
        if charged.epsilon != made.guarantee.epsilon:
            common.say(f"It counts as {charged} because {dataset} is kept under 'substitute'.")
        if number == charges[0].number and receipt and receipt.stored is None:
            _say_first(dataset, [account.dataset for account in book.datasets()])
        common.say(f"Left for {dataset}: {book.remaining(dataset, part)}.")
    for what, path in written.items():
        if path is not None:
            common.say(f"{what} written to {path}.")


def _say_first(dataset: str, known: list[str]) -> None:
    """A name that was mistyped has a whole budget of its own."""
    from discreet import check

    near = check.similar(dataset, [name for name in known if name != dataset])
    hint = "" if near is None else f"; there is also {near!r} in the ledger"
    common.say(f"It is the first release from {dataset!r}{hint}.")
