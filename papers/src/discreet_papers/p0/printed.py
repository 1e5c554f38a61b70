"""The numbers that P0 prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from discreet_papers.parts import Printed
from discreet_papers.settings import THREE_CATEGORIES, TWO_CATEGORIES, made

_SWAPPED = "the third and the fourth of the printed sizes 731, 90, 294, 90 are exchanged"
_BOTH = "0.19673467 is the probability of c(0), printed for c(1)"


def noise(label: str, *steps: int, epsilon: float = 1) -> float:
    """P(the noise of a Laplace mechanism is one of these steps), two categories."""
    law = made(label, (1, 1), 600, epsilon).raw_law((300, 300))
    return sum(law.probability((300 + t,)) for t in steps)


def _printed(
    place: str, text: str, ours: Callable[[], float], reason: str | None = None
) -> Printed:
    return Printed("p0", place, text, ours, reason)


def _laplace(label: str, place: str, *texts: str) -> tuple[Printed, ...]:
    """The probabilities of c(0), c(1) and c(2)."""
    return tuple(
        _printed(f"{place}, c({t})", text, partial(noise, label, t)) for t, text in enumerate(texts)
    )


def _sizes(
    figure: int,
    data: Mapping[str, tuple[int, ...]],
    texts: Sequence[str],
    swapped: tuple[int, ...] = (),
) -> tuple[Printed, ...]:
    found = []
    for place, (text, counts) in enumerate(zip(texts, data.values(), strict=True), 1):
        reason = _SWAPPED if place in swapped else None
        where = f"§7.1.2, size {place} of Figure {figure}"
        found.append(_printed(where, text, partial(float, sum(counts)), reason))
    return tuple(found)


LSDIM = _laplace(
    "ls_dim", "§6.1.1 and Table 1, LSDim", "0.19673467014", "0.11932560927", "0.07237464051"
)
LSHIST = _laplace(
    "ls_hist", "§6.1.2 and Table 1, LSHist", "0.31606027941", "0.11627207896", "0.04277410743"
)
FIRST = _printed("§6.3, as the probability of c(0)", "0.19673467", partial(noise, "ls_dim", 0))
SIZES = (
    _sizes(4, TWO_CATEGORIES, ("731", "90", "294", "90"), (3, 4)),
    _sizes(5, THREE_CATEGORIES, ("731", "90", "90")),
)

PRINTED: tuple[Printed, ...] = (
    *LSDIM,
    *LSHIST,
    FIRST,
    _printed(
        "§6.3, the probability of c(1), one side", FIRST.text, partial(noise, "ls_dim", 1), _BOTH
    ),
    _printed(
        "§6.3, the probability of c(1), both sides",
        FIRST.text,
        partial(noise, "ls_dim", 1, -1),
        _BOTH,
    ),
    *SIZES[0],
    *SIZES[1],
)
