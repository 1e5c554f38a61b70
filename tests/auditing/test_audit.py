"""The audit against brute force in balls, the papers' numbers, and what it refuses."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

import discreet as dp
from discreet.auditing.audits import pair_loss
from discreet.auditing.calibration import scaled
from discreet.core import PointMass
from discreet.exact import balls, compositions
from discreet.laws.lattice import points

OPTIONS: dict[str, dict[str, Any]] = {"smooth_hellinger": {"delta": 1e-6}}


def log_probabilities(law: dp.Law) -> dict[tuple[int, ...], arb]:
    """By balls, one by one."""
    total = law.log_total()
    return {tuple(z): law.log_weight(tuple(z)) - total for z in law.support.tolist()}


def brute_force(made: dp.Mechanism, at: float) -> tuple[float, float]:
    """The largest loss, and δ at one ε, over all ordered pairs of neighbours."""
    n, k = made.config.n, len(made.config.model.categories)
    assert n is not None
    loss, delta = 0.0, 0.0
    with balls.precision(128):
        growth = arb(at).exp()
        laws = {tuple(c): log_probabilities(made.law(c)) for c in compositions.rows(n, k).tolist()}
        for c, d in itertools.permutations(laws, 2):
            if sum(abs(a - b) for a, b in zip(c, d, strict=True)) != 2:
                continue
            excess = arb(0)
            for z in laws[c].keys() | laws[d].keys():
                first, second = laws[c].get(z, arb("-inf")), laws[d].get(z, arb("-inf"))
                if first > arb("-inf") and second > arb("-inf"):
                    loss = max(loss, float((first - second).mid()))
                excess += (first.exp() - growth * second.exp()).max(arb(0))
            delta = max(delta, float(excess.mid()))
    return loss, delta


SETTINGS = [
    (2, 1, 1.0, 1.0),
    (2, 9, (0.2, 3.0), 0.5),
    (2, 12, "jeffreys", 4.0),
    (3, 2, 1.0, 1.5),
    (3, 5, (1.0, 1.0, 0.3), 1.0),
    (4, 2, 1.0, 2.0),
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("name", [name for name in dp.MECHANISMS if name != "gaussian"])
def test_audit_is_brute_force(name: str, setting: tuple[int, int, Any, float]) -> None:
    k, n, prior, epsilon = setting
    model = dp.DirichletMultinomial(range(k), prior)
    made = dp.mechanism(name, model, n=n, epsilon=epsilon, **OPTIONS.get(name, {}))
    found = dp.audit(made)
    at = 0.6 * found.epsilon
    loss, delta = brute_force(made, at)
    if name == "lattice" and k > 2:  # its listed law leaves out 1e-14
        assert loss == pytest.approx(found.epsilon, abs=1e-6)
        assert delta == pytest.approx(found.delta(at), abs=1e-11)
    else:
        assert found.epsilon_lower - 1e-13 <= loss <= found.epsilon
        assert delta <= found.delta(at) <= delta + 1e-10
    assert found.epsilon - found.epsilon_lower <= 1e-9
    assert found.delta(found.epsilon) == 0
    if made.guarantee.private:
        assert found.epsilon_lower <= made.guarantee.epsilon
    witness = found.witness
    assert witness is not None
    laws = [made.law(counts) for counts in (witness.counts, witness.neighbour)]
    ratio = math.log(laws[0].probability(witness.output) / laws[1].probability(witness.output))
    assert ratio == pytest.approx(found.epsilon, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "n", "prior", "loss"),
    [
        ("ehd", 100, 1, 0.531),
        ("ehdl", 100, 1, 0.804),
        ("ehds", 100, 1, 0.400),
        ("ehd", 600, 1, 0.506),
        ("ehdl", 600, 1, 0.899),
        ("ehds", 600, 1, 0.439),
        ("ehd", 1000, 1, 0.504),
        ("ehdl", 1000, 1, 0.908),
        ("ehds", 1000, 1, 0.443),
        ("ehdl", 600, 0.1, 1.053),
    ],
)
def test_losses_of_the_papers_mechanisms(name: str, n: int, prior: float, loss: float) -> None:
    found = dp.audit(dp.mechanism(name, dp.BetaBinomial(prior), n=n, epsilon=1))
    assert round(found.epsilon, 3) == loss == round(found.epsilon_lower, 3)


def test_e9_in_36_settings() -> None:
    shares = []
    for n in (8, 20, 50, 99, 119, 300):
        for epsilon, delta in (
            (0.8, 0.8),
            (1, 0.1),
            (1, 1e-3),
            (1, 1e-6),
            (0.5, 1e-6),
            (5, 1e-6),
        ):
            made = dp.mechanism(
                "smooth_hellinger", dp.BetaBinomial(), n=n, epsilon=epsilon, delta=delta
            )
            shares.append(dp.audit(made).epsilon / epsilon)
    assert len(shares) == 36
    assert round(min(shares), 2) == 0.51
    assert round(max(shares), 2) == 0.65


def test_e9_the_counterexample_and_the_version_without_the_two() -> None:
    skewed = dp.BetaBinomial((1e-3, 1e-5))
    found = dp.audit(dp.mechanism("smooth_hellinger", skewed, n=300, epsilon=27, delta=1e-3))
    assert round(found.epsilon / 27, 4) == 1.0242
    assert found.witness is not None
    assert {found.witness.counts[1], found.witness.neighbour[1]} == {2, 3}
    # P1's accuracy section divides by S, not by 2S
    small = dp.mechanism("smooth_hellinger", dp.BetaBinomial(), n=8, epsilon=1, delta=1e-6)
    found = dp.audit(scaled(small, Fraction(2)))
    assert round(found.epsilon, 4) == 1.2186
    assert round(found.delta(1), 4) == 0.0952


def test_the_loss_is_not_monotone_in_the_scale() -> None:
    base = dp.mechanism("ehdl", dp.BetaBinomial(), n=1000, epsilon=1)
    losses = [dp.audit(scaled(base, Fraction(m))).epsilon for m in ("3.305", "4.120")]
    assert [round(loss, 3) for loss in losses] == [2.387, 2.328]


def test_laplace_wastes_as_said() -> None:
    for k, share in ((2, Fraction(1, 2)), (3, Fraction(2, 3)), (4, Fraction(1, 2))):
        made = dp.mechanism("ls_dim", dp.DirichletMultinomial(range(k)), n=6, epsilon=1)
        assert dp.audit(made).epsilon == pytest.approx(float(share), abs=1e-9)


@pytest.mark.parametrize("postprocess", ["project", "clip"])
def test_lattice_spends_exactly_epsilon(postprocess: str) -> None:
    for k, n in ((2, 10_000), (3, 3), (3, 10**9), (50, 1000)):
        model = dp.DirichletMultinomial(range(k))
        made = dp.mechanism("lattice", model, n=n, epsilon=0.3, postprocess=postprocess)
        found = dp.audit(made)
        assert found.epsilon_lower <= 0.3 <= found.epsilon
        assert found.epsilon == pytest.approx(0.3, abs=1e-9)


def test_add_remove_up_to_a_total() -> None:
    model = dp.DirichletMultinomial(("a", "b"))
    for most, total in ((1, 12), (3, 9)):
        for postprocess in ("clip", None):
            made = dp.mechanism(
                "lattice",
                model,
                epsilon=1,
                adjacency="add-remove",
                postprocess=postprocess,
                unit="person",
                max_per_unit=most,
            )
            found = dp.audit(made, total=total)
            assert found.epsilon == pytest.approx(1, abs=1e-9)
            assert found.total == total
            # m steps in one direction of one count: tanh-shaped noise of rate 1/m
            at = 0.5
            exact = hockey_stick(1 / most, most, at)
            assert found.delta(at) == pytest.approx(exact, abs=1e-9)


def hockey_stick(rate: float, shift: int, at: float) -> float:
    z = np.arange(-2000, 2001)
    p = math.tanh(rate / 2) * np.exp(-rate * np.abs(z))
    q = math.tanh(rate / 2) * np.exp(-rate * np.abs(z - shift))
    return float(np.maximum(p - math.exp(at) * q, 0).sum())


def test_units_larger_than_the_total() -> None:
    """Two data sets of at most T records can differ by up to 2T in l1."""
    made = dp.mechanism(
        "lattice", dp.BetaBinomial(), epsilon=3, adjacency="add-remove", max_per_unit=3
    )
    losses = [dp.audit(made, total=total).epsilon for total in (1, 2, 3)]
    assert losses == pytest.approx([2, 3, 3], abs=1e-8)


@pytest.mark.parametrize(("k", "n", "epsilon"), [(3, 2, 9), (4, 3, 1), (3, 8, 3), (3, 4, 0.2)])
@pytest.mark.slow
def test_clipped_outputs_are_known_well(k: int, n: int, epsilon: float) -> None:
    model = dp.DirichletMultinomial(range(k))
    clipped, projected = (
        dp.audit(dp.mechanism("lattice", model, n=n, epsilon=epsilon, postprocess=name))
        for name in ("clip", "project")
    )
    assert clipped.epsilon - clipped.epsilon_lower <= 1e-9 * max(1, epsilon)
    at = 0.9 * epsilon
    # clipping keeps more of the raw output than projecting
    assert projected.delta(at) - 1e-9 <= clipped.delta(at)
    raw = raw_hockey_stick(k, epsilon, at)
    assert clipped.delta(at) <= raw + 1e-8


def raw_hockey_stick(k: int, epsilon: float, at: float) -> float:
    """Of the raw lattice law between neighbours, over a ball that holds nearly everything."""
    raw = points(k, 0, math.ceil(25 / epsilon) + 8)
    step = np.zeros(k, dtype=np.int64)
    step[:2] = 1, -1
    p, q = (np.exp(-epsilon * np.abs(raw - c).sum(axis=1) / 2) for c in (0 * step, step))
    return float(np.maximum(p - math.exp(at) * q, 0).sum() / p.sum())


def test_impossible_outputs_are_an_infinite_loss() -> None:
    """A mechanism that tells the counts, and one that does so at times."""
    base = dp.mechanism("ehds", dp.BetaBinomial(), n=3, epsilon=1)
    told = replace(base, make_law=PointMass, make_raw_law=PointMass)
    with pytest.raises(dp.InputError, match="mechanism must have the same outputs"):
        dp.audit(told)


def test_unknown_is_unbounded() -> None:
    known, unknown = np.zeros(2), np.array([0.0, math.nan])
    assert pair_loss((known, 0.0), (unknown, 0.0))[0] == math.inf
    never = np.array([0.0, -math.inf])
    assert pair_loss((never, 0.0), (never, 0.0))[0] == 0
    assert pair_loss((known, 0.0), (never, 0.0))[0] == math.inf


def test_delta_is_rounded_up_for_any_number() -> None:
    model = dp.DirichletMultinomial(range(3))
    found = dp.audit(dp.mechanism("lattice", model, n=3, epsilon=0.1))
    assert found.delta(Fraction(1, 10) - Fraction(1, 10**30)) > 0
    assert found.delta(10**300) == 0


def test_sizes_are_refused_before_anything_is_listed() -> None:
    for name in ("ehd", "ls_dim", "lattice"):
        model = dp.DirichletMultinomial(range(1000))
        with pytest.raises(dp.NotEnumerable):
            dp.audit(dp.mechanism(name, model, n=1000, epsilon=1)).delta(0.5)
    for k, most, total in ((10, 1000, 1000), (2, 10**6, 10**6), (1000, 1, 1)):
        model = dp.DirichletMultinomial(range(k))
        made = dp.mechanism("lattice", model, epsilon=1, adjacency="add-remove", max_per_unit=most)
        with pytest.raises(dp.NotEnumerable):
            dp.audit(made, total=total)


def test_symmetry_changes_nothing() -> None:
    """A prior equal but for 1e-9 has no symmetry to use, and almost the same loss."""
    for name in ("ehd", "ehds"):
        losses = []
        for prior in ((1.0, 1.0, 1.0), (1.0, 1.000000001, 0.999999999)):
            model = dp.DirichletMultinomial(range(3), prior)
            losses.append(dp.audit(dp.mechanism(name, model, n=14, epsilon=1)))
        assert losses[0].epsilon == pytest.approx(losses[1].epsilon, abs=1e-8)
        assert losses[0].delta(0.2) == pytest.approx(losses[1].delta(0.2), abs=1e-8)


def test_profile_falls_from_total_variation_to_zero() -> None:
    found = dp.audit(dp.mechanism("ehds", dp.BetaBinomial(), n=30, epsilon=1))
    profile = found.profile()
    assert profile.epsilon[0] == 0
    assert profile.epsilon[-1] == found.epsilon
    assert profile.delta[-1] == 0
    assert (np.diff(profile.delta) <= 0).all()
    assert found.profile([0.1, 0.2]).delta.tolist() == [found.delta(0.1), found.delta(0.2)]
    made = found.mechanism
    gap = max(
        0.5
        * np.abs(
            np.exp(made.law((c, 30 - c)).log_p) - np.exp(made.law((c + 1, 29 - c)).log_p)
        ).sum()
        for c in range(30)
    )
    assert profile.delta[0] == pytest.approx(gap, abs=1e-9)


def test_nothing_to_compare() -> None:
    found = dp.audit(dp.mechanism("ehds", dp.BetaBinomial(), n=0, epsilon=1))
    assert (found.epsilon, found.epsilon_lower, found.witness) == (0, 0, None)
    assert found.delta(0) == 0
    assert dp.verify(found.certificate).epsilon == 0


def test_refusals() -> None:
    binary, three = dp.BetaBinomial(), dp.DirichletMultinomial(range(3))
    with pytest.raises(dp.InputError, match="mechanism must be a Mechanism, got 'ehds'"):
        dp.audit("ehds")  # type: ignore[arg-type]
    for model in (binary, three):
        endless = dp.mechanism("lattice", model, n=9, epsilon=1, postprocess=None)
        with pytest.raises(dp.InputError, match="mechanism has infinitely many outputs"):
            dp.audit(endless)
    apart = dp.mechanism("lattice", binary, epsilon=1, adjacency="add-remove")
    with pytest.raises(dp.InputError, match="total must be given"):
        dp.audit(apart)
    for total in (0, -1, 2.5, "9", True):
        with pytest.raises(dp.InputError, match="total must"):
            dp.audit(apart, total=total)  # type: ignore[arg-type]
    with pytest.raises(dp.NotEnumerable, match="the most that can be done is 1000000000"):
        dp.audit(apart, total=5000)
    with pytest.raises(dp.InputError, match="total is for add-remove only, got 9"):
        dp.audit(dp.mechanism("ehds", binary, n=9, epsilon=1), total=9)
    for name in ("ehds", "ls_hist", "lattice"):
        with pytest.raises(dp.NotEnumerable, match=r"2 categories n up to about [234]....? is"):
            dp.audit(dp.mechanism(name, binary, n=10**6, epsilon=1))
    with pytest.raises(dp.NotEnumerable, match=r"with 3 categories n up to about 2.. is possible"):
        dp.audit(dp.mechanism("ehds", three, n=1000, epsilon=1))
    with pytest.raises(dp.NotEnumerable, match="n up to 100 is possible"):
        dp.audit(dp.mechanism("ehd", binary, n=2000, epsilon=1, distance="total_variation"))
    found = dp.audit(dp.mechanism("ehds", binary, n=9, epsilon=1))
    for epsilon in (-1, math.nan, "1", None):
        with pytest.raises(dp.InputError, match="epsilon must"):
            found.delta(epsilon)  # type: ignore[arg-type]
    for grid in ([-1.0], "x", [[1.0]], [math.nan]):
        with pytest.raises(dp.InputError, match="epsilons must be a sequence of numbers"):
            found.profile(grid)
