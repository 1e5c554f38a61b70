"""P0 §7.1.2 and §8: the real data, and what follows."""

from __future__ import annotations

from discreet_papers.p0.printed import SIZES
from discreet_papers.p0.summaries import mean
from discreet_papers.parts import Cell, Claim, Finding, Verdict
from discreet_papers.settings import P0_MECHANISMS, THREE_CATEGORIES, TWO_CATEGORIES

_DATA = TWO_CATEGORIES | THREE_CATEGORIES
_MUCH = 2  # a factor


def _means(label: str) -> dict[str, float]:
    """The exact mean error at ε = 1, by data set."""
    return {name: mean(label, counts) for name, counts in _DATA.items()}


def _order() -> Finding:
    ehd, ehds, ehdl = (_means(x) for x in ("ehd", "ehds", "ehdl"))
    right = {name: ehd[name] > ehds[name] > ehdl[name] for name in _DATA}
    weather = "bike sharing, weather"
    words = (
        f"By the mean error on {sum(right.values())} of {len(right)} data sets. But on the weather "
        f"data the means are {ehd[weather]:.4f}, {ehds[weather]:.4f} and {ehdl[weather]:.4f}: all "
        "three are close to 1, the largest distance there is."
    )
    measured: dict[str, Cell] = {"sets": len(right), "in_this_order": sum(right.values())}
    for name in _DATA:
        measured |= {f"ehd: {name}": ehd[name], f"ehds: {name}": ehds[name]}
        measured[f"ehdl: {name}"] = ehdl[name]
    return Finding(Verdict.of(all(right.values())), words, measured)


def _smooth() -> Finding:
    ehd, ehds, hist, lattice = (_means(x) for x in ("ehd", "ehds", "ls_hist", "lattice"))
    against_ehd = all(ehds[name] < ehd[name] for name in _DATA)
    against_hist = all(ehds[name] < hist[name] for name in _DATA)
    ratios = [ehds[name] / hist[name] for name in _DATA]
    best = [ehds[name] / lattice[name] for name in _DATA]
    words = (
        f"Against EHD, on all seven data sets. Against noise on the counts it does not: at ε = 1 "
        f"the mean error of EHDS is {min(ratios):.1f} to {max(ratios):.1f} times LSHist's, and "
        f"{min(best):.1f} to {max(best):.1f} times that of lattice."
    )
    measured = {
        "least_over_ls_hist": min(ratios),
        "largest_over_ls_hist": max(ratios),
        "least_over_lattice": min(best),
        "largest_over_lattice": max(best),
    }
    return Finding(Verdict.of(against_ehd and against_hist, against_ehd), words, measured)


def _spread() -> Finding:
    ratios = {}
    for name, counts in _DATA.items():
        means = [mean(x, counts) for x in P0_MECHANISMS if x != "ehdl"]
        ratios[name] = max(means) / min(means)
    words = (
        f"At the same ε = 1 the mean errors of the four private mechanisms differ by a factor of "
        f"{min(ratios.values()):.1f} to {max(ratios.values()):.1f} on the real data sets (we asked "
        f"for {_MUCH})."
    )
    return Finding(Verdict.of(min(ratios.values()) > _MUCH), words, dict(ratios))


def _sizes() -> Finding:
    two, three = ([int(number.ours()) for number in figure] for figure in SIZES)
    printed_two, printed_three = ([int(number.text) for number in figure] for figure in SIZES)
    in_order = (two, three) == (printed_two, printed_three)
    sizes = (sorted(two), three) == (sorted(printed_two), printed_three)
    words = (
        f"The sizes are right in another order: bike sharing, two therapies, badges have "
        f"{', '.join(map(str, two))} records, printed {', '.join(map(str, printed_two))}."
    )
    measured = {f"size_{i}": size for i, size in enumerate(two, 1)}
    return Finding(Verdict.of(in_order, sizes), words, measured)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p0-fig4-order",
        "§7.1.2, Figures 4, 5",
        "On the real data EHD is the worst, EHDS better, and EHDL better still.",
        _order,
    ),
    Claim(
        "p0-fig4-smooth",
        "§1, §7.1.2, §8",
        "Calibrating noise to a smooth sensitivity in the metric of the error makes it smaller.",
        _smooth,
    ),
    Claim(
        "p0-conclusion-metric",
        "§8",
        "Accuracy changes much with the metric and with the sensitivity that is used.",
        _spread,
    ),
    Claim(
        "p0-data",
        "§7.1.2",
        "The four data sets of two categories have 731, 90, 294 and 90 records, the three of "
        "three categories 731, 90 and 90.",
        _sizes,
    ),
)
