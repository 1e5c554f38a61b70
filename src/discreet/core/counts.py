"""Counts, and what a mechanism needs to know of a model."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, Self, TypeAlias, TypeVar

from numpy.typing import NDArray

from discreet import check
from discreet.check import Category
from discreet.errors import InputError

N_SOURCES = ("declared", "sum of the counts")  # where a public number of records comes from
PER_UNIT = ("cut", "average")  # what becomes of the records of one unit
AVERAGED = 3600  # parts of a unit's weight of 1: a square, and many numbers of records divide it


@dataclass(frozen=True)
class Grouping:
    """A joint table: the categories within each of the declared groups of another column."""

    column: str
    groups: tuple[Category, ...]
    categories: tuple[Category, ...]

    def __post_init__(self) -> None:
        check.label("by", self.column)
        for name in ("groups", "categories"):
            object.__setattr__(self, name, check.categories(getattr(self, name), name))

    @property
    def cells(self) -> tuple[str, ...]:
        """The labels of the joint table, group by group."""
        return tuple(f"{group}: {label}" for group in self.groups for label in self.categories)


class Records:
    """What was counted of some records: `n_records` says of how many.

    `unit` is who is protected. Of each at most `max_per_unit` records were kept ("cut"), or they
    weigh 1 together, whatever their number ("average").
    """

    unit: str
    max_per_unit: int
    per_unit: str

    @property
    @abstractmethod
    def n_records(self) -> int:
        """The number of records, or of units if each weighs one."""

    @property
    def averaged(self) -> bool:
        """Whether every unit weighs one."""
        return self.per_unit == "average"

    @property
    def parts(self) -> int:
        """In how many parts a weight of 1 is counted."""
        return AVERAGED if self.averaged else 1

    def require_unit(self) -> None:
        """Refuse what no counting makes."""
        check.label("unit", self.unit)
        check.choice("per_unit", self.per_unit, PER_UNIT)
        most = check.whole("max_per_unit", self.max_per_unit, least=1, most=10**6)
        object.__setattr__(self, "max_per_unit", most)
        if self.averaged and (most > 1 or self.unit == "record"):
            raise InputError(
                "per_unit='average' is for units of which all records are kept", "per_unit"
            )

    @property
    def total(self) -> int:
        """The old name of `n_records`."""
        warnings.warn("total is called n_records now", DeprecationWarning, stacklevel=2)
        return self.n_records


@dataclass(frozen=True)
class Counts(Records):
    """How many records fall into each declared category. Private: the repr does not show them.

    `unit` is who is protected and `max_per_unit` how many records one may have; if `per_unit` is
    "average" each has the weight 1, and the counts are in parts of 1/3600 of it. `dropped` says
    that records were left out, and `where` which were counted, so that the total is no longer
    public. `column` is where the categories were read, `other` the one that took undeclared values,
    and `by` tells that they are the cells of a joint table. `line_breaks` says that a correct CSV
    writer was declared, `unknown` how many records were left out or put into `other`.

    Example:
        >>> import discreet as dp
        >>> counts = dp.BetaBinomial(categories=("yes", "no")).count(["yes", "no", "yes"])
        >>> counts.values, counts.n_records
        ((2, 1), 3)
    """

    values: tuple[int, ...] = field(repr=False)
    categories: tuple[Category, ...]
    unit: str = "record"
    max_per_unit: int = 1
    dropped: bool = False
    column: str | None = field(default=None, compare=False)
    where: str | None = None
    other: Category | None = field(default=None, compare=False)
    by: Grouping | None = None
    line_breaks: bool = field(default=False, compare=False)
    unknown: int = field(default=0, repr=False, compare=False)
    per_unit: str = "cut"

    def __post_init__(self) -> None:
        object.__setattr__(self, "categories", check.categories(self.categories))
        object.__setattr__(self, "values", check.counts(self.values, self.categories, "values"))
        check.choice("dropped", self.dropped, (True, False))
        self.require_unit()

    @property
    def n_records(self) -> int:
        """The number of records, or of units if each weighs one."""
        return sum(self.values) // self.parts


class Countable(Protocol):
    """Labelled counts, such as a Series of pandas."""

    def items(self) -> Any:
        """Labels and counts."""


Released = TypeVar("Released", covariant=True)
Aware = TypeVar("Aware", covariant=True)
Summarised = TypeVar("Summarised", covariant=True)


class Model(Protocol[Released, Aware, Summarised]):
    """A model whose counts a mechanism can release: what it reads of it is public.

    A class that inherits from it has no groups, and one model for whatever counts. Its parameters
    say, for completions and type checkers, what a release of it has as `posterior`, `noise_aware()`
    and `summary()`: `class WaitingTime(Model["Posterior", "Mixture", "Summary"])`.

    Example:
        docs/guide/your-own-family.md makes one of waiting times, with its mechanism.
    """

    @property
    def kind(self) -> str:
        """The word for its family in documents: an attribute of the class."""

    @property
    def by(self) -> Grouping | None:
        """The groups, if the counts are the cells of a joint table."""
        return None

    @property
    def size(self) -> int:
        """How many counts there are."""

    def to_vector(self, counts: object) -> tuple[int, ...]:
        """The counts as one vector, in order, if they are the model's."""

    def n_records(self, values: Sequence[int]) -> int:
        """The number of records behind such a vector."""

    def for_counts(self, counts: object) -> Self:
        """The model of these very counts, where they say more than the model knew."""
        return self

    def to_document(self) -> Mapping[str, Any]:
        """The model as JSON can hold it."""


AnyModel: TypeAlias = Model[Any, Any, Any]


class CategoricalModel(AnyModel, Protocol):
    """A conjugate model of categorical records."""

    @property
    def categories(self) -> tuple[Category, ...]:
        """The declared categories, in order."""

    @property
    def prior(self) -> tuple[Fraction, ...]:
        """The Dirichlet parameters, as exact decimals."""

    def posterior(self, counts: Any) -> Any:
        """The posterior given counts."""


CountsLike: TypeAlias = Records | Sequence[Any] | Mapping[Any, Any] | NDArray[Any] | Countable


def values_of(counts: object, categories: tuple[Category, ...]) -> tuple[int, ...]:
    """Counts in category order from `Counts`, a sequence or a mapping."""
    if isinstance(counts, Counts):
        if set(counts.categories) != set(categories):
            raise InputError("counts were made for other categories than the model's", "counts")
        counts = dict(zip(counts.categories, counts.values, strict=True))
    return check.counts(counts, categories)
