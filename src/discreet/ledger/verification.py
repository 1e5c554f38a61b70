"""Going through the whole ledger again: every hash, every total, every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet import check
from discreet.core import Adjacency, Guarantee, Theorem
from discreet.core.curves import Known
from discreet.core.documents import exact
from discreet.errors import DiscreetError, InputError
from discreet.ledger import opening, schema
from discreet.ledger.accounts import Account
from discreet.ledger.chain import OWN, Chain
from discreet.ledger.charging import same_promise
from discreet.ledger.entries import Entry, Receipt, release_digest
from discreet.ledger.filters import SUMS
from discreet.ledger.names import skeleton
from discreet.progress import track

MOST_PROBLEMS = 20
_PAID = Theorem("as charged", "the ledger")


@dataclass(frozen=True)
class Report:
    """What a verification found.

    `unfinished` are the charges without an outcome: interrupted or still running. They are paid
    and no problem. `alike` are names that look the same, in a ledger that an older discreet wrote:
    each has a budget of its own, and what is spent on the same records adds up.
    """

    entries: int
    datasets: int
    unfinished: tuple[int, ...]
    problems: tuple[str, ...]
    paid_by: int | None = None  # the entry that paid for the release in question
    alike: tuple[tuple[str, ...], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        entries = check.number_of(self.entries, "entry", "entries")
        lines = [f"{entries} of {check.number_of(self.datasets, 'data set')}"]
        if self.unfinished:
            lines.append(f"{len(self.unfinished)} charged, outcome unknown")
        lines += [
            f"{' and '.join(map(repr, names))} look alike and have budgets of their own: what is "
            "spent on the same records adds up"
            for names in self.alike
        ]
        if self.ok:
            lines.append("the chain, the totals and the rules hold")
            if self.paid_by is not None:
                lines.append(f"the release is the one that entry {self.paid_by} paid for")
        return "\n".join([*lines, *self.problems])


@dataclass
class _Replay:
    """The state of a ledger that is written anew, entry by entry."""

    problems: list[str] = field(default_factory=list)
    count: int = 0
    visited: int = 0
    head: str = ""
    version: int = 0
    accounts: dict[str, Account] = field(default_factory=dict)
    steps: dict[str, int] = field(default_factory=dict)
    open_charges: dict[int, str] = field(default_factory=dict)
    requests: set[tuple[str, str]] = field(default_factory=set)

    def say(self, what: str) -> None:
        self.problems.append(f"entry {self.count}: {what}")

    def take(self, entry: Entry) -> None:
        """Check one entry and go on from what it says."""
        self.count += 1
        self.visited += 1
        if entry.proper and entry.number < 1:
            self.say(f"its number is {entry.number}, not positive")
        elif not entry.proper or not entry.intact:
            self.say("it was changed after it was written")
        elif entry.number != self.count:
            self.say("it is missing or its number was changed")
        elif entry.previous != self.head:
            self.say("it does not follow from the entry before: one was changed or removed")
        self.head = entry.hash if isinstance(entry.hash, str) else ""
        self.count = entry.number if isinstance(entry.number, int) else self.count
        if not entry.proper:
            return
        if entry.step != self.steps.get(entry.dataset, 0) + 1:
            self.say(f"it is not the next entry of {entry.dataset!r}")
        self.steps[entry.dataset] = entry.step
        try:
            _RULES.get(entry.kind, _unknown)(self, entry)
        except (DiscreetError, KeyError, TypeError, ValueError, AttributeError) as error:
            reason = str(error) if isinstance(error, DiscreetError) else "it is malformed"
            self.say(reason)

    def expect(self, entry: Entry, account: Account) -> None:
        """The state that an entry says must be the one that follows."""
        if entry.document["account"] != account.document():
            self.say("its totals do not follow from the entry before")
        self.accounts[entry.dataset] = entry.account


def _unknown(state: _Replay, entry: Entry) -> None:
    state.say("its kind is unknown")


def _own(state: _Replay, entry: Entry) -> None:
    opens = entry.kind == "open"
    if entry.dataset != OWN or opens != (entry.number == 1) or opens != (state.version == 0):
        state.say("it is out of place")
    opening.Terms.of(entry)
    version = int(entry.document["version"])
    if entry.document["format"] != opening.FORMAT or version <= state.version:
        state.say("its version is wrong")
    state.version = version


def _create(state: _Replay, entry: Entry) -> None:
    account = entry.account
    parts = [part for part, _ in account.parts]
    order = SUMS if account.filter is None else account.filter.order
    terms = account.budget, account.adjacency, account.unit
    fresh = Account.new(entry.dataset, *terms, parts, order)
    if entry.dataset == OWN or entry.dataset in state.accounts:
        state.say("the data set exists already")
    state.expect(entry, fresh)


def _raise(state: _Replay, entry: Entry) -> None:
    state.expect(entry, state.accounts[entry.dataset].raised(entry.account.budget))


def _charge(state: _Replay, entry: Entry) -> None:
    state.open_charges[entry.number] = entry.dataset
    if entry.request is not None:
        if (entry.dataset, entry.request) in state.requests:
            state.say(f"request {entry.request!r} was charged twice")
        state.requests.add((entry.dataset, entry.request))
    account = state.accounts[entry.dataset]
    cost = account.cost(_guarantee(entry.document["guarantee"]))
    if cost != entry.charged:
        state.say("what was charged is not what its guarantee costs")
    state.expect(entry, account.pay(cost, entry.document["part"]))


def _guarantee(stated: Mapping[str, Any]) -> Guarantee:
    epsilon: Fraction = exact(stated["epsilon"])
    delta, adjacency = exact(stated["delta"]), Adjacency(stated["adjacency"])
    rhos = {Adjacency(name): exact(rho) for name, rho in stated.get("rho", {}).items()}

    def known(of: Adjacency, times: int) -> Known | None:
        return Known(rhos[of], times * epsilon if delta == 0 else None) if of in rhos else None

    twice = adjacency is Adjacency.ADD_REMOVE
    return Guarantee(
        *(epsilon, delta, adjacency, stated["unit"], stated["max_per_unit"], _PAID),
        curve=known(adjacency, 1),
        replacing=known(Adjacency.SUBSTITUTE, 2) if twice else None,
    )


def _outcome(state: _Replay, entry: Entry) -> None:
    if entry.settles is None or state.open_charges.get(entry.settles) != entry.dataset:
        state.say("it is the outcome of no open charge")
    else:
        del state.open_charges[entry.settles]
    if release_digest(entry.document["release"]) != entry.document["digest"]:
        state.say("the stored release does not have its digest")
    state.expect(entry, state.accounts[entry.dataset])


_RULES: dict[str, Callable[[_Replay, Entry], None]] = {
    "open": _own,
    "migrate": _own,
    "create": _create,
    "raise": _raise,
    "charge": _charge,
    "outcome": _outcome,
}


def verify(chain: Chain, document: Mapping[str, Any] | None = None) -> Report:
    """Go through all entries, and look up the release if one is given."""
    state = _Replay(chain.store.damage(chain.run))
    total = int(chain.run(schema.COUNT)[0][0])
    for entry in track(chain.rows(), "verifying the ledger", total):
        state.take(entry)
    if state.visited != total:
        state.problems.append(f"{total} entries are counted and {state.visited} found")
    if total == 0:
        state.problems.append("the ledger has no entries")
    elif state.version != chain.version():
        state.problems.append("the version of the tables is not that of the last migration")
    if document is not None:
        state.problems += release_problems(chain, document, state.count)
    problems = state.problems
    if len(problems) > MOST_PROBLEMS:
        more = f"and {len(problems) - MOST_PROBLEMS} more problems"
        problems = [*problems[:MOST_PROBLEMS], more]
    return Report(
        total,
        len(state.accounts),
        tuple(state.open_charges),
        tuple(problems),
        None if document is None or problems else document["receipt"]["number"],
        _alike(state.accounts),
    )


def _alike(names: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Names that today are one."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(skeleton(name), []).append(name)
    return tuple(tuple(group) for group in found.values() if len(group) > 1)


def release_problems(chain: Chain, document: Mapping[str, Any], last: int) -> list[str]:
    """Whether the ledger has the charge and the outcome of a release."""
    try:
        receipt = Receipt.read(document.get("receipt"))
    except InputError:
        return ["the release carries no receipt: it was not paid for from a ledger"]
    number = receipt.number
    if number > last:
        return [
            f"the release was paid for by entry {number} but the ledger ends at {last}: it was "
            "rolled back to an older copy, or it is another ledger"
        ]
    try:
        entry, outcome = chain.numbered(number), chain.outcome(number)
    except DiscreetError as error:
        return [str(error)]
    if entry is None or (entry.hash, entry.dataset) != (receipt.hash, receipt.dataset):
        return [
            f"entry {number} is not the one that paid for the release: the ledger was rolled back "
            "to an older copy and went on from there, or it is another ledger"
        ]
    if entry.kind != "charge" or not same_promise(document, entry):
        return [f"entry {number} did not pay for the guarantee of the release"]
    if outcome is None:
        return [f"the outcome of entry {number} was not recorded: it cannot vouch for the release"]
    if outcome.document.get("digest") != release_digest(document):
        return [f"the release is not the one that was recorded for entry {number}"]
    return []
