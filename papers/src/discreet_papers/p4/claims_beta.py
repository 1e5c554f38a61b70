"""P4 §6.2 and §6.3: noise on the parameters of a Beta posterior, and distances between two."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from discreet.divergence.sensitivity import Distance, step
from discreet.exact import balls
from discreet_papers.parts import Claim, Finding, Verdict

_GRID = tuple(Fraction(i, 20) for i in (1, 2, 5, 8, 10, 15, 18, 20, 25, 40, 100, 400, 2000))


def apart(a: Fraction, b: Fraction, distance: Distance = "hellinger") -> float:
    """Between the posteriors Beta(a + 1, b) and Beta(a, b + 1) of one record."""
    return balls.nearest(partial(step, a, b, distance))


def largest_below(limit: float, distance: Distance) -> float:
    """The a = b from which on the distance is within the limit, by bisection."""
    low, high = Fraction(1, 100), Fraction(2)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if apart(middle, middle, distance) > limit else (low, middle)
    return float(high)


def _lemma_6_1() -> Finding:
    bound = math.sqrt(1 - math.pi / 4)
    half, least = Fraction(1, 2), apart(_GRID[0], _GRID[0])
    found = {(a, b): apart(a, b) for a, b in product(_GRID, repeat=2)}
    slack = 1 + 1e-12  # attained at a = b = 1
    ends = max(value for pair, value in found.items() if min(pair) >= 1)
    jeffreys = apart(half, half)
    words = (
        f"√(1 − π/4) = {bound:.4f} is attained at a = b = 1 and holds for a, b ≥ 1, on a grid up "
        f"to {float(_GRID[-1]):g}. Jeffreys' prior, a = b = ½, has {jeffreys:.4f}, and a = b = "
        f"{float(_GRID[0]):g} has {least:.4f}. In general it is √(1 − w(a)·w(b)), "
        "w(x) = Γ(x + ½)/(Γ(x)·√x)."
    )
    return Finding(
        Verdict.of(max(found.values()) <= bound * slack, ends <= bound * slack),
        words,
        {"bound": bound, "jeffreys": jeffreys, "largest_from_1": ends, "smallest_prior": least},
    )


def _lemma_6_2() -> Finding:
    bound = math.sqrt(2 * (1 - math.pi / 4))
    found = {(a, b): apart(a, b, "total_variation") for a, b in product(_GRID, repeat=2)}
    from_one = max(value for pair, value in found.items() if min(pair) >= 1)
    one, start = found[Fraction(1), Fraction(1)], largest_below(bound, "total_variation")
    words = (
        f"√(2(1 − π/4)) = {bound:.4f} holds for a, b ≥ 1, where the largest distance is "
        f"{from_one:.4f}, and for a = b from {start:.4f} on; below it is false: "
        f"{found[_GRID[0], _GRID[0]]:.4f} at a = b = {float(_GRID[0]):g}."
    )
    return Finding(
        Verdict.of(max(found.values()) <= bound, from_one <= bound),
        words,
        {
            "bound": bound,
            "at_one": one,
            "largest_from_1": from_one,
            "holds_from": start,
            "smallest_prior": found[_GRID[0], _GRID[0]],
        },
    )


def _beta_output() -> Finding:
    """The densities of Laplace noise of scale 1 around (2, 1) and (1, 2), on a grid."""
    x = np.linspace(-10, 10, 401)
    one, two = (-np.add.outer(np.abs(x - a), np.abs(x - b)) for a, b in ((2, 1), (1, 2)))
    loss = float(np.abs(one - two).max())
    negative = math.exp(-1) / 2  # P(1 + noise ≤ 0)
    words = (
        f"At ε = 1 the log densities around Beta(2, 1) and Beta(1, 2) differ by {loss:g} at most. "
        "But a released parameter can be negative, and then there is no posterior: a parameter of "
        f"1, of a uniform prior and no record, becomes 0 or less with probability {negative:.3f}."
    )
    return Finding(
        Verdict.of(loss <= 2 + 1e-12 and negative == 0, loss <= 2 + 1e-12),
        words,
        {"loss": loss, "not_positive": negative},
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p4-beta-output",
        "§6.2",
        "Laplace noise of scale 1/ε on both parameters of a Beta posterior is 2ε-private, and "
        "releases a Beta posterior.",
        _beta_output,
        "E21",
    ),
    Claim(
        "p4-lemma-6-1",
        "Lemma 6.1",
        "For all a, b > 0 one record moves a posterior of the prior Beta(a, b) by a Hellinger "
        "distance of at most √(1 − π/4).",
        _lemma_6_1,
        "E13",
    ),
    Claim(
        "p4-lemma-6-2",
        "Lemma 6.2",
        "For all a, b > 0 one record moves a posterior of the prior Beta(a, b) by at most "
        "√(2(1 − π/4)) in statistical distance.",
        _lemma_6_2,
        "E16",
    ),
)
