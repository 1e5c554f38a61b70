"""P0 §6.1 and §8: the probabilities of Laplace noise, and that they are fixed."""

from __future__ import annotations

from discreet_papers.p0 import formulas
from discreet_papers.p0.printed import LSDIM, LSHIST, noise
from discreet_papers.parts import Claim, Finding, Printed, Verdict
from discreet_papers.settings import made

_SIZES = (20, 100, 600, 2000)


def _floor() -> Finding:
    steps = range(-60, 61)
    found = {t: noise("ls_hist", t, epsilon=5) for t in steps}
    mean = sum(t * p for t, p in found.items())
    integer = made("lattice", (1, 1), 600, 5).law((300, 300)).probability((300, 300))
    words = (
        f"Rounding down lowers the noise by {-mean:.4f} on average and makes −1 as likely as 0. At "
        f"ε = 5 LSHist then has {found[0]:.4f} on each, where integer noise of the same scale has "
        f"{integer:.4f} on 0."
    )
    measured = {"mean": mean, "p_0": found[0], "p_minus_1": found[-1], "integer_noise_p_0": integer}
    return Finding(Verdict.of(abs(mean) < 1e-6 and found[0] > found[-1]), words, measured)


def _numbers(label: str, printed: tuple[Printed, ...]) -> Finding:
    more = [noise(label, t) for t in range(3)]
    off = [noise(label, *{t, -t}) for t in range(3)]
    one_side = [number.agrees(x) for number, x in zip(printed, more, strict=True)]
    both_sides = [number.agrees(x) for number, x in zip(printed, off, strict=True)]
    words = (
        f"{sum(one_side)} of {len(one_side)} agree to the last printed digit as probabilities of "
        "0, 1 and 2 records more, one side only. As many records less are as far from balanced "
        f"data: 1 and 2 records off to either side have {off[1]:.4f} and {off[2]:.4f}."
    )
    measured = {f"t{t}": x for t, x in enumerate(more)}
    measured |= {f"both_sides_t{t}": x for t, x in enumerate(off)}
    return Finding(Verdict.of(all(one_side) and all(both_sides), all(one_side)), words, measured)


def _lsdim_numbers() -> Finding:
    return _numbers("ls_dim", LSDIM)


def _lshist_numbers() -> Finding:
    return _numbers("ls_hist", LSHIST)


def _lshist_formula() -> Finding:
    halved = [formulas.floored(t, 0.5) for t in range(3)]
    whole = [formulas.floored(t, 1.0) for t in range(3)]
    stated = all(number.agrees(x) for number, x in zip(LSHIST, halved, strict=True))
    right = all(number.agrees(x) for number, x in zip(LSHIST, whole, strict=True))
    words = (
        f"At ε = 1 the formula gives {halved[0]:.4f}, {halved[1]:.4f}, {halved[2]:.4f}, the "
        f"numbers of LSDim; with ε for ε/2 it gives those printed for LSHist, {whole[0]:.4f}, "
        f"{whole[1]:.4f}, {whole[2]:.4f}. ε/2 belongs to three or more categories."
    )
    measured = {"half_t0": halved[0], "whole_t0": whole[0], "whole_gives_the_numbers": right}
    return Finding(Verdict.of(stated), words, measured)


def _exact_posterior(label: str, counts: tuple[int, int], prior: float = 1) -> float:
    """The probability that the exact posterior is released at ε = 1."""
    return made(label, (prior, prior), sum(counts), 1).law(counts).probability(counts)


def _fixed() -> Finding:
    measured: dict[str, float] = {}
    inside, everywhere = True, True
    for label in ("ls_dim", "ls_hist"):
        middle = [
            _exact_posterior(label, (n // 2, n // 2), prior) for n in _SIZES for prior in (1, 10)
        ]
        edge = _exact_posterior(label, (0, 600))
        inside &= max(middle) - min(middle) < 1e-12
        everywhere &= abs(edge - middle[0]) < 1e-12
        measured |= {f"{label}_inside": middle[0], f"{label}_no_ones": edge}
    words = (
        f"For counts off the ends: {measured['ls_dim_inside']:.4f} (LSDim) and "
        f"{measured['ls_hist_inside']:.4f} (LSHist) at ε = 1, n = 20 to 2,000, priors 1 and 10. "
        f"Where all records are alike, clipping makes it {measured['ls_dim_no_ones']:.4f} and "
        f"{measured['ls_hist_no_ones']:.4f}."
    )
    return Finding(Verdict.of(inside and everywhere, inside), words, measured)


def _vary() -> Finding:
    measured = {
        f"{label}_n{n}": _exact_posterior(label, (n // 2, n // 2))
        for label in ("ehd", "ehds")
        for n in _SIZES
    }
    shown = {
        label: ", ".join(f"{measured[f'{label}_n{n}']:.4f}" for n in _SIZES)
        for label in ("ehd", "ehds")
    }
    spread = min(
        max(values) / min(values)
        for values in ([measured[f"{x}_n{n}"] for n in _SIZES] for x in ("ehd", "ehds"))
    )
    words = (
        f"The exact posterior at ε = 1, balanced, n = 20, 100, 600, 2,000: EHD {shown['ehd']}; "
        f"EHDS {shown['ehds']}. The largest is at least {spread:.2f} times the smallest (we asked "
        "for 1.1)."
    )
    return Finding(Verdict.of(spread > 1.1), words, {**measured, "least_ratio": spread})


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p0-floor-bias",
        "Algorithms 1, 2",
        "Rounded down, Laplace noise is still noise around the true count.",
        _floor,
        "E4",
        implied=True,
    ),
    Claim(
        "p0-lsdim-numbers",
        "§6.1.1, Table 1",
        "LSDim releases a posterior at distance c(0), c(1) and c(2) with the three printed "
        "probabilities, at ε = 1.",
        _lsdim_numbers,
        "E18",
    ),
    Claim(
        "p0-lshist-formula",
        "§6.1.2",
        "The probabilities of LSHist for the Beta-binomial model have ε/2 in the exponent.",
        _lshist_formula,
        "E3",
    ),
    Claim(
        "p0-lshist-numbers",
        "§6.1.2, Table 1",
        "LSHist releases a posterior at distance c(0), c(1) and c(2) with the three printed "
        "probabilities, at ε = 1.",
        _lshist_numbers,
        "E18",
    ),
    Claim(
        "p0-laplace-fixed",
        "§6.3, §8",
        "The Laplace mechanisms release the exact posterior with a probability that does not "
        "depend on the data size or the prior.",
        _fixed,
    ),
    Claim(
        "p0-hellinger-varies",
        "§8",
        "Hellinger mechanisms release the exact posterior with a probability that varies with the "
        "data size.",
        _vary,
    ),
)
