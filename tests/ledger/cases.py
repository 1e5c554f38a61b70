"""Guarantees and release documents to charge and record."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from discreet.core import Adjacency, Guarantee, Theorem
from discreet.core.documents import VERSION
from discreet.ledger import Receipt

ABOUT = {"mechanism": "lattice", "config": "0" * 64}


def guarantee(
    epsilon: object,
    delta: object = 0,
    adjacency: str = "substitute",
    unit: str = "record",
    max_per_unit: int = 1,
) -> Guarantee:
    return Guarantee(
        Fraction(str(epsilon)),
        Fraction(str(delta)),
        Adjacency(adjacency),
        unit,
        max_per_unit,
        Theorem("a bound", "a paper"),
    )


def document(receipt: Receipt, paid: Guarantee, value: int = 5) -> dict[str, Any]:
    return {
        "value": [value, 7],
        "guarantee": paid.to_document(VERSION),
        "receipt": receipt.document(),
    }
