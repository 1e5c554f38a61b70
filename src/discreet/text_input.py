"""What was typed, on the command line or in the explorer, read exactly."""

from __future__ import annotations

import csv
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.families.dirichlet.model import DirichletMultinomial


@overload
def number(argument: str, text: str) -> Fraction: ...


@overload
def number(argument: str, text: str | None) -> Fraction | None: ...


def number(argument: str, text: str | None) -> Fraction | None:
    """A number in writing."""
    from discreet import check

    return None if text is None else check.text_number(argument, text)


def numbers(argument: str, text: str) -> list[Any]:
    """Numbers separated by commas."""
    return [number(argument, part) for part in text.split(",")]


def listed(argument: str, text: str) -> list[str]:
    """Names separated by commas; one with a comma inside goes between double quotes."""
    from discreet import check

    try:
        names = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        names = []
    if not names or not all(names):
        raise InputError(
            f"{argument} must be names separated by commas, got {check.brief(text)}", argument
        )
    return names


def model_of(categories: str, prior: str) -> DirichletMultinomial:
    """A model from its categories and its prior: one number, one per category, or jeffreys."""
    from discreet.families.dirichlet.model import DirichletMultinomial

    labels = listed("categories", categories)
    if prior == "jeffreys":
        return DirichletMultinomial(labels, "jeffreys")
    given = numbers("prior", prior)
    return DirichletMultinomial(labels, given[0] if len(given) == 1 else given)
