"""`dp.release`: validate, draw once, return what may be published."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from discreet import check
from discreet.check import Category, Number
from discreet.core import Adjacency, Config, Guarantee, Mechanism, families
from discreet.core.counts import (
    N_SOURCES,
    AnyModel,
    Aware,
    CountsLike,
    Model,
    Records,
    Released,
    Summarised,
    Unit,
)
from discreet.core.documents import digest
from discreet.core.family import Family, MechanismSpec
from discreet.core.guarantee import warn_of_large
from discreet.core.law import Outcome
from discreet.core.statistics import Statistics
from discreet.errors import Charged, InputError, PrivacyRefusedError
from discreet.releases.published import Release

if TYPE_CHECKING:
    from discreet.ledger import Ledger, Receipt


def release(
    counts: CountsLike,
    model: Model[Released, Aware, Summarised],
    epsilon: Number,
    mechanism: str | None = None,
    n: int | None = None,
    adjacency: Adjacency | str = Adjacency.SUBSTITUTE,
    delta: Number = 0.0,
    rng: np.random.Generator | None = None,
    ledger: Ledger | None = None,
    dataset: str | None = None,
    allow_nonprivate: bool = False,
    request_id: str | None = None,
    part: str | None = None,
    **options: object,
) -> Release[Released, Aware, Summarised]:
    """Release a posterior with differential privacy.

    Args:
        counts: private counts: `Counts`, a sequence in category order, or a mapping or Series by
            category, where categories left out count as 0. For records use `model.count(data)`.
            Of the other models, what `model.count(data, …)` made.
        model: the public model.
        epsilon: the budget; a mechanism whose proved guarantee exceeds it is refused.
        mechanism: "lattice" is the most accurate that works at any size; "optimal" is as good or
            better where it can be computed; "gaussian" has normal noise; "randomized_response"
            perturbs every record by itself; the others are "ls_dim", "ls_hist", "ehd", "ehds",
            "smooth_hellinger" and "ehdl"; those of networks "laplace_updates", "fourier",
            "posterior_sample" and "map", besides "lattice" and "gaussian"; of a normal mean
            "laplace", "gaussian", "input" and "hellinger"; of a regression "statistics" and
            "sample": see `dp.mechanism`. None takes "lattice", "laplace" or "statistics"; of
            categories, means and networks, with a delta, "gaussian" where its noise is smaller for
            these categories or tables, epsilon and delta: the release says which it was, and why.
        n: the public number of records. None declares the sum of the counts public; under
            add-remove n is private and must be None.
        adjacency: "substitute" or, for some mechanisms, "add-remove" or "attribute".
        delta: for `smooth_hellinger`, and for normal noise on counts, tables, a mean or statistics.
            Keep it well below 1/n: that much can go wrong for every one of n persons.
        rng: a numpy Generator makes a reproducible simulation, marked as such: not private.
        ledger: pays for the release (`dp.Ledger.open`); what the budget does not cover is refused.
        dataset: the name under which the ledger keeps the budget of these data.
        allow_nonprivate: release from a mechanism without a guarantee (`ehdl`).
        request_id: a name for this release: asked again with it, the ledger returns the stored
            release instead of paying twice.
        part: a declared part of the data set, for parallel composition.
        options: of the mechanism, see `dp.mechanism`.

    Returns:
        A `Release`: `value` (released counts), `posterior`, `guarantee`, `raw`, `config`, `save`.

    Raises:
        InputError: an argument is wrong; nothing was drawn.
        PrivacyRefusedError: the release would not be as private as asked for; nothing was drawn.
        BudgetError: the ledger's budget does not cover it; nothing was charged or drawn.
        LedgerError: the ledger cannot be used, or a charge has no known outcome.
        NotEnumerable: the mechanism has too many candidates; nothing was drawn.

    Guarantee:
        `Release.guarantee`: (ε, δ), adjacency, unit and basis. The draw is exact and its
        randomness comes from the operating system.

    Example:
        >>> import discreet as dp
        >>> release = dp.release((71, 19), dp.BetaBinomial(), epsilon=1)
        >>> print(release.guarantee)
        ε = 1, δ = 0 for replacing one record
    """
    paid = ledger is not None
    budget, rest = check.epsilon(epsilon), check.rational("delta", delta)
    check.choice("allow_nonprivate", allow_nonprivate, (True, False))
    made, reason, values, n_source = _prepare(
        counts, model, budget, mechanism, n, Adjacency(adjacency), rest, paid, options
    )
    _require_private(made, budget, allow_nonprivate)
    if rng is not None:
        check.generator(rng)
    law = made.make_raw_law(values)
    law.require_drawable()
    records = provenance(counts)
    released = carry_out(made, law, n_source, records, ledger, dataset, request_id, part, rng)
    return replace(released, reason=reason)


class Provenance(NamedTuple):
    """Which records were counted; of counts that were given as numbers nothing is known."""

    column: str | None = None
    where: str | None = None
    dropped: bool = False
    other: Category | None = None
    line_breaks: bool = False


def provenance(counts: object) -> Provenance:
    """What counts remember of the records; a Series has an attribute `where` too."""
    if type(getattr(counts, "line_breaks", None)) is not bool:
        return Provenance()
    known = {name: getattr(counts, name, None) for name in Provenance._fields}
    return Provenance(**{name: value for name, value in known.items() if value is not None})


def require_agreement(config: Config, records: Provenance, n_source: str | None) -> None:
    """Refuse statements that no release makes, by themselves or together."""
    model, reads = config.model, families.of_model(config.model).reads
    for argument, value in (("column", records.column), ("where", records.where)):
        if not isinstance(value, (str, type(None))):
            raise InputError(f"{argument} must be text, got {check.brief(value)}", argument)
    labels = getattr(model, "categories", ()) if model.by is None else model.by.categories
    check.choice("dropped", records.dropped, (True, False))
    check.choice("line_breaks", records.line_breaks, (True, False))
    check.choice("other", records.other, (None, *labels))
    if reads == "nothing":
        if records != Provenance() or (config.n is not None and n_source != model.n_source):
            raise InputError("a program declares which records it reads")
        return
    if records.column is not None and reads != "column":
        raise InputError("its model has the names of several columns", "column")
    if records.dropped and records.other is not None:
        raise InputError("undeclared values are left out or counted, not both", "other")
    if config.n is not None and (
        records.dropped or (records.where is not None and n_source == N_SOURCES[1])
    ):
        raise InputError("its n cannot be public", "n")


def require_payable(guarantee: Guarantee, simulated: bool) -> None:
    """Refuse a receipt for what no ledger pays for."""
    if simulated or not guarantee.private:
        raise InputError("no ledger pays for what is simulated or not private")


class Drawable(Protocol):
    """What a release is drawn from: a law, or the run of a program."""

    def sample(self, *, rng: np.random.Generator | None = None) -> Outcome:
        """One draw."""


def carry_out(
    made: Mechanism,
    law: Drawable,
    n_source: str | None,
    records: Provenance,
    ledger: Ledger | None,
    dataset: str | None,
    request_id: str | None,
    part: str | None,
    rng: np.random.Generator | None,
) -> Release[Any, Any, Any]:
    """Charge, draw, record, return."""
    if records != Provenance():
        require_agreement(made.config, records, n_source)  # what is paid for can be read again
    receipt = _charge(made, records, ledger, dataset, request_id, part, rng is not None)
    if receipt is not None and receipt.stored is not None:
        return replace(Release.from_json(receipt.stored), receipt=receipt)
    try:
        raw = law.sample(rng=rng)
        released = made.postprocess(raw)
        result: Release[Any, Any, Any] = Release(
            made,
            raw,
            released,
            rng is not None,
            n_source,
            receipt,
            *records,
        )
        if ledger is not None and receipt is not None:
            # if this fails the charge stays, without an outcome, and nothing is returned
            ledger.record(receipt, json.loads(result.to_json()))
    except BaseException as error:  # also an interrupt: whoever paid is told
        if receipt is not None:
            error.add_note(Charged(f"entry {receipt.number} of the ledger was charged for it"))
        raise
    return result


def _charge(
    made: Mechanism,
    records: Provenance,
    ledger: Ledger | None,
    dataset: str | None,
    request_id: str | None,
    part: str | None,
    simulated: bool,
) -> Receipt | None:
    """Pay before anything is drawn."""
    if ledger is None:
        for argument, value in (("dataset", dataset), ("request_id", request_id), ("part", part)):
            if value is not None:
                raise InputError(f"{argument} must be None without a ledger", argument)
        return None
    from discreet.ledger import Ledger

    if not isinstance(ledger, Ledger):
        raise InputError(
            f"ledger must be made by dp.Ledger.open, got {check.brief(ledger)}", "ledger"
        )
    if dataset is None:
        raise InputError("dataset must be given with a ledger: whose budget pays", "dataset")
    if simulated:
        raise PrivacyRefusedError("a simulation is not paid for: leave out rng or the ledger")
    # what the counts are about, never how many there are; as it was asked for, so that a retry is
    # known by a later version too, whose defaults may be others
    about = {"mechanism": made.name, "config": digest(made.config.document(1))}
    about |= records._asdict()
    if not records.line_breaks:
        del about["line_breaks"]  # which entries of old do not have
    return ledger.charge(dataset, made.guarantee, about, request_id, part)


def _prepare(
    counts: CountsLike,
    model: AnyModel,
    epsilon: Fraction,
    name: str | None,
    n: int | None,
    adjacency: Adjacency,
    delta: Fraction,
    paid: bool,
    options: dict[str, object],
) -> tuple[Mechanism, str, Outcome, str | None]:
    """The mechanism, why it was taken, the counts in order, and where n comes from."""
    family = families.of_model(model)
    spec = family.spec(family.default if name is None else name)
    model = model.for_counts(counts)
    values = model.to_vector(counts)
    if adjacency is not Adjacency.ADD_REMOVE:
        _require_public_n(counts, n, lambda: _with_private_n(family, spec, paid))
    if isinstance(counts, Records):
        unit = _unit_options(counts, family, spec)
        if not unit and (given := sorted({*Unit.OPTIONS} & options.keys())):
            raise InputError(
                f"{given[0]} must be given to count, not to a release: these counts are of single "
                "records",
                given[0],
            )
        for option in unit.keys() & options.keys():
            raise InputError(f"{option} is known from the counts and cannot be given", option)
        options = unit | options
    if adjacency is not Adjacency.ADD_REMOVE:
        n_source = N_SOURCES[n is None]
        total = model.n_records(values)
        n = total if n is None else check.whole("n", n)
        if n != total:
            if isinstance(counts, Statistics):
                raise InputError(f"data must have the declared n = {n} records", "data")
            raise InputError(f"counts must sum to the declared n = {n}", "counts")
    else:
        n_source = None
    options = {"delta": delta} | options
    reason = ""
    if name is None and delta:
        chosen, reason = family.choice(name, model, n, epsilon, adjacency, options)
        spec = family.spec(chosen)
    if all(option.name != "delta" for option in spec.options):
        if options.pop("delta", 0) != 0:
            got = check.show(delta)
            raise InputError(f"delta is not an option of {spec.name}, got {got}", "delta")
    else:
        warn_of_large(delta, n)
    made = families.make(family, spec, model, n, epsilon, adjacency, options)
    return made, reason, values, n_source


def _with_private_n(family: Family, spec: MechanismSpec, paid: bool) -> str:
    """How to release counts whose number is private, and what that costs."""
    able = family.having(Adjacency.ADD_REMOVE)
    mechanism = "" if spec.name in able else f" with mechanism {' or '.join(map(repr, able))}"
    twice = " (twice epsilon in a data set that is kept under 'substitute')" if paid else ""
    return f"adjacency 'add-remove'{mechanism}{twice}"


def _require_public_n(counts: object, n: int | None, instead: Callable[[], str]) -> None:
    """Refuse counts whose total a replaced record, or unit, could change."""
    records = provenance(counts)
    if records.dropped:
        raise PrivacyRefusedError(
            "counts from which records were dropped have no public n: release them under "
            f"{instead()}"
        )
    if records.where is not None and n is None:
        raise PrivacyRefusedError(
            f"counts of the records with {check.shorten(records.where)} have no public n: release "
            f"them under {instead()}, or declare n if their number is public"
        )
    if isinstance(counts, Records) and (counts.max_per_unit > 1 or counts.averaged):
        kind = f"with up to {counts.max_per_unit} records per {counts.unit}"
        if counts.averaged:
            kind = f"in which every {counts.unit} weighs one"
        raise PrivacyRefusedError(f"counts {kind} are protected under {instead()} only")


def _unit_options(counts: Records, family: Family, spec: MechanismSpec) -> dict[str, object]:
    """What the counts remember of whom they protect."""
    if counts.unit == "record" and counts.max_per_unit == 1:
        return {}
    wanted: dict[str, object] = {"unit": counts.unit, "max_per_unit": counts.max_per_unit}
    if counts.averaged:
        wanted["per_unit"] = counts.per_unit
    able = [each.name for each in family.specs if wanted.keys() <= {o.name for o in each.options}]
    if spec.name not in able:
        by = f"by {' or '.join(map(repr, able))} only" if able else "by none of its mechanisms"
        raise PrivacyRefusedError(f"counts per {counts.unit} are released {by}")
    return wanted


def _require_private(made: Mechanism, epsilon: Fraction, allow_nonprivate: bool) -> None:
    guarantee = made.guarantee
    if not guarantee.private:
        if not allow_nonprivate:
            raise PrivacyRefusedError(
                f"{made.name} is not private; it is released only with allow_nonprivate=True",
                guarantee,
            )
    elif guarantee.epsilon > epsilon:
        raise PrivacyRefusedError(
            f"{made.name} is proved private for epsilon {check.show(guarantee.epsilon)}, which "
            f"exceeds {check.show(epsilon)}; ask for calibrate=True",
            guarantee,
        )
