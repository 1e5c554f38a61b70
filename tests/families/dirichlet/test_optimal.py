from __future__ import annotations

import pickle

import numpy as np
import pytest

import discreet as dp
from discreet.core import Mechanism
from discreet.exact import compositions


def mean_error(made: Mechanism) -> float:
    """Hellinger, averaged over all counts, from the listed laws."""
    model, n = made.config.model, made.config.n
    assert n is not None
    alpha = np.array([float(a) for a in model.prior])
    rows = compositions.rows(n, len(alpha))
    errors = []
    for counts in rows:
        law = made.law(counts.tolist())
        errors.append(np.exp(law.log_p) @ dp.hellinger(law.support + alpha, counts + alpha))
    return float(np.mean(errors))


def test_the_reference_value() -> None:
    best = dp.optimal(dp.BetaBinomial(), n=40, epsilon=1)
    assert round(best.value, 4) == 0.1174
    assert best.gap == 0
    remapped = dp.mechanism("lattice", dp.BetaBinomial(), n=40, epsilon=1, postprocess="remap")
    for made in (best, remapped):
        assert mean_error(made) == pytest.approx(best.value, abs=1e-9)
        assert dp.audit(made).epsilon == pytest.approx(1, abs=1e-9)
    assert dp.mechanism("optimal", dp.BetaBinomial(), n=40, epsilon=1) == best


@pytest.mark.parametrize(
    ("name", "error"), [("ls_hist", 0.1492), ("ls_dim", 0.2539), ("ehds", 0.5995), ("ehd", 0.6385)]
)
def test_what_the_others_lose_there(name: str, error: float) -> None:
    made = dp.mechanism(name, dp.BetaBinomial(), n=40, epsilon=1)
    assert mean_error(made) == pytest.approx(error, abs=5e-5)


def test_it_beats_all_private_mechanisms() -> None:
    for model, n in ((dp.BetaBinomial((2, 5)), 12), (dp.DirichletMultinomial(range(3)), 4)):
        best = dp.optimal(model, n, 0.8)
        for name in dp.MECHANISMS:
            if name in ("ehdl", "smooth_hellinger", "gaussian"):
                continue
            other = mean_error(dp.mechanism(name, model, n=n, epsilon=0.8))
            assert other >= best.value - best.gap - 1e-9


def test_a_given_loss() -> None:
    """Monotone: no linear program. A loss that likes an end: the program finds it."""
    n, c = 6, np.arange(7)
    monotone = np.abs(c[:, None] - c).astype(float)
    best = dp.optimal(dp.BetaBinomial(), n, 1, loss=monotone)
    assert best.gap == 0
    odd = np.minimum(monotone, 0.5 * (c != 0))  # the answer 0 is always free
    free = dp.optimal(dp.BetaBinomial(), n, 1, loss=odd)
    assert free.value == pytest.approx(0, abs=1e-7)
    assert free.law((3, 3)).probability((0, 6)) == pytest.approx(1, abs=1e-5)
    release = dp.release((3, 3), dp.BetaBinomial(), 1, "optimal", loss=odd)
    assert dp.Release.from_json(release.to_json()) == release
    assert "loss=given" in repr(release)


def test_weights_matter() -> None:
    model = dp.DirichletMultinomial(range(3))
    weights = np.zeros(15)
    weights[[0, 1]] = 0.5
    known = dp.optimal(model, 4, 1, weights=weights)
    assert known.value < dp.optimal(model, 4, 1).value
    assert dp.optimal(model, 4, 1, weights="prior_predictive").value == pytest.approx(
        dp.optimal(model, 4, 1).value, abs=1e-7
    )  # a flat prior predicts all counts alike


def test_lattice_with_a_given_loss_and_weights() -> None:
    """Brute force over all counts, and the way through JSON."""
    model, rows = dp.DirichletMultinomial(("a", "b", "c")), compositions.rows(3, 3)
    rng = np.random.default_rng(4)
    loss, weights = rng.random((10, 10)).round(3), np.arange(10) / 45
    options = {"postprocess": "remap", "loss": loss, "weights": weights}
    made = dp.mechanism("lattice", model, n=3, epsilon=1, **options)  # type: ignore[arg-type]
    for raw in ((1, 1, 1), (-2, 5, 0), (3, 1, -1), (0, -4, 7)):
        given = weights * np.exp(-np.abs(rows - raw).sum(axis=1) / 2)
        assert made.postprocess(raw) == tuple(rows[(given @ loss).argmin()].tolist())
    release = dp.release((1, 0, 2), model, 1, "lattice", **options)  # type: ignore[arg-type]
    assert dp.Release.from_json(release.to_json()) == release
    assert "loss=given, weights=given" in repr(release)


def test_large_n(rng: np.random.Generator) -> None:
    for n in (10**6, 10**12):
        made = dp.optimal(dp.BetaBinomial(), n, 1)
        release = dp.release((n // 3, n - n // 3), dp.BetaBinomial(), 1, "optimal", rng=rng)
        assert sum(release.value) == n
        assert abs(float(release.value[0]) - release.raw[0]) <= 2
        assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(dp.NotEnumerable, match="n up to about"):
        _ = made.value


def test_refusals() -> None:
    three = dp.DirichletMultinomial(range(3))
    with pytest.raises(dp.InputError, match="5151 candidates and about 26012550"):
        dp.optimal(three, 100, 1)
    with pytest.raises(dp.InputError, match="at most 2000 are possible"):
        dp.mechanism("lattice", three, n=1000, epsilon=1, postprocess="remap")
    with pytest.raises(dp.InputError, match="epsilon must be larger for an optimal remap"):
        dp.optimal(dp.BetaBinomial(), 10**9, 1e-5)
    with pytest.raises(dp.InputError, match="loss is for postprocess='remap' only"):
        dp.mechanism("lattice", three, n=5, epsilon=1, loss="hellinger")
    with pytest.raises(dp.InputError, match="weights is for postprocess='remap' only"):
        dp.mechanism("lattice", three, n=5, epsilon=1, weights="uniform")
    with pytest.raises(dp.InputError, match="'remap' needs a public n"):
        dp.mechanism("lattice", three, epsilon=1, adjacency="add-remove", postprocess="remap")


@pytest.mark.slow
def test_lattice_with_remap_is_near_the_limit_for_three_categories() -> None:
    model = dp.DirichletMultinomial(range(3))
    limit = dp.optimal(model, 14, 1)
    made = dp.mechanism("lattice", model, n=14, epsilon=1, postprocess="remap")
    error = mean_error(made)
    assert limit.gap < 1e-6
    assert limit.value * (1 - 1e-9) <= error <= 1.03 * limit.value
