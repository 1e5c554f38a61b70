"""P0 §7.1.1, Figure 2, and what is said of Figures 2 and 3 alike."""

from __future__ import annotations

from functools import partial

from discreet_papers.p0.summaries import FIGURE_3, THREE, TWO, exact, mean
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import P0_MECHANISMS

_PRIVATE = ("ls_dim", "ls_hist", "ehd", "ehds")
_SAME = 1.5
_ALL = ((TWO, 1), (THREE, 1), *((counts, 5) for counts in FIGURE_3))  # counts and ε


def _lshist_improves() -> Finding:
    ratios = [mean("ls_hist", c, e) / mean("ls_dim", c, e) for c, e in _ALL]
    words = (
        f"In the four settings of Figures 2 and 3 its mean error is {min(ratios):.2f} to "
        f"{max(ratios):.2f} of LSDim's."
    )
    measured = {"least_ratio": min(ratios), "largest_ratio": max(ratios)}
    return Finding(Verdict.of(max(ratios) < 1), words, measured)


def _ehdl_best() -> Finding:
    measured: dict[str, float] = {}
    likeliest, nearest = True, True
    for k, counts in ((2, TWO), (3, THREE)):
        likeliest &= all(exact("ehdl", counts) >= exact(x, counts) for x in P0_MECHANISMS)
        nearest &= all(mean("ehdl", counts) <= mean(x, counts) for x in P0_MECHANISMS)
        measured[f"ehdl_k{k}"] = exact("ehdl", counts)
        measured[f"ls_hist_k{k}"] = exact("ls_hist", counts)
        # at 2ε the stated exponent −ε·H/2LS is −ε·H/LS
        measured[f"ehdl_without_the_2_k{k}"] = exact("ehdl", counts, 2)
        measured[f"ehdl_mean_k{k}"] = mean("ehdl", counts)
        measured[f"ls_hist_mean_k{k}"] = mean("ls_hist", counts)
    words = (
        f"With the stated exponent −ε·H/2LS EHDL has {measured['ehdl_k2']:.4f} on the exact "
        f"posterior for two categories and {measured['ehdl_k3']:.4f} for three, LSHist "
        f"{measured['ls_hist_k2']:.4f} and {measured['ls_hist_k3']:.4f}; its mean error is larger "
        f"too. It is best only with −ε·H/LS: {measured['ehdl_without_the_2_k2']:.4f} and "
        f"{measured['ehdl_without_the_2_k3']:.4f}."
    )
    return Finding(Verdict.of(likeliest or nearest), words, measured)


def _lshist_best() -> Finding:
    best, measured = True, dict[str, float]()
    for k, counts in ((2, TWO), (3, THREE)):
        for x in _PRIVATE:
            best &= exact("ls_hist", counts) >= exact(x, counts)
            best &= mean("ls_hist", counts) <= mean(x, counts)
        measured[f"ls_hist_mean_k{k}"] = mean("ls_hist", counts)
        measured[f"lattice_mean_k{k}"] = mean("lattice", counts)
    words = (
        f"Among the paper's private mechanisms, by the probability of the exact posterior and by "
        f"the mean error, {measured['ls_hist_mean_k2']:.4f} for two categories and "
        f"{measured['ls_hist_mean_k3']:.4f} for three. The lattice mechanism has "
        f"{measured['lattice_mean_k2']:.4f} and {measured['lattice_mean_k3']:.4f}."
    )
    return Finding(Verdict.of(best), words, measured)


def _ehd_worst() -> Finding:
    worst = all(
        exact("ehd", c, e) <= exact(x, c, e) and mean("ehd", c, e) >= mean(x, c, e)
        for c, e in _ALL
        for x in P0_MECHANISMS
    )
    found = [mean("ehd", c, e) for c, e in _ALL]
    words = (
        f"In all four settings, by the probability of the exact posterior and by the mean error: "
        f"{found[0]:.3f} and {found[1]:.3f} at ε = 1, {found[2]:.3f} and {found[3]:.3f} at ε = 5."
    )
    return Finding(Verdict.of(worst), words, {f"mean_{i}": x for i, x in enumerate(found, 1)})


def _dimension() -> Finding:
    two, three = (sorted(P0_MECHANISMS, key=partial(exact, counts=c)) for c in (TWO, THREE))
    growth = {f"growth_{x}": mean(x, THREE) / mean(x, TWO) for x in P0_MECHANISMS}
    words = (
        f"The order by the probability of the exact posterior stays, but all get worse, and not "
        f"alike: the mean error of LSHist goes from {mean('ls_hist', TWO):.3f} to "
        f"{mean('ls_hist', THREE):.3f}, that of EHDS from {mean('ehds', TWO):.3f} to "
        f"{mean('ehds', THREE):.3f} "
        f"(the same: within a factor of {_SAME} for each)."
    )
    same, alike = two == three, max(growth.values()) < _SAME
    return Finding(Verdict.of(same and alike, same), words, {"same_order": same, **growth})


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p0-lshist-improves",
        "§5.2",
        "With the sensitivity of a histogram LSHist is more accurate than LSDim.",
        _lshist_improves,
    ),
    Claim(
        "p0-fig2-ehdl-best",
        "§7.1.1, Figure 2",
        "At ε = 1, n = 600 EHDL releases good posteriors with the highest probability.",
        _ehdl_best,
        "E5",
    ),
    Claim(
        "p0-fig2-lshist-best",
        "§7.1.1, Figure 2",
        "At ε = 1, n = 600 LSHist is the most accurate of the private mechanisms.",
        _lshist_best,
    ),
    Claim(
        "p0-fig2-ehd-worst",
        "§5.3, §7.1.1, Figures 2, 3",
        "EHD is the least accurate of the five.",
        _ehd_worst,
    ),
    Claim(
        "p0-fig2-dimension",
        "§7.1.1, Figure 2",
        "From two to three categories the mechanisms behave the same.",
        _dimension,
    ),
)
