from __future__ import annotations

import os
import threading
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ExactnessError
from discreet.exact import balls


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**9))
def test_rounding_goes_outward_and_stays_close(number: Fraction) -> None:
    up = balls.rounded_up(lambda: balls.ball(number))
    down = balls.rounded_down(lambda: balls.ball(number))
    assert down <= number <= up
    assert up - down <= number * Fraction(1, 10**13)


@given(st.fractions(min_value=0, max_value=1), st.integers(1, 200))
def test_bounds_enclose(number: Fraction, bits: int) -> None:
    low, high = balls.bounds(lambda: balls.ball(number), bits)
    assert low <= number * 2**bits <= high
    assert high - low <= 2


def test_nearest_sees_through_cancellation() -> None:
    tiny = balls.nearest(lambda: (arb(2).sqrt() + arb(2) ** -300) - arb(2).sqrt())
    assert tiny == 2.0**-300


def test_an_undecidable_question_ends_with_an_error() -> None:
    with pytest.raises(ExactnessError, match="undecided"):
        balls.refine(lambda: arb(0), lambda _: None)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_is_not_locked_out() -> None:
    """Even if another thread held the turn at the moment of the fork."""
    with balls.precision(99):
        child = os.fork()
        if child == 0:
            ok = threading.Thread(target=lambda: balls.nearest(lambda: arb(2).sqrt()))
            ok.start()
            ok.join(20)
            os._exit(1 if ok.is_alive() else 0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_precision_is_restored_and_threads_do_not_disturb_each_other() -> None:
    before = ctx.prec
    seen = []

    def work(bits: int) -> None:
        for _ in range(200):
            with balls.precision(bits):
                seen.append((bits, balls.working_bits(), arb(2).sqrt().rel_accuracy_bits()))

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (64, 512, 2048)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ctx.prec == before
    assert all(bits == working and accuracy >= bits - 2 for bits, working, accuracy in seen)


def test_numbers_of_more_digits_than_python_writes() -> None:
    small = balls.rounded_up(lambda: arb(-100_000).exp())
    assert 0 < small < Fraction(1, 10**43_000)
    assert balls.rounded_down(lambda: arb(100_000).exp()) > 10**43_000
