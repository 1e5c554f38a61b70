"""The few rows of a result of a frame, in Python."""

from __future__ import annotations

from typing import Any, TypeAlias

from discreet.data.connections import ONE_AT_A_TIME

Frame: TypeAlias = Any  # of narwhals, eager or lazy


def rows(found: Frame, streaming: bool = False) -> list[tuple[Any, ...]]:
    """The few rows of a result, in Python; polars may read the records in batches.

    Lazy engines move conditions, those of the user's own query too, into the reading of files and
    skip records there by statistics, which leave NaN out. So nothing is moved there.
    """
    import narwhals as nw

    if not isinstance(found, nw.DataFrame) and found.implementation.is_spark_like():
        return _collected(found.to_native())
    return list(collected(found, streaming).rows())


def collected(found: Frame, streaming: bool = False) -> Any:
    """A frame in memory; nothing is moved into the reading of files."""
    import narwhals as nw

    if isinstance(found, nw.DataFrame):
        return found
    options: dict[str, Any] = {}
    if found.implementation.is_polars():
        polars, stay = nw.get_native_namespace(found), {"predicate_pushdown": False}
        newer = hasattr(polars, "QueryOptFlags")
        options = {"optimizations": polars.QueryOptFlags(**stay)} if newer else stay
        options |= {"engine": "streaming"} if streaming else {}
    return found.collect(**options)


_PUSHED = (
    *(f"spark.sql.{format_}.filterPushdown" for format_ in ("parquet", "orc")),
    "spark.sql.inMemoryColumnarStorage.partitionPruning",
)


def _collected(found: Any) -> list[tuple[Any, ...]]:
    """The rows of a DataFrame of Spark; the settings of the user's session are put back."""
    settings = found.sparkSession.conf
    with ONE_AT_A_TIME:
        before = {key: settings.get(key, "true") for key in _PUSHED}
        try:
            for key in _PUSHED:
                settings.set(key, "false")
            return [tuple(row) for row in found.collect()]
        finally:
            for key, value in before.items():
                settings.set(key, value)
