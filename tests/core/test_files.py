"""Files are written as a whole, and over another one only if that is asked for."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dp
from discreet.core import files
from discreet.core.files import read_file, replace_file, require_writable, write_file
from tests.ledger import workers

NEW, OLD = b"new" * 1000, b"old"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "release.json"


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir())


def test_a_new_file_is_written_and_an_old_one_is_kept(path: Path) -> None:
    write_file(path, "text")
    assert path.read_bytes() == b"text\n"
    with pytest.raises(dp.InputError, match="exists already: overwrite=True replaces it"):
        write_file(path, NEW)
    with pytest.raises(dp.InputError, match=r"plot .* exists already"):
        write_file(path, NEW, argument="plot")
    with pytest.raises(dp.InputError, match="overwrite must be one of True, False, got 'yes'"):
        write_file(path, NEW, overwrite="yes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"text\n"
    write_file(path, NEW, overwrite=True)
    replace_file(path, NEW[:-1])
    assert path.read_bytes() == NEW[:-1]
    assert names(path) == ["release.json"]


def test_new_files_have_the_usual_permissions_and_replaced_ones_theirs(path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(path, NEW)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o600)
        write_file(path, NEW, overwrite=True)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_links_are_followed(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path)
    write_file(link, OLD)
    assert path.read_bytes() == OLD
    with pytest.raises(dp.InputError, match="link' exists already"):
        write_file(link, NEW)
    write_file(link, NEW, overwrite=True)
    assert link.is_symlink()
    assert path.read_bytes() == NEW
    other = path.with_name("other")
    other.hardlink_to(path)
    write_file(path, OLD, overwrite=True)
    assert other.read_bytes() == NEW  # which has a name of its own


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_regular_file_is_refused(path: Path, overwrite: bool) -> None:
    pipe, loop = path.with_name("pipe"), path.with_name("loop")
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    for place in (pipe, loop, path.parent, "/dev/null"):
        for use in (partial_write(place, overwrite), partial_require(place, overwrite)):
            with pytest.raises(dp.InputError, match=r"cannot be written: it is not a regular file"):
                use()
    path.write_bytes(OLD)
    for place, reason in (
        (path.parent / "no" / "x", "No such file or directory"),
        (path / "x", "Not a directory"),
        (path.with_name("x" * 300), "File name too long"),
    ):
        for use in (partial_write(place, overwrite), partial_require(place, overwrite)):
            with pytest.raises(dp.InputError, match=f"cannot be written: {reason}"):
                use()
    assert loop.is_symlink()


def partial_write(place: object, overwrite: bool) -> Callable[[], None]:
    return lambda: write_file(place, NEW, overwrite)


def partial_require(place: object, overwrite: bool) -> Callable[[], None]:
    return lambda: require_writable(place, "path", overwrite)


@pytest.mark.parametrize("place", [None, "", "a\0b", "\ud800", b"x", 7])
def test_what_is_no_name(place: Any) -> None:
    for use in (partial_write(place, False), partial_require(place, False)):
        with pytest.raises(dp.InputError, match="path must be the name of a file"):
            use()
    with pytest.raises(dp.InputError, match="path must be the name of a file"):
        read_file(place)


def test_whether_a_file_can_be_written_is_tried(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_writable(path, "out", False)
    assert names(path) == []
    path.write_bytes(OLD)
    with pytest.raises(dp.InputError, match=r"out .* exists already"):
        require_writable(path, "out", False)
    require_writable(path, "out", True)
    assert path.read_bytes() == OLD
    written: list[int] = []

    def full(handle: int) -> None:
        written.append(os.fstat(handle).st_size)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(dp.InputError, match=r"out .* cannot be written: No space left on device"):
        require_writable(path, "out", True)
    assert written == [files.ROOM]
    assert names(path) == ["release.json"]


def no_links(self: Path, target: object) -> None:
    raise OSError(1, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_one_that_comes_in_between_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    """After it was seen that there is none."""
    original = files._put

    def late(draft: Path, target: Path, overwrite: bool) -> None:
        target.write_bytes(OLD)
        original(draft, target, overwrite)

    if not links:
        monkeypatch.setattr(Path, "hardlink_to", no_links)
    monkeypatch.setattr(files, "_put", late)
    with pytest.raises(dp.InputError, match="exists already"):
        write_file(path, NEW)
    assert path.read_bytes() == OLD
    assert names(path) == ["release.json"]


def test_disks_without_hard_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(dp.InputError, match="No space left on device"):
            write_file(path, NEW)
    assert names(path) == []
    write_file(path, OLD)
    with pytest.raises(dp.InputError, match="exists already"):
        write_file(path, NEW)
    assert path.read_bytes() == OLD
    assert names(path) == ["release.json"]


def _write(path: Path, content: bytes, start: Any) -> bool:
    start.wait()
    try:
        write_file(path, content)
    except dp.InputError:
        return False
    return True


def test_of_many_who_write_one_wins(path: Path) -> None:
    context = workers.processes()
    with context.Manager() as manager, context.Pool(6) as pool:
        for attempt in range(5):
            start, place = manager.Barrier(6), path.with_name(f"{attempt}.json")
            contents = [bytes([65 + i]) * 100_000 for i in range(6)]
            won = pool.starmap(_write, [(place, content, start) for content in contents], 1)
            assert sum(won) == 1
            assert place.read_bytes() == contents[won.index(True)]
    assert len(names(path)) == 5


def _die_while_writing(path: Path, overwrite: bool) -> None:
    def die(handle: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    os.fsync = die  # type: ignore[assignment]
    write_file(path, NEW, overwrite)


@pytest.mark.parametrize("overwrite", [False, True])
def test_one_who_is_killed_leaves_all_as_it_was(path: Path, overwrite: bool) -> None:
    if overwrite:
        path.write_bytes(OLD)
    process = workers.processes().Process(target=_die_while_writing, args=(path, overwrite))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert (path.read_bytes() == OLD) if overwrite else not path.exists()
    write_file(path, NEW, overwrite)
    assert path.read_bytes() == NEW


def test_reading(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes("ä\r\nb".encode())
    assert read_file(path) == "ä\nb"
    monkeypatch.setattr(files, "LONGEST", 2)
    with pytest.raises(dp.DocumentError, match="cannot be read: it has more than 2 characters"):
        read_file(path)


def test_everything_that_writes_a_file_keeps_those_that_are_there(tmp_path: Path) -> None:
    model = dp.BetaBinomial()
    audit = dp.audit(dp.mechanism("ehd", model, n=4, epsilon=1))
    net = dp.BayesNet({"a": ()}, {"a": ("x", "y")})
    place = tmp_path / "mine"
    place.write_bytes(OLD)
    for write in (
        dp.release((3, 4), model, 1).save,
        audit.certificate.save,
        dp.release(net.count(pl.DataFrame({"a": ["x"]})), net, 1).posterior.to_bif,
    ):
        with pytest.raises(dp.InputError, match="mine' exists already: overwrite=True"):
            write(place)
        assert place.read_bytes() == OLD
        write(place, overwrite=True)
        assert len(place.read_bytes()) > len(OLD)
        place.write_bytes(OLD)
    assert names(place) == ["mine"]
