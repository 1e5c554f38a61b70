"""`dp.optimal`: the limit that no private mechanism can do better than, as a mechanism."""

from __future__ import annotations

from typing import cast

import numpy.typing as npt

from discreet.check import Number
from discreet.core import families
from discreet.core.counts import AnyModel
from discreet.families.dirichlet.mechanisms.optimal import OptimalMechanism


def optimal(
    model: AnyModel,
    n: int,
    epsilon: Number,
    loss: str | npt.ArrayLike = "hellinger",
    weights: str | npt.ArrayLike = "uniform",
) -> OptimalMechanism:
    """The ε-private mechanism with the least expected loss: the limit, as a mechanism.

    `dp.mechanism("optimal", …)` is the same. `.value` is its expected loss, `.gap` what it may lie
    above the least possible one among mechanisms that release vectors of counts.

    Args:
        model: the model.
        n: the public number of records.
        epsilon: the privacy parameter.
        loss: "hellinger", "total_variation" (two categories), "squared_error" (squared l2 error of
            the posterior mean) or a matrix of losses, a row for every true and a column for every
            released vector of counts, in lexicographic order; a DataFrame is read by position.
        weights: of the true counts: "uniform", "prior_predictive" or a vector that sums to one.

    Returns:
        A `Mechanism` with `value` and `gap`.

    Raises:
        InputError: an argument is wrong.
        NotEnumerable: there are too many counts; the message says how many are possible.

    Guarantee:
        ε under substitution: every ratio of probabilities of neighbours is at most e^ε, which is
        seen in exact integers.

    Example:
        >>> import discreet as dp
        >>> round(dp.optimal(dp.BetaBinomial(), n=40, epsilon=1).value, 4)
        0.1174
    """
    made = families.mechanism("optimal", model, n, epsilon=epsilon, loss=loss, weights=weights)
    return cast("OptimalMechanism", made)
