"""A naive Bayes classifier with differential privacy, for scikit-learn."""

# ruff: noqa: N803 - X is scikit-learn's name

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from discreet import check
from discreet.check import Category
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.learn.encoding import Column, Feature, declared
from discreet.learn.predictive import count, encode, joint_log_likelihood, network, normalised
from discreet.learn.reading import read_features, read_groups, read_records
from discreet.learn.settings import read_generator, read_options
from discreet.releases.releasing import release


class PrivateNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes for categorical and binned features, fitted by one private release.

    The model is a `dp.BayesNet` with the class as the only parent of every feature. `fit` counts
    the tables (class, feature), releases them with `dp.release` and forgets them: what is
    predicted, pickled or published afterwards costs no more privacy. Under adjacency "substitute"
    the number of records is made public. With the released posterior

        P(y | x) ∝ E[θ_y] · Π_j E[θ_{x_j | y}].

    Args:
        epsilon: the budget of one fit.
        mechanism: as in `dp.release` for networks: "lattice", "laplace_updates", …; "gaussian" with
            options={"delta": …}.
        prior: the Dirichlet parameter of all cells, or as in `dp.BayesNet` by node, where the
            class is the node "class", or "class_" if a feature has that name.
        categories: the states of features, public: one list for all of them, a list of lists, or a
            mapping by name. Columns of an array are called "x0", "x1", ….
        bins: the edges of numeric features, public, given like categories. The edges 1, 2 make the
            bins x < 1, 1 ≤ x < 2 and x ≥ 2. What is declared for one feature goes before what is
            declared for all.
        classes: the labels, public. One without examples is predicted from the prior and the noise.
        adjacency: "substitute", or "add-remove" for "lattice", "gaussian" and "laplace_updates".
        options: of the mechanism, by name.
        unit: who is protected where one may have several records, say "patient"; `fit` is then told
            whose every record is.
        max_per_unit: how many records of one unit are kept at most.
        per_unit: "cut" to `max_per_unit`; or "average": all are kept, and every unit weighs one.
        ledger: pays for every fit, so for each fold of a cross-validation too (`dp.Ledger.open`).
        dataset: the name under which the ledger keeps the budget of these data.
        random_state: None for a release. An integer, RandomState or Generator makes a reproducible
            simulation, which is not private; only there classes may be taken from y, and features
            without categories or bins are cut at −2, −1.5, …, 2.

    Attributes:
        classes_: the labels in increasing order.
        release_: the `Release`.
        guarantee_: its guarantee: (ε, δ), adjacency, unit and basis.
        net_: the network of the class and the features.
        n_features_in_: the number of features.
        feature_names_in_: their names, if X was a data frame.

    Example:
        >>> from discreet.learn import PrivateNaiveBayes
        >>> X = [["yes", 20.5], ["yes", 31.0], ["no", 64.0], ["no", 70.0]] * 100
        >>> y = ["well", "well", "ill", "ill"] * 100
        >>> model = PrivateNaiveBayes(
        ...     epsilon=1.0,
        ...     categories={"x0": ["no", "yes"]},
        ...     bins={"x1": [30, 50]},
        ...     classes=["ill", "well"],
        ...     random_state=1,  # a simulation: leave it out to release
        ... )
        >>> model.fit(X, y).predict([["yes", 25], ["no", 80]]).tolist()
        ['well', 'ill']
        >>> print(model.guarantee_)
        ε = 1, δ = 0 for replacing one record
    """

    def __init__(
        self,
        epsilon: Any = 1.0,
        *,
        mechanism: str = "lattice",
        prior: Any = 1.0,
        categories: Any = None,
        bins: Any = None,
        classes: Any = None,
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
        self.mechanism = mechanism
        self.prior = prior
        self.categories = categories
        self.bins = bins
        self.classes = classes
        self.adjacency = adjacency
        self.options = options
        self.ledger = ledger
        self.dataset = dataset
        self.random_state = random_state
        self.unit = unit
        self.max_per_unit = max_per_unit
        self.per_unit = per_unit

    def fit(self, X: Any, y: Any, groups: Any = None) -> PrivateNaiveBayes:
        """Count, release once and keep the release.

        Args:
            X: records by features: an array or a data frame.
            y: their classes.
            groups: for every record whose it is, an identifier; needed with `unit`.

        Raises:
            InputError: an argument is wrong, categories, bins or classes are not declared, or a
                value is missing or undeclared; the message has feature and row, never the value.
                Nothing was drawn or charged.
            PrivacyRefusedError, BudgetError, LedgerError: as in `dp.release`.
        """
        simulated = self.random_state is not None
        names, columns, target = read_records(self, X, y)
        rules, whose = read_groups(self, groups, len(target))
        features = declared(names, self.categories, self.bins, simulated)
        states = _classes(self.classes, target if simulated else None)
        net = network(features, states, self.prior)
        options = read_options(self.options, self.mechanism, net)
        labels = Feature("y", states).places(target, "y")
        tables = count(net, labels, encode(features, columns), whose, **rules)
        self.release_ = release(
            tables,
            net,
            self.epsilon,
            self.mechanism,
            adjacency=self.adjacency,
            rng=read_generator(self.random_state),
            ledger=self.ledger,
            dataset=self.dataset,
            **options,
        )
        self.guarantee_ = self.release_.guarantee
        self.net_, self.classes_, self._features = net, np.array(states), features
        return self

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """The log of E[θ_y] · Π_j E[θ_{x_j | y}]: a row for every record, a column per class."""
        check_is_fitted(self)
        places = encode(self._features, read_features(self, X))
        return joint_log_likelihood(self.release_.posterior, self.net_.nodes, places)

    def predict_log_proba(self, X: Any) -> Floats:
        """The log of `predict_proba`."""
        return normalised(self.predict_joint_log_proba(X))

    def predict_proba(self, X: Any) -> Floats:
        """The predictive probability of every class, in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Any:
        """The most probable class of every record."""
        joint = self.predict_joint_log_proba(X)
        return self.classes_[joint.argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = self.categories is not None
        tags.non_deterministic = self.random_state is None
        return tags


def _classes(given: Any, y: Column | None) -> tuple[Category, ...]:
    """The declared labels in increasing order; those of a simulation may come from y."""
    if given is None:
        if y is None:
            raise InputError(
                "classes must be declared: they are public, never learnt from the data", "classes"
            )
        check_classification_targets(y)
        given = np.unique(y)
        if len(given) < 2:
            raise InputError("y must have two classes or more, got one class", "y")
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, (list, tuple)):
        given = [int(x) if isinstance(x, float) and x.is_integer() else x for x in given]
    labels = check.categories(given, "classes")
    if len({isinstance(label, str) for label in labels}) > 1:
        raise InputError("classes must be all text or all numbers, got both", "classes")
    return tuple(sorted(labels))
