"""P0 §7.1.1, Figure 3: ε = 5."""

from __future__ import annotations

from discreet_papers.p0.summaries import FIGURE_3, exact, mean
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import P0_MECHANISMS

_SIZES = (1000, 10000)
_ALIKE = 1.2
_LAPLACE = ("ls_dim", "ls_hist")


def _ehds_exact() -> Finding:
    measured = {
        f"{x}_n{sum(c)}": exact(x, c, 5) for c in FIGURE_3 for x in ("ehds", *_LAPLACE, "lattice")
    }
    ehds = {n: measured[f"ehds_n{n}"] for n in _SIZES}
    floored = all(ehds[n] > measured[f"{x}_n{n}"] for n in _SIZES for x in _LAPLACE)
    integer = all(ehds[n] > measured[f"lattice_n{n}"] for n in _SIZES)
    words = (
        f"With noise rounded down as in Algorithms 1 and 2: {measured['ehds_n1000']:.4f} against "
        f"{measured['ls_hist_n1000']:.4f} and {measured['ls_dim_n1000']:.4f} at n = 1,000. The "
        "rounding is the reason, as after it no probability can pass ½; integer Laplace noise, the "
        f"lattice mechanism, has {measured['lattice_n1000']:.4f}."
    )
    return Finding(Verdict.of(floored and integer, floored), words, measured)


def _ehds_mean() -> Finding:
    measured = {f"{x}_n{sum(c)}": mean(x, c, 5) for c in FIGURE_3 for x in ("ehds", *_LAPLACE)}
    best = all(measured[f"ehds_n{n}"] <= measured[f"{x}_n{n}"] for n in _SIZES for x in _LAPLACE)
    words = (
        f"Its mean error is larger than that of both Laplace mechanisms: "
        f"{measured['ehds_n1000']:.4f} against {measured['ls_dim_n1000']:.4f} (LSDim) and "
        f"{measured['ls_hist_n1000']:.4f} (LSHist) at n = 1,000, "
        f"{measured['ehds_n10000']:.4f} against {measured['ls_dim_n10000']:.4f} and "
        f"{measured['ls_hist_n10000']:.4f} at n = 10,000."
    )
    return Finding(Verdict.of(best), words, measured)


def _ehdl() -> Finding:
    best = all(
        exact("ehdl", c, 5) >= exact(x, c, 5) and mean("ehdl", c, 5) <= mean(x, c, 5)
        for c in FIGURE_3
        for x in P0_MECHANISMS
    )
    counts = FIGURE_3[0]
    measured = {
        "exact": exact("ehdl", counts, 5),
        "mean": mean("ehdl", counts, 5),
        "lattice_exact": exact("lattice", counts, 5),
    }
    words = (
        f"Among the paper's mechanisms: {measured['exact']:.4f} on the exact posterior and mean "
        f"error {measured['mean']:.4f} at n = 1,000. The lattice mechanism, which is private, has "
        f"{measured['lattice_exact']:.4f} on it."
    )
    return Finding(Verdict.of(best), words, measured)


def _laplace_alike() -> Finding:
    by_exact = max(exact("ls_hist", c, 5) / exact("ls_dim", c, 5) for c in FIGURE_3)
    by_mean = max(mean("ls_dim", c, 5) / mean("ls_hist", c, 5) for c in FIGURE_3)
    words = (
        f"LSHist is likelier to release the exact posterior by a factor of {by_exact:.2f}, and the "
        f"mean error of LSDim is {by_mean:.2f} times LSHist's: rounding down keeps both near ½ "
        f"(alike: within a factor of {_ALIKE})."
    )
    measured = {"exact_ratio": by_exact, "mean_ratio": by_mean}
    return Finding(Verdict.of(max(by_exact, by_mean) < _ALIKE), words, measured)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p0-fig3-ehds",
        "§7.1.1, Figure 3",
        "At ε = 5 EHDS releases the exact posterior more often than Laplace noise does.",
        _ehds_exact,
        "E6",
    ),
    Claim(
        "p0-fig3-mean",
        "§7.1.1, Figure 3",
        "EHDS is the most accurate private mechanism at ε = 5.",
        _ehds_mean,
        implied=True,
    ),
    Claim(
        "p0-fig3-ehdl",
        "§7.1.1, Figure 3",
        "At ε = 5 EHDL is the most accurate of the five.",
        _ehdl,
    ),
    Claim(
        "p0-fig3-laplace-alike",
        "§7.1.1, Figure 3",
        "At ε = 5 LSDim and LSHist perform alike.",
        _laplace_alike,
    ),
)
