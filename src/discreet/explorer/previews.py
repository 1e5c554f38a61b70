"""What every mechanism would do at made-up counts: the figures of the explorer.

Only public values enter (`Setting`). Everything that comes out is a plain value, so that it is
computed in another process and sent to a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet import making
from discreet.auditing import audit
from discreet.calibration import CALIBRATED
from discreet.errorlaw import listed_or_drawn, mean_error
from discreet.errors import DiscreetError, InputError
from discreet.exact import Floats, compositions
from discreet.explorer.settings import Setting
from discreet.laws import windows
from discreet.planning import plan

MOST = {2: 500, 3: 30}  # records up to which losses and averages are exact, by categories
MOST_IN_PROGRAM = {2: 500, 3: 16}  # and up to which the linear program is solved: a second
MOST_OPTIMAL = 2_000
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
class Widths:
    """The expected width of the 95 % interval that includes the noise, and that without noise."""

    noisy: float
    exact: float


def proved(setting: Setting, name: str) -> float | Missing:
    """The epsilon that is proved."""
    guarantee = setting.mechanism(name).guarantee
    return float(guarantee.epsilon) if guarantee.private else Missing(f"{name} is not private")


def errors(setting: Setting, name: str, draws: int = FEW) -> Errors:
    """How far the released posterior is from the true one, in Hellinger distance.

    With more than a few draws it takes its time, and is exact where `accuracy` is.
    """
    _require_size(setting, name)
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

    _require_size(setting, name)
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
    """Whether even an estimate takes long: every candidate is weighed before the first draw."""
    candidates = compositions.count(setting.n, len(setting.counts))
    return name in CALIBRATED and candidates > MOST_WEIGHED  # the exponential mechanisms


def loss(setting: Setting, name: str) -> float | Missing:
    """The exact privacy loss over all counts with this n."""
    if not _within(MOST, setting):
        return Missing(
            "the exact loss is computed up to 500 records of two categories, 30 of three"
        )
    return audit(setting.mechanism(name)).epsilon


def limit(setting: Setting) -> float | Missing:
    """The least error, averaged over all counts, that a private mechanism can have."""
    if not _within(MOST_IN_PROGRAM, setting):
        return Missing(
            "the linear program is solved up to 500 records of two categories, 16 of three"
        )
    return making.optimal(setting.model, setting.n, setting.epsilon).value


def averaged(setting: Setting, name: str) -> float | Missing:
    """The error of a mechanism, averaged over all counts with this n."""
    if not _within(MOST_IN_PROGRAM, setting):
        return Missing("the average over all counts is computed where the limit is")
    return mean_error(setting.mechanism(name))


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


def _require_size(setting: Setting, name: str) -> None:
    if name == "optimal" and setting.n > MOST_OPTIMAL:
        raise InputError(f"the optimal mechanism is looked at up to {MOST_OPTIMAL} records", "n")


def _within(most: dict[int, int], setting: Setting) -> bool:
    return setting.n <= most.get(len(setting.counts), 0)


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
