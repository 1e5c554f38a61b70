from __future__ import annotations

import doctest
from importlib import import_module

import pytest

import discreet as dp


def test_every_public_name_loads_and_is_documented() -> None:
    for name in dp.__all__:
        value = getattr(dp, name)
        if callable(value):
            assert value.__doc__, name
    assert set(dp.__all__) == set(dir(dp))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        dp.nonsense  # noqa: B018


def test_package_docstring() -> None:
    for room in ("discreet", "discreet.core.families", "discreet.releases.releasing"):
        result = doctest.testmod(import_module(room))
        assert result.attempted > 0
        assert result.failed == 0
