"""Counts, and what a mechanism needs to know of a model."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeAlias, TypeVar

from numpy.typing import NDArray

from discreet import check
from discreet.check import Category
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.core.mechanism import Config

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


@dataclass(frozen=True)
class Unit:
    """Who is protected: a record, or all that was kept of one person.

    Of a person at most `most` records were kept; or, if `averaged`, all of them, with a weight of 1
    together. Adding or removing the person then changes the counts as so many records do, or as one
    does: a mean of what single records add lies in their convex hull.
    """

    OPTIONS: ClassVar = ("unit", "max_per_unit", "per_unit")

    name: str = "record"
    most: int = 1
    averaged: bool = False

    @classmethod
    def read(cls, n: int | None, unit: object, max_per_unit: object, per_unit: object) -> Unit:
        """From the options of a mechanism; under substitution n is given."""
        given = unit, max_per_unit, per_unit
        if [type(x) for x in given] == [str, int, str] and given == ("record", 1, "cut"):
            return cls()
        name = check.label("unit", unit)
        most = check.whole("max_per_unit", max_per_unit, least=1, most=10**6)
        averaged = check.choice("per_unit", per_unit, PER_UNIT) == "average"
        if n is not None and most > 1:
            raise InputError(
                f"max_per_unit must be 1 under substitution, got {most}; a unit with several "
                "records is protected under adjacency 'add-remove'",
                "max_per_unit",
            )
        if averaged and n is not None:
            raise InputError(
                "per_unit must be 'cut' under substitution, got 'average'; units that weigh one "
                "are protected under adjacency 'add-remove'",
                "per_unit",
            )
        if averaged and (most > 1 or name == "record"):
            raise InputError(
                "per_unit='average' needs the name of a unit, and no max_per_unit", "per_unit"
            )
        return cls(name, most, averaged)

    @classmethod
    def of(cls, config: Config) -> Unit:
        """Of a mechanism that was made; of one that knows no units a record."""
        options = dict(config.options)
        averaged = options.get("per_unit") == "average"
        return cls(options.get("unit", "record"), options.get("max_per_unit", 1), averaged)

    @property
    def parts(self) -> int:
        """In how many parts a weight of 1 is counted."""
        return AVERAGED if self.averaged else 1

    @property
    def reach(self) -> int:
        """By how much a person changes the counts of categories, in l1."""
        return self.most * self.parts

    @property
    def clause(self) -> str:
        """How a theorem goes on to say whom it protects; nothing of single records."""
        if self == Unit():
            return ""
        if self.averaged:
            return f", where the records of one {self.name} weigh one together"
        most = f"m = {self.most} records" if self.most > 1 else "one record"
        return f", where one {self.name} has at most {most}"

    @property
    def options(self) -> tuple[tuple[str, Any], ...]:
        """As a release stores them; a rule that did not exist once is stored where it is used."""
        rule = (("per_unit", "average"),) if self.averaged else ()
        return (("unit", self.name), ("max_per_unit", self.most), *rule)

    @property
    def options_if_any(self) -> tuple[tuple[str, Any], ...]:
        """The same, of a mechanism that once knew records only."""
        return () if self == Unit() else self.options


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
