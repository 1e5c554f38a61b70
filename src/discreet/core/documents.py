"""JSON documents: exact numbers in JSON's types, and digests."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet import check
from discreet.errors import DiscreetError, DocumentError, InputError


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
    return check.text_number("value", str(text))


def read_file(path: object, argument: str = "path") -> str:
    """The text of a file; what cannot be read is said in one sentence."""
    try:
        return _file(path, argument).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        reason = "it is not a text file"
    except OSError as error:
        reason = error.strerror or "it is no file"
    raise DocumentError(f"{argument} {_shown(path)} cannot be read: {reason}", argument)


def write_file(path: object, text: str) -> None:
    """Write a document to a file: all of it, or the file stays as it was."""
    target = Path(os.path.realpath(_file(path, "path")))
    try:
        if target.exists() and not target.is_file():  # a pipe, a device
            target.write_text(text + "\n", encoding="utf-8")
        else:
            replace_file(target, (text + "\n").encode())
    except OSError as error:
        raise InputError(
            f"path {_shown(path)} cannot be written: {error.strerror}", "path"
        ) from None


def replace_file(target: Path, content: bytes) -> None:
    """Write a file in one step: it is there as a whole, or as it was."""
    draft = target.with_name(f".discreet-{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(content)
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _shown(path: object) -> str:
    name = str(path)
    return repr(name if len(name) <= 250 else f"{name[:250]}...")


def _file(path: object, argument: str) -> Path:
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise DocumentError(
            f"{argument} must be the name of a file, got {check.brief(path)}", argument
        )
    return Path(name)


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
