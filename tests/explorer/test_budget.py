"""What the budget page says is left."""

from __future__ import annotations

import pytest

from discreet.ledger import Account, Amount

pytest.importorskip("nicegui")
from discreet.explorer.budget import _left


def test_what_is_left_in_small_releases() -> None:
    terms = {"adjacency": "substitute", "unit": "record"}
    plain = Account.new("d", Amount.budget(3, 0), **terms)
    assert _left(plain) == "ε = 3"
    composing = Account.new("d", Amount.budget(3, 1e-6), order=None, **terms)
    assert _left(composing) == "ε = 3, δ = 1e-6; at ε = 0.1 each, 41 more"
