"""Programs that were once proved and are not private, or that made the checker fail."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest

from discreet.errors import DiscreetError, InputError
from discreet.language import Bool, Enum, List, Pos, Real, Tuple
from discreet.programs import auditing
from discreet.programs.declared import Records
from discreet.programs.diagnostics import ProgramError
from tests.programs.making import made, proved

BOOLS, REALS = List[Bool], List[Real]
THREE = List[Enum("a", "b", "c")]
NOISY = "noisy = sample_each(lambda y: laplace(eps, y), data)\n"
FLAG = "observe(lambda r: ran(Bernoulli(r)) == {flag}, {belief})"
BOTH = "\nx, y = params(post)\nreturn sample(laplace(eps, x)), sample(laplace(eps, y))"
STEP = "lambda q, d: observe(lambda r: ran(Bernoulli(r)) == {test}, {belief})"

# what was overlooked: the body, data, adjacency, the budget that was proved
LOSSES: dict[str, tuple[str, Records, str, str]] = {
    "the start of a fold is private": (
        "return sample(laplace(eps, fold(lambda s, r: s + r, 9 * sum(data), data)))",
        BOOLS,
        "substitute",
        "eps",
    ),
    "a function of a released list uses the data": (
        f"{NOISY}return map(lambda x: sum(data), noisy)",
        BOOLS,
        "substitute",
        "eps",
    ),
    "a fold over a released list starts from the data": (
        f"{NOISY}return fold(lambda s, x: s, sum(data), noisy)",
        BOOLS,
        "substitute",
        "eps",
    ),
    "a fold over a released list uses the data": (
        f"{NOISY}return fold(lambda s, x: sum(data), 0, noisy)",
        BOOLS,
        "substitute",
        "eps",
    ),
    "a released list of unknown length is drawn for one price": (
        "t = sum(data)\nreturn [sample(laplace(eps, t)) for i in range(len(data))]",
        BOOLS,
        "substitute",
        "eps",
    ),
    "a loop that may have less than no rounds gives money back": (
        "t = sum(data)\nx = sample(laplace(2 * eps, t))\ny = 0\nfor i in range(2, len(data)):\n"
        "    y = sample(laplace(eps, t))\nreturn x, y",
        BOOLS,
        "substitute",
        "n*eps",
    ),
    "every record is observed with a public value": (
        "post = infer(fold("
        + STEP.format(test="True", belief=FLAG.format(flag="d", belief="q"))
        + f", ran(Beta(1, 1)), data)){BOTH}",
        BOOLS,
        "add-remove",
        "eps",
    ),
    "the negated record is observed": (
        f"post = infer(fold({STEP.format(test='(not d)', belief='q')}, ran(Beta(1, 1)), data))\n"
        "x, y = params(post)\nreturn sample(laplace(eps, sum(data))), sample(laplace(eps, y))",
        BOOLS,
        "add-remove",
        "eps",
    ),
    "categories depend on a released value": (
        "x = sample(laplace(eps, sum(data)))\npost = infer(observe_all(Categorical, "
        "map(lambda r: (x > 0) and r, data), prior=Dirichlet((1, 1))))\n"
        "return x, sample(laplace(eps, params(post)))",
        BOOLS,
        "substitute",
        "2*eps",
    ),
    "a released posterior observes the data": (
        f"{NOISY}post = infer(observe_all(Bernoulli, map(lambda x: x > 0, noisy), "
        "prior=Beta(1, 1)))\nreturn " + FLAG.format(flag="(sum(data) > 0)", belief="post"),
        BOOLS,
        "substitute",
        "eps",
    ),
    "one flag of all booleans is observed": (
        f"post = infer({FLAG.format(flag='(sum(data) > 0)', belief='ran(Beta(1, 1))')}){BOTH}",
        BOOLS,
        "add-remove",
        "eps",
    ),
    "one flag of all categories is observed": (
        "flag = count(lambda r: r == 'a', data) > 0\n"
        f"post = infer({FLAG.format(flag='flag', belief='ran(Beta(1, 1))')}){BOTH}",
        THREE,
        "substitute",
        "eps/9",
    ),
    "a public observation changes the variance": (
        "c = map(lambda x: clip(x, 0, 1), data)\n"
        "post = infer(observe(lambda r: ran(Normal(r, 1/100)) == 0, "
        "observe_all(Normal, c, prior=Normal(0, 1), variance=1)))\n"
        "m, v = params(post)\nreturn sample(laplace(eps / v, sum(c), grid=1))",
        REALS,
        "substitute",
        "(n + 1)*eps",
    ),
    "values of records have halves, the noise has not": (
        "return sample_each(lambda y: laplace(eps, y), map(lambda r: 1/2 if r else 1, data))",
        BOOLS,
        "substitute",
        "eps/2",
    ),
    "a fold over no records has no steps": (
        "return sample(laplace(eps, fold(lambda s, r: s + 2 * r, 0, data)))",
        BOOLS,
        "add-remove",
        "2*eps",
    ),
    "a fold of numbers has no steps": (
        "return sample(laplace(eps, fold(lambda s, r: s + 3, 0, data)))",
        BOOLS,
        "add-remove",
        "3*eps",
    ),
    "a sum of numbers has no steps": (
        "return sample(laplace(eps, sum(map(lambda x: 3, data))))",
        REALS,
        "add-remove",
        "3*eps",
    ),
    "a sum of flags beside numbers has no steps": (
        "return sample(laplace(eps, sum(map(lambda r: r[1], data))))",
        List[Tuple[Real, Bool]],
        "substitute",
        "eps",
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_it_is_not_proved_or_it_is_private(name: str) -> None:
    program = made(*LOSSES[name])
    assert program.fault is None
    if proved(program):
        found = auditing.worst_loss(program, {"eps": Fraction(1)}, 2)
        assert found is not None
        assert not found.violated, str(found)


@pytest.mark.parametrize("bounds", ["a / 2, a", "3 * a / 4, a"])
def test_rounds_between_fractions_are_counted(bounds: str) -> None:
    body = f"t = sum(data)\ny = 0\nfor i in range({bounds}):\n    y = sample(laplace(eps, t))"
    program = made(f"{body}\nreturn y", BOOLS, "substitute", "a/2*eps", {"eps": Pos, "a": Pos})
    given = {"eps": Fraction(1), "a": Fraction(1)}
    found = auditing.worst_loss(program, given, 1) if proved(program) else None
    assert found is None or not found.violated


def test_a_parameter_has_the_name_of_no_symbol_of_a_proof() -> None:
    body = (
        "return sample(laplace(eps, fold(lambda s, r: clip(5 * s + r, 0, D_0), 0, data), grid=1))"
    )
    program = made(body, BOOLS, "substitute", "2*eps", {"eps": Pos, "D_0": Pos})
    given = {"eps": Fraction(1), "D_0": Fraction(100)}
    found = auditing.worst_loss(program, given, 2) if proved(program) else None
    assert found is None or not found.violated


# ---- failures ------------------------------------------------------------------------------------

RETURNS = (
    "params(1)",
    "hellinger(1, 1)",
    "observe(1, 2)",
    "5 % 0",
    "5 // 0",
    "log(0)",
    "sqrt(0 - 1)",
    "exp(100000)",
    "sample(exp_mech(eps, lambda r: r, 5))",
    "1 / sample(laplace(eps, sum(data)))",
    "5 % sample(laplace(eps, sum(data)))",
    "log(sample(laplace(eps, sum(data))))",
    "(lambda: sum(data), 1)",
    "kl(Beta(1, 1), Beta(2, 1))",
    "sum(data) / -4 * 0 + 1",
    "parallel(lambda c: sample(laplace(eps, sum(c))), data, (lambda r: r, lambda r: False))",
)


@pytest.mark.parametrize("value", RETURNS)
def test_what_is_proved_can_be_audited(value: str) -> None:
    program = made(f"return {value}", BOOLS, "substitute", "2*eps")
    try:
        program.prove()
    except ProgramError:
        return
    with contextlib.suppress(InputError):  # a released 0 is divided by
        assert auditing.worst_loss(program, {"eps": Fraction(1)}, 1) is not None


@pytest.mark.parametrize("budget", ["sqrt(0 - eps)", "log(0)*eps", "log(0 - 1)*eps"])
def test_a_budget_that_is_no_number_is_refused(budget: str) -> None:
    with pytest.raises(DiscreetError):
        made("return sample(laplace(eps, sum(data)))", BOOLS, "substitute", budget).prove()


def test_negative_numbers_divide() -> None:
    assert proved(made("return sample(laplace(eps, sum(data) / -4))", BOOLS, "substitute", "eps"))
