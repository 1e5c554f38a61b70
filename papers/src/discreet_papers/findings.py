"""docs/findings.md from what was measured: `python -m discreet_papers.findings`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from discreet.progress import track
from discreet_papers.parts import Claim, Finding, Printed, Verdict, come_out
from discreet_papers.registry import CLAIMS, PRINTED

_INTRODUCTION = """\
# What the papers got right and wrong

The project starts from five documents, P0 to P4 of the [bibliography](bibliography.md): on Beta and
Dirichlet posteriors (P0, P1, P3), on Bayesian networks and linear regression (P2), and on programs
with a privacy proof (P4). E with a number is an erratum that is listed there; *implied* is what a
paper does not say in so many words. `make findings` writes this page from {claims} claims, each of
them measured anew, and a test fails when it is out of date. `discreet reproduce all --out DIR`
shows the claims together with all tables and figures.

## In short

The privacy theorems of P0 hold, and its exponential mechanisms lose far less than they claim, which
is accuracy given away. The proof that the mechanism of P1 and P3 is (ε, δ)-private has a gap; no
counterexample is known, and what can be proved is weaker. On accuracy the papers compare Hellinger
mechanisms with Laplace noise that is rounded down, or towards zero, and sometimes plot another law
than the one they define. Against integer noise that keeps the total, the Hellinger mechanisms lose
in all of their settings that we tried.

P2's noise on counts and on Fourier coefficients is private as claimed. What it charges for a sample
of the posterior covers one changed attribute of a node without children, not a record, and not
several samples; its exponential mechanism needs masses in place of densities. Most of its bounds on
the error say nothing in its own setting, and some are false. Its samples of regression weights are
accurate at an ε of tens and more; at ε = 1 noise on the sufficient statistics is the better way,
and the bound of its appendix D is replaced by one that holds.

P4's normal examples are private, the one with noise on its output at ε, not at the sε of its type.
Its sensitivity of a posterior mean holds and is, for n records, (v + nV)/(v + V) times too large;
noisy records that are taken for data give intervals that cover next to nothing; its Gaussian
deviation is proved for ε below 1 only.
"""
_HEADINGS = {
    Verdict.HOLDS: "What the papers got right",
    Verdict.CONDITION: "What holds with a condition",
    Verdict.FAILS: "What they got wrong",
}


def markdown(
    claims: Sequence[Claim],
    findings: Mapping[str, Finding],
    printed: Iterable[tuple[Printed, float]],
) -> str:
    """The page, from claims with their findings and printed numbers with ours."""
    papers = [claim for claim in claims if claim.paper != "ours"]
    ours = [claim for claim in claims if claim.paper == "ours"]
    lines = [_INTRODUCTION.format(claims=len(claims))]
    lines += ["## What a practitioner should use", ""]
    lines += [_item(c, findings) for c in ours if c.section == "what to use"]
    for verdict, heading in _HEADINGS.items():
        chosen = [c for c in papers if findings[c.id].verdict is verdict]
        lines += ["", f"## {heading}", "", f"{len(chosen)} of {len(papers)} claims.", ""]
        lines += [_item(claim, findings) for claim in chosen]
    lines += ["", "## Printed numbers", "", *_numbers(list(printed))]
    lines += ["", "## Theory of our own", ""]
    lines += [_item(c, findings) for c in ours if c.section != "what to use"]
    return "\n".join(lines) + "\n"


def _item(claim: Claim, findings: Mapping[str, Finding]) -> str:
    found = findings[claim.id]
    if claim.paper == "ours":
        verdict = "" if found.verdict is Verdict.HOLDS else f" This {found.verdict.value}:"
        return _wrapped(f"- **{claim.statement}**{verdict} {found.words}")
    return _wrapped(f"- **{claim.place}.** *{claim.statement}* {found.words}")


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text, 105, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _numbers(printed: Sequence[tuple[Printed, float]]) -> list[str]:
    different = [(number, ours) for number, ours in printed if not number.agrees(ours)]
    agree, all_ = come_out(printed)
    head = f"{agree} of {all_} come out to the last digit, in some reading."
    if not different:
        return [head]
    rows = []
    for number, ours in different:
        place = number.place.replace("|", "\\|")
        rows.append(
            f"| {number.paper.upper()} {place} | {number.text} | {ours:.6g} | {number.reason} |"
        )
    return [
        f"{head} Where a reading gives something else:",
        "",
        "| where | printed | ours | why |",
        "|---|---|---|---|",
        *rows,
    ]


def main() -> None:
    """Print the page."""
    findings = {claim.id: claim.measure() for claim in track(CLAIMS, "Measuring claims")}
    printed = [(number, number.ours()) for number in PRINTED]
    sys.stdout.write(markdown(CLAIMS, findings, printed))


if __name__ == "__main__":
    main()
