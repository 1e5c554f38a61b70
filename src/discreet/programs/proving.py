"""Inequalities between symbolic numbers, proved for all values of the parameters.

z3 sees polynomials only. Roots, logarithms, exponentials and named constants enter as unknowns
between rational bounds that balls have proved, so z3 is never asked about one of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.errors import DiscreetError, InputError
from discreet.exact import balls
from discreet.extras import needed
from discreet.programs.declared import Number
from discreet.programs.symbolic import (
    ZERO,
    Base,
    Constant,
    Expression,
    Function,
    Monomial,
    Symbol,
    number,
    symbol,
    symbols_of,
    worst,
)

LIMIT = 2_000  # milliseconds of z3
MOST_PARTS = 500  # of maxima in a question: z3 does not settle more of them, and far more end it
NEAR = 4  # distances before another one that it is compared with
_BITS = 192
_TRIED = tuple(Fraction(x) for x in ("1", "1/2", "2", "10", "1/10", "100", "1/100", "1000"))


@dataclass(frozen=True)
class Answer:
    """Whether it holds for all values: True, False with values where it does not, or None."""

    holds: bool | None
    example: Mapping[str, Fraction] | None = None


@dataclass(frozen=True)
class Prover:
    """What is known of the parameters."""

    symbols: dict[str, Number] = field(default_factory=dict)
    _answers: dict[tuple[Expression, bool], Answer] = field(
        default_factory=dict, repr=False, compare=False
    )

    def fresh(self, name: str, kind: Number) -> Expression:
        """A new symbol, with a name that nothing in a program can have."""
        made = f"{name}#{len(self.symbols)}"
        self.symbols[made] = kind
        return symbol(made)

    def at_most(self, left: Expression, right: Expression) -> Answer:
        """Is left ≤ right for all values of the symbols?"""
        gap = right - left
        if gap.value is not None:
            return Answer(gap.value >= 0, {})
        if (low := self.lower_bound(gap)) is not None and low >= 0:
            return Answer(True)
        if (example := self._tried(gap)) is not None:
            return Answer(False, example)
        return self._asked(gap)

    def positive(self, x: Expression) -> Answer:
        """Is x > 0 for all values?"""
        if x.value is not None:
            return Answer(x.value > 0, {})
        if self._sign(x) == 1:
            return Answer(True)
        for values in self._points(x):
            with balls.precision(_BITS):
                if x.ball(values) <= 0:
                    return Answer(False, values)
        return self._asked(x, strict=True)

    def nonzero(self, x: Expression) -> Answer:
        """Is x never 0?"""
        if x.value is not None:
            return Answer(x.value != 0, {})
        found = self.positive(x)
        return found if found.holds else self.positive(-x)

    def negative_at(self, x: Expression) -> dict[str, Fraction] | None:
        """Simple values at which x is negative; None if none is found, which proves nothing."""
        return self._tried(x)

    def convex(self, x: Expression, name: str) -> bool:
        """Whether x is seen to be convex in one symbol, whatever the others are."""
        return all(self._convex(monomial, coefficient, name) for monomial, coefficient in x.terms)

    def _convex(self, monomial: Monomial, coefficient: Fraction, name: str) -> bool:
        """Of a term: a power of the symbol, or a maximum, times what does not depend on it."""
        inside = [(base, power) for base, power in monomial if name in symbols_of(base)]
        if not inside or inside == [(Symbol(name), 1)]:
            return True  # a constant, or linear: also with a negative factor
        others = [base for base, _ in monomial if name not in symbols_of(base)]
        if len(inside) > 1 or coefficient < 0 or not all(map(self._never_negative, others)):
            return False
        ((base, power),) = inside
        if isinstance(base, Function):
            largest = base.name == "max" and power == 1
            return largest and all(self.convex(part, name) for part in base.parts)
        return self._surely_positive(base)  # all whole powers of positive numbers are convex

    def _never_negative(self, base: Base) -> bool:
        bounds = self._bounds(base)
        return (bounds is not None and bounds[0] >= 0) or self._surely_positive(base)

    def largest(self, distances: Iterable[Expression]) -> Expression:
        """The largest of distances, without those that are seen to be never larger than another."""
        kept: list[Expression] = []
        for x in dict.fromkeys(distances):
            near = kept[-NEAR:]
            if not any(self._covers(other, x) for other in near):
                kept[-NEAR:] = [*(other for other in near if not self._covers(x, other)), x]
        return worst(*kept)

    def _covers(self, one: Expression, two: Expression) -> bool:
        low = self.lower_bound(one - two)
        return low is not None and low >= 0

    # ---- by the signs of the terms -------------------------------------------------------------

    def _sign(self, x: Expression) -> int | None:
        """1 where every term is certainly positive."""
        if not x.terms:
            return 0
        for monomial, coefficient in x.terms:
            if coefficient <= 0 or not all(self._surely_positive(base) for base, _ in monomial):
                return None
        return 1

    def _surely_positive(self, base: Base) -> bool:
        if isinstance(base, Symbol):
            return base.name in self.symbols and self.symbols[base.name].positive
        if isinstance(base, Constant):
            with balls.precision(_BITS):
                return bool(base.ball() > 0)
        if base.name == "exp":
            return True
        if base.name in ("min", "max", "sum"):
            return all(self._sign(part) == 1 for part in base.parts)
        with balls.precision(_BITS):
            return not base.parts[0].symbols and bool(_enclosed(base)[0] > 0)

    def lower_bound(self, x: Expression) -> Fraction | None:
        """A number that x is never below, from the bounds of its symbols; None if none is seen."""
        total = Fraction(0)
        for monomial, coefficient in x.terms:
            low, high = Fraction(1), Fraction(1)
            top: Fraction | None = high
            for base, power in monomial:
                bounds = self._bounds(base)
                if bounds is None or bounds[0] < 0:
                    return None
                least, most = bounds
                if power < 0:
                    below = Fraction(0) if most is None else 1 / most
                    least, most = below, (1 / least if least else None)
                low *= least ** abs(power)
                top = None if top is None or most is None else top * most ** abs(power)
            if coefficient > 0:
                total += coefficient * low
            elif top is None:
                return None
            else:
                total += coefficient * top
        return total

    def _bounds(self, base: Base) -> tuple[Fraction, Fraction | None] | None:
        if isinstance(base, Symbol):
            kind = self.symbols.get(base.name)
            return None if kind is None or kind.low is None else (kind.low, kind.high)
        if isinstance(base, Constant) or not any(part.symbols for part in base.parts):
            return _enclosed(base)
        if base.name == "sum" and (low := self.lower_bound(base.parts[0])) is not None:
            return low, None
        if base.name == "max" and any(-part in base.parts for part in base.parts):
            return Fraction(0), None  # a magnitude: max(x, −x)
        return None

    # ---- by trying ----------------------------------------------------------------------------

    def _points(self, x: Expression) -> Iterator[dict[str, Fraction]]:
        names = sorted(x.symbols)
        if len(names) > 4:
            return
        tried = [[v for v in _TRIED if self._allowed(name, v)] for name in names]
        few = [values[:4] if len(names) > 2 else values for values in tried]
        for point in itertools.product(*few):
            yield dict(zip(names, point, strict=True))

    def _allowed(self, name: str, value: Fraction) -> bool:
        try:
            self.symbols.get(name, Number()).read(name, value)
        except DiscreetError:
            return False
        return True

    def _tried(self, gap: Expression) -> dict[str, Fraction] | None:
        """Simple values at which the gap is certainly negative."""
        for values in self._points(gap):
            with balls.precision(_BITS):
                if gap.ball(values) < 0:
                    return values
        return None

    # ---- by z3 --------------------------------------------------------------------------------

    def _asked(self, x: Expression, strict: bool = False) -> Answer:
        """Z3's answer to: x ≥ 0 (x > 0) for all values? Once for all positive multiples of x."""
        unit = x / number(abs(x.terms[0][1]))
        if (unit, strict) not in self._answers:
            self._answers[unit, strict] = self._solved(unit, strict)
        return self._answers[unit, strict]

    def _solved(self, x: Expression, strict: bool) -> Answer:
        if _parts(x) > MOST_PARTS:
            return Answer(None)
        z3 = solver_module()
        translator = _Translator(z3, self)
        solver = z3.Solver()
        solver.set("timeout", LIMIT)
        value = translator.expression(x)
        solver.add(*translator.facts)
        if solver.check() != z3.sat:  # facts that contradict each other would prove anything
            return Answer(None)
        solver.add(value <= 0 if strict else value < 0)
        found = solver.check()
        if found == z3.unsat:
            return Answer(True)
        if found != z3.sat:
            return Answer(None)
        model = solver.model()
        values = {name: _value(model.eval(v, True)) for name, v in translator.names.items()}
        missing = {name: Fraction(1) for name in x.symbols if name not in values}
        return self._confirmed(x, {n: v for n, v in values.items() if v is not None} | missing)

    def _confirmed(self, x: Expression, values: dict[str, Fraction]) -> Answer:
        """A model of z3's bounds is an example only if balls agree."""
        if x.symbols <= values.keys() and all(self._allowed(n, values[n]) for n in x.symbols):
            with balls.precision(_BITS):
                if x.ball(values) < 0:
                    return Answer(False, {name: values[name] for name in sorted(x.symbols)})
        return Answer(None)


def _enclosed(base: Base) -> tuple[Fraction, Fraction]:
    """Rational bounds of a constant."""
    for bits in (_BITS, 4 * _BITS, 16 * _BITS):  # √(1 − x) of a tiny x needs more of them
        with balls.precision(bits):
            value = Expression(((((base, 1),), Fraction(1)),)).ball({})
            if value.is_finite():
                return balls.fraction(value.lower()), balls.fraction(value.upper())
    raise InputError(f"{base.name} of these numbers does not exist", "budget")


def _parts(x: Expression) -> int:
    """How many expressions its maxima, minima and the like are made of."""
    functions = [b for monomial, _ in x.terms for b, _ in monomial if isinstance(b, Function)]
    return sum(1 + _parts(part) for base in functions for part in base.parts)


def _value(found: Any) -> Fraction | None:
    if hasattr(found, "as_fraction"):
        return Fraction(found.as_fraction())
    try:
        return Fraction(found.approx(20).as_fraction())
    except AttributeError:
        return None


class _Translator:
    """From expressions to z3's terms."""

    def __init__(self, z3: Any, prover: Prover) -> None:
        self.z3, self.prover = z3, prover
        self.names: dict[str, Any] = {}
        self.known: dict[Base, Any] = {}
        self.facts: list[Any] = []

    def expression(self, x: Expression) -> Any:
        total = self.z3.RealVal(0)
        for monomial, coefficient in x.terms:
            product = self._rational(coefficient)
            for base, power in monomial:
                value = self.base(base)
                for _ in range(abs(power)):
                    product = product * value if power > 0 else product / value
            total = total + product
        return total

    def _rational(self, value: Fraction) -> Any:
        return self.z3.Q(value.numerator, value.denominator)

    def base(self, base: Base) -> Any:
        if base not in self.known:
            self.known[base] = self._made(base)
        return self.known[base]

    def _made(self, base: Base) -> Any:
        z3 = self.z3
        if isinstance(base, Symbol):
            value = self.names[base.name] = z3.Real(base.name)
            kind = self.prover.symbols.get(base.name, Number())
            if kind.low is not None:
                low = self._rational(kind.low)
                self.facts.append(value > low if kind.open else value >= low)
            if kind.high is not None:
                self.facts.append(value <= self._rational(kind.high))
            return value
        if isinstance(base, Function) and base.name in ("min", "max", "sum"):
            parts = [self.expression(part) for part in base.parts]
            result = parts[0]
            for part in parts[1:]:
                take = part < result if base.name == "min" else part > result
                result = z3.If(take, part, result)
            if base.name == "sum":  # which is divided by
                self.facts.append(result != 0)
            return result
        value = z3.FreshReal("root")
        if isinstance(base, Constant) or not any(part.symbols for part in base.parts):
            low, high = _enclosed(base)
            self.facts += [value >= self._rational(low), value <= self._rational(high)]
        elif base.name == "sqrt" and self.prover.at_most(ZERO, base.parts[0]).holds:
            self.facts += [value >= 0, value * value == self.expression(base.parts[0])]
        elif base.name == "exp":
            self.facts.append(value > 0)
        return value


def solver_module() -> Any:
    """z3, or what to install."""
    with needed("programs are proved by z3", "discreet[language]"):
        import z3
    return z3


def show(values: Mapping[str, Fraction]) -> str:
    """For people: eps = 1, n = 2."""
    return ", ".join(f"{name} = {number(value)}" for name, value in values.items())
