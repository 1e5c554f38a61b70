"""What P3 claims of the accuracy of M_H and of Laplace noise."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from discreet_papers.p1.laws import truncated_loss
from discreet_papers.p3.cases import CASES, M_H, OVER_S, laplace
from discreet_papers.p3.laws import TRUNCATED, Errors, error_law
from discreet_papers.parts import Claim, Finding, Verdict

_GOOD = 0.3  # an error below it is a good answer
_MUCH = 1.25  # a factor: within it not by much, beyond it clearly


def _four(figure: int) -> tuple[Errors, Errors, Errors, Errors]:
    """M_H as defined and with /S, Laplace noise rounded down and towards zero."""
    k = len(CASES[figure].counts)
    found = (error_law(x, figure) for x in (M_H, OVER_S, laplace(k), TRUNCATED))
    defined, over_s, down, towards_zero = found
    return defined, over_s, down, towards_zero


def _numbers(figure: int) -> dict[str, float]:
    names = ("defined", "over_s", "laplace", "laplace_truncated", "lattice")
    laws = (*_four(figure), error_law("lattice", figure))
    measured = {}
    for name, law in zip(names, laws, strict=True):
        measured[f"{name}_mean"] = law.mean
        measured[f"{name}_truth"] = law.truth
        measured[f"{name}_good"] = law.below(_GOOD)
    return measured


def _better(first: Errors, second: Errors) -> bool:
    """Likelier to release the truth and something good, and nearer on average."""
    return (
        first.mean < second.mean
        and first.truth > second.truth
        and first.below(_GOOD) > second.below(_GOOD)
    )


def _figure_5() -> Finding:
    defined, over_s, down, towards_zero = _four(5)
    other = error_law("ls_hist", 5)
    stated = all(_better(defined, x) for x in (down, towards_zero))
    conditioned = all(_better(over_s, x) for x in (down, towards_zero))
    return Finding(
        Verdict.of(stated, conditioned),
        f"True with /S, as in the paper's formula: mean distance {over_s.mean:.4f} against "
        f"{down.mean:.4f} for Laplace noise rounded down and {towards_zero.mean:.4f} rounded "
        f"towards zero, the truth with probability {over_s.truth:.3f} against {down.truth:.3f} and "
        f"{towards_zero.truth:.3f}. M_H as defined has {defined.mean:.4f} and {defined.truth:.3f}: "
        "worse on average. Two categories need noise of scale 1/ε only, and with that (LSHist) "
        f"the mean is {other.mean:.4f}; lattice noise has {error_law('lattice', 5).mean:.4f}.",
        _numbers(5) | {"ls_hist_mean": other.mean},
    )


def _figure_6() -> Finding:
    defined, over_s, down, towards_zero = _four(6)
    stated = down.mean < defined.mean <= _MUCH * down.mean
    conditioned = towards_zero.mean < over_s.mean <= _MUCH * towards_zero.mean
    return Finding(
        Verdict.of(stated, conditioned),
        f"True of the two laws that P1's Table 2 prints: mean distance {towards_zero.mean:.4f} for "
        f"Laplace noise rounded towards zero, {over_s.mean:.4f} for M_H with /S, although "
        f"M_H is likelier to err by less than {_GOOD} ({over_s.below(_GOOD):.3f} against "
        f"{towards_zero.below(_GOOD):.3f}) and the noise so rounded loses ε = "
        f"{truncated_loss(3):.2f}. Rounded down, which is private, its mean is {down.mean:.4f}, "
        f"and M_H as defined has {defined.mean:.4f} (not by much: up to {_MUCH} times).",
        _numbers(6) | {"loss_of_truncated": truncated_loss(3)},
    )


def _clearly(first: Errors, second: Errors) -> bool:
    """Nearer on average and likelier to release something good, by a factor each."""
    good = first.below(_GOOD) >= _MUCH * second.below(_GOOD)
    return good and second.mean >= _MUCH * first.mean


def _laplace_better(figure: int) -> Finding:
    defined, over_s, down, towards_zero = _four(figure)
    pairs = [(x, y) for x in (down, towards_zero) for y in (defined, over_s)]
    clearly = all(_clearly(x, y) for x, y in pairs)
    truth = all(x.truth > y.truth for x, y in pairs)
    nearer = min(y.mean / x.mean for x, y in pairs)
    likelier = min(x.below(_GOOD) / y.below(_GOOD) for x, y in pairs)
    except_for = "" if truth else "True of all but the exact truth. "
    return Finding(
        Verdict.of(clearly and truth, clearly),
        f"{except_for}Mean distance {down.mean:.4f} for Laplace noise ({towards_zero.mean:.4f} "
        f"rounded towards zero) against {defined.mean:.4f} for M_H as defined and "
        f"{over_s.mean:.4f} with /S, at least {nearer:.2f} times smaller; probability of an error "
        f"below {_GOOD}: {down.below(_GOOD):.2g} ({towards_zero.below(_GOOD):.2g}) against "
        f"{defined.below(_GOOD):.2g} and {over_s.below(_GOOD):.2g}, at least {likelier:.2f} times "
        f"likelier (we asked for {_MUCH} in both); of the truth: {down.truth:.2g} "
        f"({towards_zero.truth:.2g}) against {defined.truth:.2g} and {over_s.truth:.2g}. Lattice "
        f"noise has the mean {error_law('lattice', figure).mean:.4f}.",
        _numbers(figure) | {"least_factor_of_mean": nearer, "least_factor_of_good": likelier},
    )


def _claim(name: str, figure: int, words: str, measure: Callable[[], Finding]) -> Claim:
    return Claim(f"p3-{name}", f"§4.4, Figure {figure}", words, measure)


CLAIMS = (
    _claim(
        "fig5",
        5,
        "At (49, 49) M_H is better than Laplace noise: nearer on average, and likelier to release "
        "good answers.",
        _figure_5,
    ),
    _claim(
        "fig6",
        6,
        "At (20, 20, 20) Laplace noise is better than M_H, but not by much.",
        _figure_6,
    ),
    _claim(
        "fig7",
        7,
        "At (20, 20, 20, 20) Laplace noise is clearly better and much likelier to release good "
        "answers.",
        partial(_laplace_better, 7),
    ),
    _claim(
        "fig8",
        8,
        "At the edge, (1, 1, 1, 77), Laplace noise is clearly better and much likelier to release "
        "good answers.",
        partial(_laplace_better, 8),
    ),
)
