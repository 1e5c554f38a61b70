"""P0 §6.3: Table 1."""

from __future__ import annotations

from math import exp

from discreet.divergence import hellinger
from discreet.divergence.sensitivity import smooth_sensitivity
from discreet_papers.p0 import formulas
from discreet_papers.p0.printed import FIRST, noise
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import made, model


def _heads() -> Finding:
    measured: dict[str, float] = {}
    good = True
    for a in (21.0, 301.0):
        right = [float(hellinger([a, a], [a + t, a - t])) for t in (1, 2)]
        printed = [formulas.first_distance(a, a), formulas.second_distance(a, a)]
        good &= all(abs(x - y) < 1e-9 for x, y in zip(right, printed, strict=True))
        for t in (1, 2):
            measured[f"c{t}_beta{a:.0f}"] = right[t - 1]
            measured[f"c{t}_beta{a:.0f}_printed"] = printed[t - 1]
    first = f"{measured['c1_beta21_printed']:.5f}".replace("-", "−")
    words = (
        f"For Beta(21, 21) the heads give {first} and {measured['c2_beta21_printed']:.5f}; "
        f"c(1) and c(2) are {measured['c1_beta21']:.5f} and {measured['c2_beta21']:.5f}. "
        "Both lack the outer root, the first also a factor "
        "√((β−1)/α), and the second has β where β − 1 belongs."
    )
    return Finding(Verdict.of(good), words, measured)


def _equation() -> Finding:
    one, two = noise("ls_dim", 1), noise("ls_dim", 1, -1)
    exact = noise("ls_dim", 0)
    words = (
        f"{FIRST.text} is the probability of the exact posterior, {exact:.8f}. One record off has "
        f"{one:.8f} to the one side and {two:.8f} to either."
    )
    stated = any(FIRST.agrees(value) for value in (one, two))
    return Finding(Verdict.of(stated), words, {"t0": exact, "plus_1": one, "plus_minus_1": two})


def _ehds_cells() -> Finding:
    """The law at n = 600 balanced against Lemma 6.2 and against the cells as printed."""
    half, a = 300, 301.0
    law = made("ehds", (1, 1), 2 * half, 1).law((half, half))
    rate = 1 / (4 * smooth_sensitivity(model((1, 1)), (half, half)))
    exact = law.probability((half, half))
    found = [law.probability((half + t, half - t)) for t in (1, 2)]
    lemma = [exact * exp(-rate * float(hellinger([a, a], [a + t, a - t]))) for t in (1, 2)]
    cell_2 = exact * exp(-rate * formulas.bhattacharyya(a, a))
    under_root = formulas.first_distance(a, a)
    by_lemma = all(abs(x - y) < 1e-9 for x, y in zip(found, lemma, strict=True))
    both, negative = 2 * found[0], f"{under_root:.6f}".replace("-", "−")
    as_printed = under_root >= 0 and abs(cell_2 - found[1]) < 1e-9
    words = (
        f"Lemma 6.2 is right for each candidate ({exact:.5f}, {found[0]:.5f}, {found[1]:.5f} at "
        f"n = 600, ε = 1), but two candidates share a distance, so that one record off has "
        f"{both:.5f}. The cells are not the lemma: the one for c(1) has the root of "
        f"{negative}, the one for c(2) comes to {cell_2:.6f}."
    )
    measured = {
        "t0": exact,
        "t1": found[0],
        "t2": found[1],
        "t2_as_printed": cell_2,
        "under_the_root_of_t1": under_root,
    }
    return Finding(Verdict.of(by_lemma and as_printed, by_lemma), words, measured)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p0-table1-distances",
        "Table 1",
        "The heads of the columns are the distances c(1) and c(2).",
        _heads,
        "E18",
    ),
    Claim(
        "p0-table1-c1",
        "§6.3",
        "LSDim releases a posterior at distance c(1) with probability 0.19673467.",
        _equation,
        "E18",
    ),
    Claim(
        "p0-table1-ehds",
        "Lemma 6.2, Table 1",
        "EHDS releases a posterior at distance c with probability exp(−εc/4S)/N, and the cells of "
        "the table are that.",
        _ehds_cells,
        "E18",
    ),
)
