"""`discreet check`: the programs of files, proved or not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from discreet.language import examples
from tests.cli.cases import call

EXAMPLES = Path(str(examples.__file__)).parent
PROVED = EXAMPLES / "beta_l1.py"
BROKEN = Path(__file__).parents[1] / "programs" / "broken" / "beta_l1_eps.py"
HEAD = "from discreet.language import *\n\n"
PRIVATE = '@private(data=List[Bool], adjacent="substitute", budget="eps", params={"eps": Pos})\n'
NOISY = PRIVATE + "def noisy(data, eps):\n    return sample(laplace(eps, sum(data)))\n\n"
RAW = PRIVATE + "def raw(data, eps):\n    return sum(data)\n\n"


def written(folder: Path, text: str, name: str = "programs.py") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_proved_programs_end_with_0() -> None:
    found = call("check", PROVED)
    assert found.status == 0
    assert found.out.startswith("PROVED beta_l1: 2*eps, substitute")
    assert found.out.endswith("Proved private: 1 of 1 program.\n")
    assert found.err == ""


def test_a_program_that_is_not_proved_ends_with_1() -> None:
    found = call("check", PROVED, BROKEN)
    assert found.status == 1
    assert "REFUTED beta_l1_eps" in found.out
    assert "^^^^^^" in found.out
    assert found.out.endswith("Proved private: 1 of 2 programs (1 refuted).\n")
    assert "\x1b" not in found.out


def test_programs_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = HEAD + RAW.replace("raw", "z") + NOISY + RAW.replace("raw", "a") + "again = z\n"
    found = call("check", written(tmp_path, text), "--json")
    assert [one["program"] for one in found.document] == ["z", "noisy", "a"]
    assert [one["verdict"] for one in found.document] == ["REFUTED", "PROVED", "REFUTED"]
    assert found.status == 1


def test_json_has_the_place_the_reason_and_the_witness(tmp_path: Path) -> None:
    (found,) = call("check", written(tmp_path, HEAD + RAW), "--json").document
    assert found["file"] == str(tmp_path / "programs.py")
    assert (found["line"], found["diagnostic"]["line"], found["diagnostic"]["column"]) == (3, 5, 12)
    assert found["diagnostic"]["fix"]
    assert found["witness"]["loss"] == "inf"


def test_derivations_are_explained() -> None:
    found = call("check", PROVED, BROKEN, "--explain")
    assert found.status == 1
    assert "in all 2*eps, within the declared 2*eps" in found.out
    assert "REFUTED beta_l1_eps" in found.out


@pytest.mark.parametrize(("file", "status"), [(PROVED, 0), (BROKEN, 1)])
def test_quiet_leaves_the_exit_status(file: Path, status: int) -> None:
    assert call("check", file, "--quiet") == (status, "", "")


def test_long_lines_are_not_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert "the program spends epsilon 2*eps, more than" in call("check", BROKEN).out


def test_source_with_other_letters_is_shown(tmp_path: Path) -> None:
    text = HEAD + RAW.replace("sum(data)", "sum(data)  # größer als 数")
    found = call("check", written(tmp_path, text, "prüfung.py"))
    assert "# größer als 数" in found.out
    assert "prüfung.py:5:12" in found.out


# ---- files that cannot be checked ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "programs.py has no programs"),
        ("", "programs.py has no programs"),
        ("x = (\n", "programs.py, line 1 is not Python: '(' was never closed"),
        ("x = '\0'\n", "not Python"),
        ("\nimport no_such_module_at_all\n", "line 2 cannot be imported: No module named"),
        ("\n\nprivat\n", "line 3 cannot be imported: name 'privat' is not defined"),
        ("open('/no/such/file')\n", "line 1 cannot be imported: FileNotFoundError"),
        ("raise ValueError('record 17')\n", "line 1 cannot be imported: ValueError"),
        ("import sys\nsys.exit(0)\n", "line 2 cannot be imported: SystemExit"),
        (HEAD + NOISY.replace('"eps",', '"epsilon",'), "line 3 cannot be imported: "),
        (HEAD + "f = 1\n" + PRIVATE.replace('budget="eps", ', ""), "not Python"),
        (HEAD + NOISY.replace('budget="eps", ', ""), "missing 1 required"),
    ],
)
def test_a_file_that_cannot_be_checked_is_one_sentence(
    tmp_path: Path, text: str, said: str
) -> None:
    found = call("check", written(tmp_path, text))
    assert found.status == 2
    assert found.out == ""
    assert said in found.err
    assert "programs.py" in found.err
    assert found.err.count("\n") == 1
    assert "Traceback" not in found.err
    assert "record 17" not in found.err


@pytest.mark.parametrize(
    ("name", "said"),
    [("none.py", "does not exist"), (".", "not a Python file"), ("a.csv", "not a Python file")],
)
def test_what_is_no_python_file_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "a.csv").write_text("a,b\n")
    found = call("check", tmp_path / name)
    assert found.status == 2
    assert said in found.err


def test_no_file_is_wrong_usage() -> None:
    assert call("check").status == 2


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "programs.py").write_bytes(b"x = '\xff'\n")
    found = call("check", tmp_path / "programs.py")
    assert found.status == 2
    assert "not Python" in found.err


def test_a_file_that_prints_does_not_spoil_the_json(tmp_path: Path) -> None:
    found = call("check", written(tmp_path, HEAD + "print('hello')\n" + NOISY), "--json")
    assert [one["verdict"] for one in found.document] == ["PROVED"]
    assert found.err == "hello\n"


def test_a_file_imports_its_neighbours_and_leaves_nothing_behind(tmp_path: Path) -> None:
    written(tmp_path, HEAD + RAW, "neighbour_of_programs.py")
    file = written(tmp_path, HEAD + "from neighbour_of_programs import raw\n" + NOISY)
    path, modules = sys.path.copy(), {name for name in sys.modules if "checked" in name}
    try:
        found = call("check", file)
    finally:
        sys.modules.pop("neighbour_of_programs", None)
    assert (found.status, found.out.count("PROVED")) == (0, 1)  # raw is checked where it is written
    assert sys.path == path
    assert {name for name in sys.modules if "checked" in name} == modules
    assert not (tmp_path / "__pycache__").exists()


def test_a_neighbour_that_is_not_python_is_named(tmp_path: Path) -> None:
    written(tmp_path, "x = (\n", "unfinished_neighbour.py")
    found = call("check", written(tmp_path, "\nimport unfinished_neighbour\n"))
    assert found.status == 2
    assert "programs.py, line 2 cannot be imported: " in found.err
    assert "unfinished_neighbour.py, line 1 is not Python" in found.err


def test_what_is_written_under_main_is_not_run(tmp_path: Path) -> None:
    text = HEAD + NOISY + "if __name__ == '__main__':\n    raise SystemExit(9)\n"
    assert call("check", written(tmp_path, text)).status == 0


def test_without_the_solver_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    found = call("check", PROVED)
    assert found.status == 2
    assert found.err == "Error: programs are proved by z3: pip install 'discreet[language]'\n"


def test_the_output_in_the_readme_is_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (program,) = (b for b in readme.split("```python\n") if "@private(" in b)
    source = program.split("\n\n\nassert")[0].replace('budget="2*eps"', 'budget="eps"')
    shown = "REFUTED cure_rate" + readme.split("REFUTED cure_rate", 1)[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "programs.py").write_text(source + "\n", encoding="utf-8")
    assert call("check", "programs.py").out.startswith(shown)
