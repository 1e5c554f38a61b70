"""The tighter total; the composition itself only where dp-accounting is installed."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from discreet.core.curves import Known, Laplace, Normal, epsilon_at
from discreet.errors import InputError, MissingPackageError
from discreet.ledger import Ledger
from discreet.ledger.accounting import tighter_total
from discreet.ledger.remaining import needed
from tests.ledger.cases import guarantee
from tests.optional import module

RANGE = 60


def noise(rate: float, shift: int) -> list[float]:
    constant = math.tanh(rate / 2)
    return [constant * math.exp(-rate * abs(z - shift)) for z in range(-RANGE, RANGE + 1)]


def hockey_stick(first: list[float], second: list[float], epsilon: float) -> float:
    return sum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(first, second, strict=True))


@pytest.mark.parametrize("shifts", [(1, 1), (2, 1), (2, 2), (3, 1), (-2, 1), (0, 2)])
@pytest.mark.parametrize("rate", [0.4, 1.0])
def test_one_count_that_changes_by_m_is_the_worst(shifts: tuple[int, int], rate: float) -> None:
    """The claim about `lattice` under add-remove: changes spread over two counts reveal less."""
    m = sum(map(abs, shifts))
    still, moved = noise(rate, 0), [noise(rate, s) for s in shifts]
    before = [p * q for p, q in product(still, still)]
    after = [p * q for p, q in product(*moved)]
    for step in range(12):
        epsilon = step * m * rate / 12
        worst = hockey_stick(still, noise(rate, m), epsilon)
        assert hockey_stick(before, after, epsilon) <= worst + 1e-9
        assert hockey_stick(after, before, epsilon) <= worst + 1e-9


def composed_in_the_guide() -> list[tuple[int, str, str, str, str, str]]:
    """The rows of the table of what small releases need: their number and ε first."""
    page = Path(__file__).parents[2] / "docs" / "guide" / "budgets.md"
    rows = re.findall(
        r"^\| (\d+) of ([\d.]+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", page.read_text(), re.M
    )
    assert len(rows) == 4
    return [(int(number), *rest) for number, *rest in rows]


def test_what_releases_need() -> None:
    """The other columns of the guide's table."""
    for releases, epsilon, summed, zcdp, composed, _ in composed_in_the_guide():
        one, delta = guarantee(epsilon), Fraction(1, 10**6)
        found = needed(one, releases, delta)
        assert Fraction(summed) == found.summed.epsilon
        assert composed == ("–" if found.composed is None else f"{float(found.composed.epsilon)}")
        alone = epsilon_at(Known(releases * Fraction(one.rho)), delta)
        assert f"{float(alone):.4g}" == zcdp


def test_the_missing_extra_is_named(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.common", None)
    ledger.charge("d", guarantee(1), {"mechanism": "ehds"})
    with pytest.raises(MissingPackageError, match=r"pip install 'discreet\[accounting\]'"):
        tighter_total(ledger, "d", 1e-6)


def test_arguments(ledger: Ledger) -> None:
    with pytest.raises(InputError, match="'d' is not in ledger"):
        tighter_total(ledger, "d", 1e-6)
    for delta in (0, 1, -1, "x"):
        with pytest.raises(InputError, match="delta must"):
            tighter_total(ledger, "d", delta)


def _delta(losses: list[tuple[float, float]], times: int, epsilon: float) -> float:
    """δ(ε) of `times` independent losses with these (value, probability), by brute force."""
    law = {0: 1.0}
    for _ in range(times):
        new: dict[int, float] = {}
        for (total, p), (value, q) in product(law.items(), losses):
            key = total + round(value * 10**6)
            new[key] = new.get(key, 0.0) + p * q
        law = new
    return sum(p * max(0.0, 1 - math.exp(epsilon - loss / 1e6)) for loss, p in law.items())


class TestComposition:
    @pytest.fixture(autouse=True)
    def _needs_dp_accounting(self) -> None:
        module("dp_accounting", "accounting")

    def test_pure_guarantees_compose_as_randomised_response(self, ledger: Ledger) -> None:
        for _ in range(20):
            ledger.charge("d", guarantee("0.1"), {"mechanism": "ehds"})
        total = tighter_total(ledger, "d", 1e-4)
        p = 1 / (1 + math.exp(-0.1))
        losses = [(0.1, p), (-0.1, 1 - p)]
        assert total.epsilon < 2
        assert _delta(losses, 20, total.epsilon) <= 1e-4 * 1.0001
        assert _delta(losses, 20, total.epsilon - 0.01) > 1e-4
        assert (total.exact, total.by_guarantee) == ((), ("ehds",))
        assert total.charged.epsilon == 2
        assert ledger.remaining("d").epsilon == 1

    def test_lattice_with_units_is_exact(self, ledger: Ledger) -> None:
        for _ in range(10):
            paid = guarantee("0.2", 0, "add-remove", "patient", 2)
            paid = replace(paid, curve=Laplace(Fraction(1, 5), 2))
            ledger.charge("d", paid, {"mechanism": "lattice"})
        total = tighter_total(ledger, "d", 1e-3)
        q = math.exp(-0.1)
        losses = [(0.2, 1 / (1 + q)), (0.0, (1 - q) * q / (1 + q)), (-0.2, q * q / (1 + q))]
        assert _delta(losses, 10, total.epsilon) <= 1e-3 * 1.0001
        assert _delta(losses, 10, total.epsilon - 0.01) > 1e-3
        assert (total.exact, total.by_guarantee) == (("lattice",), ())

    def test_the_name_of_a_mechanism_says_nothing(self, ledger: Ledger) -> None:
        """One of another family that is called lattice is known by its guarantee."""
        paid = guarantee("0.2", 0, "add-remove", "patient", 2)
        ledger.charge("d", paid, {"mechanism": "lattice"})
        assert tighter_total(ledger, "d", 1e-3).by_guarantee == ("lattice",)

    def test_normal_noise_is_exact(self, ledger: Ledger) -> None:
        curve = Normal(Fraction(4), Fraction(400))
        ledger.create("n", 1000, 0.9)
        for _ in range(4):
            ledger.charge("n", replace(guarantee(9, "1e-9"), curve=curve), {"mechanism": "normal"})
        total = tighter_total(ledger, "n", 1e-5)
        assert total.exact == ("normal",)
        four = Normal(Fraction(16), Fraction(400))  # as private as one with twice the change
        assert total.epsilon == pytest.approx(float(epsilon_at(four, Fraction(1, 10**5))), rel=5e-3)

    def test_releases_that_are_settled_beforehand(self, ledger: Ledger) -> None:
        """The last column of the guide's table."""
        for releases, epsilon, *_, settled in composed_in_the_guide():
            data_set = f"{releases} of {epsilon}"
            ledger.create(data_set, 1000)
            for _ in range(releases):
                ledger.charge(data_set, guarantee(epsilon), {"mechanism": "ehds"})
            total = tighter_total(ledger, data_set, 1e-6)
            assert total.epsilon == pytest.approx(float(settled), rel=2e-4)

    def test_composed_releases_stay_within_the_budget(self, ledger: Ledger) -> None:
        """What the filter admits, dp-accounting finds within it too."""
        ledger.create("many", 1, 1e-6)
        for _ in range(ledger.releases_left("many", 0.02)):
            ledger.charge("many", guarantee("0.02"), {"mechanism": "ehds"})
        assert ledger.releases_left("many", 0.02) == 0
        assert 0.7 < tighter_total(ledger, "many", 1e-6).epsilon < 1

    def test_the_worst_part_counts(self, ledger: Ledger) -> None:
        ledger.create("d", 3, 0.1, "add-remove", parts=("north", "south"))
        for part, times in ((None, 2), ("north", 3), ("south", 6)):
            for _ in range(times):
                paid = guarantee("0.1", "1e-9", "add-remove")
                ledger.charge("d", paid, {"mechanism": "other"}, part=part)
        ledger.create("e", 3, 0.1, "add-remove")
        for _ in range(8):
            ledger.charge("e", guarantee("0.1", "1e-9", "add-remove"), {"mechanism": "other"})
        parts, whole = tighter_total(ledger, "d", 1e-6), tighter_total(ledger, "e", 1e-6)
        assert parts.epsilon == pytest.approx(whole.epsilon, rel=1e-12)
        assert math.isinf(tighter_total(ledger, "d", 1e-10).epsilon)

    def test_it_never_exceeds_the_sum(self, ledger: Ledger) -> None:
        ledger.charge("d", guarantee("0.5"), {"mechanism": "ehds"})
        assert tighter_total(ledger, "d", 1e-9).epsilon <= 0.5 + 1e-12
        ledger.create("none")
        assert tighter_total(ledger, "none", 1e-9).epsilon == 0
        assert "by guarantee: ehds" in str(tighter_total(ledger, "d", 1e-9))
