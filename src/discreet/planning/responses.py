"""Likely counts of perturbed records, for a plan: deterministic, and smooth in epsilon."""

from __future__ import annotations

import math

import numpy as np

from discreet.errors import InputError
from discreet.exact import Floats, Ints
from discreet.laws.predictive import spread
from discreet.laws.response import ResponseLaw

_LISTED = 300  # outcomes up to which all are listed
_POINTS = 512
_MOST_CATEGORIES = 200


def likely(law: ResponseLaw) -> tuple[Ints, Floats]:
    """Outcomes, one a row, and their probabilities: all, or evenly spread points of a normal law.

    The reports of a record have probabilities w and covariance diag(w) − wwᵀ; those of all sum up.
    """
    if law.can_be_listed and law.candidates <= _LISTED:
        return law.support, np.exp(law.log_p)
    from scipy import special

    k, n = law.dimension, law.n
    if k > _MOST_CATEGORIES:
        raise InputError(
            f"model must have at most {_MOST_CATEGORIES} categories to plan with mechanism "
            f"'randomized_response', got {k}",
            "model",
        )
    epsilon, counts = float(law.epsilon), np.array(law.counts, dtype=np.float64)
    other = math.exp(-epsilon) / (1 + (k - 1) * math.exp(-epsilon))  # q
    told = -math.expm1(-epsilon) / (1 + (k - 1) * math.exp(-epsilon))  # p − q
    mean = other * n + told * counts
    both = other * told * (counts[:, None] + counts)
    covariance = np.diag(mean - told**2 * counts) - other**2 * n - both
    values, vectors = np.linalg.eigh(covariance[:-1, :-1])
    normal = special.ndtri(spread(_POINTS, k - 1))
    away = normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    free = np.rint(mean[:-1] + away).astype(np.int64)
    return np.column_stack([free, n - free.sum(axis=1)]), np.full(_POINTS, 1 / _POINTS)
