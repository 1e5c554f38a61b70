"""What a contract is checked on: every mechanism under every adjacency, on every example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.core import Adjacency, Example, Family, Mechanism, MechanismSpec, families
from discreet.core.counts import Records
from discreet.core.unit import Unit

EPSILON = 1


@dataclass(frozen=True)
class Case:
    """A mechanism of a family under an adjacency, on an example."""

    family: Family
    spec: MechanismSpec
    adjacency: Adjacency
    example: Example
    number: int

    def __str__(self) -> str:
        return f"{self.family.kind}, {self.spec.name}, {self.adjacency.value}, {self.number}"

    @property
    def model(self) -> Any:
        """The model of the example, as its data make it known."""
        return self.example.model.for_counts(self.example.data)

    @property
    def vector(self) -> tuple[int, ...]:
        """The data as the mechanism sees them."""
        vector: tuple[int, ...] = self.model.to_vector(self.example.data)
        return vector

    @property
    def n_records(self) -> int:
        """Of the example."""
        return int(self.model.n_records(self.vector))

    @property
    def options(self) -> dict[str, Any]:
        """What the mechanism needs on the example."""
        return dict(self.example.options.get(self.spec.name, {}))

    @property
    def unit(self) -> dict[str, Any]:
        """Whom the data say that it protects, as a release takes it from them."""
        data = self.example.data
        if not isinstance(data, Records):
            return {}
        return dict(Unit(data.unit, data.max_per_unit, data.averaged).options_if_any)

    @property
    def possible(self) -> bool:
        """Whether a release can protect them so: several records of one under add-remove only."""
        alone = self.unit.get("max_per_unit", 1) == 1 and "per_unit" not in self.unit
        known = self.unit.keys() <= {option.name for option in self.spec.options}
        return known and (alone or self.adjacency is Adjacency.ADD_REMOVE)

    def make(self, epsilon: Any = EPSILON, **options: Any) -> Mechanism:
        """The mechanism for as many records as the example has."""
        given = {"adjacency": self.adjacency, "n": self.public_n} | self.options | self.unit
        given |= options
        return families.mechanism(self.spec.name, self.model, epsilon=epsilon, **given)

    def stored(self, made: Mechanism) -> Mechanism:
        """The mechanism that its own config leads to."""
        config = made.config
        given: dict[str, Any] = {"adjacency": self.adjacency, "n": config.n} | dict(config.options)
        return families.mechanism(self.spec.name, config.model, epsilon=config.epsilon, **given)

    @property
    def public_n(self) -> int | None:
        """The number of records, where it is public."""
        return None if self.adjacency is Adjacency.ADD_REMOVE else self.n_records

    def release(self, epsilon: Any = EPSILON, **options: Any) -> Any:
        """A release of the example."""
        from discreet.releases.releasing import release

        given = {"adjacency": self.adjacency} | self.options | options
        given.setdefault("allow_nonprivate", not self.make(epsilon).guarantee.private)
        name = self.spec.name
        return release(self.example.data, self.example.model, epsilon, name, **given)


def cases(family: Family) -> Iterator[Case]:
    """All of a family."""
    for number, example in enumerate(family.examples(), 1):
        for spec in family.specs:
            for adjacency in spec.adjacencies:
                case = Case(family, spec, adjacency, example, number)
                if case.possible:
                    yield case
