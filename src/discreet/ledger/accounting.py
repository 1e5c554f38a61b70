"""A tighter total from privacy loss distributions, through Google's dp-accounting."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet import check
from discreet.core.curves import Laplace, Normal, read_curve
from discreet.extras import needed
from discreet.ledger.accounts import Account
from discreet.ledger.amounts import Amount
from discreet.ledger.entries import Entry, malformed
from discreet.ledger.names import name

if TYPE_CHECKING:
    from discreet.ledger.book import Ledger

MOST_STEPS = 1000  # beyond, the distribution of discrete Laplace noise is too long a list


@dataclass(frozen=True)
class AccountedTotal:
    """All releases of a data set together are (epsilon, delta)-private.

    `charged` is what the ledger counts, which stays as it is. `exact` names the mechanisms whose
    own privacy loss distribution was composed, `by_guarantee` those known by their (ε, δ) only.
    The total holds if the releases and their ε were settled beforehand; where later ones were
    chosen after looking at earlier ones, only `charged` holds.
    """

    dataset: str
    epsilon: float
    delta: Fraction
    charged: Amount
    exact: tuple[str, ...]
    by_guarantee: tuple[str, ...]

    def __str__(self) -> str:
        covered = ", ".join(self.exact) or "none"
        rest = ", ".join(self.by_guarantee) or "none"
        return (
            f"{self.dataset}: ε = {self.epsilon:.6g} at δ = {check.show(self.delta)} for releases "
            f"settled beforehand (charged: {self.charged}); exact: {covered}; by guarantee: {rest}"
        )


def tighter_total(ledger: Ledger, dataset: str, delta: object) -> AccountedTotal:
    """The least ε at a given δ that the composed privacy loss distributions prove.

    A release with (ε, δ) is dominated by the pair of laws that is worst among all such. Discrete
    Laplace noise is dominated by that on one number (`core.curves.Laplace` has the argument), and
    normal noise on one number by the largest change of it, for the same reason.

    Where parts are declared, the releases from the whole data set are composed with those of each
    part, and the worst counts. Rounding is upwards. Adaptively chosen budgets are not covered
    (Rogers, Roth, Ullman and Vadhan 2016).

    Args:
        ledger: the ledger.
        dataset: the name of a data set.
        delta: the δ at which ε is wanted, strictly between 0 and 1.
    """
    label, at = name("dataset", dataset), check.share("delta", delta)
    ledger.remaining(label)  # refuses an unknown data set
    entries = ledger.history(label)
    account = entries[-1].account
    losses = [
        (entry.document.get("part"), _loss(entry, account))
        for entry in entries
        if entry.kind == "charge"
    ]
    parts: list[str | None] = [None, *(part for part, _ in account.parts)]
    bound = max(
        _composed([loss for where, loss in losses if where in (None, part)], at) for part in parts
    )
    if account.spent.delta <= at:
        bound = min(bound, math.nextafter(float(account.spent.epsilon), math.inf))
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for _, loss in losses:
        names[not isinstance(loss.curve, Amount)].add(loss.mechanism)
    return AccountedTotal(
        *(label, bound, at, account.spent, tuple(sorted(names[True])), tuple(sorted(names[False])))
    )


class _Loss(NamedTuple):
    """A release as the accountant sees it: by its noise, or by what was charged."""

    mechanism: str
    curve: Laplace | Normal | Amount


def _loss(entry: Entry, account: Account) -> _Loss:
    """The curve that the guarantee states, if its distribution is known, else what was charged."""
    cost, document = entry.charged, entry.document
    try:
        promised, name = document["guarantee"], str(document["about"].get("mechanism", "?"))
        stated = promised.get("curve")
        same = stated is not None and promised["adjacency"] == account.adjacency
        curve = read_curve(stated) if same else None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise malformed(entry) from None
    if isinstance(curve, Laplace) and curve.steps is not None and curve.steps <= MOST_STEPS:
        return _Loss(name, curve)
    if isinstance(curve, Normal) and _is_square(curve.sensitivity_squared):
        return _Loss(name, curve)
    if cost is None:
        raise malformed(entry)
    return _Loss(name, cost)


def _is_square(number: Fraction) -> bool:
    """Of a whole number: that is by how much the one number changes."""
    return number.denominator == 1 and math.isqrt(number.numerator) ** 2 == number


def _composed(losses: list[_Loss], delta: Fraction) -> float:
    """The ε of all releases together at δ."""
    total: Any = None
    for loss, times in Counter(losses).items():
        one = _distribution(loss)
        many = one if times == 1 else one.self_compose(times)
        total = many if total is None else total.compose(many)
    return 0.0 if total is None else float(total.get_epsilon_for_delta(float(delta)))


def _distribution(loss: _Loss) -> Any:
    with needed("a tighter total needs dp-accounting", "discreet[accounting]"):
        common = import_module("dp_accounting.pld.common")
        distributions = import_module("dp_accounting.pld.privacy_loss_distribution")
    curve = loss.curve
    if isinstance(curve, Laplace):
        assert curve.steps is not None
        rate = float(curve.epsilon / curve.steps)
        return distributions.from_discrete_laplace_mechanism(rate, curve.steps)
    if isinstance(curve, Normal):
        return distributions.from_discrete_gaussian_mechanism(
            math.sqrt(curve.variance), math.isqrt(int(curve.sensitivity_squared))
        )
    return distributions.from_privacy_parameters(
        common.DifferentialPrivacyParameters(float(curve.epsilon), float(curve.delta))
    )
