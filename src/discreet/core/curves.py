"""What is known of a privacy loss beyond (ε, δ): its Rényi divergences, ρ of zCDP, and δ(ε).

The loss of neighbours x, x' at an output is L = log P(x)/P'(x). D_α = log E[e^{(α−1)L}]/(α−1) is
their Rényi divergence, ρ-zCDP means D_α ≤ ρ·α for all α > 1 (Bun and Steinke 2016), and δ(ε) is the
hockey-stick divergence. A curve bounds all three for every pair of neighbours, rounded upwards.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

from flint import arb

from discreet.core import renyi
from discreet.core.documents import exact
from discreet.errors import InputError
from discreet.exact import balls, theta
from discreet.exact.balls import ball
from discreet.exact.hockey_stick import (
    discrete_gaussian_delta,
    discrete_hockey_stick,
    discrete_pair_delta,
)

_DIGITS = 10**12
_MOST_CELLS = 256  # beyond, P(L = 0) hardly grows


@dataclass(frozen=True)
class Curve:
    """Bounds on the privacy loss of every pair of neighbours."""

    @property
    @abstractmethod
    def epsilon(self) -> Fraction | None:
        """What the loss never exceeds; None if it can be arbitrarily large."""

    @property
    @abstractmethod
    def basis(self) -> str:
        """Why it holds."""

    @abstractmethod
    def renyi(self, alpha: Fraction) -> arb:
        """A bound on D_α."""

    @abstractmethod
    def zcdp(self) -> arb:
        """The least ρ that is proved."""

    @property
    def exact_rho(self) -> Fraction | None:
        """A ρ that is proved and rational."""
        return None

    def document(self) -> dict[str, Any]:
        """As JSON can hold it: the kind of the curve and its numbers."""
        return {"kind": type(self).__name__} | {
            field.name: _write(getattr(self, field.name)) for field in fields(self)
        }

    def delta(self, epsilon: Fraction) -> arb:
        """A bound on δ(ε): from D_α, at the best order found."""
        if self.epsilon is not None and epsilon >= self.epsilon:
            return arb(0)
        alpha = renyi.best_order(self, partial(renyi.log_delta, epsilon=epsilon))
        return renyi.log_delta(self.renyi(alpha), alpha, epsilon).exp().min(arb(1))

    def grouped(self, m: int) -> Curve:
        """The loss of two data sets that are m steps apart."""
        # D_α ≤ ρα for neighbours gives m²·ρ·α (Bun and Steinke 2016, Proposition 1.9), and the
        # largest losses add up.
        return Known(m * m * rho(self), None if self.epsilon is None else m * self.epsilon)


@dataclass(frozen=True)
class Pure(Curve):
    """A loss of at most ε.

    Of all laws that are ε-private, randomised response is the most telling: its loss is ε or −ε
    (Kairouz, Oh and Viswanath 2015, Theorem 3.4), and E[e^{(α−1)L}] = cosh(ε(α − ½))/cosh(ε/2).
    """

    bound: Fraction

    @property
    def still(self) -> arb:
        """P(L = 0), of a loss that is −ε, 0 or ε; or less."""
        return arb(0)

    @property
    def epsilon(self) -> Fraction:
        return self.bound

    @property
    def basis(self) -> str:
        return "randomised response is the worst of what is ε-private (Kairouz et al. 2015)"

    def renyi(self, alpha: Fraction) -> arb:
        epsilon, order = ball(self.bound), ball(alpha)
        # cosh(ε(α − ½))/cosh(ε/2) without large numbers
        ratio = (1 + (-epsilon * (2 * order - 1)).exp()) / (1 + (-epsilon).exp())
        top, still = epsilon * (order - 1), self.still
        return (top + ((1 - still) * ratio + still * (-top).exp()).log()) / (order - 1)

    def zcdp(self) -> arb:
        # With v = (α − ½)², log(A + cosh(ε√v)) is concave in v for 0 ≤ A ≤ 2: with w = ε√v that
        # asks for A·(w·cosh w − sinh w) ≤ sinh w·cosh w − w, and the coefficient of w^{2j+1} of the
        # right side less twice the left one is (4^j − 4j)/(2j+1)! ≥ 0. So (α−1)·D_α, which is 0 at
        # v = ¼, lies below its tangent there, KL·α(α−1), and ρ = KL = (1 − still)·ε·tanh(ε/2).
        epsilon, still = ball(self.bound), self.still
        most = epsilon * (epsilon / 2).tanh()
        few = still * (epsilon / 2).cosh() <= 2 * (1 - still)
        return (1 - still) * most if few else most

    def delta(self, epsilon: Fraction) -> arb:
        # P(L = ε) = (1 − still)/(1 + e^{−ε}), and the output has e^{−ε} times that under P'
        if epsilon >= self.bound:
            return arb(0)
        likely = (1 - self.still) / (1 + ball(-self.bound).exp())
        return likely * -(ball(epsilon - self.bound).expm1())


@dataclass(frozen=True)
class Lattice(Pure):
    """Noise z with Σz = 0 and P(z) ∝ e^{−ε·½‖z‖₁} on `cells` counts, of which one record moves.

    The loss ½ε·(|z_i − 1| − |z_i| + |z_j + 1| − |z_j|) is −ε, 0 or ε. Its mean is ε·P(z_i = 0) and
    also (1 − P(L = 0))·ε·tanh(ε/2).
    """

    cells: int

    @property
    def basis(self) -> str:
        return "the law of noise that keeps the total: the loss is −ε, 0 or ε"

    @property
    def still(self) -> arb:
        # P(z_i = 0) = Z_{k−1}/Z_k. Z_k is the mean of the k-th power of the characteristic function
        # of discrete Laplace noise, which is positive, so log-convex in k: the ratio falls with k,
        # and that of fewer cells is a bound.
        few = min(self.cells, _MOST_CELLS)
        with balls.extra_precision(64):
            ratio = theta.log_lattice(few - 1, self.bound) - theta.log_lattice(few, self.bound)
            return 1 - ratio.exp() / (ball(self.bound) / 2).tanh() if few > 2 else arb(0)


@dataclass(frozen=True)
class Laplace(Curve):
    """Discrete Laplace noise of rate ε/steps on whole numbers that change by `steps` in all.

    The worst change is that of one number: shifts of a log-concave law along one axis have the same
    optimal tests, so that their trade-off functions satisfy T_{s+t} = T_t ∘ (1 − T_s), while ≥
    holds for a chain of changes of different numbers (Dong, Roth and Su 2022, section 2.3).
    `steps` None is the limit, Laplace noise of scale 1/ε on numbers that change by 1.
    """

    bound: Fraction
    steps: int | None

    @property
    def epsilon(self) -> Fraction:
        return self.bound

    @property
    def basis(self) -> str:
        return "the law of Laplace noise"

    def renyi(self, alpha: Fraction) -> arb:
        # With a = ε/steps and x = e^{−a} the loss is ε for z ≤ 0, which has probability 1/(1+x),
        # −ε for z ≥ steps, with e^{−ε}/(1+x), and a·(steps − 2z) between them.
        epsilon, order = ball(self.bound), ball(alpha)
        fall = (-epsilon * (2 * order - 1)).exp()
        if self.steps is None:
            inner = (order + (order - 1) * fall) / (2 * order - 1)
        else:
            rate = epsilon / self.steps
            q = (-rate * (2 * order - 1)).exp()
            ends = (1 + fall) / (1 + (-rate).exp())
            inner = ends + (rate / 2).tanh() * (q - fall) / (1 - q)
        return epsilon + inner.log() / (order - 1)

    def zcdp(self) -> arb:
        # G(u) = E[e^{(α−1)L}], u = α − ½, is a sum of cosh(l·u) over the losses l ≥ 0 whose weights
        # grow with l: constant between the ends, more at the ends. Cosine polynomials with growing
        # coefficients have real zeros only (Eneström and Kakeya), so G has imaginary ones, is
        # Π(1 + u²/τ²) up to a constant, and log G is concave in u². As for `Pure`, ρ = KL
        # = E|z − steps|·a − E|z|·a = ε − a·(1 − e^{−ε})/sinh a.
        epsilon = ball(self.bound)
        if self.steps is None:
            return epsilon + (-epsilon).expm1()
        rate = epsilon / self.steps
        return epsilon + rate * (-epsilon).expm1() / rate.sinh()

    def delta(self, epsilon: Fraction) -> arb:
        if epsilon >= self.bound:
            return arb(0)
        if self.steps is None:
            return -(ball(epsilon - self.bound) / 2).expm1()
        # z is told apart where its loss a·(steps − 2z) exceeds ε: from the least z on
        rate = self.bound / self.steps
        z = math.ceil((self.steps - epsilon / rate) / 2) - 1
        x = ball(-rate).exp()
        told = 1 - x ** (z + 1) / (1 + x)
        return told - ball(epsilon).exp() * x ** (self.steps - z) / (1 + x)


@dataclass(frozen=True)
class Range(Curve):
    """An exponential mechanism: losses of one pair of neighbours lie within `width` of each other.

    The loss never exceeds `bound`. Then ρ = width²/8 (Cesar and Rogers 2021, Lemma 3.2).
    """

    bound: Fraction
    width: Fraction

    @property
    def epsilon(self) -> Fraction:
        return self.bound

    @property
    def basis(self) -> str:
        return "the bounded range of an exponential mechanism (Cesar and Rogers 2021)"

    @property
    def exact_rho(self) -> Fraction:
        return self.width**2 / 8

    def renyi(self, alpha: Fraction) -> arb:
        return Pure(self.bound).renyi(alpha).min(ball(alpha * self.exact_rho))

    def zcdp(self) -> arb:
        return Pure(self.bound).zcdp().min(ball(self.exact_rho))

    def delta(self, epsilon: Fraction) -> arb:
        # The worst loss takes two values t and t − w (Dong, Durfee and Rogers 2020): the larger
        # with probability (e^w − e^t)/(e^w − 1), so δ = that·(1 − e^{ε−t}), largest at t = (ε+w)/2.
        pure = Pure(self.bound).delta(epsilon)
        if epsilon >= self.width:
            return arb(0)
        w = ball(self.width)
        fall = (ball(epsilon - self.width) / 2).expm1()
        return pure.min(fall**2 / -(-w).expm1())


@dataclass(frozen=True)
class Normal(Curve):
    """Discrete Gaussian noise, of variances of at least least·variance, on whole numbers.

    Neighbours differ by s with Σ (s_i/σ_i)² ≤ sensitivity_squared/variance, in at most `dimension`
    numbers. `pair` says that they differ by 1 and −1 in two numbers with noise of that variance.
    """

    sensitivity_squared: Fraction
    variance: Fraction
    dimension: int = 1
    least: Fraction = Fraction(1)
    pair: bool = False

    @property
    def epsilon(self) -> None:
        return None

    @property
    def basis(self) -> str:
        return "discrete Gaussian noise (Canonne, Kamath and Steinke 2020, Proposition 5)"

    @property
    def exact_rho(self) -> Fraction:
        # D_α = α·s²/(2σ²) at most for whole s, and divergences of independent numbers add up
        return self.sensitivity_squared / (2 * self.variance)

    def renyi(self, alpha: Fraction) -> arb:
        return ball(alpha * self.exact_rho)

    def zcdp(self) -> arb:
        return ball(self.exact_rho)

    def delta(self, epsilon: Fraction) -> arb:
        if self.pair:
            return discrete_pair_delta(epsilon, self.variance)
        root = math.isqrt(int(self.sensitivity_squared))
        if self.dimension == 1 and root**2 == self.sensitivity_squared:
            # shifts of a log-concave law have the same optimal tests, so the largest is the worst
            return discrete_hockey_stick(epsilon, root, self.variance)
        return discrete_gaussian_delta(
            epsilon, self.sensitivity_squared, self.variance, self.dimension, self.least
        )

    def grouped(self, m: int) -> Curve:
        # m differences add up to one of at most m times the length, in at most m·d numbers
        return replace(
            self,
            sensitivity_squared=m * m * self.sensitivity_squared,
            dimension=m * self.dimension,
            pair=False,
        )


@dataclass(frozen=True)
class Composed(Curve):
    """Independent outputs, each with its curve, and how many of each kind: D_α and ρ add up."""

    parts: tuple[tuple[Curve, int], ...]

    @property
    def epsilon(self) -> Fraction | None:
        total = Fraction(0)
        for curve, times in self.parts:
            if curve.epsilon is None:
                return None
            total += times * curve.epsilon
        return total

    @property
    def basis(self) -> str:
        return "; ".join(dict.fromkeys(curve.basis for curve, _ in self.parts))

    @property
    def exact_rho(self) -> Fraction | None:
        known = [(curve.exact_rho, times) for curve, times in self.parts]
        found = [rho * times for rho, times in known if rho is not None]
        return sum(found, Fraction(0)) if len(found) == len(known) else None

    def renyi(self, alpha: Fraction) -> arb:
        return sum((times * curve.renyi(alpha) for curve, times in self.parts), arb(0))

    def zcdp(self) -> arb:
        return sum((times * curve.zcdp() for curve, times in self.parts), arb(0))


@dataclass(frozen=True)
class Known(Curve):
    """Known by ρ, and perhaps by ε."""

    rho: Fraction
    bound: Fraction | None = None

    def __post_init__(self) -> None:
        if self.rho < 0:
            raise InputError("rho must not be negative", "rho")

    @property
    def epsilon(self) -> Fraction | None:
        return self.bound

    @property
    def basis(self) -> str:
        return "zero-concentrated differential privacy (Bun and Steinke 2016)"

    @property
    def exact_rho(self) -> Fraction:
        return self.rho

    def renyi(self, alpha: Fraction) -> arb:
        divergence = ball(alpha * self.rho)
        return divergence if self.bound is None else divergence.min(Pure(self.bound).renyi(alpha))

    def zcdp(self) -> arb:
        rho = ball(self.rho)
        return rho if self.bound is None else rho.min(Pure(self.bound).zcdp())


def _write(value: Any) -> Any:
    if isinstance(value, Curve):
        return value.document()
    if isinstance(value, tuple):
        return [_write(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


def read_curve(document: Mapping[str, Any]) -> Curve | None:
    """The curve of noise on one axis that `document` wrote; None for the other kinds."""
    numbers = {
        name: exact(value)
        for name, value in document.items()
        if isinstance(value, str) and name != "kind"
    }
    if document["kind"] == "Laplace":
        return Laplace(numbers["bound"], document["steps"])
    if document["kind"] == "Normal" and document["dimension"] == 1:
        return Normal(numbers["sensitivity_squared"], numbers["variance"])
    return None


@cache
def rho(curve: Curve) -> Fraction:
    """The ρ of a curve, rounded up."""
    rounded = balls.rounded_up(curve.zcdp)
    return rounded if curve.exact_rho is None else min(rounded, curve.exact_rho)


@cache
def epsilon_at(curve: Curve, delta: Fraction) -> Fraction:
    """The least ε that is proved at δ > 0, rounded up to 12 digits; checked in balls."""
    alpha = renyi.best_order(curve, partial(renyi.converted, delta=delta))
    high = balls.rounded_up(lambda: renyi.converted(curve.renyi(alpha), alpha, delta).max(_least()))
    if curve.epsilon is not None:
        high = min(high, curve.epsilon)

    def enough(epsilon: Fraction) -> bool:
        return balls.refine(lambda: curve.delta(epsilon), partial(_at_most, limit=ball(delta)))

    if enough(Fraction(0)):
        return Fraction(0)
    if type(curve).delta is Curve.delta or not enough(high):
        return high  # what D_α proves is all there is
    low = Fraction(0)
    while high - low > high / _DIGITS:
        middle = Fraction(f"{float((low + high) / 2):.14g}")
        if not low < middle < high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _least() -> arb:
    return arb(2) ** -200


def _at_most(value: arb, limit: arb) -> bool | None:
    if value <= limit:
        return True
    return False if value > limit else None
