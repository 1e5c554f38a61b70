"""JSON documents: exact numbers as JSON can hold them, and digests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.errors import DiscreetError, DocumentError


def encode(value: object) -> object:
    """A setting as JSON can hold it: a fraction as {"exact": "p/q"}, a tuple as a list."""
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
    return check.text_number("value", str(text))


def parse(text: str | bytes, what: str, argument: str, hint: str = "") -> Any:
    """Read JSON; a key that occurs twice is refused, since readers differ in which one counts."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise DocumentError(f"{what} has a key twice", argument)
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except DocumentError:
        raise
    except (ValueError, RecursionError):
        raise DocumentError(f"{what} is not complete JSON{hint}", argument) from None


VERSION = 3  # of documents: since 2 options are resolved, since 3 a guarantee has its ρ


def require_version(what: str, document: Mapping[str, Any], argument: str) -> int:
    """The version of a document, if this software reads it: it reads all there have been."""
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise DocumentError(
            f"{what} has format version {check.brief(version)}, this software reads 1 to {VERSION}",
            argument,
        )
    return version


def malformed(what: str, error: Exception, argument: str) -> DocumentError:
    """Why a document cannot be read, in one sentence."""
    reason = "a part of it is not of the right kind"
    if isinstance(error, DiscreetError):
        reason = str(error)
    elif isinstance(error, KeyError):
        reason = f"it lacks {error}"
    return DocumentError(f"{what} is malformed: {reason}", argument)


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical form: keys sorted, no spaces, UTF-8, without the digest itself."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()
