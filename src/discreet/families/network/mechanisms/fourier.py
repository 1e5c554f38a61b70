"""Noise on the Fourier coefficients of a network's tables (P2, Algorithm 2), and beyond two states.

A table over J is a sum of orthogonal components, one for every S ⊆ J. That on S is given by the
records' signs, −1 for an odd number of ones among the variables of S with two states, added up for
every combination of the others' states: the block of S. Without others it is one number, P2's
Fourier coefficient. Blocks of the same S agree in all tables, so tables that are made of them do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import check
from discreet.core import Adjacency, Config, Guarantee, Law, Mechanism, PointMass, Theorem
from discreet.core.curves import Composed, Pure
from discreet.core.law import Outcome, ProductLaw
from discreet.core.mechanism import drawn_from
from discreet.core.tables import Network
from discreet.errors import InputError
from discreet.exact import Ints
from discreet.families.network.mechanisms.consistency import exact_ratio
from discreet.families.network.mechanisms.reconciling import read_reconcile, reconciling, stored
from discreet.laws.noise import NoiseLaw

Subset: TypeAlias = tuple[str, ...]
Places: TypeAlias = tuple[tuple[int, ...], ...]  # of every family's coefficients, flat, 0 is ∅

MOST_ELIMINATED = 22  # variables of a table while the sensitivity is computed


class Coefficients(NamedTuple):
    """Of all families, each once: ∅, then the parities, then the numbers of wider blocks."""

    shapes: tuple[tuple[int, ...], ...]
    places: Places
    parities: int  # how many, without ∅
    size: int  # all, with ∅
    largest: int  # factor of a number in a cell


def fourier(
    model: Network, n: int, epsilon: Fraction, *, t: object = 0, reconcile: str | None = None
) -> Mechanism:
    """Integer noise on o_γ, the number of records with odd parity ⟨γ, x⟩, for γ in the closure N.

    N holds every subset of every family, P2's downward closure. F_γ = n − 2·o_γ are the Fourier
    coefficients of the table of all records, and a family J has the marginal
    h^J(x) = 2^{−|J|}·Σ_{γ⊆J} (−1)^{⟨γ,x⟩}·F_γ: exact dyadic fractions that agree wherever families
    overlap. n is public, so F_∅ costs nothing. `t` is P2's stealth parameter: F_∅ is raised by
    ⌈4t|N|²/ε⌉, so that for t ≥ 1 no cell is negative with probability 1 − e^{−t} or more.

    Where γ has variables of three or more states, o_γ is n's even minus odd parity among the others
    for every combination of their states, and |N| the number of all numbers: ours. F_∅ is then
    raised by the largest product of k − 1 in a family as many times.

    Noise of scale s/ε, and 2s/ε for the latter numbers, where s is at most the number of blocks,
    |N| − 1 for two states and 2d for naive Bayes with d features; P2 has |N|. Guarantee: ε.

    reconcile: None, as the paper has it; or as of `lattice`: then no cell is negative, whatever t
    is, and without records that nobody counted.
    """
    stealth = check.rational("t", t)
    if not 0 <= stealth <= 10**6:
        raise InputError(f"t must lie between 0 and 1000000, got {check.show(stealth)}", "t")
    how = read_reconcile(model, reconcile)
    found = coefficients(model)
    # Replacing a record x by y changes o_γ by one where ⟨γ, x ⊕ y⟩ is odd. A wider block has the
    # record's sign in one cell: it changes by 2 in l1 where cell or sign are other ones. With half
    # the rate for it, every block that changes loses one rate, and the largest number of these over
    # all pairs of records bounds the loss of independent discrete Laplace noise in rates.
    change = sensitivity([family.columns for family in model.families], wide(model))
    rate = epsilon / change
    noise = (
        f"discrete Laplace noise of rate ε/{change} on parity counts that change by at most "
        f"{change}"
    )
    if found.parities + 1 < found.size:
        noise = (
            f"discrete Laplace noise of rate ε/{change} on parity counts and ε/{2 * change} on "
            f"signed tables, at most {change} of which change, by 1 and by 2"
        )
    theorem = Theorem(
        noise, "Zhang, Rubinstein and Dimitrakakis 2016, Corollary 2; Barak et al. 2007"
    )
    raised = math.ceil(4 * stealth * found.largest * found.size**2 / epsilon)
    marginals = partial(_marginals, n, raised, found)
    # a cell of m has (m − 1)/m² times the variance of a number, where all have two states
    variances = [8 * Fraction(f.cells - 1, f.cells**2) / rate**2 for f in model.families]
    reconciled = reconciling(how, model, variances, n + raised, 1, _unchanged)
    law = partial(_law, n, rate, found)
    return Mechanism(
        config=Config(
            *("fourier", model, n, epsilon, Adjacency.SUBSTITUTE),
            (("t", stealth), *stored(how)),
            asked=(("t", stealth), *stored(reconcile)),
        ),
        guarantee=Guarantee(
            *(epsilon, Fraction(0), Adjacency.SUBSTITUTE),
            basis=theorem,
            curve=Composed(((Pure(rate), change),)),
        ),
        make_raw_law=law,
        make_law=law,  # the marginals determine the coefficients
        make_released=partial(_released, reconciled, marginals),
        possible=partial(drawn_from, n),
    )


def wide(model: Network) -> frozenset[str]:
    """The nodes of three or more states."""
    return frozenset(family.node for family in model.families if family.shape[-1] > 2)


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


def coefficients(model: Network) -> Coefficients:
    """Where the numbers of every family are; 0 of an axis is that its variable is not in S."""
    many = wide(model)
    keys = []
    for family in model.families:
        lengths = [2 if k == 2 else 1 + k for k in family.shape]
        places = itertools.product(*map(range, lengths))
        named = [zip(family.columns, place, strict=True) for place in places]
        keys.append([frozenset(pair for pair in pairs if pair[1]) for pairs in named])
    every = dict.fromkeys(itertools.chain.from_iterable(keys))
    parities = [key for key in every if many.isdisjoint(name for name, _ in key)]
    others = [key for key in every if not many.isdisjoint(name for name, _ in key)]
    number = {key: i for i, key in enumerate((*parities, *others))}
    return Coefficients(
        tuple(family.shape for family in model.families),
        tuple(tuple(number[key] for key in own) for own in keys),
        len(parities) - 1,
        len(number),
        max(math.prod(k - 1 for k in family.shape) for family in model.families),
    )


def sensitivity(families: Iterable[Subset], wide: Collection[str] = ()) -> int:
    """max over pairs of records of the number of blocks that change, or a bound on it.

    A block of γ changes if a variable of `wide`, with three or more states, or an odd number of the
    others differ. By eliminating one variable after another from sums of tables (Dechter 1999).
    Where that needs a table of more than 2^22 cells, some tables are bounded one by one instead.
    """
    known: set[frozenset[str]] = {frozenset()}
    tables = []
    for names in families:
        fresh = np.array([frozenset(s) not in known for s in _subsets(names)])
        known.update(map(frozenset, _subsets(names)))
        new = fresh.astype(np.int64).reshape((2,) * len(names))
        same = [_SAME if name in wide else _ANY for name in names]
        sign = [_SAME if name in wide else _SIGN for name in names]
        # the sum over γ of one where nothing changes: of (1 + sign)/2 where no wide one differs
        unchanged = (_along(new, same) + _along(new, sign)) // 2
        tables.append((tuple(names), fresh.sum() - unchanged))
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


_SIGN = np.array([[1, 1], [1, -1]])  # Walsh and Hadamard's
_ANY = np.array([[1, 1], [1, 1]])
_SAME = np.array([[1, 1], [1, 0]])


def _apart(k: int) -> Ints:
    """From k cells to their sum, and their difference or the cells themselves."""
    return (
        _SIGN if k == 2 else np.vstack([np.ones((1, k), dtype=np.int64), np.eye(k, dtype=np.int64)])
    )


def _together(k: int) -> Ints:
    """Back, times k: by what sums to zero among the cells, and the sum."""
    return (
        _SIGN
        if k == 2
        else np.hstack([np.ones((k, 1), dtype=np.int64), k * np.eye(k, dtype=np.int64) - 1])
    )


def _along(table: NDArray[Any], matrices: Sequence[Ints]) -> NDArray[Any]:
    """The table with a matrix applied along every axis."""
    for axis, matrix in enumerate(matrices):
        parts = np.moveaxis(table, axis, 0)
        rows = [
            sum(int(x) * part for x, part in zip(row, parts, strict=True) if x) for row in matrix
        ]
        table = np.moveaxis(np.array(rows, dtype=table.dtype), 0, axis)
    return table


def _law(n: int, rate: Fraction, known: Coefficients, values: Outcome) -> Law:
    counts: list[int | None] = [None] * known.size
    start = 0
    for shape, numbers in zip(known.shapes, known.places, strict=True):
        table = np.array(values[start : start + math.prod(shape)], dtype=object).reshape(shape)
        start += table.size
        found = _along(table, [_apart(k) for k in shape]).ravel().tolist()
        for place, number in zip(numbers, found, strict=True):
            count = (n - number) // 2 if place <= known.parities else number
            # the bound on what a record changes needs tables of the same records
            if counts[place] not in (None, count):
                raise InputError("tables must be counted from the same records", "tables")
            counts[place] = count
    centre = tuple(count or 0 for count in counts[1:])
    if n == 0:
        return PointMass(centre)
    parities, others = centre[: known.parities], centre[known.parities :]
    laws = [NoiseLaw(parities, rate, "two-sided")] if parities else []
    if others:
        laws.append(NoiseLaw(others, rate / 2, "two-sided"))
    return laws[0] if len(laws) == 1 else ProductLaw(tuple(laws))


def _released(
    reconciled: Callable[[Any], NDArray[Any]], marginals: Callable[[Ints], NDArray[Any]], raw: Ints
) -> NDArray[Any]:
    return reconciled(marginals(raw))


def _unchanged(tables: NDArray[Any]) -> NDArray[Any]:
    return tables


def _marginals(n: int, raised: int, known: Coefficients, raw: Ints) -> NDArray[Any]:
    """The marginal tables of released parity counts and blocks."""
    if raw.shape[1] != known.size - 1:
        return raw[:, :0]
    rows = []
    for drawn in raw.tolist():
        numbers = [n + raised, *(n - 2 * o for o in drawn[: known.parities])]
        numbers += drawn[known.parities :]
        parts = zip(known.shapes, known.places, strict=True)
        rows.append([x for shape, places in parts for x in _marginal(numbers, shape, places)])
    return np.array(rows, dtype=object)


def _marginal(
    numbers: list[int], shape: tuple[int, ...], places: tuple[int, ...]
) -> list[int | Fraction]:
    table = np.array([numbers[place] for place in places], dtype=object)
    table = table.reshape([2 if k == 2 else 1 + k for k in shape])
    cells = _along(table, [_together(k) for k in shape]).ravel().tolist()
    return [exact_ratio(x, len(cells)) for x in cells]
