"""Text files in which a record is a line: CSV and JSON lines, every value as it is written.

Nothing is guessed from the records: guesses about types, comments, delimiters and quotes let one of
them change how others are read, or lose them without a word. And no value holds a line break,
because a quote that is not closed would take the records behind it into one: before a CSV file is
read, every line is seen to be a whole record by itself; or, where a correct writer is declared,
that the file is one that such a writer can have written.
"""
# ruff: noqa: S608 - names are quoted and constants escaped

from __future__ import annotations

import csv as dialects
import glob
import gzip
import re
import sys
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np

from discreet.data.naming import missing
from discreet.data.sql import literal, quoted
from discreet.errors import DataError, InputError

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

Letters: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]
Places: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]
_DELIMITERS = ",;\t|"  # the first wins where several fit
_CHUNK = 2**20
_LONGEST = 2 * 10**6  # bytes of a record, more than of a chunk
_BUFFER = 32 * 10**6  # bytes that DuckDB reads at once
_MARK = b"\xef\xbb\xbf"  # of UTF-8, at the start of files from Windows
_QUOTE, _FEED, _RETURN = b'"\n\r'
_NUL = "line {} holds a NUL character: is it UTF-8 text?"
_UTF_8 = "it is not UTF-8 text at line {}; save it as UTF-8"
_BLANK = 'line {} is blank: take it out, or write "" for a value that is missing'
_EMPTY = "line {} is blank: take it out"
_LONG = f"line {{}} has more than {_LONGEST} bytes"
_BLANKS = re.compile(rb"\n[ \t\r\f\v]*\n")
_BREAKS = "a record is a line, unless line_breaks=True declares that a correct CSV writer wrote it"


class Header(NamedTuple):
    """The first line of a CSV file: names, what is between them, and how the line ends."""

    names: tuple[str, ...]
    delimiter: str
    ending: bytes


def csv(
    name: str,
    files: Sequence[str],
    delimiter: str | None,
    columns: Sequence[str],
    line_breaks: bool,
) -> str:
    """The query for some columns of CSV files: a line of names, then lines with as many values."""
    alike: dict[Header, list[str]] = {}
    for file in files:
        if Path(file).stat().st_size:
            with _stream(file, name) as stream:
                header = _header(stream, name, delimiter, columns)
                require = _require_whole_values if line_breaks else _require_whole_lines
                require(stream, name, header)
            alike.setdefault(header, []).append(file)
    _require_columns(name, columns, {column for header in alike for column in header.names})
    parts = [_read(header, same, columns) for header, same in alike.items()]
    return " union all ".join(parts)


def _read(header: Header, files: Sequence[str], columns: Sequence[str]) -> str:
    numbered = [f"c{place}" for place in range(len(header.names))]
    places = dict(zip(header.names, numbered, strict=True))
    chosen = ", ".join(
        f"{places.get(column, 'null::varchar')} as {quoted(column)}" for column in columns
    )
    types = ", ".join(f"'{place}': 'VARCHAR'" for place in numbered)
    # A thread that begins inside a file guesses where a line begins and whether a quote is open;
    # where it guessed wrong, all records behind were lost: one thread reads from the start.
    return (
        f"select {chosen} from read_csv([{_listed(files)}], auto_detect = false, header = true, "
        f"columns = {{{types}}}, delim = {literal(header.delimiter)}, quote = '\"', escape = '\"', "
        f"comment = '', strict_mode = true, hive_partitioning = false, parallel = false, "
        f"buffer_size = {_BUFFER}, max_line_size = {2 * _LONGEST})"
    )


def _header(stream: IO[bytes], name: str, delimiter: str | None, columns: Sequence[str]) -> Header:
    """The first line; the stream is then at the second.

    The delimiter is the one that gives the wanted columns, or the most names.
    """
    line = stream.readline(_CHUNK).removeprefix(_MARK)
    ending = b"\r\n" if line.endswith(b"\r\n") else b"\n"
    line = line.removesuffix(ending) + ending
    if b"\r" in line.removesuffix(ending):
        raise _refused(
            name, "line 1 holds a carriage return; lines must end with a line feed (LF or CR LF)"
        )
    if (odd := _odd_letters(line, ending)) is not None:
        raise _refused(name, odd.format(1))
    text = line.decode().removesuffix(ending.decode())
    found = []
    for d in delimiter or _DELIMITERS:
        with suppress(dialects.Error):
            names = next(dialects.reader([text], delimiter=d), [])
            found.append(Header(tuple(names), d, ending))
    if not found:
        raise _refused(name, "line 1 is no line of names")
    whole = [header for header in found if _wrong(line, header) is None]
    header = max(whole or found, key=lambda h: (set(columns) <= {*h.names}, len(h.names)))
    if (wrong := _wrong(line, header)) is not None:
        raise _refused(name, wrong.format(1))
    given = [one for one in header.names if one]  # tables of Excel have empty columns at the end
    if len(set(given)) < len(given):
        raise DataError(f"data {name!r} has two columns of the same name", "data")
    return header


def _require_whole_lines(stream: IO[bytes], name: str, header: Header) -> None:
    """Refuse a file in which a line is no record by itself, or not all lines end alike."""
    line = 2
    with ThreadPoolExecutor(2) as pool:
        waiting: deque[tuple[bytes, Future[str | None]]] = deque()
        for lines in _lines(stream, header):
            waiting.append((lines, pool.submit(_wrong, lines, header)))
            if len(waiting) > 2:
                line = _require_none(*waiting.popleft(), name, header, line)
        for lines, found in waiting:
            line = _require_none(lines, found, name, header, line)


def _require_whole_values(stream: IO[bytes], name: str, header: Header) -> None:
    """Refuse a file that no correct writer can have written, whose values may hold line breaks."""
    line, rest = 2, b""
    while part := stream.read(_CHUNK):
        records, rest = _cut(rest + part)
        line = _require_written(records, name, header, line)
        if len(rest) > _LONGEST:
            raise _refused(
                name,
                f"the record that begins at line {line} has more than {_LONGEST} bytes: is a quote "
                "not closed?",
            )
    if rest:
        _require_written(rest + header.ending, name, header, line)


def _cut(part: bytes) -> tuple[bytes, bytes]:
    """The whole records of a part that begins with one, and the rest."""
    letters = np.frombuffer(part, dtype=np.uint8)
    feeds = np.flatnonzero(letters == _FEED)
    outside = feeds[~_inside(np.flatnonzero(letters == _QUOTE), feeds)]
    cut = int(outside[-1]) + 1 if len(outside) else 0
    return part[:cut], part[cut:]


def _require_written(records: bytes, name: str, header: Header, line: int) -> int:
    """Refuse records that are wrong, and say where; else the number of the line behind.

    As in `_wrong`, but for breaks between quotes; outside of them all lines end alike.
    """
    letters = np.frombuffer(records, dtype=np.uint8)
    feeds = np.flatnonzero(letters == _FEED)

    def refused(place: int, reason: str) -> DataError:
        return _refused(name, reason.format(line + int(np.searchsorted(feeds, place))))

    if (place := records.find(b"\0")) >= 0:
        raise refused(place, _NUL)
    try:
        records.decode()
    except UnicodeDecodeError as error:
        raise refused(error.start, _UTF_8) from None
    quotes, returns = np.flatnonzero(letters == _QUOTE), np.flatnonzero(letters == _RETURN)
    around = [_QUOTE, ord(header.delimiter)]
    opened = ~_each(letters[quotes[::2] - 1], [*around, _FEED])
    closed = ~_each(letters[quotes[1::2] + 1], [*around, header.ending[0]])
    wrong = [*quotes[::2][opened][:1], *quotes[1::2][closed][:1], *quotes[-1:][: len(quotes) % 2]]
    if wrong:
        raise refused(int(min(wrong)), "line {} has a quote that is not closed or not doubled")
    ends = feeds[~_inside(quotes, feeds)]
    alone = returns[~_inside(quotes, returns)]
    expected = ends - 1 if header.ending == b"\r\n" else ends[:0]
    if len(odd := np.setxor1d(alone, expected, assume_unique=True)):
        raise refused(
            int(odd[0]), "line {} does not end as the first line, or holds a carriage return"
        )
    lengths = np.diff(ends, prepend=-1) - 1
    for odd, reason in ((lengths < len(header.ending), _BLANK), (lengths > _LONGEST, _LONG)):
        if odd.any():  # as in `_wrong`
            raise refused(int(ends[int(odd.argmax())]), reason)
    return line + len(feeds)


def _inside(quotes: Places, places: Places) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which places are between quotes: behind an odd number of them."""
    return np.asarray(np.searchsorted(quotes, places) % 2 == 1)


def _require_short_lines(stream: IO[bytes], name: str) -> None:
    """Refuse blank and long lines, as in `_wrong`, and a file that was cut off."""
    line = 1
    for lines in _lines(stream, Header((), "", b"\n")):
        long = len(lines) > _LONGEST and _longest(lines) > _LONGEST
        if long or _BLANKS.search(b"\n" + lines):
            for place, one in enumerate(lines.split(b"\n")):
                if len(one) > _LONGEST or not one.strip():
                    raise _refused(name, (_LONG if one.strip() else _EMPTY).format(line + place))
        line += lines.count(b"\n")


def _require_none(
    lines: bytes, found: Future[str | None], name: str, header: Header, line: int
) -> int:
    """Refuse lines of which one is wrong, and say which; else the number of the line behind."""
    if found.result() is None:
        return line + int(np.count_nonzero(np.frombuffer(lines, dtype=np.uint8) == _FEED))
    each = (part + b"\n" for part in lines.split(b"\n"))
    place, wrong = next((i, w) for i, part in enumerate(each) if (w := _wrong(part, header)))
    raise _refused(name, wrong.format(line + place))


def _lines(stream: IO[bytes], header: Header) -> Iterator[bytes]:
    """The rest of a stream, in parts of whole lines, the last one with an end."""
    rest = b""
    while part := stream.read(_CHUNK):
        cut = part.rfind(b"\n") + 1
        if cut:
            yield rest + part[:cut]
            rest = part[cut:]
        elif len(rest) > _LONGEST:
            break  # which is refused, whatever follows
        else:
            rest += part
    if rest:
        yield rest + header.ending


def _odd_letters(lines: bytes, ending: bytes) -> str | None:
    """What is wrong with the letters of some whole lines, or with how they end."""
    if b"\0" in lines:
        return _NUL
    if not lines.isascii():
        try:
            lines.decode()
        except UnicodeDecodeError:
            return _UTF_8
    ends = lines.count(ending) if b"\r" in lines or ending != b"\n" else None
    if ends is not None and not (
        lines.count(b"\n") == ends and lines.count(b"\r") == ends * (len(ending) - 1)
    ):
        return f"line {{}} holds a carriage return, or does not end as the first line; {_BREAKS}"
    return None


def _wrong(lines: bytes, header: Header) -> str | None:
    """What is wrong with one of some whole lines.

    Quotes 1, 3, … open and 2, 4, … close a value, or are the halves of a quote inside one. It is
    so in every line by itself if an opening quote stands behind a delimiter, a line's start or its
    other half, a closing one before a delimiter, a line's end or its other half, and no line ends
    between the two.
    """
    if (odd := _odd_letters(lines, header.ending)) is not None:
        return odd
    # Where DuckDB goes from one buffer to the next, a blank line makes it read a record twice or
    # fail: whether that happens would follow from how long all other records are.
    if lines.startswith(header.ending) or b"\n" + header.ending in lines:
        return _BLANK
    if len(lines) > _LONGEST and _longest(lines) > _LONGEST:
        return _LONG
    if b'"' not in lines:
        return None
    letters = np.frombuffer(lines, dtype=np.uint8)
    quotes, feeds = np.flatnonzero(letters == _QUOTE), np.flatnonzero(letters == _FEED)
    whole = len(quotes) % 2 == 0 and not _inside(quotes, feeds).any()
    if whole:
        before, behind = letters[quotes[::2] - 1], letters[quotes[1::2] + 1]  # the last is a feed
        around = [_QUOTE, ord(header.delimiter)]
        ends = [*around, header.ending[0]]
        whole = bool(_each(before, [*around, _FEED]).all() and _each(behind, ends).all())
    return None if whole else f"line {{}} has a quote that is not closed or not doubled; {_BREAKS}"


def _longest(lines: bytes) -> int:
    """How many bytes the longest line has, its end not counted."""
    feeds = np.flatnonzero(np.frombuffer(lines, dtype=np.uint8) == _FEED)
    return int(np.diff(feeds, prepend=-1).max()) - 1


def _each(letters: Letters, few: Sequence[int]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which letters are among a few."""
    found: np.ndarray[Any, np.dtype[np.bool_]] = np.isin(letters, np.array(few, dtype=np.uint8))
    return found


@contextmanager
def _stream(file: str, name: str) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed."""
    suffix = Path(file.lower()).suffix
    try:
        with Path(file).open("rb") as raw:
            if suffix == ".gz":
                yield gzip.GzipFile(fileobj=raw)  # type: ignore[misc]
            elif suffix == ".zst":
                yield zstd.ZstdFile(raw)  # type: ignore[misc]
            else:
                yield raw
    except (gzip.BadGzipFile, EOFError, zlib.error, zstd.ZstdError):
        raise _refused(name, f"it is no whole {suffix} file") from None


def json_lines(name: str, files: Sequence[str], columns: Sequence[str]) -> str:
    """The query for some columns of files with an object in every line.

    A key that an object lacks is a missing value: no other record decides which keys there are.
    """
    for file in files:
        with _stream(file, name) as stream:
            _require_short_lines(stream, name)
    types = ", ".join(f"{quoted(column)}: 'VARCHAR'" for column in dict.fromkeys(columns))
    return (
        f"select * from read_json([{_listed(files)}], format = 'newline_delimited', "
        f"records = true, hive_partitioning = false, columns = {{{types}}})"
    )


def _listed(files: Iterable[str]) -> str:
    """Names of files in SQL; brackets in them are no pattern."""
    return ", ".join(literal(glob.escape(file)) for file in files)


def _require_columns(name: str, columns: Iterable[str], there: Iterable[str]) -> None:
    """Refuse a missing column; what is there may be a record, so it is not listed."""
    names = list(there)
    for column in columns:
        if column not in names:
            said = missing(column, names, listed=False)
            raise InputError(f"column {said} in the first line of data {name!r}", "column")


def _refused(name: str, reason: str) -> DataError:
    return DataError(f"data {name!r} cannot be read: {reason}", "data")
