"""How far the mechanisms for networks can err: the utility bounds of P2, corrected.

P2 is Zhang, Rubinstein and Dimitrakakis, On the Differential Privacy of Bayesian Inference, 2016.
Its bounds are for Laplace noise; these are for the integer noise of `laplace_updates` and
`fourier`. Theorem 4 is in `smoothness`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from discreet import check
from discreet.core import Adjacency
from discreet.core.tables import Tables
from discreet.errors import InputError
from discreet.families.network.mechanisms import fourier
from discreet.families.network.model import BayesNet

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

    Nodes of two states with prior α, β ≥ 2 only. For α = β = 1 and a row without records U is 0;
    for nodes of four states its analogue is below the expected divergence when ε is small.

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
    """
    _require_two_states(net)
    if (least := min(min(prior) for prior in net.prior)) < 2:
        raise InputError(
            f"prior must be at least 2 in every cell, got {check.show(least)}: Theorem 1 is not "
            "proved for smaller ones, and false for 1",
            "prior",
        )
    if isinstance(data, Tables):
        n, counts = data.n_records, net.to_vector(data)
    else:
        n = check.whole("data", data)
        counts = (n,) * net.size
    cells = (alpha for prior in net.prior for alpha in prior)
    return n * math.fsum(math.log(alpha + c) for alpha, c in zip(cells, counts, strict=True))


def probable_divergence(net: BayesNet, data: Tables | int, delta: object) -> float:
    """KL(exact ‖ released posterior) exceeds this with probability δ at most: Theorem 1, corrected.

    U + √(½·Σc²·ln(1/δ)) over all rows, with c = (2n+1)(ln(α+n+1) + ln(β+n+1)) and U as in
    `largest_divergence`, which has the arguments and the conditions, and is always smaller: this is
    here for comparison with P2. P2 prints Σc for Σc² and the log of a sum for the sum of the logs.

    Proof. The rows of `laplace_updates` are independent, each row's divergence lies between 0 and
    n(ln(α+n) + ln(β+n)) ≤ c, and its mean is at most U: McDiarmid's inequality.
    """
    share = _delta(delta)
    mean = largest_divergence(net, data)
    n = data.n_records if isinstance(data, Tables) else data
    squares = 0.0
    for prior in net.prior:
        logs = [math.log(alpha + n + 1) for alpha in prior]
        squares += sum((x + y) ** 2 for x, y in zip(logs[::2], logs[1::2], strict=True))
    return mean + (2 * n + 1) * math.sqrt(-squares * math.log(share) / 2)


def largest_marginal_error(
    net: BayesNet, node: str, epsilon: object, delta: object, t: object = 0
) -> float:
    """With probability 1 − δ no table of `fourier` errs by more in l1, at all nodes at once.

    2·√(2^{|π|+1} − 1)·⌈(s/ε)·ln((|N|−1)/δ)⌉ + ⌈4t|N|²/ε⌉ for a node with |π| parents, N the closure
    and s the sensitivity: Theorem 3, improved (ours). P2's own is `marginal_error_as_printed`.

    Proof. The table of a family J errs by 2^{−|J|}(A − 2·Σ X_γ(−1)^{⟨γ,x⟩}) in cell x, with
    A = ⌈4t|N|²/ε⌉ and the sum over the 2^{|J|} − 1 subsets γ ≠ ∅ of J. By Cauchy, Schwarz and
    Parseval the l1 norm is at most A + 2·√(Σ X_γ²). No |X_γ| is larger than the first ceiling: see
    `largest_update_error`, for |N| − 1 coefficients of rate ε/s. The part A is exact: so many
    records the table has too many.
    """
    cells = _family(net, node)
    budget, share, parameter = check.epsilon(epsilon), _delta(delta), _t(t)
    size, change = len(fourier.closure(net)), _sensitivity(net)
    noise = math.ceil(_UP * change * math.log((size - 1) / share) / float(budget))
    return 2 * math.sqrt(cells - 1) * noise + math.ceil(4 * parameter * size**2 / budget)


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
    which says nothing, if x ≤ m for any node. It is the proof of Corollary 3 with each family's own
    coefficients instead of all of them. For 16 features and a class t = 0.18 gives 0.94, for
    which Corollary 3 asks for t = 2.8.
    """
    _require_two_states(net)
    x = float(2 * _t(t) * len(fourier.closure(net)) ** 2 / _sensitivity(net))
    missed = 0.0
    for family in net.families:
        m = family.cells - 1
        missed += math.exp(-(x - m - m * math.log(x / m))) if x > m else 1.0
    return max(0.0, 1 - missed)


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


def _require_two_states(net: BayesNet) -> None:
    for family in net.families:
        if family.shape[-1] != 2:
            raise InputError(
                f"net must have nodes of two states, got {family.node!r} with {family.shape[-1]}",
                "net",
            )


def _family(net: BayesNet, node: str) -> int:
    """How many cells the table of a node has, all nodes having two states."""
    _require_two_states(net)
    return net.family(node).cells


def _sensitivity(net: BayesNet) -> int:
    return fourier.sensitivity(family.columns for family in net.families)


def _t(value: object) -> Fraction:
    number = check.rational("t", value)
    if not 0 <= number <= 10**6:
        raise InputError(f"t must lie between 0 and 1000000, got {check.show(number)}", "t")
    return number


def _delta(value: object) -> Fraction:
    return check.between("delta", check.share("delta", value), _TINY, Fraction(1))
