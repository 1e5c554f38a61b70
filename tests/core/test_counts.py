from __future__ import annotations

import pytest

from discreet import Counts, DirichletMultinomial, InputError
from discreet.core.counts import values_of


def test_counts_do_not_show_themselves() -> None:
    counts = Counts((51, 37), ("yes", "no"))
    assert "51" not in repr(counts)
    assert "37" not in str(counts)
    assert counts.n_records == 88


def test_counts_are_reordered_by_category() -> None:
    counts = Counts((51, 37), ("yes", "no"))
    assert values_of(counts, ("no", "yes")) == (37, 51)
    for other in (("no", "maybe"), ("no", "yes", "maybe")):
        with pytest.raises(InputError, match="other categories"):
            values_of(counts, other)


def test_counts_are_validated() -> None:
    with pytest.raises(InputError, match=r"values\[1\] must not be negative"):
        Counts((1, -1), ("yes", "no"))
    with pytest.raises(InputError, match="unit must be a name"):
        Counts((1, 1), ("yes", "no"), unit="")
    with pytest.raises(InputError, match="max_per_unit"):
        Counts((1, 1), ("yes", "no"), max_per_unit=0)


def test_a_model_counts_records() -> None:
    model = DirichletMultinomial(("a", "b", "c"))
    assert model.count(["c", "a", "c"]).values == (1, 0, 2)
