"""Why data cannot be read, in words that no record chooses.

Messages of engines quote records, so none is passed on, nor is a word looked for where a record may
have put it. What is said follows from the type of the error, the number that the operating system
gave it, the name of a module, or a fixed text: at the start of a message, before anything is
quoted, or at its end, after the record.
"""

from __future__ import annotations

import errno
import os
import re

_PARQUET = "it is no whole Parquet file"
_VALUE = "a value does not fit the type of its column"
_TYPES = {
    "ArrowInvalid": _VALUE,
    "ConnectionException": "its connection is closed",
    "CatalogException": "a table, column or function that it computes with does not exist",
    "ColumnNotFoundError": "a column that it computes with does not exist",  # of polars
    "ConversionException": _VALUE,
    "DuplicateError": "two columns have the same name",  # of narwhals and polars
    "InvalidOperationError": _VALUE,  # of polars
    "NumberFormatException": _VALUE,  # of Spark
    "OutOfMemoryException": "it does not fit into memory",
    "OutOfRangeException": _VALUE,
    "ResourceInUseException": "it is in use in this process, or can be read only once",
    "Py4JNetworkError": "its engine is not running",
    "TypeMismatchException": _VALUE,
    "UnicodeDecodeError": "it is not UTF-8 text",
}
_NUMBERS = {  # of errors that come without the number of the operating system
    ConnectionRefusedError: errno.ECONNREFUSED,
    FileNotFoundError: errno.ENOENT,
    IsADirectoryError: errno.EISDIR,
    PermissionError: errno.EACCES,
    TimeoutError: errno.ETIMEDOUT,
}
_OBJECT = "a line is no JSON object, or has a key twice"
_STARTS = {  # of DuckDB's messages
    "Invalid Input Error: File ": _PARQUET,
    "Invalid Input Error: Malformed JSON": "a line is not JSON",
    "Invalid Input Error: JSON transform error": _OBJECT,
    "Invalid Input Error: Expected records": _OBJECT,
    "Invalid Input Error: No magic bytes": _PARQUET,
    "IO Error: Could not set lock": "another process has locked it",
    "IO Error: Input is not a GZIP stream": "it is no whole .gz file",
    "IO Error: No files found": os.strerror(errno.ENOENT),
    "IO Error: Trying to read a database file with version": "another DuckDB version wrote it",
}
_LINE_RULES = {  # behind a line that DuckDB quotes
    "Expected Number of Columns": "the rows have different numbers of columns",
    "Maximum line size": "a line is too long",
    "is not utf-8 encoded": "it is not UTF-8 text",
    "unterminated quote": "a quote is not closed",
}
_PACKAGES = ("pyarrow", "pandas", "polars", "numpy", "dask", "ibis", "pyspark")


def reason(error: BaseException) -> str:
    """What is wrong, as the end of the sentence "data cannot be read: …"."""
    said = None
    if isinstance(error, ImportError):
        said = _package(error)
    elif isinstance(error, OSError):
        kinds = (number for kind, number in _NUMBERS.items() if isinstance(error, kind))
        number = error.errno or next(kinds, None)
        said = None if number is None else os.strerror(number)
    elif _engine(error) == "duckdb":
        said = _of_duckdb(error)
    if said is None:
        names = (kind.__name__ for kind in type(error).__mro__)
        said = next((_TYPES[name] for name in names if name in _TYPES), None)
    return said or f"the engine reports {type(error).__name__}{_condition(error)}"


def _engine(error: BaseException) -> str:
    return type(error).__module__.partition(".")[0].lstrip("_")


def _package(error: ImportError) -> str:
    """Modules are named by programs, not by records."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        return f"its engine needs {package}: pip install {package}"
    named = (name for name in _PACKAGES if name in str(error))
    package = (error.name or next(named, "")).partition(".")[0]
    if not package:
        return "a package of its engine cannot be imported"
    return f"its engine needs another version of {package}: pip install --upgrade {package}"


def _of_duckdb(error: BaseException) -> str | None:
    if type(error).__name__ == "Error":  # and no kind of it: about the bytes of a file
        return "it may be damaged"
    text = str(error)
    if line := re.match(r"Invalid Input Error: CSV Error on Line: (\d+)", text):
        # the quoted line may hold any of the rules, but what stands last stands behind it
        rule = max(_LINE_RULES, key=text.rfind)
        said = _LINE_RULES[rule] if rule in text else "a line cannot be read"
        return f"{said} at line {line[1]}"
    if start := next(filter(text.startswith, _STARTS), None):
        return _STARTS[start]
    if text.startswith("IO Error: "):  # it quotes the names of files, and no records
        if "is not a valid DuckDB database file" in text:
            return "it is no DuckDB database"
        return next((said for said in map(os.strerror, errno.errorcode) if said in text), None)
    return None


def _condition(error: BaseException) -> str:
    """Spark's name for what went wrong, one of a list; it stands before all that is quoted."""
    if _engine(error) not in ("pyspark", "py4j"):
        return ""
    calling = r"(?:An error occurred while calling [\w.]+\n: [\w.]+: )?"
    found = re.match(rf"{calling}\[([A-Z_.]+)\]", str(error))
    return f" ({found[1]})" if found else ""
