"""What the commands share: options, and ways to read and print."""

from __future__ import annotations

import functools
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from discreet import text_input
from discreet.errors import AccuracyWarning, InputError, PrivacyWarning
from discreet.families.dirichlet import FAMILY

if TYPE_CHECKING:
    from rich.console import Console


Command = Callable[..., Any]
ADJACENCIES = ("substitute", "add-remove")
# what tells which records are counted, and how
RULES = ("where", "unknown", "unit", "max_per_unit", "per_unit", "table", "line_breaks")


class FileName(click.types.StringParamType):
    """A name that the shell completes as a file; whether it can be used is asked later."""

    name = "file"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        return [CompletionItem(incomplete, type="file")]


FILE = FileName()


def options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in order."""

    def apply(function: Command) -> Command:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


reading_options = options(
    click.option("--table", help="The table of a DuckDB file."),
    click.option(
        "--line-breaks",
        is_flag=True,
        help="A correct CSV writer wrote the file: quoted values may hold line breaks. The release "
        "says so; else a record is a line.",
    ),
)

unit_options = options(
    click.option(
        "--unit",
        help="The column that tells whose record it is: protects whole units, such as patients.",
    ),
    click.option(
        "--max-per-unit",
        type=int,
        help="How many records of one unit are kept; more than 1 needs add-remove.",
    ),
    click.option(
        "--per-unit",
        default="cut",
        show_default=True,
        type=click.Choice(["cut", "average"]),
        help="cut to --max-per-unit records; average: all are kept, and each unit weighs one, "
        "which needs add-remove.",
    ),
)


def adjacency_option(default: str | None = "substitute") -> Callable[[Command], Command]:
    """Which neighbours are protected."""
    return click.option(
        "--adjacency",
        default=default,
        show_default=default is not None,
        type=click.Choice(ADJACENCIES),
        help="substitute: n is public; add-remove: it is private.",
    )


def mechanism_option(default: str | None = None) -> Callable[[Command], Command]:
    """Which mechanism."""
    return click.option(
        "--mechanism",
        default=default,
        show_default=default is not None,
        type=click.Choice(FAMILY.names),
        metavar="NAME",
        help=f"One of {', '.join(FAMILY.names)}; see the guide. Unless given, what is most "
        "accurate at any size: lattice, or with a delta gaussian where that is better.",
    )


prior_option = click.option(
    "--prior", default="1", show_default=True, help="A number, numbers or jeffreys."
)
model_options = options(
    click.option("--categories", required=True, help="Declared categories, separated by commas."),
    prior_option,
)
output_options = options(
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables."),
    click.option(
        "--quiet", is_flag=True, help="Print no tables, only errors and what --json asks."
    ),
)
out_option = click.option("--out", type=FILE, help="Write the release as JSON.")
plot_option = click.option("--plot", type=FILE, help="Draw it: .png, .svg or .pdf.")
force_option = click.option("--force", is_flag=True, help="Replace files that exist already.")
payment_options = options(
    click.option(
        "--ledger",
        envvar="DISCREET_LEDGER",
        show_envvar=True,
        type=FILE,
        help="A file or postgresql:// URL that pays.",
    ),
    click.option("--dataset", help="The data set whose budget pays."),
    click.option("--request-id", help="A name for this release; a retry returns what was stored."),
    click.option("--part", help="A declared part of the data set."),
)
mechanism_options = options(
    click.option("--gamma", help="Smoothness of ehds."),
    click.option("--delta", help="What may go wrong besides: for normal noise, below 1/n."),
    click.option("--calibrate", is_flag=True, help="Scale by an exact audit to spend epsilon."),
    click.option(
        "--postprocess",
        type=click.Choice(["project", "clip", "remap"]),
        help="How lattice and gaussian return to counts.",
    ),
    click.option(
        "--distance",
        type=click.Choice(["hellinger", "total_variation"]),
        help="Of the exponential mechanisms.",
    ),
)


def _at_most_one(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> str | None:
    """An argument that may be left out, also before one that may not."""
    if len(given) > 1:
        context.fail(f"Got unexpected extra argument ({given[-1]})")
    return given[0] if given else None


def ledger_place(function: Command) -> Command:
    """The ledger as an argument, by --ledger, or by the environment."""

    @click.argument("place", nargs=-1, metavar="[PLACE]", type=FILE, callback=_at_most_one)
    @click.option(
        "--ledger",
        envvar="DISCREET_LEDGER",
        show_envvar=True,
        type=FILE,
        help="The ledger, instead of PLACE.",
    )
    @functools.wraps(function)
    def with_place(place: str | None, ledger: str | None, **given: Any) -> Any:
        source = click.get_current_context().get_parameter_source("ledger")
        if place is not None and source is ParameterSource.COMMANDLINE and place != ledger:
            raise InputError("place and ledger must not both be given", "ledger")
        found = place if place is not None else ledger
        if found is None:
            raise InputError("place must be given: the file or URL of the ledger", "place")
        return function(place=found, **given)

    return with_place


def mechanism_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a mechanism out of those given; of them only what was said."""
    found = {name: text_input.number(name, given.pop(name)) for name in ("gamma", "delta")}
    found |= {name: given.pop(name) for name in ("postprocess", "distance")}
    found["calibrate"] = given.pop("calibrate") or None
    return {name: value for name, value in found.items() if value is not None}


def console() -> Console:
    """Where tables go."""
    from rich.console import Console

    return Console(highlight=False)


def say(text: object) -> None:
    """A text on standard output, as it is."""
    click.echo(str(text))


def print_json(document: object) -> None:
    """A document on standard output; JSON has no infinite numbers, they become null."""
    click.echo(json.dumps(_finite(document), indent=2, ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def done(document: object, text: object, as_json: bool, quiet: bool) -> None:
    """The result, as JSON or as text."""
    if as_json:
        print_json(document)
    elif not quiet:
        say(text)


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show that something is going on, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


_OURS = (PrivacyWarning, AccuracyWarning)


@contextmanager
def said() -> Iterator[None]:
    """Say what the library warns of; texts of others may quote records."""
    from discreet.cli.failures import spoken

    with warnings.catch_warnings(record=True) as found:
        for kind in _OURS:
            warnings.simplefilter("always", kind)
        yield
    for each in found:
        if isinstance(each.message, _OURS):
            click.echo(f"Warning: {spoken(str(each.message))}.", err=True)
