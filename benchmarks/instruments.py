"""Audit, calibration, the limit, noise-aware posteriors: how long they take, and what they cost."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import discreet as dp
from benchmarks.timing import best, milliseconds, show


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one call, and its result."""
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def plain_audit(made: dp.Mechanism, n: int) -> float:
    """The same maximum from listed laws in plain floats: nothing is proved."""
    loss, before = 0.0, made.law((0, n)).log_p
    for ones in range(1, n + 1):
        after = made.law((ones, n - ones)).log_p
        loss, before = max(loss, float(np.abs(after - before).max())), after
    return loss


def audits() -> None:
    rows = []
    for n in (1_000, 10_000):
        made = dp.mechanism("ehds", dp.BetaBinomial(), n=n, epsilon=1)
        seconds, found = timed(lambda made=made: dp.audit(made))
        plainly, _ = timed(lambda made=made, n=n: plain_audit(made, n))
        rows.append(
            [
                str(n),
                milliseconds(seconds),
                milliseconds(plainly),
                f"{seconds / plainly:.2f}",
                f"{found.epsilon:.9f}",
                f"{found.epsilon - found.epsilon_lower:.1e}",
            ]
        )
    headings = ["n", "audit", "plain floats", "ratio", "ε proved", "gap (aim ≤ 1e-9)"]
    show("Exact audit of ehds, two categories, nominal ε = 1", headings, rows)


def calibrations() -> None:
    rows = []
    for k, n in ((2, 100), (2, 1_000), (2, 10_000), (3, 60)):
        model = dp.DirichletMultinomial(range(k))

        def make(model: Any = model, n: int = n) -> dp.Mechanism:
            return dp.mechanism("ehds", model, n=n, epsilon=1, calibrate=True)

        with tempfile.TemporaryDirectory() as place:
            kept = Path(place) / "certificates"
            with patch("discreet.cache.directory", lambda kept=kept: kept):
                cold, made = timed(make)
                cached = best(make, 3)
        basis = made.guarantee.basis
        assert isinstance(basis, dp.Certificate)
        rows.append(
            [
                f"k = {k}, n = {n}",
                milliseconds(cold),
                milliseconds(cached),
                f"{float(basis.scale or 1):.4f}",
                f"{1 - float(basis.epsilon):.1e}",
            ]
        )
    headings = ["setting", "cold", "cached", "scale", "budget left"]
    show("Calibration of ehds at ε = 1", headings, rows)


def limits() -> None:
    from discreet.optimum import program

    rows = []
    for k, n in ((2, 50), (2, 100), (2, 200), (3, 8)):
        model = dp.DirichletMultinomial(range(k))
        seconds, solved = timed(lambda model=model, n=n: program.benchmark(model, n))
        rows.append([f"k = {k}, n = {n}", milliseconds(seconds), *solved])
    show("The limit by linear programming at ε = 1, Hellinger, uniform", ["setting", "time"], rows)


def noise_aware() -> None:
    rows = []
    for label, counts, options in (
        ("lattice, n = 1e6", (700_000, 300_000), {}),
        ("lattice, n = 1e6, ε = 0.01", (700_000, 300_000), {"epsilon": 0.01}),
        ("lattice, k = 3, n = 1e6", (500_000, 300_000, 200_000), {}),
        ("ehds, n = 1,000", (700, 300), {"mechanism": "ehds"}),
    ):
        model = dp.DirichletMultinomial(range(len(counts)))
        release = dp.release(
            counts, model, **({"epsilon": 1} | options), rng=np.random.default_rng(1)
        )
        first, aware = timed(release.noise_aware)
        again = best(lambda release=release: release.noise_aware().interval(), 3)
        widths = [np.diff(p.interval()[0])[0] for p in (aware, release.posterior)]
        rows.append(
            [label, milliseconds(first), milliseconds(again), f"{widths[0] / widths[1]:.3f}"]
        )
    headings = ["release", "first", "again, with intervals", "width / naive width"]
    show("Noise-aware posteriors, ε = 1", headings, rows)
