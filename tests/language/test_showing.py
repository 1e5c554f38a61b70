"""Derivations and diagnostics: in text, in colour and as HTML."""

from __future__ import annotations

import io
import re
import runpy
import textwrap
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from discreet.errors import InputError
from discreet.language import examples
from discreet.language.decorator import PrivateProgram
from discreet.language.showing import diagnose
from tests.programs import broken

NAMES = [
    f"{package.__name__}.{path.stem}"
    for package in (examples, broken)
    for path in sorted(Path(str(package.__file__)).parent.glob("[!_]*.py"))
]
HEAD = """\
from discreet.language import *

@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})
def shown(data, eps):
"""


def example(name: str) -> PrivateProgram:
    found: PrivateProgram = getattr(import_module(name), name.rsplit(".")[-1])
    return found


def written(folder: Path, body: str, head: str = HEAD) -> PrivateProgram:
    """A program whose body is written to a file from line 5 on."""
    file = folder / "programs.py"
    file.write_text(head + body, encoding="utf-8")
    found: PrivateProgram = runpy.run_path(str(file))["shown"]
    return found


def underlined(shown: object) -> str:
    """What stands above the carets in a terminal."""
    lines = str(shown).split("\n")
    at = next(i for i, line in enumerate(lines) if re.fullmatch(r" *\| *\^+( …)?", line))
    start, end = lines[at].index("^"), lines[at].rindex("^") + 1
    above = lines[at - 1]
    return "".join(c for i, c in enumerate(above) if start <= cell_len(above[:i]) < end)


# ---- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_shown_with_its_place_and_budget(name: str) -> None:
    explained = example(name).explain()
    report, text = explained.report, str(explained)
    assert text.startswith(f"{report.verdict} {report.program.name}: ")
    assert str(report.program.budget) in text
    assert re.search(rf"{name.split('.')[-1]}\.py:\d+:\d+\n", text)
    assert not any(line != line.rstrip() for line in text.split("\n") if not line.endswith("| "))
    source = Path(report.program.source.file).read_text(encoding="utf-8").split("\n")
    quoted = re.findall(r"^ *(\d+) \| (.*)$", text, re.MULTILINE)
    assert quoted
    assert all(source[int(number) - 1] == line for number, line in quoted)


def test_carets_stand_under_what_is_wrong() -> None:
    assert (
        underlined(example("tests.programs.broken.unknown_function").explain())
        == "scaled(sum(data))"
    )
    assert underlined(example("tests.programs.broken.private_branch").explain()) == "a > b"


@pytest.mark.parametrize(
    ("body", "meant", "column"),
    [
        ("    größe = sum(data); return größe * 2\n", "größe * 2", 31),
        ("    数 = sum(data); return 数 * 2\n", "数 * 2", 27),
        ("\tx = sum(data)\n\treturn\tx * 2\n", "x * 2", 9),
    ],
    ids=["umlauts", "wide", "tabs"],
)
def test_columns_are_those_of_characters(
    tmp_path: Path, body: str, meant: str, column: int
) -> None:
    text = str(written(tmp_path, body).explain())
    assert underlined(text).expandtabs(4).rstrip() == meant
    assert re.search(rf"programs\.py:\d+:{column}\n", text)


def test_an_indented_program_is_placed_where_it_stands(tmp_path: Path) -> None:
    head = "if True:\n" + textwrap.indent(HEAD, "    ")
    text = str(written(tmp_path, "        return sum(data)\n", head).explain())
    assert underlined(text) == "sum(data)"
    assert "programs.py:6:16\n" in text


def test_what_goes_on_below_is_marked(tmp_path: Path) -> None:
    text = str(written(tmp_path, "    return (1 *\n        sum(data)\n    )\n").explain())
    assert re.search(r"\| +\^+ …\n", text)


def test_a_finding_says_what_why_how_much_and_how_to_mend_it() -> None:
    text = str(example("tests.programs.broken.beta_l1_eps").explain())
    said = re.findall(r"^ +(?:= (.+?):|  ) +(.*)$", text, re.MULTILINE)
    labels = [label for label, _ in said if label]
    assert labels == ["why", "spent", "declared", "for example", "witness", "fix"]
    assert [line.rsplit("so far ")[1] for _, line in said if "so far" in line] == ["eps", "2*eps"]


def test_a_derivation_adds_up_line_by_line() -> None:
    lines = str(example("discreet.language.examples.beta_l1").explain()).split("\n")
    place = lines[2].index("spent so far")
    totals = [line[place:] for line in lines[3:-3] if line[place:].strip() and "|" in line[:4]]
    assert totals == ["0", "0", "0", "eps", "2*eps", "2*eps"]
    assert "in all 2*eps, within the declared 2*eps" in lines[0]
    assert "a record False is replaced by True" in lines[-2]


def test_a_derivation_tells_how_many_paths_there_are() -> None:
    text = str(example("discreet.language.examples.adaptive").explain())
    assert "on 2 paths" in text
    numbers = [int(n) for n in re.findall(r"^(\d+) \|", text, re.MULTILINE)]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


def test_a_derivation_stays_narrow() -> None:
    text = str(example("discreet.language.examples.normal_hellinger").explain())
    assert max(len(line) for line in text.split("\n") if "└" in line) < 140


def test_a_proved_program_takes_one_line() -> None:
    text = diagnose(example("discreet.language.examples.beta_l1").check()).plain
    assert re.fullmatch(r"PROVED beta_l1: 2\*eps, substitute, \d\.\d+ s", text)


def test_a_shell_shows_the_text() -> None:
    explained = example("discreet.language.examples.beta_l1").explain()
    assert repr(explained).split("\n")[0] == str(explained).split("\n")[0]


@pytest.mark.parametrize("terminal", [True, False])
def test_colours_are_for_terminals(terminal: bool) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, _environ={"TERM": "xterm"})
    console.print(example("tests.programs.broken.beta_l1_eps").explain())
    assert ("\x1b[" in out.getvalue()) is terminal


# ---- HTML ----------------------------------------------------------------------------------------


class Reader(HTMLParser):
    """The tags and the text; fails where tags are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        assert not {name for name, _ in attrs} & {"src", "href"}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.mark.parametrize("name", NAMES)
def test_every_page_is_well_formed_and_complete(name: str) -> None:
    explained = example(name).explain()
    report = explained.report
    page = Reader(explained.html())
    for said in (report.verdict, report.program.name, str(report.program.budget)):
        assert said in page.text
    if report.diagnostic is not None:
        assert report.diagnostic.message in page.text
        assert report.diagnostic.fix in page.text
    assert "url(" not in explained.html()
    assert "table" in Reader(explained._repr_html_()).tags


@pytest.mark.parametrize(
    "body", ["    return sum(data)", "    return sample(laplace(eps, sum(data)))"]
)
def test_texts_of_the_source_are_escaped(tmp_path: Path, body: str) -> None:
    head = HEAD.replace("List[Bool]", 'List[Enum("<b>", "a&b")]')
    inside = body.replace("sum(data)", 'sum(map(lambda r: r == "<b>", data))')
    for page in (
        (explained := written(tmp_path, inside + '  # <script> "&amp;"\n', head).explain()).html(),
        explained._repr_html_(),
    ):
        read = Reader(page)
        assert "script" not in read.tags
        assert '"<b>"' in read.text
        assert '# <script> "&amp;"' in read.text


def test_a_page_is_saved(tmp_path: Path) -> None:
    explained = example("tests.programs.broken.beta_l1_eps").explain()
    explained.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == explained.html() + "\n"
    with pytest.raises(InputError, match="exists already: overwrite=True"):
        explained.save(tmp_path / "page.html")
    explained.save(tmp_path / "page.html", overwrite=True)
    with pytest.raises(InputError, match="cannot be written"):
        explained.save(tmp_path / "none" / "page.html")
