"""All tables and figures, claims and printed numbers: every paper's module adds its own."""

from __future__ import annotations

from collections.abc import Sequence

from discreet import check
from discreet.errors import InputError
from discreet_papers import ours, p0, p1, p2, p3, p4
from discreet_papers.parts import PAPERS, Claim, Part, Printed

MODULES = (p0, p1, p2, p3, p4, ours)
PARTS: tuple[Part, ...] = tuple(part for module in MODULES for part in module.PARTS)
CLAIMS: tuple[Claim, ...] = tuple(claim for module in MODULES for claim in module.CLAIMS)
PRINTED: tuple[Printed, ...] = tuple(text for module in MODULES for text in module.PRINTED)
DATA = tuple(dict.fromkeys(one for part in PARTS for one in part.data))


def chosen(what: Sequence[str]) -> tuple[list[Part], list[str]]:
    """The parts that are asked for, and the papers whose claims are measured: whole ones."""
    known = ("all", *PAPERS, *(part.name for part in PARTS))
    asked = [str(name).lower() for name in what]
    for name in asked:
        if name not in known:
            near = check.similar(name, known)
            hint = f"; did you mean {near}?" if near else ""
            raise InputError(
                f"what must be {', '.join(known)}, got {check.brief(name)}{hint}", "what"
            )
    if not asked:
        raise InputError(f"what must be given: {', '.join(known)}", "what")
    papers = [paper for paper in PAPERS if {"all", paper} & set(asked)]
    parts = [part for part in PARTS if part.paper in papers or part.name in asked]
    return parts, papers
