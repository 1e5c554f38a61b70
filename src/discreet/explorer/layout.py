"""What the pages share: the frame, fields that are remembered, sentences, tables."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from html import escape
from typing import Any, TypeVar

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement

from discreet.errors import DiscreetError

PAGES = {"/": "Design space", "/plan": "Plan a release", "/budget": "Budget"}
STYLE = """
:root { --nicegui-default-padding: 1rem; }
body { font-family: system-ui, sans-serif; }
.page { width: 100%; max-width: 1500px; margin: 0 auto; padding: 0.75rem; }
.side { width: 20rem; flex: none; } .main { flex: 1 1 0; min-width: 0; }
.columns { display: flex; gap: 1.25rem; align-items: flex-start; width: 100%; }
@media (max-width: 900px) {
  .columns { flex-direction: column; } .side, .main { width: 100%; flex: none; } }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
  gap: 1rem; width: 100%; }
.thirds { grid-template-columns: repeat(auto-fit, minmax(min(19rem, 100%), 1fr)); }
.q-checkbox, .q-checkbox__label { min-width: 0; overflow-wrap: anywhere; }
.q-card { min-width: 0; box-shadow: none; border: 1px solid #8886; }
.wide { overflow-x: auto; width: 100%; }
table.figures { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
table.figures caption { text-align: left; padding: 0.25rem 0; }
table.figures th, table.figures td { padding: 0.25rem 0.6rem; text-align: right;
  border-bottom: 1px solid #8884; white-space: nowrap; }
table.figures th:first-child, table.figures td:first-child { text-align: left; }
.answer { position: relative; width: 100%; }
.answer > [inert] { opacity: 0.25; filter: grayscale(1); transition: opacity 0.1s 0.15s; }
.answer > .why { position: absolute; z-index: 1; top: 35%; left: 50%; transform: translateX(-50%);
  width: max-content; max-width: 90%; padding: 0.25rem 0.75rem; border-radius: 4px;
  background: #fff; border: 1px solid #8886; animation: seen 0.1s 0.15s backwards; }
.body--dark .answer > .why { background: #1d1d1d; } .answer > .why:empty { display: none; }
.controls:empty { display: none; }
@keyframes seen { from { opacity: 0; } }
.problem { color: #b00020; font-weight: 600; } .body--dark .problem { color: #ff8a80; }
.note { color: #555; font-size: 0.9rem; } .body--dark .note { color: #bbb; }
h1 { font-size: 1.3rem; line-height: 1.4; font-weight: 600; margin: 0; }
h2 { font-size: 1.05rem; line-height: 1.4; font-weight: 600; margin: 0; }
input[type=range] { width: 100%; height: 1.5rem; accent-color: #0072B2; cursor: pointer; }
.body--dark input[type=range] { accent-color: #56B4E9; }
:focus-visible { outline: 3px solid #0072B2; outline-offset: 2px; }
.body--dark :focus-visible { outline-color: #56B4E9; }
nav a { color: inherit; padding: 0.25rem 0.5rem; text-decoration: none; border-radius: 4px; }
nav a[aria-current] { text-decoration: underline; text-underline-offset: 0.4em; font-weight: 600; }
.chart svg text { fill: #333; stroke: none; } .body--dark .chart svg text { fill: #e6e6e6; }
.body--dark .chart svg [stroke="#000"], .body--dark .chart svg [stroke="#333"] { stroke: #e6e6e6; }
.body--dark .chart svg [fill="#000"] { fill: #e6e6e6; }
"""
PRIMARY = "#1a73c7"  # 4.9 : 1 to white, 3.6 : 1 to the dark background
PATIENCE = 0.1  # seconds without an answer to what was typed
Field = TypeVar("Field", bound=ValueElement[Any])


class Desk:
    """What was typed, kept while the server runs: the pages are of one person."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def keep(self, name: str, field: Field) -> Field:
        """Show in a field what was typed before, and remember what will be."""
        if name in self.values:
            field.set_value(self.values[name])

        def remember(value: Any) -> None:
            if "://" not in str(value):  # a URL may have a password
                self.values[name] = value

        field.on_value_change(lambda event: remember(event.value))
        return field


@contextmanager
def frame(path: str, desk: Desk) -> Iterator[None]:
    """The head of a page, with its links; what is inside goes into the page."""
    ui.add_css(STYLE)
    ui.colors(primary=PRIMARY)
    ui.page_title(f"{PAGES[path]} · discreet")
    dark = desk.keep("colours", ui.dark_mode(None))
    with ui.element("header").classes("page flex items-center justify-between gap-2"):
        with ui.row().classes("items-center"):
            heading(1, "discreet")
            with ui.element("nav").props('aria-label="Pages"'):
                for place, title in PAGES.items():
                    link = ui.link(title, place)  # which the server's token comes before
                    if place == path:
                        link.props('aria-current="page"')
        ui.select({None: "Auto", False: "Light", True: "Dark"}, label="Colours").props(
            "dense outlined"
        ).classes("w-28").bind_value(dark, "value")
    with ui.element("div").classes("page"):
        yield


@asynccontextmanager
async def meanwhile(show: Callable[[], object]) -> AsyncIterator[None]:
    """Show what there is, again and again, while somebody waits for all of it."""

    async def again() -> None:
        while True:
            await asyncio.sleep(PATIENCE)
            show()

    showing = asyncio.create_task(again())
    try:
        yield
    finally:
        showing.cancel()


def heading(level: int, text: str) -> None:
    """A heading."""
    ui.html(f"<h{level}>{escape(text)}</h{level}>", sanitize=False)


def sentence(error: Exception) -> str:
    """What is said of an error; the text of one that is not ours might quote records."""
    if isinstance(error, DiscreetError):
        return f"{error}."
    return f"That failed with {type(error).__name__}."


class Problem:
    """A sentence about what was typed, told to screen readers too; empty if all is well."""

    def __init__(self) -> None:
        self._label = ui.label("").classes("problem").props('role="alert"')
        self._label.set_visibility(False)

    def say(self, sentence: str) -> None:
        """Show it."""
        self._label.set_text(sentence)
        self._label.set_visibility(bool(sentence))


class Slider:
    """A number from a range: the browser's own, which keyboards and screen readers know."""

    def __init__(
        self, name: str, low: float, high: float, value: float, moved: Callable[[float], None]
    ) -> None:
        self.value, self._moved = value, moved
        self._text = ui.label().classes("note")
        self._text.set_visibility(False)
        self._input = ui.element("input").props(
            f'type=range min={low} max={high} step=any value={value} aria-label="{escape(name)}"'
        )
        self._input.on(
            "input", self._heard, throttle=0.05, js_handler="(e) => emit(Number(e.target.value))"
        )

    def _heard(self, event: Any) -> None:
        if isinstance(event.args, (int, float)):
            self.value = float(event.args)
            self._input.props(f"value={self.value}")
            self._moved(self.value)

    def show(self, value: float, text: str, visible: bool = False) -> None:
        """Where it stands, and how that is read out."""
        self.value = value
        self._input.props(f'value={value} aria-valuetext="{escape(text)}"')
        self._text.set_text(text)
        self._text.set_visibility(visible)


class Figures:
    """A table that is filled as its figures come."""

    def __init__(self, caption: str) -> None:
        self.caption = caption
        region = ui.element("div").classes("wide")
        with region.props(f'tabindex="0" role="region" aria-label="{escape(caption)}"'):
            self._html = ui.html("", sanitize=False).classes("w-full")

    def show(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """All of it, anew."""
        titles = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
        body = "".join(
            f'<tr><th scope="row">{escape(row[0])}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in rows
        )
        self._html.set_content(
            f'<table class="figures"><caption class="note">{escape(self.caption)}</caption>'
            f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
        )


class Answer:
    """A part of a page that answers what was typed; where it does not, it is dimmed and says why.

    Nobody can point at what is dimmed, or have it read out.
    """

    def __init__(self) -> None:
        with ui.element("div").classes("answer"):
            self._why = ui.label().classes("why note")
            self._part = ui.element("div").classes("w-full")

    def __enter__(self) -> Answer:
        self._part.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._part.__exit__(*error)

    def waits(self) -> None:
        """Its answer is on the way."""
        self.dim("Being computed…")

    def dim(self, why: str) -> None:
        """What it shows is of something else."""
        self._mark(True, why)

    def fresh(self) -> None:
        """What it shows is the answer."""
        self._mark(False, "")

    def _mark(self, inert: bool, why: str) -> None:
        self._why.set_text(why)
        # a chart is drawn by a message of its own, and a property would be there before it
        self._part.run_method("toggleAttribute", "inert", inert)


def beside(error: object) -> str:
    """What is said on an answer beside a field that makes no sense."""
    return f"Not for what is typed: {error}."


class Chart:
    """A picture, with its description for those who do not see it."""

    def __init__(self, name: str, height: str = "h-72") -> None:
        self._chart = ui.echart({}, renderer="svg").classes(f"chart w-full {height}")
        self._chart.props(f'role="img" aria-label="{escape(name)}"')

    def show(self, options: dict[str, Any]) -> None:
        """Replace what it shows."""
        self._chart.options.clear()
        self._chart.options.update(options)
        self._chart.update()


class Panel:
    """A chart and a note on it, in a card: one answer."""

    def __init__(self, title: str, description: str, height: str = "h-72") -> None:
        with ui.card():
            heading(2, title)
            self.controls = ui.row().classes("w-full controls")
            self.answer = Answer()
            with self.answer:
                self._chart = Chart(description, height)
                self._note = ui.label().classes("note")

    def show(self, options: dict[str, Any], note: str) -> None:
        """Replace what it shows: it is the answer."""
        self._chart.show(options)
        self._note.set_text(note)
        self.answer.fresh()
