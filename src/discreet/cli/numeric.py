"""What `discreet regress` and `discreet mean` share: numbers within public bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import click

from discreet import text_input
from discreet.cli import common, delivering
from discreet.errors import InputError

epsilon_options = common.options(
    click.option("--epsilon", required=True, help="What the release may cost."),
    click.option("--delta", help="What may go wrong besides, for normal noise."),
)
count_options = common.options(
    click.option("--n", type=int, help="The public number of records, checked against the data."),
    click.option("--where", help='Only records that satisfy a condition, such as "age >= 50".'),
    common.unit_options,
    common.reading_options,
)
end_options = common.options(
    click.option(
        "--expected-error",
        is_flag=True,
        help="Say what to expect for --n records, a guess where n is private, and stop: nothing "
        "is read or paid for.",
    ),
    common.payment_options,
    common.out_option,
    common.plot_option,
    common.force_option,
    common.output_options,
)


def pair(argument: str, text: str, form: str) -> tuple[Fraction, Fraction]:
    """Two numbers with a colon between them, read exactly."""
    from discreet import check

    parts = text.split(":")
    if len(parts) != 2:
        raise InputError(f"{argument} must be {form}, got {check.brief(text)}", argument)
    return text_input.number(argument, parts[0]), text_input.number(argument, parts[1])


def named(argument: str, texts: Sequence[str], form: str) -> dict[str, str]:
    """What follows NAME= in each text; the last = counts, so that names may have some too."""
    from discreet import check

    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals or not name:
            raise InputError(f"{argument} must be {form}, got {check.brief(text)}", argument)
        if name in found:
            raise InputError(f"{argument} must name {check.brief(name)} once", argument)
        found[name] = value
    return found


def answer(
    model: Any,
    count: Callable[[str], Any],
    mechanism: str | None,
    adjacency: str,
    options: Mapping[str, Any],
    rules: Mapping[str, Any] = MappingProxyType({}),
    *,
    data: str | None,
    n: int | None,
    epsilon: str,
    expected_error: bool,
    ledger: str | None,
    dataset: str | None,
    request_id: str | None,
    part: str | None,
    out: str | None,
    plot: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Count, release and deliver; or say what error to expect, from public values alone."""
    from discreet import check
    from discreet.cli import places
    from discreet.core.counts import Unit

    budget = check.epsilon(text_input.number("epsilon", epsilon))
    settings = {name: value for name, value in options.items() if value is not None}
    if expected_error:
        settings |= _whose(**{name: rules.get(name) for name in Unit.OPTIONS})
        found = _expected(model, mechanism, adjacency, settings, n, budget)
        text = f"{found}\nNothing was read or paid for."
        whole = getattr(found, "to_document", None)  # of ours; a family of others has its error
        document = {"error": found.error} if whole is None else whole()
        common.done(document, text, as_json, quiet)
        return 0
    if data is None:
        raise InputError("data must be given, the file with the records", "data")
    if quiet and not (as_json or out or plot or ledger):
        raise InputError(
            "--quiet needs --out, --plot, --json or --ledger: nothing would be kept", "quiet"
        )
    places.require({"out": out, "plot": plot}, force, data=data, ledger=ledger)
    delivering.require_payer(ledger, dataset, request_id=request_id, part=part)
    return delivering.carry_out(
        partial(count, data),
        model,
        budget,
        mechanism,
        settings,
        n=n,
        adjacency=adjacency,
        ledger=ledger,
        dataset=dataset,
        request_id=request_id,
        part=part,
        out=out,
        plot=plot,
        force=force,
        as_json=as_json,
        quiet=quiet,
    )


def _whose(unit: str | None, max_per_unit: int | None, per_unit: str | None) -> dict[str, Any]:
    """The options of a mechanism that counts with these rules would bring."""
    from discreet.data.units import require_unit

    require_unit(unit, max_per_unit, per_unit or "cut")
    if unit is None:
        return {}
    averaged = {"per_unit": per_unit} if per_unit == "average" else {}
    return {"unit": unit, "max_per_unit": max_per_unit or 1, **averaged}


def _expected(
    model: Any,
    mechanism: str | None,
    adjacency: str,
    settings: dict[str, Any],
    n: int | None,
    epsilon: Fraction,
) -> Any:
    from discreet.core import Adjacency, families

    if n is None:
        raise InputError("n must be given with --expected-error, or a guess at it", "n")
    public = n if adjacency == "substitute" else None
    chosen = families.of_model(model).choice(
        mechanism, model, public, epsilon, Adjacency(adjacency), settings
    )
    made = families.mechanism(  # refuses what is refused
        chosen.name, model, public, epsilon=epsilon, adjacency=adjacency, **settings
    )
    return made.expected_error(n)
