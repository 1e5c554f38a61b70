"""JSON documents: exact numbers in JSON's types, and digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet import check


def encode(value: object) -> object:
    """A setting in JSON's types: a fraction as {"exact": "p/q"}, a tuple as a list."""
    if isinstance(value, Fraction):
        return {"exact": str(value)}
    return [encode(item) for item in value] if isinstance(value, tuple) else value


def decode(value: object) -> object:
    """The setting that `encode` wrote."""
    if isinstance(value, dict):
        return exact(value["exact"])
    return tuple(decode(item) for item in value) if isinstance(value, list) else value


def exact(text: object) -> Fraction:
    """A number in writing."""
    return check.text_number("number", str(text))


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical form: keys sorted, no spaces, UTF-8, without the digest itself."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
