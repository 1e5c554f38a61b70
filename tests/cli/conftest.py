from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.cases import done, write_csv
from tests.ledger.conftest import postgres, postgres_server  # noqa: F401 - fixtures

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "release.schema.json"


@pytest.fixture(autouse=True)
def nothing_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISCREET_LEDGER", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)  # the one of the project may not be written


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "patients.csv")


@pytest.fixture
def budget(tmp_path: Path) -> Path:
    place = tmp_path / "budget.db"
    done("ledger", "init", place, "--budget", "3", "--quiet")
    return place


@pytest.fixture(scope="session")
def schema() -> Any:
    return json.loads(SCHEMA.read_text(encoding="utf-8"))
