"""Rules for a mechanism: its law, its sampler, its guarantee."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from discreet.auditing import audit
from discreet.core import Adjacency, Law, Mechanism
from discreet.core.statistics import Statistics
from discreet.errors import InputError, NotEnumerable
from discreet.exact import balls
from discreet.testing.cases import EPSILON, Case
from discreet.testing.sampling import FALSE_ALARM, LIMIT, apart, drawn, log_p

LOUDER = (8, 64, 512, 4096)
FEW = 100  # draws


def states_what_it_promises(case: Case) -> None:
    """A guarantee for the adjacency asked for, with its basis, of at most the ε asked for."""
    made = case.make()
    guarantee = made.guarantee
    assert made.name == case.spec.name
    assert made.config.adjacency is guarantee.adjacency is case.adjacency
    assert (guarantee.basis is not None) == guarantee.private, "a guarantee must have a basis"
    if guarantee.private:
        assert 0 < guarantee.epsilon <= EPSILON, "make must prove at most the epsilon asked for"
        assert 0 <= guarantee.delta < 1
    assert made.name in repr(made)


def is_a_value(case: Case) -> None:
    """Made twice it is equal, and pickled too; its options are resolved and lead back to it."""
    made = case.make()
    assert case.make() == made
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - our own
    taken = {option.name for option in case.spec.taken} | {"adjacency"}
    assert dict(made.config.options).keys() <= taken, "config must have only options of the spec"
    assert case.make(**dict(made.config.options)) == made


def is_made_again_from_what_is_stored(case: Case) -> None:
    """The options in its config alone lead to the same law: a document has nothing else."""
    made = case.make()
    again = case.stored(made)
    data = case.example.data
    first, second = made.raw_law(data), again.raw_law(data)
    if _unlisted(first):
        return
    for row in drawn(first, 1)[:50].tolist():
        z = tuple(map(int, row))
        near = abs(log_p(first, z) - log_p(second, z)) < 1e-9
        assert near, "the options in config must lead to the same law"


def noise_is_drawn_without_a_seed(case: Case) -> None:
    """What a release draws fits the law as the draws of a simulation do."""
    law = case.make().raw_law(case.example.data)
    if _unlisted(law):
        return
    for factor in LOUDER:
        louder = case.make(EPSILON * factor).raw_law(case.example.data)
        if apart(law, louder, drawn(louder, 1), drawn(louder, 2)) > LIMIT:
            ours, others = drawn(law, None), drawn(louder, None)
            near = apart(law, louder, ours, others) <= LIMIT
            assert near, "without a seed the sampler must draw from the law too"
            first, second = law.sample(FEW), law.sample(FEW)
            if math.fsum(log_p(law, tuple(row)) for row in first.tolist()) < math.log(FALSE_ALARM):
                assert (first != second).any(), "two releases must not have the same noise"
            return


def refuses_what_was_read_otherwise(case: Case) -> None:
    """Statistics of other bounds, or grids, are not those that the sensitivity is about."""
    data = case.example.data
    if isinstance(data, Statistics):
        other = replace(data, reading=("another", 4711))
        text = _refused("", lambda: case.make().raw_law(other))
        assert not any(str(value) in text for value in data.values if abs(value) > 9), (
            "an error must not have a private value"
        )


def draws_from_its_law(case: Case) -> None:
    """Draws fit the law, and do not fit that of a larger ε.

    The draws of every law are compared with those of a wrong one, by `sampling.apart`; and are then
    taken for draws of the wrong one, which has to be found out.
    """
    made = case.make()
    law = made.raw_law(case.example.data)
    assert law.dimension == len(law.sample())
    if _unlisted(law):
        return
    with suppress(NotEnumerable), balls.precision(balls.PRECISION):
        total = float(law.log_total().mid())
        assert abs(total - law.log_normaliser) < 1e-6 * (1 + abs(total)), (
            "log_total must be log_normaliser"
        )
    for factor in LOUDER:
        louder = case.make(EPSILON * factor).raw_law(case.example.data)
        ours, others = drawn(law, 1), drawn(louder, 2)
        assert apart(law, louder, ours, others) <= LIMIT, "the sampler must draw from the law"
        some = set(map(tuple, others.tolist()))  # not chosen by the draws that are counted
        share = np.mean([tuple(row) in some for row in ours.tolist()])
        expected = math.fsum(math.exp(log_p(law, row)) for row in some)
        assert abs(share - expected) <= LIMIT, "the probabilities of a law must sum to 1"
        if apart(law, louder, others, others) > LIMIT:
            return
    raise AssertionError("the law must change with epsilon: no larger one was told from it")


def releases_by_its_law(case: Case) -> None:
    """Raw draws, post-processed, fit the law of what is released, and not that of a larger ε."""
    made = case.make()
    law = made.law(case.example.data)
    if made.make_law is made.make_raw_law or _unlisted(law):
        return
    raw = drawn(made.raw_law(case.example.data), 1)
    ours = np.array([made.postprocess(row) for row in raw])
    for factor in LOUDER:
        louder = case.make(EPSILON * factor).law(case.example.data)
        others = drawn(louder, 2)
        fits = apart(law, louder, ours, others) <= LIMIT
        assert fits, "law must be the raw law after post-processing"
        if apart(law, louder, others, others) > LIMIT:
            return


def keeps_to_its_curve(case: Case) -> None:
    """The exact δ(ε) of neighbours is nowhere above the curve of the guarantee, nor D_α above ρα.

    Of laws that list all outcomes, for counts of categories.
    """
    made = case.make()
    known, law = made.guarantee.known, made.law(case.example.data)
    if known is None or law.candidates is None or not hasattr(case.model, "categories"):
        return
    here = np.exp(law.log_p)
    for neighbour in _neighbours(case):
        there = np.exp(made.law(neighbour).log_p)
        both = (here > 0) & (there > 0)
        for epsilon in (0.0, 0.2, 0.6):
            delta = np.maximum(here - math.exp(epsilon) * there, 0).sum()
            assert delta <= float(made.guarantee.delta_at(epsilon)) + 1e-9, "delta_at is too small"
        for alpha in (1.01, 2.0, 9.0):
            moments = here[both] ** alpha * there[both] ** (1 - alpha)
            divergence = math.log(moments.sum()) / (alpha - 1)
            assert divergence <= alpha * made.guarantee.rho + 1e-9, "rho is too small"


def _neighbours(case: Case) -> list[tuple[int, ...]]:
    """Counts in which one record of the example is another."""
    counts = case.vector
    found = []
    for i, j in itertools.permutations(range(len(counts)), 2):
        if counts[i] and case.adjacency is Adjacency.SUBSTITUTE:
            moved = list(counts)
            moved[i] -= 1
            moved[j] += 1
            found.append(tuple(moved))
    return found


def _unlisted(law: Law) -> bool:
    """Whether its probabilities are not known: of continuous draws that are rejected."""
    try:
        law.log_weight(law.sample())
    except (NotEnumerable, NotImplementedError):
        return True
    return False


def loses_no_more_than_it_promises(case: Case) -> None:
    """The exact loss of neighbouring data is at most ε; a louder mechanism is found out."""
    made = case.make()
    if not made.guarantee.private:
        return
    found = _loss(case, made)
    if found is None:
        return
    lower, upper = found
    claimed = float(made.guarantee.epsilon)
    assert lower <= upper <= claimed * (1 + 1e-9), f"it loses {upper:.6g}, more than {claimed:g}"
    for factor in LOUDER:
        louder = case.make(EPSILON * factor)
        wrong = replace(made, make_raw_law=louder.make_raw_law, make_law=louder.make_law)
        worse = _loss(case, wrong)
        if worse is None or worse[0] > claimed:
            return
    raise AssertionError("an audit must read the law: it did not notice louder ones")


def _loss(case: Case, made: Mechanism) -> tuple[float, float] | None:
    """Bounds on the loss; None where outputs are without end."""
    total = None
    try:
        try:
            found = audit(made)
        except InputError as error:
            if error.argument != "total":
                raise
            total = case.n_records
            found = audit(made, total)
    except NotEnumerable:
        return None
    except InputError:
        if case.adjacency is Adjacency.SUBSTITUTE:
            raise
        return None  # of some, only those with a public n
    return found.epsilon_lower, found.epsilon


def can_be_calibrated(case: Case) -> None:
    """Where it can, the audited loss of the result is at most ε."""
    made = case.make(calibrate=True)
    assert made.guarantee.private
    assert made.guarantee.epsilon <= EPSILON


def says_what_error_to_expect(case: Case) -> None:
    """Its `error` is a number that a larger ε makes smaller: what `dp.plan` looks for."""
    found = case.make().expected_error(1000)
    assert str(found), "an expected error must print"
    assert math.isfinite(found.error)
    less = case.make(EPSILON * LOUDER[0]).expected_error(1000).error
    assert 0 <= less < found.error, "a larger epsilon must have a smaller error"


def refuses_what_is_wrong(case: Case) -> None:
    """Wrong settings, counts and outputs, in a sentence that names the argument."""
    for epsilon in (0, -1, math.nan, math.inf, "1", True, None, 1e-12):
        _refused("epsilon", lambda epsilon=epsilon: case.make(epsilon))
    for n in (-1, 2.5, "6", True, 2**70, 6 if case.public_n is None else None):
        _refused("n", lambda n=n: case.make(n=n))
    _refused("colour", lambda: case.make(colour="red"))
    for adjacency in Adjacency:
        if adjacency not in case.spec.adjacencies:
            _refused("adjacency", lambda a=adjacency: case.make(adjacency=a))
    _refused("adjacency", lambda: case.make(adjacency="both"))
    made = case.make()
    for counts in ("abc", None, 7, {"secret 4711": 1}, (1.5, "4711"), ("secret 4711",)):
        text = _refused("", lambda counts=counts: made.law(counts))
        assert "4711" not in text, "an error must not have a private value"
    for raw in ((1.5,), (), None, "abc", (2**70,)):
        _refused("raw", lambda raw=raw: made.postprocess(raw))


def _refused(argument: str, call: object) -> str:
    assert callable(call)
    found = None
    try:
        call()
    except InputError as error:
        found = error
    assert found is not None, f"{argument or 'counts'} that is wrong must be refused"
    assert found.argument == argument or argument in str(found), (
        f"the error must name {argument!r}, it says {found}"
    )
    return str(found)


RULES = (
    states_what_it_promises,
    is_a_value,
    is_made_again_from_what_is_stored,
    draws_from_its_law,
    releases_by_its_law,
    keeps_to_its_curve,
    noise_is_drawn_without_a_seed,
    loses_no_more_than_it_promises,
    can_be_calibrated,
    says_what_error_to_expect,
    refuses_what_is_wrong,
    refuses_what_was_read_otherwise,
)

# what a mechanism must be able to do for a rule to be about it
ABOUT: dict[Callable[..., None], str] = {
    loses_no_more_than_it_promises: "audit",
    can_be_calibrated: "calibrate",
    says_what_error_to_expect: "expected_error",
}
