"""What the checker knows of a value, in words."""

from __future__ import annotations

from discreet.programs.abstract import (
    Abstract,
    Belief,
    Closure,
    FamilyName,
    Items,
    LawOf,
    Noisy,
    Observation,
    Private,
    Public,
    Random,
    RecordList,
    Scale,
    Theta,
    Vector,
    is_public,
)
from discreet.programs.symbolic import Expression, symbol, worst


def in_program(x: Expression) -> str:
    """As it is written inside a program, where the number of records is len(data)."""
    return str(x.at({"n": symbol("len(data)")}))


def describe(value: Abstract) -> str:
    """A type, as a reader sees it."""
    if isinstance(value, Public):
        if value.number is not None:
            return f"public, {value.number}"
        if value.literal is not None and value.sort in ("flag", "category"):
            return f"public, {value.literal!r}"
        return "public" if value.sort == "number" else f"public {value.sort}"
    if isinstance(value, Private):
        if value.distances is None:
            return "private, without a bound"
        kind = "" if value.sort == "number" else f" {value.sort}"
        return f"private{kind}, moved by {worst(*value.distances)}"
    if isinstance(value, Vector):
        return f"private vector, moved by {worst(*value.l1)} in all"
    if isinstance(value, Items):
        if len(value.items) > 4 and is_public(value):
            return f"{len(value.items)} public values"
        return f"({'; '.join(map(describe, value.items))})"
    if isinstance(value, RecordList):
        return f"records, each {describe(value.item)}"
    if isinstance(value, LawOf):
        return f"{value.family}({'; '.join(map(describe, value.parameters))})"
    if isinstance(value, Belief):
        kind = "posterior" if value.inferred else "belief"
        given = "public" if value.records is None else f"given {value.records.own}"
        return f"{value.prior.family} {kind} {given}"
    if isinstance(value, Noisy):
        return f"noise that costs {worst(*value.epsilons)} when it is sampled"
    if isinstance(value, (Random, Observation)):
        return "a draw inside a likelihood"
    if isinstance(value, Scale):
        return f"sigma for ({value.epsilon}, {value.delta}) at distance {value.distance}"
    return {Closure: "a function", FamilyName: "a family", Theta: "the unknown"}.get(
        type(value), "private"
    )
