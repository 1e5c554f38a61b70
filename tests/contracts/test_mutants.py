"""Mutants of mechanisms whose proof is tight: the contract finds all that have less noise.

A number of the code is changed, or an operator. Then the contract is broken, or the law is as wide
as before: its largest probability, on the examples, is no larger. That is measured without the
audit, so that an audit that does not look is found out too.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from discreet.core import PointMass
from discreet.testing import mechanisms
from discreet.testing.cases import Case, cases
from discreet.testing.sampling import log_p
from tests.contracts.mutating import changes, mutated
from tests.specs import KINDS, found

ROOM = "discreet.families"
STATISTICS = f"{ROOM}.regression.mechanisms.statistics"
TIGHT: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # modules: mechanisms, who uses them
    f"{ROOM}.dirichlet.mechanisms.lattice": (("lattice",), ()),
    f"{ROOM}.network.mechanisms.noisy_tables": (("lattice", "laplace_updates"), ()),
    f"{ROOM}.network.mechanisms.fourier": (("fourier",), ()),
    f"{ROOM}.normal.mechanisms": (("laplace", "gaussian", "input"), ()),
    STATISTICS: (("statistics",), ()),
    f"{ROOM}.regression.sensitivity": (("statistics",), (STATISTICS,)),
}
UNNOTICED = (  # the module, the change, and why less noise is no less privacy
    (
        "noisy_tables",
        r"line \d+: ([123] and one|1000 \* .* with Div)",
        "epsilon is shared among the tables otherwise",
    ),
    ("fourier", "line \\d+: 1 and one", "one number fewer is released"),
    (
        "sensitivity",
        r".*(rows|entries|2 and one)",
        "a bound on normal noise grows with the dimension, and these examples do not reach it",
    ),
)
RULES = (
    mechanisms.states_what_it_promises,
    mechanisms.is_a_value,
    mechanisms.loses_no_more_than_it_promises,
)
ALLOWED = 1e-9  # by which a logarithm may be larger


def walked(path: str) -> list[Case]:
    kind = path.split(".")[2]
    [family] = [found(name) for name in KINDS if f".{kind}." in str(found(name).model)]
    return [case for case in cases(family) if case.spec.name in TIGHT[path][0]]


def peak(case: Case) -> float:
    """The largest log probability: that of no noise, which is most likely."""
    law = case.make().raw_law(case.example.data)
    parts: Any = getattr(law, "parts", (law,))
    centers = [part.point if isinstance(part, PointMass) else part.center for part in parts]
    return log_p(law, tuple(x for center in centers for x in center))


def broken(case: Case) -> str:
    """What the contract says; nothing if it is kept."""
    for rule in RULES:
        try:
            rule(case)
        except Exception as error:
            return str(error) or type(error).__name__
    return ""


def explained(path: str, words: str) -> bool:
    return any(path.endswith(module) and re.match(change, words) for module, change, _ in UNNOTICED)


@pytest.mark.slow
@pytest.mark.parametrize("path", TIGHT)
def test_less_noise_is_found_out(path: str) -> None:
    listed = walked(path)
    before = [peak(case) for case in listed]
    assert not any(map(broken, listed))
    said, missed = [], []
    for number, words in changes(path):
        try:
            with mutated(path, number, TIGHT[path][1]):
                for case, height in zip(listed, before, strict=True):
                    if found_out := broken(case):
                        said.append(found_out)
                        break
                    if peak(case) > height + ALLOWED and not explained(path, words):
                        missed.append(f"{words}: {case}")
        except Exception as error:  # it cannot even be imported
            said.append(type(error).__name__)
    assert not missed, "\n".join(missed)
    assert any(text.startswith("it loses") for text in said)  # by the audit, not by a crash
