"""How far one record moves a posterior: Hellinger, total variation and KL in closed form.

Substituting a record of Bernoulli or categorical data takes Beta or Dirichlet parameters from
(x + 1, y) to (x, y + 1). With w(a) = Γ(a + ½)/(Γ(a)√a), which increases to 1:

    Hellinger = √(1 − w(x)·w(y)),
    total variation = x^{x−1}·y^{y−1}/((x + y)^{x+y−1}·B(x, y)),
    KL = log(y/x) + ψ(x + 1) − ψ(y), or with x and y exchanged,

for any number of categories, since the likelihood ratio depends on θ_i/(θ_i + θ_j) alone, whose law
is that Beta. All three fall as x and y grow (∂KL/∂y = 1/y − ψ'(y) < 0, ∂KL/∂x = ψ'(x + 1) − 1/x
< 0), so they are largest at the prior's parameters, or at lower bounds of these.

Adding one takes (a, s) to (a + 1, s + 1), s the sum of all parameters: Hellinger
√(1 − w(a)/w(s)) < √(1 − w(a)); KL < ψ(a + 1) − log a or < log a − ψ(a); total variation is at
most H·√(2 − H²).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from flint import arb

from discreet.divergence import sensitivity
from discreet.exact.balls import ball
from discreet.programs import symbolic
from discreet.programs.symbolic import ONE, PI, ZERO, Expression, number

KINDS = ("hellinger", "total_variation", "kl")


def beta_move(kind: str, x: Fraction, y: Fraction) -> Expression | None:
    """Substituting one record where no parameters are below x and y; 0 is open."""
    if min(x, y) <= 0:  # parameters may come as near to 0 as they like
        return None if kind == "kl" else ONE
    low, high = sorted((x, y))
    if kind == "hellinger":
        return _hellinger(low, high)
    if kind == "total_variation":
        if low.denominator == high.denominator == 1 and high <= 50:
            a, b = int(low), int(high)
            bottom = math.factorial(a - 1) * math.factorial(b - 1) * (a + b) ** (a + b - 1)
            top = a ** (a - 1) * b ** (b - 1) * math.factorial(a + b - 1)
            return number(Fraction(top, bottom))
        real = partial(sensitivity.step, low, high, "total_variation")
        return symbolic.constant(f"total_variation_step({_show(low)}, {_show(high)})", real)
    return symbolic.constant(f"kl_step({_show(low)}, {_show(high)})", partial(_kl, low, high))


def beta_added(kind: str, a: Fraction) -> Expression | None:
    """Adding one record where no parameter is below a, whatever the number of records."""
    if a <= 0:
        return None if kind == "kl" else ONE
    w = _w_squared(a)
    if w is not None:
        root = symbolic.sqrt(ONE - symbolic.sqrt(w))
    else:
        root = symbolic.constant(f"hellinger_added({_show(a)})", partial(_added, a))
    if kind == "hellinger":
        return root
    if kind == "total_variation":
        return root * symbolic.sqrt(number(2) - root * root)
    return symbolic.constant(f"kl_added({_show(a)})", partial(_kl_added, a))


def at_length(kind: str, prior: tuple[Fraction, ...], n: int) -> Expression | None:
    """Substituting one of exactly n records: the largest local one of `divergence.sensitivity`."""
    if kind == "kl" or n == 0:
        return ZERO if n == 0 else beta_move(kind, *sorted(prior)[:2])
    if n == 1 or len(prior) > 2:
        return beta_move(kind, *sorted(prior)[:2])
    name = f"{kind}({', '.join(map(_show, prior))}, n={n})"
    distance: sensitivity.Distance = "hellinger" if kind == "hellinger" else "total_variation"
    return symbolic.constant(name, partial(sensitivity.overall, prior, n, distance))


def _show(value: Fraction) -> str:
    """With every digit: constants are known by their names."""
    return str(value)


def _w_squared(x: Fraction) -> Expression | None:
    """w(x)² where it is a rational times π or 1/π: at whole and half x."""
    if x.denominator > 2 or x > 50:
        return None
    if x.denominator == 1:  # Γ(m + ½) = (2m)!/(4^m·m!)·√π
        m = int(x)
        half = Fraction(math.factorial(2 * m), 4**m * math.factorial(m))
        return number(half**2 / (math.factorial(m - 1) ** 2 * m)) * PI
    m = int(x - Fraction(1, 2))
    half = Fraction(math.factorial(2 * m), 4**m * math.factorial(m))
    return number(Fraction(math.factorial(m) ** 2) / (half**2 * x)) / PI


def _hellinger(x: Fraction, y: Fraction) -> Expression:
    one, two = _w_squared(x), _w_squared(y)
    if one is not None and two is not None:
        return symbolic.sqrt(ONE - symbolic.sqrt(one * two))
    name = f"hellinger_step({_show(x)}, {_show(y)})"
    return symbolic.constant(name, partial(sensitivity.step, x, y, "hellinger"))


def _kl(x: Fraction, y: Fraction) -> arb:
    """The larger of both directions."""
    a, b = ball(x), ball(y)
    forth = (b / a).log() + (a + 1).digamma() - b.digamma()
    back = (a / b).log() + (b + 1).digamma() - a.digamma()
    return forth.max(back)


def _log_w(a: arb) -> arb:
    return (a + arb(1) / 2).lgamma() - a.lgamma() - a.log() / 2


def _added(a: Fraction) -> arb:
    return (-_log_w(ball(a)).expm1()).sqrt()


def _kl_added(a: Fraction) -> arb:
    x = ball(a)
    return ((x + 1).digamma() - x.log()).max(x.log() - x.digamma())


# ---- normal -------------------------------------------------------------------------------------


def normal_shift(width: Expression, v: Expression, big: Expression, n: Expression) -> Expression:
    """Of the posterior mean, with data in an interval of that width: (U − L)·V/(v + n·V)."""
    return width * big / (v + n * big)


def normal_move(
    kind: str, width: Expression, v: Expression, big: Expression, n: Expression
) -> Expression:
    """Of the posterior: with q = Δ²/s² = (U − L)²·V/(v·(v + n·V)), which falls with n.

    Hellinger √(1 − exp(−q/8)), total variation erf(√(q/8)), KL q/2.
    """
    q = width * width * big / (v * (v + n * big))
    if kind == "kl":
        return q / number(2)
    eighth = q / number(8)
    if eighth.symbols:
        return ONE
    if kind == "hellinger":
        return symbolic.sqrt(ONE - symbolic.exp(-eighth))
    return symbolic.constant(f"erf(sqrt({eighth.exact()}))", partial(_erf_root, eighth))


def _erf_root(x: Expression) -> arb:
    return x.ball({}).sqrt().erf()


# ---- finite -------------------------------------------------------------------------------------


def finite_move(kind: str, low: Expression, high: Expression) -> Expression:
    """Of any finite posterior whose weights are multiplied by factors between low and high.

    With h = high/low and P the posterior before, 1 − H² = E√ρ/√Eρ ≥ 2·h^{1/4}/(1 + √h)
    (Kantorovich's inequality for √ρ), total variation ≤ (√h − 1)/(√h + 1), and KL ≤ log of Specht's
    ratio h^{1/(h−1)}/(e·log h^{1/(h−1)}). Two points attain all three.
    """
    if low == high:
        return ZERO
    if low.value == 0:
        return ONE
    h = high / low
    root = symbolic.sqrt(h)
    if kind == "hellinger":
        return symbolic.sqrt(ONE - number(2) * symbolic.sqrt(root) / (ONE + root))
    if kind == "total_variation":
        return (root - ONE) / (root + ONE)
    name = f"log_specht({h.exact()})"
    return symbolic.constant(name, partial(_log_specht, h))


def _log_specht(h: Expression) -> arb:
    value = h.ball({})
    power = value.log() / (value - 1)
    return power - 1 - power.log()
