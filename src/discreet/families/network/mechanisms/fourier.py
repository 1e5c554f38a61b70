"""Noise on the Fourier coefficients of a binary network's tables (P2, Algorithm 2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.curves import Composed, Pure
from discreet.core.law import Outcome
from discreet.core.mechanism import drawn_from
from discreet.core.tables import Network
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.families.network.mechanisms.reconciling import read_reconcile, reconciling, stored
from discreet.laws.noise import NoiseLaw

Subset: TypeAlias = tuple[str, ...]
Places: TypeAlias = tuple[tuple[int, ...], ...]  # of every family's coefficients, flat, 0 is ∅

MOST_ELIMINATED = 22  # variables of a table while the sensitivity is computed


def fourier(
    model: Network, n: int, epsilon: Fraction, *, t: object = 0, reconcile: str | None = None
) -> Mechanism:
    """Integer noise on o_γ, the number of records with odd parity ⟨γ, x⟩, for γ in the closure N.

    N holds every subset of every family, P2's downward closure. F_γ = n − 2·o_γ are the Fourier
    coefficients of the table of all records, and a family J has the marginal
    h^J(x) = 2^{−|J|}·Σ_{γ⊆J} (−1)^{⟨γ,x⟩}·F_γ: exact dyadic fractions that agree wherever families
    overlap. n is public, so F_∅ costs nothing. `t` is P2's stealth parameter: F_∅ is raised by
    ⌈4t|N|²/ε⌉, so that for t ≥ 1 no cell is negative with probability 1 − e^{−t} or more.

    For nodes of two states. Noise of scale s/ε, where s is at most |N| − 1 and 2d for naive Bayes
    with d features; P2 has |N|. Guarantee: ε.

    reconcile: None, as the paper has it; or as of `lattice`: then no cell is negative, whatever t
    is, and without records that nobody counted.
    """
    for family in model.families:
        if family.shape[-1] != 2:
            raise InputError(
                f"fourier needs nodes of two states, got {family.node!r} with "
                f"{family.shape[-1]}; use 'lattice'",
                "mechanism",
            )
    stealth = check.rational("t", t)
    if not 0 <= stealth <= 10**6:
        raise InputError(f"t must lie between 0 and 1000000, got {check.show(stealth)}", "t")
    how = read_reconcile(model, reconcile)
    columns = [family.columns for family in model.families]
    subsets = closure(model)
    number = {frozenset(subset): i for i, subset in enumerate(subsets)}
    places = tuple(tuple(number[frozenset(s)] for s in _subsets(names)) for names in columns)
    # Replacing a record x by y changes o_γ by one exactly where ⟨γ, x ⊕ y⟩ is odd, and the largest
    # number of such γ over all x ⊕ y bounds the change in l1. Every step in l1 changes the log
    # probability of independent discrete Laplace noise by its rate.
    change = sensitivity(columns)
    theorem = Theorem(
        f"discrete Laplace noise of rate ε/{change} on parity counts that change by at most "
        f"{change}",
        "Zhang, Rubinstein and Dimitrakakis 2016, Corollary 2; Barak et al. 2007",
    )
    raised = math.ceil(4 * stealth * len(subsets) ** 2 / epsilon)
    marginals = partial(_marginals, n, raised, places, len(subsets))
    # a cell of 2^d has (2^d − 1)/4^d times the variance of a coefficient
    cells = [family.cells for family in model.families]
    variances = [8 * Fraction(m - 1, m * m) * (change / epsilon) ** 2 for m in cells]
    reconciled = reconciling(how, model, variances, n + raised, 1, _unchanged)
    law = partial(_law, n, epsilon / change, places, len(subsets))
    return Mechanism(
        config=Config(
            *("fourier", model, n, epsilon, Adjacency.SUBSTITUTE),
            (("t", stealth), *stored(how)),
            asked=(("t", stealth), *stored(reconcile)),
        ),
        guarantee=Guarantee(
            *(epsilon, Fraction(0), Adjacency.SUBSTITUTE),
            basis=theorem,
            curve=Composed(((Pure(epsilon / change), change),)),
        ),
        make_raw_law=law,
        make_law=law,  # the marginals determine the coefficients
        make_released=partial(_released, reconciled, marginals),
        possible=partial(drawn_from, n),
    )


def closure(model: Network) -> tuple[Subset, ...]:
    """The subsets of all families, each once and in alphabetical order inside; ∅ comes first."""
    found = {
        tuple(sorted(subset)): None
        for family in model.families
        for subset in _subsets(family.columns)
    }
    return tuple(found)


def _subsets(names: Subset) -> Iterable[Subset]:
    """All subsets, in the order of the cells of a table: the last name varies fastest."""
    for bits in itertools.product((0, 1), repeat=len(names)):
        yield tuple(itertools.compress(names, bits))


def sensitivity(families: Iterable[Subset]) -> int:
    """max over x ⊕ y of the number of γ in the closure with odd ⟨γ, x ⊕ y⟩, or a bound on it.

    By eliminating one variable after another from sums of tables (Dechter 1999). Where that needs
    a table of more than 2^22 cells, some tables are bounded one by one instead.
    """
    known: set[frozenset[str]] = {frozenset()}
    tables = []
    for names in families:
        fresh = np.array([frozenset(s) not in known for s in _subsets(names)])
        known.update(map(frozenset, _subsets(names)))
        odd = (fresh.sum() - _transform(fresh.astype(np.int64).reshape((2,) * len(names)))) // 2
        tables.append((tuple(names), odd))
    return min(_eliminated(tables), len(known) - 1)


def _eliminated(tables: list[tuple[Subset, Ints]]) -> int:
    """The largest value of a sum of functions of binary variables."""
    neighbours: dict[str, set[str]] = {}
    for names, _ in tables:
        for name in names:
            neighbours.setdefault(name, set()).update(names)
    while neighbours:
        name = min(neighbours, key=lambda node: len(neighbours[node]))
        scope = tuple(sorted(neighbours.pop(name)))
        if len(scope) > MOST_ELIMINATED:
            break
        met = [table for table in tables if name in table[0]]
        tables = [table for table in tables if name not in table[0]]
        joint = sum((_spread(names, values, scope) for names, values in met), np.int64(0))
        rest = tuple(other for other in scope if other != name)
        tables.append((rest, np.max(joint, axis=scope.index(name))))
        for other in rest:
            neighbours[other] = (neighbours[other] | set(rest)) - {name}
    return int(sum(values.max() for _, values in tables))


def _spread(names: Subset, values: Ints, scope: Subset) -> Ints:
    """A table as one of more variables, on which it does not depend."""
    order = sorted(range(len(names)), key=lambda i: names[i])
    shape = [2 if name in names else 1 for name in scope]
    return np.broadcast_to(values.transpose(order).reshape(shape), (2,) * len(scope))


def _transform(table: NDArray[Any]) -> NDArray[Any]:
    """Σ_x (−1)^{⟨γ,x⟩}·h(x) for all γ: Walsh and Hadamard's transform of a (2, …, 2) table."""
    for axis in range(table.ndim):
        zero, one = np.moveaxis(table, axis, 0)
        both = np.array([zero + one, zero - one], dtype=table.dtype)
        table = np.moveaxis(both, 0, axis)
    return table


def _law(n: int, rate: Fraction, places: Places, subsets: int, values: Outcome) -> Law:
    odd: list[int | None] = [None] * subsets
    start = 0
    for numbers in places:
        cells = values[start : start + len(numbers)]
        start += len(numbers)
        table = np.array(cells, dtype=object).reshape((2,) * (len(cells).bit_length() - 1))
        for place, coefficient in zip(numbers, _transform(table).ravel().tolist(), strict=True):
            # the bound on what a record changes needs tables of the same records
            if odd[place] not in (None, (n - coefficient) // 2):
                raise InputError("tables must be counted from the same records", "tables")
            odd[place] = (n - coefficient) // 2
    counts = tuple(count or 0 for count in odd[1:])
    return PointMass(counts) if n == 0 else NoiseLaw(counts, rate, "two-sided")


def _released(
    reconciled: Callable[[Any], NDArray[Any]], marginals: Callable[[Ints], NDArray[Any]], raw: Ints
) -> NDArray[Any]:
    return reconciled(marginals(raw))


def _unchanged(tables: NDArray[Any]) -> NDArray[Any]:
    return tables


def _marginals(n: int, raised: int, places: Places, subsets: int, raw: Ints) -> NDArray[Any]:
    """The marginal tables of released parity counts."""
    if raw.shape[1] != subsets - 1:
        return raw[:, :0]
    rows = []
    for odd in raw.tolist():
        coefficients = [n + raised, *(n - 2 * o for o in odd)]
        rows.append([x for numbers in places for x in _marginal(coefficients, numbers)])
    return np.array(rows, dtype=object)


def _marginal(coefficients: list[int], numbers: tuple[int, ...]) -> list[int | Fraction]:
    table = np.array([coefficients[place] for place in numbers], dtype=object)
    cells = _transform(table.reshape((2,) * (len(numbers).bit_length() - 1))).ravel().tolist()
    return [
        x // len(numbers) if x % len(numbers) == 0 else Fraction(x, len(numbers)) for x in cells
    ]
