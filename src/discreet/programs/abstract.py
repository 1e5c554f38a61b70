"""What the checker knows of a value: whether it is public, and how far one record moves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeAlias

from discreet.programs import syntax
from discreet.programs.symbolic import ONE, ZERO, Expression, number, rational_gcd

FLAG = "flag"  # of a public number that a run knows as a flag: it has steps, as a count has
Distances: TypeAlias = tuple[Expression, ...]  # one for every scenario


@dataclass(frozen=True)
class Scenario:
    """A change of the data that neighbours may differ by: a record before and after.

    `before` is None where the record is added; `listed` tells that these are values of a record,
    else any change is meant.
    """

    before: Any = None
    after: Any = None
    listed: bool = False
    added: bool = False

    def __str__(self) -> str:
        if not self.listed:
            return "one record is added or removed" if self.added else "one record is replaced"
        if self.added:
            return f"a record {self.after!r} is added or removed"
        return f"a record {self.before!r} is replaced by {self.after!r}"


@dataclass(frozen=True)
class Public:
    """Equal in both runs; `number` is its value in symbols, `literal` a flag or a label.

    `note` is what else is known: the family of a law or of candidates, the kind of a vector's
    entries.
    """

    number: Expression | None = None
    literal: Any = None
    sort: str = "number"  # number, flag, category, list, vector, law, nothing
    note: Any = None


@dataclass(frozen=True)
class Private:
    """A value that one record may move.

    `distances` says by how much at most, in each scenario; None is no bound, `reason` says why,
    `fix` what to write instead.
    `step` tells that all its values lie a public number plus whole multiples of it apart, `inexact`
    that it may be computed in balls. `token` is the identity of a record in hand.
    """

    distances: Distances | None
    why: str = ""
    step: Expression | None = None
    low: Expression | None = None
    high: Expression | None = None
    sort: str = "number"
    reason: str = ""
    fix: str = ""
    origin: syntax.Span | None = None  # where the bound was lost
    inexact: bool = False
    token: int | None = None
    depth: int = 0  # how many operations a distance of laws went through
    state: bool = False  # of a fold: what is done to it is done once for every record


@dataclass(frozen=True)
class Vector:
    """Private numbers side by side; `parts` where their number is known."""

    l1: Distances
    l2_squared: Distances
    why: str
    step: Expression | None
    parts: tuple[Private, ...] | None = None


@dataclass(frozen=True)
class Items:
    """A tuple."""

    items: tuple[Abstract, ...]


@dataclass(frozen=True)
class RecordList:
    """Private records, or the same function of each of them.

    `table` has the value for every record there can be, where they are few; `item` is one of them.
    """

    item: Abstract
    table: tuple[tuple[Any, Abstract], ...] | None = None
    own: str = "data"
    unlisted: bool = False  # categories without labels, as they are declared


@dataclass(frozen=True)
class Closure:
    """A function of the program."""

    node: syntax.Lambda
    names: Mapping[str, Abstract] = field(hash=False, compare=False)


@dataclass(frozen=True)
class FamilyName:
    """Bernoulli and so on, without parameters."""

    family: str


@dataclass(frozen=True)
class LawOf:
    """A distribution with its parameters."""

    family: str
    parameters: tuple[Abstract, ...]


@dataclass(frozen=True)
class Theta:
    """The unknown that is learnt."""


@dataclass(frozen=True)
class Random:
    """A draw inside a likelihood."""

    law: LawOf


@dataclass(frozen=True)
class Observation:
    """That a draw equals a value."""

    law: LawOf
    value: Abstract


@dataclass(frozen=True)
class Belief:
    """A prior and the records that were observed; `inferred` makes it a posterior."""

    prior: LawOf
    likelihood: LawOf | None = None
    records: RecordList | None = None
    factors: tuple[Expression, Expression] | None = None  # of a finite one, by one record
    inferred: bool = False
    token: int | None = None  # of the state of a fold
    weight: Expression = ONE  # of the one value in hand, in a fold of a finite one


@dataclass(frozen=True)
class Scale:
    """What analytic_sigma gives: normal noise for a distance, an ε and a δ."""

    epsilon: Expression
    delta: Expression
    distance: Expression
    factor: Expression = ONE


@dataclass(frozen=True)
class Gaussian:
    """Normal noise of a known size: per scenario the squared shift in standard deviations."""

    shifts: Distances
    least_variance: Expression  # in steps of the grid
    dimension: int


@dataclass(frozen=True)
class Noisy:
    """A mechanism that was not drawn from yet, and what a draw costs."""

    epsilons: Distances
    delta: Expression
    result: Abstract
    text: str
    gaussian: Gaussian | None = None


@dataclass(frozen=True)
class Hidden:
    """A private value where only the record at hand may be used."""

    name: str


Abstract: TypeAlias = (
    Public
    | Private
    | Vector
    | Items
    | RecordList
    | Closure
    | FamilyName
    | LawOf
    | Theta
    | Random
    | Observation
    | Belief
    | Scale
    | Noisy
    | Hidden
)


def numeric(value: Abstract) -> Public | Private | None:
    """As a number: a flag counts as 0 or 1."""
    if isinstance(value, Public):
        if isinstance(value.literal, bool):
            return Public(number(int(value.literal)), note=FLAG)
        return value if value.sort in ("number", "flag") else None
    if isinstance(value, Private) and value.sort in ("number", "flag"):
        return value
    return None


def is_public(value: Abstract) -> bool:
    """Whether nothing private is in it."""
    if isinstance(value, Public):
        return True
    if isinstance(value, Items):
        return all(map(is_public, value.items))
    if isinstance(value, LawOf):
        return all(map(is_public, value.parameters))
    if isinstance(value, Belief):
        return value.records is None and value.token is None and is_public(value.prior)
    if isinstance(value, Closure):
        free = free_names(value.node)
        return all(is_public(found) for name, found in value.names.items() if name in free)
    return isinstance(value, (FamilyName, Scale, Theta))


def is_releasable(value: Abstract) -> bool:
    """Whether it may be returned, or be an entry of a public list: data, no functions."""
    if isinstance(value, Items):
        return all(map(is_releasable, value.items))
    if isinstance(value, LawOf):
        return all(isinstance(part, (Public, Items)) for part in value.parameters) and is_public(
            value
        )
    if isinstance(value, Belief):
        return is_public(value)
    return isinstance(value, Public) and value.sort != "nothing"


def is_public_list(value: Abstract) -> bool:
    """Whether it is a list of public values."""
    if isinstance(value, Items):
        return is_releasable(value)
    return isinstance(value, Public) and value.sort in ("list", "vector")


@cache
def free_names(node: syntax.Lambda) -> frozenset[str]:
    """The names that a function reads from outside; some more do no harm."""
    found: set[str] = set()
    _collect(node.body, found)
    return frozenset(found - set(node.parameters))


def _collect(node: object, found: set[str]) -> None:
    if isinstance(node, syntax.Name):
        found.add(node.name)
    for part in syntax.parts(node):
        _collect(part, found)


def common_step(one: Expression | None, two: Expression | None) -> Expression | None:
    """A step that both are whole multiples of."""
    if one is None or two is None:
        return None
    if one == two:
        return one
    if one.value is None or two.value is None:
        return None
    return number(rational_gcd(one.value, two.value))


def added(x: Public | Private, y: Public | Private, sign: int) -> Public | Private:
    """x + y or x − y: d₁ + d₂, without credit for what cancels."""
    if isinstance(x, Public) and isinstance(y, Public):
        note = FLAG if FLAG in (x.note, y.note) else None
        if x.number is None or y.number is None:
            return Public(note=note)
        return Public(x.number + y.number if sign > 0 else x.number - y.number, note=note)
    other = y if sign > 0 else negated(y)
    if isinstance(x, Public):
        x, other = other, x
    assert isinstance(x, Private)
    low, high = _end(x, other, "low"), _end(x, other, "high")
    if isinstance(other, Public):
        return replace(x, sort="number", low=low, high=high, token=None, depth=deeper(x))
    inexact, depth = x.inexact or other.inexact, deeper(x, other)
    if x.distances is None or other.distances is None:
        lost = x if x.distances is None else other
        return replace(lost, low=None, high=None, inexact=inexact, token=None, depth=depth)
    return Private(
        tuple(a + b for a, b in zip(x.distances, other.distances, strict=True)),
        f"{x.why}; {other.why}" if x.why != other.why else x.why,
        common_step(x.step, other.step),
        low,
        high,
        inexact=inexact,
        depth=depth,
        state=x.state or other.state,
    )


def deeper(*values: Public | Private) -> int:
    """The depth of what is computed from them: 0 where no distance of laws is in it."""
    depths = [value.depth for value in values if isinstance(value, Private)]
    return max(depths) + 1 if any(depths) else 0


def _end(x: Private, y: Public | Private, end: str) -> Expression | None:
    one = getattr(x, end)
    two = y.number if isinstance(y, Public) else getattr(y, end)
    return None if one is None or two is None else one + two


def negated(x: Public | Private) -> Public | Private:
    """−x."""
    if isinstance(x, Public):
        return Public(None if x.number is None else -x.number, note=x.note)
    low = None if x.high is None else -x.high
    high = None if x.low is None else -x.low
    return replace(x, sort="number", low=low, high=high, token=None, depth=deeper(x))


def scaled(x: Private, c: Expression, size: Expression) -> Private:
    """c·x: |c|·d, where size is |c|."""
    low = high = None
    if c.value is not None and x.low is not None and x.high is not None:
        ends = (x.low * c, x.high * c)
        low, high = ends if c.value >= 0 else ends[::-1]
    if x.distances is None:
        return replace(x, sort="number", low=low, high=high, token=None, depth=deeper(x))
    return replace(
        x,
        depth=deeper(x),
        distances=tuple(size * d for d in x.distances),
        step=None if x.step is None or c == ZERO else size * x.step,
        low=low,
        high=high,
        sort="number",
        token=None,
    )
