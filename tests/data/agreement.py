"""Every engine against the reference, on drawn data: `python -m tests.data.agreement 50000`."""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import discreet as dp
from discreet.data import kinds
from tests.data import drawing, writing
from tests.data.drawing import Case
from tests.optional import insist

# a column of nothing but gaps that pandas wrote, categories that dask does not know, or cannot put
# together where one part has none: refused
UNTYPED = (
    *('"NULL"', "holds Unknown", "got Unknown", "holds Python objects"),
    "the engine reports TypeError",
)
_LARGE = "holds integers from 2**53 on"  # which a missing value would make floats of
Writer = Callable[[Case, Path], str]
Reader = Callable[[str], Any]
# what a reader of its own accord makes into Python objects, which are refused; those that are all
# missing have no type at all
OBJECTS = {name: {kinds.DECIMALS, kinds.DATES} for name in ("pandas", "dask", "dask over arrow")}


def compared(seed: int, writer: str, readers: Mapping[str, Reader], place: Path) -> Counter[Any]:
    """Compare a case and its neighbour, written by one writer; counts pairs by writer and reader.

    Raises:
        AssertionError: an engine disagrees with the reference, or one record moved it too far.
    """
    case = drawing.drawn(seed)
    found: dict[str, list[Any]] = {name: [] for name in readers}
    pairs: Counter[Any] = Counter()
    read: list[Any] = []
    for number, each in enumerate((case, drawing.neighbour(case))):
        folder = place / f"{seed}-{number}"
        folder.mkdir(parents=True)
        path, records, types = _written(each, writer, folder)
        read.append(records or ())
        try:
            wanted: Any = "no lines" if records is None else drawing.answer(each, records, types)
        except dp.InputError as refused:
            wanted = str(refused)
        if writer == "line breaks":
            assert _asked(each, path, False) == "no lines"
        for name, reader in readers.items():
            if _objects(each, writer, name) or (
                writer == "spark" and kinds.ZONED in each.types.values()
            ):
                continue  # Spark writes moments without their zone
            got = _asked(each, reader(path), writer == "line breaks")
            if isinstance(got, str) and any(word in got for word in _refusals(each, name)):
                continue
            assert got == wanted, f"seed {seed}, {writer}, {name}: {got} for {wanted}\n{each}"
            found[name].append(got)
            pairs[writer, name] += 1
    if writer in writing.TEXT and case.owners is None and _rewritten(*read):
        return pairs
    for name, answers in found.items():
        apart = _apart(*answers) if len(answers) == 2 else 0
        assert apart <= drawing.promise(case, *read), (
            f"seed {seed}, {writer}, {name}: {apart} apart"
        )
    return pairs


def _written(case: Case, writer: str, folder: Path) -> tuple[str, Any, Mapping[str, str]]:
    if writer in writing.TEXT:
        path = writing.TEXT[writer](case, folder)
        records = writing.written(path, writer == "line breaks")
        return path, records, dict.fromkeys(case.kinds, kinds.WRITTEN)
    path = {**writing.PARQUET, "duckdb file": writing._duckdb_file, "spark": writing._by_spark}[
        writer
    ](case, folder)
    return path, case.records, case.types


def _asked(case: Case, data: Any, breaks: bool) -> Any:
    try:
        return writing.asked(case, data, breaks)
    except dp.InputError as refused:
        return str(refused)


def _rewritten(*read: Sequence[Any]) -> bool:
    """Whether a writer wrote other records otherwise too, as pandas does with 7 beside a gap."""
    before, after = (Counter(map(repr, records)) for records in read)
    return (before - after).total() > 1 or (after - before).total() > 1


def _refusals(case: Case, reader: str) -> Sequence[str]:
    """Sentences by which a reader may refuse what another can read: types decide, not records."""
    if not reader.startswith("dask"):
        return UNTYPED
    if kinds.DECIMALS in case.types.values():
        # dask makes up values for every column, also those that are not read: not for decimal(2, 2)
        return (*UNTYPED, "a value does not fit the type of its column", _LARGE)
    return (*UNTYPED, _LARGE)


def _objects(case: Case, writer: str, reader: str) -> bool:
    """Whether a column that is read has lost its type."""
    read = set(case.labels) if case.question != "sums" else {c.name for c in case.steps.columns}
    read |= set() if case.owners is None else {"u"}
    read |= {"x", "y"} if "where" in case.rules else set()
    empty = {name for name in read if all(record[name] is None for record in case.records)}
    known = OBJECTS.get(reader, set())
    untyped = empty and (known or writer == "pandas")
    return bool(untyped) or any(case.types[name] in known for name in read)


def _apart(before: Any, after: Any) -> int:
    """How far two answers are apart in l1; refusals are not compared."""
    if isinstance(before, str) or isinstance(after, str):
        return 0
    flat = [list(_numbers(each)) for each in (before, after)]
    return sum(abs(a - b) for a, b in zip(*flat, strict=True))


def _numbers(answer: Any) -> Iterator[int]:
    if isinstance(answer, int):
        yield answer
    else:
        for part in answer:
            yield from _numbers(part)


def batch(seeds: Sequence[int], place: Path, slow: bool = False) -> Counter[Any]:
    """All writers in turn, each with all readers of its format."""
    pairs: Counter[Any] = Counter()
    readers = {**writing.READERS, **(writing.SLOW if slow else {})}
    if find_spec("ibis") is None:  # `make test` installs none of these
        insist("engines", "ibis is not installed")
        del readers["ibis"]
    parquet = [*writing.PARQUET, *(["spark"] if slow else [])]
    others = [*writing.TEXT, "duckdb file"]
    for seed, writer in zip(seeds, itertools.cycle([*parquet, *others]), strict=False):
        if writer in parquet:
            pairs += compared(seed, writer, readers, place)
        else:  # which have one reader, and so more cases
            for more in range(4):
                pairs += compared(seed + more * 10**8, writer, {"file": str}, place)
    return pairs


def main(pairs: int) -> None:
    """Compare so many pairs, with Spark, and say how many by writer and reader."""
    found: Counter[Any] = Counter()
    for start in itertools.count(10**6, 130):
        with tempfile.TemporaryDirectory() as place:
            found += batch(range(start, start + 130), Path(place), slow=True)
        print(f"{found.total():,} pairs", file=sys.stderr, flush=True)
        if found.total() >= pairs:
            break
    for (writer, reader), number in sorted(found.items()):
        print(f"{writer:12} {reader:20} {number:6,}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
