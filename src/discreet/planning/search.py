"""The search for the least epsilon: numbers of three significant digits from 1e-4 to 100."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.errors import InputError
from discreet.planning.setting import Setting
from discreet.progress import track

LEAST, MOST = Fraction(1, 10**4), Fraction(100)  # the range of epsilon
_DECADES = 6


def _three_digits(step: int) -> Fraction:
    """The numbers from 1e-4 to 100 that have three significant digits, in order."""
    decade, digits = divmod(step, 900)
    return LEAST * Fraction(10) ** decade * Fraction(100 + digits, 100)


def least(setting: Setting, asked: str, target: float, argument: str) -> Fraction:
    """The target is met at the result, and missed one step below."""
    last = 900 * _DECADES
    place, stride = _guess(setting, asked, target), 64
    met, missed = (last + 1, 0.0), (-1, math.inf)  # beyond the range
    for turn in track(range(64), "Searching for epsilon", total=10):
        value = setting.value(asked, _three_digits(place))
        met, missed = ((place, value), missed) if value <= target else (met, (place, value))
        if missed[0] == last:
            raise _unreachable(setting, asked, target, argument)
        if met[0] - missed[0] == 1:
            break
        if missed[0] < 0:
            place = max(0, met[0] - stride)
        elif met[0] > last:
            place = min(last, missed[0] + stride)
        else:
            place = _between(missed, met, target, halve=turn % 3 == 0)
        stride *= 2
    return _three_digits(met[0])


def _between(missed: tuple[int, float], met: tuple[int, float], target: float, halve: bool) -> int:
    """Where the target is met if logs change evenly; or the middle."""
    (low, above), (high, below) = missed, met
    share = 0.5
    if not halve and below > 0 and above < math.inf:
        share = math.log(above / target) / math.log(above / below)
    return min(max(low + round(share * (high - low)), low + 1), high - 1)


def _guess(setting: Setting, asked: str, target: float) -> int:
    """Where to begin: epsilon = 1, or where noise of variance 2/ε² widens a normal interval so."""
    epsilon = 1.0
    if asked == "width":
        exact = setting.floor(asked)
        if target <= exact:
            raise _unreachable(setting, asked, target, "width")
        epsilon = 4 * math.sqrt(2) / (setting.n * math.sqrt(target**2 - exact**2))
    digits = math.log10(min(max(epsilon, float(LEAST)), float(MOST)) / float(LEAST))
    decade = min(int(digits), _DECADES - 1)
    return min(900 * decade + int(100 * (10 ** (digits - decade) - 1)), 900 * _DECADES)


def _unreachable(setting: Setting, asked: str, target: float, argument: str) -> InputError:
    if asked == "width":
        best = setting.floor(asked)
        if target <= best:
            return InputError(
                f"width must be above {best:.4g}, the {setting.words(asked)} without any noise, "
                f"got {target:g}",
                argument,
            )
    best = setting.value(asked, MOST)
    return InputError(
        f"{argument} must be at least {best:.4g}, got {target:g}: with epsilon up to 100, "
        f"{setting.mechanism} reaches no smaller {setting.words(asked)}{setting.remark(asked)}",
        argument,
    )
