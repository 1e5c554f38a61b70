"""Normal noise on the tables of a network: with a δ, far less of it where there are many tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial

from flint import arb

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.counts import Unit
from discreet.core.curves import Normal
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from
from discreet.core.tables import Network
from discreet.errors import InputError
from discreet.exact.hockey_stick import least_variance
from discreet.families.network.mechanisms.consistency import require_few_overlaps
from discreet.families.network.mechanisms.noisy_tables import agree, nothing, silent, tables_law
from discreet.families.network.mechanisms.reconciling import (
    read_reconcile,
    reconciling,
    stored,
)
from discreet.families.network.mechanisms.shares import given_shares, optimal_shares
from discreet.laws.gaussian import MOST_VARIANCE, DiscreteGaussianLaw


def family_gaussian(
    model: Network,
    n: int | None,
    epsilon: Fraction,
    *,
    adjacency: Adjacency = Adjacency.SUBSTITUTE,
    delta: object = 0,
    shares: str | Sequence[object] = "optimal",
    unit: str = "record",
    max_per_unit: int = 1,
    per_unit: str = "cut",
    reconcile: str | None = None,
) -> Mechanism:
    """Discrete Gaussian noise on every family's joint table, then made to agree as by `lattice`.

    The table of family f gets noise of the variance V/p_f, where p_f is its share of the precision.
    V is the least that is proved (ε, δ)-private. The noise of a table grows with the square root of
    the number of tables, where that of `lattice` grows with the number itself.

    shares: "optimal", those with which the tables that agree have the least variance, nothing for a
    table that is a marginal of another; "equal"; or a number for every table, which sum to 1 at
    most, 0 for no table but such a marginal. reconcile: as of `lattice`.
    Guarantee: (ε, δ).
    """
    who = Unit.read(n, unit, max_per_unit, per_unit)
    require_few_overlaps(tuple(family.columns for family in model.families))
    if check.rational("delta", delta) == 0:
        raise InputError("delta must be given for 'gaussian', a small number above 0", "delta")
    probability = check.share("delta", delta)
    parts = split(model, shares, n is None)
    cells = tuple(family.cells for family in model.families)
    measured = [(m, part) for m, part in zip(cells, parts, strict=True) if part]
    least = 1 / max(parts)  # the least variance of a table, over V
    if n is not None:
        # Replacing a record adds 1 to one cell of a table and takes 1 from another, or leaves the
        # table as it is: with the differences s, Σ (s_i/σ_i)² ≤ Σ_f 2·p_f/V ≤ 2/V, and two cells of
        # every table change at most. δ(ε) of discrete Gaussian noise of several variances was
        # bounded by δ in balls for such differences; of one table it was computed exactly. What is
        # not measured is zero, whatever the data are. To make the tables agree is post-processing.
        square, places, pair = Fraction(2), 2 * len(measured), measured[0][1] == 1
        replaced = None
        changes = "of which two cells each change by 1"
    else:
        # A unit's records change each table by s with ‖s‖₂ ≤ ‖s‖₁ ≤ m, in at most m of its cells,
        # so that Σ (s_i/σ_i)² ≤ Σ_f m²·p_f/V ≤ m²/V; of one that weighs one, in parts, m is the
        # number of these. Of a unit that is replaced no count changes by more than the old or the
        # new one has: ‖s‖₂² ≤ 2m² in every table.
        square, pair = Fraction(who.reach) ** 2, False
        places = sum(min(who.reach, m) for m, _ in measured)
        replaced = 2 * square, sum(min(2 * who.reach, m) for m, _ in measured)
        changes = "each of which changes by at most m in the l2 norm"
    scale = _scale(epsilon, probability, square, places, least, pair)
    variances = [scale / part if part else None for part in parts]
    if max(found for found in variances if found is not None) > MOST_VARIANCE:
        raise InputError(
            "epsilon must be larger: the noise would not fit 64-bit integers, got "
            f"{check.show(epsilon)}",
            "epsilon",
        )
    theorem = Theorem(
        f"discrete Gaussian noise on the tables of families, {changes}{who.clause}",
        "Canonne, Kamath and Steinke 2020; Balle and Wang 2018, Theorem 8",
    )
    how = read_reconcile(model, reconcile)
    total, steps = (None, who.parts) if n is None else (n, 1)
    law = partial(
        tables_law, cells, [nothing if v is None else partial(_noise, v, n) for v in variances]
    )
    return Mechanism(
        config=Config(
            *("gaussian", model, n, epsilon, adjacency),
            (("delta", probability), ("shares", parts), *who.options_if_any, *stored(how)),
        ),
        guarantee=Guarantee(
            *(epsilon, probability, adjacency, who.name, who.most, theorem),
            curve=Normal(square, scale, places, least, pair),
            replacing=None if replaced is None else Normal(replaced[0], scale, replaced[1], least),
        ),
        make_raw_law=law,
        make_law=law,
        make_released=reconciling(
            *(how, model, variances, total, steps),
            partial(agree, model, variances, None if n is not None else who.parts, n),
        ),
        possible=partial(_possible, n, cells, [v is None for v in variances]),
    )


@lru_cache(maxsize=256)
def _scale(
    epsilon: Fraction,
    delta: Fraction,
    square: Fraction,
    places: int,
    least: Fraction,
    pair: bool,
) -> Fraction:
    """The least V at which the curve of the guarantee has at most this δ at ε."""

    def bound(variance: Fraction) -> arb:
        return Normal(square, variance, places, least, pair).delta(epsilon)

    return least_variance(bound, delta)


def _noise(variance: Fraction, n: int | None, values: Outcome) -> Law:
    if n == 0:
        return PointMass(values)
    return DiscreteGaussianLaw(values, (variance,) * len(values))


def _possible(
    n: int | None, cells: Sequence[int], unmeasured: Sequence[bool], raw: Outcome
) -> bool:
    return drawn_from(n, raw) and silent(cells, unmeasured, raw)


def split(model: Network, shares: str | Sequence[object], private_n: bool) -> tuple[Fraction, ...]:
    """The share of every family in the precision; exact, and 1 in all, at most if given."""
    families = model.families
    if not isinstance(shares, str):
        return given_shares(shares, model, ("optimal", "equal"))
    check.choice("shares", shares, ("optimal", "equal"))
    if shares == "equal":
        return (Fraction(1, len(families)),) * len(families)
    scopes = tuple(family.columns for family in families)
    shapes = tuple(family.shape for family in families)
    return optimal_shares(scopes, shapes, (1.0,) * len(families), 1, private_n)
