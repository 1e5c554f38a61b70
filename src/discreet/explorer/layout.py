"""What the pages share: the frame, sentences, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape

from nicegui import ui

PAGES = {"/": "Design space", "/plan": "Plan a release", "/budget": "Budget"}
STYLE = """
:root { --nicegui-default-padding: 1rem; }
body { font-family: system-ui, sans-serif; }
.page { width: 100%; max-width: 1500px; margin: 0 auto; padding: 0.75rem; }
.side { width: 22rem; flex: none; } .main { flex: 1 1 0; min-width: 0; }
@media (max-width: 900px) { .side, .main { width: 100%; flex: none; } }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr));
  gap: 1rem; width: 100%; }
.cards .q-card { min-width: 0; box-shadow: none; border: 1px solid #8886; }
.wide { overflow-x: auto; width: 100%; }
table.figures { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
table.figures th, table.figures td { padding: 0.25rem 0.6rem; text-align: right;
  border-bottom: 1px solid #8884; white-space: nowrap; }
table.figures th:first-child, table.figures td:first-child { text-align: left; }
.problem { color: #b00020; font-weight: 600; } .body--dark .problem { color: #ff8a80; }
.note { color: #555; font-size: 0.9rem; } .body--dark .note { color: #bbb; }
h1 { font-size: 1.3rem; line-height: 1.4; font-weight: 600; margin: 0; }
h2 { font-size: 1.05rem; line-height: 1.4; font-weight: 600; margin: 0; }
a:focus-visible, button:focus-visible, input:focus-visible, .q-slider:focus-visible {
  outline: 3px solid #0072B2; outline-offset: 2px; }
nav a { color: inherit; padding: 0.25rem 0.5rem; text-decoration: none; border-radius: 4px; }
nav a[aria-current] { text-decoration: underline; text-underline-offset: 0.4em; font-weight: 600; }
"""


@contextmanager
def frame(path: str, mount: str) -> Iterator[ui.dark_mode]:
    """The head of a page, with its links; what is inside goes into the page."""
    ui.add_css(STYLE)
    ui.page_title(f"{PAGES[path]} · discreet")
    dark = ui.dark_mode(None)
    with (
        ui.element("header").classes("page"),
        ui.row().classes("w-full items-center justify-between"),
    ):
        with ui.row().classes("items-center"):
            heading(1, "discreet")
            with ui.element("nav").props('aria-label="Pages"'):
                for place, title in PAGES.items():
                    link = ui.link(title, f"{mount}{place}")
                    if place == path:
                        link.props('aria-current="page"')
        ui.select({None: "Auto", False: "Light", True: "Dark"}, label="Colours").props(
            "dense outlined"
        ).classes("w-28").bind_value(dark, "value")
    with ui.element("main").classes("page"):
        yield dark


def heading(level: int, text: str) -> None:
    """A heading."""
    ui.html(f"<h{level}>{escape(text)}</h{level}>", sanitize=False)


class Problem:
    """A sentence about what was typed, told to screen readers too; empty if all is well."""

    def __init__(self) -> None:
        self._label = ui.label("").classes("problem").props('role="alert"')
        self._label.set_visibility(False)

    def say(self, sentence: str) -> None:
        """Show it."""
        self._label.set_text(sentence)
        self._label.set_visibility(bool(sentence))


class Figures:
    """A table that is filled as its figures come."""

    def __init__(self, caption: str) -> None:
        self.caption = caption
        with ui.element("div").classes("wide").props('tabindex="0" role="region"'):
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


def labelled(element: ui.element, text: str) -> ui.element:
    """Give an element a name for those who do not see it."""
    return element.props(f'aria-label="{escape(text, quote=True)}"')


Handler = Callable[[], None]
