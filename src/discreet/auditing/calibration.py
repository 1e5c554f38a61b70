"""Calibration: an exponent whose privacy loss, audited exactly, is the budget.

Only public values take part: the prior, n, ε and the settings of the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial

from flint import arb

from discreet.auditing import certificate_store, spaces
from discreet.auditing.audits import certify, pair_loss
from discreet.auditing.counts import examine, worst
from discreet.core import Certificate, Config, Guarantee, Law, Mechanism, families
from discreet.core.curves import Range
from discreet.core.law import Outcome
from discreet.errors import DocumentError, ExactnessError
from discreet.exact import balls
from discreet.exact.balls import Real, ball
from discreet.laws.exponential import ExponentialLaw

_ROUNDS = 40
_WATCHED = 24  # pairs of neighbours that each full audit adds to the search
_SLACK = 1e-9  # how much of the budget the search leaves for rounding

Pair = tuple[Outcome, Outcome]


def calibrated(base: Mechanism) -> Mechanism:
    """The mechanism with its exponent scaled so that the audited loss is at most epsilon.

    The loss is not monotone in the scale in general. What is certified is the loss at the scale
    that is used; nothing is claimed about others.
    """
    config = calibrated_config(base)
    known = certificate_store.load(config)
    if known is not None and _fits(known, base):
        return restore(base, known)
    found = _search(base)
    certificate_store.save(config, found)
    return restore(base, found)


def _fits(certificate: Certificate, base: Mechanism) -> bool:
    """Whether a certificate proves what the calibrated mechanism promises."""
    config, witness = calibrated_config(base), certificate.witness
    if witness is not None:
        changes = zip(witness.counts, witness.neighbour, strict=True)
        if not all(len(part) == config.model.size and base.possible(part) for part in witness):
            return False
        if sum(abs(a - b) for a, b in changes) != 2:  # one record is replaced
            return False
    return (
        certificate.config == config
        and families.spec_of(base).can("calibrate")
        and certificate.scale is not None
        and certificate.epsilon <= config.epsilon
    )


def restore(base: Mechanism, certificate: Certificate) -> Mechanism:
    """The calibrated mechanism that a certificate speaks of."""
    config = calibrated_config(base)
    if not _fits(certificate, base):
        raise DocumentError("certificate does not fit the mechanism", "certificate")
    assert certificate.scale is not None
    # the privacy loss of this very mechanism was computed for all counts, neighbours and outputs
    # and is at most certificate.epsilon ≤ ε: pure ε-privacy by definition, with no theorem. The
    # losses of every pair were found to lie within `width` of each other. Certificates of old have
    # no width; what was proved before scaling grows with the scale.
    proved = base.guarantee.epsilon
    width = certificate.width
    if width is None and isinstance(proved, Fraction):
        width = certificate.scale * proved
    guarantee = Guarantee(
        *(config.epsilon, Fraction(0), base.guarantee.adjacency),
        basis=certificate,
        curve=None if width is None else Range(certificate.epsilon, width),
    )
    return replace(scaled(base, certificate.scale), config=config, guarantee=guarantee)


def calibrated_config(base: Mechanism) -> Config:
    """The settings of a mechanism with calibrate=True."""
    options = tuple((name, value) for name, value in base.config.options if name != "calibrate")
    return replace(base.config, options=(*options, ("calibrate", True)), asked=None)


def scaled(base: Mechanism, scale: Fraction) -> Mechanism:
    """An exponential mechanism with scale·κ for exponent, as yet without a guarantee."""
    law = partial(_scaled_law, base.make_law, scale)
    nothing = replace(base.guarantee, epsilon=float("inf"), basis=None)
    config = replace(base.config, options=(*base.config.options, ("scale", scale)))
    return replace(base, config=config, guarantee=nothing, make_raw_law=law, make_law=law)


def _scaled_law(make_law: Callable[[Outcome], Law], scale: Fraction, counts: Outcome) -> Law:
    law = make_law(counts)
    if not isinstance(law, ExponentialLaw):
        return law  # n = 0: certain
    return replace(law, exponent=partial(_times, scale, law.exponent))


def _times(scale: Fraction, exponent: Real) -> arb:
    return ball(scale) * exponent()


def _remembering(make_law: Callable[[Outcome], Law], counts: Outcome) -> Law:
    """The law with an exponent that is computed once."""
    law = make_law(counts)
    if not isinstance(law, ExponentialLaw):
        return law
    return replace(law, exponent=balls.memo(law.exponent))


def _search(base: Mechanism) -> Certificate:
    """Find a scale by the worst pairs of neighbours, audit all pairs, repeat with what is found."""
    epsilon, n = base.config.epsilon, base.config.n or 0
    remembered = replace(base, make_law=lru_cache(None)(partial(_remembering, base.make_law)))
    watched: set[Pair] = set()
    scale, losses = Fraction(1), dict[Pair, float]()
    if n:
        worst(spaces.space(remembered, None), losses)
    for attempt in range(_ROUNDS):
        watched |= set(sorted(losses, key=losses.__getitem__, reverse=True)[:_WATCHED])
        if n:
            scale = _largest(remembered, watched, float(epsilon), attempt, float(scale))
        losses.clear()
        trial = replace(scaled(remembered, scale), config=calibrated_config(base))
        found = examine(trial, losses=losses)
        if found.epsilon <= epsilon:
            return certify(found, scale)
    raise ExactnessError("no scale was found whose audited loss is within epsilon")


def _largest(
    base: Mechanism, watched: set[Pair], epsilon: float, attempt: int, start: float
) -> Fraction:
    """A scale at which the watched pairs lose about epsilon and no more, to twelve digits.

    A margin is left for the error of the audit and for rounding; each attempt doubles it.
    """

    def loss(scale: float) -> float:
        made = scaled(base, Fraction(scale))
        row = lru_cache(None)(lambda counts: made.make_law(counts).bounded_log_p())
        found = [pair_loss(row(c), row(d)) for c, d in watched]
        return max(pair.loss + 2 * pair.error for pair in found)

    target = epsilon * (1 - min(0.5, _SLACK * 2**attempt))

    low = high = start
    while loss(high) <= target:
        low, high = high, 2 * high
    while loss(low) > target:
        low, high = low / 2, low
    while high - low > 1e-12 * low:
        middle = (low + high) / 2
        low, high = (middle, high) if loss(middle) <= target else (low, middle)
    return Fraction(f"{low:.12g}")
