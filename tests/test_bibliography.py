"""docs/bibliography.md has all that docstrings, pages and reports refer to, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from discreet_papers import registry
from discreet_papers.parts import PAPERS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
ERRATA = dict(re.findall(r"^\| (E\d+) \| ([^|]*) \|", PAGE, re.MULTILINE))
NAME = r"(?:Ma?c)?[A-Z][a-z]+"
CITATION = re.compile(rf"({NAME})(?:(?:,? (?:and )?{NAME})*| et al\.) \(?((?:19|20)\d\d)\b")


def texts() -> dict[Path, str]:
    """Source, tests and pages on one line each: strings and comments are joined."""
    found = [
        path for place in ("src", "tests", "benchmarks") for path in (ROOT / place).rglob("*.py")
    ]
    found += [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    joined = {path: path.read_text(encoding="utf-8") for path in found}
    return {
        path: re.sub(r"""["']\s*\n\s*f?["']|\n\s*#?""", " ", text).replace("  ", " ")
        for path, text in joined.items()
    }


def test_papers_and_errata() -> None:
    assert re.findall(r"^- \*\*(P\d)\*\*", PAGE, re.MULTILINE) == [f"P{i}" for i in range(5)]
    assert list(ERRATA) == [f"E{i}" for i in range(1, 22)]
    used = {e for text in texts().values() for e in re.findall(r"\bE\d{1,2}\b", text)}
    assert used == set(ERRATA)
    papers = {p for text in texts().values() for p in re.findall(r"\bP\d\b(?! ?\()", text)}
    assert papers <= {name.upper() for name in PAPERS if name != "ours"}


def test_an_erratum_is_of_the_paper_whose_claim_it_is() -> None:
    claimed: dict[str, set[str]] = {}
    for claim in registry.CLAIMS:
        for erratum in re.findall(r"E\d+", claim.erratum or ""):
            claimed.setdefault(erratum, set()).add(claim.paper.upper())
    assert set(claimed) == set(ERRATA)
    for erratum, where in ERRATA.items():
        assert claimed[erratum] <= set(re.findall(r"P\d", where)), erratum


def test_citations() -> None:
    others = PAGE.split("## Others")[1]
    cited = set()
    for path, text in texts().items():
        if "src" in path.parts:
            cited |= {(m[1], m[2]) for m in CITATION.finditer(text)}
    listed = set(re.findall(rf"^- ({NAME})[^0-9]* ((?:19|20)\d\d),", others, re.MULTILINE))
    papers = {("Zhang", "2016"), ("Barthe", "2016")}
    assert papers <= cited
    assert cited - papers == listed


def test_nothing_refers_to_pages_that_are_not_here() -> None:
    """Notes of those who built it are not part of the project."""
    notes = "|".join(f"{name}[0-9]?" for name in ("MATH", "HOUSE", "DESIGN", "STYLE", "PEERS"))
    for path, text in texts().items():
        assert not re.search(rf"\b(?:{notes})(?:\.md| §)", text), path
        if "src" in path.parts:
            assert "shared/data" not in text, path
