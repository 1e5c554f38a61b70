"""Mechanisms for the mean of numbers within public bounds (P4).

The data enter by one whole number, the sum ΣU of the records on a grid: U/grid is a record's
distance from the middle of the bounds in units of half their width, so replacing a record changes
ΣU by at most 2·grid. The posterior mean is an affine function of ΣU, and its variance does not
depend on the data (P4, §6.2). Where the number n of records is private too, they enter by two,
Σ(grid + U) and Σ(grid − U): how far the records are from either bound. Half their difference is ΣU,
their sum 2·grid·n. If every person weighs one, U is the mean of a person's records, a whole number
between −grid and grid as that of a record is, and n the number of persons.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.counts import AnyModel, Unit
from discreet.core.curves import Composed, Curve, Laplace, Normal, Range
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.exact.draw import LEAST_RATE
from discreet.exact.hockey_stick import gaussian_variance
from discreet.laws.gaussian import MOST_VARIANCE, DiscreteGaussianLaw, SummedGaussianLaw
from discreet.laws.hellinger_normal import HellingerNormalLaw, place
from discreet.laws.noise import NoiseLaw

MOST_NOISY_RECORDS = 10**6
MOST_POINTS = 10_001
MOST = 2**61  # of a sum: noise fits 64-bit integers besides


class Mean(AnyModel, Protocol):
    """A model of a mean: what mechanisms read of it is public."""

    @property
    def grid(self) -> int:
        """The largest U of a record."""

    def step(self, n: int) -> Fraction:
        """How far one unit of ΣU moves the posterior mean."""

    def posterior_variance(self, n: int) -> Fraction:
        """Of the mean given n records."""


def laplace(
    model: Mean,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
) -> Mechanism:
    """Discrete Laplace noise of rate ε/(2·grid) on ΣU, so Laplace noise on the posterior mean.

    Of the tight sensitivity (high − low)·V/(v + nV), V being the prior variance and v that of the
    records; P4's V/(v + V) is the case n = 1 of bounds that are 1 apart. Under add-remove the same
    noise on Σ(grid + U) and on Σ(grid − U): half the variance of noise on the sum and on n; m times
    as wide for persons with up to m records. What is released is cut to what is possible.
    Guarantee: ε.
    """
    whose = Unit.read(n, unit, max_per_unit, per_unit)
    reach = 2 * model.grid * whose.most
    law = partial(_laplace_law, _rate(model, epsilon, whose))
    reference = "Dwork, McSherry, Nissim and Smith 2006; Ghosh, Roughgarden and Sundararajan 2009"
    if adjacency is Adjacency.ADD_REMOVE:
        # A record that is added makes Σ(grid + U) larger by grid + U and Σ(grid − U) by grid − U,
        # neither of them negative as |U| ≤ grid: by 2·grid together. So does a person whose mean of
        # records is U, and one with up to m records makes them larger by at most 2·grid·m together.
        # Every unit changes the log probability of discrete Laplace noise by its rate,
        # ε/(2·grid·m). Cutting is post-processing.
        theorem = Theorem(
            f"discrete Laplace noise of rate ε/({_width(whose)}) on the sums of the distances of "
            f"records, clipped to the bounds, from either bound, which change by {_width(whose)} "
            f"together{whose.clause}",
            reference,
        )
        curve: Curve = Laplace(epsilon, reach)
        # of a person that is replaced both numbers change by 2·grid·m at most: as much is taken
        # from a number, which is not negative, and as much is added
        replaced = Composed(((curve, 2),))
        return _noisy_sums("laplace", model, epsilon, law, theorem, curve, replaced, whose)
    assert n is not None
    # Replacing a record changes ΣU by at most 2·grid, and every unit changes the log probability of
    # discrete Laplace noise by its rate, ε/(2·grid). Cutting is post-processing.
    theorem = Theorem(
        "discrete Laplace noise of rate ε/(2·grid) on a sum of records that are clipped to the "
        f"bounds, which changes by at most 2·grid{whose.clause}",
        reference,
    )
    curve = Laplace(epsilon, reach)
    return _noisy_sum("laplace", model, n, epsilon, partial(_of_sum, law), theorem, curve, whose)


def _width(whose: Unit) -> str:
    """By how much a person changes two sums together, in a theorem's words."""
    return "2·grid·m" if whose.most > 1 else "2·grid"


def _rate(model: Mean, epsilon: Fraction, whose: Unit) -> Fraction:
    rate = epsilon / (2 * model.grid * whose.most)
    if rate < LEAST_RATE:
        raise InputError(
            f"epsilon must be at least {check.show(epsilon * LEAST_RATE / rate)} for "
            f"max_per_unit = {whose.most} on a grid of {model.grid}, so that the noise fits 64-bit "
            f"integers, got {check.show(epsilon)}",
            "epsilon",
        )
    return rate


def _share(name: str, delta: object) -> Fraction:
    if check.rational("delta", delta) == 0:
        raise InputError(f"delta must be given for {name!r}, a small number above 0", "delta")
    return check.share("delta", delta)


def _laplace_law(rate: Fraction, center: Outcome) -> Law:
    return NoiseLaw(center, rate, "two-sided")


def gaussian(
    model: Mean,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    delta: object = 0,
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
) -> Mechanism:
    """Discrete Gaussian noise on ΣU, of the least variance that is proved (ε, δ)-private.

    Calibrated by the exact privacy of normal noise (Balle and Wang 2018), not by the classical
    √(2·ln(1.25/δ))/ε, which is wrong for large ε. Under add-remove noise on Σ(grid + U) and on
    Σ(grid − U), of the same variance on fine grids; m² times that for persons with up to m records.
    Guarantee: (ε, δ).
    """
    whose = Unit.read(n, unit, max_per_unit, per_unit)
    share, reach = _share("gaussian", delta), Fraction(2 * model.grid * whose.most)
    reference = "Canonne, Kamath and Steinke 2020; Balle and Wang 2018, Theorem 8"
    if adjacency is Adjacency.ADD_REMOVE:
        # A person who is added changes Σ(grid + U) by a and Σ(grid − U) by b, neither of them
        # negative as |U| ≤ grid, of a mean of records too, and a + b = 2·grid for each of at most m
        # records: a² + b² ≤ (a + b)² ≤ (2·grid·m)². For the variance that `gaussian_variance`
        # returns, δ(ε) of discrete Gaussian noise on two numbers was bounded by δ in balls for such
        # a change, and the bound grows with it. Cutting is post-processing.
        theorem = Theorem(
            "discrete Gaussian noise on the sums of the distances of records, clipped to the "
            f"bounds, from either bound, which change by at most {_width(whose)} in the l2 norm"
            f"{whose.clause}",
            reference,
        )
        variance = _variance(model, epsilon, share, whose.most, numbers=2)
        # of a person that is replaced both numbers change by 2·grid·m at most
        curve, replaced = (Normal(twice * reach**2, variance, 2) for twice in (1, 2))
        law = partial(_gaussian_law, variance)
        return _noisy_sums("gaussian", model, epsilon, law, theorem, curve, replaced, whose, share)
    assert n is not None
    # Replacing a record changes ΣU by at most 2·grid. For the variance that `gaussian_variance`
    # returns, δ(ε) of discrete Gaussian noise at that shift was bounded by δ in balls, and it grows
    # with the shift. Cutting is post-processing.
    theorem = Theorem(
        "discrete Gaussian noise on a sum of records that are clipped to the bounds, which changes "
        f"by at most 2·grid{whose.clause}",
        reference,
    )
    variance = _variance(model, epsilon, share)
    law, curve = partial(_of_sum, partial(_gaussian_law, variance)), Normal(reach**2, variance)
    return _noisy_sum("gaussian", model, n, epsilon, law, theorem, curve, whose, share)


def _gaussian_law(variance: Fraction, center: Outcome) -> Law:
    return DiscreteGaussianLaw(center, (variance,) * len(center))


def noisy_input(model: Mean, n: int, epsilon: Fraction, *, delta: object = 0) -> Mechanism:
    """Every record gets its own discrete Gaussian noise, and the noisy records are summed.

    P4's input perturbation (§6.1), for at most 10^6 records. Each noisy record is (ε, δ)-private by
    itself, whoever collects them; for the sum alone "gaussian" needs √n times less noise.
    Guarantee: (ε, δ).
    """
    if n > MOST_NOISY_RECORDS:
        raise InputError(
            f"n must be at most {MOST_NOISY_RECORDS} for 'input', where every record gets noise of "
            f"its own, got {n}; use 'gaussian'",
            "n",
        )
    # A record is replaced: its U changes by at most 2·grid, and the others' noisy values have the
    # same law as before. So all noisy records together are as private as one number of sensitivity
    # 2·grid, for which the variance was calibrated. Their sum is post-processing.
    share = _share("input", delta)
    variance = _variance(model, epsilon, share)
    theorem = Theorem(
        "discrete Gaussian noise on every record, clipped to the bounds, which changes by at most "
        "2·grid",
        "Barthe et al. 2016, §6.1; Balle and Wang 2018, Theorem 8",
    )
    curve = Normal(Fraction(2 * model.grid) ** 2, variance)
    law = partial(_input_law, variance)
    return _noisy_sum("input", model, n, epsilon, law, theorem, curve, Unit(), share)


def _input_law(variance: Fraction, values: Outcome) -> Law:
    n, *total = values
    return SummedGaussianLaw(tuple(total), variance, n) if n else PointMass(tuple(total))


def _variance(
    model: Mean, epsilon: Fraction, delta: Fraction, most: int = 1, numbers: int = 1
) -> Fraction:
    variance = gaussian_variance(epsilon, delta, Fraction(2 * model.grid * most) ** 2, numbers)
    if variance > MOST_VARIANCE / MOST_NOISY_RECORDS:
        many = f" and max_per_unit = {most}" if most > 1 else ""
        raise InputError(
            f"epsilon must be larger for delta = {check.show(delta)}{many} on a grid of "
            f"{model.grid}: the noise would not fit 64-bit integers, got {check.show(epsilon)}",
            "epsilon",
        )
    return variance


def hellinger(model: Mean, n: int, epsilon: Fraction, *, points: int = 1001) -> Mechanism:
    """One of `points` posteriors, likelier the nearer it is: P ∝ exp(−ε·H/(2S)) (P4, §6.3).

    Their means lie equally spaced between the least and the largest possible one. H is the
    Hellinger distance to the true posterior, and S that of posteriors whose data differ in one
    record by the full width of the bounds. H never exceeds 1, so all far posteriors are equally
    likely: of use for large ε or n, and while the points lie closer than a posterior is wide
    (`model.expected_error` tells). Guarantee: ε.
    """
    points = check.whole("points", points, least=2, most=MOST_POINTS)
    # H is a metric, so replacing a record changes H(true, j) by at most H(true, true'), which grows
    # with the difference of the sums: at most S = H(2·grid). The weight of every j and their sum
    # change by at most the factor e^{ε/2} each.
    theorem = Theorem(
        "exponential mechanism with a score of sensitivity S, H of the largest change of the "
        "posterior mean of records that are clipped to the bounds",
        "McSherry and Talwar 2007; Barthe et al. 2016, §6.3",
    )
    law = partial(_hellinger_law, model, points, epsilon)
    return Mechanism(
        config=Config("hellinger", model, n, epsilon, Adjacency.SUBSTITUTE, (("points", points),)),
        # exponents change by at most ε/2 either way, and the normaliser is one for all points
        guarantee=Guarantee(
            *(epsilon, Fraction(0), Adjacency.SUBSTITUTE),
            basis=theorem,
            curve=Range(epsilon, epsilon),
        ),
        make_raw_law=law,
        make_law=law,
        make_released=partial(_chosen, n, _reach(model, n), points),
        possible=partial(drawn_from, n),
    )


def _hellinger_law(model: Mean, points: int, epsilon: Fraction, values: Outcome) -> Law:
    n, total = values
    if not n:
        return PointMass((0,))
    scale = model.step(n) ** 2 / (8 * model.posterior_variance(n))
    return HellingerNormalLaw(total, n * model.grid, points, scale, 2 * model.grid, epsilon)


def _chosen(n: int, reach: int, points: int, raw: Ints) -> NDArray[Any]:
    if raw.shape[1] != 1 or (raw < 0).any() or (raw >= points).any():
        return raw[:, :0]
    sums = [place(j, reach, points) for j in raw[:, 0].tolist()]
    rows = [(n, int(total) if total.denominator == 1 else total) for total in sums]
    return np.array(rows, dtype=object)


def _noisy_sum(
    name: str,
    model: Mean,
    n: int,
    epsilon: Fraction,
    law: partial[Law],
    theorem: Theorem,
    curve: Curve,
    whose: Unit,
    delta: Fraction | None = None,
) -> Mechanism:
    """A mechanism that adds noise to ΣU; n and the sum, cut to what is possible, are released."""
    return _mechanism(
        Config(name, model, n, epsilon, Adjacency.SUBSTITUTE, _options(delta, whose)),
        whose,
        law,
        theorem,
        partial(_cut, n, _reach(model, n)),
        curve,
    )


def _noisy_sums(
    name: str,
    model: Mean,
    epsilon: Fraction,
    law: partial[Law],
    theorem: Theorem,
    curve: Curve,
    replacing: Curve,
    whose: Unit,
    delta: Fraction | None = None,
) -> Mechanism:
    """One that adds noise to Σ(grid + U) and Σ(grid − U); what they say of n and ΣU is released."""
    return _mechanism(
        Config(name, model, None, epsilon, Adjacency.ADD_REMOVE, _options(delta, whose)),
        whose,
        partial(_of_both, law, model.grid),
        theorem,
        partial(_records, model.grid),
        curve,
        replacing,
    )


def _options(delta: Fraction | None, whose: Unit) -> tuple[tuple[str, Any], ...]:
    return (*(() if delta is None else (("delta", delta),)), *whose.options_if_any)


def _mechanism(
    config: Config,
    whose: Unit,
    law: partial[Law],
    theorem: Theorem,
    released: partial[Ints],
    curve: Curve,
    replacing: Curve | None = None,
) -> Mechanism:
    delta = dict(config.options).get("delta", Fraction(0))
    return Mechanism(
        config=config,
        guarantee=Guarantee(
            *(config.epsilon, delta, config.adjacency, whose.name, whose.most),
            basis=theorem,
            curve=curve,
            replacing=replacing,
        ),
        make_raw_law=law,
        make_law=law,
        make_released=released,
        possible=partial(drawn_from, config.n),
    )


def _of_sum(noisy: partial[Law], values: Outcome) -> Law:
    n, *total = values
    return noisy(tuple(total)) if n else PointMass(tuple(total))


def _of_both(noisy: partial[Law], grid: int, values: Outcome) -> Law:
    n, total = values
    # Cutting a sum to a fixed range brings two sums no further apart. It happens only where n is
    # private, so that nothing could be refused before.
    return noisy(tuple(max(0, min(MOST, n * grid + away)) for away in (total, -total)))


def _reach(model: Mean, n: int) -> int:
    """The largest possible sum."""
    reach = n * model.grid
    if reach >= check.MOST_RECORDS:
        raise InputError(f"n must be below 2**62/grid = {2**62 // model.grid}, got {n}", "n")
    return reach


def _cut(n: int, reach: int, raw: Ints) -> Ints:
    if raw.shape[1] != 1:
        return raw[:, :0]
    return np.column_stack([np.full(len(raw), n, dtype=np.int64), np.clip(raw, -reach, reach)])


def _records(grid: int, raw: Ints) -> Ints:
    """The nearest whole number of records, and the nearest sum that so many can have.

    Persons who weigh one have a mean of records each, so as many of them have no other sums.
    """
    if raw.shape[1] != 2:
        return raw[:, :0]
    low, high = np.clip(raw, 0, MOST).T
    n = (low + high + grid) // (2 * grid)
    return np.column_stack([n, np.clip((low - high) // 2, -n * grid, n * grid)])
