"""Certificates of calibrations, kept on disk between sessions. They hold public values only."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from discreet._version import __version__
from discreet.core import Certificate, Config
from discreet.core.certificate import FORMAT, read_certificate
from discreet.core.documents import VERSION, digest

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def directory() -> Path:
    """Where certificates are kept: the user's cache directory."""
    from platformdirs import user_cache_path

    return user_cache_path("discreet") / "certificates"


def _path(config: Config) -> Path:
    """One file for each whole configuration, format version and software version."""
    key = {"format": FORMAT, "version": VERSION, "software": __version__, **config.document()}
    return directory() / f"{digest(key)}.json"


def load(config: Config) -> Certificate | None:
    """The certificate of this configuration, if there is one and nobody else can have written it.

    A directory that others may write to, a damaged or edited entry and one of another configuration
    are passed over: the calibration is then done anew.
    """
    path = _path(config)
    try:
        if not _private(path.parent):
            return None
        with os.fdopen(os.open(path, os.O_RDONLY | _NO_LINK), encoding="utf-8") as file:
            if not _own(os.fstat(file.fileno()), stat.S_ISREG):
                return None
            return read_certificate(config, json.load(file))
    except (OSError, ValueError, AttributeError, RecursionError):
        return None


def save(config: Config, certificate: Certificate) -> None:
    """Keep a certificate; where that is not possible, calibrations are just not remembered."""
    path = _path(config)
    with contextlib.suppress(OSError):
        path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if not _private(path.parent):
            return
        handle, name = tempfile.mkstemp(dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(certificate.to_json())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def _private(path: Path) -> bool:
    """Whether the directory, no link to one, belongs to this user and to nobody else."""
    return _own(path.lstat(), stat.S_ISDIR)


def _own(status: os.stat_result, kind: Callable[[int], bool]) -> bool:
    """Whether something is of the kind it should be, and only this user may write to it."""
    if not hasattr(os, "getuid"):
        return True
    own = status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077
    return own and kind(status.st_mode)
