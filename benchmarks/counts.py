"""Which noise for counts: ours and OpenDP's at the same (ε, δ), and the one `dp.release` takes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

import discreet as dp
from benchmarks import peers
from benchmarks.timing import show
from discreet.families.dirichlet.choosing import choose
from discreet.laws.lattice import project

CATEGORIES, EPSILONS, DELTA = (2, 3, 10, 100, 1000), ("0.1", "0.5", "1", "2"), Fraction(1, 10**6)
EACH = 2000  # records in every category
NUMBERS, ROUNDS = 40_000, 5  # counts that are drawn of each noise, and in how many turns

Draw = Callable[[int], Any]  # some vectors of counts


def _ours(name: str, k: int, epsilon: str, **options: Any) -> Draw:
    model = dp.DirichletMultinomial(range(k))
    made = dp.mechanism(name, model, EACH * k, epsilon=Fraction(epsilon), **options)
    return made.law([EACH] * k).sample


def _theirs(noisy: Callable[[Any], Any], k: int, size: int) -> Any:
    """Made to sum to n like ours, which OpenDP leaves to the caller."""
    counts = np.full(k, EACH)
    return project(EACH * k, np.array([noisy(counts) for _ in range(size)]))


def _draws(k: int, epsilon: str) -> dict[str, Draw]:
    found = {
        "lattice": _ours("lattice", k, epsilon),
        "gaussian": _ours("gaussian", k, epsilon, delta=DELTA),
    }
    budget = float(epsilon), float(DELTA)
    for name, make in (
        ("OpenDP Laplace", peers.opendp_laplace_counts),
        ("OpenDP Gaussian", peers.opendp_gaussian_counts),
    ):
        try:
            found[name] = partial(_theirs, make(k, *budget), k)
        except ImportError:
            continue
    return found


def errors(k: int, epsilon: str) -> dict[str, float]:
    """The root mean squared error of a count, of each noise; they take turns."""
    draws, squares = _draws(k, epsilon), dict[str, list[float]]()
    for _ in range(ROUNDS):
        for name, draw in draws.items():
            rows = np.asarray(draw(max(NUMBERS // (k * ROUNDS), 8)))
            squares.setdefault(name, []).append(float(((rows - EACH) ** 2).mean()))
    return {name: float(np.sqrt(np.mean(found))) for name, found in squares.items()}


def counts() -> None:
    rows: list[list[str]] = []
    for k in CATEGORIES:
        for epsilon in EPSILONS:
            model, found = dp.DirichletMultinomial(range(k)), errors(k, epsilon)
            taken = choose(
                *(model, EACH * k, Fraction(epsilon)), dp.Adjacency.SUBSTITUTE, {"delta": DELTA}
            )
            shown = [f"{x:.3g}" + " ←" * (name == taken.name) for name, x in found.items()]
            rows.append([f"{k}", epsilon, *shown])
    show(
        "Root mean squared error of a count that is released, replacing one record, δ = 1e-6\n"
        "← what dp.release takes; all are projected onto counts that sum to n",
        ["categories", "ε", *found],
        rows,
    )
