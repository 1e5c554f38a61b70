"""What P1 claims about size, dimension, prior and variance."""

from __future__ import annotations

import math
from itertools import pairwise

from discreet_papers.p1.laws import EPSILON, FORTY, usual
from discreet_papers.p1.studies import measured as study
from discreet_papers.parts import Cell, Claim, Finding, Verdict

_RATE = 0.15  # from −(m−1) that a power of n may be off


def _size() -> Finding:
    sizes = {2: (100, 400, 1600), 3: (60, 150, 600)}  # by the number of categories m
    good = {
        (label, m): [study(label, (n // m,) * m)[1] for n in sizes[m]]
        for label in ("ehd", "smooth_hellinger")
        for m in sizes
    }
    powers = {
        (label, m): math.log(p[-1] / p[-2]) / math.log(sizes[m][-1] / sizes[m][-2])
        for (label, m), p in good.items()
    }
    smooth = [good["smooth_hellinger", m] for m in sizes]
    falls = all(a > b for p in smooth for a, b in pairwise(p))
    at_rate = all(abs(powers["smooth_hellinger", m] + m - 1) < _RATE for m in sizes)
    few = study("smooth_hellinger", (3, 3, 3))[1]
    truth = usual("smooth_hellinger", (800, 800)).law((800, 800)).probability((800, 800))
    two, three = (", ".join(f"{x:.4f}" for x in p) for p in smooth)
    power_2, power_3 = (f"{powers['ehd', m]:.2f}".replace("-", "−") for m in sizes)
    words = (
        f"M_H's grows: {two} for balanced data of 100, 400 and 1,600 records (m = 2), {three} for "
        f"60, 150 and 600 (m = 3, after a fall from {few:.4f} at 9), because its sensitivity falls "
        f"with n; for m = 2 its probability of the truth tends to tanh(ε/4) = "
        f"{math.tanh(EPSILON / 4):.4f} ({truth:.4f} at 1,600). "
        f"It is true of EHD, whose falls like n to the power {power_2} and {power_3} (we asked for "
        f"−1 and −2 within {_RATE})."
    )
    found: dict[str, Cell] = {"truth_smooth_hellinger_1600": truth, "smooth_hellinger_m3_9": few}
    for (label, m), p in good.items():
        found |= {f"{label}_m{m}_{n}": x for n, x in zip(sizes[m], p, strict=True)}
        found[f"{label}_m{m}_power"] = powers[label, m]
    return Finding(Verdict.of(falls and at_rate, falls), words, found)


def _laplace_size() -> Finding:
    sizes = (40, 100, 400, 1600)
    good = [study("ls_dim", (n // 2, n // 2))[1] for n in sizes]
    names = {2: "ls_dim", 3: "ls_hist", 4: "ls_hist"}  # those with scale 2/ε
    truth = {
        k: usual(label, (20,) * k).law((20,) * k).probability((20,) * k)
        for k, label in names.items()
    }
    constant = max(good) - min(good) < 1e-6
    little = truth[4] > 0.9 * truth[2]
    words = (
        f"Constant in the number of records ({good[0]:.4f} for at most three steps, LSDim, from "
        f"{sizes[0]} to {sizes[-1]}), but not in the dimension: with scale 2/ε and 20 records per "
        f"category the truth has {truth[2]:.4f}, {truth[3]:.4f} and {truth[4]:.4f} for 2, 3 and 4 "
        "categories (we asked for 0.9 of the first)."
    )
    found: dict[str, Cell] = {f"good_{n}": p for n, p in zip(sizes, good, strict=True)}
    found |= {f"truth_k{k}": p for k, p in truth.items()}
    return Finding(Verdict.of(constant and little, constant), words, found)


def _prior() -> Finding:
    strengths = (1, 10, 50, 200)
    means = {
        label: [study(label, FORTY, a)[0] for a in strengths]
        for label in ("smooth_hellinger", "ls_dim", "ls_hist")
    }
    smooth, laplace = means["smooth_hellinger"], means["ls_dim"]
    gains = all(a > b for a, b in pairwise(smooth))
    same = laplace[-1] > 0.95 * laplace[0]
    words = (
        f"A stronger prior helps M_H: its mean error at (20, 20) goes from {smooth[0]:.4f} with "
        f"Beta(1, 1) to {smooth[-1]:.4f} with Beta(200, 200). It helps Laplace noise as well, "
        f"{laplace[0]:.4f} to {laplace[-1]:.4f} (LSDim): the noise stays the same, but moves a "
        "strong posterior less (nothing: at least 0.95 of the first)."
    )
    found: dict[str, Cell] = {
        f"{label}_{a}": mean
        for label, values in means.items()
        for a, mean in zip(strengths, values, strict=True)
    }
    return Finding(Verdict.of(gains and same, gains), words, found)


def _variance() -> Finding:
    ones = (0, 1, 2, 4, 8, 12, 16, 20)
    labels = ("smooth_hellinger", "ehd", "ehds", "ehdl")
    means = {label: [study(label, (x, 40 - x))[0] for x in ones] for label in labels}
    falls = all(a > b for values in means.values() for a, b in pairwise(values))
    ends = ", ".join(
        f"{name} {means[label][0]:.3f} to {means[label][-1]:.3f}"
        for name, label in (("M_H", labels[0]), ("EHD", "ehd"), ("EHDS", "ehds"), ("EHDL", "ehdl"))
    )
    words = (
        f"The mean error falls all the way from 0 to 20 ones among 40: {ends}. (P1 speaks of "
        "small variance; of zeros and ones, balanced data have the largest.)"
    )
    found: dict[str, Cell] = {
        f"{label}_{x}": mean
        for label, values in means.items()
        for x, mean in zip(ones, values, strict=True)
    }
    return Finding(Verdict.of(falls), words, found)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p1-size",
        "§3.4.1",
        "M_H's probability of at most three steps falls with the number of candidates, like one "
        "over n to the power m − 1.",
        _size,
    ),
    Claim(
        "p1-laplace-size",
        "§3.4.1",
        "Laplace's probability of good answers hardly changes, however large the candidate set.",
        _laplace_size,
    ),
    Claim(
        "p1-prior",
        "§3.4.2",
        "A stronger prior makes the exponential mechanism more accurate and does nothing for "
        "Laplace, whose sensitivity is fixed.",
        _prior,
    ),
    Claim(
        "p1-variance",
        "§3.4.3",
        "The exponential mechanism is more accurate on balanced data.",
        _variance,
    ),
)
