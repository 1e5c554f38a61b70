"""What the commands share: options, and ways to print."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from discreet import check
from discreet.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console

    from discreet.ledger import Ledger
    from discreet.models.dirichlet import DirichletMultinomial

Command = Callable[..., Any]
MECHANISMS = (
    "lattice",
    "optimal",
    "ls_dim",
    "ls_hist",
    "ehd",
    "ehds",
    "ehdl",
    "smooth_hellinger",
)


def listed(argument: str, text: str) -> list[str]:
    """Names separated by commas; one with a comma inside goes between double quotes."""
    rows = list(csv.reader([text], skipinitialspace=True, strict=False))
    names = rows[0] if rows else []
    if not names or any(not name for name in names):
        raise InputError(f"{argument} must be names separated by commas, got {text!r}", argument)
    return names


def numbers(argument: str, text: str) -> list[Any]:
    """Numbers separated by commas, read exactly."""
    return [check.text_number(argument, part) for part in text.split(",")]


def model_of(categories: str, prior: str) -> DirichletMultinomial:
    """The model of the options --categories and --prior."""
    from discreet.models.dirichlet import DirichletMultinomial

    labels = listed("categories", categories)
    if prior == "jeffreys":
        return DirichletMultinomial(labels, "jeffreys")
    given = numbers("prior", prior)
    return DirichletMultinomial(labels, given[0] if len(given) == 1 else given)


def options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in order."""

    def apply(function: Command) -> Command:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


model_options = options(
    click.option("--categories", required=True, help="Declared categories, separated by commas."),
    click.option("--prior", default="1", show_default=True, help="A number, numbers or jeffreys."),
)
output_options = options(
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("--quiet", is_flag=True, help="Print nothing but errors."),
)
mechanism_options = options(
    click.option("--gamma", help="Smoothness of ehds."),
    click.option("--delta", help="Of smooth_hellinger."),
    click.option("--calibrate", is_flag=True, help="Scale by an exact audit to spend epsilon."),
    click.option("--postprocess", type=click.Choice(["project", "clip", "remap"])),
    click.option("--distance", type=click.Choice(["hellinger", "total_variation"])),
)


def mechanism_settings(
    gamma: str | None,
    delta: str | None,
    calibrate: bool,
    postprocess: str | None,
    distance: str | None,
) -> dict[str, Any]:
    """The options of a mechanism that were given."""
    given: dict[str, Any] = {}
    if gamma is not None:
        given["gamma"] = check.text_number("gamma", gamma)
    if delta is not None:
        given["delta"] = check.text_number("delta", delta)
    if calibrate:
        given["calibrate"] = True
    if postprocess is not None:
        given["postprocess"] = postprocess
    if distance is not None:
        given["distance"] = distance
    return given


def open_ledger(place: str) -> Ledger:
    """An existing ledger; a new one is made by `discreet ledger init` only."""
    from pathlib import Path

    from discreet.ledger import Ledger

    if "://" not in place and not Path(place).exists():
        raise InputError(
            f"ledger {place!r} does not exist; make it with: discreet ledger init {place} "
            "--budget EPSILON",
            "ledger",
        )
    return Ledger.open(place)


def console() -> Console:
    """Where tables go."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def print_json(document: object) -> None:
    """A document on standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show that something is going on, on a terminal only."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(text):
        yield


def save_plot(path: str, draw: Callable[[], Axes]) -> None:
    """Draw into a file; the name says whether it is PNG, SVG or PDF."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise InputError("plot needs matplotlib: pip install discreet[plot]", "plot") from None
    mpl.use("agg")
    figure: Any = draw().figure
    try:
        figure.savefig(path, dpi=150, bbox_inches="tight")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name must end in .png, .svg or .pdf"
        raise InputError(f"plot {path!r} cannot be written: {reason}", "plot") from None


def require_plot(path: str | None) -> None:
    """Refuse, before anything is paid for, a plot that cannot be drawn."""
    from importlib.util import find_spec
    from pathlib import Path

    if path is None:
        return
    if find_spec("matplotlib") is None:
        raise InputError("plot needs matplotlib: pip install discreet[plot]", "plot")
    if Path(path).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise InputError(f"plot must end in .png, .svg or .pdf, got {path!r}", "plot")
    require_writable("plot", path)


def require_writable(argument: str, path: str | None) -> None:
    """Refuse, before anything is paid for, a file that cannot be written."""
    import os
    from pathlib import Path

    if path is None:
        return
    place = Path(path)
    parent = place.parent
    if not parent.is_dir():
        raise InputError(f"{argument} {path!r} is in a directory that does not exist", argument)
    if place.is_dir() or not os.access(place if place.exists() else parent, os.W_OK):
        raise InputError(f"{argument} {path!r} cannot be written", argument)
