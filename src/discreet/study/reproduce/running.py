"""One run: compute, draw, measure, and write what was found into a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet import check, plots
from discreet.errors import InputError
from discreet.progress import track
from discreet.study.reproduce import registry, report
from discreet.study.reproduce.painting import Files, painter
from discreet.study.reproduce.parts import (
    PAPERS,
    Claim,
    Finding,
    Part,
    Printed,
    Scale,
    Table,
    Verdict,
    come_out,
)
from discreet.study.reproduce.state import Finished, key_of, write

SEED = 20260101


@dataclass(frozen=True)
class Run:
    """What a run wrote: the folder, the figures by name, the findings by claim."""

    folder: Path
    parts: tuple[Part, ...]
    findings: dict[str, Finding]
    printed: tuple[tuple[Printed, float], ...]

    @property
    def report(self) -> Path:
        """The page that shows all of it."""
        return self.folder / "report.html"

    def __str__(self) -> str:
        verdicts = [finding.verdict for finding in self.findings.values()]
        counted = ", ".join(v.of_several(verdicts.count(v)) for v in Verdict if v in verdicts)
        lines = [f"{check.number_of(len(self.parts), 'table or figure', 'tables and figures')}"]
        if verdicts:
            agree, all_ = come_out(self.printed)
            lines.append(f"{check.number_of(len(verdicts), 'claim')}: {counted}")
            if all_:
                lines.append(f"{agree} of {all_} printed numbers come out to the last digit")
        return "\n".join([*lines, f"Report: {self.report}"])


def reproduce(what: Sequence[str], out: str | Path, quick: bool = False, seed: int = SEED) -> Run:
    """Compute the tables, figures and claims of the papers anew and write them to a folder.

    For every table and figure NAME: NAME.csv, NAME.svg and NAME.png. For whole papers also
    claims.json and printed.csv. And report.html, which shows all of it and needs nothing else. A
    run that was interrupted goes on where it stopped; the same seed gives the same CSV files, byte
    by byte.

    Args:
        what: "p0", "p1", "p2", "p3", "p4", "ours" or "all"; or names of figures, such as
            "p0-figure-2".
        out: the folder; made if it is missing.
        quick: fewer runs and coarser grids, in less than a minute.
        seed: of everything that is drawn at random. Simulations of made-up or public data.

    Raises:
        InputError: a name is unknown, or the folder cannot be written.
        DiscreetError: matplotlib is missing.
    """
    check.choice("quick", quick, (True, False))
    scale = Scale(quick, check.whole("seed", seed))
    asked, papers = registry.chosen(what)
    plots.new_axes()  # refuses, if matplotlib is missing, before anything is computed
    folder = _folder(out)
    finished = Finished(folder)
    # the page also shows what earlier runs of the same kind left in the folder
    parts = [p for p in registry.PARTS if p in asked or _done(p.name, scale, finished)]
    papers = [paper for paper in PAPERS if paper in papers or _measured(paper, finished)]
    claims = [claim for claim in registry.CLAIMS if claim.paper in papers]
    numbers = [number for number in registry.PRINTED if number.paper in papers]
    drawings: dict[str, Future[Files]] = {}
    with painter() as draw:
        try:
            for name, table in _compute(parts, scale, finished):
                drawings[name] = draw(name, table)
                _keep(drawings, scale, finished)
            findings = {c.id: _measure(c, finished) for c in track(claims, "Measuring claims")}
            printed = tuple((text, text.ours()) for text in track(numbers, "Printed numbers"))
        finally:  # what was computed is kept, even if an interrupt comes
            wait(drawings.values())
            _keep(drawings, scale, finished)
    run = Run(folder, tuple(parts), findings, printed)
    if papers:
        write(folder / "claims.json", json.dumps(_documents(claims, findings), indent=2) + "\n")
        write(folder / "printed.csv", report.printed_table(printed).csv())
    write(run.report, report.page(run, claims, scale))
    return run


def _folder(out: str | Path) -> Path:
    if not isinstance(out, (str, Path)) or not str(out):
        raise InputError(f"out must be the path of a folder, got {check.brief(out)}", "out")
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        raise InputError(f"out {str(folder)!r} cannot be made: {reason}", "out") from None
    probe = folder / f".{os.getpid()}.writable"
    write(probe, b"")
    probe.unlink(missing_ok=True)
    return folder


def _done(name: str, scale: Scale, finished: Finished) -> bool:
    files = [f"{name}.{kind}" for kind in ("csv", "png", "svg")]
    return finished.get(name, key_of(name, scale), files) is not None


def _measured(paper: str, finished: Finished) -> bool:
    claims = [claim for claim in registry.CLAIMS if claim.paper == paper]
    noted = [_noted(finished.get(claim.id, key_of(claim.id, Scale()))) for claim in claims]
    return bool(claims) and None not in noted


def _compute(
    parts: Sequence[Part], scale: Scale, finished: Finished
) -> Iterator[tuple[str, Table]]:
    """The tables that no earlier run has finished."""
    for part in track(parts, "Tables and figures"):
        if not _done(part.name, scale, finished):
            yield part.name, part.compute(scale)


def _keep(drawings: dict[str, Future[Files]], scale: Scale, finished: Finished) -> None:
    """Write down what was drawn."""
    for name in [name for name, future in drawings.items() if future.done()]:
        files = drawings.pop(name).result()
        for file, content in files.items():
            write(finished.folder / file, content)
        finished.note(name, key_of(name, scale), True, list(files))


def _measure(claim: Claim, finished: Finished) -> Finding:
    """Claims do not depend on the scale, but on the software."""
    key = key_of(claim.id, Scale())
    if (noted := _noted(finished.get(claim.id, key))) is not None:
        return noted
    finding = claim.measure()
    document = {
        "verdict": finding.verdict.value,
        "words": finding.words,
        "measured": dict(finding.measured),
    }
    finished.note(claim.id, key, document, [])
    return finding


def _noted(document: Any) -> Finding | None:
    """A finding of an earlier run, if it is one."""
    try:
        return Finding(
            Verdict(document["verdict"]), str(document["words"]), dict(document["measured"])
        )
    except (TypeError, KeyError, ValueError):
        return None


def _documents(claims: Sequence[Claim], findings: dict[str, Finding]) -> list[dict[str, Any]]:
    return [
        {
            "id": claim.id,
            "paper": claim.paper.upper(),
            "section": claim.section,
            "erratum": claim.erratum,
            "implied": claim.implied,
            "statement": claim.statement,
            "verdict": findings[claim.id].verdict.value,
            "words": findings[claim.id].words,
            "measured": dict(findings[claim.id].measured),
        }
        for claim in claims
    ]
