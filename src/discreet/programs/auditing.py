"""The checker is checked: the exact loss of a program on small data sets, over all neighbours."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import arb

from discreet.core import Adjacency
from discreet.errors import DiscreetError
from discreet.exact import balls
from discreet.exact.balls import ball
from discreet.programs import declared, syntax
from discreet.programs.exploring import (
    Explorer,
    ImpossibleError,
    Repeater,
    TooManyError,
    evaluate,
    outcomes,
)
from discreet.programs.families import Law
from discreet.programs.noise import ASSUMED_GRID
from discreet.programs.program import FAILURES, Program
from discreet.programs.requests import Audit

COPIES = 1000  # of one candidate, so that it makes up nearly all of the sum of the weights
SMALL = 8  # records, up to where all data sets are gone through
_BASES = (Fraction(1), Fraction(1, 2), Fraction(10), Fraction(1, 10))
_REALS = (Fraction(0), Fraction(1), Fraction(1000))


@dataclass(frozen=True)
class Witness:
    """Neighbouring data, parameters and an output at which the loss is seen."""

    epsilon: float  # a lower bound of the loss; infinite where one side cannot happen
    claimed: float
    delta: float | None
    claimed_delta: float
    data: tuple[Any, ...]
    neighbour: tuple[Any, ...]
    parameters: Mapping[str, Any]
    output: Any
    assuming: str = ""  # of unknown functions, and of noise without a grid

    @property
    def violated(self) -> bool:
        """Whether it shows more than was claimed."""
        if self.delta is not None:
            return self.delta > self.claimed_delta
        return self.epsilon > self.claimed

    @property
    def tightness(self) -> float:
        """The loss as a share of the claim."""
        if self.delta is not None:
            return self.delta / self.claimed_delta
        return self.epsilon / self.claimed if self.claimed else float(self.epsilon > 0)

    def document(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "data": [show(value) for value in self.data],
            "neighbour": [show(value) for value in self.neighbour],
            "parameters": {
                name: show(value)
                for name, value in self.parameters.items()
                if not isinstance(value, tuple)
            },
            "output": show(self.output),
            "loss": str(self.epsilon) if self.epsilon == float("inf") else self.epsilon,
            "claimed": self.claimed,
            "delta": self.delta,
            "claimed_delta": self.claimed_delta,
            "assuming": self.assuming,
        }

    def __str__(self) -> str:
        at = ", ".join(
            f"{name} = {show(value)}"
            for name, value in self.parameters.items()
            if not isinstance(value, tuple)
        )
        sides = f"data {_listed(self.data)} and {_listed(self.neighbour)}"
        where = f"{sides}{f' at {at}' if at else ''}"
        if self.assuming:
            where = f"if {self.assuming}: {where}"
        if self.delta is not None:
            return (
                f"{where}: exact delta {self.delta:.6g} at epsilon {self.claimed:.6g}, claimed "
                f"{self.claimed_delta:.6g}"
            )
        loss = "infinite" if self.epsilon == float("inf") else f"{self.epsilon:.6g}"
        return f"{where}, output {show(self.output)}: exact loss {loss}, claimed {self.claimed:.6g}"


def show(value: Any) -> str:
    """For people."""
    if isinstance(value, Fraction):
        return str(value) if value.denominator < 1000 else f"{float(value):.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(show, value))})"
    return repr(value) if isinstance(value, str) else str(value)


def _listed(values: tuple[Any, ...]) -> str:
    return (
        f"[{', '.join(show(value) for value in values)}]"
        if len(values) <= 8
        else (f"[{', '.join(show(value) for value in values[:4])}, … {len(values)} records]")
    )


# ---- instances ----------------------------------------------------------------------------------


def records_of(program: Program, given: Mapping[str, Any] | None = None) -> tuple[Any, ...]:
    """Records to try: all there are, or some; categories without labels, those of the prior."""
    found = _tried(program.records.item, tuple(dict.fromkeys(_clipped(program.body))))
    if isinstance(program.records.item, declared.Category) and given is not None:
        vectors = [given[name] for name, kind in program.kinds if isinstance(kind, declared.Many)]
        if program.records.item.labels is None and vectors:
            return tuple(value for value in found if value < min(map(len, vectors)))
    return found


def _tried(kind: declared.Kind, ends: tuple[Fraction, ...]) -> tuple[Any, ...]:
    values = declared.support(kind)
    if values is not None:
        return values
    if isinstance(kind, declared.Category):
        return (0, 1, 2)
    if isinstance(kind, declared.Number):
        return _numbers(kind, ends)
    assert isinstance(kind, declared.Record)
    few = 2 if len(kind.parts) > 1 else 3  # of numbers
    parts = (_tried(part, ends)[: None if declared.support(part) else few] for part in kind.parts)
    return tuple(itertools.product(*parts))


def _numbers(kind: declared.Number, ends: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Where they are clipped to, or the bounds they have, or some."""
    low, high = kind.low, kind.high
    if low is not None and high is not None:
        return (low + high) / 2 if kind.open else low, high
    found = ends if len(ends) > 1 else (*ends, *_REALS)
    if low is not None:
        found = (low + kind.open, *(x for x in found if x > low + kind.open))
    return tuple(dict.fromkeys(found))[:3]


def _clipped(node: object) -> Iterator[Fraction]:
    """The numbers that a program clips to."""
    if isinstance(node, syntax.Call) and node.name == "clip":
        yield from (end.value for end in node.arguments[1:] if isinstance(end, syntax.Number))
    for part in syntax.parts(node):
        yield from _clipped(part)


def assumptions(program: Program, coarse: bool) -> str:
    """What a witness takes for granted: of words without a meaning here, and of noise."""
    said = [f"{name}(x) = 1000*x" for name in dict.fromkeys(_unknown(program.body))]
    if coarse:
        said.append(f"noise without a grid is drawn in steps of {ASSUMED_GRID}")
    return ", ".join(said)


def _unknown(node: object) -> Iterator[str]:
    if isinstance(node, syntax.Unknown):
        yield node.name
    for part in syntax.parts(node):
        yield from _unknown(part)


def neighbours(
    program: Program, n: int, given: Mapping[str, Any] | None = None
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """All pairs of neighbours with up to n records on the larger side, both ways."""
    records = records_of(program, given)
    ordered = bool(syntax.words(program.body) & {"sample_each", "fold"})  # of the records
    for values in _lists(records, n, ordered):
        seen = set()
        for place in range(n):
            if program.adjacency is Adjacency.ADD_REMOVE:
                others = [values[:place] + values[place + 1 :]]
            else:
                others = [
                    (*values[:place], record, *values[place + 1 :])
                    for record in records
                    if record is not values[place]
                ]
            for other in others:
                if not ordered:
                    other = tuple(sorted(other, key=records.index))
                if other not in seen:
                    seen.add(other)
                    yield values, other
                    yield other, values


def _lists(records: tuple[Any, ...], n: int, ordered: bool) -> Iterator[tuple[Any, ...]]:
    """All data sets of that size; of large ones those that are nearly constant."""
    if ordered:
        yield from itertools.product(records, repeat=n)
    elif n <= SMALL:
        yield from itertools.combinations_with_replacement(records, n)
    else:
        for many, other in itertools.permutations(records, 2):
            for few in range(2):
                values = (many,) * (n - few) + (other,) * few
                yield tuple(sorted(values, key=records.index))


def instances(
    program: Program, hint: Mapping[str, Fraction] | None = None
) -> Iterator[dict[str, Any]]:
    """Numbers for the parameters: where the solver failed, and some simple ones."""
    for base in _BASES if not hint else (_BASES[0], *_BASES):
        given = {name: _chosen(kind, base) for name, kind in program.kinds}
        if hint:
            given |= {name: value for name, value in hint.items() if name in given}
            hint = None
        yield given


def _chosen(kind: declared.Parameter, base: Fraction) -> Any:
    if isinstance(kind, declared.Many):
        return (_near(kind.item, Fraction(0)),) * 3
    if isinstance(kind, declared.Candidates):
        return (_DEFAULTS[kind.family],)
    return _near(kind, base)


def _near(kind: declared.Number, base: Fraction) -> Fraction:
    """A value of that kind: the base, or the lower end, or one near it."""
    low, high = kind.low, kind.high
    if kind.whole:
        return max(Fraction(math.ceil(base)), low or Fraction(0))
    if low is None or (low == 0 and base > 0 and (high is None or base < high)):
        return base
    if not kind.open:
        return low
    return low + 1 if high is None else low + (high - low) / 50


_DEFAULTS = {
    "Beta": Law("Beta", (Fraction(1), Fraction(1))),
    "Dirichlet": Law("Dirichlet", ((Fraction(1),) * 3,)),
    "Normal": Law("Normal", (Fraction(0), Fraction(1))),
    "Finite": Law("Finite", ((Fraction(1, 2),), (Fraction(1),))),
}


def adversarial(
    program: Program, given: dict[str, Any], one: tuple[Any, ...], two: tuple[Any, ...]
) -> dict[str, Any]:
    """Candidates that show the loss: one posterior, and very many copies of the neighbour's."""
    names = [name for name, kind in program.kinds if isinstance(kind, declared.Candidates)]
    if not names:
        return given
    posteriors = [_posterior(program, given, values) for values in (one, two)]
    if any(law is None for law in posteriors):
        return given
    return given | dict.fromkeys(names, (posteriors[0],) + (posteriors[1],) * COPIES)


def _posterior(program: Program, given: dict[str, Any], values: tuple[Any, ...]) -> Law | None:
    """The posterior that the program measures distances from."""
    audit = Audit()
    evaluate(program, given, values, Explorer([], True), audit)
    return audit.compared[0] if audit.compared else None


# ---- losses -------------------------------------------------------------------------------------


def loss(
    program: Program,
    given: dict[str, Any],
    one: tuple[Any, ...],
    two: tuple[Any, ...],
    coarse: bool = False,
    end: float = math.inf,
) -> Witness:
    """How much more likely some draws are with one data set than with its neighbour.

    With `coarse` noise without a grid is taken to be on the assumed one, on counts too. After the
    time `end` no more draws are tried.
    """
    given = adversarial(program, given, one, two)
    n = max(len(one), len(two))
    with balls.precision(balls.PRECISION):
        public = {k: v for k, v in given.items() if isinstance(v, Fraction)} | {"n": Fraction(n)}
        epsilon = program.budget.epsilon.ball(public)
        delta = program.budget.delta.ball(public)
        pair = _Pair(program, given, one, two, coarse, end)
        try:
            return pair.witness(epsilon, delta)
        except _CoarseError:
            return replace(pair, coarse=True).witness(epsilon, delta)


class _CoarseError(Exception):
    """Noise without a grid was met, so all of it has to be on the assumed one."""


@dataclass(frozen=True)
class _Pair:
    """Neighbouring data whose laws are compared."""

    program: Program
    given: dict[str, Any]
    one: tuple[Any, ...]
    two: tuple[Any, ...]
    coarse: bool = False
    end: float = math.inf

    def witness(self, epsilon: arb, delta: arb) -> Witness:
        """The loss, or δ at the claimed ε, rounded down."""
        # a loss counts as larger than the claim only where balls are sure of it
        low, lower = float("-inf"), None
        claimed, limit = float(epsilon.mid()), float(delta.mid())
        if self.program.budget.delta.terms:
            found, output = self.hockey_stick(epsilon)
            lower = float(found.lower())
            lower = lower if found > delta else min(lower, limit)
        else:
            worst, output = self.ratio()
            low = float("inf") if worst == arb.pos_inf() else float(worst.lower())
            if worst.is_finite() and not worst > epsilon:
                low = min(low, claimed)
        assuming = assumptions(self.program, self.coarse)
        return Witness(low, claimed, lower, limit, self.one, self.two, self.given, output, assuming)

    def outcomes(self, few: bool) -> Iterator[tuple[Any, arb, arb, Fraction]]:
        """A value, the logs of both probabilities of its draws, and how far rounding puts them."""
        for value, explorer, audit in outcomes(
            self.program, self.given, self.one, few, self.coarse
        ):
            repeater, other = Repeater(explorer.transcript), Audit(coarse=self.coarse)
            try:
                again = evaluate(self.program, self.given, self.two, repeater, other)
                whole = repeater.place == len(explorer.transcript)
                log_p = repeater.log_p if again == value and whole else arb.neg_inf()
            except ImpossibleError:
                log_p = arb.neg_inf()
            if not self.coarse and (audit.assumed or other.assumed):
                raise _CoarseError
            yield value, explorer.log_p, log_p, audit.slack
            if time.monotonic() > self.end:
                return

    def ratio(self) -> tuple[arb, Any]:
        """The log of the largest ratio of probabilities, of those that are tried: 0 at least."""
        worst, where = arb(0), None
        for value, log_p, other, slack in self.outcomes(few=True):
            if other == arb.neg_inf():
                return arb.pos_inf(), value
            found = log_p - other - ball(slack)
            where = value if where is None else where
            if found.lower() > worst.lower():
                worst, where = found, value
        return worst, where

    def hockey_stick(self, epsilon: arb) -> tuple[arb, Any]:
        """δ at the claimed ε: a sum over draws more likely by more than e^ε, from below."""
        total, where, most = arb(0), None, arb(0)
        for value, log_p, other, _ in self.outcomes(few=False):
            gap = log_p.exp() - (epsilon + other).exp()
            if gap > 0:
                total += gap
                if gap.lower() > most:
                    most, where = gap.lower(), value
        return total, where


# ---- over all small data sets -------------------------------------------------------------------


def worst_loss(program: Program, given: dict[str, Any], n: int) -> Witness | None:
    """The pair of neighbours with up to n records that shows most; None if there is none."""
    return audited(program, given, n)[0]


def audited(program: Program, given: dict[str, Any], n: int) -> tuple[Witness | None, int]:
    """The same, and up to how many records all data sets were gone through."""
    found: Witness | None = None
    sizes = [program.n] if program.n is not None else range(1, n + 1)
    for size in sizes:
        for one, two in neighbours(program, size, given):
            try:
                witness = loss(program, given, one, two)
            except TooManyError:
                return found, size - 1
            if found is None or witness.tightness > found.tightness:
                found = witness
    return found, program.n or n


def refute(
    program: Program, hint: Mapping[str, Fraction] | None = None, seconds: float = 5.0
) -> Witness | None:
    """A pair of small neighbours that shows more than is claimed, if one is found in time."""
    end = time.monotonic() + seconds
    tried = list(instances(program, hint))
    for size in [program.n] if program.n is not None else (1, 2, 3):
        for given in tried:
            for one, two in neighbours(program, size, given):
                if time.monotonic() > end:
                    return None
                try:
                    witness = loss(program, given, one, two, end=end)
                    if witness.violated and witness.epsilon == math.inf:
                        # perhaps only because what is no count was drawn in steps of its own
                        other = loss(program, given, one, two, coarse=True, end=end)
                        witness = witness if other.violated else other
                except _STOPPED:
                    break
                if witness.violated:
                    return witness
    return None


# A program that is not proved may do anything: divide by 0, index a number, draw without end
_STOPPED = (TooManyError, DiscreetError, *FAILURES)
