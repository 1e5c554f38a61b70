from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import discreet as dp
from discreet.cli import commands


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "discreet", *arguments], capture_output=True, text=True, check=False
    )


def test_demo_prints_tables_and_costs() -> None:
    result = CliRunner().invoke(commands, ["demo"])
    assert result.exit_code == 0
    for words in ("cured", "plantar", "95 % interval", "ε = 1, δ = 0 for replacing one record"):
        assert words in result.output


def test_demo_as_json_can_be_read_back() -> None:
    result = CliRunner().invoke(commands, ["demo", "--json", "--epsilon", "0.5"])
    documents = json.loads(result.output)
    assert len(documents) == 3
    for document in documents.values():
        release = dp.Release.from_json(json.dumps(document))
        assert release.config.n == 90
        assert not release.simulated


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "many", "1/0", ""])
def test_a_bad_epsilon_is_a_usage_error(epsilon: str) -> None:
    result = run("demo", "--epsilon", epsilon)
    assert result.returncode == 2
    assert result.stderr.startswith("Error: epsilon must")
    assert "Traceback" not in result.stderr


def test_a_terminal_without_greek_letters() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "discreet", "demo"],
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert result.returncode == 0
    assert b"cured" in result.stdout


def test_help_and_version() -> None:
    assert "demo" in run("--help").stdout
    assert dp.__version__ in run("--version").stdout
    assert run("unknown").returncode == 2


@pytest.mark.parametrize("statement", ["import discreet", "import discreet.cli"])
def test_nothing_heavy_is_imported(statement: str) -> None:
    heavy = {"numpy", "scipy", "flint", "rich"}
    code = f"{statement}; import sys; print({heavy} & set(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "set()"
