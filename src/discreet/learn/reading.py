"""Records of X and y as arrays.

Texts of numpy and scikit-learn that quote the data are replaced.
"""

# ruff: noqa: N803 - X is scikit-learn's name

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import validate_data

from discreet.data.plain import is_later
from discreet.data.units import require_unit
from discreet.data.weights import numbered
from discreet.errors import InputError
from discreet.learn.encoding import Column

_TYPES = {bool, float, np.float32, np.float64, np.int64, np.bool_}  # that arrays have too


def read_records(estimator: Any, X: Any, y: Any) -> tuple[list[str], list[Column], Column]:
    """The features' names, the columns of X, and y: for `fit`."""
    columns = read_features(estimator, X, y)
    target = read_target(y)
    if len(columns[0]) != len(target):  # their numbers may be private
        raise InputError("X and y must have the same number of records", "y")
    numbered = [f"x{place}" for place in range(len(columns))]
    names = [str(name) for name in getattr(estimator, "feature_names_in_", numbered)]
    return names, columns, target


def read_groups(estimator: Any, groups: Any, records: int) -> tuple[dict[str, Any], Column | None]:
    """The rules for units, as `count` takes them, and whose the records are."""
    rules = {name: getattr(estimator, name) for name in ("unit", "max_per_unit", "per_unit")}
    require_unit(**rules)
    if (unit := rules["unit"]) is None:
        if groups is None:
            return rules, None
        raise InputError("groups need unit='…', what one of them is, say a patient", "unit")
    if groups is None:
        raise InputError(f"groups must tell for every record which {unit} it is of", "groups")
    array = _array(groups, "groups")
    if array.ndim != 1 or len(array) != records:
        raise InputError("groups must have one entry for every record", "groups")
    if (numbered(array, unit)[0] < 0).any():
        raise InputError(f"groups must tell for every record which {unit} it is of", "groups")
    return rules, array


def read_features(estimator: Any, X: Any, *y: Any) -> list[Column]:
    """The columns of X, whose number and names the estimator keeps, or without y compares."""
    table, columns = read_table(X)
    validate_data(estimator, table, *y, reset=bool(y), skip_check_array=True)
    if has_names(table) and y and not hasattr(estimator, "feature_names_in_"):
        raise InputError(
            "X has column names that this version of scikit-learn does not read: give "
            "X.to_pandas(), or use scikit-learn 1.9 or later",
            "X",
        )
    return columns


def read_table(data: Any) -> tuple[Any, list[Column]]:
    """X as a frame or an array, and its columns."""
    if hasattr(data, "tocsr") or hasattr(data, "tocoo"):
        raise InputError("X must not be sparse: give X.toarray()", "X")
    if nw.dependencies.is_into_dataframe(data):
        return data, _columns(data)
    array = _array(data, "X")
    if not array.ndim:
        raise InputError(
            "X must be a data frame, or an array or list of records that are equally long, got "
            f"{type(data).__name__}",
            "X",
        )
    if array.ndim != 2:
        raise InputError(
            f"X must have two dimensions, got {array.ndim}. Reshape your data with "
            "X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one record",
            "X",
        )
    _require_content(array.shape)
    return array, list(array.T)


def _columns(data: Any) -> list[Column]:
    try:
        frame = nw.from_native(data, eager_only=True)
        _require_content(frame.shape)
        return [np.asarray(frame[:, place].to_numpy()) for place in range(frame.shape[1])]
    except nw.exceptions.DuplicateError:
        raise InputError("X must not have two columns of the same name", "X") from None


def has_names(data: Any) -> bool:
    """Whether the columns are called by text."""
    if not nw.dependencies.is_into_dataframe(data):
        return False
    return all(isinstance(name, str) for name in nw.from_native(data, eager_only=True).columns)


def read_target(y: Any) -> Column:
    """Y as an array of one dimension; a single column is taken with a warning."""
    array = _array(y, "y")
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected", DataConversionWarning, 4
        )
        array = array.ravel()
    if array.ndim != 1:
        raise InputError(f"y must have one dimension, got {array.ndim}", "y")
    values = array.tolist()
    if all(isinstance(value, (int, float)) for value in values):  # else NaN is a missing label
        for place, value in enumerate(values):
            if isinstance(value, float) and not math.isfinite(value):
                raise InputError(f"y[{place}] must not be NaN or infinite", "y")
    return array


def _array(data: Any, name: str) -> Column:
    if np.ma.isMaskedArray(data):
        raise InputError(f"{name} must not be masked: its mask would be lost", name)
    if is_later(data):  # as a whole, from parts whose types follow from their records
        raise InputError(f"{name} must be in memory, got {type(data).__name__}", name)
    try:
        array = _as_it_is(list(data)) if _is_sequence(data) else np.asarray(data)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind == "c":
        raise InputError(f"Complex data not supported: {name} must be text or real numbers", name)
    return array


def _as_it_is(data: Sequence[Any]) -> Column:
    """A list of records, or of values: as objects, unless all have one type that arrays have too.

    numpy would find a type that all of them can have, so that one decides how others are read; and
    an array of text forgets NUL at the end of every one.
    """
    inner = [_is_sequence(record) or isinstance(record, np.ndarray) for record in data]
    pairs = zip(data, inner, strict=True)
    values = [value for record, many in pairs for value in (record if many else [record])]
    if len(found := set(map(type, values))) == 1 and found <= _TYPES:
        return np.asarray(data)
    if any(isinstance(value, (complex, np.complexfloating)) for value in values):
        return np.asarray(data, dtype=complex)  # which is refused
    if found == {int} and all(-(2**63) <= value < 2**63 for value in values):
        return np.asarray(data, dtype=np.int64)
    if not any(inner):
        array = np.empty(len(data), dtype=object)
        array[:] = data
        return array
    width = len(data[0]) if inner[0] else -1
    if not all(inner) or any(len(record) != width for record in data):
        raise ValueError  # which `_array` takes for no array
    array = np.empty((len(data), width), dtype=object)
    for row, record in enumerate(data):
        for place, value in enumerate(record):
            array[row, place] = value
    return array


def _is_sequence(data: object) -> bool:
    """Whether numpy would look for the type of an array among the values."""
    found = hasattr(data, "__len__") and hasattr(data, "__getitem__")
    return found and not isinstance(data, (str, bytes, Mapping)) and not hasattr(data, "__array__")


def _require_content(shape: tuple[int, ...]) -> None:
    for number, what in zip(shape, ("sample", "feature"), strict=True):
        if number == 0:
            raise InputError(
                f"X has 0 {what}(s) (shape={shape}) while a minimum of 1 is required.", "X"
            )
