"""Distributions as values: a family and its exact parameters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.errors import InputError

FAMILIES = {  # the names of the parameters; None where there may be any number of them
    "Bernoulli": ("p",),
    "Categorical": ("probabilities",),
    "Beta": ("a", "b"),
    "Dirichlet": ("alpha",),
    "Normal": ("mean", "variance"),
    "Finite": ("values", "weights"),
}
PRIOR_OF = {"Bernoulli": "Beta", "Categorical": "Dirichlet", "Normal": "Normal"}


def label_key(value: Any) -> Any:
    """What makes labels equal: True is not 1, and 1 is 1 however it is written."""
    if isinstance(value, tuple):
        return tuple(map(label_key, value))
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return "number", Fraction(value)
    return type(value).__name__, value


@dataclass(frozen=True)
class Law:
    """A distribution: Beta(a, b), Dirichlet(alpha), Normal(mean, variance), Finite(values, …).

    Parameters are exact fractions; those of a released Beta may be negative, which is an error only
    when it is used as a posterior.
    """

    family: str
    parameters: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.family}({', '.join(map(_shown, self.parameters))})"

    __repr__ = __str__


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return check.show(value) if isinstance(value, Fraction) else repr(value)


def exact(argument: str, value: object) -> Any:
    """A number, or numbers, as exact fractions."""
    if isinstance(value, (tuple, list)):
        return tuple(exact(f"{argument}[{i}]", item) for i, item in enumerate(value))
    return value if isinstance(value, (bool, str)) else check.rational(argument, value)


def make(family: str, *parameters: object) -> Law:
    """A distribution whose parameters a user wrote."""
    names = FAMILIES[family]
    if len(parameters) != len(names):
        raise InputError(f"{family} needs {' and '.join(names)}", "parameters")
    pairs = zip(names, parameters, strict=True)
    return Law(family, tuple(exact(name, value) for name, value in pairs))


MOST_BITS = 1000  # of a parameter: balls around distances have to become narrow in time


def require_short(argument: str, x: object) -> None:
    """Refuse a number of very many digits."""
    if isinstance(x, tuple):
        for part in x:
            require_short(argument, part)
    elif isinstance(x, Fraction) and max(abs(x.numerator), x.denominator).bit_length() > MOST_BITS:
        raise InputError(f"{argument} must have less than 300 digits", argument.split("[")[0])


def read_law(argument: str, value: object, family: str) -> Law:
    """A candidate of that family, with parameters it can have."""
    if not isinstance(value, Law) or value.family != family:
        raise InputError(f"{argument} must be a {family}, got {check.brief(value)}", argument)
    require_proper(argument, value)
    require_short(argument, value.parameters)
    return value


def _numbers(values: object) -> bool:
    return isinstance(values, tuple) and bool(values) and all(type(x) is Fraction for x in values)


def require_proper(argument: str, law: Law) -> None:
    """Refuse parameters that no distribution has."""
    if law.family in ("Beta", "Dirichlet"):
        listed = law.parameters if law.family == "Beta" else law.parameters[0]
        fine = _numbers(listed) and min(listed) > 0
        rule = "positive parameters"
    elif law.family == "Normal":
        fine, rule = _numbers(law.parameters) and law.parameters[1] > 0, "a positive variance"
    elif law.family == "Finite":
        values, weights = law.parameters
        fine = _numbers(weights) and isinstance(values, tuple) and len(values) == len(weights)
        fine = fine and min(weights) >= 0 and sum(weights) > 0
        rule = "as many weights as values, not negative, not all zero"
    else:
        fine, rule = True, ""
    if not fine:
        raise InputError(f"{argument} must have {rule}, got {law}", argument)
