"""Rules for what is released: documents, simulations, posteriors, payment, tables, plots."""

from __future__ import annotations

import json
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from discreet.core.family import available
from discreet.errors import BudgetError, InputError, NotAPosteriorError, NotEnumerable
from discreet.noise_aware import infer
from discreet.testing.cases import EPSILON, Case

SEED = 20170701
OUTPUTS = 6


def can_be_written_and_read(case: Case) -> None:
    """JSON leads back to the same release, and what was edited is refused."""
    from discreet.releases.published import Release

    made = case.release()
    assert not made.simulated
    assert made.guarantee == case.make().guarantee
    assert made.value == made.mechanism.postprocess(made.raw)
    text = made.to_json()
    again = Release.from_json(text)
    assert again == made, "a release must equal the one that is read from its JSON"
    assert again.to_json() == text
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - our own
    document = json.loads(text)
    for name in ("epsilon", "raw", "model", "mechanism"):
        edited = {key: value for key, value in document.items() if key != name}
        _refused(
            f"a release without its {name} must be refused",
            partial(Release.from_json, json.dumps(edited)),
        )


def _refused(rule: str, call: Callable[[], object]) -> None:
    try:
        call()
    except InputError:
        return
    raise AssertionError(rule)


def can_be_simulated(case: Case) -> None:
    """The same seed gives the same release, which is marked."""
    first, second = (case.release(rng=np.random.default_rng(SEED)) for _ in range(2))
    assert first == second, "a seed must give the same simulation"
    assert first.simulated
    assert "simulated" in repr(first)


def has_posteriors(case: Case) -> None:
    """As released and noise-aware, of many outputs, the same each time; or a reason why not."""
    for seed in range(OUTPUTS):
        made = case.release(EPSILON / 4, rng=np.random.default_rng(seed))
        if case.spec.can("posterior"):
            with suppress(NotAPosteriorError):  # of a raw output that is none
                assert made.posterior is not None
        if not case.spec.can("noise_aware"):
            _refused("noise_aware must say why there is none", made.noise_aware)
            continue
        with suppress(NotEnumerable):
            first = made.noise_aware()
            again = made.noise_aware() if seed == 0 else first
            assert repr(first) == repr(again), "noise_aware must give the same each time"


def has_posteriors_of_no_records(case: Case) -> None:
    """Where nobody is in the data a release is made all the same, and has its posteriors."""
    made = case.make(n=None if case.public_n is None else 0)
    law = made.make_raw_law((0,) * len(case.vector))
    raw = law.sample(rng=np.random.default_rng(SEED))
    value = made.postprocess(raw)
    if case.spec.can("posterior"):
        with suppress(NotAPosteriorError):
            assert case.spec.posterior(made, value) is not None
    if case.spec.can("noise_aware"):
        with suppress(NotEnumerable):
            assert infer(made, raw) is not None


def is_paid_for(case: Case) -> None:
    """A ledger charges the guarantee, answers a retry, and refuses what it cannot pay."""
    from discreet.ledger import Ledger

    promised = case.make().guarantee
    if not promised.private:
        return
    with tempfile.TemporaryDirectory() as place:
        ledger = Ledger.open(Path(place) / "budget.db")
        ledger.create(
            *("ward", 1.5 * promised.epsilon, 1.5 * promised.delta),
            adjacency=case.adjacency,
            unit=promised.unit,
        )
        paid = case.release(ledger=ledger, dataset="ward", request_id="first")
        assert paid.receipt is not None
        again = case.release(ledger=ledger, dataset="ward", request_id="first")
        assert again.raw == paid.raw, "a retry must return what was stored"
        try:
            case.release(ledger=ledger, dataset="ward")
        except BudgetError:
            return
    raise AssertionError("a release beyond the budget must be refused")


def can_be_shown(case: Case) -> None:
    """Its table is text and HTML, and its plot has a title or labels."""
    made = case.release(rng=np.random.default_rng(SEED))
    assert case.spec.name in repr(made)
    assert "<p>" in made._repr_html_()
    if available(case.family.summary):
        shown = made.summary()
        assert made.title in str(shown), "a summary must begin with the release's title"
        assert "<table" in shown._repr_html_()
    if available(case.family.plot) and not case.family.views and find_spec("matplotlib"):
        axes = made.plot()
        said = [axes.get_xlabel(), axes.get_title(), *(text.get_text() for text in axes.texts)]
        assert any(said), "a plot must say what it shows"
        axes.figure.clear()


RULES = (
    can_be_written_and_read,
    can_be_simulated,
    has_posteriors,
    has_posteriors_of_no_records,
    is_paid_for,
    can_be_shown,
)
