"""A program's law on given data, by running it once for every sequence of draws.

What is published is the draws and the value, so their probability is that of the draws, in balls;
of neighbouring data it is that of the same draws, or 0 where these lead to another value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb

from discreet.core import Adjacency
from discreet.errors import ExactnessError, InputError
from discreet.exact import theta
from discreet.exact.balls import ball
from discreet.programs.program import Program
from discreet.programs.requests import (
    Audit,
    LaplaceNoise,
    NormalNoise,
    PosteriorDraw,
    Request,
    Selection,
    width,
)
from discreet.programs.running import finished

MOST_PATHS, MOST_DRAWS = 40_000, 64
_TAIL, _NORMAL_TAIL = 12, 30  # windows leave out about e^−12, or e^−30, of a draw
_BINS = 12  # of a posterior draw: θ from 1/2 on, from 1/4 on, …


FAILED = "nothing: it fails"  # an outcome like any other: it may show the data


class TooManyError(Exception):
    """A program has too many sequences of draws to go through."""


class ImpossibleError(Exception):
    """Draws that other data cannot have."""


# ---- probabilities of draws ---------------------------------------------------------------------


def log_probability(request: Request, outcome: tuple[int, ...]) -> arb:
    """Of one outcome; candidates that are equal count as one."""
    if isinstance(request, LaplaceNoise):
        apart = sum(abs(z - (c or 0)) for z, c in zip(outcome, request.centers, strict=True))
        return _log_tanh(request.rate) * len(outcome) - ball(request.rate * apart)
    if isinstance(request, NormalNoise):
        apart = sum((z - (c or 0)) ** 2 for z, c in zip(outcome, request.centers, strict=True))
        total = _log_theta(request.variance) * len(outcome)
        return -ball(Fraction(apart) / (2 * request.variance)) - total
    if isinstance(request, Selection):
        weights = _weights(request)
        return (weights[outcome[0]] / sum(weights.values(), arb(0))).log()
    return _bin(request, outcome[0]).log()


def _weights(request: Selection) -> dict[int, arb]:
    """Of all distinct candidates, with their copies."""
    assert request.log_weights is not None
    copies = Counter(request.first)
    return {i: request.log_weights[i]().exp() * copies[i] for i in copies}


@lru_cache(maxsize=1024)
def _log_tanh(rate: Fraction) -> arb:
    return (ball(rate) / 2).tanh().log()


@lru_cache(maxsize=1024)
def _log_theta(variance: Fraction) -> arb:
    return theta.log_theta(variance)


def _bin(request: PosteriorDraw, place: int) -> arb:
    """P(2^−(place+1) ≤ θ < 2^−place) of a Beta, and of the last bin all that is below."""
    law = finished(request.law)
    if law.family != "Beta":
        raise TooManyError
    a, b = law.parameters
    high = _cdf(a, b, arb(2) ** -place)
    low = _cdf(a, b, arb(2) ** -(place + 1)) if place < _BINS else arb(0)
    return high - low


def _cdf(a: Fraction, b: Fraction, x: arb) -> arb:
    return arb(1) if x == 1 else x.beta_lower(ball(a), ball(b), regularized=True)


class Window:
    """The outcomes that are gone through: all that matter, or some that show the loss."""

    def __init__(self, request: Request, few: bool) -> None:
        self.centers: tuple[int | None, ...] = (0,)
        if isinstance(request, Selection):
            # from both ends inwards: of many, the last are those that seldom show the loss
            last = len(request.first) - 1
            inwards = sorted(set(request.first), key=lambda i: (min(i, last - i), i))
            self.steps: Sequence[int] = inwards
        elif isinstance(request, PosteriorDraw):
            self.steps = range(_BINS + 1)
        else:
            self.centers = request.centers
            far = _reach(request)
            if few:  # beyond both centers the ratio of Laplace noise no longer changes
                self.steps = (-1, 0, 1) if len(self.centers) > 1 else (-far, 0, far)
            else:
                self.steps = range(-far, far + 1)

    def __len__(self) -> int:
        return int(len(self.steps) ** len(self.centers))

    def __getitem__(self, place: int) -> tuple[int, ...]:
        found = []
        for center in self.centers:
            place, digit = divmod(place, len(self.steps))
            found.append((center or 0) + self.steps[digit])
        return tuple(found)


def _reach(request: LaplaceNoise | NormalNoise) -> int:
    if isinstance(request, LaplaceNoise):
        return math.ceil(_TAIL / request.rate)
    return math.isqrt(math.ceil(2 * _NORMAL_TAIL * request.variance)) + 1


# ---- sequences of draws -------------------------------------------------------------------------


class Explorer:
    """Answers along one sequence of chosen outcomes; later requests take their first one."""

    def __init__(self, chosen: list[int], few: bool) -> None:
        self.chosen, self.few = chosen, few
        self.taken: list[int] = []
        self.sizes: list[int] = []
        self.transcript: list[int] = []
        self.log_p = arb(0)

    def __call__(self, request: Request) -> tuple[int, ...]:
        """The chosen outcome."""
        if len(self.taken) >= MOST_DRAWS:
            raise TooManyError
        window = Window(request, self.few)
        place = self.chosen[len(self.taken)] if len(self.taken) < len(self.chosen) else 0
        self.taken.append(place)
        self.sizes.append(len(window))
        outcome = window[place]
        self.log_p += log_probability(request, outcome)
        self.transcript += outcome
        return outcome

    def following(self) -> list[int] | None:
        """The next sequence in order."""
        left = list(self.taken)
        while left and left[-1] + 1 >= self.sizes[len(left) - 1]:
            left.pop()
        return [*left[:-1], left[-1] + 1] if left else None


class Repeater:
    """Answers with given draws, and finds their probability under other data."""

    def __init__(self, transcript: list[int]) -> None:
        self.transcript, self.place, self.log_p = transcript, 0, arb(0)

    def __call__(self, request: Request) -> tuple[int, ...]:
        """The next draws."""
        outcome = tuple(self.transcript[self.place : self.place + width(request)])
        self.place += len(outcome)
        if len(outcome) < width(request) or (
            isinstance(request, Selection) and outcome[0] not in request.first
        ):
            raise ImpossibleError
        self.log_p += log_probability(request, outcome)
        return outcome


def evaluate(
    program: Program,
    given: Mapping[str, Any],
    values: tuple[Any, ...],
    draw: Callable[[Request], tuple[int, ...]],
    audit: Audit | None = None,
) -> Any:
    """The value that a program releases with these draws."""
    n = len(values) if program.adjacency is Adjacency.SUBSTITUTE else None
    try:
        return finished(program.evaluate(given, values, n, draw, audit or Audit()))
    except RecursionError:
        raise TooManyError from None
    except (InputError, ExactnessError):
        return FAILED


def outcomes(
    program: Program,
    given: Mapping[str, Any],
    values: tuple[Any, ...],
    few: bool,
    coarse: bool = False,
) -> Iterator[tuple[Any, Explorer, Audit]]:
    """What every sequence of draws leads to."""
    chosen: list[int] = []
    for _ in range(MOST_PATHS):
        explorer = Explorer(chosen, few)
        audit = Audit(coarse=coarse)
        found = evaluate(program, given, values, explorer, audit)
        if math.prod(explorer.sizes) > MOST_PATHS:
            raise TooManyError
        yield found, explorer, audit
        following = explorer.following()
        if following is None:
            return
        chosen = following
    raise TooManyError
