from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import discreet as dp
from discreet import cli
from tests.cli.cases import call, done, spawn

HEAVY = {"numpy", "scipy", "flint", "rich", "duckdb", "matplotlib", "sqlite3"}
GROUPS = ("init", "create", "raise", "show", "history", "released", "verify", "backup", "migrate")
COMMANDS = [
    *((name,) for name in cli.COMMANDS if name not in ("ledger", "family")),
    *(("ledger", name) for name in GROUPS),
]


def test_demo_prints_tables_and_costs() -> None:
    result = done("demo")
    for words in ("cured", "plantar", "95 % interval", "ε = 1, δ = 0 for replacing one record"):
        assert words in result.out


def test_demo_as_json_can_be_read_back() -> None:
    documents = done("demo", "--json", "--epsilon", "0.5").document
    assert len(documents) == 3
    for document in documents.values():
        release = dp.Release.from_json(json.dumps(document))
        assert release.config.n == 90
        assert not release.simulated


def test_a_seed_makes_the_demo_a_simulation() -> None:
    first, second = (done("demo", "--seed", 7, "--json").out for _ in range(2))
    assert first == second
    assert all(document["simulated"] for document in json.loads(first).values())
    assert "simulated, not private" in done("demo", "--seed", 7).out
    assert done("demo", "--quiet").out == ""


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "many", "1/0", ""])
def test_a_bad_epsilon_is_a_usage_error(epsilon: str) -> None:
    result = call("demo", "--epsilon", epsilon)
    assert result.status == 2
    assert result.err.startswith("Error: epsilon must")


def test_a_terminal_without_greek_letters() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "discreet", "demo"],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert result.returncode == 0
    assert b"cured" in result.stdout


def test_version_and_wrong_usage() -> None:
    assert dp.__version__ in spawn("--version").stdout
    for wrong in (("unknown",), ("demo", "--unknown"), ("release",), ("ledger", "burn"), ()):
        result = call(*wrong)
        assert result.status == 2
        assert "Usage: discreet" in result.err


def test_help_names_every_command() -> None:
    text = done("--help").out
    assert all(f"\n  {name} " in text for name in cli.COMMANDS)
    assert all(f"\n  {name} " in done("ledger", "--help").out for name in GROUPS)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_and_the_common_options(command: tuple[str, ...]) -> None:
    text = done(*command, "-h").out
    examples = text.split("Options:")[0].splitlines()[1:]
    assert any(f"discreet {' '.join(command)}" in line for line in examples)
    assert "--json" in text
    assert "--quiet" in text
    assert max(map(len, text.splitlines())) <= 88


@pytest.mark.parametrize(
    "statement",
    [
        "import discreet",
        "import discreet.cli",
        "import discreet.cli as c; c.run(['--help'])",
        "import discreet.cli as c; c.run(['release', '--help'])",
        "import discreet.cli as c; c.run(['regress', '--help'])",
        "import discreet.cli as c; c.run(['mean', '--help'])",
        "import discreet.cli as c; c.run(['ledger', 'verify', '--help'])",
    ],
)
def test_nothing_heavy_is_imported(statement: str) -> None:
    code = f"{statement}; import sys; print('heavy:', {HEAVY} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip().endswith("heavy: set()")


def test_shell_completion() -> None:
    def complete(words: str, how: str = "bash_complete") -> str:
        names = {"_DISCREET_COMPLETE": how, "COMP_WORDS": words}
        names["COMP_CWORD"] = str(len(words.split()) - 1 + words.endswith(" "))
        return spawn(env=os.environ | names).stdout

    assert "complete -o nosort -F _discreet_completion discreet" in complete("", "bash_source")
    assert complete("discreet rel").split() == ["plain,release"]
    assert complete("discreet ledger ver").split() == ["plain,verify"]
    assert complete("discreet plan --mech").split() == ["plain,--mechanism"]
    assert complete("discreet plan --mechanism la").split() == ["plain,lattice"]
    assert complete("discreet release pat").split() == ["file,pat"]


def test_an_interrupt_is_one_line(tmp_path: Path) -> None:
    code = """
        import os, signal, sys
        from discreet import cli
        from discreet.releases import releasing
        def slow(*given, **options):
            os.kill(os.getpid(), signal.SIGINT)
            while True:
                pass
        releasing.release = slow
        sys.exit(cli.run(["demo"]))
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 128 + signal.SIGINT
    assert result.stderr.split() == ["Interrupted."]


@pytest.mark.parametrize("swallowed", [False, True])
def test_being_terminated_is_no_error(swallowed: bool) -> None:
    code = f"""
        import os, signal, sys
        from discreet import cli
        from discreet.releases import releasing
        def slow(*given, **options):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                while True:
                    pass
            finally:
                os.kill(os.getpid(), signal.SIGTERM)  # a second one does not stop the clean-up
                print("cleaned up")
                if {swallowed}:
                    raise RuntimeError("Query interrupted")
        releasing.release = slow
        sys.argv = ["discreet", "demo"]
        cli.main()
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 128 + signal.SIGTERM
    assert (result.stdout, result.stderr) == ("cleaned up\n", "")


def test_a_terminated_count_leaves_no_files(tmp_path: Path) -> None:
    data, spill = tmp_path / "large.csv", tmp_path / "spill"
    data.write_bytes(b"x\n" + b"a\nb\n" * 4_000_000)
    spill.mkdir()
    options = ("--column", "x", "--categories", "a,b", "--epsilon", "1")
    process = subprocess.Popen(
        [sys.executable, "-m", "discreet", "release", str(data), *options],
        env=os.environ | {"TMPDIR": str(spill)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not any(spill.iterdir()):
        assert process.poll() is None
        time.sleep(0.002)
    time.sleep(0.05)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert err.strip() == b""
    if process.returncode:  # a fast machine may have finished
        assert (process.returncode, out) == (128 + signal.SIGTERM, b"")
    assert list(spill.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_output_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "discreet", "demo"]
        result = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 1
    assert result.stderr == "Error: No space left on device\n"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "Error: there is not enough memory"),
        (OSError(28, "No space left on device"), "Error: No space left on device"),
        (ValueError("SECRET"), "Error: unexpected ValueError in demo.py, line "),
        (ModuleNotFoundError("SECRET", name="flint"), "Error: flint cannot be imported"),
        (dp.MissingPackageError("plots need x: pip install x"), "Error: plots need x: pip"),
        (dp.ExactnessError("a bound failed"), "Refused: a bound failed"),
    ],
)
def test_what_is_said_of_errors(
    monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(*given: object, **options: object) -> None:
        raise error

    monkeypatch.setattr("discreet.releases.releasing.release", fail)
    result = call("demo")
    assert result.status == (2 if isinstance(error, dp.MissingPackageError) else 1)
    assert result.err.startswith(words)
    assert "SECRET" not in result.err
    assert len(result.err.splitlines()) == 1


def test_the_place_of_an_error_is_in_the_package_whatever_folders_are_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clone is called discreet, and so may be a folder of the user."""
    file = str(tmp_path / "discreet" / "theirs.py")
    theirs = compile("def fail(*_, **__): raise ValueError", file, "exec")
    names: dict[str, object] = {}
    exec(theirs, names)
    monkeypatch.setattr("discreet.releases.releasing.release", names["fail"])
    assert call("demo").err.startswith("Error: unexpected ValueError in demo.py, line ")


def test_a_reader_that_goes_away() -> None:
    python = shlex.quote(sys.executable)
    command = f"{python} -m discreet demo --json | head -c 1; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode in (0, 1)
    assert result.stderr == ""
