"""The mean of normal records with a known variance (P4, §6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from discreet import check
from discreet.check import Number
from discreet.core import Adjacency, Mechanism, families
from discreet.core.counts import Model
from discreet.core.documents import exact
from discreet.core.statistics import Statistics
from discreet.data.moments import NumberRules, Scaled, moments
from discreet.errors import InputError
from discreet.families.normal.accuracy import ExpectedError
from discreet.posteriors.normal import NormalPosterior

if TYPE_CHECKING:
    from discreet.families.normal.summary import NormalSummary
    from discreet.posteriors.normal import NormalLaw

    pass

    _Model = Model[NormalPosterior, NormalLaw, NormalSummary]
else:
    _Model = Model

MOST_GRID = 2**20
_SIZES = Fraction(1, 10**30), Fraction(10**30)  # of numbers that floats work with


@dataclass(frozen=True, init=False, repr=False)
class NormalMean(_Model):
    """Records x_i ~ N(μ, variance), μ ~ N(prior_mean, prior_variance), within public bounds.

    Records are clipped to the bounds and put on a grid: each counts as the nearest of the
    2·grid + 1 equally spaced numbers between them. The bounds are declared, never read off the
    data; they decide how much noise is needed.

    What is not given follows from the bounds: μ is expected in their middle, and both variances are
    (width/4)², so that μ beforehand, and a record around the middle, lie within the bounds with
    probability 0.95. The prior then counts as much as one record (Kass and Wasserman 1995).

    Args:
        prior_mean: of μ; None: the middle of the bounds.
        prior_variance: of μ; None: (width/4)².
        variance: of the records around μ, known; None: (width/4)². Where the bounds are wide,
            that is more than it is, and intervals are wider than they need be.
        bounds: (low, high) of the records.
        grid: how finely records are read, half the number of steps between the bounds.

    Example:
        >>> import discreet as dp
        >>> model = dp.NormalMean(120, 400, 900, bounds=(0, 300))
        >>> model.posterior(model.count([118, 131, 95, 144]))
        N(121.28, 12²)
    """

    kind: ClassVar[str] = "NormalMean"

    prior_mean: Fraction
    prior_variance: Fraction
    variance: Fraction
    bounds: tuple[Fraction, Fraction]
    grid: int

    def __init__(
        self,
        prior_mean: Number | None = None,
        prior_variance: Number | None = None,
        variance: Number | None = None,
        bounds: tuple[Number, Number] | Sequence[Number] | None = None,
        grid: int = 50400,
    ) -> None:
        object.__setattr__(self, "bounds", _bounds(bounds))
        mean = self.centre if prior_mean is None else _moderate("prior_mean", prior_mean)
        object.__setattr__(self, "prior_mean", mean)
        for name, value in (("prior_variance", prior_variance), ("variance", variance)):
            number = _usual(name, self.half) if value is None else value
            object.__setattr__(self, name, check.between(name, number, *_SIZES))
        object.__setattr__(self, "grid", check.whole("grid", grid, least=2, most=MOST_GRID))

    @property
    def centre(self) -> Fraction:
        """The middle of the bounds."""
        return sum(self.bounds, Fraction(0)) / 2

    @property
    def half(self) -> Fraction:
        """Half the width of the bounds."""
        return (self.bounds[1] - self.bounds[0]) / 2

    def count(
        self,
        data: object,
        column: str | None = None,
        *,
        where: str | None = None,
        unknown: str = "error",
        unit: str | None = None,
        max_per_unit: int | None = None,
        per_unit: str = "cut",
        table: str | None = None,
        line_breaks: bool = False,
    ) -> Statistics:
        """Sum records where they are. The result is private.

        Args:
            data: a list, array or Series of numbers; or, with `column`, a data frame, relation or
                file, as for `DirichletMultinomial.count`.
            column: the column with the numbers.
            where: a condition on one record, such as "age >= 50".
            unknown: missing and infinite numbers are an "error", or left out ("drop", which makes
                n private); "middle" takes the middle of the bounds for what is missing and clips
                what is infinite.
            unit: the column that tells whose record it is; then a whole unit is protected.
            max_per_unit: how many records of one unit are kept at most.
            per_unit: "cut" to `max_per_unit`; or "average": all are kept, and every unit weighs
                one, so that it is the mean over units that is learnt.
            table: the table of a .duckdb file.
            line_breaks: declares that a correct CSV writer wrote the file, whose quoted values may
                hold line breaks; a release says so. Else a record is a line.

        Returns:
            `Statistics`: the number of records, and the sum of U, whole numbers with
            U/grid = (x − centre)/half for x clipped to the bounds. If every unit weighs one: the
            number of units, and the sum of their mean U.
        """
        if column is None and unit is not None:
            raise InputError("unit needs data with columns: give column too", "unit")
        name = "value" if column is None else column
        found = moments(
            {name: _numbers(data)} if column is None else data,
            [Scaled(name, *self.bounds)],
            self.grid,
            NumberRules(where, unknown, table, line_breaks, unit, max_per_unit, per_unit),
            squares=False,
        )
        return Statistics(
            () if column is None else (column,),
            (found.n, *found.sums),
            self._reading,
            where,
            unknown == "drop",
            line_breaks,
            found.left_out,
            unit or "record",
            max_per_unit or 1,
            per_unit,
        )

    @property
    def _reading(self) -> tuple[Fraction, Fraction, int]:
        return (*self.bounds, self.grid)

    def step(self, n: int) -> Fraction:
        """How far one unit of ΣU moves the posterior mean: V·half/(grid·(v + nV))."""
        whole = self.variance + n * self.prior_variance
        return self.prior_variance * self.half / (self.grid * whole)

    def posterior_variance(self, n: int) -> Fraction:
        """1/(1/V + n/v), which does not depend on the records."""
        return self.variance * self.prior_variance / (self.variance + n * self.prior_variance)

    def posterior_mean(self, n: int, total: Fraction | int) -> Fraction:
        """(v·m + V·Σx)/(v + nV), with Σx = n·centre + half·ΣU/grid."""
        weighted = self.variance * self.prior_mean + n * self.prior_variance * self.centre
        return weighted / (self.variance + n * self.prior_variance) + self.step(n) * total

    def to_vector(self, counts: object) -> tuple[int, ...]:
        """The number of records and the sum, as `count` makes them."""
        if isinstance(counts, Statistics):
            if counts.reading != self._reading or len(counts.values) != 2:
                raise InputError("counts were made for other bounds or another grid", "counts")
            return counts.values
        if isinstance(counts, tuple) and len(counts) == 2:
            n, total = Statistics(("value",), counts, self._reading).values
            if abs(total) <= n * self.grid:
                return n, total
        raise InputError("counts must be made by model.count(data)", "counts")

    def n_records(self, values: Sequence[int]) -> int:
        """The number of records, or of persons if each weighs one."""
        return values[0]

    @property
    def size(self) -> int:
        """How many numbers are released: n and the sum."""
        return 2

    def released(self, values: Sequence[Any]) -> NormalPosterior:
        """The posterior that takes a released sum, and number, for the true one."""
        n, total = values
        return NormalPosterior(self.posterior_mean(n, total), self.posterior_variance(n))

    def posterior(self, data: Any) -> NormalPosterior:
        """The posterior of μ, of statistics or of numbers. Not private: for the data owner only."""
        counts = data if isinstance(data, (Statistics, tuple)) else self.count(data)
        return self.released(self.to_vector(counts))

    @property
    def prior(self) -> NormalPosterior:
        """What is known of μ without data."""
        return NormalPosterior(self.prior_mean, self.prior_variance)

    def expected_error(
        self,
        n: int,
        epsilon: Number,
        mechanism: str = "laplace",
        delta: Number = 0,
        points: int = 1001,
        adjacency: Adjacency | str = Adjacency.SUBSTITUTE,
        **options: Any,
    ) -> ExpectedError:
        """What to expect before paying: the error that privacy adds to the posterior mean.

        Args:
            n: the number of records, or of persons if each weighs one; under add-remove, where it
                is private, a guess at it.
            epsilon: the privacy parameter.
            mechanism: "laplace", "gaussian", "input" or "hellinger".
            delta: of "gaussian" and "input".
            points: of "hellinger".
            adjacency: "substitute", or "add-remove" for "laplace" and "gaussian".
            options: under add-remove unit with max_per_unit, or with per_unit="average".
        """
        given = {"delta": delta, "points": points}
        taken = families.options_of(mechanism, self)
        public = None if Adjacency(adjacency) is Adjacency.ADD_REMOVE else n
        made = families.mechanism(
            mechanism,
            self,
            public,
            epsilon=epsilon,
            adjacency=adjacency,
            **{name: value for name, value in given.items() if name in taken},
            **options,
        )
        found: ExpectedError = made.expected_error(n)
        return found

    def to_document(self) -> dict[str, Any]:
        """The model as JSON can hold it."""
        return {
            "kind": self.kind,
            "prior_mean": str(self.prior_mean),
            "prior_variance": str(self.prior_variance),
            "variance": str(self.variance),
            "bounds": [str(bound) for bound in self.bounds],
            "grid": self.grid,
        }

    def __repr__(self) -> str:
        shown = [
            check.show(x)
            for x in (self.prior_mean, self.prior_variance, self.variance, *self.bounds)
        ]
        mean, prior, variance, low, high = shown
        return (
            f"NormalMean(prior_mean={mean}, prior_variance={prior}, variance={variance}, "
            f"bounds=({low}, {high}), grid={self.grid})"
        )


def released_posterior(mechanism: Mechanism, value: Sequence[Any]) -> NormalPosterior:
    """The posterior that takes a released sum, and number, for the true one."""
    model: NormalMean = mechanism.config.model
    return model.released(value)


def read_model(document: Mapping[str, Any]) -> NormalMean:
    """The model that `to_document` wrote."""
    described = document["model"]
    return NormalMean(
        exact(described["prior_mean"]),
        exact(described["prior_variance"]),
        exact(described["variance"]),
        [exact(bound) for bound in described["bounds"]],
        described["grid"],
    )


def _moderate(name: str, value: object) -> Fraction:
    number = check.rational(name, value)
    if number and not _SIZES[0] <= abs(number) <= _SIZES[1]:
        raise InputError(f"{name} must be of ordinary size, got {check.brief(value)}", name)
    return number


def _bounds(value: object) -> tuple[Fraction, Fraction]:
    """Two public numbers, the lower first."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise InputError(
            f"bounds must be two public numbers (low, high), got {check.brief(value)}", "bounds"
        )
    low, high = (_moderate(f"bounds[{i}]", bound) for i, bound in enumerate(value))
    if not low < high:
        raise InputError(
            f"bounds must be (low, high) with low < high, got ({check.show(low)}, "
            f"{check.show(high)})",
            "bounds",
        )
    Scaled("value", low, high)  # refuses those that floats cannot tell apart
    return low, high


def _usual(name: str, half: Fraction) -> Fraction:
    """The variance that bounds suggest."""
    variance = (half / 2) ** 2
    if not _SIZES[0] <= variance <= _SIZES[1]:
        apart = check.show(2 * half)
        raise InputError(
            f"{name} must be given for bounds of no ordinary width, got bounds {apart} apart", name
        )
    return variance


def _numbers(data: object) -> object:
    """Records that are numbers themselves; frames and files need a column."""
    if (
        isinstance(data, (str, Mapping))
        or getattr(data, "ndim", 1) != 1
        or hasattr(data, "columns")
    ):
        raise InputError("column must be given for data with columns", "column")
    return data
