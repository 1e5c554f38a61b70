"""Derivations and diagnostics as HTML that needs nothing else."""

from __future__ import annotations

import textwrap
from html import escape

from discreet.language import showing
from discreet.programs.reports import Report

STYLE = """
.discreet-shown { background: #fff; color: #1f2328; font: 14px/1.5 system-ui, sans-serif;
  padding: 1em; text-align: left; overflow-x: auto; }
.discreet-shown code, .discreet-shown pre { font: 13px/1.5 ui-monospace, Menlo, monospace;
  white-space: pre-wrap; margin: 0; background: none; color: inherit; }
.discreet-shown b.verdict { color: #fff; border-radius: 4px; padding: 2px 8px; }
.discreet-shown .PROVED { background: #1a7f37; } .discreet-shown .REFUTED { background: #cf222e; }
.discreet-shown .UNKNOWN { background: #9a6700; }
.discreet-shown table { border-collapse: collapse; margin: 1em 0; font: inherit; }
.discreet-shown th, .discreet-shown td { text-align: left; vertical-align: top;
  padding: 2px 12px 2px 0; border: 0; background: none; }
.discreet-shown th { color: #59636e; font-weight: 600; white-space: nowrap; }
.discreet-shown tbody tr { border-top: 1px solid #eaeef2; }
.discreet-shown .number { color: #818b98; text-align: right; user-select: none; }
.discreet-shown .program code { overflow-wrap: anywhere; }
.discreet-shown .program { min-width: 22em; }
.discreet-shown .why { color: #116329; min-width: 14em; }
.discreet-shown mark { background: #ffebe9; color: inherit; border-bottom: 2px solid #cf222e; }
.discreet-shown .note { color: #59636e; margin: 0.3em 0; }
@media (max-width: 700px) {
  .discreet-shown thead { display: none; }
  .discreet-shown tr, .discreet-shown td { display: block; }
  .discreet-shown td.number { float: left; }
  .discreet-shown td:empty { display: none; }
}
@media (prefers-color-scheme: dark) {
  .discreet-shown { background: #0d1117; color: #e6edf3; }
  .discreet-shown th, .discreet-shown .note, .discreet-shown .number { color: #9198a1; }
  .discreet-shown tbody tr { border-color: #30363d; }
  .discreet-shown .why { color: #7ee787; }
  .discreet-shown mark { background: #5d1a1e; border-color: #f85149; }
}
"""


def page(report: Report) -> str:
    """A whole page."""
    title = f"{report.program.name}: {report.verdict}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n</head>\n<body>\n{fragment(report)}\n</body>\n</html>"
    )


def fragment(report: Report) -> str:
    """A part of a page, or of a notebook."""
    found, verdict = report.diagnostic, report.verdict
    said = showing.conclusion(report) if found is None else found.message
    return (
        f'<style>{STYLE}</style>\n<div class="discreet-shown">\n'
        f'<div><b class="verdict {verdict}">{verdict}</b> '
        f"<b>{escape(report.program.name)}</b>: {escape(said)}</div>\n"
        f'<p class="note"><code>{escape(showing.place(report))}</code></p>\n'
        f"{_derivation(report) if found is None else _finding(report)}\n</div>"
    )


def _derivation(report: Report) -> str:
    body = []
    for row in showing.rows(report):
        what = "".join(f"<div>{escape(_short(said))}</div>" for said, _ in row.conclusions)
        totals = dict.fromkeys(total for _, total in row.conclusions if total)
        body.append(
            f'<tr><td class="number">{row.number}</td>'
            f'<td class="program"><code>{escape(row.source)}</code></td>'
            f'<td class="why">{what}</td><td><code>{escape(", ".join(totals))}</code></td></tr>'
        )
    return (
        "<table>\n<thead><tr><th></th><th>program</th><th>concluded</th><th>spent so far</th></tr>"
        "</thead>\n<tbody>\n" + "\n".join(body) + "\n</tbody>\n</table>\n"
        f'<p class="note">Proved {escape(showing.covered(report))}.</p>\n'
        f'<p class="note">{escape(showing.KEY)}</p>'
    )


def _short(said: str) -> str:
    return textwrap.shorten(said, 200, placeholder=" …")


def _finding(report: Report) -> str:
    found = showing.excerpt(report)
    source = ""
    if found is not None:
        before, meant, after = map(escape, (found.before, found.meant, found.after))
        more = "\n…" if found.more else ""
        source = (
            f'<pre><span class="number">{found.number} </span> {before}<mark>{meant}</mark>{after}'
            f"{more}</pre>\n"
        )
    body = "\n".join(
        f"<tr><th>{label}</th><td>{'<br>'.join(map(escape, lines))}</td></tr>"
        for label, lines in showing.remarks(report)
    )
    return f"{source}<table>\n<tbody>\n{body}\n</tbody>\n</table>"
