from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.ledger import Ledger
from tests.optional import module, require

_numbers = iter(range(10**6))


def _binaries() -> Path | None:
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    return folders[-1] if folders else None


def _as_server(command: list[str], folder: Path) -> None:
    """PostgreSQL does not run as root."""
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        command = ["runuser", "-u", "postgres", "--", *command]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A server: of the environment, or one of our own on a socket in a folder."""
    given = os.environ.get("DISCREET_TEST_POSTGRES")
    if given:
        yield given
        return
    module("sqlalchemy", "postgres")
    module("psycopg", "postgres")
    binaries = _binaries()
    if binaries is None:
        require("postgres", "PostgreSQL is not here: set DISCREET_TEST_POSTGRES or install it")
    assert binaries is not None
    folder = Path(tempfile.mkdtemp(prefix="discreet-pg-", dir="/tmp"))
    data, control = str(folder / "data"), str(binaries / "pg_ctl")
    initdb = [str(binaries / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]
    options = f"-k {folder} -p 54329 -c listen_addresses='' -c fsync=off"
    start = [control, "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start"]
    try:
        _as_server([*initdb, "-E", "UTF8", "--locale=C"], folder)
        _as_server(start, folder)
        try:
            yield f"postgresql://postgres@/postgres?host={folder}&port=54329"
        finally:
            _as_server([control, "-D", data, "-m", "immediate", "stop"], folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def with_options(url: str, options: str) -> str:
    """A URL whose sessions start with these settings."""
    joint = "&" if "?" in url else "?"
    return f"{url}{joint}options={options.replace(' ', '%20').replace('=', '%3D')}"


def execute(url: str, *statements: str) -> None:
    from sqlalchemy import create_engine, make_url, text
    from sqlalchemy.pool import NullPool

    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[str]:
    """A place on the server where no ledger is yet."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    execute(postgres_server, f"CREATE SCHEMA {name}")
    yield with_options(postgres_server, f"-csearch_path={name}")
    execute(postgres_server, f"DROP SCHEMA {name} CASCADE")


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "budget.db")
    return str(request.getfixturevalue("postgres"))


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.open(tmp_path / "budget.db", budget=3)
