"""Exact symbolic numbers: sums of products of symbols, roots, π and named constants.

One canonical form, so that equal expressions are mostly equal objects: 2·eps, V·eps/(v + n·V),
√(1 − π/4)·eps. Real constants are kept by name and known as balls; nothing is rounded here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from flint import arb

from discreet.exact.balls import Real, ball


@dataclass(frozen=True)
class Symbol:
    """A parameter, or n."""

    name: str


@dataclass(frozen=True)
class Constant:
    """A real constant, known by its name and as a ball."""

    name: str

    def ball(self) -> arb:
        """At the working precision."""
        return _CONSTANTS[self.name]()


@dataclass(frozen=True)
class Function:
    """sqrt, log, exp, min or max of expressions, or the reciprocal's base: a sum."""

    name: str
    parts: tuple[Expression, ...]


Base: TypeAlias = Symbol | Constant | Function
Monomial: TypeAlias = tuple[tuple[Base, int], ...]

_CONSTANTS: dict[str, Real] = {"pi": arb.pi}
_FUNCTIONS: dict[str, Callable[[list[arb]], arb]] = {
    "sqrt": lambda parts: parts[0].sqrt(),
    "log": lambda parts: parts[0].log(),
    "exp": lambda parts: parts[0].exp(),
    "min": lambda parts: _fold(arb.min, parts),
    "max": lambda parts: _fold(arb.max, parts),
    "sum": lambda parts: parts[0],
}


def _fold(take: Callable[[arb, arb], arb], parts: list[arb]) -> arb:
    result = parts[0]
    for part in parts[1:]:
        result = take(result, part)
    return result


@dataclass(frozen=True)
class Expression:
    """A sum of monomials with rational coefficients, in canonical order."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    # ---- arithmetic --------------------------------------------------------------------------

    def __add__(self, other: Expression) -> Expression:
        if not self.terms or not other.terms:
            return self if self.terms else other
        found = dict(self.terms)
        for monomial, coefficient in other.terms:
            found[monomial] = found.get(monomial, Fraction(0)) + coefficient
        return _sum(found)

    def __neg__(self) -> Expression:
        return Expression(tuple((m, -c) for m, c in self.terms))

    def __sub__(self, other: Expression) -> Expression:
        return self + -other

    def __mul__(self, other: Expression) -> Expression:
        for one, two in ((self, other), (other, self)):
            if len(one.terms) > 1 and len(two.terms) == 1:
                lead, unit = _normalised(one)
                bases = dict(two.terms[0][0])
                key = Function("sum", (unit,))
                if bases.get(key, 0) < 0:  # (v + nV)·(v + nV)⁻¹ = 1
                    coefficient = two.terms[0][1] * lead
                    bases[key] += 1
                    return Expression(((_product(bases.items()), coefficient),))
        found: dict[Monomial, Fraction] = {}
        rest = ZERO
        for left, a in self.terms:
            for right, b in other.terms:
                product, factor = _multiplied(left, right)
                if factor is None:
                    found[product] = found.get(product, Fraction(0)) + a * b
                else:  # a root met itself
                    rest += factor * Expression(((product, a * b),))
        return _sum(found) + rest

    def __truediv__(self, other: Expression) -> Expression:
        if not other.terms:
            raise ZeroDivisionError
        if len(other.terms) == 1:
            monomial, coefficient = other.terms[0]
            inverse = tuple((base, -power) for base, power in monomial)
            return self * Expression(((inverse, 1 / coefficient),))
        lead, unit = _normalised(other)
        if (own := _normalised(self))[1] == unit:
            return number(own[0] / lead)
        return self * Expression(((((Function("sum", (unit,)), -1),), 1 / lead),))

    def __pow__(self, power: int) -> Expression:
        result = ONE
        for _ in range(abs(power)):
            result = result * self if power > 0 else result / self
        return result

    # ---- questions ---------------------------------------------------------------------------

    @cached_property
    def value(self) -> Fraction | None:
        """The number, where it is a rational one without symbols."""
        if not self.terms:
            return Fraction(0)
        monomial, coefficient = self.terms[0]
        return coefficient if len(self.terms) == 1 and not monomial else None

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The names in it."""
        bases = (base for monomial, _ in self.terms for base, _power in monomial)
        return frozenset[str]().union(*map(symbols_of, bases))

    def ball(self, values: Mapping[str, Fraction]) -> arb:
        """Its value at numbers for the symbols, at the working precision."""
        total = arb(0)
        for monomial, coefficient in self.terms:
            product = ball(coefficient)
            for base, power in monomial:
                product *= _base_ball(base, values) ** power
            total += product
        return total

    def at(self, values: Mapping[str, Expression]) -> Expression:
        """The same with expressions in the place of symbols."""
        total = ZERO
        for monomial, coefficient in self.terms:
            product = number(coefficient)
            for base, power in monomial:
                product *= _replaced(base, values) ** power
            total += product
        return total

    def __str__(self) -> str:
        """For people: long fractions are rounded."""
        return _text(self, _short)

    def exact(self) -> str:
        """In writing, with every digit."""
        return _text(self, str)


def symbols_of(base: Base) -> frozenset[str]:
    """The names in a factor."""
    if isinstance(base, Symbol):
        return frozenset((base.name,))
    parts = base.parts if isinstance(base, Function) else ()
    return frozenset[str]().union(*(part.symbols for part in parts))


def _base_ball(base: Base, values: Mapping[str, Fraction]) -> arb:
    if isinstance(base, Symbol):
        return ball(values[base.name])
    if isinstance(base, Constant):
        return base.ball()
    return _FUNCTIONS[base.name]([part.ball(values) for part in base.parts])


def _replaced(base: Base, values: Mapping[str, Expression]) -> Expression:
    if isinstance(base, Symbol):
        return values.get(base.name, symbol(base.name))
    if isinstance(base, Constant):
        return _atom(base)
    parts = [part.at(values) for part in base.parts]
    return parts[0] if base.name == "sum" else _APPLY[base.name](*parts)


# ---- making them --------------------------------------------------------------------------------


def number(value: Fraction | int) -> Expression:
    """A rational number."""
    return Expression((((), Fraction(value)),) if value else ())


def rational_gcd(a: Fraction, b: Fraction) -> Fraction:
    """The largest number that both are whole multiples of."""
    bottom = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * bottom), int(b * bottom)), bottom)


ZERO, ONE = number(0), number(1)


def _atom(base: Base) -> Expression:
    return Expression(((((base, 1),), Fraction(1)),))


def symbol(name: str) -> Expression:
    """A name."""
    return _atom(Symbol(name))


def constant(name: str, real: Real) -> Expression:
    """A real number by its name, which says all that determines it."""
    _CONSTANTS.setdefault(name, real)
    return _atom(Constant(name))


PI = _atom(Constant("pi"))


def sqrt(x: Expression) -> Expression:
    """The root; exact where it is rational."""
    if x.value is not None and x.value >= 0:
        top, bottom = math.isqrt(x.value.numerator), math.isqrt(x.value.denominator)
        if top**2 == x.value.numerator and bottom**2 == x.value.denominator:
            return number(Fraction(top, bottom))
    if len(x.terms) == 1 and x.value is None:  # √(4·π²) = 2·π
        monomial, coefficient = x.terms[0]
        even = all(power % 2 == 0 and _positive(base) for base, power in monomial)
        if even and coefficient > 0:
            half = Expression(((tuple((b, p // 2) for b, p in monomial), Fraction(1)),))
            return sqrt(number(coefficient)) * half
    return _atom(Function("sqrt", (x,)))


def _positive(base: Base) -> bool:
    return isinstance(base, Constant)


def log(x: Expression) -> Expression:
    """The natural logarithm."""
    return ZERO if x == ONE else _atom(Function("log", (x,)))


def exp(x: Expression) -> Expression:
    """e to that power."""
    return ONE if x == ZERO else _atom(Function("exp", (x,)))


def least(*parts: Expression) -> Expression:
    """The least of them."""
    return _extreme("min", min, parts)


def largest(*parts: Expression) -> Expression:
    """The largest of them."""
    return _extreme("max", max, parts)


def _extreme(
    name: str, take: Callable[[Iterable[Fraction]], Fraction], parts: tuple[Expression, ...]
) -> Expression:
    distinct = list(dict.fromkeys(parts))
    numbers = [part.value for part in distinct if part.value is not None]
    if len(numbers) > 1:
        distinct = [part for part in distinct if part.value is None] + [number(take(numbers))]
    return distinct[0] if len(distinct) == 1 else _atom(Function(name, tuple(distinct)))


def worst(*parts: Expression) -> Expression:
    """The largest of distances or costs, none of which is negative."""
    flat = [inner for part in parts for inner in _alternatives(part)]
    most: dict[Monomial, Fraction] = {}
    kept: list[Expression] = []
    for part in flat:
        if len(part.terms) == 1 and part.terms[0][1] > 0:  # a·m ≤ b·m where a ≤ b, as a·m ≥ 0
            monomial, coefficient = part.terms[0]
            most[monomial] = max(coefficient, most.get(monomial, coefficient))
        elif part != ZERO:
            kept.append(part)
    kept = [Expression(((m, c),)) for m, c in most.items()] + kept
    return largest(*(kept or [ZERO]))


def _alternatives(x: Expression) -> tuple[Expression, ...]:
    """What x is the largest of."""
    if len(x.terms) == 1:
        monomial, coefficient = x.terms[0]
        if len(monomial) == 1 and coefficient == 1:
            base, power = monomial[0]
            if isinstance(base, Function) and base.name == "max" and power == 1:
                return base.parts
    return (x,)


def absolute(x: Expression) -> Expression:
    """The magnitude."""
    if x.value is not None:
        return number(abs(x.value))
    if len(x.terms) == 1 and x.terms[0][1] < 0:
        return absolute(-x)
    return largest(x, -x)


_APPLY: dict[str, Callable[..., Expression]] = {
    "sqrt": sqrt,
    "log": log,
    "exp": exp,
    "min": least,
    "max": largest,
}


def _order(base: Base) -> tuple[int, str]:
    """Constants, functions, symbols; the usual ε last."""
    if isinstance(base, Symbol):
        return (3 if base.name.startswith("eps") else 2), base.name
    return (1, repr(base)) if isinstance(base, Function) else (0, base.name)


def _product(bases: Iterable[tuple[Base, int]]) -> Monomial:
    kept = [(base, power) for base, power in bases if power]
    return tuple(sorted(kept, key=lambda item: _order(item[0])))


def _multiplied(left: Monomial, right: Monomial) -> tuple[Monomial, Expression | None]:
    """Their product; √x·√x leaves x as a factor of its own."""
    bases = dict(left)
    for base, power in right:
        bases[base] = bases.get(base, 0) + power
    factor = None
    for base, power in list(bases.items()):
        if isinstance(base, Function) and base.name == "sqrt" and abs(power) >= 2:
            bases[base] = power % 2 if power > 0 else -(-power % 2)
            whole = base.parts[0] ** (abs(power) // 2)
            factor = (factor or ONE) * (whole if power > 0 else ONE / whole)
    return _product(bases.items()), factor


def _sum(found: Mapping[Monomial, Fraction]) -> Expression:
    kept = [(monomial, c) for monomial, c in found.items() if c]
    return Expression(tuple(sorted(kept, key=lambda term: [_order(b) for b, _ in term[0]])))


def _normalised(x: Expression) -> tuple[Fraction, Expression]:
    """The first coefficient, and what is left when it is divided out."""
    if not x.terms:
        return Fraction(0), x
    lead = x.terms[0][1]
    return lead, Expression(tuple((m, c / lead) for m, c in x.terms))


# ---- for people ---------------------------------------------------------------------------------


Shown: TypeAlias = Callable[[Fraction], str]


def _short(value: Fraction) -> str:
    """A decimal where it is exact, or where a fraction would be long."""
    if value.denominator <= 10:
        return str(value)
    exact = f"{float(value):.12g}"
    if Fraction(exact) == value:
        return exact
    return str(value) if value.denominator < 10**6 else f"{float(value):.6g}"


def _base_text(base: Base, shown: Shown) -> str:
    if isinstance(base, (Symbol, Constant)):
        return base.name
    inside = ", ".join(_text(part, shown) for part in base.parts)
    return f"({inside})" if base.name == "sum" else f"{base.name}({inside})"


def _factors(bases: list[tuple[Base, int]], shown: Shown) -> str:
    texts = [_base_text(b, shown) + (f"**{abs(p)}" if abs(p) > 1 else "") for b, p in bases]
    return "*".join(texts)


def _term_text(monomial: Monomial, coefficient: Fraction, shown: Shown) -> str:
    above = [(b, p) for b, p in monomial if p > 0]
    below = [(b, p) for b, p in monomial if p < 0]
    top, bottom = _factors(above, shown), _factors(below, shown)
    if coefficient != 1 or not top:
        short = coefficient.denominator <= 10 and coefficient.denominator > 1 and top
        if short and not bottom:
            lead = "" if coefficient.numerator == 1 else f"{coefficient.numerator}*"
            return f"{lead}{top}/{coefficient.denominator}"
        top = shown(coefficient) + (f"*{top}" if top else "")
    if not bottom:
        return top
    return f"{top}/({bottom})" if len(below) > 1 else f"{top}/{bottom}"


def _text(x: Expression, shown: Shown) -> str:
    if not x.terms:
        return "0"
    text = ""
    for place, (monomial, coefficient) in enumerate(x.terms):
        sign = "-" if coefficient < 0 else "+"
        term = _term_text(monomial, abs(coefficient), shown)
        text += f"{sign if sign == '-' else ''}{term}" if not place else f" {sign} {term}"
    return text
