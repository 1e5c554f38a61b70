"""What every construct of the language does when a program runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb

from discreet import divergence
from discreet.errors import ExactnessError, InputError
from discreet.exact import balls, hockey
from discreet.exact.balls import ball
from discreet.programs.abstract import FamilyName
from discreet.programs.families import Law, label_key, require_proper
from discreet.programs.numbers import (
    SECRET,
    Irrational,
    Secret,
    Whole,
    add,
    as_number,
    plain,
    real,
    rounded,
)
from discreet.programs.requests import (
    LaplaceNoise,
    Mechanism,
    NormalNoise,
    PosteriorDraw,
    Selection,
)
from discreet.programs.running import (
    THETA,
    Chance,
    Data,
    Drawing,
    Interpreter,
    Routine,
    _secret,
    finished,
    step_of,
)
from discreet.programs.symbolic import number

ONE = Fraction(1)


@dataclass(frozen=True)
class Sigma:
    """Normal noise for (ε, δ) at a distance; a factor makes it larger."""

    epsilon: Fraction
    delta: Fraction
    distance: Fraction
    factor: Fraction = ONE

    def times(self, factor: Fraction) -> Sigma:
        """Larger by that."""
        return Sigma(self.epsilon, self.delta, self.distance, self.factor * factor)


# ---- numbers ------------------------------------------------------------------------------------


def _clip(run: Interpreter, x: Any, low: Any, high: Any) -> Any:
    value, ends = as_number(x), (run.known(low), run.known(high))
    inner = SECRET if value is None else plain(value)
    if isinstance(inner, Secret):
        return SECRET
    if isinstance(inner, Irrational):
        bounded = inner.real
        return Irrational(lambda: bounded().max(ball(ends[0])).min(ball(ends[1])))
    return min(max(inner, ends[0]), ends[1])


def _extreme(larger: bool, run: Interpreter, *values: Any) -> Any:
    numbers = [plain(_number(value)) for value in values]
    if any(isinstance(x, Secret) for x in numbers):
        return SECRET
    exact = [x for x in numbers if isinstance(x, Fraction)]
    if len(exact) == len(numbers):
        return max(exact) if larger else min(exact)
    reals = [real(x) for x in numbers if isinstance(x, (Fraction, Irrational))]
    return Irrational(partial(_extreme_ball, larger, reals))


def _extreme_ball(larger: bool, reals: list[balls.Real]) -> arb:
    result = reals[0]()
    for x in reals[1:]:
        result = result.max(x()) if larger else result.min(x())
    return result


def _abs(run: Interpreter, x: Any) -> Any:
    inner = plain(_number(x))
    if isinstance(inner, Irrational):
        bounded = inner.real
        return Irrational(lambda: abs(bounded()))
    return SECRET if isinstance(inner, Secret) else abs(inner)


def _analytic(name: str, run: Interpreter, x: Any = Fraction(0)) -> Any:
    value = as_number(x)
    inner = SECRET if value is None else plain(value)
    return SECRET if isinstance(inner, Secret) else rounded(name, number(run.known(inner)))


# ---- lists --------------------------------------------------------------------------------------


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
            total = add(total, _number(item))
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
        return SECRET
    return sum((run.known(value) for value in data.values), Fraction(0))


def _number(value: Any) -> Any:
    found = as_number(value)
    if found is None:
        raise ExactnessError("something else than a number")
    return found


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
    if items is None:  # under add-remove, where n is hidden too, one round shows the steps
        items = [data.hidden()] * (1 if run.n is None else run.n)
    state = start
    for item in items:
        state = run.apply(step, state, item)
    return state


# ---- learning -----------------------------------------------------------------------------------


def _ran(run: Interpreter, law: Law) -> Any:
    unknown = law.family in ("Bernoulli", "Categorical") or THETA in law.parameters
    return Drawing(law) if unknown else law


def _infer(run: Interpreter, belief: Law) -> Law:
    return belief


def _observe(run: Interpreter, likelihood: Routine, belief: Law) -> Law:
    if belief.family == "Finite":
        values, weights = belief.parameters
        chances = [_chance(run.apply(likelihood, value)) for value in values]
        return Law(
            "Finite",
            (values, tuple(_times(w, chance) for w, chance in zip(weights, chances, strict=True))),
        )
    found = run.apply(likelihood, THETA)
    if not isinstance(found, Chance):
        raise ExactnessError("a likelihood that is no draw")
    extra = found.law.parameters[1] if found.law.family == "Normal" else None
    return _updated(run, belief, found.law.family, [found.value], extra, None)


def _times(weight: Any, chance: Any) -> Any:
    return SECRET if isinstance(chance, Secret) or isinstance(weight, Secret) else weight * chance


def _chance(found: Any) -> Any:
    """The probability that a test holds."""
    if isinstance(found, Secret):
        return SECRET
    if isinstance(found, bool):
        return Fraction(int(found))
    assert isinstance(found, Chance)
    if _secret(found.value):
        return SECRET
    p = found.law.parameters[0]
    return p if found.value else 1 - p


def _observe_all(run: Interpreter, family: FamilyName, data: Any, prior: Law, variance: Any) -> Law:
    values = list(data) if isinstance(data, tuple) else data.listed()
    labels = None
    if isinstance(data, Data) and data.table is not None:
        labels = list({label_key(value): value for value in data.table.values()}.values())
    n = None if isinstance(data, tuple) else run.n
    return _updated(run, prior, family.family, values, variance, labels, n)


def _updated(
    run: Interpreter,
    prior: Law,
    family: str,
    values: list[Any] | None,
    variance: Any,
    labels: list[Any] | None,
    n: int | None = None,
) -> Law:
    seen: list[Any] | None = values
    if values is None or any(_secret(value) for value in values):
        seen = None
    if family == "Bernoulli":
        flags = None if seen is None else [_flag(value) for value in seen]
        ones, zeros = prior.parameters
        return Law("Beta", (_raised(ones, flags, True), _raised(zeros, flags, False)))
    if family == "Categorical":
        alpha = prior.parameters[0]
        names = labels if labels is not None else list(range(len(alpha)))
        if seen is not None and any(value not in names[: len(alpha)] for value in seen):
            raise InputError(
                f"data must be categories of the prior, which has {len(alpha)}", "data"
            )
        pairs = zip(alpha, names, strict=False)
        return Law("Dirichlet", (tuple(_raised(a, seen, name) for a, name in pairs),))
    mean, spread = prior.parameters
    v, big = run.known(variance), run.known(spread)
    size = n if n is not None else len(values or ())
    after = v * big / (v + size * big)
    if seen is None or isinstance(mean, Secret):
        return Law("Normal", (SECRET, after))
    total = sum((run.known(value) for value in seen), Fraction(0))
    return Law("Normal", ((run.known(mean) * v + big * total) / (v + size * big), after))


def _flag(value: Any) -> bool:
    """A record of Bernoulli data; a noisy one too."""
    if isinstance(value, bool):
        return value
    raise InputError("Bernoulli observes True and False", "program")


def _raised(parameter: Any, values: list[Any] | None, name: Any) -> Whole:
    """A prior parameter, or one that was raised before, plus how often a value occurs."""
    start = parameter if isinstance(parameter, Whole) else Whole(parameter, ONE, 0)
    if values is None or start.count is None:
        return Whole(start.offset, ONE, None)
    own = label_key(name)
    return Whole(start.offset, ONE, start.count + sum(label_key(v) == own for v in values))


def _params(run: Interpreter, posterior: Any) -> Any:
    if isinstance(posterior, Secret):
        return SECRET
    return posterior.parameters[0] if posterior.family == "Dirichlet" else posterior.parameters


def _mean(run: Interpreter, posterior: Law) -> Any:
    return posterior.parameters[0]


# ---- distances ----------------------------------------------------------------------------------


def _distance(kind: str, run: Interpreter, one: Law, two: Law) -> Any:
    left, right = _exact(one), _exact(two)
    if left is None or right is None:
        return SECRET
    if run.compared_laws is not None:
        run.compared_laws.append(left)
    return Irrational(balls.memo(partial(_distance_ball, kind, left, right)))


def _exact(law: Law) -> Law | None:
    """With plain parameters, or None where one is hidden."""
    flat = [
        part
        for parameter in law.parameters
        for part in (parameter if isinstance(parameter, tuple) else (parameter,))
    ]
    if any(map(_secret, flat)):
        return None
    found = finished(law)
    assert isinstance(found, Law)
    return found


def _distance_ball(kind: str, one: Law, two: Law) -> arb:
    """Laws that cannot be compared, or that noise made improper, are as far apart as can be."""
    if one == two:
        return arb(0)
    if not _comparable(one, two):
        return arb.pos_inf() if kind == "kl" else arb(1)
    if one.family in ("Beta", "Dirichlet"):
        a, b = _alpha(one), _alpha(two)
        if kind == "hellinger":
            return divergence.hellinger_ball(a, b)
        if kind == "kl":
            return divergence.kl_ball(a, b)
        return divergence.total_variation_ball(a, b)
    if one.family == "Normal":
        return _normal_ball(kind, one, two)
    return _finite_ball(kind, one, two)


def _alpha(law: Law) -> tuple[Fraction, ...]:
    found: tuple[Fraction, ...] = law.parameters if law.family == "Beta" else law.parameters[0]
    return found


def _comparable(one: Law, two: Law) -> bool:
    try:
        require_proper("law", one)
        require_proper("law", two)
    except InputError:
        return False
    same = one.family == two.family
    return same and (one.family != "Dirichlet" or len(_alpha(one)) == len(_alpha(two)))


def _normal_ball(kind: str, one: Law, two: Law) -> arb:
    (m1, v1), (m2, v2) = one.parameters, two.parameters
    apart = ball((m1 - m2) ** 2)
    if kind == "hellinger":
        overlap = (2 * ball(v1 * v2).sqrt() / ball(v1 + v2)).sqrt()
        return (1 - overlap * (-apart / (4 * ball(v1 + v2))).exp()).max(arb(0)).sqrt()
    if kind == "kl":
        return (ball(v1 / v2) + apart / ball(v2) - 1 + ball(v2 / v1).log()) / 2
    if v1 == v2:
        return (apart / (8 * ball(v1))).sqrt().erf()
    # the densities are equal at two points, between which one of them is the larger
    a, b = 1 / v1 - 1 / v2, -2 * (m1 / v1 - m2 / v2)
    c = ball(m1**2 / v1 - m2**2 / v2) - ball(v2 / v1).log()
    root = (ball(b * b) - 4 * ball(a) * c).sqrt()
    ends = [(sign * root - ball(b)) / (2 * ball(a)) for sign in (-1, 1)]
    masses = [_normal_mass(m, v, ends) for m, v in ((m1, v1), (m2, v2))]
    return abs(masses[0] - masses[1])


def _normal_mass(mean: Fraction, variance: Fraction, ends: list[arb]) -> arb:
    scaled = [(end - ball(mean)) / (2 * ball(variance)).sqrt() for end in ends]
    return abs(scaled[1].erf() - scaled[0].erf()) / 2


def _finite_ball(kind: str, one: Law, two: Law) -> arb:
    p, q = (_weights(law) for law in (one, two))
    keys = list(dict.fromkeys((*p, *q)))
    pairs = [(p.get(key, Fraction(0)), q.get(key, Fraction(0))) for key in keys]
    if kind == "hellinger":
        overlap = sum((ball(a * b).sqrt() for a, b in pairs), arb(0))
        return (1 - overlap).max(arb(0)).sqrt()
    if kind == "total_variation":
        return ball(sum((abs(a - b) for a, b in pairs), Fraction(0)) / 2)
    if any(a and not b for a, b in pairs):
        return arb.pos_inf()
    return sum((ball(a) * ball(a / b).log() for a, b in pairs if a), arb(0))


def _weights(law: Law) -> dict[Any, Fraction]:
    values, weights = law.parameters
    total = sum(weights, Fraction(0))
    if total <= 0:
        raise InputError("a finite law needs a positive weight", "program")
    return {value: weight / total for value, weight in zip(values, weights, strict=True)}


# ---- noise --------------------------------------------------------------------------------------


def _centered(run: Interpreter, x: Any, grid: Any) -> tuple[int | None, Fraction, Fraction]:
    """A value in whole steps: the count, the public offset and the step."""
    value = _number(x)
    if grid is not None:
        g = run.known(grid)
        inner = plain(value)
        if isinstance(inner, Secret):
            return None, Fraction(0), g
        if isinstance(inner, Fraction):
            return math.floor(inner / g + Fraction(1, 2)), Fraction(0), g
        return _nearest(inner, g), Fraction(0), g
    if isinstance(value, Whole):
        return value.count, value.offset, value.step
    inner = plain(value)
    if isinstance(inner, Fraction):
        return 0, inner, ONE
    if run.compared_laws is not None and isinstance(inner, Irrational):
        return _centered(run, value, Fraction(1, 1024))
    raise ExactnessError("noise on a number without steps")


def _nearest(x: Irrational, g: Fraction) -> int:
    """The nearest multiple of the grid; of one in the middle either, for which the proof pays."""
    for bits in (128, 512, 2048):
        with balls.precision(bits):
            value = x.real() / ball(g) + arb(1) / 2
            whole = value.floor().unique_fmpz()
            if whole is not None:
                return int(whole)
    return balls.floor(value.mid())


def _laplace(run: Interpreter, eps: Any, x: Any, grid: Any) -> Mechanism:
    rate = run.known(eps)
    single = not isinstance(x, tuple)
    parts = [_centered(run, item, grid) for item in ((x,) if single else x)]
    step = parts[0][2]
    request = LaplaceNoise(tuple(count for count, _, _ in parts), rate * step)
    return Mechanism(request, partial(_decoded, parts, single))


def _decoded(
    parts: list[tuple[int | None, Fraction, Fraction]], single: bool, outcome: tuple[int, ...]
) -> Any:
    values = tuple(offset + step * z for (_, offset, step), z in zip(parts, outcome, strict=True))
    return values[0] if single else values


def _gauss(run: Interpreter, sigma: Any, x: Any, grid: Any) -> Mechanism:
    single = not isinstance(x, tuple)
    parts = [_centered(run, item, grid) for item in ((x,) if single else x)]
    step = parts[0][2]
    if isinstance(sigma, Sigma):
        # any distance up to the declared one is at most so many whole steps, for which the variance
        # is proved (ε, δ)-private in integers
        reach = (
            (sigma.distance / step) ** 2
            if not single
            else Fraction(math.ceil(sigma.distance / step) ** 2)
        )
        variance = hockey.gaussian_variance(sigma.epsilon, sigma.delta, reach, len(parts))
        variance *= sigma.factor**2
    else:
        variance = (run.known(sigma) / step) ** 2
    request = NormalNoise(tuple(count for count, _, _ in parts), variance)
    return Mechanism(request, partial(_decoded, parts, single))


def _analytic_sigma(run: Interpreter, eps: Any, delta: Any, distance: Any) -> Sigma:
    return Sigma(run.known(eps), run.known(delta), run.known(distance))


def _exp_mech(run: Interpreter, eps: Any, score: Any, candidates: tuple[Any, ...]) -> Mechanism:
    half = run.known(eps) / 2
    if not candidates:
        raise InputError("exp_mech needs candidates", "candidates")
    places: dict[Any, int] = {}
    first = tuple(places.setdefault(candidate, i) for i, candidate in enumerate(candidates))
    known = {i: plain(_number(run.apply(score, candidates[i]))) for i in places.values()}
    scores = [known[i] for i in first]
    weights = None
    if not any(isinstance(value, Secret) for value in scores):
        weights = tuple(partial(_weighted, half, value) for value in scores)
    return Mechanism(
        Selection(len(candidates), weights, first), lambda outcome: candidates[outcome[0]]
    )


def _weighted(half: Fraction, score: Any) -> arb:
    return ball(half) * real(score)()


def _sample(run: Interpreter, mechanism: Any) -> Any:
    if isinstance(mechanism, Law):  # which only an audit does
        value: Any = Fraction(run.draw(PosteriorDraw(mechanism))[0])
    else:
        value = mechanism.decode(run.draw(mechanism.request))
    return value


def _sample_each(run: Interpreter, function: Any, data: Data) -> tuple[Any, ...]:
    listed = data.listed()
    if listed is None:
        assert run.n is not None
        listed = [data.hidden()] * run.n
    return tuple(_sample(run, run.apply(function, item)) for item in listed)


def _parallel(run: Interpreter, body: Any, data: Data, cells: tuple[Any, ...]) -> tuple[Any, ...]:
    assert data.table is not None
    results = []
    for test in cells:
        table = {key: value for key, value in data.table.items() if run.apply(test, value)}
        values = None
        if data.values is not None:
            values = tuple(value for value in data.values if value in table)
        inside = Interpreter(run.adjacency, None, run.draw, run.compared_laws)
        results.append(inside.apply(body, Data(data.kind, values, table)))
    return tuple(results)


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
    "ran": _ran,
    "observe": _observe,
    "observe_all": _observe_all,
    "infer": _infer,
    "params": _params,
    "mean": _mean,
    "hellinger": partial(_distance, "hellinger"),
    "total_variation": partial(_distance, "total_variation"),
    "kl": partial(_distance, "kl"),
    "laplace": _laplace,
    "gauss": _gauss,
    "analytic_sigma": _analytic_sigma,
    "exp_mech": _exp_mech,
    "sample": _sample,
    "sample_each": _sample_each,
    "parallel": _parallel,
}
