"""README and guide are run: a page that no longer works, or a figure that no longer holds, fails.

Blocks of a page run in order, in one namespace and one folder: ```python as it is, held to what its
comments say and to an output right below it (its numbers may have noise), ```sh command by command
through the command line, ```sql on a server. `# exits with 1` after a command says what it has to
exit with, else 0. A word after the language is what a block needs, such as "spark": then it runs in
a case of its own, among the blocks that need nothing. "shown" is not run.

A block whose first line is a comment with the name of a file is that file, or the rest of it.

Where a package is not installed, a block that uses it has to name it in one sentence before
anything is read or paid for; what is made of it later is left out.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import discreet as dp
from discreet.core import families
from tests.cli.cases import call
from tests.ledger.conftest import execute, postgres, postgres_server, with_options
from tests.optional import insist
from tests.pages import run_python, shows

__all__ = ["postgres", "postgres_server"]  # fixtures

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
CENSUS = Path(__file__).parents[2] / "shared" / "data" / "census2000.csv"
README = "../../README.md"
PAGES = sorted(page.name for page in GUIDE.glob("*.md"))
LANGUAGES = ("python", "sh", "sql", "toml", "")  # "" is output
NEEDS = {  # and the module for it, with its name in DISCREET_REQUIRE
    "spark": ("pyspark", "java"),
    "dask": ("dask", "engines"),
    "ibis": ("ibis", "engines"),
    "postgres": ("sqlalchemy", "postgres"),
    "accounting": ("dp_accounting", "accounting"),
    "census": ("pandas", "census"),
    "papers": ("discreet_papers", "papers"),  # minutes
}
SLOW = ("choosing-epsilon.md", "what-a-release-costs.md", "papers.md", "spark", "papers")
_FILE = re.compile(r"# (?P<name>[\w.-]+\.(?:py|toml))(?P<more>, continued)?$", re.MULTILINE)
EXTRAS = {  # modules of what pip is told to install
    "discreet[plot]": ("matplotlib",),
    "discreet[learn]": ("sklearn",),
    "discreet[language]": ("z3",),
    "discreet[postgres]": ("sqlalchemy", "psycopg"),
    "discreet[accounting]": ("dp_accounting",),
    "./papers": ("discreet_papers",),
}


@dataclass(frozen=True)
class Block:
    """Code of a page, and what it needs."""

    line: int
    language: str
    needs: str
    text: str
    output: str  # that stands right below it


def blocks(page: str) -> list[Block]:
    """All code of a page but what is only shown."""
    text = (GUIDE / page).read_text(encoding="utf-8")
    found = []
    for block in re.finditer(r"^```(\w*)(?: (\w+))?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        line = text.count("\n", 0, block.start()) + 2
        below = re.match(r"\n\n```\n(.*?)^```$", text[block.end() :], re.DOTALL | re.MULTILINE)
        output = below[1] if below and block[1] == "python" else ""
        found.append(Block(line, block[1], block[2] or "", block[3], output))
    assert text.count("```") == 2 * len(found), "a block is not recognised"
    assert {block.language for block in found} <= set(LANGUAGES)
    assert {block.needs for block in found} <= {"", "shown", *NEEDS}
    return [block for block in found if block.language and block.needs != "shown"]


def cases() -> Iterator[Any]:
    for page in (README, *PAGES):
        needs = {block.needs for block in blocks(page)}
        for need in ("", *NEEDS):
            if need in needs:
                slow = [pytest.mark.slow] if page in SLOW or need in SLOW else []
                yield pytest.param(page, need, marks=slow)


@pytest.fixture
def names(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """What the names on a page that needs a server stand for on this machine."""
    need = request.node.callspec.params["need"]
    if need != "postgres" or not _installed(need):
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


@pytest.fixture
def touched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What reads records or charges a ledger, as it happens."""
    found: list[str] = []
    for place in (
        "discreet.data.sources.opened",
        "discreet.data.plain.count",
        "discreet.ledger.book.Ledger.charge",
    ):
        _noted(place, found, monkeypatch)
    return found


def _noted(place: str, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from pkgutil import resolve_name

    real = resolve_name(place)

    def noting(*given: Any, **options: Any) -> Any:
        found.append(place)
        return real(*given, **options)

    monkeypatch.setattr(place, noting)


@pytest.fixture
def forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules and the families that a page makes."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(families, "_loaded", {})
    yield
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "/").parent == tmp_path:
            del sys.modules[name]


@dataclass
class Lost:
    """What blocks without their packages did not make."""

    names: set[str] = field(default_factory=set)
    text: str = ""
    packages: set[str] = field(default_factory=set)

    def add(self, block: Block) -> None:
        self.names |= _made(block)
        self.text += block.text

    def explains(self, error: BaseException) -> bool:
        """Whether an error is about a name, or a file, that one of them would have made."""
        if isinstance(error, NameError):
            return error.name in self.names
        file = re.search(r"'([\w.-]+)' (?:does not exist|cannot be read)", str(error))
        return file is not None and file[1] in self.text


def _made(block: Block) -> set[str]:
    """The names that a block binds."""
    if block.language != "python":
        return set()
    found: set[str] = set()
    for node in ast.walk(ast.parse(block.text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
    return found


@pytest.mark.parametrize(("page", "need"), list(cases()))
def test_the_page_runs(
    page: str,
    need: str,
    names: dict[str, str],
    touched: list[str],
    forgotten: None,
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
    lost = Lost()
    with warnings.catch_warnings():
        if need in ("spark", "dask", "ibis", "accounting"):
            warnings.simplefilter("ignore")  # what they say of each other's versions
        for block in blocks(page):
            if block.needs not in ("", need):
                continue
            touched.clear()
            where = f"{Path(page).name}, line {block.line}"
            try:
                text = _meant(block.text, names)
                if written := _FILE.match(text):
                    _write(tmp_path / written["name"], text, bool(written["more"]))
                    continue
                printed = _RUNNERS[block.language](text, where, namespace, names)
                assert not block.output or shows(block.output, printed), where
                lost.names -= _made(block)
            except Exception as error:
                if not lost.explains(error):
                    lost.packages |= _missing(error, where)
                    assert not touched, f"{where}: read or paid for before it was refused"
                lost.add(block)
                for name in lost.names:
                    namespace.pop(name, None)
    if need and lost.packages:
        pytest.skip(f"not installed, as the page says: {', '.join(sorted(lost.packages))}")


def _write(file: Path, text: str, more: bool) -> None:
    assert file.exists() == more
    with file.open("a", encoding="utf-8") as out:
        out.write(text if not more else f"\n\n{text}")


def _meant(text: str, names: dict[str, str]) -> str:
    for shown, real in names.items():
        text = text.replace(shown, real)
    return text


def _missing(error: Exception, where: str) -> set[str]:
    """The packages that are not installed and that an error names in one sentence."""
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    if isinstance(error, ModuleNotFoundError) and last == where:  # the page's own import
        named: tuple[str, ...] = ((error.name or "").partition(".")[0],)
    else:
        told = re.fullmatch(r"[^\n]+: pip install '?([\w./-]+(?:\[\w+\])?)'?", str(error))
        named = () if told is None else EXTRAS.get(told[1], (told[1],))
    found = {name for name in named if find_spec(name) is None}
    if not found:
        raise error
    for name in found:
        insist(name, f"{where}: {error}")
    return found


def _installed(need: str) -> bool:
    return find_spec(NEEDS[need][0]) is not None


def _provide(need: str) -> None:
    """Fail where something is missing that the environment asks for; skip without Java."""
    if need and not _installed(need):
        package, name = NEEDS[need]
        insist(name, f"{package} is not installed")
    elif need == "spark":
        from tests.data.engines import spark

        spark()


def _python(text: str, where: str, namespace: dict[str, Any], names: dict[str, str]) -> str:
    return run_python(text, where, namespace)[0]


class CommandError(Exception):
    """A command ended otherwise than the page says; what it said."""


def _shell(text: str, where: str, namespace: dict[str, Any], names: dict[str, str]) -> str:
    for command in text.replace("\\\n", " ").splitlines():
        words = shlex.split(command, comments=True)
        if not words:
            continue
        noted = re.search(r"# exits with (\d)", command)
        if words[0] != "discreet":
            subprocess.run(["sh", "-c", command], check=True)
            continue
        result = call(*words[1:])
        if result.status != (int(noted[1]) if noted else 0):
            raise CommandError(result.err.removeprefix("Error: ").strip())
    return ""  # outputs of commands are held by tests of README


def _sql(text: str, where: str, namespace: dict[str, Any], names: dict[str, str]) -> str:
    if names:  # there is a server
        statements = [s for s in text.split(";") if s.strip()]
        execute(names["postgresql://keeper@db.example.org/privacy"], *statements)
    return ""


_RUNNERS: dict[str, Callable[[str, str, dict[str, Any], dict[str, str]], str]] = {
    "python": _python,
    "sh": _shell,
    "sql": _sql,
}


def test_the_index_names_every_page() -> None:
    index = (GUIDE / "README.md").read_text(encoding="utf-8")
    assert sorted({"README.md", *re.findall(r"\]\(([\w-]+\.md)\)", index)}) == PAGES


OTHERS = ("limits", "findings", "bibliography", "architecture", "../README", "../CONTRIBUTING")


@pytest.mark.parametrize("page", [*PAGES, *(f"../{name}.md" for name in OTHERS)])
def test_links_lead_somewhere(page: str) -> None:
    place = GUIDE / page
    for target, anchor in re.findall(
        r"\]\(([^)#:]*)(?:#([^)]*))?\)", place.read_text(encoding="utf-8")
    ):
        file = place.parent / target if target else place
        assert file.exists(), target
        if anchor:
            assert anchor in _anchors(file), (target, anchor)


def _anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links, as GitHub makes it."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def test_every_way_to_run_a_block_is_used() -> None:
    """So that a slip in the marks does not leave something out."""
    pages = [README, *PAGES]
    used = {(block.language, block.needs) for page in pages for block in blocks(page)}
    assert {needs for _, needs in used} == {"", *NEEDS}
    assert {language for language, _ in used} == {"python", "sh", "sql", "toml"}


@pytest.mark.parametrize(
    ("text", "excused"),
    [
        ("dreams need no_such_thing: pip install no_such_thing", True),
        ("plots need numpy: pip install numpy", False),  # which is installed
        ("dreams need no_such_thing", False),
        ("dreams fail\nthey need no_such_thing: pip install no_such_thing", False),
    ],
)
def test_what_excuses_a_block(text: str, excused: bool) -> None:
    def refused() -> set[str]:
        try:
            raise CommandError(text)
        except CommandError as error:
            return _missing(error, "here")

    if excused:
        assert refused() == {"no_such_thing"}
    else:
        with pytest.raises(CommandError):
            refused()


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
