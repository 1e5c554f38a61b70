"""Distances between distributions when a program runs: they exist for any two."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb

from discreet import divergence
from discreet.errors import InputError
from discreet.exact import balls
from discreet.exact.balls import ball
from discreet.programs.families import Law, label_key, require_proper
from discreet.programs.numbers import (
    SECRET,
    Irrational,
    Whole,
)
from discreet.programs.running import (
    Interpreter,
    _secret,
    finished,
)

MOST_PARAMETER, FINEST = 10**9, 10**6  # of Betas whose total variation is asked for


def distance(kind: str, run: Interpreter, one: Law, two: Law) -> Any:
    """Between two laws; hidden where one of them is."""
    if kind == "total_variation" and two.family == "Beta":
        # public: the candidate, and the prior; counts change a parameter by whole numbers
        both = (*one.parameters, *two.parameters)
        if not all(_ordinary(x.offset if isinstance(x, Whole) else x) for x in both):
            raise InputError(
                "total_variation is for Beta parameters that are multiples of 10^-6 up to 10^9",
                "program",
            )
    left, right = _exact(one), _exact(two)
    if left is None or right is None:
        return SECRET
    if run.audit is not None:
        run.audit.compared.append(left)
    return Irrational(balls.memo(partial(_distance_ball, kind, left, right)))


def _ordinary(x: Any) -> bool:
    """Whether densities with such parameters cross where a search finds it."""
    if not isinstance(x, Fraction):
        return True  # hidden, or something that is refused elsewhere
    return FINEST % x.denominator == 0 and x <= MOST_PARAMETER


def _exact(law: Law) -> Law | None:
    """With plain parameters, or None where one is hidden."""
    flat = [
        part
        for parameter in law.parameters
        for part in (parameter if isinstance(parameter, tuple) else (parameter,))
    ]
    if any(map(_secret, flat)):
        return None
    found = finished(law)
    assert isinstance(found, Law)
    return found


def _distance_ball(kind: str, one: Law, two: Law) -> arb:
    """Laws that cannot be compared, or that noise made improper, are as far apart as can be."""
    if one == two:
        return arb(0)
    if not _comparable(one, two):
        return arb.pos_inf() if kind == "kl" else arb(1)
    if one.family in ("Beta", "Dirichlet"):
        a, b = _alpha(one), _alpha(two)
        if kind == "hellinger":
            return divergence.hellinger_ball(a, b)
        if kind == "kl":
            return divergence.kl_ball(a, b)
        return divergence.total_variation_ball(a, b)
    if one.family == "Normal":
        return _normal_ball(kind, one, two)
    return _finite_ball(kind, one, two)


def _alpha(law: Law) -> tuple[Fraction, ...]:
    found: tuple[Fraction, ...] = law.parameters if law.family == "Beta" else law.parameters[0]
    return found


def _comparable(one: Law, two: Law) -> bool:
    try:
        require_proper("law", one)
        require_proper("law", two)
    except InputError:
        return False
    same = one.family == two.family
    return same and (one.family != "Dirichlet" or len(_alpha(one)) == len(_alpha(two)))


def _normal_ball(kind: str, one: Law, two: Law) -> arb:
    (m1, v1), (m2, v2) = one.parameters, two.parameters
    apart = ball((m1 - m2) ** 2)
    if kind == "hellinger":
        overlap = (2 * ball(v1 * v2).sqrt() / ball(v1 + v2)).sqrt()
        return balls.root(1 - overlap * (-apart / (4 * ball(v1 + v2))).exp())
    if kind == "kl":
        return (ball(v1 / v2) + apart / ball(v2) - 1 + ball(v2 / v1).log()) / 2
    if v1 == v2:
        return (apart / (8 * ball(v1))).sqrt().erf()
    # the densities are equal at two points, between which one of them is the larger
    a, b = 1 / v1 - 1 / v2, -2 * (m1 / v1 - m2 / v2)
    c = ball(m1**2 / v1 - m2**2 / v2) - ball(v2 / v1).log()
    root = (ball(b * b) - 4 * ball(a) * c).sqrt()
    ends = [(sign * root - ball(b)) / (2 * ball(a)) for sign in (-1, 1)]
    masses = [_normal_mass(m, v, ends) for m, v in ((m1, v1), (m2, v2))]
    return abs(masses[0] - masses[1])


def _normal_mass(mean: Fraction, variance: Fraction, ends: list[arb]) -> arb:
    scaled = [(end - ball(mean)) / (2 * ball(variance)).sqrt() for end in ends]
    return abs(scaled[1].erf() - scaled[0].erf()) / 2


def _finite_ball(kind: str, one: Law, two: Law) -> arb:
    p, q = (_weights(law) for law in (one, two))
    if p == q:
        return arb(0)
    keys = list(dict.fromkeys((*p, *q)))
    pairs = [(p.get(key, Fraction(0)), q.get(key, Fraction(0))) for key in keys]
    if kind == "hellinger":
        overlap = sum((ball(a * b).sqrt() for a, b in pairs), arb(0))
        return balls.root(1 - overlap)
    if kind == "total_variation":
        return ball(sum((abs(a - b) for a, b in pairs), Fraction(0)) / 2)
    if any(a and not b for a, b in pairs):
        return arb.pos_inf()
    return sum((ball(a) * ball(a / b).log() for a, b in pairs if a), arb(0))


def _weights(law: Law) -> dict[Any, Fraction]:
    """Of every value; one that is listed twice has the sum."""
    values, weights = law.parameters
    total = sum(weights, Fraction(0))
    found: dict[Any, Fraction] = {}
    for value, weight in zip(values, weights, strict=True):
        found[label_key(value)] = found.get(label_key(value), Fraction(0)) + weight / total
    return found
