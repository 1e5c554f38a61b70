"""`dp.audit` of small networks: witnesses, certificates, what is refused."""

from __future__ import annotations

import math

import pytest
from tests.families.network.networks import CHAIN, FORK, PAIR

import discreet as dp


@pytest.mark.parametrize("name", ["lattice", "laplace_updates", "fourier", "map"])
def test_the_witness_attains_the_loss(name: str) -> None:
    made = dp.mechanism(name, FORK, 2, epsilon=1.5)
    found = dp.audit(made)
    assert found.witness is not None
    here, there = (made.make_raw_law(side) for side in found.witness[:2])
    ratio = here.log_weight(found.witness.output) - there.log_weight(found.witness.output)
    ratio += there.log_total() - here.log_total()
    assert float(ratio.mid()) == pytest.approx(found.epsilon, rel=1e-12)
    assert "exact loss" in str(found)


def test_a_certificate_is_found_again() -> None:
    found = dp.audit(dp.mechanism("posterior_sample", PAIR, 2, epsilon=1, grid=20))
    assert found.epsilon - found.epsilon_lower < 1e-14
    again = dp.verify(found.certificate.to_json())
    assert again.epsilon == found.epsilon
    edited = found.certificate.to_json().replace('"n": 2', '"n": 3')
    with pytest.raises(dp.DocumentError):
        dp.verify(edited)


def test_attributes_and_other_states() -> None:
    """Three states; what a changed attribute loses is no more than what a record loses."""
    made = [
        dp.mechanism("posterior_sample", PAIR, 2, epsilon=1, grid=20, omega=0.1, adjacency=a)
        for a in ("substitute", "attribute")
    ]
    assert all(dp.audit(m).epsilon <= 1 for m in made)
    assert dp.audit(dp.mechanism("lattice", CHAIN, 2, epsilon=0.75)).epsilon == 0.75
    assert dp.audit(dp.mechanism("lattice", CHAIN, 0, epsilon=0.75)).epsilon == 0


def test_what_is_refused() -> None:
    with pytest.raises(dp.NotEnumerable, match="pairs of data sets"):
        dp.audit(dp.mechanism("lattice", FORK, 40, epsilon=1))
    with pytest.raises(dp.NotEnumerable, match="choose a smaller grid"):
        dp.audit(dp.mechanism("posterior_sample", PAIR, 1, epsilon=1))
    with pytest.raises(dp.NotEnumerable, match="three or more states"):
        dp.audit(dp.mechanism("posterior_sample", CHAIN, 1, epsilon=9, grid=5))
    for name in ("lattice", "laplace_updates"):
        private = dp.mechanism(name, PAIR, epsilon=1, adjacency="add-remove")
        with pytest.raises(dp.InputError, match="total must be given for a mechanism under add-"):
            dp.audit(private)
        with pytest.raises(dp.InputError, match="total must lie between 1 and 1000000, got 0"):
            dp.audit(private, 0)
        with pytest.raises(dp.NotEnumerable, match="pairs of data sets"):
            dp.audit(private, 99)
    with pytest.raises(dp.InputError, match="total is for add-remove only, got 2"):
        dp.audit(dp.mechanism("lattice", PAIR, 1, epsilon=1), 2)
    with pytest.raises(dp.InputError, match="counts of categories"):
        dp.audit(dp.mechanism("lattice", PAIR, 1, epsilon=1)).delta(0.5)
    assert math.isfinite(dp.audit(dp.mechanism("map", PAIR, 1, epsilon=1)).epsilon)
