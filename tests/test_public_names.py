from __future__ import annotations

import doctest
import inspect
import re
from typing import Any

import pytest

import discreet as dp
from discreet import testing


def test_every_public_name_loads_and_is_documented() -> None:
    for name in dp.__all__:
        value = getattr(dp, name)
        if callable(value):
            assert value.__doc__, name
    assert set(dp.__all__) == set(dir(dp))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        dp.nonsense  # noqa: B018


@pytest.mark.parametrize("name", ["bounds", "network_bounds", "smoothness"])
def test_modules_that_moved_are_found_where_they_were(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"discreet.{name} is discreet\.families\."):
        assert inspect.ismodule(getattr(dp, name))


def documented() -> dict[str, Any]:
    """The public functions and classes, but for exceptions."""
    values = {name: getattr(dp, name) for name in dp.__all__}
    values |= {name: getattr(testing, name) for name in ("check_family", "checks")}
    return {
        name: value
        for name, value in values.items()
        if callable(value) and not (isinstance(value, type) and issubclass(value, Exception))
    }


@pytest.mark.parametrize("name", documented())
def test_docstrings_are_complete(name: str) -> None:
    value = documented()[name]
    text = inspect.getdoc(value) or ""
    assert "Example" in text
    assert ">>>" in text or name in ("Model", "check_family")  # pages and tests that are run
    if inspect.isfunction(value):
        assert "Args:" in text
        assert "Returns:" in text
        assert "Raises:" in text
        for parameter in inspect.signature(value).parameters:
            assert re.search(rf"^ *{parameter}: ", text, re.MULTILINE), parameter


def test_examples_in_docstrings() -> None:
    rooms = {inspect.getmodule(value) for value in documented().values()}
    for room in (dp, testing, *sorted(filter(None, rooms), key=lambda room: room.__name__)):
        result = doctest.testmod(room)
        assert result.attempted > 0, room
        assert result.failed == 0
