"""What P1 claims about privacy."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.auditing import audit
from discreet.auditing.calibration import scaled
from discreet_papers.p1.laws import (
    EIGHT,
    EPSILON,
    TWO,
    over_local,
    truncated_loss,
    usual,
)
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import made


def _table_private() -> Finding:
    found = audit(over_local(EIGHT))
    truth = over_local(EIGHT).law(EIGHT).probability(EIGHT)
    defined = usual("smooth_hellinger", EIGHT).law(EIGHT).probability(EIGHT)
    delta = found.delta(EPSILON)
    words = (
        f"The column is exp(−ε·H/LS), with {truth:.4f} on the truth; M_H as defined, exp(−ε·H/2S), "
        f"has {defined:.4f}. The column's law loses {found.epsilon:.4f} at ε = {EPSILON}, and is "
        f"(ε, δ)-private only for δ ≥ {delta:.4f}."
    )
    measured = {
        "loss": found.epsilon,
        "epsilon": EPSILON,
        "delta": delta,
        "truth_in_table": truth,
        "truth_as_defined": defined,
    }
    return Finding(Verdict.of(math.isclose(truth, defined, rel_tol=1e-9)), words, measured)


def _laplace_private() -> Finding:
    two, three = truncated_loss(2), truncated_loss(3)
    floor = audit(usual("ls_dim", EIGHT)).epsilon
    words = (
        "Their noise is rounded towards zero before it is added, so that 0 is "
        f"{math.exp(two):.2f} times as likely as 1: that loses ε/2 + ln 2 = {two:.4f} for two "
        f"categories and {three:.4f} for three at ε = {EPSILON}. The mechanism that P1 defines "
        f"rounds down and loses {floor:.4f} for two, but has other probabilities."
    )
    measured = {"loss_two": two, "loss_three": three, "loss_rounded_down": floor}
    return Finding(Verdict.of(max(two, three) <= EPSILON), words, measured | {"epsilon": EPSILON})


_SETTINGS = ((0.8, 0.8), (1, 0.1), (1, 1e-3), (1, 1e-6), (0.5, 1e-6), (5, 1e-6))


def _epsilon_delta() -> Finding:
    shares, proved = [], True
    for n in (8, 20, 50):
        for epsilon, delta in _SETTINGS:
            mechanism = made("smooth_hellinger", TWO, n, epsilon, delta)
            shares.append(audit(mechanism).epsilon / epsilon)
            proved = proved and mechanism.guarantee.epsilon <= epsilon
    kept = max(shares) <= 1
    hard = audit(made("smooth_hellinger", (1e-3, 1e-5), 300, 27, 1e-3))
    delta = hard.delta(27)
    small, large = (
        float(made("smooth_hellinger", TWO, n, 1, 1e-6).guarantee.epsilon) for n in (40, 10_000)
    )
    words = (
        "No counterexample is known, but the proof overlooks that the normaliser depends on the "
        f"data. In {len(shares)} settings with prior Beta(1, 1) the exact loss is "
        f"{min(shares):.2f} to {max(shares):.2f} of ε. Pure ε is false: n = 300, prior (0.001, "
        f"0.00001), ε = 27, δ = 0.001 loses {hard.epsilon / 27:.4f}·ε, though with δ(27) = "
        f"{delta:.1e} only. What can be proved is ε·(1 + (1 − e^(−γ))/S_min): {small:.3f} at "
        f"n = 40 and {large:.2f} at n = 10,000 for ε = 1, δ = 10⁻⁶."
    )
    measured = {
        "settings": len(shares),
        "least_share": min(shares),
        "largest_share": max(shares),
        "counterexample_share": hard.epsilon / 27,
        "counterexample_delta": delta,
        "proved_40": small,
        "proved_10000": large,
    }
    return Finding(Verdict.of(proved, kept and delta <= 1e-3), words, measured)


def _over_s() -> Finding:
    found = audit(scaled(made("smooth_hellinger", TWO, 8, 1, 1e-6), Fraction(2)))
    plain = audit(made("smooth_hellinger", TWO, 8, 1, 1e-6)).epsilon
    delta = found.delta(1)
    words = (
        f"It doubles the exponent. At n = 8, ε = 1, δ = 10⁻⁶ exp(−ε·H/S) loses {found.epsilon:.4f} "
        f"with δ(1) = {delta:.4f}, so it is not (ε, δ)-private; with 2S it loses {plain:.4f}."
    )
    measured = {"loss_over_s": found.epsilon, "delta_over_s": delta, "loss_over_2s": plain}
    return Finding(Verdict.of(found.epsilon <= 1 or delta <= 1e-6), words, measured)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p1-table1-private",
        "Table 1",
        "The exponential column is the law of the private mechanism M_H.",
        _table_private,
        "E7",
    ),
    Claim(
        "p1-laplace-private",
        "§2.1.3, Tables 1 and 2",
        "The Laplace columns are the law of an ε-private mechanism.",
        _laplace_private,
        implied=True,
    ),
    Claim(
        "p1-epsdelta",
        "§2.2.1",
        "With γ = ln(1 − ε/(2 ln(δ/(2(n+1))))) the mechanism M_H is (ε, δ)-private.",
        _epsilon_delta,
        "E9",
    ),
    Claim(
        "p1-over-s",
        "§3.3, §3.4.1",
        "The accuracy formulas with ε/S in the exponent describe the same mechanism as ε/(2S).",
        _over_s,
        "E9",
    ),
)
