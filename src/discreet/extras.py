"""Packages that not everybody has: imported where they are used, and named where they are not."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from discreet.errors import MissingPackageError


@contextmanager
def needed(sentence: str, install: str) -> Iterator[None]:
    """Say what to install if the imports in its body fail.

    Args:
        sentence: what needs which package, such as "plots need matplotlib".
        install: what pip is given, such as "discreet[plot]".

    Raises:
        MissingPackageError: a package is missing, or the one that is there cannot be imported.
    """
    try:
        yield
    except ModuleNotFoundError:
        raise missing(sentence, install) from None
    except ImportError as error:
        why = str(error).strip().partition("\n")[0]
        raise missing(f"{sentence}, and the one here does not import ({why})", install) from error


def missing(sentence: str, install: str) -> MissingPackageError:
    """The error that says what to install."""
    return MissingPackageError(f"{sentence}: pip install {shlex.quote(install)}")
