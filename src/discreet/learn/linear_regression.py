"""A linear regression with differential privacy, for scikit-learn."""

# ruff: noqa: N803 - X is scikit-learn's name

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from discreet import check
from discreet.core import families
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.families.regression.posterior import CoefficientSamples
from discreet.learn.encoding import Column, numbers
from discreet.learn.reading import read_features, read_groups, read_records
from discreet.learn.regression import regression
from discreet.learn.settings import read_generator, read_options
from discreet.progress import track
from discreet.releases.releasing import release


class PrivateLinearRegression(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Bayesian linear regression, fitted by one private release.

    The model is a `dp.LinearRegression`: y = w_0 + Σ_j w_j·x_j + normal noise. `fit` sums the
    products of all columns, releases them, or samples of the coefficients, with `dp.release` and
    forgets them: what is predicted, pickled or published afterwards costs no more privacy. Records
    are clipped to the bounds; by how much is never told. Under adjacency "substitute" the number of
    records is made public.

    Args:
        epsilon: the budget of one fit.
        delta: as in `dp.release`: above 0 "statistics" has Gaussian noise instead of Laplace's.
        mechanism: "statistics" releases noisy sums, and all coefficients are inferred from them
            with the noise accounted for; "sample" draws coefficients from their posterior, and
            needs a known noise_variance.
        bounds: of the features and y, public and never read from the data:
            {"X": …, "y": (low, high)}, where "X" has one pair for all features, a list of pairs, or
            a mapping by name. Features may also stand beside "y" under their own names. Columns of
            an array are called "x0", "x1", …. What is declared for one feature goes before what is
            declared for all.
        prior: of the coefficients, in the units of the data, as in `dp.LinearRegression`. None:
            where every column is mapped to [−1, 1], independent coefficients with mean 0; the
            constant has variance 1/4, the d others 3/(8d).
        noise_variance: of y given x, if it is known; or a pair (shape, scale) for an unknown one
            with an inverse-gamma prior. None: unknown, with shape 2 and mean (h/4)², where h is
            half the width of y's bounds.
        radius: a bound on the norm of the features, as in `dp.LinearRegression`.
        fit_intercept: whether there is a constant.
        adjacency: "substitute", or "add-remove" for "statistics".
        options: of the mechanism, by name.
        unit: who is protected where one may have several records, say "patient"; `fit` is then told
            whose every record is.
        max_per_unit: how many records of one unit are kept at most.
        per_unit: "cut" to `max_per_unit`; or "average": all are kept, and every unit weighs one.
        ledger: pays for every fit, so for each fold of a cross-validation too (`dp.Ledger.open`).
        dataset: the name under which the ledger keeps the budget of these data.
        random_state: None for a release. An integer, RandomState or Generator makes a reproducible
            simulation, which is not private.

    Attributes:
        coef_: the posterior mean of every coefficient; of "sample" the mean of the samples.
        intercept_: likewise of the constant; 0 without one.
        posterior_: what is known of the coefficients: the noise-aware posterior, or the samples.
        release_: the `Release`.
        guarantee_: its guarantee: (ε, δ), adjacency, unit and basis.
        model_: the `dp.LinearRegression`.
        n_features_in_: the number of features.
        feature_names_in_: their names, if X was a data frame.

    Example:
        >>> import numpy as np
        >>> from discreet.learn import PrivateLinearRegression
        >>> age = np.arange(20, 60, 0.01)
        >>> model = PrivateLinearRegression(
        ...     epsilon=1.0,
        ...     bounds={"x0": (20, 60), "y": (0, 10)},
        ...     random_state=1,  # a simulation: leave it out to release
        ... )
        >>> mean, std = model.fit(age[:, None], age / 10).predict([[45]], return_std=True)
        >>> mean.round(1).tolist()
        [4.5]
        >>> print(model.guarantee_)
        ε = 1, δ = 0 for replacing one record
    """

    def __init__(
        self,
        epsilon: Any = 1.0,
        *,
        delta: Any = 0.0,
        mechanism: str = "statistics",
        bounds: Any = None,
        prior: Any = None,
        noise_variance: Any = None,
        radius: Any = None,
        fit_intercept: bool = True,
        adjacency: Any = "substitute",
        options: Mapping[str, Any] | None = None,
        ledger: Any = None,
        dataset: str | None = None,
        random_state: Any = None,
        unit: str | None = None,
        max_per_unit: int | None = None,
        per_unit: str = "cut",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.mechanism = mechanism
        self.bounds = bounds
        self.prior = prior
        self.noise_variance = noise_variance
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.adjacency = adjacency
        self.options = options
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state
        self.unit = unit
        self.max_per_unit = max_per_unit
        self.per_unit = per_unit

    def fit(self, X: Any, y: Any, groups: Any = None) -> PrivateLinearRegression:
        """Sum the products of the clipped columns, release once and keep the release.

        Args:
            X: records by features: an array or a data frame of numbers.
            y: the numbers to be explained.
            groups: for every record whose it is, an identifier; needed with `unit`.

        Raises:
            InputError: an argument is wrong, bounds are not declared, or a value is missing,
                infinite or no number; the message has feature and row, never the value. Nothing
                was drawn or charged.
            PrivacyRefusedError, BudgetError, LedgerError: as in `dp.release`.
        """
        names, columns, target = read_records(self, X, y)
        rules, whose = read_groups(self, groups, len(target))
        intercept = check.choice("fit_intercept", self.fit_intercept, (True, False))
        model = regression(
            names, self.bounds, self.prior, self.noise_variance, self.radius, intercept
        )
        options = read_options(self.options, self.mechanism, model, besides=("delta",))
        features = dict(zip(names, _numbers(columns, names), strict=True))
        table = features | {model.y: numbers(target, "y")}
        if self.unit in table:
            raise InputError(
                f"unit must not be the name of a feature or y, got {self.unit!r}", "unit"
            )
        if whose is not None:
            table[self.unit] = whose
        stats = model.count(table, model.y, names, **rules)
        self.release_ = release(
            stats,
            model,
            self.epsilon,
            self.mechanism,
            adjacency=self.adjacency,
            delta=self.delta,
            rng=read_generator(self.random_state),
            ledger=self.ledger,
            dataset=self.dataset,
            **options,
        )
        self.guarantee_, self.model_ = self.release_.guarantee, model
        made = self.release_
        aware = families.spec_of(made.mechanism).can("noise_aware")
        self.posterior_ = made.noise_aware() if aware else made.posterior
        coefficients = self.posterior_.mean()
        self.intercept_ = float(coefficients[0]) if intercept else 0.0
        self.coef_ = coefficients[int(intercept) :]
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The predictive mean of y for every record, and its standard deviation if asked for.

        Args:
            X: records by features, which are not clipped.
            return_std: also √(xᵀ·covariance·x + noise variance). From one sample of the
                coefficients their covariance is not known, and taken as 0.
        """
        check_is_fitted(self)
        table = np.stack(_numbers(read_features(self, X), self.model_.X), axis=1)
        mean = table @ self.coef_ + self.intercept_
        return (mean, self._std(table)) if return_std else mean

    def _std(self, table: Floats) -> Floats:
        noise = self.posterior_.noise_variance()
        if isinstance(self.posterior_, CoefficientSamples) and len(self.posterior_.draws) == 1:
            return np.full(len(table), np.sqrt(noise))
        if self.model_.intercept:
            table = np.column_stack([np.ones(len(table)), table])
        spread = ((table @ self.posterior_.covariance()) * table).sum(axis=1)
        return np.asarray(np.sqrt(noise + spread))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags


def _numbers(columns: Sequence[Column], names: Sequence[str]) -> list[Floats]:
    """The columns of X as finite floats."""
    pairs = track(zip(columns, names, strict=True), "Reading the features", len(names))
    return [numbers(column, "X", name) for column, name in pairs]
