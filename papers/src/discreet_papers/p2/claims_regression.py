"""P2 Appendix D: samples of regression weights, and what they are said to lose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from discreet.exact import Floats
from discreet_papers.p2.regression import cost, printed_cost
from discreet_papers.parts import Claim, Finding, Verdict

Pair: TypeAlias = tuple[float, float]  # a record (x, y) with one feature


def log_likelihood(record: Pair, w: Floats) -> Floats:
    """Of one record, σ = 1, up to a constant."""
    x, y = record
    return -((y - x * w) ** 2) / 2


def exact_loss(
    others: Sequence[tuple[Pair, int]], one: Pair, two: Pair, b: float, norm: float
) -> float:
    """The exact loss of a sample of one weight in [−norm, norm], when a record is replaced.

    The others are given with how often they occur; by the trapezoidal rule at 200,001 points.
    """
    w = np.linspace(-norm, norm, 200_001)
    shared = -b * w * w / 2 + sum(times * log_likelihood(record, w) for record, times in others)
    logs = [shared + log_likelihood(record, w) for record in (one, two)]
    normal = [_log_integral(log, w) for log in logs]
    return float(np.abs(logs[0] - normal[0] - logs[1] + normal[1]).max())


def _log_integral(log: Floats, w: Floats) -> float:
    top = float(log.max())
    return top + math.log(float(np.trapezoid(np.exp(log - top), w)))


def pinned_loss(norm: float, n: int) -> float:
    """The loss between (1, 1) and (1, −1) where n − 1 records (1, −norm) hold the weight at −norm.

    P2's prior for this norm, b = (10/norm)². It approaches what is proved as n grows.
    """
    return exact_loss([((1.0, -norm), n - 1)], (1.0, 1.0), (1.0, -1.0), (10 / norm) ** 2, norm)


def _conjugate() -> Finding:
    """Bayes' rule by quadrature against N(μ_n, Σ_n) cut off at ±B, both normalised."""
    x, y = np.array([0.9, -0.3, 0.6, 1.0, -0.8]), np.array([0.7, 0.1, 0.9, -0.2, -1.0])
    worst = 0.0
    for variance, precision, norm in ((1.0, 1.0, 1.0), (0.04, 25.0, 0.5), (0.3, 0.01, 10.0)):
        w = np.linspace(-norm, norm, 20_001)
        squares = ((y[:, None] - np.outer(x, w)) ** 2).sum(axis=0)
        logs = [-precision * w**2 / 2 - squares / (2 * variance)]
        whole = x @ x + variance * precision
        logs.append(-((w - x @ y / whole) ** 2) * whole / (2 * variance))
        one, two = (log - _log_integral(log, w) for log in logs)
        worst = max(worst, float(np.abs(one - two).max()))
    words = (
        "Bayes' rule by quadrature and the truncated normal density with P2's μ and Σ differ by "
        f"{worst:.0e} in the log, for five records and three choices of σ², Λ and norm bound."
    )
    return Finding(Verdict.of(worst < 1e-9), words, {"difference": worst})


def gradient(x: Floats, y: float, w: Floats) -> Floats:
    """Of −(y − w·x)²/2 in x and y: (r·w, −r), r = y − w·x."""
    rest = y - w @ x
    return np.append(rest * w, -rest)


def _gradient() -> Finding:
    x, y, w, step = np.array([0.6, -0.5]), 0.8, np.array([2.0, 1.0]), 1e-6
    point = np.append(x, y)
    ends = [[point + sign * step * axis for sign in (1, -1)] for axis in np.eye(3)]
    values = [[-((p[-1] - w @ p[:-1]) ** 2) / 2 for p in pair] for pair in ends]
    true = np.array([(up - down) / (2 * step) for up, down in values])
    printed = np.append((x * (w @ w) - y * w) / 2, (y - w @ x) / 2)
    apart = float(np.abs(true - printed).max())
    right = float(np.abs(true - gradient(x, y, w)).max())
    words = (
        "They should be (y − w·x)·w and −(y − w·x), over σ²: the factor ½ is wrong, the signs too, "
        "and x_j·‖w‖² stands for (w·x)·w_j. At x = (0.6, −0.5), y = 0.8, w = (2, 1), σ = 1 the "
        f"derivatives are {_listed(true)}, by differences; printed are {_listed(printed)}."
    )
    return Finding(
        Verdict.of(apart < 1e-6),
        words,
        {"largest_difference": apart, "corrected_difference": right},
    )


def _listed(values: Floats) -> str:
    return "(" + ", ".join(f"{x:.2f}" for x in values).replace("-", "−") + ")"


def _bound() -> Finding:
    n, norm, weights = 2, 10.0, 1
    bound = printed_cost(norm, n, weights) / 2
    one = float(np.linalg.norm(gradient(np.array([1.0]), -1.0, np.array([norm]))))
    largest = (1 + norm) * math.hypot(1, norm)
    enough = math.ceil((largest * n / bound) ** 2)  # √n·largest ≤ n·L₁
    holds = printed_cost(norm, enough, weights) / 2 >= math.sqrt(enough) * largest
    words = (
        f"For σ = 1, one weight w = {norm:g} and n = {n} records L is {bound:g}, but the gradient "
        f"in a single record has norm {one:.1f}, at x = 1, y = −1. In general it is at most "
        "(1 + B)·√(1 + B²)/σ² for one record, √n times as much for all, so that the factor n lets "
        f"L be a bound from n = {enough} on, for this w."
    )
    return Finding(
        Verdict.of(one <= bound, holds and math.isclose(one, largest)),
        words,
        {"bound": bound, "gradient": one, "records_needed": enough},
    )


def _charge() -> Finding:
    norm, b, near = 10.0, 1.0, 0.001
    one = (1.0, -1.0)
    apart = near * math.hypot(norm, 1) / norm  # along the gradient, into the bounds
    two = (1 - near, -1 + near / norm)
    loss = exact_loss([((0.0, 0.0), 1)], one, two, b, norm) / apart
    printed = {n: printed_cost(norm, n, 1) for n in (2, 2950)}
    most = 2 * (1 + norm) * math.hypot(1, norm)  # the record's gradient and the normaliser's
    enough = math.ceil(most / printed_cost(norm, 1, 1))
    ours = float(cost(Fraction(1)))
    words = (
        f"It is a loss for a unit of distance between the records. For σ = 1, one weight with "
        f"|w| ≤ {norm:g} and n = 2 records, 2L is {printed[2]:g}, and a small move of one record "
        f"loses {loss:.1f} times its length. From n = {enough} on the factor n, which has no place "
        f"there, makes up for it, and more and more: for n = 2,950 2L is {printed[2950]:,.0f}, "
        f"where any change of a record loses at most (1 + B)² = {ours:g}."
    )
    return Finding(
        Verdict.of(loss <= printed[2], loss <= most <= printed_cost(norm, enough, 1)),
        words,
        {
            "loss": loss,
            "printed_n2": printed[2],
            "printed_n2950": printed[2950],
            "records_needed": enough,
            "proved": ours,
        },
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p2-lemma-d1",
        "Lemma D.1",
        "A truncated normal prior of the weights is conjugate: the posterior is normal with the "
        "usual mean and covariance, truncated.",
        _conjugate,
    ),
    Claim(
        "p2-appendix-d-gradient",
        "Appendix D",
        "The log-likelihood of a record has the derivatives (x_j·wᵀw − y·w_j)/2σ² in x_j and "
        "(y − w·x)/2σ² in y.",
        _gradient,
        "E14",
    ),
    Claim(
        "p2-appendix-d-bound",
        "Appendix D",
        "The gradient of the log-likelihood in the data has norm at most "
        "L = n(1 + 2‖w‖₁ + d‖w‖₂)/2σ², if ‖x‖ ≤ 1 and |y| ≤ 1.",
        _bound,
        "E14",
    ),
    Claim(
        "p2-appendix-d-privacy",
        "Appendix D",
        "A sample of the posterior of the weights is 2L-private.",
        _charge,
        "E14",
    ),
)
