"""Who answers a program's requests: the exact sampler, a transcript, or a rehearsal."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial

from flint import arb

from discreet.errors import ExactnessError
from discreet.exact import balls, draw
from discreet.exact.balls import Real
from discreet.exact.draw import Source
from discreet.laws.gaussian import discrete_gaussian
from discreet.programs.requests import (
    LaplaceNoise,
    NormalNoise,
    PosteriorDraw,
    Request,
    Selection,
    width,
)


class Sampler:
    """Exact draws; what was drawn is kept in `transcript`."""

    def __init__(self, source: Source) -> None:
        self.source, self.transcript = source, list[int]()

    def __call__(self, request: Request) -> tuple[int, ...]:
        """Draw."""
        outcome = self._drawn(request)
        self.transcript += outcome
        return outcome

    def _drawn(self, request: Request) -> tuple[int, ...]:
        if isinstance(request, PosteriorDraw):
            raise ExactnessError("a posterior is not drawn from")
        if isinstance(request, Selection):
            assert request.log_weights is not None
            return (select(request.log_weights, self.source),)
        size = len(request.centers)
        if isinstance(request, LaplaceNoise):
            noise = draw.discrete_laplace(request.rate, size, self.source)
        else:
            noise = discrete_gaussian(request.variance, size, self.source)
        return tuple(_sum(c, z) for c, z in zip(request.centers, noise.tolist(), strict=True))


def _sum(center: int | None, noise: int) -> int:
    assert center is not None
    return center + noise


class Transcript:
    """The draws of an earlier run, in order."""

    def __init__(self, outcomes: Sequence[int]) -> None:
        self.outcomes, self.place = outcomes, 0

    def __call__(self, request: Request) -> tuple[int, ...]:
        """The next ones."""
        size = width(request)
        found = tuple(self.outcomes[self.place : self.place + size])
        self.place += len(found)
        if len(found) < size or (
            isinstance(request, Selection) and not 0 <= found[0] < request.size
        ):
            raise ExactnessError("the transcript does not fit the program")
        return found


def rehearse(outcome: int, request: Request) -> tuple[int, ...]:
    """Nothing but this outcome: to find out whether a program can be replayed, and drawn."""
    if isinstance(request, Selection):
        return (outcome % request.size,)
    if isinstance(request, LaplaceNoise):
        _drawable(draw.discrete_laplace, request.rate)
    elif isinstance(request, NormalNoise):
        _drawable(discrete_gaussian, request.variance)
    return (outcome,) * width(request)


@lru_cache(maxsize=1024)
def _drawable(sampler: Callable[[Fraction, int, Source], object], size: Fraction) -> None:
    """One draw that nobody sees: refuses noise that is too large to be drawn."""
    sampler(size, 1, os.urandom)


def select(log_weights: tuple[Real, ...], source: Source) -> int:
    """A place with probability proportional to its weight, exactly.

    Place i is taken, if none before it was, with probability w_i/(w_i + w_{i+1} + …).
    """
    rests = balls.memo(partial(_rests, log_weights))
    for place in range(len(log_weights) - 1):
        if draw.bernoulli(partial(_share, log_weights, rests, place), 1, source)[0]:
            return place
    return len(log_weights) - 1


def _rests(log_weights: tuple[Real, ...]) -> list[arb]:
    """The sums of the weights from every place on."""
    found = [arb(0)]
    for log_weight in reversed(log_weights):
        found.append(found[-1] + log_weight().exp())
    return found[:0:-1]


def _share(log_weights: tuple[Real, ...], rests: Callable[[], list[arb]], place: int) -> arb:
    return log_weights[place]().exp() / rests()[place]
