"""The Dirichlet-multinomial model; the Beta-binomial is its case of two categories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from discreet import check
from discreet.check import Category, Number
from discreet.core import Counts, Mechanism
from discreet.core.counts import CountsLike, Grouping, Model, values_of
from discreet.core.documents import exact
from discreet.errors import DocumentError, InputError
from discreet.posteriors.dirichlet import DirichletPosterior

if TYPE_CHECKING:
    from discreet.families.dirichlet.summary import Summary
    from discreet.posteriors.mixture import DirichletMixture

    pass

    _Model = Model[DirichletPosterior, DirichletMixture, Summary]
else:
    _Model = Model


@dataclass(frozen=True, init=False, repr=False)
class DirichletMultinomial(_Model):
    """Records fall into public categories with unknown probabilities θ ~ Dirichlet(prior).

    Args:
        categories: two or more distinct labels: strings, integers or booleans.
        prior: one positive number for all categories, a vector in their order, a mapping or Series
            by category, or "jeffreys" (½ each).

    Example:
        >>> import discreet as dp
        >>> model = dp.DirichletMultinomial(("cured", "improved", "unchanged"), prior=1)
        >>> model.posterior(model.count(["cured", "cured", "unchanged"])).mean().round(3).tolist()
        [0.5, 0.167, 0.333]
    """

    kind: ClassVar[str] = "DirichletMultinomial"

    categories: tuple[Category, ...]
    prior: tuple[Fraction, ...]
    by: Grouping | None = None

    def __init__(self, categories: Iterable[Any], prior: Number | CountsLike | str = 1.0) -> None:
        labels = check.categories(categories)
        object.__setattr__(self, "categories", labels)
        object.__setattr__(self, "prior", check.prior(prior, labels))
        object.__setattr__(self, "by", None)

    def count(
        self,
        data: object,
        column: str | None = None,
        *,
        where: str | None = None,
        unknown: str = "error",
        other: Category | None = None,
        unit: str | None = None,
        max_per_unit: int | None = None,
        per_unit: str = "cut",
        by: str | None = None,
        groups: Iterable[Any] | None = None,
        table: str | None = None,
        line_breaks: bool = False,
    ) -> Counts:
        """Count records by category, where they are. The result is private.

        Args:
            data: a list, array or Series of records; or, with `column`, a data frame or relation of
                pandas, polars, pyarrow, DuckDB, dask, ibis or PySpark, or the path of a .csv, .tsv,
                .jsonl, .parquet (compressed or not; patterns such as "lake/*.parquet" too) or
                .duckdb file. The engine counts, and only counts come back.
            column: the column with the categories.
            where: a condition on one record, such as "age >= 50 and ward in (1, 2)".
            unknown: missing and undeclared values are an "error", go into the category `other`, or
                are left out ("drop").
            other: the declared category for them.
            unit: the column that tells whose record it is; then a whole unit is protected.
            max_per_unit: how many records of one unit are kept at most.
            per_unit: "cut" to `max_per_unit`; or "average": all are kept, and every unit weighs
                one, so that it is the mean over units that is learnt.
            by: a second column: counts are made for each of its declared groups.
            groups: the declared values of that column.
            table: the table of a .duckdb file.
            line_breaks: declares that a correct CSV writer wrote the file, whose quoted values may
                hold line breaks; a release says so. Else a record is a line.

        Returns:
            `Counts`, which remember how they were made, so that `dp.release` can refuse what would
            not be private. After `where` or "drop" the number of records is no longer public.

        Raises:
            UnknownValuesError: a value is missing or undeclared; `.values` has up to five of them.
            DataError: the data cannot be read.
        """
        from discreet.data import Rules, tabulate

        rules = Rules(where, unknown, other, unit, max_per_unit, table, line_breaks, per_unit)
        if (by is None) != (groups is None):
            raise InputError(
                "by and groups belong together: a column and its declared values",
                "groups" if groups is None else "by",
            )
        if column is not None:
            check.label("column", column)
        columns: dict[str | None, tuple[Category, ...]] = {column: self.categories}
        grouping = None
        if by is not None:
            if column is None:
                raise InputError("column must be given with by", "column")
            if by == column:
                raise InputError(f"by must be another column than {column!r}", "by")
            grouping = Grouping(
                check.label("by", by), check.categories(groups, "groups"), self.categories
            )
            columns = {by: grouping.groups, **columns}
        tally = tabulate(data, columns, rules)
        return Counts(
            tally.values,
            self.categories if grouping is None else grouping.cells,
            unit=unit or "record",
            max_per_unit=max_per_unit or 1,
            dropped=unknown == "drop",
            column=column,
            where=where,
            other=other,
            by=grouping,
            line_breaks=line_breaks,
            unknown=tally.unknown,
            per_unit=per_unit,
        )

    @property
    def size(self) -> int:
        """How many counts there are."""
        return len(self.categories)

    def to_vector(self, counts: object) -> tuple[int, ...]:
        """The counts in category order."""
        return values_of(counts, self.categories)

    def n_records(self, values: Sequence[int]) -> int:
        """The number of records behind counts."""
        return sum(values)

    def released(self, values: Sequence[int | Fraction]) -> DirichletPosterior:
        """The posterior that takes released counts for the true ones."""
        return DirichletPosterior(
            self.categories, tuple(a + v for a, v in zip(self.prior, values, strict=True))
        )

    def for_counts(self, counts: object) -> DirichletMultinomial:
        """The model of these counts: of a joint table if they were made with groups."""
        by = counts.by if isinstance(counts, Counts) else None
        return self if by in (None, self.by) else self.grouped(by)

    def grouped(self, by: Grouping) -> DirichletMultinomial:
        """The model of a joint table: the same prior within every group."""
        if by.categories != self.categories:
            raise InputError("counts were made for other categories than the model's", "counts")
        joint = DirichletMultinomial(by.cells, self.prior * len(by.groups))
        object.__setattr__(joint, "by", by)
        return joint

    def posterior(self, counts: CountsLike) -> DirichletPosterior:
        """The posterior Dirichlet(prior + counts). Not private: for the data owner only."""
        values, parts = self.to_vector(counts), getattr(counts, "parts", 1)
        return self.released(tuple(Fraction(value, parts) for value in values))

    def to_document(self) -> dict[str, Any]:
        """The model as JSON can hold it."""
        described: dict[str, Any] = {
            "kind": self.kind,
            "categories": list(self.categories),
            "prior": [str(a) for a in self.prior],
        }
        if self.by is not None:
            described["by"] = {
                "column": self.by.column,
                "groups": list(self.by.groups),
                "categories": list(self.by.categories),
            }
        return described

    def __repr__(self) -> str:
        categories = check.shorten(repr(self.categories))
        return f"DirichletMultinomial(categories={categories}, prior={_prior_text(self.prior)})"


def released_posterior(mechanism: Mechanism, value: tuple[int, ...]) -> DirichletPosterior:
    """The posterior that takes released counts for the true ones."""
    model: DirichletMultinomial = mechanism.config.model
    return model.released(value)


def read_model(document: Mapping[str, Any]) -> DirichletMultinomial:
    """The model that `to_document` wrote."""
    described = document["model"]
    prior = [exact(a) for a in described["prior"]]
    if (by := described.get("by")) is None:
        return DirichletMultinomial(described["categories"], prior)
    grouping = Grouping(by["column"], by["groups"], by["categories"])
    within = DirichletMultinomial(grouping.categories, prior[: len(grouping.categories)])
    if within.prior * len(grouping.groups) != tuple(prior):
        raise DocumentError("model must have the same prior in every group", "model")
    return within.grouped(grouping)


def BetaBinomial(  # noqa: N802 - a name of the public design
    prior: Number | CountsLike | str = 1.0, categories: Iterable[Any] = (True, False)
) -> DirichletMultinomial:
    """Two categories, θ ~ Beta(prior): prior=(2, 3) is Beta(2, 3).

    Counts are in the order (ones, zeros). `np.bincount` gives the reverse: use `model.count(data)`
    or a mapping.

    Args:
        prior: one number, or the two parameters of the Beta law of the first category.
        categories: the labels of ones and zeros.

    Returns:
        A `DirichletMultinomial` of two categories.

    Raises:
        InputError: there are not two categories, or the prior is none.

    Example:
        >>> import discreet as dp
        >>> dp.BetaBinomial((2, 3)).posterior((7, 3)).parameters
        (Fraction(9, 1), Fraction(6, 1))
    """
    model = DirichletMultinomial(categories, prior)
    if len(model.categories) != 2:
        raise InputError(
            f"categories must name exactly two categories, got {len(model.categories)}",
            "categories",
        )
    return model


def _prior_text(prior: tuple[Fraction, ...]) -> str:
    if len(set(prior)) == 1:
        return check.show(prior[0])
    more = ", …" if len(prior) > 8 else ""
    return f"({', '.join(check.show(a) for a in prior[:8])}{more})"
