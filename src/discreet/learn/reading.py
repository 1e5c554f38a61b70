"""The columns of X, and y, as arrays.

Texts of numpy and scikit-learn that quote the data are replaced.
"""

from __future__ import annotations

import warnings
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.exceptions import DataConversionWarning

from discreet.errors import InputError
from discreet.learn.encoding import Column


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
    if array.dtype.kind == "f" and not (finite := np.isfinite(array)).all():
        raise InputError(f"y[{int(finite.argmin())}] must not be NaN or infinite", "y")
    return array


def _array(data: Any, name: str) -> Column:
    try:
        array = np.asarray(data)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind == "c":
        raise InputError(f"Complex data not supported: {name} must be text or real numbers", name)
    return array


def _require_content(shape: tuple[int, ...]) -> None:
    for number, what in zip(shape, ("sample", "feature"), strict=True):
        if number == 0:
            raise InputError(
                f"X has 0 {what}(s) (shape={shape}) while a minimum of 1 is required.", "X"
            )
