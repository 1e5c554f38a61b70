"""The noise-aware posterior of one table of counts."""

from __future__ import annotations

import numpy as np

from discreet import check
from discreet.core import Mechanism
from discreet.core.counts import Unit
from discreet.core.law import Outcome
from discreet.families.dirichlet import listed_counts
from discreet.laws.response import ResponseLaw
from discreet.noise_aware import responses, table
from discreet.posteriors.mixture import DirichletMixture


def infer_counts(
    mechanism: Mechanism,
    raw: Outcome,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> DirichletMixture:
    """The mixture over the counts that may be behind a raw output.

    Where every unit weighs one, each counts as one record: the mean of a unit's records varies no
    more than one of them picked at random, so that intervals are rather too wide than too narrow.
    """
    output = tuple(map(int, raw))
    # seeded by what is public, so that one release always gives one posterior
    source = (
        np.random.default_rng([abs(z) for z in output]) if rng is None else check.generator(rng)
    )
    model, n = mechanism.config.model, mechanism.config.n
    prior_of_n = table.prior_of_n(n_prior, n)
    law = mechanism.make_raw_law((n or 0, *(0,) * (len(model.categories) - 1)))
    noise = table.additive(law, output, Unit.of(mechanism.config).parts)
    if isinstance(law, ResponseLaw):
        found = responses.infer(model.prior, law.epsilon, output, source)
    elif noise is None:
        found = table.Found(*listed_counts.infer(mechanism, output))
    else:
        found = table.infer(model.prior, n, noise, prior_of_n, source)
    return table.mixture(model.categories, model.prior, found)
