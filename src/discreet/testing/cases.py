"""What a contract is checked on: every mechanism under every adjacency, on every example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.core import Adjacency, Example, Family, Mechanism, MechanismSpec, families
from discreet.core.counts import Records, Unit

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

    def make(self, epsilon: Any = EPSILON, **options: Any) -> Mechanism:
        """The mechanism for as many records as the example has, and for whose they are."""
        given = {"adjacency": self.adjacency, "n": self.public_n} | self.options | options
        given = dict(whose(self.example.data).options_if_any) | given
        return families.mechanism(self.spec.name, self.model, epsilon=epsilon, **given)

    def stored(self, made: Mechanism) -> Mechanism:
        """The mechanism that its own config leads to."""
        config = made.config
        given: dict[str, Any] = {"adjacency": self.adjacency, "n": config.n}
        given |= dict(config.options)
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


def whose(data: object) -> Unit:
    """The unit whose records were counted."""
    if not isinstance(data, Records):
        return Unit()
    return Unit(data.unit, data.max_per_unit, data.averaged)


def cases(family: Family) -> Iterator[Case]:
    """All of a family; of units with several records those that are protected."""
    for number, example in enumerate(family.examples(), 1):
        unit = whose(example.data)
        wanted = {name for name, _ in unit.options_if_any}
        for spec in family.specs:
            for adjacency in spec.adjacencies:
                several = unit.averaged or unit.most > 1
                if several and adjacency is not Adjacency.ADD_REMOVE:
                    continue
                if wanted <= {option.name for option in spec.options}:
                    yield Case(family, spec, adjacency, example, number)
