"""What every mechanism would do at made-up counts: the figures of the explorer.

Only public values enter (`Setting`). Everything that comes out is a plain value, so that it is
computed in another process and sent to a page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.auditing import audit
from discreet.auditing.counts import by_its_raw_law
from discreet.core import families
from discreet.errors import DiscreetError, InputError
from discreet.exact import Floats, compositions
from discreet.explorer.settings import Setting
from discreet.laws import windows
from discreet.planning import plan
from discreet.planning.accuracy import listed_or_drawn
from discreet.planning.limit import optimal

# vectors of counts, at least as many as `dp.compare` goes through
MOST_AUDITED, AT_ONCE = 2_001, 501  # whose losses are compared, and so few that nobody waits
MOST_AVERAGED, MOST_SOLVED = 1_001, 5_001  # averaged over; of which the limit is found: seconds
MOST_OF_SEVERAL = 153  # the same for more than two categories, whose limit is a linear program
MOST_REMAPPED = 2_000  # records of which the optimal mechanism is found at once
FEW, MANY = 2_000, 20_000  # draws of an estimate at first, and refined
SOON = 100_000  # outcomes that are listed at first: more take too long
MOST_WEIGHED = 1_000_000  # candidates that an exponential mechanism weighs at once
QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
LEVEL = 0.95
_POINTS = 161  # of a curve


@dataclass(frozen=True)
class Missing:
    """Why a figure is not there; `lasting` if asking again would not help."""

    reason: str
    lasting: bool = True


@dataclass(frozen=True)
class Errors:
    """The law of the error, P(error ≤ x), and what is read off it; `draws` if it is estimated."""

    x: list[float]
    share: list[float]
    mean: float
    error_95: float
    exact: float
    draws: int | None
    standard_error: float


@dataclass(frozen=True)
class Fan:
    """Densities of the released posterior of one category, at quantiles of what may come out."""

    x: list[float]
    true: list[float]
    released: dict[float, list[float]]
    draws: int | None


@dataclass(frozen=True)
class Proved:
    """What a theorem or a certificate proves: (ε, δ)."""

    epsilon: float
    delta: float


@dataclass(frozen=True)
class Loss:
    """The privacy loss over all counts with this n: found by an audit, or proved by a theorem.

    A `bound` is what a theorem proves where the loss itself is not known: it is no larger.
    """

    value: float
    theorem: bool = False
    bound: bool = False


@dataclass(frozen=True)
class Average:
    """The error averaged over all counts; with a standard error if some of it was drawn."""

    mean: float
    standard_error: float


@dataclass(frozen=True)
class Widths:
    """The expected width of the 95 % interval that includes the noise, and that without noise."""

    noisy: float
    exact: float


def proved(setting: Setting, name: str) -> Proved:
    """The epsilon that is proved, infinite if none is, and its δ: if 0, no loss is larger."""
    guarantee = setting.mechanism(name).guarantee
    return Proved(float(guarantee.epsilon), float(guarantee.delta))


def errors(setting: Setting, name: str, draws: int = FEW) -> Errors:
    """How far the released posterior is from the true one, in Hellinger distance.

    With more than a few draws it takes its time, and is exact where `accuracy` is.
    """
    made = setting.mechanism(name)
    most = SOON if draws <= FEW else windows.MOST
    law = listed_or_drawn(made, setting.counts, "hellinger", draws, _rng(), most)
    x, share = _thinned(law.distances, np.cumsum(law.probabilities))
    return Errors(x, share, law.mean, law.quantile(0.95), law.exact, law.draws, law.standard_error)


def _thinned(x: Floats, y: Floats) -> tuple[list[float], list[float]]:
    """A step curve by so many points at most, evenly up the steps, the first and last among them.

    Evenly along x most would be in a tail that nobody sees.
    """
    up = np.searchsorted(y, np.linspace(0, y[-1], _POINTS))
    places = np.unique([*np.minimum(up, len(x) - 1), 0, len(x) - 1])
    return [0.0, *x[places].tolist()], [0.0, *np.minimum(y[places], 1).tolist()]


def fan(setting: Setting, name: str, category: int = 0) -> Fan:
    """The posterior of one category at quantiles of its released mean, and the true one."""
    from scipy.stats import beta

    law = setting.mechanism(name).law(setting.counts)
    listed = windows.likely(law, SOON)
    rows = law.sample(FEW, _rng()) if listed is None else listed[0]
    p = np.full(len(rows), 1 / len(rows)) if listed is None else listed[1]
    own = float(setting.prior[category])
    total = float(sum(setting.prior))
    of_category, of_all = rows[:, category] + own, rows.sum(axis=1) + total
    order = np.argsort(of_category / of_all, kind="stable")
    reached = np.cumsum(p[order])
    true = beta(setting.counts[category] + own, setting.n - setting.counts[category] + total - own)
    released = {}
    for q in QUANTILES:
        place = order[min(int(np.searchsorted(reached, q)), len(order) - 1)]
        released[q] = beta(of_category[place], of_all[place] - of_category[place])
    # each curve has points of its own: a narrow one would be lost between those of a wide one
    curves = [true, *released.values()]
    own_points = [_quantiles(curve) for curve in curves]
    even = np.linspace(min(map(min, own_points)), max(map(max, own_points)), _POINTS)
    x = np.unique(np.concatenate([even, *own_points]))
    return Fan(
        x.tolist(),
        _density(true, x),
        {q: _density(curve, x) for q, curve in released.items()},
        None if listed is not None else FEW,
    )


def _quantiles(curve: Any) -> Floats:
    """Points where a density is; 0 or 1 where they are too near to them for floats."""
    q = np.linspace(0.0005, 0.9995, _POINTS // 4)
    found = np.asarray(curve.ppf(q), dtype=np.float64)
    return np.where((found >= 0) & (found <= 1), found, q.round())


def _density(curve: Any, x: Floats) -> list[float]:
    """A density; that of a small parameter is cut off near 0 and 1, where it has no bound."""
    from scipy.special import betaln

    a, b = curve.args
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b)
    inside = logs[np.isfinite(logs)]
    highest = float(inside.max()) if len(inside) else 0.0
    return [float(y) for y in np.exp(np.minimum(np.nan_to_num(logs, posinf=highest), 300))]


def weighty(setting: Setting, name: str) -> bool:
    """Whether even an estimate takes long: all candidates are weighed before the first draw."""
    work = families.of_model(setting.model).spec(name).work
    if work == "program":
        return setting.n > MOST_REMAPPED
    return work == "candidates" and _vectors(setting) > MOST_WEIGHED


def audited_at_once(setting: Setting) -> bool:
    """Whether nobody waits for an audit."""
    return _vectors(setting) <= AT_ONCE


def loss(setting: Setting, name: str) -> Loss | Missing:
    """The privacy loss over all counts with this n, where a theorem or an audit finds it."""
    made = setting.mechanism(name)
    known = by_its_raw_law(made)
    if known is not None:
        return Loss(known.epsilon, theorem=True)
    if families.spec_of(made).work != "none" and _vectors(setting) > MOST_AUDITED:
        return Missing(
            "an audit goes through all counts, up to 2,000 records of two categories, 61 of three"
        )
    return Loss(audit(made).epsilon)


def limit(setting: Setting) -> float | Missing:
    """The least error, averaged over all counts, that a private mechanism can have."""
    if not _within(MOST_SOLVED, setting):
        return Missing("the limit is found up to 5,000 records of two categories, 16 of three")
    return optimal(setting.model, setting.n, setting.epsilon).value


def averaged(setting: Setting, name: str) -> Average | Missing:
    """The error of a mechanism, averaged over all counts with this n."""
    if not _within(MOST_AVERAGED, setting):
        return Missing(
            "the average over all counts is taken up to 1,000 records of two categories, 16 of "
            "three"
        )
    made, rng = setting.mechanism(name), _rng()
    rows = compositions.rows(setting.n, len(setting.counts)).tolist()
    laws = [listed_or_drawn(made, row, "hellinger", FEW, rng, SOON) for row in rows]
    spread = math.sqrt(sum(law.standard_error**2 for law in laws)) / len(laws)
    return Average(sum(law.mean for law in laws) / len(laws), spread)


def widths(setting: Setting, name: str) -> Widths:
    """Of the widest category's interval, at counts like these."""
    guarantee = setting.mechanism(name).guarantee
    if not guarantee.private or guarantee.epsilon > setting.epsilon:
        raise InputError(f"{name} is not proved private for this epsilon", "mechanism")
    found = plan(
        setting.model,
        setting.n,
        epsilon=float(setting.epsilon),
        mechanism=name,
        at=setting.counts,
        level=LEVEL,
        **setting.options(name),
    )
    return Widths(found.width, found.width_without_noise)


def _within(most: int, setting: Setting) -> bool:
    return _vectors(setting) <= (most if len(setting.counts) == 2 else MOST_OF_SEVERAL)


def _vectors(setting: Setting) -> int:
    """How many vectors of counts have this n."""
    return compositions.count(setting.n, len(setting.counts))


def _rng() -> np.random.Generator:
    """Of simulations at made-up counts: the same picture for the same numbers."""
    return np.random.default_rng(0)


def warm_up() -> None:
    """Import what the first figures need."""
    small = Setting((2, 1), (Fraction(1), Fraction(1)), Fraction(1))
    for kind in ("errors", "fan", "widths", "loss", "averaged"):
        figure(kind, small, "lattice")
    figure("limit", small)


FIGURES = {f.__name__: f for f in (proved, errors, fan, loss, limit, averaged, widths)}


def figure(kind: str, *arguments: Any) -> Any:
    """One figure, or why it is not there: nothing is raised."""
    try:
        return FIGURES[kind](*arguments)
    except DiscreetError as error:
        return Missing(str(error))
