"""P2 §3.1 and Appendix A: Algorithm 1, noise on the updates."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet import divergence
from discreet.core.tables import Tables
from discreet.exact import Floats
from discreet.families.network import bounds
from discreet_papers.p2.brute_force import (
    COLLIDER,
    FORK,
    PAIR,
    binary,
    cut_law,
    noise_loss,
)
from discreet_papers.parts import Cell, Claim, Finding, Verdict

_ROUNDING = 1e-9
_DELTA = 0.05


def _lemma_1() -> Finding:
    found: dict[str, Cell] = {}
    as_said = private = True
    for name, net in {"arc": PAIR, "fork": FORK, "collider": COLLIDER}.items():
        nodes = len(net.nodes)
        change, loss = noise_loss(net, 2, Fraction(1, 2 * nodes))
        as_said &= change == 2 * nodes
        private &= loss <= 1 + _ROUNDING
        found |= {f"sensitivity_{name}": change, f"loss_{name}": loss}
    words = (
        "By brute force over all data of two records: replacing a record changes the counts by "
        f"{found['sensitivity_arc']}, {found['sensitivity_fork']} and "
        f"{found['sensitivity_collider']} at most for an arc, a fork and a collider of two and "
        f"three nodes, which is 2|I|, and at ε = 1 the exact loss after cutting to [0, n] is "
        f"{found['loss_arc']:.4f}, {found['loss_fork']:.4f} and {found['loss_collider']:.4f}."
    )
    return Finding(Verdict.of(as_said and private), words, found)


def some_exceeds(rate: float, z: float, number: int) -> float:
    """P(max |X| > z) of independent discrete Laplace noise."""
    one = 2 * math.exp(-rate * (math.floor(z) + 1)) / (1 + math.exp(-rate))
    return -math.expm1(number * math.log1p(-one))


def _proposition_1() -> Finding:
    one = binary(a="")
    printed = 2 / 8 * math.log(2 / _DELTA)
    missed = some_exceeds(4, printed, 2)
    laplace = -math.expm1(2 * math.log1p(-math.exp(-4 * printed)))
    worst = 0.0
    for net in (one, PAIR, COLLIDER):
        for epsilon in (0.1, 1.0, 8.0, 30.0):
            z = bounds.largest_update_error(net, epsilon, _DELTA)
            worst = max(worst, some_exceeds(epsilon / (2 * len(net.nodes)), z, net.size))
    held = worst <= _DELTA
    words = (
        f"For Laplace noise; for whole-number noise the right side has to be rounded up. One node, "
        f"ε = 8, δ = {_DELTA}: the bound is {printed:.3f}, and an update errs by more with "
        f"probability {missed:.4f} (Laplace noise: {laplace:.4f}). Rounded up it is missed with "
        f"probability {worst:.4f} at most in 12 settings."
    )
    return Finding(
        Verdict.of(missed <= _DELTA, held and laplace <= _DELTA),
        words,
        {"printed": printed, "missed": missed, "missed_laplace": laplace, "rounded_up": worst},
    )


def divergences(
    alpha: float, counts: tuple[int, int], n: int, within: slice = slice(None)
) -> Floats:
    """KL(exact posterior ‖ released posterior) of a row for all released counts in [0, n]²."""
    values = np.arange(n + 1)[within]
    released = np.stack(np.meshgrid(values, values, indexing="ij"), axis=-1)
    exact = np.add(float(alpha), counts)
    return np.asarray(divergence.kl(exact, alpha + released.astype(np.float64)))


def _deviation() -> Finding:
    n, alpha, scale = 400, 2, 1e6
    one, other = cut_law(0, n, scale), cut_law(n, n, scale)
    found = divergences(alpha, (0, n), n)
    mean = float(one @ found @ other)
    printed = math.sqrt((2 * n + 1) * math.log(2 * (alpha + n + 1)) * -math.log(_DELTA) / 2)
    missed = float(one @ (found >= mean + printed) @ other)
    net, counted = binary(2, a=""), Tables((("a",),), ((0, n),))
    corrected = bounds.probable_divergence(net, counted, _DELTA)
    held = float(one @ (found >= corrected) @ other)
    words = (
        f"Counts (0, {n}), prior Beta(2, 2), very large noise, δ = {_DELTA}: the mean divergence "
        f"is {mean:.0f}, the deviation as printed {printed:.0f}, and the divergence exceeds their "
        f"sum with probability {missed:.2f}. McDiarmid's inequality has the squares, √(½Σc²·"
        f"ln(1/δ)), and c = (2n+1)(ln(α+n+1) + ln(β+n+1)); then, with α, β ≥ 2, the probability "
        f"is {held:.2f} (bound {corrected:.0f})."
    )
    return Finding(
        Verdict.of(missed <= _DELTA, held <= _DELTA),
        words,
        {"mean": mean, "printed": printed, "missed": missed, "corrected_missed": held},
    )


def _refined() -> Finding:
    n, scale, alpha = 1000, 2, 2
    within = slice(n // 2 - 60, n // 2 + 61)  # all but 1e-13 of the noise
    law = cut_law(n // 2, n, scale)[within]
    mean = float(law @ divergences(alpha, (n // 2, n // 2), n, within) @ law)
    refined = 2 * math.log(alpha + n + 1) * n / 2 * math.exp(-n / scale)
    words = (
        f"500 and 500 records, prior Beta(2, 2), noise of scale {scale}: the mean divergence is "
        f"{mean:.4f}, the bound {refined:.0e}."
    )
    return Finding(Verdict.of(mean <= refined), words, {"mean": mean, "bound": refined})


def _mean_bound() -> Finding:
    n = 10
    law = cut_law(0, n, 10)
    empty = float(law @ divergences(1, (0, 0), n) @ law)
    largest, bound = {}, {}
    for counts in ((0, 400), (200, 200)):
        largest[counts] = float(divergences(2, counts, 400).max())
        bound[counts] = 400 * math.log((2 + counts[0]) * (2 + counts[1]))
    held = all(largest[c] <= bound[c] for c in bound)
    ratios = [largest[c] / bound[c] for c in bound]
    words = (
        "For α, β ≥ 2, which the proof assumes; not for the uniform prior of P2's experiments: "
        f"a row without records, n = {n}, noise of scale 10, has mean divergence {empty:.2f} where "
        "U is 0. With α = β = 2 U bounds not only the mean but the divergence itself, whatever "
        f"counts in [0, n] are released: for (0, 400) and (200, 200) the largest is "
        f"{ratios[0]:.2f} and {ratios[1]:.2f} of it. So it says nothing about the noise."
    )
    return Finding(
        Verdict.of(empty <= 0 and held, held),
        words,
        {"empty_row": empty, "share_uneven": ratios[0], "share_even": ratios[1]},
    )


def _shape() -> Finding:
    n, alpha = 400, 2
    found = divergences(alpha, (0, n), n)
    most = n * math.log(alpha * (alpha + n))
    deviation = math.sqrt((2 * n + 1) * math.log(2 * (alpha + n + 1)) * -math.log(_DELTA) / 2)
    means, sums = [], []
    for scale in (1e6, 10):
        one, other = cut_law(0, n, scale), cut_law(n, n, scale)
        means.append(float(one @ found @ other))
        sums.append(-most * math.expm1(-n / scale) + deviation)
    words = (
        f"Its first term falls as ε does, and vanishes at ε = 0, where the noise is endless. With "
        f"the theorem's own constants, counts (0, {n}) and prior Beta(2, 2) it is {sums[0]:.0f} at "
        f"ε = 2e-6 and {sums[1]:.0f} at ε = 0.2; the mean divergence is {means[0]:.0f} and "
        f"{means[1]:.1f}."
    )
    return Finding(
        Verdict.of(all(m <= s for m, s in zip(means, sums, strict=True))),
        words,
        {"mean_0": means[0], "bound_0": sums[0], "mean_0.2": means[1], "bound_0.2": sums[1]},
    )


def _mean_update() -> Finding:
    n, count, scale = 10, 10, 10.0
    printed = (
        count
        + scale / 2 * math.exp(-count / scale)
        + (n - scale) / 2 * math.exp((count - n) / scale)
    )
    right = count + scale / 2 * (math.exp(-count / scale) - math.exp((count - n) / scale))
    words = (
        f"It counts the probability of Z = n twice. For a count of {count}, n = {n} and noise of "
        f"scale {scale:g} it is {printed:.2f}, more than the n at which updates are cut off; with "
        f"−b/2 in place of (n − b)/2 in the last term it is {right:.2f}."
    )
    return Finding(Verdict.of(printed <= n), words, {"printed": printed, "right": right})


def _lemma_a3() -> Finding:
    released = (3, 3)
    found = float(divergences(2, (0, 0), 3)[released])
    bound = -sum(z * math.log(2 - 1) for z in released)
    words = (
        f"A row without records, prior Beta(2, 2), released updates {released}: the divergence is "
        f"{found:.3f} and the right side {abs(bound):.0f}. The proof of Theorem 1 rests on it."
    )
    return Finding(Verdict.of(found <= bound), words, {"divergence": found, "bound": abs(bound)})


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p2-lemma-1",
        "Lemma 1, Corollary 1",
        "Replacing a record changes the updates by at most 2|I| in l1, so that Algorithm 1 is "
        "ε-private.",
        _lemma_1,
    ),
    Claim(
        "p2-proposition-1",
        "Proposition 1",
        "With probability 1 − δ no update errs by more than (2|I|/ε)·ln(2m/δ).",
        _proposition_1,
    ),
    Claim(
        "p2-theorem-1-deviation",
        "Theorem 1",
        "The divergence exceeds its mean by √(½Σc·ln(1/δ)) with probability δ at most, "
        "c = (2n+1)·ln(α+n+1 + β+n+1).",
        _deviation,
        "E15",
    ),
    Claim(
        "p2-theorem-1-mean",
        "Theorem 1",
        "The mean divergence of a row is at most U = n·ln((α+Δα)(β+Δβ)).",
        _mean_bound,
        "E15",
    ),
    Claim(
        "p2-theorem-1-refined",
        "Theorem 1",
        "For n ≥ 2|I|/ε the mean is at most ln[(α+n+1)(β+n+1)]·(n/2)·e^{−nε/(2|I|)}.",
        _refined,
        "E15",
    ),
    Claim(
        "p2-theorem-1-shape",
        "Theorem 1, Table 1",
        "The divergence is at most O(mn·ln n)(1 − e^{−nε/(2|I|)}) + √(O(mn·ln n)·ln(1/δ)) with "
        "probability 1 − δ.",
        _shape,
        "E15",
    ),
    Claim(
        "p2-lemma-a3",
        "Lemma A.3",
        "The divergence of a row is at most Δα·ln(α+Δα) + Δβ·ln(β+Δβ) − Z¹·ln(α+Δα−1) − "
        "Z²·ln(β+Δβ−1).",
        _lemma_a3,
    ),
    Claim(
        "p2-mean-update",
        "Appendix A.2",
        "An update cut to [0, n] has the mean Δα + (b/2)·e^{−Δα/b} + ((n−b)/2)·e^{(Δα−n)/b}.",
        _mean_update,
    ),
)
