"""Packages that not everybody has: each use of one says what to install."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.errors import DiscreetError, MissingPackageError
from discreet.extras import needed
from discreet.language import (
    Between,
    List,
    Pos,
    Real,
    analytic_sigma,
    clip,
    gauss,
    private,
    sample,
)

HOME = Path(discreet.__file__).parent
OPTIONAL = {
    *("arviz_base", "dask", "dp_accounting", "fastapi", "ibis", "matplotlib", "networkx"),
    *("nicegui", "pandas", "pgmpy", "polars", "psycopg", "pyarrow", "pyspark", "sklearn"),
    *("sqlalchemy", "uvicorn", "xarray", "z3"),
}
BEHIND_A_DOOR = {  # rooms that are entered only where their package was found
    "plots/": {"matplotlib"},  # new_axes
    "cli/places.py": {"matplotlib"},  # require
    "explorer/": {"nicegui", "fastapi", "uvicorn"},  # discreet explore
    "learn/": {"sklearn"},  # its __init__
    "ledger/postgres.py": {"sqlalchemy", "psycopg"},  # _drivers
}


def test_a_missing_package_is_named() -> None:
    with (
        pytest.raises(MissingPackageError) as caught,
        needed("dreams need no_such_package", "discreet[dreams]"),
    ):
        import no_such_package  # type: ignore[import-not-found] # noqa: F401
    assert str(caught.value) == "dreams need no_such_package: pip install 'discreet[dreams]'"
    assert isinstance(caught.value, DiscreetError)
    assert isinstance(caught.value, ImportError)


def test_a_package_that_does_not_import_says_why() -> None:
    with pytest.raises(MissingPackageError) as caught, needed("plots need matplotlib", "x"):
        raise ImportError("\nnumpy.core failed to import\nand so on")
    assert str(caught.value) == (
        "plots need matplotlib, and the one here does not import (numpy.core failed to import): "
        "pip install x"
    )


def test_other_errors_are_not_about_packages() -> None:
    with pytest.raises(ZeroDivisionError), needed("plots need matplotlib", "x"):
        1 / 0  # noqa: B018


@private(
    data=List[Real],
    adjacent="add-remove",
    budget=("eps", "delta"),
    params={"eps": Pos, "delta": Between(0, 0.5)},
)
def hours(data: Any, eps: Any, delta: Any) -> Any:
    total = sum(map(lambda r: clip(r, 0, 12), data))  # noqa: C417 - map has a rule
    return sample(gauss(analytic_sigma(eps, delta, 12), total, grid=12 / 1024))


def test_a_program_is_not_called_unknown_because_its_solver_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "z3", None)
    for use in (hours.check, hours.explain, lambda: hours.run([1, 2], eps=1, delta=0.1)):
        with pytest.raises(MissingPackageError, match=r"^programs are proved by z3: pip install"):
            use()


def test_every_optional_import_is_guarded() -> None:
    found = {
        (str(file.relative_to(HOME)), package)
        for file in HOME.rglob("*.py")
        for package in _unguarded(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert found, "the search finds nothing"
    stray = [
        (place, package)
        for place, package in sorted(found)
        if not any(
            place.startswith(room) and package in known for room, known in BEHIND_A_DOOR.items()
        )
    ]
    assert stray == []


def _unguarded(node: ast.AST) -> Iterator[str]:
    """Optional packages imported outside of `with needed(…)` and `if TYPE_CHECKING`."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.With) and "needed(" in ast.unparse(node.items[0]):
        return
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module or ""]
    yield from (top for name in names if (top := name.partition(".")[0]) in OPTIONAL)
    for child in ast.iter_child_nodes(node):
        yield from _unguarded(child)
