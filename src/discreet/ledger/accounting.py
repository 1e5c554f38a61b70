"""A tighter total from privacy loss distributions, through Google's dp-accounting."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any

from discreet import check
from discreet.core import Adjacency
from discreet.core.documents import exact
from discreet.extras import needed
from discreet.ledger.accounts import Account
from discreet.ledger.amounts import Amount
from discreet.ledger.entries import Entry, malformed
from discreet.ledger.names import name

if TYPE_CHECKING:
    from discreet.ledger.book import Ledger

MOST_RECORDS_PER_UNIT = 1000  # beyond, the distribution of lattice noise is too long a list


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


@dataclass(frozen=True)
class _Loss:
    """A release as the accountant sees it; `sensitivity` is 0 for one known by (ε, δ) only."""

    mechanism: str
    epsilon: Fraction
    delta: Fraction
    sensitivity: int


def tighter_total(ledger: Ledger, dataset: str, delta: object) -> AccountedTotal:
    """The least ε at a given δ that the composed privacy loss distributions prove.

    A release with (ε, δ) is dominated by the pair of laws that is worst among all such. `lattice`
    under add-remove is independent discrete Laplace noise of rate a = ε/m on counts that change by
    at most m in l1, and is dominated by one count that changes by m. For shifts s along one axis
    the likelihood ratio is monotone, so the same threshold tests are optimal for every s and the
    trade-off functions satisfy T_{s+t} = T_t ∘ (1 − T_s); a shift along several axes is a chain of
    such shifts, for which ≥ holds by group privacy (Dong, Roth and Su 2022, section 2.3). It is
    attained by a unit whose records are all in one category.

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
    return AccountedTotal(
        label,
        bound,
        at,
        account.spent,
        tuple(sorted({loss.mechanism for _, loss in losses if loss.sensitivity})),
        tuple(sorted({loss.mechanism for _, loss in losses if not loss.sensitivity})),
    )


def _loss(entry: Entry, account: Account) -> _Loss:
    """A lattice release under add-remove by its noise, any other by what was charged."""
    cost, document = entry.charged, entry.document
    try:
        promised, mechanism = document["guarantee"], str(document["about"].get("mechanism", "?"))
        most = int(promised["max_per_unit"])
        # the lattice mechanism for networks has no add-remove form, so this is one table of counts
        known = (
            mechanism == "lattice"
            and promised["adjacency"] == account.adjacency == Adjacency.ADD_REMOVE
            and most <= MOST_RECORDS_PER_UNIT
        )
        if known:
            return _Loss(mechanism, exact(promised["epsilon"]), Fraction(0), most)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise malformed(entry) from None
    if cost is None:
        raise malformed(entry)
    return _Loss(mechanism, cost.epsilon, cost.delta, 0)


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
    if loss.sensitivity:
        rate = float(loss.epsilon / loss.sensitivity)
        return distributions.from_discrete_laplace_mechanism(rate, loss.sensitivity)
    return distributions.from_privacy_parameters(
        common.DifferentialPrivacyParameters(float(loss.epsilon), float(loss.delta))
    )
