"""Time and memory beside the peers."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

import discreet as dp
from benchmarks import peers, plain
from benchmarks.timing import best, milliseconds, once_with_memory, show
from discreet.exact.draw import discrete_laplace


def _beside(title: str, name: str, ours: float, others: dict[str, Callable[[], object]]) -> None:
    """Our time, and the peers' in the same run."""
    rows = [[name, milliseconds(ours), "1"]]
    for peer, call in others.items():
        seconds = best(call)
        rows.append([peer, milliseconds(seconds), f"{ours / seconds:.3g}"])
    show(title, ["", "time", "ours/theirs"], rows)


def noise() -> None:
    """100,000 exact discrete Laplace draws."""
    size = 100_000
    _beside(
        "100,000 discrete Laplace draws at ε = 1 (aim: ours/OpenDP ≤ 0.05)",
        "discreet, exact",
        best(lambda: discrete_laplace(Fraction(1), size, os.urandom), 20),
        {
            "OpenDP then_laplace, exact": peers.opendp_laplace(size),
            "numpy geometric difference, inexact": peers.numpy_laplace(size),
        },
    )


def _ehds(counts: tuple[int, ...], epsilon: float = 1.0) -> dp.Release[Any, Any, Any]:
    return dp.release(
        counts, dp.DirichletMultinomial(range(len(counts))), epsilon, mechanism="ehds"
    )


def exponential() -> None:
    """One ehds release at n = 100,000, scores included, against ready-made scores."""
    n = 100_000
    counts = (n // 2, n - n // 2)
    ones = np.arange(n + 1)
    scores = -np.asarray(
        dp.hellinger(np.column_stack([ones + 1.0, n - ones + 1.0]), [n / 2 + 1, n / 2 + 1])
    )
    _beside(
        "An exponential mechanism over 100,001 candidates (aim: both ratios < 1)",
        "discreet ehds release, scores included",
        best(partial(_ehds, counts), 20),
        {
            "OpenDP noisy max, ready-made scores": peers.opendp_noisy_max(scores),
            "diffprivlib Exponential, ready-made scores": peers.diffprivlib_exponential(scores),
        },
    )


def scaling() -> None:
    """Ehds from a thousand to a trillion records."""
    times = {e: best(partial(_ehds, (10**e // 2, 10**e // 2)), 20) for e in (3, 6, 9, 12)}
    rows = [[f"1e{e}", milliseconds(t), f"{t / times[3]:.2f}"] for e, t in times.items()]
    show("ehds, two categories (aim: last ratio ≤ 10)", ["n", "time", "to n = 1e3"], rows)


def enumeration() -> None:
    """Three and four categories, and the plain way of doing it."""
    rows = []
    for counts, aim in (((200, 200, 200), "1 s, 200 MB"), ((150,) * 4, "20 s, 2 GB")):
        seconds, peak, growth = once_with_memory(partial(_ehds, counts))
        again = best(partial(_ehds, counts), 3)
        rows.append(
            [
                f"k = {len(counts)}, n = 600",
                milliseconds(seconds),
                milliseconds(again),
                f"{peak:.0f} MB",
                f"{growth:.0f} MB",
                aim,
            ]
        )
    show(
        "ehds by enumeration",
        ["setting", "first, with imports", "again", "peak memory", "above start", "aim"],
        rows,
    )
    counts3 = (60, 50, 40)
    ours, theirs = best(partial(_ehds, counts3), 20), best(partial(plain.ehds, counts3, 1.0), 1)
    show(
        "ehds, k = 3, n = 150, against one object per candidate (aim: 500 times faster)",
        ["way", "time", "times ours"],
        [
            ["discreet", milliseconds(ours), "1"],
            ["plain enumeration", milliseconds(theirs), f"{theirs / ours:.0f}"],
        ],
    )


def lattice() -> None:
    """Many categories and a billion records."""
    rows = []
    for k in (1000, 100_000):
        model = dp.DirichletMultinomial(range(k))
        counts = [10**9 // k] * k
        made = dp.mechanism("lattice", model, n=10**9, epsilon=1)
        law = made.raw_law(counts)
        draw = best(law.sample, 5)
        release = best(partial(dp.release, counts, model, 1), 3)
        rows.append([str(k), milliseconds(draw), milliseconds(release)])
    show("lattice, n = 1e9", ["k", "exact draw", "whole release"], rows)
