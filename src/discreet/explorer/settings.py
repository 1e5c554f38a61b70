"""Where a mechanism is looked at: made-up or public counts, a prior, an epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from discreet import check, text_input
from discreet.core import Adjacency, Mechanism, families
from discreet.errors import InputError
from discreet.families.dirichlet.model import DirichletMultinomial

MOST_RECORDS = 10**9
MOST_CATEGORIES = 8
DELTA = Fraction(1, 10**6)  # of gaussian and smooth_hellinger


@dataclass(frozen=True)
class Setting:
    """What the figures depend on; nothing in it is private."""

    counts: tuple[int, ...]
    prior: tuple[Fraction, ...]
    epsilon: Fraction
    adjacency: str = Adjacency.SUBSTITUTE.value
    max_per_unit: int = 1

    @property
    def n(self) -> int:
        """How many records there would be."""
        return sum(self.counts)

    @property
    def model(self) -> DirichletMultinomial:
        """With letters for categories."""
        return DirichletMultinomial(letters(len(self.counts)), self.prior)

    def at(self, epsilon: Fraction) -> Setting:
        """The same with another epsilon."""
        return replace(self, epsilon=epsilon)

    def options(self, name: str) -> dict[str, Any]:
        """What a mechanism is given besides n and epsilon."""
        found: dict[str, Any] = {"adjacency": self.adjacency}
        if self.max_per_unit > 1:
            found |= {"unit": "unit", "max_per_unit": self.max_per_unit}
        taken = families.options_of(name, self.model)
        return found | ({"delta": DELTA} if "delta" in taken else {})

    def mechanism(self, name: str) -> Mechanism:
        """A mechanism at these public values."""
        n = self.n if self.adjacency == Adjacency.SUBSTITUTE.value else None
        return families.mechanism(name, self.model, n, epsilon=self.epsilon, **self.options(name))


def letters(number: int) -> list[str]:
    """Names for categories that have none."""
    return [chr(ord("A") + place) if number <= 26 else str(place + 1) for place in range(number)]


def read_setting(counts: str | Sequence[int], prior: str, epsilon: str) -> Setting:
    """From what was typed; a sentence where it makes no sense."""
    given = numbers("counts", counts) if isinstance(counts, str) else counts
    values = tuple(_whole("counts", x) for x in given)
    if not 2 <= len(values) <= MOST_CATEGORIES:
        raise InputError(
            f"counts must be 2 to {MOST_CATEGORIES} whole numbers, got {len(values)}", "counts"
        )
    if not 1 <= sum(values) <= MOST_RECORDS:
        raise InputError(f"counts must add up to 1 to {check.big(MOST_RECORDS)}", "counts")
    model = text_input.model_of(
        ",".join(letters(len(values))), ",".join(prior.replace(",", " ").split())
    )
    return Setting(values, model.prior, check.epsilon(check.text_number("epsilon", epsilon)))


def sketched(shares: Sequence[object], n: object) -> tuple[int, ...]:
    """Counts with about these proportions that add up to n."""
    size = check.whole("records", n, least=1, most=MOST_RECORDS)
    weights = [check.rational("proportions", share) for share in shares]
    if len(weights) < 2 or min(weights) < 0 or not sum(weights):
        raise InputError(
            "proportions must be two or more numbers that are not negative, not all 0",
            "proportions",
        )
    ideal = [weight * size / sum(weights) for weight in weights]
    counts = [int(x) for x in ideal]
    rest = sorted(range(len(ideal)), key=lambda i: counts[i] - ideal[i])
    for place in rest[: size - sum(counts)]:
        counts[place] += 1
    return tuple(counts)


def numbers(argument: str, text: str) -> list[Fraction]:
    """Numbers separated by commas or spaces."""
    return [check.text_number(argument, part) for part in text.replace(",", " ").split()]


def whole_number(argument: str, text: str) -> int:
    """A whole number that was typed."""
    return _whole(argument, check.text_number(argument, text))


def _whole(argument: str, number: Fraction | int) -> int:
    exact = int(number) if number == int(number) else float(number)
    return check.whole(argument, exact, most=MOST_RECORDS)
