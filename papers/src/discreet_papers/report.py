"""The page that shows a run: figures with captions, claims with verdicts, printed numbers."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from discreet import check
from discreet._version import __version__
from discreet_papers.data import remark
from discreet_papers.parts import (
    PAPERS,
    Claim,
    Finding,
    Part,
    Printed,
    Scale,
    Table,
    Verdict,
)

if TYPE_CHECKING:
    from discreet_papers.running import Run

_MARKS = {Verdict.HOLDS: "✓", Verdict.CONDITION: "≈", Verdict.FAILS: "✗"}
_CLASSES = {Verdict.HOLDS: "holds", Verdict.CONDITION: "condition", Verdict.FAILS: "fails"}
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.3rem; margin-top: 3rem; border-top: 1px solid #ccc;
     padding-top: 1rem; } h3 { font-size: 1.05rem; }
figure { margin: 2rem 0; } figure img { max-width: 100%; height: auto; }
figcaption { color: #444; font-size: .92rem; max-width: 46rem; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem;
         border-bottom: 1px solid #ddd; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.verdict { white-space: nowrap; font-weight: 600; }
.holds { color: #00694d; } .condition { color: #8a5a00; } .fails { color: #a83e00; }
nav a { margin-right: 1rem; } .small { color: #666; font-size: .85rem; }
@media print { h2 { break-before: page; } figure { break-inside: avoid; } }
"""


def page(run: Run, claims: Sequence[Claim], scale: Scale) -> str:
    """One HTML page that needs no other file."""
    papers = [paper for paper in PAPERS if any(part.paper == paper for part in run.parts)]
    body = [
        "<h1>The papers, computed anew</h1>",
        f"<p>{_summary(run, claims)}</p>",
        "<nav>"
        + "".join(f'<a href="#{paper}">{paper.upper()}</a>' for paper in papers)
        + ('<a href="#claims">Claims</a><a href="#printed">Printed numbers</a>' if claims else "")
        + "</nav>",
    ]
    for paper in papers:
        body.append(f'<h2 id="{paper}">{paper.upper()}: {escape(PAPERS[paper])}</h2>')
        body += [_figure(part, run) for part in run.parts if part.paper == paper]
    if claims:
        body += ['<h2 id="claims">Claims</h2>', _claims(claims, run.findings)]
        body += ['<h2 id="printed">Printed numbers</h2>', _printed(run.printed)]
    size = f"quick, {scale.runs} runs" if scale.quick else f"{scale.runs} runs"
    body.append(
        f'<p class="small">discreet {escape(__version__)}; {size} behind every box plot, seed '
        f"{scale.seed}. Simulations of public or made-up data: nothing here is a private "
        "release. E with a number is an erratum in docs/bibliography.md.</p>"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The papers, computed anew</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _summary(run: Run, claims: Sequence[Claim]) -> str:
    figures = check.number_of(len(run.parts), "table or figure", "tables and figures")
    text = (
        f"{figures}. Thin lines with dots are the papers' mechanisms, heavy ones with diamonds "
        "ours: <i>lattice</i>, calibrated EHDS, and the limit, which is the private mechanism with "
        "the least mean error over all counts of those that release a candidate posterior."
    )
    if not claims:
        return text
    verdicts = [run.findings[claim.id].verdict for claim in claims]
    counted = ", ".join(
        f'<span class="{_CLASSES[v]}">{v.of_several(verdicts.count(v))}</span>' for v in Verdict
    )
    return f"{text} Of {len(claims)} claims {counted}."


def _figure(part: Part, run: Run) -> str:
    image = base64.b64encode((run.folder / f"{part.name}.svg").read_bytes()).decode()
    label = escape(f"{part.paper.upper()} {part.label}")
    files = run.synthetic.get(part.name)
    warning = f'<b class="fails">{escape(remark(files))}</b> ' if files else ""
    return (
        f'<figure id="{part.name}"><img alt="{label}" src="data:image/svg+xml;base64,{image}">'
        f"<figcaption><b>{label}.</b> {warning}{escape(part.caption)} "
        f'<span class="small">{part.name}.csv, .svg, .png</span></figcaption></figure>'
    )


def _claims(claims: Sequence[Claim], findings: dict[str, Finding]) -> str:
    rows = []
    for claim in claims:
        found = findings[claim.id]
        rows.append(
            f'<tr id="{claim.id}"><td>{escape(claim.place)}</td>'
            f"<td>{escape(claim.statement)}</td>"
            f'<td class="verdict {_CLASSES[found.verdict]}">{_MARKS[found.verdict]} '
            f"{found.verdict.value}</td><td>{escape(found.words)}</td></tr>"
        )
    return _table(("where", "claim", "verdict", "what we find"), rows)


def _printed(printed: Iterable[tuple[Printed, float]]) -> str:
    rows = []
    for number, ours in printed:
        same = number.agrees(ours)
        verdict = '<span class="holds">✓</span>' if same else '<span class="fails">✗</span>'
        rows.append(
            f"<tr><td>{number.paper.upper()} {escape(number.place)}</td>"
            f'<td class="number">{escape(number.text)}</td><td class="number">{ours:.12g}</td>'
            f"<td>{verdict} {escape(number.reason or '')}</td></tr>"
        )
    return _table(("where", "printed", "ours", "the same to the last digit?"), rows)


def _table(headings: Sequence[str], rows: Sequence[str]) -> str:
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def printed_table(printed: Iterable[tuple[Printed, float]]) -> Table:
    """Every printed number with ours, and why they differ."""
    rows = [
        (number.paper, number.place, number.text, ours, number.agrees(ours), number.reason)
        for number, ours in printed
    ]
    return Table.of("paper place printed ours agrees reason", rows)
