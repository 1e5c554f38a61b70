"""The Dirichlet-multinomial model; the Beta-binomial is its case of two categories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet import check
from discreet.check import Category
from discreet.core import Counts
from discreet.core.counts import values_of
from discreet.errors import InputError
from discreet.models.posterior import DirichletPosterior


@dataclass(frozen=True, init=False, repr=False)
class DirichletMultinomial:
    """Records fall into public categories with unknown probabilities θ ~ Dirichlet(prior).

    Args:
        categories: two or more distinct labels: strings, integers or booleans.
        prior: one positive number for all categories, a vector, or "jeffreys" (½ each).
    """

    categories: tuple[Category, ...]
    prior: tuple[Fraction, ...]

    def __init__(self, categories: Iterable[Any], prior: object = 1.0) -> None:
        labels = check.categories(categories)
        object.__setattr__(self, "categories", labels)
        object.__setattr__(self, "prior", check.prior(prior, len(labels)))

    def count(self, data: object) -> Counts:
        """Count the records of a list or array by category. The result is private.

        Missing and undeclared values are an error that names the position, never the value.
        """
        if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
            raise InputError(
                f"data must be a list or array of records, got {type(data).__name__}; "
                "counts go to dp.release as they are",
                "data",
            )
        if (dimensions := getattr(data, "ndim", 1)) != 1:
            raise InputError(
                f"data must have one dimension, got {dimensions}; pass one column", "data"
            )
        records: Iterable[Any] = data.tolist() if isinstance(data, np.ndarray) else data
        tally: dict[Any, int] = dict.fromkeys(self.categories, 0)
        for position, record in enumerate(records):
            value = record.item() if isinstance(record, np.generic) else record
            if not isinstance(value, (str, int, float)) or value not in tally:
                raise InputError(f"data[{position}] is missing or not a declared category", "data")
            tally[value] += 1
        return Counts(tuple(tally.values()), self.categories)

    def posterior(self, counts: object) -> DirichletPosterior:
        """The posterior Dirichlet(prior + counts). Not private: for the data owner only."""
        values = values_of(counts, self.categories)
        return DirichletPosterior(
            self.categories, tuple(a + c for a, c in zip(self.prior, values, strict=True))
        )

    def describe(self) -> dict[str, Any]:
        """The model in JSON's types."""
        return {
            "kind": "DirichletMultinomial",
            "categories": list(self.categories),
            "prior": [str(a) for a in self.prior],
        }

    def __repr__(self) -> str:
        categories = check.shorten(repr(self.categories))
        return f"DirichletMultinomial(categories={categories}, prior={_prior_text(self.prior)})"


def BetaBinomial(  # noqa: N802 - a name of the public design
    prior: object = 1.0, categories: Iterable[Any] = (True, False)
) -> DirichletMultinomial:
    """Two categories, θ ~ Beta(prior): prior=(2, 3) is Beta(2, 3).

    Counts are in the order (ones, zeros). `np.bincount` gives the reverse: use `model.count(data)`
    or a mapping.
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
