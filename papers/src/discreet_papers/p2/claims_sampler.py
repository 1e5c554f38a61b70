"""P2 §4.1 and Appendix C.2: samples of the posterior."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.core.families import mechanism
from discreet.families.network.model import BayesNet
from discreet.families.network.smoothness import beta_smoothness, truncation_loss
from discreet_papers.p2.accuracy import FEATURES, NET, TRAINED
from discreet_papers.p2.brute_force import (
    FORK,
    ONE,
    PAIR,
    Record,
    binary,
    counts_of,
    largest_of,
    neighbours,
)
from discreet_papers.p2.simulating import counted
from discreet_papers.parts import Claim, Finding, Verdict

_OMEGA = 0.1


def sample_loss(one: Sequence[int], other: Sequence[int], omega: float) -> float:
    """The exact loss of a sample between two vectors of counts of two-state nodes, prior 1.

    The rows are independent, and the log ratio of the densities of a row is monotone in θ.
    """
    from scipy.special import betainc, betaln

    total = [0.0, 0.0]
    pairs = (np.reshape(x, (-1, 2)) + 1.0 for x in (one, other))
    for (a, b), (c, d) in zip(*pairs, strict=True):
        masses = [
            betaln(x, y) + np.log(betainc(x, y, 1 - omega) - betainc(x, y, omega))
            for x, y in ((a, b), (c, d))
        ]
        ends = [
            (a - c) * math.log(theta) + (b - d) * math.log(1 - theta) - masses[0] + masses[1]
            for theta in (omega, 1 - omega)
        ]
        total = [total[0] + max(ends), total[1] - min(ends)]
    return float(max(total))


def _unit() -> float:
    return math.log((1 - _OMEGA) / _OMEGA)


def _lemma_2() -> Finding:
    own, child = {0: 0.1, 1: 0.9}, {0: 0.1, 1: 0.9}  # P(a = 1) and P(b = 1 | a)
    change = abs(math.log(own[1] * child[1] / ((1 - own[1]) * child[0])))
    bound = _unit()
    words = (
        "It ignores that a changed parent changes its children's factors too. An arc a → b with "
        f"all probabilities {_OMEGA} or {1 - _OMEGA}: every factor changes by at most L = "
        f"{bound:.3f} in the log when its own state does, but changing a alone changes the "
        f"likelihood by {change:.3f}. It holds if ρ counts the families that change, here two."
    )
    return Finding(
        Verdict.of(change <= bound, change <= 2 * bound + 1e-12),
        words,
        {"change": change, "bound": bound, "families": 2},
    )


def _lemma_3() -> Finding:
    nodes, rate, start = 3, 2.0, 1.0
    stated, proof = rate - math.log(nodes) / start, math.log(nodes) * rate
    held = ended = True
    for smooth in np.linspace(start, 20, 100):
        mass = (1 - math.exp(-rate * smooth)) ** nodes  # of independent nodes
        held &= mass >= 1 - math.exp(-stated * smooth)
        ended &= mass >= 1 - math.exp(-proof * smooth)
    at = (1 - math.exp(-rate)) ** nodes
    words = (
        f"For three independent nodes with c = {rate:g}, L₀ = {start:g} it holds at all L up to "
        f"20, c' = {stated:.3f}. The proof ends with another constant, ln|I|·min c = {proof:.3f}, "
        f"which {'holds too' if ended else 'is false'}: at L = 1 the mass is {at:.3f}, and "
        f"1 − e^(−c'L) is {1 - math.exp(-proof):.3f}."
    )
    return Finding(Verdict.of(bool(held)), words, {"stated": stated, "proof": proof, "mass": at})


def _theorem_4_1() -> Finding:
    unit, n = _unit(), 41
    # one attribute of a fork's root changes, where the children's rows are far from it
    rest = [(0, 1, 1)] * 20 + [(1, 1, 1)] * 20
    zero, one = (counts_of(FORK, [*rest, record]) for record in ((0, 0, 0), (1, 0, 0)))
    root = sample_loss(zero, one, _OMEGA)
    worst = 0.0
    for net in (ONE, PAIR, FORK):
        for left, right in neighbours(net, 2):
            families = _families(net, left[-1], right[-1])
            loss = sample_loss(counts_of(net, left), counts_of(net, right), _OMEGA)
            worst = max(worst, loss / (2 * unit * families))
    proved = truncation_loss(FORK, _OMEGA, "attribute")
    words = (
        "With ρ counting the families that change. A fork of three nodes, θ between "
        f"{_OMEGA} and {1 - _OMEGA}, n = {n}: changing the root of one record alone loses "
        f"{root:.2f}, more than 2L = {2 * unit:.2f} but not than {proved:.2f} for its three "
        f"families. Over all data of two records in three networks the exact loss is at most "
        f"{worst:.2f} of 2L for each changed family."
    )
    return Finding(
        Verdict.of(root <= 2 * unit, root <= proved and worst <= 1),
        words,
        {"root": root, "as_stated": 2 * unit, "by_families": proved, "largest_share": worst},
    )


def _families(net: BayesNet, one: Record, other: Record) -> int:
    changed = {x for x, a, b in zip(net.nodes, one, other, strict=True) if a != b}
    return sum(bool(changed & set(family.columns)) for family in net.families)


def _theorem_4_2() -> Finding:
    priors = (1, 10, 100, 10**4, 10**6, 10**9)
    one = {a: beta_smoothness(binary(a, a="")).value for a in priors}
    two = {a: beta_smoothness(binary(a, a="", b="")).value for a in priors}
    paper = beta_smoothness(NET)
    least, least_two = min(one.values()), min(two.values())
    words = (
        "A difference of probabilities is never above 1, and for two or more nodes of two states "
        f"√(M/2) is, whatever the prior: at least {least_two:.2f} for two nodes without arcs and "
        f"Beta(α, α), α up to 10⁹. For a single node it falls to {least:.3f}. With P2's 16 "
        f"features and uniform priors it does not even apply: c = {paper.rate:.2f} does not exceed "
        f"ρ = {paper.distance}."
    )
    return Finding(
        Verdict.of(not paper.vacuous and least_two < 1, least < 1),
        words,
        {"one_node": least, "two_nodes": least_two, "c": paper.rate, "distance": paper.distance},
    )


def worst_loss(omega: float, attribute: bool = False) -> float:
    """The exact loss of a sample in P2's setting, for one record, or one of its features.

    The record has class 0 and no feature, and becomes one of class 1 with all; the others have all
    features, and half of them class 1. What is proved is approached as their number grows.
    """
    features = np.ones((TRAINED, FEATURES), dtype=np.int64)
    labels = np.arange(TRAINED) % 2
    before, after = features.copy(), labels.copy()
    if attribute:
        before[0, 0] = 0
    else:
        before[0], after[0] = 0, 1
    return sample_loss(counted(NET, labels, before), counted(NET, after, features), omega)


def _charge() -> Finding:
    charged = 2 * math.log(1 / _OMEGA)
    loss, leaf = worst_loss(_OMEGA), worst_loss(_OMEGA, attribute=True)
    record = truncation_loss(NET, _OMEGA)
    words = (
        f"For one sample and one changed attribute without children: ω = {_OMEGA} is charged "
        f"{charged:.2f}, and there {leaf:.2f} is lost. With 16 features and {TRAINED} records, "
        f"replacing a whole record loses {loss:.1f}; what can be proved is {record:.1f}. Below "
        f"ε = 2·ln 2 = {2 * math.log(2):.2f} the ω is above ½ and nothing is left to sample from."
    )
    return Finding(
        Verdict.of(loss <= charged, leaf <= charged),
        words,
        {"charged": charged, "loss": loss, "attribute": leaf, "proved": record},
    )


def _many() -> Finding:
    epsilon = 2.0
    made = mechanism("posterior_sample", ONE, 5, epsilon=epsilon, omega="cut", grid=20)
    laws = [made.raw_law(_one_node(ones)).log_p for ones in range(6)]
    pairs = [(laws[i], laws[i + 1]) for i in range(5)]
    single = max(largest_of(pair) for pair in pairs)
    double = max(largest_of([np.add.outer(p, p).ravel() for p in pair]) for pair in pairs)
    triple = max(
        largest_of([np.add.outer(np.add.outer(p, p), p).ravel() for p in pair]) for pair in pairs
    )
    words = (
        f"Independent samples lose in proportion to their number: from one node with five records, "
        f"ω for ε = {epsilon:g}, on a grid of 20, one, two and three samples lose {single:.3f}, "
        f"{double:.3f} and {triple:.3f}. Averaged without end, as in Appendix C.2, they show the "
        "truncated posterior itself."
    )
    return Finding(
        Verdict.of(triple <= single + 1e-9),
        words,
        {"one": single, "two": double, "three": triple, "epsilon": epsilon},
    )


def _one_node(ones: int) -> Any:
    from discreet.core.tables import Tables

    return Tables((("a",),), ((5 - ones, ones),))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p2-lemma-2",
        "Lemma 2",
        "If every factor is L_i-Lipschitz in the node's own state, the network is "
        "max L_i-Lipschitz in the sum of the nodes' distances.",
        _lemma_2,
        "E20",
    ),
    Claim(
        "p2-lemma-3",
        "Lemma 3",
        "If every node is smooth but for a prior mass of e^{−c_i·L}, the network is smooth but for "
        "e^{−c'L}, c' = min c_i − ln|I|/L₀.",
        _lemma_3,
    ),
    Claim(
        "p2-theorem-4-1",
        "Theorem 4, part 1",
        "A sample of the posterior loses at most 2·max L_i·ρ, where ρ sums the distances of the "
        "nodes' states.",
        _theorem_4_1,
        "E20",
    ),
    Claim(
        "p2-theorem-4-2",
        "Theorem 4, part 2",
        "Where the prior is smooth with high probability, a sample of the posterior is "
        "(0, √(M/2))-private, which is a guarantee.",
        _theorem_4_2,
    ),
    Claim(
        "p2-charge",
        "Appendix C.2",
        "With all probabilities at least ω a sample of the posterior is 2·ln(1/ω)-private.",
        _charge,
        "E11",
    ),
    Claim(
        "p2-many-samples",
        "Appendix C.2",
        "Many samples can be drawn and averaged for the ε of one.",
        _many,
        "E11",
        implied=True,
    ),
)
