"""Parts of the tests that need more than Python packages of the extra `test`."""

from __future__ import annotations

import os
from typing import Any

import pytest


def insist(name: str, reason: str) -> None:
    """Fail where the environment says that the machine has to have it."""
    if name in os.environ.get("DISCREET_REQUIRE", "").split(","):
        pytest.fail(f"{reason}, and DISCREET_REQUIRE asks for {name}")


def require(name: str, reason: str) -> Any:
    """Skip with a reason, or fail."""
    insist(name, reason)
    pytest.skip(reason)


def module(path: str, name: str) -> Any:
    """An optional library."""
    try:
        return __import__(path, fromlist=["x"])
    except ImportError:
        return require(name, f"{path} is not installed")
