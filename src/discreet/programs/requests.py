"""What a running program asks to be drawn; who answers decides whether it runs or is audited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from discreet.exact.balls import Real
from discreet.programs.families import Law


@dataclass(frozen=True)
class LaplaceNoise:
    """Whole numbers with P(z) ∝ exp(−rate·|z − center|); centers are None in a replay."""

    centers: tuple[int | None, ...]
    rate: Fraction


@dataclass(frozen=True)
class NormalNoise:
    """Whole numbers with P(z) ∝ exp(−(z − center)²/(2·variance))."""

    centers: tuple[int | None, ...]
    variance: Fraction


@dataclass(frozen=True)
class Selection:
    """A place with P(i) ∝ exp(log weight i); the weights are None in a replay.

    `first` has for every candidate the place of the first one that equals it.
    """

    size: int
    log_weights: tuple[Real, ...] | None
    first: tuple[int, ...]


@dataclass(frozen=True)
class PosteriorDraw:
    """A draw from a posterior: not private, only audited."""

    law: Law


Request: TypeAlias = LaplaceNoise | NormalNoise | Selection | PosteriorDraw


@dataclass(frozen=True)
class Mechanism:
    """What is drawn, and what the program makes of it."""

    request: Request
    decode: Callable[[tuple[int, ...]], Any]


@dataclass
class Audit:
    """What a run may do that is audited, not released: also what has no rule.

    Where a program gives noise on a real number no grid, a fine one is assumed; with `coarse` for
    all noise without a grid, because what is a count with some data may be none with others.
    """

    compared: list[Law] = field(default_factory=list)  # posteriors whose distances were asked for
    coarse: bool = False
    assumed: bool = False
    slack: Fraction = Fraction(0)  # of a loss, by rounding to the assumed grid


Draw: TypeAlias = Callable[[Request], tuple[int, ...]]


def public(request: Request) -> tuple[Any, ...]:
    """What a replay without data knows of it."""
    if isinstance(request, LaplaceNoise):
        return "laplace", len(request.centers), request.rate
    if isinstance(request, NormalNoise):
        return "normal", len(request.centers), request.variance
    if isinstance(request, Selection):
        return "selection", request.first
    return ("posterior",)


def width(request: Request) -> int:
    """How many whole numbers a draw has."""
    return len(request.centers) if isinstance(request, (LaplaceNoise, NormalNoise)) else 1
