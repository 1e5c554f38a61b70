"""Privacy of a posterior sample from the smoothness of a network's likelihood: P2, Theorem 4.

P2 (Zhang, Rubinstein and Dimitrakakis 2016, §4.1) measures records by ρ = Σ_i ρ_i(x_i, y_i). A node
whose parents change has another likelihood even if its own state does not (erratum E20), so here
ρ counts the *families* in which two records differ: all |I| at most, and for one changed attribute
the node's own family and its children's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet import check
from discreet.core import Adjacency
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.families.network.model import BayesNet

KAPPA, OMEGA = 4.91081, 1.25643  # P2's constants
_SMALLEST = 1e-300


def truncation_loss(
    net: BayesNet, omega: object, adjacency: Adjacency | str = Adjacency.SUBSTITUTE
) -> float:
    """ε of one draw from a posterior cut to θ ≥ ω in every cell: Theorem 4, part 1.

    A node with k states has L = ln((1−(k−1)ω)/ω). When a record changes ("substitute") ε is 2·ΣL
    over all nodes; when one attribute of it changes, which is weaker, 2·ΣL over the node and its
    children, at the worst node. N draws cost N times as much. P2's 2·ln(1/ω) (Appendix C.2, E11)
    holds for one attribute without children.

    Proof. θ lies in [ω, 1−(k−1)ω], so that the likelihood of a record changes by a factor e^L at
    most in every family that changes, whichever rows are concerned; and so does the normaliser.
    """
    most = max(family.shape[-1] for family in net.families)
    bound = check.between("omega", omega, Fraction(1, 10**300), Fraction(1))
    if bound * most >= 1:
        raise InputError(
            f"omega must be less than 1/{most}, or nothing is left of a node with {most} states, "
            f"got {check.show(bound)}",
            "omega",
        )
    neighbours = Adjacency(adjacency)
    ratio = {
        family.node: math.log((1 - (family.shape[-1] - 1) * bound) / bound)
        for family in net.families
    }
    if neighbours is Adjacency.SUBSTITUTE:
        return 2 * math.fsum(ratio.values())
    if neighbours is Adjacency.ATTRIBUTE:
        below = net.children
        return 2 * max(math.fsum(ratio[i] for i in (node, *below[node])) for node in net.nodes)
    raise InputError("adjacency must be 'substitute' or 'attribute', got 'add-remove'", "adjacency")


@dataclass(frozen=True)
class SmoothnessBound:
    """δ of a (0, δ) guarantee, and what it was computed from."""

    value: float  # √(M/2·max(ρ, 1)); infinite where the theorem does not apply
    rate: float  # c: a prior mass of at most e^{−cL} is less smooth than L, for all L ≥ start
    start: float  # L₀
    ratio: float  # C, of the maximum to the marginal likelihood
    distance: int  # ρ

    @property
    def vacuous(self) -> bool:
        """Whether it says nothing: probabilities never differ by more than 1."""
        return self.value >= 1

    def __str__(self) -> str:
        if math.isinf(self.value) and self.rate <= self.distance:
            return f"vacuous: c = {self.rate:.4g} does not exceed ρ = {self.distance}"
        return f"{'vacuous: ' if self.vacuous else ''}δ = {self.value:.4g}"


def smoothness(rate: object, start: object, ratio: object, distance: int = 1) -> SmoothnessBound:
    """|ξ(B|x) − ξ(B|y)| ≤ √(M/2·max(ρ, 1)) for records at distance ρ: Theorem 4, part 2.

    M = (κ/c + L₀(1/(1−e^{−ω}) + 1) + ln C + ln(e^{−L₀δc}/(e^{−ω(1−δ)} − e^{−ω}) + e^{L₀(1−δ)c}))·C
    with rate c, start L₀, ratio C, κ = 4.91081 and ω = 1.25643. It needs ρ ≤ (1−δ)c; M decreases
    in δ, so δ = 1 − ρ/c is the best. Without c > ρ there is no such δ.

    The bound is at least √(C·ln C/2), so it is vacuous as soon as C·ln C ≥ 2, that is C ≥ 2.346.
    """
    most = Fraction(10**300)
    c = check.between("rate", rate, 1 / most, most)
    first = check.between("start", start, 1 / most, most)
    largest = check.between("ratio", ratio, Fraction(1), most)
    return _bound(
        float(c), float(first), float(largest), check.whole("distance", distance, least=1)
    )


def _bound(rate: float, start: float, ratio: float, distance: int) -> SmoothnessBound:
    bound = math.inf
    if rate > distance:
        delta = (rate - distance) / rate
        one = -start * (rate - distance) + OMEGA - math.log(math.expm1(OMEGA * delta))
        bracket = (
            KAPPA / rate
            + start * (1 / -math.expm1(-OMEGA) + 1)
            + math.log(ratio)
            + float(np.logaddexp(one, start * distance))
        )
        bound = math.sqrt(bracket * ratio / 2 * distance)
    return SmoothnessBound(bound, rate, start, ratio, distance)


def beta_smoothness(
    net: BayesNet, adjacency: Adjacency | str = Adjacency.SUBSTITUTE
) -> SmoothnessBound:
    """Theorem 4, part 2, for one record of a network, at the best L₀.

    A row θ ~ Beta(α, β) is as smooth as L where |ln(θ/(1−θ))| ≤ L. By Lemma 3, applied to the rows
    because all rows of a node must be smooth, c = min c_row − ln(rows)/L₀. (P2's proof ends with
    ln|I|·min c_i, its statement is right.) For one record the maximum likelihood is 1 and the
    marginal one min(α, β)/(α+β), so C_i = (α+β)/min(α, β) ≥ 2 at the worst row. A row of k states
    (ours) is as smooth as L where θ_i ≥ 1/(e^L+k−1) for all i: as in `truncation_loss` no two of
    the node's probabilities, in whichever rows, then differ by more than the factor e^L. C_i is
    Σα/min α ≥ k.

    So it is vacuous for all networks of two or more nodes, whatever the prior: C ≥ 4. For one node
    it is at least √(ln 2) = 0.8326, approached by Beta(α, α) as α grows. For more records C is
    larger.
    """
    neighbours = Adjacency(adjacency)
    if neighbours is Adjacency.ADD_REMOVE:
        raise InputError(
            "adjacency must be 'substitute' or 'attribute', got 'add-remove'", "adjacency"
        )
    below = max(len(children) for children in net.children.values())
    distance = len(net.nodes) if neighbours is Adjacency.SUBSTITUTE else 1 + below
    rows: set[tuple[float, ...]] = set()
    ratio = 1.0
    for family, prior in zip(net.families, net.prior, strict=True):
        own = list(zip(*[iter(map(float, prior))] * family.shape[-1], strict=True))
        ratio *= max(sum(row) / min(row) for row in own)
        rows.update(own)
    number = sum(family.rows for family in net.families)
    starts = np.geomspace(1e-6, 100, 3000)
    each = [
        beta_rates(*row, starts) if len(row) == 2 else dirichlet_rates(row, starts) for row in rows
    ]
    rates = np.min(each, axis=0) - np.log(number) / starts
    found = [
        _bound(float(c), float(start), ratio, distance)
        for c, start in zip(rates, starts, strict=True)
        if c > distance
    ]
    if not found:
        best = int(np.argmax(rates))
        return SmoothnessBound(math.inf, float(rates[best]), float(starts[best]), ratio, distance)
    return min(found, key=lambda bound: bound.value)


def beta_rates(alpha: float, beta: float, starts: Floats) -> Floats:
    """For every L₀ of an increasing grid a c with P(|ln(θ/(1−θ))| > L) ≤ e^{−cL} for all L ≥ L₀.

    θ ~ Beta(α, β). With φ = −ln P(|·| > L): between two points of the grid φ(L)/L is at least φ at
    the lower one over the upper one. Beyond the last point L* where P is not tiny P falls at least
    as fast as e^{−h(L−L*)} with h = min(α, β) − (α+β)/(1+e^{L*}), because the density of the log
    ratio is log-concave. At most 1 % below the best c where the grid is as fine as that.
    """
    from scipy.special import betainc, expit

    tail = betainc(alpha, beta, expit(-starts)) + betainc(beta, alpha, expit(-starts))
    last = _last(tail)
    fall = min(alpha, beta) - (alpha + beta) * float(expit(-starts[last]))
    return _rates(tail, starts, fall)


def dirichlet_rates(parameters: Sequence[float], starts: Floats) -> Floats:
    """For every L₀ of an increasing grid a c with P(some θ_i < 1/(e^L+k−1)) ≤ e^{−cL} for L ≥ L₀.

    θ ~ Dir(parameters), by the union bound over the k states, whose θ_i are Beta(a, b). As in
    `beta_rates`; beyond L* P(θ_i < ω), ω = 1/(e^L+k−1), falls at least as fast as e^{−hL} with
    h = a·(1−(k−1)ω*)·min(1, (1−ω*)^{b−1}), because P ≤ ω^a·max(1, (1−ω)^{b−1})/(a·B(a, b)), its
    derivative by ln ω is ω^a(1−ω)^{b−1}/B(a, b), and that of ln ω by L −(1−(k−1)ω).
    """
    from scipy.special import betainc

    a = np.array(parameters)[:, None]
    b, k = a.sum() - a, len(a)
    cut = np.exp(-starts) / (1 + (k - 1) * np.exp(-starts))
    tail = betainc(a, b, cut).sum(axis=0)
    at = cut[_last(tail)]
    fall = (a * (1 - (k - 1) * at) * np.minimum(1, (1 - at) ** (b - 1))).min()
    return _rates(tail, starts, float(fall))


def _last(tail: Floats) -> int:
    """The last place where a tail is not tiny."""
    return max(int((tail > _SMALLEST).sum()), 1) - 1


def _rates(tail: Floats, starts: Floats, fall: float) -> Floats:
    last = _last(tail)
    logs = -np.log(np.clip(tail, _SMALLEST, 1))
    least = np.full(len(starts), min(logs[last] / starts[last], fall))
    least[:last] = logs[:last] / starts[1 : last + 1]
    return np.asarray(np.minimum.accumulate(least[::-1])[::-1])
