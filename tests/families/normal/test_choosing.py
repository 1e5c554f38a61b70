"""Which noise a mean has where none was asked for."""

from __future__ import annotations

import numpy as np
import pytest

import discreet as dp

MODEL = dp.NormalMean(bounds=(0, 10))


@pytest.mark.parametrize("adjacency", ["substitute", "add-remove"])
@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.05, 0.3])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.filterwarnings("ignore::discreet.errors.PrivacyWarning")
def test_the_better_noise_is_taken(epsilon: float, delta: float, adjacency: str) -> None:
    counts, rng = MODEL.count([1.0, 2.5, 9.0]), np.random.default_rng(1)
    release = dp.release(
        counts, MODEL, epsilon, delta=delta, adjacency=adjacency, rng=np.random.default_rng(1)
    )
    n = 3 if adjacency == "substitute" else None
    spread = {
        name: dp.mechanism(name, MODEL, n, epsilon=epsilon, adjacency=adjacency, **options)
        .raw_law((3, 0))
        .sample(20_000, rng)
        .std()
        for name, options in (("laplace", {}), ("gaussian", {"delta": delta}))
    }
    other = {"laplace": "gaussian", "gaussian": "laplace"}[release.mechanism.name]
    assert spread[release.mechanism.name] < 1.03 * spread[other]
    assert f"that of {other}" in release.reason
    assert float(release.guarantee.delta) == (0 if other == "gaussian" else delta)
