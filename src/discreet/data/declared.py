"""Data frames with a declared type in every column, which no record decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.data.units import MOST_FLOAT
from discreet.errors import InputError

_OBJECTS = {str: "string", bool: "boolean", int: "Int64"}  # types that keep missing values


def declared(frame: Any) -> tuple[Any, list[str]]:
    """The frame with a declared type in every column, and columns that are missing in all records.

    A pandas column of Python objects may hold anything. If all its values are text, or all are
    booleans, or all integers, it gets that type; a mixture is refused, because one odd value must
    not change how the others are read. One without any value has no type, and needs none.
    """
    import narwhals as nw

    if frame.implementation.is_pyarrow():
        return nw.from_native(_without_dictionaries(frame.to_native())), []
    if frame.implementation.is_pandas_like() or frame.implementation.is_dask():
        native = frame.to_native()
        if frame.implementation.is_dask():
            native = _as_declared(native)
        for name in [name for name in frame.columns if native[name].dtype == "category"]:
            if len(native[name].dtype.categories):
                native = native.assign(**{name: _decoded(native[name], name)})
            else:
                native = native.assign(**{name: native[name].astype("object")})
        for name in [name for name in frame.columns if _is_dictionary(native[name].dtype)]:
            values = type(native[name].dtype)(native[name].dtype.pyarrow_dtype.value_type)
            native = native.assign(**{name: native[name].astype(values)})
        frame = nw.from_native(native)
        objects = [name for name in frame.columns if native[name].dtype == object]
        missing = []
        for name in objects:
            if not isinstance(frame, nw.DataFrame):
                raise _mixture(name)
            types = set(native[name].dropna().map(type))
            if len(types) > 1 or not types <= set(_OBJECTS):
                raise _mixture(name)
            missing += [] if types else [name]
            column = native[name].where(native[name].notna(), None)  # whatever stands for missing
            native = native.assign(**{name: column.astype(_OBJECTS[(types or {str}).pop()])})
        return (nw.from_native(native) if objects else frame), missing
    for name, dtype in frame.collect_schema().items():
        if dtype == nw.Object:
            raise _mixture(name)
    return frame, []


def _without_dictionaries(table: Any) -> Any:
    """A table of pyarrow with values in place of dictionaries: of floats they may hold NaN."""
    for place, field in enumerate(table.schema):
        if hasattr(field.type, "value_type") and hasattr(field.type, "index_type"):
            values = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, field.name, values)
    return table


def _is_dictionary(dtype: Any) -> bool:
    """Whether a column of pandas has a dictionary of pyarrow."""
    return hasattr(getattr(dtype, "pyarrow_dtype", None), "index_type")


# all that a frame of dask may be made of: anything else would be computed from parts whose types
# follow from their records, or moves into the reading of files, where statistics decide it
_FILES = ("ReadParquetFSSpec", "ReadParquetPyarrowFS")
_HARMLESS = (*_FILES, "FromPandas", "Projection", "ArrowStringConversion")


def _as_declared(native: Any) -> Any:
    """A frame of dask whose parts all have the types that it declares.

    A part with a missing value turns integers into floats, which cannot tell large ones apart.
    """
    nodes = list(native.expr.walk())
    names = {type(node).__name__ for node in nodes}
    if not names <= {*_HARMLESS} or any(getattr(n, "filters", None) is not None for n in nodes):
        raise InputError(
            "data of dask must be read by read_parquet without filters, or come from a frame of "
            "pandas, with no more than columns chosen: statistics of files and missing values of "
            "one part decide what else is computed; give conditions as where=, or the path of the "
            "file",
            "data",
        )
    types: dict[str, str] = {}
    for name, dtype in native.dtypes.items():
        if str(dtype) == "category":
            if not len(dtype.categories.drop(_UNKNOWN, errors="ignore")):
                types[name] = "string"
            elif names & {*_FILES}:
                raise InputError(
                    f"column {name!r} is in the names of folders, whose types dask guesses from "
                    "all of them; give the path of the files",
                    "data",
                )
        elif type(dtype).__module__.startswith("numpy") and dtype.kind in "iub":
            types[name] = "boolean" if dtype.kind == "b" else "Int64"
    declared = {name: dtype for name, dtype in native._meta.dtypes.items() if dtype != "category"}
    return native.map_partitions(_typed, types, declared, meta=native._meta.astype(types))


_UNKNOWN = "__UNKNOWN_CATEGORIES__"  # dask's word for categories that it has not read


def _typed(part: Any, types: Mapping[str, str], declared: Mapping[str, Any]) -> Any:
    """A part of a frame of dask with integers, truth values and text as they are declared."""
    for name, dtype in declared.items():
        found = part[name].dtype
        # a missing value makes floats of integers, and objects of truth values: of all others the
        # type is the file's
        widened = {"Int64": "iuf", "boolean": "bO"}.get(types.get(name, ""), "")
        text = type(found).__name__ == type(dtype).__name__ == "StringDtype"
        if found != dtype and not text and getattr(found, "kind", "") not in widened:
            raise InputError(
                f"column {name!r} must have one name and one type in all files", "data"
            )
    for name, wanted in types.items():
        column = part[name]
        # whether or not a missing value made floats of this part: a record is refused by itself
        numbers = column.dtype.kind in "fiu"
        if numbers and ((column >= MOST_FLOAT) | (column <= -MOST_FLOAT)).any():
            raise InputError(
                f"column {name!r} holds integers from 2**53 on, of which a missing value beside "
                "them makes floats; read it with dtype_backend='pyarrow'",
                "data",
            )
        labels = column.cat.categories if wanted == "string" else ()
        if not {type(label) for label in labels} <= {str}:
            raise _mixture(name)
    return part.astype(types)


def _decoded(column: Any, name: str) -> Any:
    """A categorical of pandas or dask as what its categories are: 1 among numbers is a number."""
    declared = column.dtype.categories
    if declared.dtype.kind in "iu":
        if hasattr(column, "map_partitions"):
            return column.map_partitions(_from_codes, meta=column._meta.astype("Int64"))
        return _from_codes(column)
    if declared.dtype.kind in "fb":
        return column.astype("float64" if declared.dtype.kind == "f" else "boolean")
    if {type(value) for value in declared} <= {str}:
        return column.astype("string")
    raise _mixture(name)


def _from_codes(column: Any) -> Any:
    """Integers of a categorical, missing ones too: pandas would make them floats in between."""
    values = column.cat.categories.astype("Int64").array
    codes = column.cat.codes.to_numpy()
    return type(column)(values.take(codes, allow_fill=True), index=column.index, name=column.name)


def _mixture(name: str) -> InputError:
    return InputError(
        f"column {name!r} holds Python objects that are not all text, all integers or all "
        "booleans; give it one type first, for example with astype('string')",
        "data",
    )
