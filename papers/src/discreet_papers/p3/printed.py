"""The numbers that P3 prints."""

from __future__ import annotations

from functools import partial

from discreet.divergence import hellinger
from discreet.divergence.sensitivity import (
    global_sensitivity,
    local_sensitivity,
    smooth_sensitivity,
)
from discreet.exact import compositions
from discreet_papers.p1.laws import smoothness
from discreet_papers.p3.cases import DIRICHLET
from discreet_papers.parts import Printed
from discreet_papers.settings import model

GLOBAL = "0.239992747797"
RATES = {100: "0.0699407108115", 120: "0.0677791100173", 150: "0.0677791100173"}  # γ by n
_PLACES = {100: "Figure 3 (a)", 120: "Figure 3 (b)", 150: "Figure 4"}


def step_from_prior() -> float:
    """√(1 − w(7)·w(3)), the distance of DL(7, 4, 5) and DL(8, 3, 5)."""
    return float(hellinger([7, 4, 5], [8, 3, 5]))


def _balanced(n: int) -> tuple[int, ...]:
    """The paper does not give its data: ours in Figures 3 and 4."""
    return n // 3, n // 3, n - 2 * (n // 3)


def _local(n: int) -> float:
    return local_sensitivity(model(DIRICHLET), _balanced(n))


def _smooth(n: int) -> float:
    """With the printed γ."""
    gamma = float(RATES[n])
    return smooth_sensitivity(model(DIRICHLET), _balanced(n), gamma, "exponential")


def _right_rate(n: int) -> float:
    return smoothness(compositions.count(n, 3))


_GLOBAL_REASON = (
    "the printed number is the step from the prior to DL(8, 3, 5); the largest step that data "
    "allow is √(1 − w(4)·w(5))"
)
_RATE_REASON = "γ needs the number of posteriors, C(n+2, 2), and the printed one has n"
_DATA_REASON = "the paper does not give its data, on which it depends; ours is at balanced data"
_SMOOTH_REASON = (
    "the paper does not give its data; with its γ the smooth sensitivity is the local one at "
    "balanced data and at all counts that have the printed local sensitivity"
)

LOCAL = {
    n: Printed(
        "p3",
        f"{_PLACES[n]}, local sensitivity, at balanced data",
        text,
        partial(_local, n),
        None if n == 100 else _DATA_REASON,
    )
    for n, text in {100: "0.08", 120: "0.0945", 150: "0.0945"}.items()
}
SMOOTH = {
    n: Printed(
        "p3",
        f"{_PLACES[n]}, smooth sensitivity, at balanced data",
        text,
        partial(_smooth, n),
        _SMOOTH_REASON,
    )
    for n, text in {100: "0.09", 120: "0.096", 150: "0.096"}.items()
}

PRINTED: tuple[Printed, ...] = (
    Printed(
        "p3",
        "Figures 3 and 4, global sensitivity, as √(1 − w(7)·w(3))",
        GLOBAL,
        step_from_prior,
    ),
    Printed(
        "p3",
        "Figures 3 and 4, global sensitivity of DL(7, 4, 5)",
        GLOBAL,
        partial(global_sensitivity, model(DIRICHLET), 100),
        _GLOBAL_REASON,
    ),
    *(
        Printed("p3", f"{_PLACES[n]}, γ, with n for |R|", RATES[n], partial(smoothness, n))
        for n in (100, 120)
    ),
    Printed(
        "p3",
        "Figure 4, γ, with n for |R|",
        RATES[150],
        partial(smoothness, 150),
        "the caption repeats the value for n = 120 at n = 150",
    ),
    *(
        Printed("p3", f"{_PLACES[n]}, γ", text, partial(_right_rate, n), _RATE_REASON)
        for n, text in RATES.items()
    ),
    *LOCAL.values(),
    *SMOOTH.values(),
)
