"""The numbers that P0 prints."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from discreet.study.reproduce.parts import Printed
from discreet.study.reproduce.settings import THREE_CATEGORIES, TWO_CATEGORIES, made

LSDIM = ("0.19673467014", "0.11932560927", "0.07237464051")
LSHIST = ("0.31606027941", "0.11627207896", "0.04277410743")
_BOTH = "0.19673467 is the probability of c(0), printed for c(1)"


def noise(label: str, *steps: int, epsilon: float = 1) -> float:
    """P(the noise of a Laplace mechanism is one of these steps), two categories."""
    law = made(label, (1, 1), 600, epsilon).raw_law((300, 300))
    return sum(law.probability((300 + t,)) for t in steps)


def same(text: str, value: float) -> bool:
    """Whether a value agrees with a printed one to the last digit."""
    return Printed("p0", "", text, float).agrees(value)


def _size(name: str) -> float:
    return float(sum((TWO_CATEGORIES | THREE_CATEGORIES)[name]))


def _printed(
    place: str, text: str, ours: Callable[[], float], reason: str | None = None
) -> Printed:
    return Printed("p0", place, text, ours, reason)


def _sizes() -> list[Printed]:
    swapped = "the third and the fourth of the printed sizes 731, 90, 294, 90 are exchanged"
    two = [
        ("731", "bike sharing, working day", None),
        ("90", "cryotherapy, cured", None),
        ("294", "immunotherapy, cured", swapped),
        ("90", "badges, sign", swapped),
    ]
    three = zip(("731", "90", "90"), THREE_CATEGORIES, strict=True)
    return [
        *(
            _printed(f"§7.1.2, size {place} of Figure 4", text, partial(_size, name), reason)
            for place, (text, name, reason) in enumerate(two, 1)
        ),
        *(
            _printed(f"§7.1.2, size {place} of Figure 5", text, partial(_size, name))
            for place, (text, name) in enumerate(three, 1)
        ),
    ]


PRINTED: tuple[Printed, ...] = (
    *(
        _printed(f"§6.1.1 and Table 1, LSDim, c({t})", text, partial(noise, "ls_dim", t))
        for t, text in enumerate(LSDIM)
    ),
    *(
        _printed(f"§6.1.2 and Table 1, LSHist, c({t})", text, partial(noise, "ls_hist", t))
        for t, text in enumerate(LSHIST)
    ),
    _printed("§6.3, as the probability of c(0)", "0.19673467", partial(noise, "ls_dim", 0)),
    _printed(
        "§6.3, the probability of c(1), one side", "0.19673467", partial(noise, "ls_dim", 1), _BOTH
    ),
    _printed(
        "§6.3, the probability of c(1), both sides",
        "0.19673467",
        partial(noise, "ls_dim", 1, -1),
        _BOTH,
    ),
    *_sizes(),
)
