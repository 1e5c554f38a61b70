"""Rules of finite beliefs: any test of the unknown, value by value."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.core import Adjacency
from discreet.programs import symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Belief,
    Closure,
    Items,
    LawOf,
    Observation,
    Public,
    RecordList,
    is_releasable,
    numeric,
)
from discreet.programs.describing import describe
from discreet.programs.listing import pure
from discreet.programs.symbolic import ONE, Expression, largest

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker


def outside(checker: Checker, node: syntax.Call) -> Exception:
    """A private value that no rule counts."""
    return checker.error(
        node,
        "a private value is observed outside of a fold over the records",
        fix="write observe_all(…), or fold(lambda belief, d: observe(…, belief), prior, data)",
        kind="private",
    )


def observed_finite(
    checker: Checker, node: syntax.Call, likelihood: Closure, belief: Abstract
) -> Abstract:
    """By a test of every value; in a fold the one value in hand."""
    if isinstance(belief, Belief) and belief.token is not None:
        values = belief.prior.parameters[0]
        assert isinstance(values, Items)
        chance = _chance(pure(checker, node, likelihood, (values.items[0],)))
        if chance is None or not 0 < chance <= 1:
            raise checker.error(
                node,
                "the chance of an observation has to be a known number above 0 and at most 1",
                "a chance of 0 could leave no value possible, and the run would fail",
                "use likelihoods such as ran(Bernoulli(r)) == d with r between 0 and 1",
                "value",
            )
        return replace(belief, weight=belief.weight * symbolic.number(chance))
    values = belief.prior.parameters[0] if isinstance(belief, Belief) else Public()
    tried = values.items if isinstance(values, Items) else (Public(),)
    chances = []
    for value in tried:
        found = pure(checker, node, likelihood, (value,))
        seen = Items((found.law, found.value)) if isinstance(found, Observation) else found
        if not is_releasable(seen):
            raise outside(checker, node)
        if not isinstance(found, Observation) and getattr(found, "sort", "") != "flag":
            raise checker.error(
                node,
                f"a Finite learns from a test of its values, got {describe(found)}",
                fix="write lambda r: r > 1/2, or lambda r: ran(Bernoulli(r)) == d",
                kind="syntax",
            )
        if isinstance(found, Observation) and found.law.family != "Bernoulli":
            raise checker.error(
                node,
                "a Finite learns from draws of Bernoulli only",
                fix="write lambda r: ran(Bernoulli(r)) == d",
                kind="syntax",
            )
        chances.append(_chance(found))
    if isinstance(belief, Belief) and None not in chances:
        return _restricted(checker, node, belief, [chance or Fraction(0) for chance in chances])
    return Public(sort="law", note="Finite")


def _restricted(
    checker: Checker, node: syntax.Call, belief: Belief, chances: list[Fraction]
) -> Belief:
    """A public belief after a public observation: values without a chance are left out."""
    values, weights = belief.prior.parameters
    assert isinstance(values, Items)
    assert isinstance(weights, Items)
    kept = []
    for value, weight, chance in zip(values.items, weights.items, chances, strict=True):
        number = numeric(weight)
        if chance > 0:
            known = isinstance(number, Public) and number.number is not None
            assert known
            assert isinstance(number, Public)
            assert number.number is not None
            kept.append((value, Public(number.number * symbolic.number(chance))))
    if not kept:
        raise checker.error(
            node,
            "no value of the belief is possible after this observation",
            fix="observe what some value of the Finite makes possible",
            kind="value",
        )
    law = LawOf("Finite", (Items(tuple(v for v, _ in kept)), Items(tuple(w for _, w in kept))))
    return Belief(law)


def _chance(found: Abstract) -> Fraction | None:
    """P(the test holds), where it is known."""
    if isinstance(found, Public) and isinstance(found.literal, bool):
        return Fraction(int(found.literal))
    if not isinstance(found, Observation) or not isinstance(found.value, Public):
        return None
    flag, p = found.value.literal, numeric(found.law.parameters[0])
    known = isinstance(p, Public) and p.number is not None and p.number.value is not None
    if found.law.family != "Bernoulli" or not isinstance(flag, bool) or not known:
        return None
    assert isinstance(p, Public)
    assert p.number is not None
    assert p.number.value is not None
    return p.number.value if flag else 1 - p.number.value


def folded_finite(
    checker: Checker, node: syntax.Call, step: Closure, start: Belief, data: RecordList
) -> Abstract:
    """Each record multiplies the weight of value v by P(test | v, record)."""
    if data.table is None:
        raise checker.error(
            node,
            "a finite belief needs records that are few",
            fix="declare data=List[Bool] or List[Enum(…)]",
        )
    values = start.prior.parameters[0]
    assert isinstance(values, Items)
    rows = {
        repr(key): [_weight(checker, node, step, value, record) for value in values.items]
        for key, record in data.table
    }
    # A record that is replaced multiplies the weights by ρ(v); only the spread of ρ counts.
    widest: Expression = ONE
    for before, after in _changes(checker, data):
        top = rows[repr(after)]
        bottom = [ONE] * len(top) if before is None else rows[repr(before)]
        ratios = [t / b for t, b in zip(top, bottom, strict=True)]
        widest = largest(widest, largest(*ratios) / symbolic.least(*ratios))
    return replace(start, records=data, factors=(ONE, widest))


def _changes(checker: Checker, data: RecordList) -> list[tuple[object, object]]:
    """Records before and after, in all scenarios."""
    assert data.table is not None
    if all(scenario.listed for scenario in checker.scenarios):
        return [(s.before, s.after) for s in checker.scenarios]
    keys = [key for key, _ in data.table]
    if checker.adjacency is Adjacency.ADD_REMOVE:
        return [(None, key) for key in keys]
    return [(a, b) for a in keys for b in keys]


def _weight(
    checker: Checker, node: syntax.Call, step: Closure, value: Abstract, record: Abstract
) -> Expression:
    """What a step multiplies the weight of a value by."""
    law = LawOf("Finite", (Items((value,)), Items((Public(ONE),))))
    one = Belief(law, token=checker.identity())
    found = pure(checker, node, step, (one, record))
    if not isinstance(found, Belief) or found.token != one.token:
        raise checker.error(
            node,
            "the step of this fold does not return its belief after observing the record",
            fix="write lambda belief, d: observe(lambda r: …, belief)",
            kind="syntax",
        )
    return found.weight
