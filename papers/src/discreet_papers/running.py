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
from discreet.programs.proving import solver_module
from discreet.progress import track
from discreet_papers import registry, report
from discreet_papers.data import folder_of, remark
from discreet_papers.p4 import programs
from discreet_papers.painting import Files, painter
from discreet_papers.parts import (
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
from discreet_papers.state import Finished, key_of, write

SEED = 20260101
COMMON = ["claims.json", "printed.csv", "report.html"]


@dataclass(frozen=True)
class Run:
    """What a run wrote: the folder, the figures by name, the findings by claim."""

    folder: Path
    parts: tuple[Part, ...]
    findings: dict[str, Finding]
    printed: tuple[tuple[Printed, float], ...]
    synthetic: dict[str, list[str]]  # by figure the files that synthetic records stand in for

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
        lines += [f"{name}: {remark(files)}" for name, files in self.synthetic.items()]
        return "\n".join([*lines, f"Report: {self.report}"])


def reproduce(
    what: Sequence[str],
    out: str | Path,
    quick: bool = False,
    seed: int = SEED,
    data: str | Path | None = None,
) -> Run:
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
        data: a folder with one or more of census2000.csv, for Figure 2 of P2, votes84.csv and
            spect.csv, for its Figure 1 on real data. Synthetic records stand in for a file that is
            not there, and the figure says so.

    Raises:
        InputError: a name is unknown, data cannot be used, or the folder cannot be written or has
            files of somebody else that would be lost.
        DiscreetError: matplotlib is missing, or z3 for programs of P4.
    """
    check.choice("quick", quick, (True, False))
    seed = check.whole("seed", seed)
    asked, papers = registry.chosen(what)
    scale = Scale(quick, seed, folder_of(data, registry.DATA))
    _require(asked, papers)
    folder = _folder(out)
    finished = Finished(folder)
    finished.begin([file for part in asked for file in _files(part.name)] + COMMON)
    # the page also shows what earlier runs of the same kind left in the folder
    parts = [p for p in registry.PARTS if p in asked or _done(p, scale, finished)]
    papers = [paper for paper in PAPERS if paper in papers or _measured(paper, finished)]
    claims = [claim for claim in registry.CLAIMS if claim.paper in papers]
    numbers = [number for number in registry.PRINTED if number.paper in papers]
    drawings: dict[Part, Future[Files]] = {}
    with painter() as draw:
        try:
            for part, table in _compute(parts, scale, finished):
                drawings[part] = draw(part.name, table)
                _keep(drawings, scale, finished)
            findings = {c.id: _measure(c, finished) for c in track(claims, "Measuring claims")}
            printed = tuple((text, text.ours()) for text in track(numbers, "Printed numbers"))
        finally:  # what was computed is kept, even if an interrupt comes
            wait(drawings.values())
            _keep(drawings, scale, finished)
    made_up = {part.name: files for part in parts if (files := part.synthetic(scale))}
    run = Run(folder, tuple(parts), findings, printed, made_up)
    if papers:
        write(folder / "claims.json", json.dumps(_documents(claims, findings), indent=2) + "\n")
        write(folder / "printed.csv", report.printed_table(printed).csv())
    write(run.report, report.page(run, claims, scale))
    return run


def _require(parts: Sequence[Part], papers: Sequence[str]) -> None:
    """Refuse what needs a library that is missing, before anything is computed."""
    plots.new_axes()
    if "p4" in papers or programs.PART in parts:
        solver_module()


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


def _done(part: Part, scale: Scale, finished: Finished) -> bool:
    key = key_of(part.name, scale, part.data)
    return finished.get(part.name, key, _files(part.name)) is not None


def _files(name: str) -> list[str]:
    return [f"{name}.{kind}" for kind in ("csv", "png", "svg")]


def _measured(paper: str, finished: Finished) -> bool:
    claims = [claim for claim in registry.CLAIMS if claim.paper == paper]
    noted = [_noted(finished.get(claim.id, key_of(claim.id, Scale()))) for claim in claims]
    return bool(claims) and None not in noted


def _compute(
    parts: Sequence[Part], scale: Scale, finished: Finished
) -> Iterator[tuple[Part, Table]]:
    """The tables that no earlier run has finished."""
    for part in track(parts, "Tables and figures"):
        if not _done(part, scale, finished):
            yield part, part.compute(scale)


def _keep(drawings: dict[Part, Future[Files]], scale: Scale, finished: Finished) -> None:
    """Write down what was drawn."""
    for part in [part for part, future in drawings.items() if future.done()]:
        files = drawings.pop(part).result()
        for file, content in files.items():
            write(finished.folder / file, content)
        finished.note(part.name, key_of(part.name, scale, part.data), True, list(files))


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
