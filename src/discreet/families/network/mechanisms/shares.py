"""How the tables of a network share a budget so that, once they agree, their variance is least.

A table over J that is measured with precision w_J, one over the variance of its noise, tells of its
component on A ⊆ J with precision w_J/|J∖A|, where |J∖A| is the number of cells of the other
variables (`consistency`). So the component has the precision q_A = Σ_{J⊇A} w_J/|J∖A| after
agreement, and all cells of all tables together have the variance Σ_A v_A/q_A, with v_A = Σ_{J⊇A}
Π_{i∈A}(c_i − 1)/|J∖A|. Of a table that lies in another one nothing needs to be measured. All of
this is public: it is the structure and the numbers of states.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet import check
from discreet.core.tables import Network
from discreet.errors import InputError
from discreet.exact import Floats, Ints
from discreet.families.network.mechanisms.consistency import Names, shared_sets

_TURNS, _CLOSE = 1000, 1e-10
_BITS = 10  # of an average share


@dataclass(frozen=True, eq=False)
class Components:
    """What tables consist of: entry e is component `parts[e]` of table `tables[e]`.

    The table tells of it with the precision `told[e]`·w_J, and has the variance `sizes[e]`/q_A from
    it; `own[e]` of that is what says how the last variable depends on the others. Components that a
    table has alone are one.
    """

    tables: Ints
    parts: Ints
    told: Floats
    sizes: Floats
    own: Floats
    measured: tuple[bool, ...]  # of every table, whether it lies in no other one

    def _precisions(self, w: Floats) -> Floats:
        """q_A of the component of every entry, given w_J of every table."""
        return _sums(self.parts, self.told * w[self.tables])[self.parts]

    def variances(self, w: Floats) -> Floats:
        """Of every table the variances of its cells, summed, once the tables agree."""
        return _sums(self.tables, self.sizes / self._precisions(w), len(w))

    def own_variances(self, w: Floats) -> Floats:
        """The same, of what says how the last variable of the table depends on the others."""
        return _sums(self.tables, self.own / self._precisions(w), len(w))

    def influence(self, w: Floats) -> Floats:
        """w_J·Σ_A v_A/(q_A²·|J∖A|) of every table, which sum to the variance of all."""
        slopes = _sums(self.parts, self.sizes / self._precisions(w) ** 2)
        return _sums(self.tables, slopes[self.parts] * self.told, len(w)) * w


def _sums(places: Ints, weights: Floats, size: int = 0) -> Floats:
    return np.bincount(places, weights, size).astype(np.float64)


def components(
    scopes: Sequence[Names], shapes: Sequence[tuple[int, ...]], totals: bool
) -> Components:
    """Of tables over these variables; if their totals are noisy these are a component too."""
    pairs = zip(scopes, shapes, strict=True)
    states = {name: k for names, shape in pairs for name, k in zip(names, shape, strict=True)}
    holding = _holding(scopes)
    cells = [math.prod(shape) for shape in shapes]
    # Σ_A Π(c_i − 1), less that of shared A: over all A but ∅, and over those with the last variable
    alone = [float(size - 1) for size in cells]
    own = [float(size - size // shape[-1]) for size, shape in zip(cells, shapes, strict=True)]
    entries: list[tuple[int, int, float, float, float]] = []
    subsets = shared_sets(scopes, totals)
    for part, subset in enumerate(subsets):
        inside = math.prod(states[name] for name in subset)
        free = math.prod(states[name] - 1 for name in subset)
        for place in _held(holding, subset, len(scopes)):
            told, last = inside / cells[place], scopes[place][-1] in subset
            entries.append((place, part, told, free * told, free * told * last))
            alone[place] -= free if subset else 0
            own[place] -= free if last else 0
    measured = tuple(len(_held(holding, names, len(scopes))) == 1 for names in scopes)
    entries += [
        (place, len(subsets) + i, 1.0, alone[place], own[place])
        for i, place in enumerate(np.flatnonzero(measured).tolist())
    ]
    tables, parts, *reals = (np.array(column) for column in zip(*entries, strict=True))
    return Components(tables, parts, reals[0], reals[1], reals[2], measured)


def _holding(scopes: Sequence[Names]) -> dict[str, set[int]]:
    """For every variable the tables that have it."""
    holding: dict[str, set[int]] = {}
    for place, names in enumerate(scopes):
        for name in names:
            holding.setdefault(name, set()).add(place)
    return holding


def _held(holding: dict[str, set[int]], names: frozenset[str] | Names, tables: int) -> list[int]:
    """The tables that have all of these variables."""
    if not names:
        return list(range(tables))
    return sorted(set.intersection(*(holding[name] for name in names)))


def least_variance(found: Components, costs: Sequence[float], power: int) -> Floats:
    """The shares p_J of tables with w_J = p_J^power/costs_J that have the least variance, Σp_J = 1.

    With s_J the table's part in the variance at p, Σ_J s_J·(p_J/p'_J)^power is no less than the
    variance at any other p', as 1/q is convex, and equal to it at p. So the p' that makes this sum
    least, p'_J ∝ p_J·(s_J/p_J)^{1/(power + 1)}, is never worse than p.
    """
    each, measured = np.array(costs, dtype=np.float64), np.array(found.measured)
    p = np.where(measured, each ** (1 / (power + 1)), 0.0)
    for _ in range(_TURNS):
        p /= p.sum()
        ratio = found.influence(p**power / each)[measured] / p[measured]
        if ratio.max() <= ratio.min() * (1 + _CLOSE):
            break
        p[measured] *= ratio ** (1 / (power + 1))
    return np.asarray(p / p.sum())


@lru_cache(maxsize=64)
def optimal_shares(
    scopes: tuple[Names, ...],
    shapes: tuple[tuple[int, ...], ...],
    costs: tuple[float, ...],
    power: int,
    totals: bool,
) -> tuple[Fraction, ...]:
    """Those of least variance as fractions of one denominator, which sum to 1.

    Args:
        scopes: the variables of every table.
        shapes: their numbers of states.
        costs: the variance of the noise on a cell of every table that has the whole budget.
        power: how a table's precision grows with its share: 2 for shares of ε, 1 for those of ρ.
        totals: whether the tables' totals are noisy.
    """
    p = least_variance(components(scopes, shapes, totals), costs, power)
    grain = 1 << (_BITS + len(scopes).bit_length())
    steps = [max(1, round(grain * share)) if share else 0 for share in p.tolist()]
    steps[max(range(len(steps)), key=steps.__getitem__)] += grain - sum(steps)
    return tuple(Fraction(step, grain) for step in steps)


def given_shares(shares: object, model: Network, named: Sequence[str]) -> tuple[Fraction, ...]:
    """Numbers for all tables, 0 only for one that lies in another that has some."""
    families = model.families
    if not isinstance(shares, (list, tuple)) or len(shares) != len(families):
        names = ", ".join(map(repr, named))
        raise InputError(
            f"shares must be one of {names} or {len(families)} numbers, one for every table, got "
            f"{check.brief(shares)}",
            "shares",
        )
    parts = tuple(check.rational(f"shares[{i}]", share) for i, share in enumerate(shares))
    scopes = [frozenset(family.columns) for family in families]
    large = [scope for scope, part in zip(scopes, parts, strict=True) if part > 0]
    for i, (scope, part) in enumerate(zip(scopes, parts, strict=True)):
        if part < 0 or (part == 0 and not any(scope < other for other in large)):
            raise InputError(
                f"shares[{i}] must be above 0, as the table of {families[i].node!r} is no marginal "
                f"of one that has a share, got {check.show(part)}",
                "shares",
            )
    if sum(parts) > 1:
        raise InputError(
            f"shares must sum to 1 at most, got {check.show(sum(parts, Fraction(0)))}", "shares"
        )
    return parts
