"""Rules of beliefs: priors, observe, observe_all, fold, infer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from discreet.programs import declared, syntax
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
    is_public,
    is_public_list,
    is_releasable,
    numeric,
)
from discreet.programs.describing import describe
from discreet.programs.families import PRIOR_OF, label_key
from discreet.programs.finite import folded_finite, observed_finite, outside
from discreet.programs.listing import pure, pure_public, require_records
from discreet.programs.symbolic import Expression

if TYPE_CHECKING:
    from discreet.programs.expressions import Expressions as Checker

Arguments = tuple[Abstract, ...]


# ---- priors -------------------------------------------------------------------------------------


def public_vector(kind: declared.Many) -> Public:
    """A vector of parameters; what is known is the kind of its entries."""
    return Public(sort="vector", note=kind.item)


def numbers_of(prior: LawOf) -> list[Expression | None]:
    """The parameters of a Beta or a Dirichlet, where they are listed."""
    if prior.family == "Beta":
        return [p.number if isinstance(p, Public) else None for p in prior.parameters]
    alpha = prior.parameters[0]
    if isinstance(alpha, Items):
        return [p.number if isinstance(p, Public) else None for p in alpha.items]
    return []


def require_prior(checker: Checker, node: syntax.Node, prior: Abstract) -> LawOf:
    """A public prior with parameters it can have."""
    if isinstance(prior, Belief) and prior.records is None and prior.token is None:
        prior = prior.prior
    if not isinstance(prior, LawOf) or prior.family in ("Bernoulli", "Categorical"):
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
        _require_parameters(checker, node, prior)
    elif prior.family == "Normal":
        if numeric(prior.parameters[0]) is None:
            raise checker.error(node, "the prior mean must be a number", kind="value")
        checker.require_positive(node, prior.parameters[1], "the prior variance")
    else:
        _require_weights(checker, node, prior)
    return prior


def _require_parameters(checker: Checker, node: syntax.Node, prior: LawOf) -> None:
    alpha = prior.parameters[0]
    kind = alpha.note if isinstance(alpha, Public) and alpha.sort == "vector" else None
    if isinstance(kind, declared.Number) and kind.positive:
        return
    found = numbers_of(prior)
    if len(found) < 2 or None in found:
        raise checker.error(
            node,
            "the prior's parameters must be numbers or declared parameters, two at least",
            fix="write prior=Beta(1, 1)",
            kind="value",
        )
    for x in found:
        checker.require_positive(node, Public(x), "a prior parameter")


def _require_weights(checker: Checker, node: syntax.Node, prior: LawOf) -> None:
    values, weights = prior.parameters
    if (
        not isinstance(values, Items)
        or not isinstance(weights, Items)
        or len(values.items) != len(weights.items)
        or not values.items
        or not is_releasable(values)
    ):
        raise checker.error(
            node,
            "a Finite prior needs its values listed, and as many weights",
            fix="write Finite((1/4, 1/2, 3/4), (1, 1, 1))",
            kind="value",
        )
    for weight in weights.items:
        checker.require_positive(node, weight, "a weight")


# ---- observing ----------------------------------------------------------------------------------


def drawn(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """ran(law): a prior to learn from, or a draw inside a likelihood."""
    law = arguments[0]
    if not isinstance(law, LawOf):
        raise checker.error(
            node, "ran needs a distribution", fix="write ran(Beta(1, 1))", kind="syntax"
        )
    inside = any(isinstance(parameter, Theta) for parameter in law.parameters)
    if inside or law.family in ("Bernoulli", "Categorical"):
        return Random(law)
    return Belief(require_prior(checker, node, law))


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
    place = node.arguments[2]
    prior = require_prior(checker, place, given)
    if prior.family != PRIOR_OF[family.family]:
        raise checker.error(
            place,
            f"the prior of {family.family} is {PRIOR_OF[family.family]}, not {prior.family}",
            fix="fold over it: fold(lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, "
            "belief), ran(Finite(…)), data)"
            if prior.family == "Finite"
            else f"write prior={PRIOR_OF[family.family]}(…)",
            kind="syntax",
        )
    parameters: tuple[Abstract, ...] = (Theta(),)
    if family.family == "Normal":
        if isinstance(variance, Public) and variance.sort == "nothing":
            raise checker.error(
                node,
                "observe_all(Normal, …) needs the known variance",
                fix="write variance=1",
                kind="syntax",
            )
        checker.require_positive(node.arguments[3], variance, "variance")
        parameters += (variance,)
    if is_public_list(data):
        return Public(sort="law", note=prior.family)
    records = require_records(checker, node, data)
    return _observing(checker, node, Belief(prior), LawOf(family.family, parameters), records)


def _observing(
    checker: Checker, node: syntax.Call, belief: Belief, likelihood: LawOf, data: RecordList
) -> Belief:
    """One observation of every record; the records have to be of the right kind."""
    item = data.item
    if likelihood.family == "Bernoulli":
        fine = isinstance(item, Private) and item.sort == "flag"
        need = "True or False"
    elif likelihood.family == "Categorical":
        fine = isinstance(item, Private) and item.sort in ("category", "flag")
        need = "categories"
        _require_categories(checker, node, belief.prior, data)
    else:
        fine, need = isinstance(numeric(item), Private), "numbers"
    if not fine:
        raise checker.error(
            node, f"{likelihood.family} observes records that are {need}", kind="syntax"
        )
    return replace(belief, likelihood=likelihood, records=data)


def category_keys(data: RecordList) -> list[Any] | None:
    """What every record there can be is counted as; None where that is not known."""
    if data.table is None:
        return None
    keys = []
    for _, value in data.table:
        if not isinstance(value, Public) or value.literal is None:
            return None
        keys.append(label_key(value.literal))
    return keys


def _require_categories(
    checker: Checker, node: syntax.Call, prior: LawOf, data: RecordList
) -> None:
    """One parameter for every category, where both are known."""
    alpha, keys = prior.parameters[0], category_keys(data)
    if data.unlisted and isinstance(alpha, Public):
        return  # whole numbers below the length of the prior, which the run makes sure of
    if data.table is None:
        raise checker.error(
            node,
            "records of any number of categories need a prior that is a declared vector",
            fix='declare params={"alpha": Vector(Pos)}, or list the labels: Enum("a", "b")',
            kind="value",
        )
    if keys is None:
        raise checker.error(
            node,
            "it is not known which categories the records have",
            fix="let the function of the record give one of listed labels",
            kind="value",
        )
    count = len(dict.fromkeys(keys))
    if not isinstance(alpha, Items) or len(alpha.items) != count:
        raise checker.error(
            node,
            f"the prior needs {count} parameters, one for every category",
            fix=f"write Dirichlet(({', '.join(['1'] * count)}))",
            kind="value",
        )


def observed(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """observe(likelihood, belief): the belief given that a draw of the likelihood is true."""
    likelihood, belief = arguments
    if isinstance(belief, LawOf):
        belief = Belief(require_prior(checker, node, belief))
    known = isinstance(belief, Belief) or (isinstance(belief, Public) and belief.sort == "law")
    if isinstance(likelihood, Closure) and isinstance(belief, (Private, Items)):
        raise checker.error(
            node,
            "observe needs a belief as its second argument, and this is a record",
            "fold calls its function with the belief first and the record second",
            "write lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, belief)",
            "syntax",
        )
    if not isinstance(likelihood, Closure) or not known:
        raise checker.error(
            node,
            "observe needs a function of the unknown and a belief",
            fix="write observe(lambda r: ran(Bernoulli(r)) == d, belief)",
            kind="syntax",
        )
    assert isinstance(belief, (Public, Belief))
    if isinstance(belief, Belief) and belief.token is None and not is_public(belief):
        raise checker.error(
            node,
            "the records are observed already",
            "another observation would have to be counted with them",
            "put what is public into the prior: Beta(2, 1) has seen one True",
        )
    family = belief.prior.family if isinstance(belief, Belief) else belief.note
    if family == "Finite":
        return observed_finite(checker, node, likelihood, belief)
    found = pure(checker, node, likelihood, (Theta(),))
    if not isinstance(found, Observation) or PRIOR_OF.get(found.law.family) != family:
        raise checker.error(
            node,
            f"a belief about a {family} learns from a draw of its own kind that equals a record",
            fix="write lambda r: ran(Bernoulli(r)) == d; any test has a rule for a Finite prior",
            kind="syntax",
        )
    if not isinstance(found.law.parameters[0], Theta):
        raise checker.error(
            node,
            "the draw has to be of the unknown itself",
            fix="write ran(Bernoulli(r)) with the function's argument r",
            kind="syntax",
        )
    if found.law.family == "Normal":
        checker.require_positive(node, found.law.parameters[1], "the variance of the draw")
    if isinstance(belief, Belief) and belief.token is not None:
        return _in_hand(checker, node, belief, found)
    if not is_releasable(found.value):
        raise outside(checker, node)
    return Public(sort="law", note=family)


def _in_hand(checker: Checker, node: syntax.Call, belief: Belief, found: Observation) -> Abstract:
    """The state of a fold learns from its record, once."""
    value = found.value
    own = (belief.token, value.token if isinstance(value, Private) else None)
    if own != checker.folding or belief.records is not None:
        raise checker.error(
            node,
            "the step of a fold observes its record once, as it is",
            "its distance is that of one observation of every record",
            "write lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, belief); change "
            "records before, by map(f, data)",
        )
    return replace(belief, likelihood=found.law, records=RecordList(value))


def folded_public(
    checker: Checker, node: syntax.Call, step: Closure, start: Public | Belief
) -> Abstract:
    """Over a public list: public, whatever the step does with public values."""
    if isinstance(start, Public):
        pure_public(checker, node, step, (Public(), Public()))
        return Public()
    family = require_prior(checker, node, start).family
    state = Public(sort="law", note=family)
    pure_public(checker, node, step, (state, Public()))
    return state


def folded_belief(
    checker: Checker, node: syntax.Call, step: Closure, start: Belief, data: RecordList
) -> Abstract:
    """Learn from record after record: each is observed once, in any order with the same result."""
    start = Belief(require_prior(checker, node, start))
    if start.prior.family == "Finite":
        return folded_finite(checker, node, step, start, data)
    if not isinstance(data.item, Private):
        raise checker.error(
            node,
            "a fold that learns needs records of one value",
            fix="take it out first: map(lambda r: r[0], data)",
            kind="syntax",
        )
    outer, checker.folding = checker.folding, (checker.identity(), checker.identity())
    state = replace(start, token=checker.folding[0])
    record = replace(data.item, token=checker.folding[1])
    found = pure(checker, node, step, (state, record))
    checker.folding = outer
    fine = isinstance(found, Belief) and found.token == state.token and found.records is not None
    if not fine or not isinstance(found, Belief) or found.likelihood is None:
        raise checker.error(
            node,
            "the step of this fold does not return its belief after observing the record",
            fix="write lambda belief, d: observe(lambda r: ran(Bernoulli(r)) == d, belief)",
            kind="syntax",
        )
    if found.likelihood.family == "Categorical" and not data.unlisted:
        raise checker.error(
            node,
            "a fold learns from labels by observe_all only",
            fix="write observe_all(Categorical, data, prior=Dirichlet(…))",
            kind="syntax",
        )
    return _observing(checker, node, start, found.likelihood, data)


def inferred(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    """The posterior of a belief."""
    belief = arguments[0]
    if isinstance(belief, Public) and belief.sort == "law":
        return belief
    if isinstance(belief, LawOf):
        belief = Belief(require_prior(checker, node, belief))
    if not isinstance(belief, Belief) or belief.token is not None:
        raise checker.error(
            node,
            "infer needs a belief",
            fix="write infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))",
            kind="syntax",
        )
    if belief.records is None:
        return Public(sort="law", note=require_prior(checker, node, belief).family)
    return replace(belief, inferred=True)
