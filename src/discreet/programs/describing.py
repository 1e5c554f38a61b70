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
from discreet.programs.symbolic import worst


def describe(value: Abstract) -> str:
    """A type, as a reader sees it."""
    if isinstance(value, Public):
        if value.number is not None:
            return f"Pub = {value.number}"
        if value.literal is not None and value.sort in ("flag", "category"):
            return f"Pub = {value.literal!r}"
        return f"Pub[{value.sort}]"
    if isinstance(value, Private):
        if value.distances is None:
            return "private, without a bound"
        kind = {"flag": "Bool", "category": "Enum"}.get(value.sort, "Real")
        return f"{kind}@{worst(*value.distances)}"
    if isinstance(value, Vector):
        return f"Vec@{worst(*value.l1)} (l1)"
    if isinstance(value, Items):
        if len(value.items) > 4 and is_public(value):
            return f"{len(value.items)} public values"
        return f"({', '.join(map(describe, value.items))})"
    if isinstance(value, RecordList):
        return f"List[{describe(value.item)}]"
    if isinstance(value, LawOf):
        return f"{value.family}({', '.join(map(describe, value.parameters))})"
    if isinstance(value, Belief):
        kind = "Post" if value.inferred else "Belief"
        given = "public" if value.records is None else f"given {value.records.own}"
        return f"{kind}[{value.prior.family}] {given}"
    if isinstance(value, Noisy):
        return f"M[{worst(*value.epsilons)}, {value.delta}]"
    if isinstance(value, (Random, Observation)):
        return "a draw inside a likelihood"
    if isinstance(value, Scale):
        return f"sigma for ({value.epsilon}, {value.delta}) at distance {value.distance}"
    return {Closure: "a function", FamilyName: "a family", Theta: "the unknown"}.get(
        type(value), "private"
    )
