"""Rules of posteriors: what can be asked of them, and how far one record moves it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from discreet.core import Adjacency
from discreet.exact import balls
from discreet.programs import declared, distances, symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Belief,
    Items,
    LawOf,
    Private,
    Public,
    RecordList,
    Scenario,
    Vector,
    is_releasable,
    numeric,
)
from discreet.programs.beliefs import category_keys, numbers_of
from discreet.programs.describing import describe
from discreet.programs.families import label_key
from discreet.programs.listing import CLIP
from discreet.programs.symbolic import ONE, ZERO, Expression, number

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

Arguments = tuple[Abstract, ...]


def _floor(checker: Checker, prior: LawOf) -> list[Fraction]:
    """Lower bounds of the parameters, two at least."""
    alpha = prior.parameters[0]
    if prior.family == "Dirichlet" and isinstance(alpha, Public):
        low = alpha.note.low if isinstance(alpha.note, declared.Number) else None
        return [low or Fraction(0)] * 2
    found = [checker.prover.lower_bound(x) if x is not None else None for x in numbers_of(prior)]
    return [low if low is not None and low > 0 else Fraction(0) for low in found]


def require_posterior(checker: Checker, node: syntax.Call, value: Abstract) -> Belief | Public:
    """A posterior, private or public."""
    if isinstance(value, Public) and value.sort == "law":
        return value
    if isinstance(value, LawOf) and is_releasable(value):
        return Public(sort="law", note=value.family)
    if isinstance(value, Belief) and value.inferred:
        return value
    fix = "write infer(…) around it" if isinstance(value, Belief) else ""
    raise checker.error(
        node, f"{node.name} needs a posterior, got {describe(value)}", fix=fix, kind="syntax"
    )


def parameters(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """(a, b) of a Beta, the vector of a Dirichlet, (mean, variance) of a Normal."""
    posterior = require_posterior(checker, node, arguments[0])
    if isinstance(posterior, Public):
        return Public(sort="vector")
    assert posterior.records is not None
    if posterior.prior.family == "Normal":
        return Items((mean(checker, node, arguments), _variance(checker, posterior)))
    if posterior.prior.family == "Finite":
        raise checker.error(
            node,
            "the weights of a finite posterior have no rule",
            fix="use exp_mech with score -hellinger(post, r)",
        )
    # A record that is added raises one parameter by 1; one that is replaced lowers another by 1.
    added = checker.adjacency is Adjacency.ADD_REMOVE
    why = (
        "a record that is added or removed moves one parameter by 1"
        if added
        else "a record that is replaced moves two parameters by 1 each"
    )
    total = number(1 if added else 2)
    keys = category_keys(posterior.records)
    if keys is None or not all(scenario.listed for scenario in checker.scenarios):
        parts = None
        if posterior.prior.family == "Beta":
            one = Private(checker.everywhere(ONE), why, ONE)
            parts = (one, one)
        return Vector(checker.everywhere(total), checker.everywhere(total), why, ONE, parts)
    pairs = zip(posterior.records.table or (), keys, strict=True)
    counted = {repr(record): key for (record, _), key in pairs}
    names: list[Any] = [label_key(True), label_key(False)]
    if posterior.prior.family == "Dirichlet":
        names = list(dict.fromkeys(keys))
    columns = tuple(
        Private(tuple(_moved(scenario, counted, name) for scenario in checker.scenarios), why, ONE)
        for name in names
    )
    l1 = tuple(
        symbolic.least(total, _sum([column.distances[i] for column in columns if column.distances]))
        for i in range(len(checker.scenarios))
    )
    return Vector(l1, l1, why, ONE, columns)


def _moved(scenario: Scenario, counted: dict[str, Any], name: object) -> Expression:
    """Whether a change of one record touches the count of a category."""
    touched = [repr(r) for r in (scenario.before, scenario.after) if r is not None]
    return ONE if any(counted[record] == name for record in touched) else ZERO


def _sum(parts: list[Expression]) -> Expression:
    result = ZERO
    for part in parts:
        result = result + part
    return result


def _variance(checker: Checker, posterior: Belief) -> Abstract:
    """Of a normal posterior: v·V/(v + n·V), public where n is."""
    v, big = _normal(checker, posterior)
    if checker.length is None:
        return Private(None, reason="under add-remove the posterior variance shows n")
    return Public(v * big / (v + checker.length * big))


def _normal(checker: Checker, posterior: Belief) -> tuple[Expression, Expression]:
    assert posterior.likelihood is not None
    known = posterior.likelihood.parameters[1]
    prior = posterior.prior.parameters[1]
    assert isinstance(known, Public)
    assert isinstance(prior, Public)
    assert known.number is not None
    assert prior.number is not None
    return known.number, prior.number


def _width(checker: Checker, posterior: Belief) -> Expression | None:
    assert posterior.records is not None
    item = numeric(posterior.records.item)
    if isinstance(item, Private) and item.low is not None and item.high is not None:
        return item.high - item.low
    return ZERO if isinstance(item, Public) else None


def mean(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """Of a normal posterior: one record in [L, U] moves it by (U − L)·V/(v + n·V)."""
    if isinstance(arguments[0], RecordList):
        raise checker.error(
            node,
            "mean is that of a posterior",
            fix="of records write sum(map(lambda x: clip(x, low, high), data)) / len(data)",
            kind="syntax",
        )
    posterior = require_posterior(checker, node, arguments[0])
    if isinstance(posterior, Public):
        return Public()
    if posterior.prior.family != "Normal":
        raise checker.error(
            node,
            f"mean has a rule for Normal posteriors, not for {posterior.prior.family}",
            fix="release the parameters: params(post)",
        )
    if checker.length is None:
        return Private(
            None,
            reason="under add-remove the number of records is private, and the mean divides by it",
        )
    width = _width(checker, posterior)
    if width is None:
        return Private(
            None,
            reason="records are any real numbers: one may move the mean by any amount",
            fix=CLIP,
            origin=node.span,
        )
    v, big = _normal(checker, posterior)
    move = distances.normal_shift(width, v, big, checker.length)
    why = f"a record within an interval of width {width} moves the posterior mean by {move}"
    return Private(checker.everywhere(move), why)


def distance(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """Of the posterior to a public distribution.

    By the triangle inequality it moves by at most the distance of the neighbouring posteriors.
    """
    posterior, other = require_posterior(checker, node, arguments[0]), arguments[1]
    if not is_releasable(other):
        raise checker.error(
            node, f"{node.name} compares with a public distribution", kind="private"
        )
    if isinstance(posterior, Public):
        raise checker.error(
            node,
            f"{node.name} of two public distributions is not needed here",
            fix="compute it after the release",
            kind="syntax",
        )
    if node.name == "kl":
        raise checker.error(
            node,
            "KL to a public distribution has no rule",
            "it is no metric: it may move by more than the KL of the posteriors, and be infinite",
            "use hellinger or total_variation",
        )
    if node.name == "total_variation" and posterior.prior.family == "Dirichlet":
        raise checker.error(
            node, "total_variation has no rule for Dirichlet laws", fix="use hellinger"
        )
    if isinstance(other, Public) and other.sort != "law":
        raise checker.error(
            node,
            f"{node.name} compares with one distribution, got {describe(other)}",
            fix="compare with each candidate: exp_mech(eps, lambda r: -hellinger(post, r), grid)",
            kind="syntax",
        )
    family = other.note if isinstance(other, Public) else getattr(other, "family", None)
    if family != posterior.prior.family:
        raise checker.error(
            node,
            f"a {posterior.prior.family} is compared with laws of its own family",
            f"the other one is {describe(other)}",
            f"use candidates that are {posterior.prior.family} laws",
            "syntax",
        )
    found = moved(checker, posterior, node.name)
    if found is None:
        return Private(
            None,
            reason="records are any real numbers: one may move the posterior by any amount",
            fix=CLIP,
            origin=node.span,
            inexact=True,
            depth=1,
        )
    why = f"neighbouring posteriors are at most {found} apart ({_NAMES[node.name]})"
    return Private(checker.everywhere(found), why, None, ZERO, ONE, inexact=True, depth=1)


_NAMES = {"hellinger": "Hellinger", "total_variation": "total variation", "kl": "KL"}


def moved(checker: Checker, posterior: Belief, kind: str) -> Expression | None:
    """How far one record moves a posterior; None is no bound."""
    added = checker.adjacency is Adjacency.ADD_REMOVE
    if posterior.prior.family == "Finite":
        assert posterior.factors is not None
        return distances.finite_move(kind, *posterior.factors)
    if posterior.prior.family == "Normal":
        width = _width(checker, posterior)
        if width is None or added:
            return None
        v, big = _normal(checker, posterior)
        assert checker.length is not None
        # falls as n grows, and n is at least 1
        n = checker.length if checker.length.value is not None else ONE
        return distances.normal_move(kind, width, v, big, n)
    low = _floor(checker, posterior.prior)
    if added:
        return distances.beta_added(kind, min(low))
    length = None if checker.length is None else checker.length.value
    prior = numbers_of(posterior.prior)  # of a declared vector nothing is known, not its length
    exact = len(prior) >= 2 and all(x is not None and x.value is not None for x in prior)
    if length is not None and exact and min(low) > 0:
        return distances.at_length(kind, tuple(low), int(length))
    return distances.beta_move(kind, *sorted(low)[:2])


def describe_moves(checker: Checker, posterior: Belief) -> str:
    """How far one record moves a posterior, in all distances that have a bound."""
    if not posterior.inferred or posterior.records is None:
        return ""
    found = [(kind, moved(checker, posterior, kind)) for kind in distances.KINDS]
    parts = [
        f"{_NAMES[kind]} {_with_decimals(distance)}"
        for kind, distance in found
        if distance is not None and (kind == "kl" or distance != ONE)  # which says nothing
    ]
    return f"; one record moves it by {', '.join(parts)} at most" if parts else ""


def _with_decimals(distance: Expression) -> str:
    if distance.value is not None or distance.symbols:
        return str(distance)
    return f"{distance} = {balls.nearest(partial(distance.ball, {})):.4g}"
