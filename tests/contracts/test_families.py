"""The public contract, `discreet.testing.check_family`, on our families; and that it can fail."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import discreet as dp
from discreet.core import Deferred, Family, Law, Option, families
from discreet.core.statistics import Statistics
from discreet.exact import balls
from discreet.families.normal import FAMILY as MEAN
from discreet.laws.noise import NoiseLaw
from discreet.testing import Check, check_family, checks
from discreet.testing.families import writes_and_reads_its_models
from tests.specs import KINDS, found

# of networks; and draws of regressions
SLOW = ("posterior_sample", "map", "laplace_updates, add-remove", "2: draws from", "2: noise is")


def contract() -> list[Any]:
    listed = [check for kind in KINDS for check in checks(found(kind))]
    slow = [any(word in check.name for word in SLOW) for check in listed]
    return [
        pytest.param(check, id=check.name, marks=[pytest.mark.slow] * late)
        for check, late in zip(listed, slow, strict=True)
    ]


@pytest.mark.parametrize("check", contract())
def test_contract(check: Check) -> None:
    check()


def broken(make: Any, **changes: Any) -> Family:
    """Means with one mechanism, which is made otherwise."""
    spec = replace(MEAN.spec("laplace"), **({"make": make, "options": ()} | changes))
    return replace(MEAN, specs=(spec,))


class Shifted(NoiseLaw):
    """Draws one more than the law says."""

    def _draw(self, size: int, source: Any) -> Any:
        return super()._draw(size, source) + 1


def _shifted(law: Any, values: tuple[int, ...]) -> Law:
    noise = law(values)
    return Shifted(noise.center, noise.rate, noise.shape)


def _laplace(*given: Any, **options: Any) -> dp.Mechanism:
    return MEAN.spec("laplace").make(*given, **options)  # type: ignore[no-any-return]


def draws_of_another_law(model: Any, n: Any, epsilon: Any, *, adjacency: Any = "substitute") -> Any:
    made = _laplace(model, n, epsilon, adjacency=adjacency)
    return replace(made, make_raw_law=partial(_shifted, made.make_raw_law))


def half_the_noise(model: Any, n: Any, epsilon: Any, *, adjacency: Any = "substitute") -> Any:
    made, loud = (_laplace(model, n, e, adjacency=adjacency) for e in (epsilon, 2 * epsilon))
    return replace(made, make_raw_law=loud.make_raw_law)


def says_nothing_of_epsilon(
    model: Any, n: Any, epsilon: Any, *, adjacency: Any = "substitute"
) -> Any:
    made = _laplace(model, n, epsilon, adjacency=adjacency)
    return replace(
        made, make_raw_law=_laplace(model, n, Fraction(1), adjacency=adjacency).make_raw_law
    )


def promises_more(model: Any, n: Any, epsilon: Any, *, adjacency: Any = "substitute") -> Any:
    made = _laplace(model, n, epsilon, adjacency=adjacency)
    return replace(made, guarantee=replace(made.guarantee, epsilon=2 * epsilon))


def cannot_be_pickled(model: Any, n: Any, epsilon: Any, *, adjacency: Any = "substitute") -> Any:
    made = _laplace(model, n, epsilon, adjacency=adjacency)
    return replace(made, make_raw_law=lambda values: made.make_raw_law(values))


class Repeated(NoiseLaw):
    """Draws the same noise for every release, unless it is given a seed."""

    def _draw(self, size: int, source: Any) -> Any:
        seed = np.random.default_rng(3).bytes if source is os.urandom else source
        return super()._draw(size, seed)


class Halved(NoiseLaw):
    """Says half of every probability."""

    @property
    def log_normaliser(self) -> float:
        return math.log(2)

    def log_total(self) -> Any:
        return balls.ball(2).log()


class Doubled(NoiseLaw):
    """Tells an auditor another total than anybody else."""

    def log_total(self) -> Any:
        return balls.ball(2).log()


def _another(kind: type[NoiseLaw], law: Any, values: tuple[int, ...]) -> Law:
    noise = law(values)
    return kind(noise.center, noise.rate, noise.shape)


def with_laws_of(kind: type[NoiseLaw]) -> Any:
    def make(model: Any, n: Any, epsilon: Any, *, adjacency: Any = "substitute") -> Any:
        made = _laplace(model, n, epsilon, adjacency=adjacency)
        return replace(made, make_raw_law=partial(_another, kind, made.make_raw_law))

    return make


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A family in the place of ours, for a test."""

    def put(family: Family) -> Family:
        monkeypatch.setitem(families._loaded, family.kind, family)
        return family

    return put


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (draws_of_another_law, "the sampler must draw from the law"),
        (half_the_noise, "it loses 2, more than 1"),
        (says_nothing_of_epsilon, "the law must change with epsilon"),
        (promises_more, "make must prove at most the epsilon asked for"),
        (cannot_be_pickled, "is a value: .*pickle"),
        (with_laws_of(Repeated), "two releases must not have the same noise"),
        (with_laws_of(Halved), "the probabilities of a law must sum to 1"),
        (with_laws_of(Doubled), "log_total must be log_normaliser"),
    ],
)
def test_a_broken_mechanism_is_found_out(make: Any, said: str, registered: Any) -> None:
    family = registered(broken(make))
    with pytest.raises(AssertionError, match=said):
        check_family(family)


def test_a_broken_family_is_found_out(registered: Any) -> None:
    first = MEAN.examples()[0]
    empty = first._replace(data=(0, 0))
    spec = MEAN.spec("laplace")
    alone = broken(spec.make, options=spec.options)
    for family, said in (
        (replace(alone, examples=lambda: (empty,)), "an example must have records"),
        (replace(alone, examples=lambda: ()), "examples must return at least one"),
        (broken(spec.make, options=MEAN.spec("gaussian").options), "options of laplace"),
        (broken(spec.make, posterior=spec.make), "has posteriors"),
        (replace(alone, read=lambda document: None), "writes and reads its models"),
        (replace(alone, summary=lambda *_, **__: "nothing"), "can be shown"),
    ):
        with pytest.raises(AssertionError, match=said):
            check_family(registered(family))


@dataclass(frozen=True)
class Shown(Statistics):
    """Sums that are printed with their values."""

    def __repr__(self) -> str:
        return f"Shown({self.values})"


class Anybody(dp.NormalMean):
    """A model that takes every vector for three records."""

    def n_records(self, values: Any) -> int:
        return 3


class Settled(dp.NormalMean):
    """A model that has a setting."""

    def __init__(self, prior_mean: Any = 1) -> None:
        super().__init__(prior_mean, bounds=(0, 10))


def test_a_careless_model_is_found_out(registered: Any) -> None:
    first = MEAN.examples()[0]
    shown = Shown(**{field.name: getattr(first.data, field.name) for field in fields(first.data)})
    anybody = Anybody(5, 4, 9, (0, 10), grid=3)
    spec = MEAN.spec("laplace")
    alone = broken(spec.make, options=spec.options)
    for example, said in (
        (first._replace(data=shown), "counts must not show their values"),
        (first._replace(model=anybody), "n_records must be the number of these very records"),
    ):
        with pytest.raises(AssertionError, match=said):
            check_family(registered(replace(alone, examples=partial(tuple, [example]))))


def test_a_document_that_forgets_a_setting_is_found_out() -> None:
    own = replace(
        MEAN,
        model=Deferred(f"{__name__}:Settled"),
        settings=(Option("prior_mean", "number", 1, "Of the mean."),),
        examples=lambda: (),
    )
    told = replace(own, read=lambda d: Settled(Fraction(d["model"]["prior_mean"])))
    writes_and_reads_its_models(told)
    with pytest.raises(AssertionError, match="document of a model must have its prior_mean"):
        writes_and_reads_its_models(replace(own, read=lambda document: Settled()))


def test_without_assertions_nothing_is_checked() -> None:
    code = (
        "from discreet.families.normal import FAMILY; from discreet.testing import check_family; "
        "check_family(FAMILY)"
    )
    found = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert "family cannot be checked under python -O" in found.stderr


def test_what_is_no_family_is_refused() -> None:
    with pytest.raises(dp.InputError, match="family must be a Family, got str"):
        check_family("NormalMean")  # type: ignore[arg-type]
    with pytest.raises(dp.InputError, match="family must have examples"):
        check_family(found("Program"))
