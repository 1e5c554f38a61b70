"""Rules for what is released: documents, simulations, posteriors, payment, tables, plots."""

from __future__ import annotations

import json
import pickle
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from discreet.core.family import available
from discreet.errors import BudgetError, DocumentError, InputError, NotEnumerable
from discreet.testing.cases import EPSILON, Case

SEED = 20170701


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
        try:
            Release.from_json(json.dumps(edited))
        except DocumentError:
            continue
        raise AssertionError(f"a release without its {name} must be refused")


def can_be_simulated(case: Case) -> None:
    """The same seed gives the same release, which is marked."""
    first, second = (case.release(rng=np.random.default_rng(SEED)) for _ in range(2))
    assert first == second, "a seed must give the same simulation"
    assert first.simulated
    assert "simulated" in repr(first)


def has_posteriors(case: Case) -> None:
    """As released and noise-aware, the same each time; or a reason why not."""
    made = case.release(rng=np.random.default_rng(SEED))
    if case.spec.can("posterior"):
        assert made.posterior is not None
    if not case.spec.can("noise_aware"):
        try:
            made.noise_aware()
        except InputError:
            return
        raise AssertionError("noise_aware must say why there is none")
    try:
        first, second = made.noise_aware(), made.noise_aware()
    except NotEnumerable:
        return
    assert repr(first) == repr(second), "noise_aware must give the same for the same release"


def is_paid_for(case: Case) -> None:
    """A ledger charges the guarantee, answers a retry, and refuses what it cannot pay."""
    from discreet.ledger import Ledger

    promised = case.make().guarantee
    if not promised.private:
        return
    with tempfile.TemporaryDirectory() as place:
        ledger = Ledger.open(Path(place) / "budget.db")
        ledger.create("ward", 1.5 * EPSILON, 1.5 * promised.delta, adjacency=case.adjacency)
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
    is_paid_for,
    can_be_shown,
)
