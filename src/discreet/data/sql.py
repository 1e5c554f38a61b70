"""SQL for DuckDB: how a value is read, compared and counted, as `reference` has it.

Names are quoted and constants escaped; nothing that the user gives is taken as SQL.
"""
# ruff: noqa: S608 - see above

from __future__ import annotations

import datetime
import operator
from collections.abc import Mapping, Sequence

from discreet.data import conditions, kinds
from discreet.data.axes import Axis, Cell
from discreet.data.categories import DECIMAL, LONGEST
from discreet.data.conditions import Column, Comparison, Condition, Constant, Joined, Missing
from discreet.data.units import Owners, multipliers

_OPERATORS = {
    operator.eq: "=",
    operator.ne: "<>",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Constant) -> str:
    """An SQL constant."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return double(value)
    if isinstance(value, datetime.datetime):
        return f"timestamp '{value.isoformat(' ')}'"
    if isinstance(value, datetime.date):
        return f"date '{value.isoformat()}'"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)


def double(value: float) -> str:
    """A float, from its text: as a decimal it would be rounded twice."""
    return f"cast('{value!r}' as double)"


def read(column: str, kind: str, type_: str) -> str:
    """A column as it is read: NaN is missing, −0 is 0."""
    if kind in (kinds.FLOATS, kinds.SINGLES):
        number = f"({column}::double + 0.0::double)"
        return f"case when not isnan({number}) then {number} end"
    if kind == kinds.ZONED:
        return f"timezone('UTC', {column})"
    if kind in (kinds.TEXT, kinds.WRITTEN):
        text = column if type_ == "VARCHAR" else f"{column}::varchar"
        exact = f"{text} collate c"  # letter by letter, whatever a table declares
        return exact if kind == kinds.TEXT else f"nullif({exact}, '')"
    return column


def prepared(axis: Axis, column: str) -> str:
    """A value in the form in which it is compared with those that mean categories."""
    if axis.kind == kinds.DECIMALS:
        return plainly(f"{column}::varchar")
    if not axis.plain:
        return column
    known = ", ".join(map(literal, axis.known))
    return f"case when {column} in ({known}) then {column} else {plainly(column)} end"


def plainly(text: str) -> str:
    """A decimal number as `categories.plainly` writes it; other text as it is."""
    mantissa = f"regexp_replace({text}, '[eE].*$', '')"
    digits = f"regexp_replace({mantissa}, '[+.-]', '', 'g')"
    short = f"regexp_replace({digits}, '0*$', '')"
    body = f"regexp_replace({short}, '^0*', '')"
    places = f"regexp_replace({mantissa}, '^[^.]*(\\.|$)', '')"
    written = f"coalesce(try_cast(regexp_extract({text}, '[eE](.*)$', 1) as integer), 0)"
    power = f"({written} - length({places}) + length({digits}) - length({short}))"
    sign = f"case when starts_with({text}, '-') then '-' else '' end"
    ending = f"case when {power} = 0 then '' else 'e' || {power} end"
    number = f"case when {body} = '' then '0' else {sign} || {body} || {ending} end"
    known = f"length({text}) <= {LONGEST} and regexp_full_match({text}, '{DECIMAL}')"
    return f"case when {known} then {number} else {text} end"


def value(axis: Axis, column: str) -> str:
    """The value where it means a category, and null elsewhere."""
    return f"case when {column} in ({', '.join(map(literal, axis.known))}) then {column} end"


def position(axis: Axis, column: str) -> str:
    """The place of the category that a value means, and null elsewhere."""
    cases = " ".join(
        f"when {literal(value)} then {place}" for value, place in axis.places().items()
    )
    return f"case {column} {cases} end"


def inside(axes: Sequence[Axis], cell: Cell) -> list[str]:
    """Whether values v0, v1, … mean the categories of a cell: a condition for each."""
    return [
        f"v{i} is null"
        if place is None
        else f"coalesce(v{i} in ({', '.join(map(literal, axis.forms[place]))}), false)"
        if axis.forms[place]
        else "false"
        for i, (axis, place) in enumerate(zip(axes, cell, strict=True))
    ]


def cells(numbered: Sequence[tuple[int, list[int]]], tables: Sequence[Sequence[int]]) -> str:
    """The list of the cells of several tables in which places p0, p1, … fall; see `strides`."""
    codes = [
        " + ".join([str(start), *(f"{s} * p{i}" for i, s in zip(table, steps, strict=True))])
        for table, (start, steps) in zip(tables, numbered, strict=True)
    ]
    return f"[{', '.join(codes)}]"


def weighed(records: str, contents: Sequence[str], owners: Owners) -> str:
    """Records with unit u, digits, state and contents, and the weight w of every one; see `units`.

    Only those of one state are of one unit.
    """
    by = multipliers(len(contents))
    moved = " + ".join(["11", *(f"{b} * {c}::bigint" for b, c in zip(by, contents, strict=True))])
    ranked = (
        f"select *, row_number() over (partition by state, u order by {', '.join(contents)}) as r, "
        f"count(*) over (partition by state, u) as t, "
        f"sum(({moved}) % 100) over (partition by state, u)::bigint as moved from {records}"
    )
    # ⌊m·r/T + u⌋ in integers, u = (start + ½)/100
    shares = [
        f"(200 * {owners.total} * {rank} + (2 * ((digits + moved) % 100) + 1) * t) // (200 * t)"
        for rank in ("r", "(r - 1)")
    ]
    weight = f"case when t <= {owners.whole} then 1 else {' - '.join(shares)} end"
    return f"(select *, {weight} as w from ({ranked}))"


def digit(letter: str) -> str:
    """The digit that a letter is, else 0."""
    return f"case when {letter} between '1' and '9' then {letter}::integer else 0 end"


def measured(column: str, kind: str) -> str:
    """A column as doubles; truth counts as 1."""
    if kind != kinds.WRITTEN:
        return f"{column}::double"
    return f"coalesce({_number(column, kind)}, {_truth(column, kind)}::double)"


def _number(column: str, kind: str) -> str:
    """A column as the numbers that it holds, or says."""
    if kind == kinds.INTEGERS:
        return column
    if kind != kinds.WRITTEN:
        return f"{column}::double"
    said = _said(column)
    return f"case when not isnan({said}) then {said} end"


def _said(column: str) -> str:
    """The number that a text says, as in Python but for underscores."""
    plain = f"not contains({column}, '_') and not contains({column}, '(')"
    return f"case when {plain} then try_cast({column} as double) end"


def _truth(column: str, kind: str) -> str:
    if kind != kinds.WRITTEN:
        return column
    true, false = ("'true', 'True', 'TRUE', '1'", "'false', 'False', 'FALSE', '0'")
    return f"case when {column} in ({true}) then true when {column} in ({false}) then false end"


def satisfied(condition: Condition, columns: Mapping[str, str]) -> str:
    """Whether a record satisfies a condition; `columns` are kinds by name."""
    if isinstance(condition, Joined):
        word = " and " if condition.by is operator.and_ else " or "
        return "(" + word.join(satisfied(part, columns) for part in condition.parts) + ")"
    here = condition.column.name
    if isinstance(condition, Missing):
        column = present(quoted(here), columns[here])
        return f"{column} is {'' if condition.missing else 'not '}null"
    assert isinstance(condition, Comparison)
    sign, other = _OPERATORS[condition.operator], condition.other
    if condition.typed == conditions.WRITTEN:
        assert isinstance(other, Column)
        left, right = (present(quoted(name), kinds.WRITTEN) for name in (here, other.name))
        return _written(left, sign, right)
    as_type = {conditions.NUMBERS: _number, kinds.BOOLEANS: _truth}.get(condition.typed, present)
    left = as_type(quoted(here), columns[here])
    if isinstance(other, Column):
        right = as_type(quoted(other.name), columns[other.name])
        cast = "::double" if condition.typed == conditions.NUMBERS else ""
        return f"{left}{cast} {sign} {right}{cast}"
    return f"{left} {sign} {literal(other)}"


def present(column: str, kind: str) -> str:
    """A column with null for NaN that is written, as in conditions and units."""
    if kind != kinds.WRITTEN:
        return column
    return f"case when {column} not in ({', '.join(map(literal, kinds.NANS))}) then {column} end"


def _written(left: str, sign: str, right: str) -> str:
    """Numbers as numbers, where both say one; the text otherwise."""
    numbers = " ".join((_number(left, kinds.WRITTEN), sign, _number(right, kinds.WRITTEN)))
    both = f"{_said(left)} is not null and {_said(right)} is not null"
    return f"case when {both} then {numbers} else {left} {sign} {right} end"
