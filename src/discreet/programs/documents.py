"""Programs and what they release, as JSON can hold them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.core.documents import exact
from discreet.errors import InputError
from discreet.programs import declared
from discreet.programs.families import FAMILIES, Law
from discreet.programs.program import Program, Source, make_program


def describe_program(program: Program) -> dict[str, Any]:
    """All that defines it."""
    budget = program.budget
    return {
        "kind": "Program",
        "name": program.name,
        "source": program.source.text,
        "words": dict(program.source.bindings),
        "data": write_kind(program.records),
        "params": {name: write_kind(kind) for name, kind in program.kinds},
        "budget": list(budget.written),
        "n": program.n,
    }


def read_program(document: Mapping[str, Any], adjacency: str) -> Program:
    """The program that a document describes."""
    source = Source(
        _text(document["name"]),
        _text(document["source"]),
        bindings=tuple(sorted((_text(k), _text(v)) for k, v in document["words"].items())),
    )
    data, params = read_kind(document["data"]), document["params"]
    budget = tuple(_text(part) for part in document["budget"])
    kinds = {_text(name): read_kind(kind) for name, kind in params.items()}
    return make_program(source, data, adjacency, budget, kinds, document["n"])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise InputError("a part of the program is no text")
    return value


def write_kind(kind: Any) -> dict[str, Any]:
    """A declared kind."""
    if isinstance(kind, declared.Records):
        return {"list": write_kind(kind.item)}
    if isinstance(kind, declared.Flag):
        return {"bool": True}
    if isinstance(kind, declared.Category):
        return {"enum": None if kind.labels is None else list(kind.labels)}
    if isinstance(kind, declared.Record):
        return {"tuple": [write_kind(part) for part in kind.parts]}
    if isinstance(kind, declared.Many):
        return {"vector": write_kind(kind.item)}
    if isinstance(kind, declared.Candidates):
        return {"candidates": kind.family}
    ends = [None if end is None else str(end) for end in (kind.low, kind.high)]
    return {"number": ends, "open": kind.open, "whole": kind.whole}


def read_kind(document: Mapping[str, Any]) -> Any:
    """What `write_kind` wrote."""
    if "list" in document:
        return declared.Records(read_kind(document["list"]))
    if "bool" in document:
        return declared.Flag()
    if "enum" in document:
        labels = document["enum"]
        return declared.Category(None if labels is None else check.categories(labels, "labels"))
    if "tuple" in document:
        return declared.Record(tuple(map(read_kind, document["tuple"])))
    if "vector" in document:
        return declared.Many(read_kind(document["vector"]))
    if "candidates" in document:
        return declared.Candidates(_text(document["candidates"]))
    low, high = (None if end is None else exact(end) for end in document["number"])
    if low is not None and high is not None and low >= high:
        raise InputError("the bounds of a parameter are reversed")
    return declared.Number(low, high, bool(document["open"]), bool(document["whole"]))


def write_value(value: Any) -> Any:
    """A parameter or a released value."""
    if isinstance(value, Law):
        return {"law": value.family, "parameters": write_value(value.parameters)}
    if isinstance(value, tuple):
        return [write_value(item) for item in value]
    return {"exact": str(value)} if isinstance(value, Fraction) else value


def read_value(value: Any) -> Any:
    """What `write_value` wrote."""
    if isinstance(value, list):
        return tuple(read_value(item) for item in value)
    if isinstance(value, dict) and "law" in value:
        if value["law"] not in FAMILIES:
            raise InputError("a distribution of an unknown family")
        return Law(value["law"], read_value(value["parameters"]))
    return exact(value["exact"]) if isinstance(value, dict) else value
