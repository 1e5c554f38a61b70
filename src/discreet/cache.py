"""Certificates of calibrations, kept on disk between sessions. They hold public values only."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import tempfile
from pathlib import Path

from discreet.core import Certificate, Config
from discreet.core.certificate import FORMAT, VERSION, read_certificate
from discreet.core.documents import digest


def directory() -> Path:
    """Where certificates are kept: the user's cache directory."""
    from platformdirs import user_cache_path

    return user_cache_path("discreet") / "certificates"


def _path(config: Config) -> Path:
    """One file for each whole configuration and format version."""
    key = {"format": FORMAT, "version": VERSION, **config.document()}
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
        return read_certificate(config, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, AttributeError, RecursionError):
        return None


def save(config: Config, certificate: Certificate) -> None:
    """Keep a certificate; where that is not possible, calibrations are just not remembered."""
    path = _path(config)
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _private(path.parent):
            return
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(certificate.to_json())
        Path(temporary).replace(path)


def _private(path: Path) -> bool:
    """Whether the directory belongs to this user and to nobody else."""
    if not hasattr(os, "getuid"):
        return True
    status = path.stat()
    return status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077
