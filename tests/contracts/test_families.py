"""The public contract, `discreet.testing.check_family`, on our families; and that it can fail."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import discreet as dp
from discreet.core import Family, Law, families
from discreet.families.normal import FAMILY as MEAN
from discreet.laws.noise import NoiseLaw
from discreet.testing import Check, check_family, checks
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
