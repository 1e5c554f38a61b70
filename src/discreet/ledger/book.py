"""`dp.Ledger`: what may still be released from each data set."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from discreet import check
from discreet.check import Number
from discreet.core import Adjacency, Guarantee
from discreet.errors import InputError
from discreet.ledger import charging, opening, stores, verification
from discreet.ledger.accounts import Account
from discreet.ledger.chain import reading, writing
from discreet.ledger.charging import Quote
from discreet.ledger.entries import Entry, Receipt, canonical
from discreet.ledger.names import name
from discreet.ledger.remaining import Remaining, remaining
from discreet.ledger.verification import Report


class Documented(Protocol):
    """A release, which writes itself as JSON."""

    def to_json(self) -> str:
        """Its document."""


@dataclass(frozen=True, repr=False)
class Ledger:
    """Budgets of privacy, kept in a file or on a PostgreSQL server.

    A release is charged before it is drawn, in a transaction that excludes all others and is on
    disk when it ends. The entries form a chain: each has the hash of the one before and the totals
    after it. Use `Ledger.open`. A ledger is only the name of its place, so it can be pickled and
    used from threads and forked processes.

    The chain shows changes by accident or by someone who cannot recompute it. Whoever can write
    the place can rewrite all of it; then the receipts in published releases show it.

    Example:
        >>> import discreet as dp, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = dp.Ledger.open(f"{folder}/budget.db", budget=3)
        ...     model = dp.BetaBinomial()
        ...     paid = dp.release((7, 3), model, epsilon=1, ledger=ledger, dataset="trial")
        ...     float(ledger.remaining("trial").epsilon)
        2.0
    """

    place: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", stores.place_of(self.place))

    @classmethod
    def open(
        cls,
        place: str | Path,
        budget: Number | None = None,
        delta: Number | None = None,
        adjacency: Adjacency | str | None = None,
        unit: str | None = None,
        order: Number | str | None = None,
    ) -> Ledger:
        """Open a ledger, or create it.

        Args:
            place: a path (SQLite) or a postgresql:// URL (extra `postgres`).
            budget: the ε that a new data set gets unless it is created with its own. An existing
                ledger keeps what it has: another budget is refused.
            delta: the δ that goes with it; None is 0 for a new ledger.
            adjacency: of new data sets; None leaves it to their first release.
            unit: who is protected in new data sets, such as "patient"; None as adjacency.
            order: with a δ, how releases compose in new data sets: see `create`.

        Raises:
            InputError: an argument is wrong, or the ledger has other defaults.
            LedgerError: the place cannot be used.

        Example:
            >>> import discreet as dp
            >>> from tempfile import mkdtemp
            >>> ledger = dp.Ledger.open(mkdtemp() + "/budget.db", budget=3.0)
            >>> print(ledger.create("trial-7").budget)
            ε = 3, δ = 0
        """
        ledger = cls(str(place) if isinstance(place, Path) else place)
        opening.open_or_create(ledger._store, budget, delta, adjacency, unit, order)
        return ledger

    @classmethod
    def existing(cls, place: str) -> Ledger:
        """Open a ledger that is there; none is made."""
        if "://" not in place and not os.path.lexists(place):
            shown = repr(place) if len(place) <= 250 else check.brief(place)
            raise InputError(
                f"ledger {shown} does not exist; make it with: discreet ledger init "
                "PLACE --budget EPSILON",
                "ledger",
            )
        if "://" not in place:
            return cls.open(place)
        found = cls(place)
        with reading(found._store) as chain:
            chain.version()  # which refuses a database without the tables of a ledger
        return found

    @property
    def _store(self) -> stores.Store:
        return stores.store_of(self.place)

    def create(
        self,
        dataset: str,
        budget: Number | None = None,
        delta: Number | None = None,
        adjacency: Adjacency | str | None = None,
        unit: str | None = None,
        parts: Sequence[str] = (),
        order: Number | str | None = None,
    ) -> Account:
        """Give a data set a budget of its own; None takes the ledger's default.

        With a δ a release is admitted if the sums of all ε and δ stay within the budget, or if the
        releases compose to it: the sum of their Rényi divergences D_α at one order α proves (ε, δ).
        That promises (ε, δ), and nothing at another δ.

        Args:
            dataset: its name.
            budget: the ε that all its releases together may cost.
            delta: the δ.
            adjacency: which neighbours its releases protect; "substitute" if there is no default.
            unit: who is protected; "record" if there is no default.
            parts: names of parts that are disjoint: no unit may have records in two of them, which
                nobody can check here. Of releases from parts only the largest sum counts. Under
                add-remove only: a replaced record can move from one part to another.
            order: the α, above 1, fixed for good; None takes the one at which the most small
                releases fit; "sums" lets only the sums count.
        """
        with writing(self._store) as chain:
            label = name("dataset", dataset)
            account = opening.planned(chain, label, budget, delta, adjacency, unit, parts, order)
            return opening.create(chain, account)

    def raise_budget(
        self, dataset: str, budget: Number | None, delta: Number | None = None, reason: str = ""
    ) -> Account:
        """Raise the budget of a data set; it is an entry with its reason, and never goes down.

        From then on only the sums of ε and δ count: what composed to the smaller budget may have
        been a reason to raise it.
        """
        with writing(self._store) as chain:
            return opening.raise_budget(chain, name("dataset", dataset), budget, delta, reason)

    def charge(
        self,
        dataset: str,
        guarantee: Guarantee,
        about: Mapping[str, Any],
        request_id: str | None = None,
        part: str | None = None,
    ) -> Receipt:
        """Pay for a release before it is drawn.

        Args:
            dataset: its name; an unknown one is created with the ledger's default budget.
            guarantee: what the release promises, in the data set's unit and adjacency. An
                add-remove guarantee counts twice in a data set under substitution.
            about: what is released, as JSON can hold it: public, it is written down.
            request_id: the same id again, letter by letter, returns the stored release in
                `Receipt.stored`.
            part: a part that the data set was created with.

        Raises:
            BudgetError: the budget does not cover it; nothing was written.
            PrivacyRefusedError: the guarantee is not of the data set's kind.
            LedgerError: the place cannot be used, or the request has no known outcome.
        """
        if not isinstance(guarantee, Guarantee):
            raise InputError(
                f"guarantee must be a Guarantee, got {check.brief(guarantee)}", "guarantee"
            )
        label = name("dataset", dataset)
        request = None if request_id is None else name("request_id", request_id)
        piece = None if part is None else name("part", part)
        with writing(self._store) as chain:
            return charging.charge(chain, label, guarantee, about, request, piece)

    def quote(self, dataset: str, guarantee: Guarantee, part: str | None = None) -> Quote:
        """What `charge` would take, with its refusals; nothing is written."""
        label = name("dataset", dataset)
        piece = None if part is None else name("part", part)
        with reading(self._store) as chain:
            return charging.quote(chain, label, guarantee, piece)

    def record(self, receipt: Receipt, document: Mapping[str, Any]) -> None:
        """Write down what came of a charge: the release's JSON, which carries the receipt."""
        if not isinstance(receipt, Receipt):
            raise InputError(f"receipt must be a Receipt, got {check.brief(receipt)}", "receipt")
        with writing(self._store) as chain:
            charging.record(chain, receipt, document)

    def released(self, number: int) -> dict[str, Any]:
        """The release that entry `number` paid for, as JSON parsed: `Release.from_json` reads it.

        Raises:
            InputError: the entry is no charge.
            LedgerError: its outcome was not recorded.
        """
        wanted = check.whole("number", number, least=1)
        with reading(self._store) as chain:
            return charging.released(chain, wanted)

    def remaining(self, dataset: str, part: str | None = None) -> Remaining:
        """What a release from a data set, or from one part of it, may still cost.

        Its `epsilon` and `delta` are what the sums leave. Where releases compose, `more` is how
        many releases of `each` are possible: that is what it prints.
        """
        piece = None if part is None else name("part", part)
        with reading(self._store) as chain:
            account = opening.account_of(chain, name("dataset", dataset))
        return remaining(account, piece)

    def releases_left(
        self, dataset: str, epsilon: Number, delta: Number = 0, part: str | None = None
    ) -> int:
        """How many more releases are possible, by the sums or composed.

        Args:
            dataset: its name.
            epsilon: of each release.
            delta: of each release; above 0, of normal noise.
            part: a part of the data set.

        Example:
            >>> import discreet as dp
            >>> from tempfile import mkdtemp
            >>> ledger = dp.Ledger.open(mkdtemp() + "/budget.db", budget=3, delta=1e-6)
            >>> account = ledger.create("trial")
            >>> ledger.releases_left("trial", epsilon=0.1)
            41
        """
        piece = None if part is None else name("part", part)
        with reading(self._store) as chain:
            account = opening.account_of(chain, name("dataset", dataset))
        return account.releases_left(epsilon, delta, piece)

    def datasets(self) -> tuple[Account, ...]:
        """All data sets with budget and expenses, by name."""
        with reading(self._store) as chain:
            return tuple(entry.account for entry in chain.latest())

    def history(self, dataset: str | None = None) -> tuple[Entry, ...]:
        """The entries in order, of one data set or of all."""
        label = None if dataset is None else name("dataset", dataset)
        with reading(self._store) as chain:
            return tuple(chain.checked(entry) for entry in chain.rows(label))

    def verify(self, release: Documented | Mapping[str, Any] | None = None) -> Report:
        """Recompute the whole chain, every total and every rule.

        With a `Release`, or its JSON parsed, also whether the ledger has its charge and its
        outcome: a ledger that was put back to an older copy does not.
        """
        document: Any = release
        if callable(to_json := getattr(release, "to_json", None)):
            document = json.loads(to_json())
        if document is not None:
            canonical("release", document)
        with reading(self._store) as chain:
            return verification.verify(chain, document)

    def backup(self, path: str | Path) -> None:
        """Copy a file ledger to a new file while others use it."""
        target = stores.place_of(path)
        if stores.is_url(target):
            raise InputError("path must be a path, got a URL", "path")
        self._store.backup(target)

    def migrate(self) -> int:
        """Bring a ledger of an older discreet to this version, which is returned."""
        return opening.migrate(self._store)

    def __repr__(self) -> str:
        return f"<ledger {stores.shown(self.place)!r}>"
