"""The shape of the house: what a new line must not make worse."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import discreet as dp
from discreet.language import (
    Bernoulli,
    Beta,
    Bool,
    List,
    Pos,
    infer,
    laplace,
    observe_all,
    params,
    private,
    sample,
)
from tests.specs import KINDS, found
from tests.tracing import HERE, way

SOURCES = sorted(Path(HERE).rglob("*.py"))
MODELS = {*KINDS, "BetaBinomial"}
# Words that are names of mechanisms too, and mean something else where they are compared
DISTANCES = {"hellinger"}


def test_files_are_small() -> None:
    lengths = [len(file.read_text(encoding="utf-8").splitlines()) for file in SOURCES]
    assert max(lengths) <= 450
    assert statistics.median(lengths) < 130


@cache
def outside() -> list[tuple[Path, ast.AST]]:
    """All that is written outside of the families' own rooms."""
    rooms = ("families", "programs")
    files = [file for file in SOURCES if file.relative_to(HERE).parts[0] not in rooms]
    return [(f, node) for f in files for node in ast.walk(ast.parse(f.read_text("utf-8")))]


def names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | {
        n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)
    }


def test_nobody_asks_for_the_class_of_a_model() -> None:
    for file, node in outside():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in ("isinstance", "issubclass"):
            assert not names_in(node.args[1]) & MODELS, f"{file}:{node.lineno}"


def test_nobody_asks_for_the_name_of_a_mechanism() -> None:
    mechanisms = {name for kind in KINDS for name in found(kind).names} | set(KINDS)
    for file, node in outside():
        if isinstance(node, ast.Compare):
            words = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
            assert not words & (mechanisms - DISTANCES), f"{file}:{node.lineno}"
        elif isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant):
            assert node.value.value not in mechanisms, f"{file}:{node.lineno}"


def test_a_first_release_of_counts_loads_few_modules() -> None:
    code = """
        import sys
        import discreet as dp
        model = dp.DirichletMultinomial(categories=("a", "b", "c"))
        dp.release(model.count(["a", "b", "c", "a"]), model, epsilon=1)
        print(sum(name.split(".")[0] == "discreet" for name in sys.modules))
    """
    made = subprocess.run(
        [sys.executable, "-c", "if True:" + code], capture_output=True, text=True, check=True
    )
    assert int(made.stdout) <= 60


@pytest.fixture
def patients() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "smoker": ["no", "yes", "no"] * 40,
            "cough": ["no", "yes", "yes", "no"] * 30,
            "x_ray": ["clear", "shadow", "clear", "unclear", "clear"] * 24,
        }
    )


def test_the_way_of_counts() -> None:
    model = dp.DirichletMultinomial(categories=("a", "b", "c"))
    counts = model.count(["a", "b", "c", "a"] * 10)
    files, switches = way(lambda: dp.release(counts, model, epsilon=1))
    assert len(files) <= 12, sorted(files)
    assert switches <= 30
    page = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walk = page.split("## One release, file by file")[1].split("\n## ")[0]
    named = set(re.findall(r"`([a-z_/]+\.py)`", walk))
    assert {file.removeprefix("/") for file in files} <= named
    assert all((Path(HERE) / file).is_file() for file in named)


def test_the_way_of_a_network(patients: pd.DataFrame) -> None:
    states: dict[str, tuple[str, ...]] = {"smoker": ("no", "yes"), "cough": ("no", "yes")}
    states |= {"x_ray": ("clear", "unclear", "shadow")}
    net = dp.BayesNet({"cough": ["smoker"], "x_ray": ["smoker", "cough"]}, states)
    counts = net.count(patients)
    files, switches = way(lambda: dp.release(counts, net, epsilon=1))
    assert len(files) <= 14, sorted(files)
    assert switches <= 60


def test_the_way_of_a_regression(rng: np.random.Generator) -> None:
    age = rng.uniform(20, 60, 100)
    staff = pd.DataFrame({"age": age, "pay": 0.5 * age + rng.normal(0, 5, 100)})
    bounds = {"age": (20, 60), "pay": (0, 100)}
    line = dp.LinearRegression(prior=100, noise_variance=25, bounds=bounds)
    sums = line.count(staff, y="pay", X=["age"])
    files, switches = way(lambda: dp.release(sums, line, epsilon=1))
    assert len(files) <= 14, sorted(files)
    assert switches <= 60


@private(data=List[Bool], adjacent="substitute", budget="2*eps", params={"eps": Pos})
def cure_rate(data, eps):  # type: ignore[no-untyped-def]
    post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))
    a, b = params(post)
    x = sample(laplace(eps, a))
    y = sample(laplace(eps, b))
    return Beta(max(x, 1 / 2), max(y, 1 / 2))


def test_the_way_of_a_program() -> None:
    files, switches = way(lambda: cure_rate.run([True] * 4 + [False] * 2, eps=1))
    assert len(files) <= 20, sorted(files)
    assert switches <= 200
