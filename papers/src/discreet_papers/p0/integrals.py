"""Hellinger distances by quadrature, which know nothing of the closed form."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import lgamma

import numpy as np

from discreet.exact import Floats

_NODES = 120


def hellinger_by_quadrature(a: Sequence[float], b: Sequence[float]) -> float:
    """√(½∫(√p − √q)²) for two Dirichlet densities, two or three categories."""
    (p, q), weights = _densities(a, b)
    return float(np.sqrt(0.5 * (weights * (np.sqrt(p) - np.sqrt(q)) ** 2).sum()))


def without_roots(a: Sequence[float], b: Sequence[float]) -> float:
    """√(½∫(p − q)²), as P0 §3 prints it (erratum E1)."""
    (p, q), weights = _densities(a, b)
    return float(np.sqrt(0.5 * (weights * (p - q) ** 2).sum()))


def _densities(a: Sequence[float], b: Sequence[float]) -> tuple[list[Floats], Floats]:
    points, weights = _simplex(len(a))
    logs = np.log(points)
    found = []
    for alpha in (a, b):
        constant = lgamma(sum(alpha)) - sum(map(lgamma, alpha))
        found.append(np.exp(constant + logs @ (np.array(alpha, dtype=np.float64) - 1)))
    return found, weights


@cache
def _simplex(k: int) -> tuple[Floats, Floats]:
    """Points (u, 1 − u), or (u, (1 − u)v, (1 − u)(1 − v)), and their weights.

    Gauss and Legendre's points in the angle of u = sin², in which √u is smooth.
    """
    s, w = np.polynomial.legendre.leggauss(_NODES)
    angle = np.pi * (s + 1) / 4
    x, w = np.sin(angle) ** 2, w * np.pi / 4 * np.sin(2 * angle)
    if k == 2:
        return np.column_stack([x, 1 - x]), w
    assert k == 3
    u, v = (grid.ravel() for grid in np.meshgrid(x, x))
    points = np.column_stack([u, (1 - u) * v, (1 - u) * (1 - v)])
    return points, np.outer(w, w).ravel() * (1 - u)
