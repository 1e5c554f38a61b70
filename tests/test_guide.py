"""The guide is run: a page that no longer works, or a figure that no longer holds, fails.

Blocks of a page run in order, in one namespace and one empty folder: ```python as it is, ```sh
command by command through the command line, ```sql on a server. `# exits with 1` after a
command says what it has to exit with, else 0. A word after the language is what a block needs, such
as "spark": then it runs in a case of its own, among the blocks that need nothing. "shown" is not
run.
"""

from __future__ import annotations

import linecache
import re
import shlex
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.cli import run
from tests.ledger.conftest import execute, postgres, postgres_server, with_options
from tests.optional import module

__all__ = ["postgres", "postgres_server"]  # fixtures

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
CENSUS = Path(__file__).parents[2] / "shared" / "data" / "census2000.csv"
PAGES = sorted(page.name for page in GUIDE.glob("*.md"))
LANGUAGES = ("python", "sh", "sql", "")  # "" is output
NEEDS = ("spark", "dask", "ibis", "postgres", "accounting", "census")


@dataclass(frozen=True)
class Block:
    """Code of a page, and what it needs."""

    line: int
    language: str
    needs: str
    text: str


def blocks(page: str) -> list[Block]:
    """All code of a page but what is only shown."""
    text = (GUIDE / page).read_text(encoding="utf-8")
    found = []
    for block in re.finditer(r"^```(\w*)(?: (\w+))?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        line = text.count("\n", 0, block.start()) + 2
        found.append(Block(line, block[1], block[2] or "", block[3]))
    assert text.count("```") == 2 * len(found), "a block is not recognised"
    assert {block.language for block in found} <= set(LANGUAGES)
    assert {block.needs for block in found} <= {"", "shown", *NEEDS}
    return [block for block in found if block.language and block.needs != "shown"]


def cases() -> Iterator[Any]:
    for page in PAGES:
        needs = {block.needs for block in blocks(page)}
        for need in ("", *NEEDS):
            if need in needs:
                heavy = need == "spark" or page in (
                    "choosing-epsilon.md",
                    "what-a-release-costs.md",
                )
                slow = [pytest.mark.slow] if heavy else []
                yield pytest.param(page, need, marks=slow)


@pytest.fixture
def names(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """What the names on a page that needs a server stand for on this machine."""
    if request.node.callspec.params["need"] != "postgres":
        yield {}
        return
    server, own = (request.getfixturevalue(name) for name in ("postgres_server", "postgres"))
    clerk = own.rpartition("%3D")[2]  # a role named as the schema is no one else's
    yield {
        "postgresql://keeper@db.example.org/privacy": own,
        "postgresql://anna@db.example.org/privacy": with_options(
            server, f"-csearch_path={clerk} -crole={clerk}"
        ),
        "SCHEMA public": f"SCHEMA {clerk}",
        "clerks": clerk,
    }
    execute(server, f"DROP OWNED BY {clerk}", f"DROP ROLE {clerk}")


@pytest.mark.parametrize(("page", "need"), list(cases()))
def test_the_page_runs(
    page: str,
    need: str,
    names: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _provide(need)
    if need == "census":
        if not CENSUS.exists():
            pytest.skip("census2000.csv of ../shared/data is not here")
        shutil.copy(CENSUS, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCREET_LEDGER", raising=False)
    namespace: dict[str, Any] = {}
    with warnings.catch_warnings():
        if need in ("spark", "dask", "ibis", "accounting"):
            warnings.simplefilter("ignore")  # what they say of each other's versions
        for block in blocks(page):
            if block.needs in ("", need):
                text = block.text
                for shown, real in names.items():
                    text = text.replace(shown, real)
                _RUNNERS[block.language](text, f"{page}, line {block.line}", namespace, names)


def _provide(need: str) -> None:
    """Skip, or fail, where a library or Java is missing."""
    if need == "spark":
        from tests.data.engines import spark

        spark()
    elif need in ("dask", "ibis"):
        module({"dask": "dask.dataframe", "ibis": "ibis"}[need], "engines")
    elif need == "accounting":
        module("dp_accounting", "accounting")


def _python(text: str, where: str, namespace: dict[str, Any], names: dict[str, str]) -> None:
    # as a notebook does it: programs are read from their source
    linecache.cache[where] = (len(text), None, text.splitlines(keepends=True), where)
    exec(compile(text, where, "exec"), namespace)


def _shell(text: str, where: str, namespace: dict[str, Any], names: dict[str, str]) -> None:
    for command in text.replace("\\\n", " ").splitlines():
        words = shlex.split(command, comments=True)
        if not words:
            continue
        noted = re.search(r"# exits with (\d)", command)
        assert words[0] == "discreet", f"{where}: only discreet can be run here"
        status = run(words[1:])
        assert status == (int(noted[1]) if noted else 0), f"{where}: {command}"


def _sql(text: str, where: str, namespace: dict[str, Any], names: dict[str, str]) -> None:
    statements = [s for s in text.split(";") if s.strip()]
    execute(names["postgresql://keeper@db.example.org/privacy"], *statements)


_RUNNERS: dict[str, Callable[[str, str, dict[str, Any], dict[str, str]], None]] = {
    "python": _python,
    "sh": _shell,
    "sql": _sql,
}


def test_the_index_names_every_page() -> None:
    index = (GUIDE / "README.md").read_text(encoding="utf-8")
    assert sorted({"README.md", *re.findall(r"\]\(([\w-]+\.md)\)", index)}) == PAGES


@pytest.mark.parametrize("page", [*PAGES, "../limits.md"])
def test_links_lead_somewhere(page: str) -> None:
    place = GUIDE / page
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", place.read_text(encoding="utf-8")):
        assert (place.parent / target).exists(), target


def test_every_way_to_run_a_block_is_used() -> None:
    """So that a slip in the marks does not leave something out."""
    used = {(block.language, block.needs) for page in PAGES for block in blocks(page)}
    assert {needs for _, needs in used} == {"", *NEEDS}
    assert {language for language, _ in used} == {"python", "sh", "sql"}


@pytest.mark.slow
def test_figures_of_the_table_of_plans() -> None:
    """Rows: categories, n, two ε for errors, three widths at given ε, and the width without."""
    text = (GUIDE / "choosing-epsilon.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| ([\d,]+) \| ([\d. |]+) \|$", text, re.MULTILINE)
    assert len(rows) == 6
    for k, size, rest in rows:
        model, n = dp.DirichletMultinomial(range(int(k))), int(size.replace(",", ""))
        shown = [float(cell) for cell in rest.split(" | ")]
        plans = [dp.plan(model, n, error=error) for error in (0.1, 0.05)]
        bought = [dp.plan(model, n, epsilon=epsilon) for epsilon in (0.1, 0.5, 1)]
        found = [float(plan.epsilon) for plan in plans]
        found += [plan.width for plan in bought] + [bought[0].width_without_noise]
        assert shown == [float(f"{value:.2g}") for value in found]
        assert all(first >= second for first, second in pairwise(shown[2:]))
