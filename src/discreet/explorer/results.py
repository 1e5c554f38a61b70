"""A release that was paid for, as the command line shows it: nothing but the release enters."""

from __future__ import annotations

import asyncio
import base64
import io
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from nicegui import ui

from discreet.explorer import exports, layout
from discreet.explorer.orders import Order
from discreet.families.dirichlet.summary import Summary
from discreet.releases.published import AnyRelease
from discreet.report import SHOWN

HEAD = (*Summary.heading[:2], "α", *Summary.heading[2:])
SOON = "The noise is being accounted for…"
AS_IF = "The intervals treat the released counts as the true ones."


class Account(NamedTuple):
    """A released posterior as a table and sentences; `aware` is the one that includes the noise."""

    rows: Sequence[Sequence[str]]
    sentences: Sequence[str]
    aware: Any = None


class Result:
    """Where a release is shown, in the place of the one before."""

    def __init__(self) -> None:
        self._place = ui.column().classes("w-full")

    async def show(self, order: Order, made: AnyRelease) -> None:
        """First what was paid for; if what takes longer fails, it is shown without."""
        self._place.clear()
        with self._place:
            layout.heading(2, f"Released: {order.column}")
            cost = ui.label(str(made.guarantee)).classes("whitespace-pre-line")
            cost.props('role="status"')
            table = layout.Figures("The released posterior")
            said = ui.label().classes("note whitespace-pre-line")
            with ui.row() as downloads:
                for name, file, content in (
                    ("JSON", "release.json", made.to_json()),
                    ("Command", "release.sh", exports.shell_script(order)),
                    ("Script", "release.py", exports.script(order)),
                    ("Notebook", "release.ipynb", exports.notebook(order)),
                ):
                    _download(name, file, content)
            ui.code(exports.command_line(order), language="bash").classes("w-full")
            drawn = ui.column().classes("w-full")

        def fill(account: Account) -> None:
            table.show(HEAD, account.rows)
            said.set_text("\n".join(account.sentences))

        fill(as_released(made, SOON))
        with suppress(Exception):
            cost.set_text("\n".join(await asyncio.to_thread(order.afterwards, made)))
        account = await asyncio.to_thread(with_the_noise, made)
        fill(account)
        with suppress(Exception):
            picture = await asyncio.to_thread(_picture, made, account.aware)
            with downloads:
                _download("PNG", "release.png", picture)
            with drawn:
                _show_picture(picture)


def as_released(made: AnyRelease, remark: str) -> Account:
    """The released counts as if they were the true ones."""
    rows = [(row[0], "as released", *row[1:]) for row in made.posterior.table()]
    more = [f"… {len(rows)} categories in all."] if len(rows) > SHOWN else []
    return Account(rows[:SHOWN], [remark, *more])


def with_the_noise(made: AnyRelease) -> Account:
    """As released and noise-aware, side by side; the former alone where that is not feasible."""
    plain = as_released(made, AS_IF)
    try:
        aware = made.noise_aware()
        summary = made.summary(noise_aware=aware)
        parameters = {row[0]: row[2] for row in plain.rows}
        rows = [
            (label, kind, parameters[label] if kind == "as released" else "", *numbers)
            for label, kind, *numbers in summary.rows
        ]
        return Account(rows, summary.remarks, aware)
    except Exception:  # too many outcomes, or a defect: it is paid for, and not lost
        return plain


def _picture(made: AnyRelease, aware: Any) -> bytes:
    drawn = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # letters that the font does not have
        figure: Any = made.plot(noise_aware=aware).figure
        figure.savefig(drawn, format="png", dpi=120, bbox_inches="tight")
    return drawn.getvalue()


def _show_picture(picture: bytes) -> None:
    shown = base64.b64encode(picture).decode()
    ui.html(
        f'<img alt="The released posterior" style="max-width:100%" '
        f'src="data:image/png;base64,{shown}">',
        sanitize=False,
    )


def _download(name: str, file: str, content: str | bytes) -> None:
    data = content.encode() if isinstance(content, str) else content
    button = ui.button(name, on_click=lambda: ui.download.content(data, file))
    button.props(f'outline aria-label="Download {file}"')
