"""What a spec lists is what its function takes."""

from __future__ import annotations

import inspect

import pytest

from discreet.core import Deferred, Family, families

KINDS = ("DirichletMultinomial", "BayesNet", "NormalMean", "LinearRegression")


def found(kind: str) -> Family:
    family = families.find(kind)
    assert family is not None
    return family


@pytest.mark.parametrize("kind", KINDS)
def test_options_and_defaults_are_those_of_the_function(kind: str) -> None:
    for spec in found(kind).specs:
        assert isinstance(spec.make, Deferred)
        taken = inspect.signature(spec.make.load()).parameters.values()
        defaults = {p.name: p.default for p in taken if p.kind is p.KEYWORD_ONLY}
        assert ("adjacency" in defaults) == (len(spec.adjacencies) > 1), spec.name
        for name in ("adjacency", "calibrate"):  # which `dp.mechanism` gives
            defaults.pop(name, None)
        assert {option.name: option.default for option in spec.options} == defaults, spec.name


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_deferred_can_be_loaded(kind: str) -> None:
    family = found(kind)
    for part in (family, *family.specs):
        for value in vars(part).values():
            if isinstance(value, Deferred):
                assert callable(value.load())
