"""What every construct of the language does when a program runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb

from discreet.errors import ExactnessError
from discreet.exact import balls
from discreet.exact.balls import ball
from discreet.programs import comparing, learning, noise
from discreet.programs.families import Law
from discreet.programs.numbers import (
    SECRET,
    Irrational,
    Secret,
    Whole,
    add,
    number_of,
    plain_if_any,
    plain_of,
    real,
    rounded,
    step_of,
)
from discreet.programs.running import (
    HIDDEN_FLAG,
    Data,
    Interpreter,
)
from discreet.programs.symbolic import number

ONE = Fraction(1)


def _clip(run: Interpreter, x: Any, low: Any, high: Any) -> Any:
    inner, ends = plain_if_any(x), (run.known(low), run.known(high))
    if inner is None or isinstance(inner, Secret):
        return SECRET
    if isinstance(inner, Irrational):
        bounded = inner.real
        return Irrational(balls.memo(lambda: bounded().max(ball(ends[0])).min(ball(ends[1]))))
    return min(max(inner, ends[0]), ends[1])


def _extreme(larger: bool, run: Interpreter, *values: Any) -> Any:
    numbers = [plain_of(value) for value in values]
    if any(isinstance(x, Secret) for x in numbers):
        return SECRET
    exact = [x for x in numbers if isinstance(x, Fraction)]
    if len(exact) == len(numbers):
        return max(exact) if larger else min(exact)
    reals = [real(x) for x in numbers if isinstance(x, (Fraction, Irrational))]
    return Irrational(balls.memo(partial(_extreme_ball, larger, reals)))


def _extreme_ball(larger: bool, reals: list[balls.Real]) -> arb:
    result = reals[0]()
    for x in reals[1:]:
        result = result.max(x()) if larger else result.min(x())
    return result


def _abs(run: Interpreter, x: Any) -> Any:
    inner = plain_of(x)
    if isinstance(inner, Irrational):
        bounded = inner.real
        return Irrational(balls.memo(lambda: abs(bounded())))
    return SECRET if isinstance(inner, Secret) else abs(inner)


def _analytic(name: str, run: Interpreter, x: Any = Fraction(0)) -> Any:
    inner = plain_if_any(x)
    return (
        SECRET
        if inner is None or isinstance(inner, Secret)
        else rounded(name, number(run.known(inner)))
    )


def _map(run: Interpreter, function: Any, data: Any) -> Any:
    if isinstance(data, tuple):
        return tuple(run.apply(function, item) for item in data)
    if data.table is not None:
        table = {key: run.apply(function, value) for key, value in data.table.items()}
        return Data(data.kind, data.values, table)
    if data.values is None:
        return Replayed(data.kind, None, None, run.apply(function, data.hidden()))
    return Data(data.kind, tuple(run.apply(function, value) for value in data.values), None)


@dataclass(frozen=True)
class Replayed(Data):
    """A function of records that a replay does not know: what it makes of a hidden one."""

    item: Any = SECRET

    def hidden(self) -> Any:
        """That."""
        return self.item


def _sum(run: Interpreter, data: Any) -> Any:
    if isinstance(data, tuple):
        total: Any = Fraction(0)
        for item in data:
            total = add(total, number_of(item))
        return total
    if data.table is not None:
        step = step_of(list(data.table.values()))
        if step is None:
            raise ExactnessError("a sum of something else than numbers")
        listed = data.listed()
        count = None
        if listed is not None:
            count = int(sum((run.known(x) for x in listed), Fraction(0)) / step)
        return Whole(Fraction(0), step, count)
    if data.values is None:
        hidden = data.hidden()
        if isinstance(hidden, Whole) and hidden.count is not None:  # public: no data are here
            hidden = hidden.value
        if run.n is not None and isinstance(hidden, (bool, Fraction)):  # the same for every record
            flag = isinstance(hidden, bool)
            return Whole(Fraction(0), ONE, run.n * int(hidden)) if flag else run.n * hidden
        return hidden if isinstance(hidden, Whole) and hidden == HIDDEN_FLAG else SECRET
    if all(isinstance(value, bool) for value in data.values):
        return Whole(Fraction(0), ONE, sum(data.values))
    return sum((run.known(value) for value in data.values), Fraction(0))


def _count(run: Interpreter, function: Any, data: Any) -> Any:
    return _sum(run, _map(run, function, data))


def _len(run: Interpreter, data: Any) -> Any:
    if isinstance(data, tuple):
        return Fraction(len(data))
    if run.n is not None:
        return Fraction(run.n)
    return Whole(Fraction(0), ONE, None if data.values is None else len(data.values))


def _fold(run: Interpreter, step: Any, start: Any, data: Any) -> Any:
    items = list(data) if isinstance(data, tuple) else data.listed()
    if items is None and isinstance(start, Law) and start.family == "Finite":
        return _hidden_belief(run, step, start, data)
    if items is None:  # under add-remove, where n is hidden too, one round shows the steps
        items = [data.hidden()] * (1 if run.n is None else run.n)
    state = start
    for item in items:
        state = run.apply(step, state, item)
    return state


def _hidden_belief(run: Interpreter, step: Any, start: Law, data: Data) -> Law:
    """A replay, which takes all records there can be: steps may branch on one.

    The weights stay hidden. The values are public: of private records every chance is above 0, as
    the checker made sure, so that no record leaves a value out.
    """
    for record in (data.table or {}).values():
        run.apply(step, start, record)
    values, _ = start.parameters
    return Law("Finite", (values, (SECRET,) * len(values)))


ANSWERS: dict[str, Callable[..., Any]] = {
    "clip": _clip,
    "min": partial(_extreme, False),
    "max": partial(_extreme, True),
    "abs": _abs,
    "sqrt": partial(_analytic, "sqrt"),
    "log": partial(_analytic, "log"),
    "exp": partial(_analytic, "exp"),
    "pi": partial(_analytic, "pi"),
    "map": _map,
    "sum": _sum,
    "count": _count,
    "len": _len,
    "fold": _fold,
    "ran": learning.ran,
    "observe": learning.observe,
    "observe_all": learning.observe_all,
    "infer": learning.infer,
    "params": learning.params,
    "mean": learning.mean,
    "hellinger": partial(comparing.distance, "hellinger"),
    "total_variation": partial(comparing.distance, "total_variation"),
    "kl": partial(comparing.distance, "kl"),
    "laplace": noise.laplace,
    "gauss": noise.gauss,
    "analytic_sigma": noise.analytic_sigma,
    "exp_mech": noise.exp_mech,
    "sample": noise.sample,
    "sample_each": noise.sample_each,
    "parallel": noise.parallel,
}
