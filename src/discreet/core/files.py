"""Files: read in one piece; written as a whole or not at all, over another only if asked to."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from discreet import check
from discreet.errors import DocumentError, InputError

LONGEST = 10**8  # characters of a document that is read
ROOM = 2**20  # bytes that must fit where a file is going to be written


def read_file(path: object, argument: str = "path") -> str:
    """The text of a file; what cannot be read is said in one sentence."""
    try:
        with _named(path, argument).open(encoding="utf-8") as file:
            content = file.read(LONGEST + 1)
        if len(content) <= LONGEST:
            return content
        reason = f"it has more than {LONGEST} characters"
    except UnicodeDecodeError:
        reason = "it is not a text file"
    except OSError as error:
        reason = error.strerror or "it is no file"
    raise DocumentError(f"{argument} {shown(path)} cannot be read: {reason}", argument)


def write_file(
    path: object, content: str | bytes, overwrite: bool = False, argument: str = "path"
) -> None:
    """Write a file in one step: it is there as a whole, or all is as it was.

    Without `overwrite` a file that is there is kept, also one that comes while this is written.
    """
    check.choice("overwrite", overwrite, (True, False))
    with _said(path, argument):
        target = _target(path, argument, overwrite)
        data = f"{content}\n".encode() if isinstance(content, str) else content
        with _draft(target, data) as draft:
            _put(draft, target, overwrite)


def require_writable(path: object, argument: str, overwrite: bool) -> None:
    """Refuse, before anything is paid for, a place where `write_file` would fail.

    A draft is written there and removed: a full disk or a read-only one shows in no other way.
    """
    with (
        _said(path, argument),
        _draft(_target(path, argument, overwrite), os.urandom(ROOM)),
    ):
        pass


def replace_file(target: Path, content: bytes) -> None:
    """Write a file of one's own in one step, over what is there."""
    with _draft(target, content) as draft:
        _put(draft, target, overwrite=True)


def shown(path: object) -> str:
    """A path in a sentence."""
    name = str(path)
    return repr(name if len(name) <= 250 else f"{name[:250]}...")


def _named(path: object, argument: str) -> Path:
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    try:
        if isinstance(name, str) and name and b"\0" not in os.fsencode(name):
            return Path(name)
    except UnicodeEncodeError:
        pass
    raise DocumentError(f"{argument} must be the name of a file, got {check.brief(path)}", argument)


def _target(path: object, argument: str, overwrite: bool) -> Path:
    """The place that a name, maybe a link, stands for; what is there may have to stay."""
    target = Path(os.path.realpath(_named(path, argument)))
    try:
        kind = target.lstat().st_mode
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(kind):  # a folder, a pipe, a device, a link to itself
        raise OSError(errno.EINVAL, "it is not a regular file")
    if not overwrite:
        raise FileExistsError
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only")
    return target


@contextmanager
def _said(path: object, argument: str) -> Iterator[None]:
    """Why a file is not written, in one sentence."""
    try:
        yield
    except FileExistsError:
        raise InputError(
            f"{argument} {shown(path)} exists already: overwrite=True replaces it", argument
        ) from None
    except OSError as error:
        reason = error.strerror or "the disk is full or failing"
        raise InputError(
            f"{argument} {shown(path)} cannot be written: {reason}", argument
        ) from None


@contextmanager
def _draft(target: Path, content: bytes) -> Iterator[Path]:
    """A file beside the target, complete and on disk; removed at the end."""
    draft = target.with_name(f".discreet-{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def _put(draft: Path, target: Path, overwrite: bool) -> None:
    """Give a draft its name: both ways the target is at no time half written."""
    if overwrite:
        with suppress(FileNotFoundError):
            shutil.copymode(target, draft)
        draft.replace(target)
    else:
        _link(draft, target)
    with suppress(OSError):  # not every system can
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _link(draft: Path, target: Path) -> None:
    """Only if nobody has the name: there is no moment between looking and writing."""
    try:
        target.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links: take the name first
        target.open("xb").close()
        try:
            draft.replace(target)
        except OSError:
            target.unlink(missing_ok=True)
            raise
