"""Bayesian linear regression on records that are clipped to public bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet import check
from discreet.check import Number
from discreet.core import Adjacency, families
from discreet.core.counts import Model
from discreet.core.documents import exact
from discreet.core.statistics import Statistics, places
from discreet.data.moments import NumberRules, Scaled, moments
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.families.regression.conjugate import conjugate
from discreet.families.regression.default_prior import usual_noise, usual_prior
from discreet.families.regression.posterior import CoefficientsPosterior
from discreet.families.regression.prior import CoefficientsPrior, Matrix, Prior, Vector
from discreet.families.regression.reading import (
    INTERCEPT,
    bounded,
    ordered,
    read_arrays,
    read_bounds,
    read_noise,
)
from discreet.families.regression.units import Units

if TYPE_CHECKING:
    from discreet.families.regression.accuracy import ExpectedError
    from discreet.families.regression.posterior import CoefficientSamples, CoefficientsMixture
    from discreet.families.regression.summary import CoefficientsSummary

    _Model = Model[
        CoefficientsPosterior | CoefficientSamples, CoefficientsMixture, CoefficientsSummary
    ]
else:
    _Model = Model

GRID = 50400  # 2^5·3^2·5^2·7: whole numbers between round bounds fall on it exactly
MOST_FEATURES = 200
MOST_VARIANCE = 10**15


@dataclass(frozen=True, init=False, repr=False)
class LinearRegression(_Model):
    """y = w_0 + Σ_j w_j·x_j + noise with normal noise and a normal prior of the coefficients.

    Records are clipped to the bounds, which are public. The constant is called
    "intercept".

    Args:
        prior: of the coefficients, in the units of the data. None: one that the bounds suggest.
            Else a variance for all of them, with mean 0; a pair (mean, covariance), where the mean
            is a number or a vector and the covariance a variance, a vector of variances or a
            matrix, the intercept first and then X in order; or a mapping from "intercept" and every
            column to a variance or a pair (mean, variance).
        noise_variance: of y given x, if it is known; or a pair (shape, scale) for an unknown one
            with an inverse-gamma prior; None: unknown, with one that the bounds of y suggest. If it
            is unknown, the prior covariance is multiplied by it, which makes the prior conjugate
            (normal-inverse-gamma).
        bounds: a mapping from every column, y too, to (low, high).
        radius: a bound on the l2 norm of the features, each measured in half the width of its
            bounds from their middle. Records beyond are drawn back to it. None: the bounds alone.
        intercept: whether there is a constant.
        grid: steps from the middle of the bounds to either end, to which records are rounded.

    Example:
        >>> import discreet as dp
        >>> model = dp.LinearRegression(
        ...     prior=100, noise_variance=1, bounds={"age": (20, 60), "pay": (0, 10)}
        ... )
        >>> stats = model.count({"age": [25, 45, 50], "pay": [2, 5, 6]}, y="pay")
        >>> model.posterior(stats).mean().round(3).tolist()
        [-1.861, 0.155]
    """

    kind: ClassVar[str] = "LinearRegression"

    prior: CoefficientsPrior | None
    noise: Fraction | tuple[Fraction, Fraction] | None
    bounds: tuple[Scaled, ...]
    radius: Fraction | None
    intercept: bool
    grid: int
    y: str | None
    X: tuple[str, ...]

    def __init__(
        self,
        prior: Prior | None = None,
        noise_variance: Number | Sequence[Number] | None = None,
        bounds: Mapping[str, tuple[object, object]] | None = None,
        radius: Number | None = None,
        intercept: bool = True,
        grid: int = GRID,
    ) -> None:
        check.choice("intercept", intercept, (True, False))
        values: dict[str, object] = {
            "prior": None if prior is None else CoefficientsPrior.read(prior),
            "noise": None if noise_variance is None else read_noise(noise_variance),
            "bounds": read_bounds(bounds, intercept),
            "radius": None if radius is None else check.positive("radius", radius),
            "intercept": intercept,
            "grid": check.whole("grid", grid, least=2, most=2**20),
            "y": None,
            "X": (),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def of(self, y: str, X: Sequence[str] | None = None) -> LinearRegression:  # noqa: N803
        """The regression of one column on others: all with bounds, if X is None."""
        target = bounded("y", y, self.bounds)
        if isinstance(X, str):
            raise InputError(f"X must be a list of columns, got {X!r}", "X")
        if X is None:
            X = [column.name for column in self.bounds if column.name != y]  # noqa: N806
        columns = [bounded("X", name, self.bounds) for name in X]
        if not columns or len(set(columns)) < len(columns) or target in columns:
            raise InputError(
                "X must be one or more different columns, none of them y, got "
                f"{check.shorten(', '.join(columns)) or 'none'}",
                "X",
            )
        if len(columns) > MOST_FEATURES:
            raise InputError(f"X must be at most {MOST_FEATURES} columns, got {len(columns)}", "X")
        chosen = replace_fields(self, y=target, X=tuple(columns))
        noise = usual_noise(chosen.units) if self.noise is None else self.noise
        prior = usual_prior(chosen.units, noise) if self.prior is None else self.prior
        own = CoefficientsPrior(None, *prior.of(chosen.coefficients))
        model = replace_fields(chosen, prior=own, noise=noise, bounds=chosen.scaled)
        _require_moderate(model)
        return model

    def for_counts(self, counts: object) -> LinearRegression:
        """The regression that statistics were made for; `flat` refuses what are none."""
        if isinstance(counts, Statistics) and counts.columns:
            return _of(self, counts.columns)
        return self

    def count(
        self,
        data: Any,
        y: Any,
        X: Sequence[str] | None = None,  # noqa: N803
        *,
        where: str | None = None,
        unknown: str = "error",
        unit: str | None = None,
        max_per_unit: int | None = None,
        per_unit: str = "cut",
        table: str | None = None,
        line_breaks: bool = False,
    ) -> Statistics:
        """The sums of all products of two columns, in one pass where the data are. Private.

        Args:
            data: a data frame or relation of pandas, polars, pyarrow, DuckDB, dask, ibis or
                PySpark; the path of a .csv, .tsv, .jsonl, .parquet or .duckdb file; or a mapping
                from columns to arrays. Or an array of records by features, if y is an array.
            y: the column to be explained. For an array it is the array of its values; the columns
                are then called "x0", "x1", … and "y".
            X: the columns that explain it; None takes all others that have bounds.
            where: a condition on one record, such as "age >= 50 and ward in (1, 2)".
            unknown: records with a missing or infinite value are an "error", or left out ("drop",
                which makes n private); "middle" takes the middle of the bounds for what is missing
                and clips what is infinite.
            unit: the column that tells whose record it is; then a whole unit is protected.
            max_per_unit: how many records of one unit are kept at most.
            per_unit: "cut" to `max_per_unit`; or "average": all are kept, and every unit weighs
                one, so that it is the mean over units that is learnt.
            table: the table of a .duckdb file.
            line_breaks: declares that a correct CSV writer wrote the file, whose quoted values may
                hold line breaks; a release says so. Else a record is a line.

        Returns:
            `Statistics`, for `posterior` and `dp.release`.
        """
        if not isinstance(y, str):
            if hasattr(data, "columns") or isinstance(data, (str, Mapping)):
                raise InputError(
                    f"y must be the name of a column of the data, got {check.brief(y)}", "y"
                )
            if X is not None:
                raise InputError("X must be None for arrays: data are the features", "X")
            data, y = read_arrays(data, y), "y"
            X = [name for name in data if name != y]  # noqa: N806
            if unit is not None:
                raise InputError("unit needs data with columns: give y by its name", "unit")
        model = self.of(y, X)
        rules = NumberRules(where, unknown, table, line_breaks, unit, max_per_unit, per_unit)
        found = moments(
            data,
            model.scaled,
            self.grid,
            rules,
            radius=self.radius,
        )
        columns = (*model.X, y)
        entries = ordered(found.sums, found.products, found.grid if self.intercept else None)
        return Statistics(
            columns,
            (found.n, *entries),
            model.reading,
            where,
            unknown == "drop",
            line_breaks,
            found.left_out,
            unit or "record",
            max_per_unit or 1,
            per_unit,
        )

    @property
    def scaled(self) -> tuple[Scaled, ...]:
        """How X and y, the last, are read."""
        known = {scaled.name: scaled for scaled in self.bounds}
        return tuple(known[name] for name in (*self.X, self._target))

    @property
    def _target(self) -> str:
        if self.y is None:
            raise InputError("model must know its columns: model.of(y, X)", "model")
        return self.y

    @property
    def reading(self) -> tuple[object, ...]:
        """All that decides what a record adds to the statistics."""
        return self.scaled, self.grid, self.radius, self.intercept

    @property
    def coefficients(self) -> tuple[str, ...]:
        """What the coefficients are called."""
        return (INTERCEPT, *self.X) if self.intercept else self.X

    @cached_property
    def units(self) -> Units:
        """Between the data's units and those of the statistics."""
        *features, target = self.scaled
        return Units(tuple(features), target, self.intercept)

    @cached_property
    def standardised_prior(self) -> tuple[Vector, Matrix]:
        """Mean and precision of the coefficients in the units of the statistics.

        For an unknown noise variance the precision is that times the variance.
        """
        mean, precision = self.units.inward(*self._own_prior)
        if not isinstance(self.noise, tuple):
            return mean, precision
        return mean, tuple(tuple(x / self.units.noise for x in row) for row in precision)

    @cached_property
    def standardised_noise(self) -> Fraction | tuple[Fraction, Fraction]:
        """The noise variance, or shape and scale of its prior, in the units of the statistics."""
        if isinstance(self.noise, tuple):
            return self.noise[0], self.noise[1] / self.units.noise
        assert self.noise is not None
        return self.noise / self.units.noise

    @property
    def _own_prior(self) -> tuple[Vector, Matrix]:
        _ = self._target
        assert self.prior is not None
        return self.prior.of(self.coefficients)

    @property
    def rows(self) -> int:
        """Of the matrix of statistics: the constant, if there is one, X and y."""
        return len(self.coefficients) + 1

    @property
    def size(self) -> int:
        """How many numbers are released: that of records, and one for each pair of columns."""
        return 1 + self.rows * (self.rows + 1) // 2 - self.intercept

    def to_vector(self, counts: object) -> tuple[int, ...]:
        """The number of records, the products of two different columns, and the squares."""
        if not isinstance(counts, Statistics):
            raise InputError(
                f"stats must be made by model.count(data, y=…, X=…), got a {type(counts).__name__}",
                "stats",
            )
        if counts.reading != self.reading:
            raise InputError("stats were made with other columns, bounds or grid", "stats")
        return counts.values

    def n_records(self, values: Sequence[int]) -> int:
        """The number of records, or of persons if each weighs one."""
        return values[0]

    def moments(self, entries: Sequence[float]) -> Floats:
        """The matrix Σ s·sᵀ of s = (1, u, t), from the released order; the constant's is left 0."""
        matrix = np.zeros((self.rows, self.rows))
        above, right = np.transpose(places(self.rows, self.intercept))
        matrix[above, right] = matrix[right, above] = entries
        return matrix

    def posterior(self, stats: Statistics | Sequence[int]) -> CoefficientsPosterior:
        """The exact posterior given the statistics. Not private: for the data owner only."""
        model = self.for_counts(stats) if self.y is None else self
        n, *entries = model.to_vector(stats)
        matrix = model.moments([entry / self.grid**2 for entry in entries])
        if self.intercept:
            matrix[0, 0] = n
        return conjugate(model, n, matrix)

    def expected_error(
        self,
        n: int,
        epsilon: Number,
        mechanism: str = "statistics",
        adjacency: Adjacency | str = Adjacency.SUBSTITUTE,
        **options: Any,
    ) -> ExpectedError:
        """What to expect of a release before paying for it: from public values alone.

        Root mean squared errors of predictions and of every coefficient, with and without privacy
        and of the prior alone, if features are uniform within their bounds and the prior holds. A
        model that does not know its columns yet is asked as `model.of(y, X).expected_error(…)`.

        Args:
            n: the number of records, or of persons if each weighs one; under add-remove, where it
                is private, a guess at it.
            epsilon: the budget.
            mechanism: "statistics" or "sample".
            adjacency: "substitute", or "add-remove" for "statistics".
            options: as in `dp.release`: delta and weight, or samples and norm; and under add-remove
                unit with max_per_unit, or with per_unit="average".
        """
        public = None if Adjacency(adjacency) is Adjacency.ADD_REMOVE else n
        made = families.mechanism(
            mechanism, self, public, epsilon=epsilon, adjacency=adjacency, **options
        )
        found: ExpectedError = made.expected_error(n)
        return found

    def to_document(self) -> dict[str, Any]:
        """The model as JSON can hold it."""
        mean, covariance = self._own_prior
        noise = self.noise if isinstance(self.noise, tuple) else (self.noise,)
        return {
            "kind": self.kind,
            "y": self._target,
            "X": list(self.X),
            "intercept": self.intercept,
            "bounds": [[str(column.low), str(column.high)] for column in self.scaled],
            "radius": None if self.radius is None else str(self.radius),
            "grid": self.grid,
            "noise": list(map(str, noise)),
            "mean": [str(number) for number in mean],
            "covariance": [[str(number) for number in row] for row in covariance],
        }

    def __repr__(self) -> str:
        columns = ", ".join(f"{c.name} in [{c.low}, {c.high}]" for c in self.bounds)
        what = "" if self.y is None else f"{self.y} on {', '.join(self.coefficients)}; "
        return f"LinearRegression({check.shorten(what)}bounds {check.shorten(columns)})"


@lru_cache(maxsize=128)
def _of(model: LinearRegression, columns: tuple[str, ...]) -> LinearRegression:
    """The regression of the last column on the others."""
    return model.of(columns[-1], columns[:-1])


def read_model(document: Mapping[str, Any]) -> LinearRegression:
    """The model that `to_document` wrote."""
    described = document["model"]
    columns = [*described["X"], described["y"]]
    noise = [exact(number) for number in described["noise"]]
    model = LinearRegression(
        (
            [exact(number) for number in described["mean"]],
            [[exact(number) for number in row] for row in described["covariance"]],
        ),
        noise[0] if len(noise) == 1 else tuple(noise),
        {
            name: (exact(low), exact(high))
            for name, (low, high) in zip(columns, described["bounds"], strict=True)
        },
        None if described["radius"] is None else exact(described["radius"]),
        described["intercept"],
        described["grid"],
    )
    return model.of(described["y"], described["X"])


def replace_fields(model: LinearRegression, **changes: object) -> LinearRegression:
    """A copy with other fields; `dataclasses.replace` would call the constructor."""
    copy = object.__new__(LinearRegression)
    for name in model.__dataclass_fields__:
        object.__setattr__(copy, name, changes.get(name, getattr(model, name)))
    return copy


def _require_moderate(model: LinearRegression) -> None:
    """Refuse a prior that floats cannot hold beside the data: in units of the bounds."""
    for place, (name, row) in enumerate(
        zip(model.coefficients, model.standardised_prior[1], strict=True)
    ):
        if not Fraction(1, MOST_VARIANCE) <= row[place] <= MOST_VARIANCE:
            raise InputError(
                f"prior must give {name!r} a variance between 1e-15 and 1e15, all columns being "
                f"measured in half the width of their bounds, got {check.show(1 / row[place])}",
                "prior",
            )
