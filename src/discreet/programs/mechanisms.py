"""Rules of noise: laplace, gauss, exp_mech, and how draws are composed."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.core import Adjacency
from discreet.programs import symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Belief,
    Distances,
    Gaussian,
    Items,
    Noisy,
    Private,
    Public,
    RecordList,
    Scale,
    Scenario,
    Vector,
    is_releasable,
    numeric,
)
from discreet.programs.costs import Cost
from discreet.programs.describing import describe, in_program
from discreet.programs.diagnostics import ProgramError
from discreet.programs.listing import function_of, pure, require_records, tabled, untokened
from discreet.programs.symbolic import ZERO, Expression, number, worst

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

Arguments = tuple[Abstract, ...]
MIDDLE = Fraction(1, 1 << 16)


def _bounded(
    checker: Checker, node: syntax.Call, x: Abstract, squared: bool = False
) -> tuple[Distances, Expression | None, str]:
    """By how much x moves in every scenario, on which steps, and why; l1, or l2 squared."""
    if isinstance(x, Vector):
        return (x.l2_squared if squared else x.l1), x.step, x.why
    inner = numeric(x)
    if isinstance(inner, Public):
        return checker.zero(), None, "it is public"
    if inner is None:
        raise checker.error(
            node, f"{node.name} adds noise to numbers, got {describe(x)}", kind="syntax"
        )
    if inner.distances is None:
        raise without_bound(checker, node, inner)
    found = tuple(d * d for d in inner.distances) if squared else inner.distances
    return found, inner.step, inner.why


def without_bound(
    checker: Checker, node: syntax.Call, x: Private | None, fix: str = ""
) -> ProgramError:
    """Where the bound was lost, and who needs it."""
    origin = node.span if x is None or x.origin is None else x.origin
    reason = "the value has no bound" if x is None or not x.reason else x.reason
    found = checker.error(
        node,
        f"{reason}, and {node.name} needs a bound",
        "noise hides a change of known size: it has to be known how far one record moves the value",
        fix or (x.fix if x is not None else "") or "clip the value: clip(x, low, high)",
    ).diagnostic
    return ProgramError(replace(found, span=origin))


def _steps(
    checker: Checker,
    node: syntax.Call,
    distances: Distances,
    step: Expression | None,
    x: Abstract,
    grid: Abstract,
) -> tuple[Distances, Expression]:
    """The distances rounded up to whole steps of the grid, and the grid."""
    # Rounded to the nearest multiple of g, values at most d apart are at most ⌈d/g⌉ steps apart,
    # and ⌈d/g⌉·g ≤ d + g. Values that already lie whole steps apart are not rounded. Those that are
    # known as balls are rounded either way within 2^-32 of the middle, so ⌊d/g + 2^-16⌋ + 1 steps.
    place = node.arguments[2]
    if not isinstance(grid, Public) or grid.sort != "nothing":
        _require_number(checker, place, x)
        g = checker.require_positive(place, grid, "grid")
    elif step is not None:
        g = step
    else:
        raise checker.error(
            node,
            "noise on a real number needs a declared grid, so that it is drawn exactly",
            "the value is not a count",
            f"write d = {in_program(worst(*distances))} and {node.name}(…, grid=d/1024): d is how "
            "far one record moves the value, and is rounded up to a multiple of the grid; for "
            "whole numbers write grid=1",
            "value",
        )
    found, inexact = [], isinstance(x, Private) and x.inexact
    for d in distances:
        ratio = (d / g).value
        if ratio is None:
            found.append(d + g * number(1 + MIDDLE if inexact else 1))
        else:
            steps = math.floor(ratio + MIDDLE) + 1 if inexact else math.ceil(ratio)
            found.append(number(steps) * g)
    return tuple(found), g


def _require_number(checker: Checker, place: syntax.Node, x: Abstract) -> None:
    """Refuse a grid for counts side by side, whose distances are known on their own one only."""
    if isinstance(x, Vector):
        raise checker.error(
            place, "a vector of counts has the grid 1 already", fix="leave out grid"
        )


def laplace(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """Noise with density ∝ exp(−eps·|z|) on the grid: (eps·d, 0)."""
    eps, x, grid = arguments
    rate = checker.require_positive(node.arguments[0], eps, "eps")
    distances, step, why = _bounded(checker, node, x)
    rounded, _ = _steps(checker, node, distances, step, x, grid)
    # P(z | x)/P(z | x') = exp(−eps·(|z − x| − |z − x'|)) ≤ exp(eps·|x − x'|), and over the entries
    # of a vector the exponents add up to eps times the l1 distance.
    costs = tuple(rate * d for d in rounded)
    text = f"laplace, distance {worst(*rounded)} ({why})"
    sort = "vector" if isinstance(x, Vector) else "number"
    return Noisy(costs, ZERO, _result(x, sort), text)


def _result(x: Abstract, sort: str) -> Abstract:
    if isinstance(x, Vector) and x.parts is not None:
        return Items(tuple(Public() for _ in x.parts))
    return Public(sort=sort)


def gauss(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """Normal noise on the grid, with its exact hockey-stick δ."""
    sigma, x, grid = arguments
    squares, step, why = _bounded(checker, node, x, squared=True)
    vector = isinstance(x, Vector)
    if not isinstance(grid, Public) or grid.sort != "nothing":
        _require_number(checker, node.arguments[2], x)
    if isinstance(x, Private) and x.inexact:
        raise checker.error(
            node, "gauss has no rule for distances of laws", fix="write laplace(eps, x, grid=g)"
        )
    if isinstance(sigma, Scale):
        # At the run the variance is the least that is proved (ε, δ)-private in whole steps of the
        # grid for the declared distance (hockey.gaussian_variance), so for any smaller one too.
        limit = sigma.distance * sigma.distance
        for square in squares:
            if not checker.prover.at_most(square, limit).holds:
                raise checker.error(
                    node,
                    f"sigma is made for a distance of {sigma.distance}, and the value may move "
                    f"by {symbolic.sqrt(worst(*squares))}",
                    why,
                    f"write analytic_sigma(eps, delta, {symbolic.sqrt(worst(*squares))})",
                )
        if not checker.prover.at_most(symbolic.ONE, sigma.factor).holds:
            raise checker.error(
                node,
                f"sigma is made smaller: it is multiplied by {sigma.factor}",
                fix="use analytic_sigma as it is",
                kind="budget",
            )
        if not vector:
            _steps(checker, node, checker.everywhere(sigma.distance), step, x, grid)
        text = f"gauss, distance {sigma.distance} ({why})"
        return Noisy(checker.everywhere(sigma.epsilon), sigma.delta, _result(x, "number"), text)
    deviation = checker.require_positive(node.arguments[0], sigma, "sigma")
    if vector:
        rounded, g = squares, symbolic.ONE
    else:
        single, _, _ = _bounded(checker, node, x)
        steps, g = _steps(checker, node, single, step, x, grid)
        rounded = tuple(d * d for d in steps)
    shifts = tuple(square / (deviation * deviation) for square in rounded)
    parts = len(x.parts) if isinstance(x, Vector) and x.parts is not None else 1
    if isinstance(x, Vector) and x.parts is None:
        raise checker.error(
            node,
            "normal noise of a given sigma needs a vector of known length",
            fix="write gauss(analytic_sigma(eps, delta, distance), x)",
            kind="unknown",
        )
    normal = Gaussian(shifts, deviation * deviation / (g * g), parts)
    text = f"gauss, sigma {deviation}, distance {symbolic.sqrt(worst(*rounded))} ({why})"
    return Noisy(checker.zero(), ZERO, _result(x, "number"), text, normal)


def analytic_sigma(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """The least scale of normal noise for (eps, delta) at a distance (Balle and Wang 2018)."""
    names = ("eps", "delta", "distance")
    values = [
        checker.require_positive(node, value, name)
        for name, value in zip(names, arguments, strict=True)
    ]
    if not checker.prover.positive(symbolic.ONE - values[1]).holds:
        raise checker.error(
            node,
            f"delta must be below 1, and {values[1]} may not be",
            fix='declare it: params={"delta": Between(0, 0.5)}',
            kind="value",
        )
    return Scale(*values)


def sample(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """A draw; what comes out is public from then on."""
    inner = arguments[0]
    if isinstance(inner, Noisy):
        checker.costs.append(
            Cost(node.span, inner.text, inner.epsilons, inner.delta, inner.gaussian)
        )
        return inner.result
    if isinstance(inner, Belief) and inner.records is not None:
        raise checker.error(
            node,
            "a draw from the posterior is not private by itself",
            "densities of neighbouring posteriors have an unbounded ratio near 0 and 1",
            "release the posterior with noise, then sample from the release",
            "private",
        )
    raise checker.error(
        node,
        "sample needs a mechanism",
        fix="write sample(laplace(eps, x)); a public distribution is sampled after the release",
        kind="syntax",
    )


def sample_each(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """One draw for every record: neighbours differ in one, so the cost is that of one."""
    function = function_of(checker, node, arguments[0])
    data = require_records(checker, node, arguments[1])
    if checker.adjacency is Adjacency.ADD_REMOVE:
        raise checker.error(
            node,
            "a noisy value for every record shows how many there are",
            "under add-remove the number of records is private",
            'declare adjacent="substitute"',
            "private",
        )
    before = len(checker.costs)
    inner = checker.apply(node, function, (untokened(data.item),))
    if len(checker.costs) > before or not isinstance(inner, Noisy):
        raise checker.error(
            node,
            "the function of sample_each returns a mechanism",
            fix="write sample_each(lambda y: laplace(eps, y), data), without sample inside",
            kind="syntax",
        )
    text = f"for every record: {inner.text}"
    checker.costs.append(Cost(node.span, text, inner.epsilons, inner.delta, inner.gaussian))
    return Public(sort="list")


def parallel(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """The same program for every cell of a public partition."""
    body, data, cells = arguments
    function = function_of(checker, node, body)
    records = require_records(checker, node, data)
    tests = cells.items if isinstance(cells, Items) else ()
    if not tests:
        raise checker.error(
            node,
            "parallel needs a tuple of tests of one record, one for every cell",
            fix='write parallel(f, data, (lambda r: r[0] == "a", lambda r: r[0] == "b"))',
            kind="syntax",
        )
    if records.table is None:
        raise checker.error(
            node,
            "parallel needs records of few values, so that the cells are seen not to overlap",
            "records with a number, or of very many values, are not gone through",
            "code the numbers as labels before: Enum(…)",
            "syntax",
        )
    members = [_members(checker, node, test, records) for test in tests]
    if not all(members):
        raise checker.error(
            node, f"cell {members.index(set()) + 1} has no records at all", fix="leave it out"
        )
    for i, one in enumerate(members):
        for j, two in enumerate(members[:i]):
            if shared := sorted(one & two):
                raise checker.error(
                    node,
                    f"the cells overlap: a record {shared[0]} is in cells {j + 1} and {i + 1}",
                    "one record would change the results of both, and both have to be paid for",
                    "let every record be in one cell at most",
                )
    # A record that is added or removed is in one cell at most, so only that cell's result changes:
    # the largest cost of one. One that is replaced leaves one cell and enters another: twice that.
    results, dearest = [], ZERO
    for cell in members:
        inner = checker.inner(Adjacency.ADD_REMOVE, _of_cell(records, cell), None)
        table = tuple((key, value) for key, value in records.table if repr(key) in cell)
        inside = RecordList(tabled(inner, table), table, "cell")
        results.append(inner.apply(node, function, (inside,)))
        if not is_releasable(results[-1]):
            raise checker.error(
                node,
                f"what a cell returns is private: {describe(results[-1])}",
                fix="add noise in the function of the cell",
                kind="private",
            )
        epsilons = [ZERO] * len(inner.scenarios)
        for cost in inner.costs:
            if cost.delta != ZERO or cost.gaussian is not None:
                raise checker.error(
                    node, "parallel has a rule for pure noise only", fix="use laplace"
                )
            epsilons = [a + b for a, b in zip(epsilons, cost.epsilons, strict=True)]
        dearest = worst(dearest, *epsilons)
    substitute = checker.adjacency is Adjacency.SUBSTITUTE
    price = dearest * number(2) if substitute else dearest
    text = (
        f"parallel over {len(tests)} cells: "
        + ("a replaced record leaves one cell and enters another, 2 times " if substitute else "")
        + f"the largest {dearest}"
    )
    checker.costs.append(Cost(node.span, text, checker.everywhere(price), ZERO))
    return Items(tuple(results))


def _of_cell(records: RecordList, cell: set[str]) -> tuple[Scenario, ...]:
    """Any of its records is added or removed."""
    assert records.table is not None
    return tuple(Scenario(None, key, True, True) for key, _ in records.table if repr(key) in cell)


def _members(checker: Checker, node: syntax.Call, test: Abstract, records: RecordList) -> set[str]:
    """The records of one cell; cells that share one are refused."""
    assert records.table is not None
    found = set()
    function = function_of(checker, node, test)
    for key, value in records.table:
        inside = pure(checker, node, function, (value,))
        if not isinstance(inside, Public) or not isinstance(inside.literal, bool):
            raise checker.error(node, "a cell is decided by the record alone", kind="syntax")
        if inside.literal:
            found.add(repr(key))
    return found
