"""The tables of a network with noise: budgets, agreement, a private number of records."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dp
from discreet.core.law import ProductLaw
from discreet.core.tables import Tables
from discreet.families.network.mechanisms import consistency, noisy_tables
from discreet.families.network.mechanisms.consistency import agreeing
from discreet.laws.lattice import LatticeLaw
from tests.families.network.networks import CHAIN, PAIR, exact_loss, tables


def parts(net: dp.BayesNet, values: Any) -> list[Any]:
    """The tables of a released value, as arrays of fractions."""
    ends = np.cumsum([family.cells for family in net.families])
    cells = np.split(np.array(values, dtype=object), ends[:-1])
    return [cell.reshape(f.shape) for cell, f in zip(cells, net.families, strict=True)]


def assert_agreement(net: dp.BayesNet, values: Any) -> None:
    """All pairs of tables have the same marginal on their common variables, exactly."""
    pairs = itertools.combinations(zip(net.families, parts(net, values), strict=True), 2)
    for (f, one), (g, other) in pairs:
        common = sorted(set(f.columns) & set(g.columns))
        if common:
            assert (marginal(one, f.columns, common) == marginal(other, g.columns, common)).all()


def marginal(table: Any, names: tuple[str, ...], kept: list[str]) -> Any:
    result = table.sum(axis=tuple(i for i, name in enumerate(names) if name not in kept))
    left = [name for name in names if name in kept]
    return np.transpose(result, [left.index(name) for name in kept])


@pytest.mark.parametrize("shares", ["equal", "sizes"])
def test_exact_loss_of_three_nodes(shares: str) -> None:
    made = dp.mechanism("lattice", CHAIN, 1, epsilon=1.5, shares=shares)
    assert exact_loss(CHAIN, made, 1) == pytest.approx(1.5, rel=1e-9)


def test_shares_sum_to_the_budget() -> None:
    for shares in ("equal", "sizes"):
        parts = noisy_tables.split(CHAIN, shares)
        assert sum(parts) == 1
    assert parts[2] > parts[1] > parts[0]
    made = dp.mechanism("lattice", CHAIN, 9, epsilon=1, shares=[0.5, 0.25, 0.125])
    assert dict(made.config.options)["shares"] == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
    for wrong in ([0.5, 0.5], [0.5, 0.5, 0.5], [1, 0, 0], "size", 3, [0.5, 0.25, "x"]):
        with pytest.raises(dp.InputError, match=r"^shares"):
            dp.mechanism("lattice", CHAIN, 9, epsilon=1, shares=wrong)


@pytest.mark.parametrize("cells", [2, 3, 4, 8, 32])
def test_the_variance_is_near(cells: int, rng: np.random.Generator) -> None:
    """Of noise in all directions that keep the total; the mean square is right to 1 %."""
    epsilon = Fraction(1, 10)
    law = dp.mechanism("lattice", dp.DirichletMultinomial(range(cells)), 100, epsilon=epsilon)
    noise = law.raw_law((100, *[0] * (cells - 1))).sample(80_000 // cells, rng)
    noise[:, 0] -= 100
    variance = (noise.astype(float) ** 2).sum(axis=1).mean() / (cells - 1)
    assert variance == pytest.approx(float(noisy_tables.variance(cells, epsilon)), rel=0.06)


def test_a_product_law() -> None:
    made = dp.mechanism("lattice", PAIR, 2, epsilon=8)
    law = made.law(tables(PAIR, [(0, 0), (1, 1)]))
    assert isinstance(law, ProductLaw)
    assert law.dimension == 6
    assert law.candidates is None
    first, second = law.parts
    assert isinstance(second, LatticeLaw)
    outcome = (1, 1, 1, 0, 0, 1)
    expected = first.probability((1, 1)) * second.probability((1, 0, 0, 1))
    assert law.probability(outcome) == pytest.approx(expected)
    clipped = dp.mechanism("laplace_updates", PAIR, 2, epsilon=8).law(tables(PAIR, [(0, 0)] * 2))
    assert np.exp(clipped.log_p).sum() == pytest.approx(1)


def least_squares(
    found: list[Any], scopes: list[tuple[str, ...]], weights: list[float]
) -> list[Any]:
    """The same by a numerical solver with the constraints written out."""
    sizes = [table.size for table in found]
    starts = np.cumsum([0, *sizes])
    rows = []
    for (i, f), (j, g) in itertools.combinations(enumerate(scopes), 2):
        common = sorted(set(f) & set(g))
        shape = [found[i].shape[f.index(name)] for name in common]
        for cell in itertools.product(*map(range, shape)):
            row = np.zeros(starts[-1])
            for k, names, sign in ((i, f, 1), (j, g, -1)):
                for place in itertools.product(*map(range, found[k].shape)):
                    if all(place[names.index(n)] == c for n, c in zip(common, cell, strict=True)):
                        flat = np.ravel_multi_index(place, found[k].shape)
                        row[starts[k] + flat] += sign
            rows.append(row)
    constraints = np.array(rows)
    inverse = np.concatenate([np.full(s, 1 / w) for s, w in zip(sizes, weights, strict=True)])
    z = np.concatenate([t.ravel().astype(float) for t in found])
    multiplier = np.linalg.pinv(constraints * inverse @ constraints.T) @ (constraints @ z)
    solved = z - inverse * (constraints.T @ multiplier)
    return np.split(solved, starts[1:-1])


SCOPES = [
    ([("a",), ("a", "b"), ("b", "c")], {"a": 2, "b": 3, "c": 2}),
    ([("a", "b"), ("c", "b", "a"), ("c", "a"), ("d",)], {"a": 2, "b": 2, "c": 3, "d": 2}),
    ([("b", "a", "c"), ("c", "d", "a"), ("d", "b")], {"a": 3, "b": 2, "c": 2, "d": 2}),
]


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(SCOPES), st.integers(0, 10**6))
def test_agreement_is_weighted_least_squares(case: Any, seed: int) -> None:
    scopes, states = case
    rng = np.random.default_rng(seed)
    shapes = [tuple(states[name] for name in scope) for scope in scopes]
    found = []
    for shape in shapes:
        table = rng.integers(-20, 60, size=shape)
        table.ravel()[0] += 500 - table.sum()
        found.append(table)
    variances = [Fraction(int(v)) for v in rng.integers(1, 9, len(scopes))]
    agreed = agreeing([t.ravel().tolist() for t in found], scopes, shapes, variances)
    expected = least_squares(found, scopes, [1 / float(v) for v in variances])
    for mine, theirs, shape in zip(agreed, expected, shapes, strict=True):
        assert sum(mine) == 500
        # weights are rounded to 1/65536
        assert np.array(mine, dtype=float) == pytest.approx(theirs, abs=0.05), shape
    again = agreeing(agreed, scopes, shapes, variances)
    assert again == agreed


def by_one_table(
    found: list[Any], scopes: list[tuple[str, ...]], variances: list[Fraction]
) -> list[Any]:
    """The same as marginals of one signed table over all variables, by numpy's least squares."""
    sizes = {
        name: size
        for scope, table in zip(scopes, found, strict=True)
        for name, size in zip(scope, table.shape, strict=True)
    }
    joint = list(itertools.product(*map(range, sizes.values())))
    places = {name: i for i, name in enumerate(sizes)}
    maps = []
    for scope, table in zip(scopes, found, strict=True):
        marginal = np.zeros((table.size, len(joint)))
        for column, cell in enumerate(joint):
            own = [cell[places[name]] for name in scope]
            marginal[np.ravel_multi_index(own, table.shape), column] = 1
        maps.append(marginal)
    roots = [1 / math.sqrt(v) for v in variances]
    rows = np.vstack([root * marginal for root, marginal in zip(roots, maps, strict=True)])
    z = [root * t.ravel().astype(float) for root, t in zip(roots, found, strict=True)]
    solved = np.linalg.lstsq(rows, np.concatenate(z), rcond=1e-12)[0]
    return [marginal @ solved for marginal in maps]


@pytest.mark.parametrize("case", range(len(SCOPES)))
def test_noisy_totals_agree_by_least_squares(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With weights that are not rounded: right to the last digits of a generic solver."""
    monkeypatch.setattr(consistency, "PARTS", 1 << 120)
    scopes, states = SCOPES[case]
    rng = np.random.default_rng(case)
    for parts in (1, 3600):
        shapes = [tuple(states[name] for name in scope) for scope in scopes]
        found = [rng.integers(-20 * parts, 60 * parts, size=shape) for shape in shapes]
        variances = [Fraction(int(v), 7) for v in rng.integers(1, 99, len(scopes))]
        agreed = agreeing([t.ravel().tolist() for t in found], scopes, shapes, variances, parts)
        expected = by_one_table(found, scopes, variances)
        largest = max(abs(table).max() for table in found)
        for mine, theirs in zip(agreed, expected, strict=True):
            apart = parts * np.array(mine, dtype=float) - theirs
            assert abs(apart).max() < 1e-14 * largest
        assert len({sum(table) for table in agreed}) == 1
        assert agreeing(agreed, scopes, shapes, variances, 1) == agreed


@pytest.mark.parametrize("shares", ["sizes", "equal"])
def test_a_private_number_agrees_and_is_nearer(shares: str) -> None:
    """Expected squared errors: agreement only takes away, and as much as its formula says."""
    rng = np.random.default_rng(3)
    records = [(0, 0, "x")] * 300 + [(1, 0, "y")] * 80 + [(1, 1, "z")] * 20
    counted = tables(CHAIN, records)
    truth = np.array(CHAIN.to_vector(counted), dtype=float)
    more: dict[str, Any] = {"adjacency": "add-remove", "shares": shares, "reconcile": None}
    made = dp.mechanism("lattice", CHAIN, epsilon=0.5, **more)
    drawn = made.raw_law(counted).sample(400, rng)
    released = [made.postprocess(raw) for raw in drawn]
    for value in released[:50]:
        assert_agreement(CHAIN, value)
        assert len({sum(table.ravel()) for table in parts(CHAIN, value)}) == 1
    before = np.square(drawn - truth).sum(axis=1)
    after = np.square(np.array(released, dtype=float) - truth).sum(axis=1)
    gain = before - after
    assert gain.mean() > 5 * gain.std() / np.sqrt(len(gain))  # false alarms below 1e-6
    law: Any = made.make_raw_law((0,) * CHAIN.size)
    variances = [1 / (2 * math.sinh(part.rate / 2) ** 2) for part in law.parts]
    scopes = [family.columns for family in CHAIN.families]
    expected = after_agreement(scopes, [f.shape for f in CHAIN.families], variances)
    assert abs(after.mean() - expected) < 5 * after.std() / np.sqrt(len(after))
    bias = np.array(released, dtype=float) - truth
    assert (abs(bias.mean(axis=0)) < 5 * bias.std(axis=0) / np.sqrt(len(bias))).all()


def after_agreement(
    scopes: list[tuple[str, ...]], shapes: list[tuple[int, ...]], variances: list[float]
) -> float:
    """Σ_S v_S/q_S with q_S = Σ 1/(v_J·|J∖S|) and v_S = Σ Π(c_i − 1)/|J∖S| over the J ⊇ S."""
    q: dict[tuple[str, ...], float] = {}
    v: dict[tuple[str, ...], float] = {}
    for scope, shape, variance in zip(scopes, shapes, variances, strict=True):
        sizes = dict(zip(scope, shape, strict=True))
        for size in range(len(scope) + 1):
            for subset in itertools.combinations(sorted(scope), size):
                outside = math.prod(c for name, c in sizes.items() if name not in subset)
                own = math.prod(sizes[name] - 1 for name in subset)
                q[subset] = q.get(subset, 0) + 1 / (variance * outside)
                v[subset] = v.get(subset, 0) + own / outside
    return sum(v[subset] / q[subset] for subset in q)


def test_shares_by_size_have_less_variance() -> None:
    """Of independent noise too: Σ c_f/s_f² is least for s_f ∝ the cube root of c_f."""
    scopes = [family.columns for family in CHAIN.families]
    shapes = [family.shape for family in CHAIN.families]
    cells = [family.cells for family in CHAIN.families]

    def total(shares: Any) -> float:
        return after_agreement(scopes, shapes, [2 / float(s) ** 2 for s in shares])

    sizes, equal = noisy_tables.split(CHAIN, "sizes"), noisy_tables.split(CHAIN, "equal")
    assert total(sizes) < 0.9 * total(equal)
    roots = np.cbrt(cells) / np.cbrt(cells).sum()
    assert total(sizes) < total(roots)  # half for what is a marginal of another
    plain = float(np.sum(np.array(cells) / roots**2))
    for other in np.random.default_rng(1).dirichlet([9, 9, 9], 200):
        assert np.sum(np.array(cells) / other**2) >= plain


def test_released_tables_agree_and_are_nearer() -> None:
    rng = np.random.default_rng(3)
    records = [(0, 0, "x")] * 300 + [(1, 0, "y")] * 80 + [(1, 1, "z")] * 20
    truth = np.array(CHAIN.to_vector(tables(CHAIN, records)), dtype=float)
    errors = []
    for _ in range(150):
        made = dp.release(tables(CHAIN, records), CHAIN, 0.5, reconcile=None, rng=rng)
        assert_agreement(CHAIN, made.value)
        assert all(sum(part.ravel()) == 400 for part in parts(CHAIN, made.value))
        errors.append(
            [np.square(np.array(v, dtype=float) - truth).sum() for v in (made.raw, made.value)]
        )
    gain = np.subtract(*np.transpose(errors))
    assert gain.mean() > 5 * gain.std() / np.sqrt(len(gain))  # false alarms below 1e-6


def test_a_private_number_of_records() -> None:
    data = pd.DataFrame({"a": [0, 1, None], "b": [0, 1, 1]}).astype({"a": "Int64"})
    counted = PAIR.count(data, unknown="drop")
    with pytest.raises(dp.PrivacyRefusedError, match="no public n"):
        dp.release(counted, PAIR, epsilon=1)
    assert dp.release(counted, PAIR, 1, adjacency="add-remove").mechanism.name == "lattice"
    for name in ("lattice", "laplace_updates"):
        made = dp.release(counted, PAIR, 1, name, adjacency="add-remove")
        assert str(made.guarantee) == "ε = 1, δ = 0 for adding or removing one record"
        assert made.config.n is None
        with pytest.raises(dp.InputError, match="n must be None under add-remove"):
            dp.mechanism(name, PAIR, 3, epsilon=1, adjacency="add-remove")
    for name in ("fourier", "map", "posterior_sample"):
        with pytest.raises(dp.InputError, match="use 'lattice' or 'gaussian' or 'laplace_updates'"):
            dp.release(counted, PAIR, 1, name, adjacency="add-remove")


def test_what_is_refused() -> None:
    counted = tables(PAIR, [(0, 1)])
    with pytest.raises(dp.InputError, match="mechanism must be one of 'lattice'"):
        dp.release(counted, PAIR, epsilon=1, mechanism="ehds")
    with pytest.raises(dp.InputError, match="shares must be one of"):
        dp.release(counted, PAIR, epsilon=1, shares="all")
    made = dp.mechanism("lattice", PAIR, 1, epsilon=1)
    with pytest.raises(dp.InputError, match="must be one for counts of categories"):
        dp.accuracy(made, counted)
    assert "400" not in repr(tables(PAIR, [(0, 0)] * 400))


def test_too_many_shared_variables() -> None:
    nodes = [f"p{i}" for i in range(11)]
    wide = dp.BayesNet({"x": nodes, "y": nodes}, dict.fromkeys([*nodes, "x", "y"], (0, 1)))
    with pytest.raises(dp.InputError, match="got two that share 11; use 'laplace_updates'"):
        dp.mechanism("lattice", wide, 5, epsilon=1)
    assert dp.mechanism("laplace_updates", wide, 5, epsilon=1)


def test_tables_know_their_states() -> None:
    """Counts of a network with other states, or in another order, are not taken."""
    data = pd.DataFrame({"a": ["x", "y"], "b": ["x", "x"]})
    orders = (("x", "y"), ("y", "x"))
    nets = [dp.BayesNet({"b": ["a"]}, {"a": order, "b": ("x", "y")}) for order in orders]
    counted = nets[0].count(data)
    assert nets[0].posterior(counted).mean("a").tolist() == [[0.5, 0.5]]
    for use in (nets[1].posterior, lambda t: dp.release(t, nets[1], 1)):
        with pytest.raises(dp.InputError, match="other states of 'a', or in another order"):
            use(counted)
    known = dp.BayesNet({}, {"a": (0, 1)}, probabilities={"a": [0.5, 0.5]})
    made = dp.release(known.count(pd.DataFrame({"a": [0, 1]})), known, 1)
    assert dp.Release.from_json(made.to_json()) == made
    with pytest.raises(dp.InputError, match="at most 2"):
        Tables((("a",),), ((2**63, 0),))
