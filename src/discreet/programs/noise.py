"""What noise does when a program runs: mechanisms, and draws from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb

from discreet.errors import ExactnessError, InputError
from discreet.exact import balls, hockey_stick
from discreet.exact.balls import ball
from discreet.programs.families import Law
from discreet.programs.numbers import (
    Irrational,
    Secret,
    Whole,
    number_of,
    plain,
    plain_of,
    real,
)
from discreet.programs.requests import (
    LaplaceNoise,
    Mechanism,
    NormalNoise,
    PosteriorDraw,
    Selection,
    public,
)
from discreet.programs.running import (
    Data,
    Interpreter,
)

ONE = Fraction(1)
NARROW = arb(2) ** -32  # the checker pays for 2^-16
ASSUMED_GRID = Fraction(1, 1024)  # of an audit, where a program that is not proved has none


@dataclass(frozen=True)
class Sigma:
    """Normal noise for (ε, δ) at a distance; a factor makes it larger."""

    epsilon: Fraction
    delta: Fraction
    distance: Fraction
    factor: Fraction = ONE

    def times(self, factor: Fraction) -> Sigma:
        """Larger by that."""
        return Sigma(self.epsilon, self.delta, self.distance, self.factor * factor)


def _centered(run: Interpreter, x: Any, grid: Any) -> tuple[int | None, Fraction, Fraction]:
    """A value in whole steps: the count, the public offset and the step."""
    value = number_of(x)
    if grid is not None:
        g = run.known(grid)
        inner = plain(value)
        if isinstance(inner, Secret):
            return None, Fraction(0), g
        if isinstance(inner, Fraction):
            return math.floor(inner / g + Fraction(1, 2)), Fraction(0), g
        return _nearest(inner, g), Fraction(0), g
    counted = isinstance(value, Whole)
    if run.audit is not None and (run.audit.coarse or not counted):
        run.audit.assumed = True
        return _centered(run, value, ASSUMED_GRID)
    if isinstance(value, Whole):
        return value.count, value.offset, value.step
    # never taken for public, though it may be: a private number would show in the offset
    raise ExactnessError("noise on a number that is no count needs a grid")


def _nearest(x: Irrational, g: Fraction) -> int:
    """The nearest multiple of the grid; of one in the middle either, for which the proof pays."""

    def whole(value: arb) -> int | None:
        found = value.floor().unique_fmpz()
        if found is not None:
            return int(found)
        narrow = value.is_finite() and value.rad() < NARROW
        return balls.floor(value.mid()) if narrow else None

    return balls.refine(lambda: x.real() / ball(g) + arb(1) / 2, whole)


def laplace(run: Interpreter, eps: Any, x: Any, grid: Any) -> Mechanism:
    """Noise of that rate on every number."""
    rate = run.known(eps)
    single = not isinstance(x, tuple)
    parts = [_centered(run, item, grid) for item in ((x,) if single else x)]
    step = parts[0][2]
    request = LaplaceNoise(tuple(count for count, _, _ in parts), rate * step)
    if run.audit is not None and run.audit.assumed and grid is None:
        # both centers are rounded by half a step at most, so the exponent is off by one step
        run.audit.slack += rate * step * len(parts)
    return Mechanism(request, partial(_decoded, parts, single))


def _decoded(
    parts: list[tuple[int | None, Fraction, Fraction]], single: bool, outcome: tuple[int, ...]
) -> Any:
    values = tuple(offset + step * z for (_, offset, step), z in zip(parts, outcome, strict=True))
    return values[0] if single else values


def gauss(run: Interpreter, sigma: Any, x: Any, grid: Any) -> Mechanism:
    """Normal noise of that size, or of the least that is proved."""
    single = not isinstance(x, tuple)
    parts = [_centered(run, item, grid) for item in ((x,) if single else x)]
    step = parts[0][2]
    if isinstance(sigma, Sigma):
        # any distance up to the declared one is at most so many whole steps, for which the variance
        # is proved (ε, δ)-private in integers
        reach = (
            (sigma.distance / step) ** 2
            if not single
            else Fraction(math.ceil(sigma.distance / step) ** 2)
        )
        variance = hockey_stick.gaussian_variance(sigma.epsilon, sigma.delta, reach, len(parts))
        variance *= sigma.factor**2
    else:
        variance = (run.known(sigma) / step) ** 2
    request = NormalNoise(tuple(count for count, _, _ in parts), variance)
    return Mechanism(request, partial(_decoded, parts, single))


def analytic_sigma(run: Interpreter, eps: Any, delta: Any, distance: Any) -> Sigma:
    """A size that is settled when the grid is known."""
    return Sigma(run.known(eps), run.known(delta), run.known(distance))


def exp_mech(run: Interpreter, eps: Any, score: Any, candidates: tuple[Any, ...]) -> Mechanism:
    """A candidate by its score."""
    half = run.known(eps) / 2
    if not candidates:
        raise InputError("exp_mech needs candidates", "candidates")
    places: dict[Any, int] = {}
    first = tuple(places.setdefault(candidate, i) for i, candidate in enumerate(candidates))
    known = {i: plain_of(run.apply(score, candidates[i])) for i in places.values()}
    scores = [known[i] for i in first]
    weights = None
    if not any(isinstance(value, Secret) for value in scores):
        weights = tuple(partial(_weighted, half, value) for value in scores)
    return Mechanism(
        Selection(len(candidates), weights, first), lambda outcome: candidates[outcome[0]]
    )


def _weighted(half: Fraction, score: Any) -> arb:
    return ball(half) * real(score)()


def sample(run: Interpreter, mechanism: Any) -> Any:
    """Draw, and read what was drawn."""
    if isinstance(mechanism, Law):  # which only an audit does
        value: Any = Fraction(run.draw(PosteriorDraw(mechanism))[0])
    else:
        value = mechanism.decode(run.draw(mechanism.request))
        run.trace.append((public(mechanism.request), value))
    return value


def sample_each(run: Interpreter, function: Any, data: Data) -> tuple[Any, ...]:
    """Draw once for every record."""
    listed = data.listed()
    if listed is None:
        assert run.n is not None
        listed = [data.hidden()] * run.n
    return tuple(sample(run, run.apply(function, item)) for item in listed)


def parallel(run: Interpreter, body: Any, data: Data, cells: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run the function on the records of every cell."""
    assert data.table is not None
    results = []
    for test in cells:
        table = {key: value for key, value in data.table.items() if run.apply(test, value)}
        values = None
        if data.values is not None:
            values = tuple(value for value in data.values if value in table)
        inside = Interpreter(run.adjacency, None, run.draw, run.audit, run.trace, run.replay)
        results.append(inside.apply(body, Data(data.kind, values, table)))
    return tuple(results)
