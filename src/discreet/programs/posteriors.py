"""Rules of beliefs and posteriors: observe, infer, and how far one record moves the result."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.core import Adjacency
from discreet.programs import declared, distances, symbolic, syntax
from discreet.programs.abstract import (
    Abstract,
    Belief,
    Closure,
    FamilyName,
    Items,
    LawOf,
    Observation,
    Private,
    Public,
    Random,
    RecordList,
    Theta,
    Vector,
    is_public,
    numeric,
)
from discreet.programs.describing import describe
from discreet.programs.families import PRIOR_OF
from discreet.programs.listing import CLIP, require_records
from discreet.programs.symbolic import ONE, ZERO, Expression, largest, number

if TYPE_CHECKING:
    from discreet.programs.checking import Checker

Arguments = tuple[Abstract, ...]


def public_vector(kind: declared.Many) -> Public:
    """A vector of parameters; what is known is the least that an entry can be."""
    return Public(literal=kind.item.low or Fraction(0), sort="vector")


def drawn(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """ran(law): a prior to learn from, or a draw inside a likelihood."""
    law = arguments[0]
    if not isinstance(law, LawOf):
        raise checker.error(
            node, "ran needs a distribution", fix="write ran(Beta(1, 1))", kind="syntax"
        )
    if law.family in ("Beta", "Dirichlet", "Finite") or (
        law.family == "Normal" and not any(isinstance(p, Theta) for p in law.parameters)
    ):
        return Belief(law)
    return Random(law)


def require_prior(checker: Checker, node: syntax.Node, prior: Abstract) -> LawOf:
    """A public prior with parameters it can have."""
    if isinstance(prior, Belief) and prior.records is None:
        prior = prior.prior
    if not isinstance(prior, LawOf):
        raise checker.error(
            node, "prior must be a distribution", fix="write prior=Beta(1, 1)", kind="syntax"
        )
    for parameter in prior.parameters:
        if not is_public(parameter):
            raise checker.error(
                node,
                "the prior is chosen from the data",
                f"{getattr(parameter, 'why', '') or describe(parameter)}, so that the posterior "
                "moves by more than its rule says",
                "declare the prior before the data are seen: numbers, or params={…}",
                "private",
            )
    if prior.family in ("Beta", "Dirichlet"):
        for x in _numbers(prior):
            if x is None:
                raise checker.error(
                    node,
                    "the prior's parameters must be numbers or declared parameters",
                    fix="write prior=Beta(1, 1)",
                    kind="value",
                )
            checker.require_positive(node, Public(x), "a prior parameter")
    if prior.family == "Normal":
        checker.require_positive(node, prior.parameters[1], "the prior variance")
    return prior


def _numbers(prior: LawOf) -> list[Expression | None]:
    """The parameters of a Beta or a Dirichlet, where each is known."""
    if prior.family == "Beta":
        return [p.number if isinstance(p, Public) else None for p in prior.parameters]
    alpha = prior.parameters[0]
    if isinstance(alpha, Items):
        return [p.number if isinstance(p, Public) else None for p in alpha.items]
    return []


def _floor(checker: Checker, prior: LawOf) -> list[Fraction]:
    """Lower bounds of the parameters, two at least."""
    alpha = prior.parameters[0]
    if prior.family == "Dirichlet" and isinstance(alpha, Public):
        low = alpha.literal if isinstance(alpha.literal, Fraction) else Fraction(0)
        return [low, low]
    found = [checker.prover.lower_bound(x) if x is not None else None for x in _numbers(prior)]
    return [low if low is not None and low > 0 else Fraction(0) for low in found]


# ---- observing ----------------------------------------------------------------------------------


def observed_all(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """Every record is a draw of a family whose unknown has the prior."""
    family, data, given, variance = arguments
    if not isinstance(family, FamilyName) or family.family not in PRIOR_OF:
        raise checker.error(
            node,
            "observe_all needs Bernoulli, Categorical or Normal",
            fix="write observe_all(Bernoulli, data, prior=Beta(1, 1))",
            kind="syntax",
        )
    place = next((v for k, v in node.keywords if k == "prior"), node)
    prior = require_prior(checker, place, given)
    if prior.family != PRIOR_OF[family.family]:
        raise checker.error(
            place,
            f"the prior of {family.family} is {PRIOR_OF[family.family]}, not {prior.family}",
            fix=f"write prior={PRIOR_OF[family.family]}(…)",
            kind="syntax",
        )
    extra: tuple[Abstract, ...] = ()
    if family.family == "Normal":
        if not isinstance(variance, Public) or variance.sort == "nothing":
            raise checker.error(
                node,
                "observe_all(Normal, …) needs the known variance",
                fix="write variance=1",
                kind="syntax",
            )
        checker.require_positive(node, variance, "variance")
        extra = (variance,)
    likelihood = LawOf(family.family, (Theta(), *extra))
    if isinstance(data, (Public, Items)) and is_public(data):
        return Belief(LawOf(prior.family, (Public(sort="law"),)))
    if not isinstance(data, RecordList):
        data = require_records(checker, node, data)
    return _observing(checker, node, Belief(prior), likelihood, data)


def _observing(
    checker: Checker, node: syntax.Call, belief: Belief, likelihood: LawOf, data: RecordList
) -> Belief:
    """One observation of every record; the records have to be of the right kind."""
    if belief.records is not None:
        raise checker.error(
            node,
            "the records are observed twice",
            "their distance counts every observation",
            "observe them once",
        )
    item = data.item
    if likelihood.family == "Bernoulli":
        fine = isinstance(item, Private) and item.sort == "flag"
        need = "True or False"
    elif likelihood.family == "Categorical":
        fine, need = isinstance(item, Private) and item.sort in ("category", "flag"), "categories"
        alpha = belief.prior.parameters[0]
        labels = len(data.table) if data.table is not None else None
        if isinstance(alpha, Items) and labels is not None and len(alpha.items) != labels:
            raise checker.error(
                node,
                f"the prior has {len(alpha.items)} parameters for {labels} categories",
                fix="give one parameter for every category",
                kind="value",
            )
    else:
        fine, need = numeric(item) is not None, "numbers"
    if not fine:
        raise checker.error(
            node, f"{likelihood.family} observes records that are {need}", kind="syntax"
        )
    return replace(belief, likelihood=likelihood, records=data)


def observed(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """observe(likelihood, belief): the belief given that a draw of the likelihood is true."""
    likelihood, belief = arguments
    if isinstance(belief, LawOf):
        belief = Belief(require_prior(checker, node, belief))
    if isinstance(belief, Public):
        return belief
    if not isinstance(belief, Belief) or not isinstance(likelihood, Closure):
        raise checker.error(
            node,
            "observe needs a function of the unknown and a belief",
            fix="write observe(lambda r: ran(Bernoulli(r)) == d, belief)",
            kind="syntax",
        )
    if belief.prior.family == "Finite":
        return _finite(checker, node, likelihood, belief)
    found = checker.apply(node, likelihood, (Theta(),))
    if not isinstance(found, Observation):
        raise checker.error(
            node,
            f"a belief about a {belief.prior.family} learns from a draw that equals a record",
            fix="write lambda r: ran(Bernoulli(r)) == d; any test has a rule for a Finite prior",
            kind="syntax",
        )
    if PRIOR_OF.get(found.law.family) != belief.prior.family:
        raise checker.error(
            node,
            f"draws of {found.law.family} do not update a {belief.prior.family}",
            fix=f"use the prior {PRIOR_OF.get(found.law.family)}",
            kind="syntax",
        )
    if is_public(found.value):
        return belief
    records = RecordList(found.value, None, "one record")
    return _observing(checker, node, belief, found.law, records)


def folded_belief(
    checker: Checker, node: syntax.Call, step: Closure, start: Belief, data: RecordList
) -> Abstract:
    """Learn from record after record: each is observed once, in any order the same result."""
    start = replace(start, prior=require_prior(checker, node, start.prior))
    if start.prior.family == "Finite":
        return _folded_finite(checker, node, step, start, data)
    found = checker.apply(node, step, (start, data.item))
    if not isinstance(found, Belief) or found.records is None or found.likelihood is None:
        raise checker.error(
            node,
            "the step of this fold does not observe the record",
            fix="write lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, belief)",
            kind="syntax",
        )
    if found.records.item != data.item:
        raise checker.error(node, "the step observes something else than the record", kind="syntax")
    return _observing(checker, node, start, found.likelihood, data)


def inferred(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """The posterior of a belief."""
    belief = arguments[0]
    if isinstance(belief, Public):
        return belief
    if isinstance(belief, LawOf):
        belief = Belief(require_prior(checker, node, belief))
    if not isinstance(belief, Belief):
        raise checker.error(
            node,
            "infer needs a belief",
            fix="write infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))",
            kind="syntax",
        )
    if belief.records is None:
        return Public(literal=belief.prior.family, sort="law")
    return replace(belief, inferred=True)


# ---- finite beliefs -----------------------------------------------------------------------------


def _support(checker: Checker, node: syntax.Call, prior: LawOf) -> tuple[Abstract, ...]:
    values = prior.parameters[0]
    if not isinstance(values, Items) or not values.items:
        raise checker.error(
            node,
            "a Finite prior needs its values listed",
            fix="write Finite((1/4, 1/2, 3/4), (1, 1, 1))",
            kind="syntax",
        )
    return values.items


def _chance(found: Abstract) -> Expression | None:
    """P(the test holds), where it is known."""
    if isinstance(found, Public) and isinstance(found.literal, bool):
        return ONE if found.literal else ZERO
    if isinstance(found, Observation) and isinstance(found.value, Public):
        value = found.value.literal
        if found.law.family == "Bernoulli" and isinstance(value, bool):
            p = numeric(found.law.parameters[0])
            if isinstance(p, Public) and p.number is not None:
                return p.number if value else ONE - p.number
    return None


def _finite(checker: Checker, node: syntax.Call, likelihood: Closure, belief: Belief) -> Abstract:
    """A single observation of public values leaves a public belief."""
    chances = [
        _chance(checker.apply(node, likelihood, (value,)))
        for value in _support(checker, node, belief.prior)
    ]
    if checker.finite_weights is None or len(chances) != 1 or chances[0] is None:
        raise checker.error(
            node,
            "a finite belief learns in a fold over records that are few, by tests whose chance is "
            "known",
            fix="write fold(lambda belief, d: observe(lambda r: …, belief), Finite(…), data)",
            kind="syntax",
        )
    checker.finite_weights.append(chances[0])
    return belief


def _folded_finite(
    checker: Checker, node: syntax.Call, step: Closure, start: Belief, data: RecordList
) -> Abstract:
    """Each record multiplies the weight of value v by P(test | v, record)."""
    if data.table is None:
        raise checker.error(
            node,
            "a finite belief needs records that are few",
            fix="declare data=List[Bool] or List[Enum(…)]",
        )
    values = _support(checker, node, start.prior)
    rows: dict[str, list[Expression]] = {}
    for key, record in data.table:
        row = []
        for value in values:
            one = Belief(LawOf("Finite", (Items((value,)), Items((Public(ONE),)))))
            row.append(_weight(checker, node, step, one, record))
        rows[repr(key)] = row
    # a record that is replaced multiplies the weights by ρ(v); only the spread of ρ counts
    widest: Expression = ONE
    for before, after in _changes(checker, data):
        top = rows[repr(after)]
        bottom = [ONE] * len(values) if before is None else rows[repr(before)]
        if any(x.value is None for x in (*top, *bottom)):
            raise checker.error(
                node, "the chances of a finite belief must be numbers", kind="value"
            )
        if any(x == ZERO for x in (*top, *bottom)):
            return replace(start, records=data, factors=(ZERO, ONE))
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
    checker: Checker, node: syntax.Call, step: Closure, one: Belief, record: Abstract
) -> Expression:
    """What a step multiplies the weight of the only value by."""
    checker.finite_weights = []
    checker.apply(node, step, (one, record))
    result = ONE
    for chance in checker.finite_weights:
        result = result * chance
    checker.finite_weights = None
    return result


# ---- what can be asked of a posterior -----------------------------------------------------------


def require_posterior(checker: Checker, node: syntax.Call, value: Abstract) -> Belief | Public:
    """A posterior, private or public."""
    if isinstance(value, Public) and value.sort in ("law", "number", "list"):
        return value
    if isinstance(value, LawOf) and is_public(value):
        return Public(sort="law")
    if isinstance(value, Belief) and value.inferred:
        return value
    if isinstance(value, Belief):
        raise checker.error(
            node, f"{node.name} needs a posterior", fix="write infer(…) around it", kind="syntax"
        )
    raise checker.error(
        node, f"{node.name} needs a posterior, got {describe(value)}", kind="syntax"
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
    keys = _categories(posterior)
    if keys is None:
        return Vector(checker.everywhere(total), checker.everywhere(total), why, ONE)
    columns = []
    for key in keys:
        moves = tuple(
            ONE
            if not s.listed
            or key in (_category(posterior, s.before), _category(posterior, s.after))
            else ZERO
            for s in checker.scenarios
        )
        if any(not s.listed for s in checker.scenarios):
            moves = checker.everywhere(ONE)
        columns.append(Private(moves, f"{why}", ONE))
    exact = all(s.listed for s in checker.scenarios)
    sums = tuple(
        _sum([c.distances[i] for c in columns if c.distances is not None])
        for i in range(len(checker.scenarios))
    )
    l1 = tuple(symbolic.least(total, s) for s in sums) if exact else checker.everywhere(total)
    return Vector(l1, l1, why, ONE, tuple(columns))


def _sum(parts: list[Expression]) -> Expression:
    result = ZERO
    for part in parts:
        result = result + part
    return result


def _categories(posterior: Belief) -> list[str] | None:
    """What is counted, by parameter: True then False for a Beta."""
    records = posterior.records
    assert records is not None
    if posterior.prior.family == "Beta":
        return [repr(True), repr(False)]
    if records.table is None:
        return None
    return list(dict.fromkeys(_key(value) for _, value in records.table))


def _key(value: Abstract) -> str:
    return repr(value.literal) if isinstance(value, Public) else "?"


def _category(posterior: Belief, record: object) -> str | None:
    """Which parameter a record adds to."""
    records = posterior.records
    if record is None or records is None:
        return None
    if records.table is None:
        return repr(record)
    for key, value in records.table:
        if repr(key) == repr(record):
            return _key(value)
    return None


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
    why = f"records lie in an interval of width {width}: (U - L)*V/(v + n*V)"
    return Private(checker.everywhere(move), why)


def distance(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """Of the posterior to a public distribution.

    By the triangle inequality it moves by at most the distance of the neighbouring posteriors.
    """
    posterior, other = require_posterior(checker, node, arguments[0]), arguments[1]
    if not is_public(other):
        raise checker.error(
            node, f"{node.name} compares with a public distribution", kind="private"
        )
    if isinstance(posterior, Public):
        return Public()
    if node.name == "kl":
        return checker.unbounded(
            node,
            "KL is no metric: the score may move by more than the posteriors' KL, so it",
            "use hellinger or total_variation",
        )
    found = moved(checker, posterior, node.name)
    if found is None:
        return Private(
            None,
            reason="records are any real numbers: one may move the posterior by any amount",
            fix=CLIP,
            origin=node.span,
        )
    why = f"neighbouring posteriors are at most {found} apart ({_NAMES[node.name]})"
    return Private(checker.everywhere(found), why, None, ZERO, ONE)


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
    exact = all(x is not None and x.value is not None for x in _numbers(posterior.prior))
    if length is not None and exact and min(low) > 0:
        return distances.at_length(kind, tuple(low), int(length))
    return distances.beta_move(kind, *sorted(low)[:2])


def describe_moves(checker: Checker, posterior: Belief) -> str:
    """How far one record moves a posterior, in all distances that have a bound."""
    if not posterior.inferred or posterior.records is None:
        return ""
    found = [(kind, moved(checker, posterior, kind)) for kind in distances.KINDS]
    parts = [
        f"{_NAMES[kind]} {distance}"
        for kind, distance in found
        if distance is not None and (kind == "kl" or distance != ONE)  # which says nothing
    ]
    return f"; one record moves it by {', '.join(parts)} at most" if parts else ""
