"""How far the mechanisms for networks can err: the utility bounds of P2, corrected.

P2 is Zhang, Rubinstein and Dimitrakakis, On the Differential Privacy of Bayesian Inference, 2016.
Its bounds are for Laplace noise; these are for the integer noise of `laplace_updates` and
`fourier`. Theorem 4 is in `smoothness`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discreet import check
from discreet.core import Adjacency
from discreet.core.tables import Tables
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.families.network.mechanisms import fourier
from discreet.families.network.mechanisms.sampling import posterior_sample
from discreet.families.network.model import BayesNet
from discreet.families.network.structure import Family

_TINY = Fraction(1, 10**300)
_UP = 1 + 1e-12  # more than the rounding errors of a formula whose ceiling is taken


def largest_update_error(
    net: BayesNet,
    epsilon: object,
    delta: object,
    adjacency: Adjacency | str = Adjacency.SUBSTITUTE,
) -> int:
    """With probability 1 − δ no count of `laplace_updates` errs by more: Proposition 1.

    ⌈(2|I|/ε)·ln(cells/δ)⌉, and ⌈(|I|/ε)·ln(cells/δ)⌉ under add-remove. P2 has two cells in each of
    m rows, and no ceiling, without which the bound is false for integer noise.

    Proof. For noise of rate r, q = e^{−r} and an integer z ≥ 0: P(|X| > z) = 2q^{z+1}/(1+q) ≤ q^z,
    because 2q ≤ 1+q. At z = ⌈ln(cells/δ)/r⌉ that is at most δ/cells; then the union bound.
    Cutting counts to [0, n] moves none away from the truth, so it holds for the released counts
    too. It says nothing where it reaches n.
    """
    rate = check.epsilon(epsilon) / len(net.families)
    share = _delta(delta)
    neighbours = Adjacency(adjacency)
    if neighbours is Adjacency.ATTRIBUTE:
        raise InputError(
            "adjacency must be 'substitute' or 'add-remove', got 'attribute'", "adjacency"
        )
    if neighbours is Adjacency.SUBSTITUTE:
        rate /= 2
    return math.ceil(_UP * math.log(net.size / share) / float(rate))


def largest_divergence(net: BayesNet, data: Tables | int) -> float:
    """KL(exact posterior ‖ posterior of released counts) never exceeds this: after Theorem 1.

    U = n·Σ ln((α+Δα)(β+Δβ)) over all rows of all nodes, Δα and Δβ the row's counts. P2 has U as a
    bound on the expected divergence of `laplace_updates`; for α, β ≥ 2 it bounds the divergence
    itself, whatever counts in [0, n] are released (ours). So it says nothing about the noise, and
    does not get better with ε. P2's "refined" form for the expectation,
    ln[(α+n+1)(β+n+1)]·(n/2)·e^{−n·ε/(2|I|)} per row, is false: for 500 and 500 records and noise of
    scale 2 it is 5e-214, and the mean divergence 0.008.

    Nodes of two states need a prior α, β ≥ 2: for α = β = 1 and a row without records U is 0. For
    nodes of four states its analogue is below the expected divergence when ε is small. So a row of
    three or more states, with any prior, has instead (ours)
    n·Σ(ψ(A)−ψ(a_i)) + ΣΔ_i(ψ(a_i)−ψ(α_i) − ψ(A)+ψ(Σα)), a_i = α_i+Δ_i, A = Σa_i, and for a public n
    its largest value n·Σ(ψ(Σα+n)−ψ(α_i)) + n·max(ψ(α_i+n)−ψ(α_i)) or more.

    Args:
        net: the network.
        data: the private counts, and then the bound is for the data owner only; or the public n,
            which then takes the place of the counts.

    Proof, for a row. With a = α+Δα, b = β+Δβ, ψ the digamma function and F = ln B the divergence is
    F(α+y, β+z) − F(a, b) + (y−Δα)(ψ(a+b)−ψ(a)) + (z−Δβ)(ψ(a+b)−ψ(b)), convex in the released
    (y, z), so it is largest at a corner of [0, n]². Now a+b ≤ ab and ln x − 1/x ≤ ψ(x) ≤ ln x.
    (0, 0): F is convex, so it is at most Δα(ψ(a)−ψ(α)) + Δβ(ψ(b)−ψ(β)) ≤ n·ln a + n·ln b.
    (n, 0): F decreases, so F(α+n, β) ≤ F(a, β); it is convex, so F(a, β)−F(a, b) ≤
    Δβ(ψ(a+β)−ψ(β)). As ψ is concave and Δβ ≤ n−Δα, the sum is at most
    n(ψ(b) + ψ(a+β)−ψ(β)−ψ(a)), where ψ(a+β)−ψ(β)−ψ(a) ≤ 1/a+1/(a+1)−ψ(2) < 0.42 < ln a.
    (n, n): with s = n−Δα, t = n−Δβ, x = s/(s+t): F(α+n, β+n)−F(a, b) = ln E[θ^s(1−θ)^t] ≤
    s·ln x + t·ln(1−x). So it is at most s·ln(x(a+b)/a) + s/a + t·ln((1−x)(a+b)/b) + t/b, convex in
    (s, t), where s, t ≤ n ≤ s+t: at most n·ln((1+b/a)e^{1/a}) at (n, 0), the same with a and b
    swapped at (0, n), n·ln((a+b)²e^{1/a+1/b}/(4ab)) at (n, n), and none exceeds n·ln(ab).
    For more states and released counts y: B falls in all its arguments, so ln B(α+y)/B(a) is at
    most ln B(α)/B(a) = −ln E_α Πθ_i^{Δ_i} ≤ −ΣΔ_i·E_α ln θ_i = ΣΔ_i(ψ(Σα)−ψ(α_i)) by Jensen's
    inequality, and Σ(y_i−Δ_i)(ψ(A)−ψ(a_i)) ≤ Σ(n−Δ_i)(ψ(A)−ψ(a_i)).
    """
    two = [prior for prior, family in zip(net.prior, net.families, strict=True) if _two(family)]
    if two and (least := min(min(prior) for prior in two)) < 2:
        raise InputError(
            f"prior must be at least 2 in every cell, got {check.show(least)}: Theorem 1 is not "
            "proved for smaller ones, and false for 1",
            "prior",
        )
    if isinstance(data, Tables):
        n, counts = data.n_records, net.to_vector(data)
    else:
        n = check.whole("data", data)
        counts = None
    logs, wide, start = [], [], 0
    for family, prior in zip(net.families, net.prior, strict=True):
        seen = [n] * family.cells if counts is None else counts[start : start + family.cells]
        start += family.cells
        if _two(family):
            logs += [math.log(alpha + c) for alpha, c in zip(prior, seen, strict=True)]
        else:
            wide.append(
                _wide_divergence(family.shape[-1], prior, None if counts is None else seen, n)
            )
    return n * math.fsum(logs) + math.fsum(wide)


def _wide_divergence(
    k: int, prior: Sequence[Fraction], counts: Sequence[int] | None, n: int
) -> float:
    """The bound for all rows of a node of three or more states; without counts for any."""
    from scipy.special import digamma

    alpha = np.array(prior, dtype=np.float64).reshape(-1, k)
    total = alpha.sum(axis=1, keepdims=True)
    if counts is None:
        steps = (digamma(alpha + n) - digamma(alpha)).max(axis=1)
        return float(n * ((digamma(total + n) - digamma(alpha)).sum() + steps.sum()))
    seen = np.array(counts, dtype=np.float64).reshape(-1, k)
    at = alpha + seen
    lost = digamma(at.sum(axis=1, keepdims=True)) - digamma(at)
    before = digamma(total) - digamma(alpha)
    return float(n * lost.sum() + (seen * (before - lost)).sum())


def probable_divergence(net: BayesNet, data: Tables | int, delta: object) -> float:
    """KL(exact ‖ released posterior) exceeds this with probability δ at most: Theorem 1, corrected.

    U + √(½·Σc²·ln(1/δ)) over all rows, with c = (2n+1)(ln(α+n+1) + ln(β+n+1)) and U as in
    `largest_divergence`, which has the arguments, the conditions and, for more states, the c of a
    node, and is always smaller: this is here for comparison with P2. P2 prints Σc for Σc² and the
    log of a sum for the sum of the logs.

    Proof. The rows of `laplace_updates` are independent, each row's divergence lies between 0 and
    n(ln(α+n) + ln(β+n)) ≤ c, and its mean is at most U: McDiarmid's inequality.
    """
    share = _delta(delta)
    mean = largest_divergence(net, data)
    n = data.n_records if isinstance(data, Tables) else data
    squares = 0.0
    for family, prior in zip(net.families, net.prior, strict=True):
        if not _two(family):
            squares += (_wide_divergence(family.shape[-1], prior, None, n) / (2 * n + 1)) ** 2
            continue
        logs = [math.log(alpha + n + 1) for alpha in prior]
        squares += sum((x + y) ** 2 for x, y in zip(logs[::2], logs[1::2], strict=True))
    return mean + (2 * n + 1) * math.sqrt(-squares * math.log(share) / 2)


def largest_marginal_error(
    net: BayesNet, node: str, epsilon: object, delta: object, t: object = 0
) -> float:
    """With probability 1 − δ no table of `fourier` errs by more in l1, at all nodes at once.

    2·√(2^{|π|+1} − 1)·⌈(s/ε)·ln((|N|−1)/δ)⌉ + ⌈4t|N|²/ε⌉ for a node with |π| parents, N the closure
    and s the sensitivity: Theorem 3, improved (ours). P2's own is `marginal_error_as_printed`. With
    more states √(4(2^b − 1)z² + 2^b(Π(1+k²) − 1)w²) takes the place of the first term, for b
    variables of the family with two states and others with k, z the ceiling above, w that with 2s,
    |N| the number of all numbers, and A is larger as in `fourier`.

    Proof. The table of a family J errs by 2^{−|J|}(A − 2·Σ X_γ(−1)^{⟨γ,x⟩}) in cell x, with
    A = ⌈4t|N|²/ε⌉ and the sum over the 2^{|J|} − 1 subsets γ ≠ ∅ of J. By Cauchy, Schwarz and
    Parseval the l1 norm is at most A + 2·√(Σ X_γ²). No |X_γ| is larger than the first ceiling: see
    `largest_update_error`, for |N| − 1 coefficients of rate ε/s. The part A is exact: so many
    records the table has too many. A block X of S whose c cells are those of the others than two
    states adds a component with squares c·‖X‖²/|J| in all at most, as 1 − 1/k is a projection.
    """
    budget, share, parameter = check.epsilon(epsilon), _delta(delta), _t(t)
    known, change, shape = fourier.coefficients(net), _sensitivity(net), net.family(node).shape
    noise, wider = (
        math.ceil(_UP * steps * change * math.log((known.size - 1) / share) / float(budget))
        for steps in (1, 2)
    )
    two = 2 ** shape.count(2)
    more = two * (math.prod(1 + k * k for k in shape if k > 2) - 1)
    raised = math.ceil(4 * parameter * known.largest * known.size**2 / budget)
    if more == 0:
        return 2 * math.sqrt(two - 1) * noise + raised
    return math.sqrt(4 * (two - 1) * noise**2 + more * wider**2) + raised


def marginal_error_as_printed(
    net: BayesNet, node: str, epsilon: object, delta: object, t: object = 0
) -> float:
    """(4|N|/ε)(2^{|π|}·ln(|N|/δ) + t|N|): P2's Theorem 3, for comparison.

    It holds for `fourier` as well, but for the ceiling in A, which may exceed it by 1: in the proof
    above no |X_γ| is larger than (s/ε)·ln(2(|N|−1)/δ) either, because 2q^{⌊y⌋+1}/(1+q) ≤ 2q^y; and
    2·√(k−1)·(|N|−1)·ln(2(|N|−1)/δ) ≤ 2k·|N|·ln(|N|/δ) with k = 2^{|π|+1}.
    """
    cells = _family(net, node)
    budget, share, parameter = check.epsilon(epsilon), _delta(delta), _t(t)
    size = len(fourier.closure(net))
    return float(4 * size / budget) * (cells / 2 * math.log(size / share) + parameter * size)


def probability_of_stealth(t: object) -> float:
    """`fourier` with t ≥ 1 releases no negative cell with at least this probability: Corollary 3.

    1 − e^{−t}. P2 has it for all t > 0, which is false: with 16 features and a class, t = 0.02, it
    promises 0.0198, and P2's noise gives 0.0158 where all cells are empty. `stealth` is better.

    Proof. F_∅ is raised by A ≥ 4t|N|²/ε, and no cell of any table, even of all variables, is
    negative if 2·Σ|X_γ| ≤ A, a sum of m = |N| − 1 terms. E e^{λ|X|} = tanh(r/2)/tanh((r−λ)/2) for
    noise of rate r ≥ ε/m, at most the r/(r−λ) of an exponential variable because tanh(x)/x
    decreases. So Chernoff's bound for the gamma law holds: P(r·Σ|X| ≥ x) ≤ e^{−(x−m−m·ln(x/m))} for
    x ≥ m. At x = 2t(m+1) ≤ r·A/2 the exponent exceeds t: at t = 1 it is at least m(1 − ln 2) + 1,
    and it increases by more than t does.
    """
    number = _t(t)
    if number < 1:
        raise InputError(
            f"t must be at least 1, got {check.show(number)}: Corollary 3 is false for small t; "
            "use stealth(net, t)",
            "t",
        )
    return -math.expm1(-number)


def stealth(net: BayesNet, t: object) -> float:
    """`fourier` releases no negative cell with at least this probability, for any t ≥ 0 (ours).

    1 − Σ_i e^{−(x − m − m·ln(x/m))} over the nodes, with m = 2^{|π_i|+1} − 1 and x = 2t|N|²/s; 0,
    which says nothing, if x ≤ m for any node. For more states m numbers of the family, none with a
    factor above Π(k − 1), have x = 2t|N|²/s times the largest such product over its own. It is the
    proof of Corollary 3 with each family's own coefficients instead of all of them. For 16 features
    and a class t = 0.18 gives 0.94, for which Corollary 3 asks for t = 2.8.
    """
    known = fourier.coefficients(net)
    all_over = 2 * _t(t) * known.largest * known.size**2 / _sensitivity(net)
    missed = 0.0
    for family, places in zip(net.families, known.places, strict=True):
        m, x = len(places) - 1, float(all_over / math.prod(k - 1 for k in family.shape))
        missed += math.exp(-(x - m - m * math.log(x / m))) if x > m else 1.0
    return max(0.0, 1 - missed)


def largest_sample_error(
    net: BayesNet,
    node: str,
    data: Tables,
    epsilon: object,
    delta: object,
    **options: Any,
) -> Floats:
    """With probability 1 − δ no probability in a row of one sample errs by more: one number a row.

    Of `posterior_sample`, from the mean (α+τc)/(Σα+τΣc) of the tempered posterior, whichever its
    options: √(ln(2k/(δp))/(2(a+1))) + 1/grid for a row of k states with a = Σα+τΣc, where p is the
    probability that the truncation leaves, at least 1 − Σ P(θ_i < ω). 1 where that is 0 or less.
    For the data owner only (ours).

    Proof. θ_i is Beta(a_i, a − a_i), sub-Gaussian with proxy variance 1/(4(a+1)) (Marchal and Arbel
    2017), so that P(|θ_i − a_i/a| ≥ x) ≤ 2e^{−2(a+1)x²}; given an event of probability p it is at
    most 1/p times that, and rounding moves θ_i by 1/grid at most. Then the union bound.
    """
    from scipy.special import betainc

    share = float(_delta(delta))
    made = posterior_sample(net, data.n_records, check.epsilon(epsilon), **options)
    laws: Any = made.raw_law(data)
    place = net.nodes.index(check.choice("node", node, net.nodes))
    start = sum(family.rows for family in net.families[:place])
    found = []
    for law in laws.parts[start : start + net.families[place].rows]:
        shapes = np.array(law.parameters, dtype=np.float64)
        total = shapes.sum()
        left = 1 - betainc(shapes, total - shapes, float(law.omega)).sum()
        error = 1.0
        if left > 0:
            error = math.sqrt(math.log(2 * len(shapes) / (share * left)) / (2 * (total + 1)))
        found.append(min(1.0, error + 1 / law.grid))
    return np.array(found)


def largest_mean_error(samples: object, delta: object, states: object = 2) -> float:
    """With probability 1 − δ no probability of a row errs by more in the mean of N samples.

    √(ln(2k/δ)/(2N)) for k states, from the mean of the law that is sampled, truncated and tempered
    as it is; rounding to the grid adds 1/grid. P2 has √(ln(1/δ)/N), without constants, and forgets
    that N samples cost N times as much: with ε shared among them the law is further from the
    posterior the more there are.

    Proof. Hoeffding's inequality for N independent numbers in [0, 1], and the union bound.
    """
    number, k = check.whole("samples", samples, least=1), check.whole("states", states, least=2)
    return math.sqrt(math.log(2 * k / float(_delta(delta))) / (2 * number))


def map_miss(epsilon: object, t: object, sensitivity: object, share: object) -> float:
    """P(utility ≤ best − 2t) of the exponential mechanism is at most this: Lemma 4.

    e^{−ε·t/(2Δ)}/ξ(S_t), where outputs have probability ∝ e^{ε·u/(2Δ)}·ξ, Δ is the sensitivity of
    the utility u, and the share ξ(S_t) is the base measure of the outputs with u > best − t. P2
    prints e^{−ε·t}/ξ(S_t), which is false for Δ > ½. A value above 1 says nothing.

    Proof. P(u ≤ best − 2t)/P(S_t) ≤ e^{ε(best−2t)/(2Δ)}/(e^{ε(best−t)/(2Δ)}·ξ(S_t)).
    """
    widest = check.between("sensitivity", sensitivity, check.SMALL, Fraction(10**9))
    distance = check.between("t", t, check.SMALL, Fraction(10**9))
    part = check.between("share", share, _TINY, Fraction(1))
    return math.exp(-check.epsilon(epsilon) * distance / (2 * widest)) / float(part)


def _two(family: Family) -> bool:
    return family.shape[-1] == 2


def _require_two_states(net: BayesNet) -> None:
    for family in net.families:
        if not _two(family):
            raise InputError(
                f"net must have nodes of two states, got {family.node!r} with {family.shape[-1]}",
                "net",
            )


def _family(net: BayesNet, node: str) -> int:
    """How many cells the table of a node has, all nodes having two states."""
    _require_two_states(net)
    return net.family(node).cells


def _sensitivity(net: BayesNet) -> int:
    return fourier.sensitivity([family.columns for family in net.families], fourier.wide(net))


def _t(value: object) -> Fraction:
    number = check.rational("t", value)
    if not 0 <= number <= 10**6:
        raise InputError(f"t must lie between 0 and 1000000, got {check.show(number)}", "t")
    return number


def _delta(value: object) -> Fraction:
    return check.between("delta", check.share("delta", value), _TINY, Fraction(1))
