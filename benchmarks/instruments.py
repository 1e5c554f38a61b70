"""Audit, calibration, the limit, noise-aware posteriors: how long they take, and what they cost."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import discreet as dp
from benchmarks.timing import best, milliseconds, show
from discreet.families.dirichlet.optimum import program, remap
from discreet.families.dirichlet.optimum.losses import problem


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
        seconds, found = timed(partial(dp.audit, made))
        plainly, _ = timed(partial(plain_audit, made, n))
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

        make = partial(dp.mechanism, "ehds", model, n=n, epsilon=1, calibrate=True)
        place = partial(Path, tempfile.mkdtemp(), "certificates")
        with patch("discreet.auditing.certificate_store.directory", place):
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
    rows = []
    for k, n in ((2, 50), (2, 100), (2, 200), (3, 8), (3, 14)):
        prior = (Fraction(1),) * k
        task = problem(prior, n, Fraction(1), "hellinger", "uniform")
        seconds, solved = timed(partial(program.solve, task))
        closed, value = timed(partial(remap.expected_loss, task)) if k == 2 else (None, None)
        rows.append(
            [
                f"k = {k}, n = {n}",
                milliseconds(seconds),
                "–" if closed is None else milliseconds(closed),
                "–" if closed is None else f"{seconds / closed:.0f}",
                f"{solved.value:.6f}",
                f"{solved.gap:.1e}",
                "–" if value is None else f"{solved.value - value:.1e}",
            ]
        )
    headings = ["setting", "program", "geometric", "ratio", "value", "gap", "program − geometric"]
    show("The limit at ε = 1, Hellinger, uniform weights", headings, rows)


def _with_intervals(release: dp.Release[Any, Any, Any]) -> Any:
    return release.noise_aware().interval()


def noise_aware() -> None:
    rows = []
    for mechanism, epsilon, counts in (
        ("lattice", 1, (700_000, 300_000)),
        ("lattice", 0.01, (700_000, 300_000)),
        ("lattice", 1, (500_000, 300_000, 200_000)),
        ("ehds", 1, (700, 300)),
        ("ehds", 1, (7_000, 3_000)),
    ):
        model = dp.DirichletMultinomial(range(len(counts)))
        rng = np.random.default_rng(1)
        release = dp.release(counts, model, epsilon, mechanism, rng=rng)
        label = f"{mechanism}, k = {len(counts)}, n = {sum(counts)}, ε = {epsilon}"
        first, aware = timed(release.noise_aware)
        again = best(partial(_with_intervals, release), 3)
        widths = [np.diff(p.interval()[0])[0] for p in (aware, release.posterior)]
        rows.append(
            [label, milliseconds(first), milliseconds(again), f"{widths[0] / widths[1]:.3f}"]
        )
    headings = ["release", "first", "again, with intervals", "width / naive width"]
    show("Noise-aware posteriors", headings, rows)
