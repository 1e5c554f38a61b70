"""Whether a run fails, how long it takes and what it is drawn on does not show the data.

Programs of a fifth hostile review: each was proved, and is not private or cannot be run.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from flint import arb

import discreet as dp
from discreet import divergence, language
from discreet.errors import InputError
from discreet.exact import balls
from discreet.language import (
    AtLeast,
    Between,
    Bool,
    Candidates,
    Enum,
    List,
    Pos,
    Real,
    Tuple,
    Vector,
)
from discreet.programs import auditing
from discreet.programs.declared import Records
from discreet.programs.reports import check_program
from discreet.releases.programs import release_program
from tests.programs.making import made, proved

BOOLS = List[Bool]
POST = "post = infer(observe_all(Bernoulli, data, prior=Beta(1, 1)))\n"
SIGMA = "analytic_sigma(eps, delta, 2)"
BOTH = {"eps": Pos, "delta": Between(0, 0.5)}
PAIR = ("eps", "delta")

GRIDS = [
    (f"{POST}return sample(gauss({SIGMA}, params(post), grid=1000))", PAIR),
    (f"{POST}return sample(gauss(10, params(post), grid=4))", (1, 1e-5)),
    ("return sample(laplace(eps, sum(data), grid=1 + 1000*sum(data)))", PAIR),
    (f"{POST}return sample(laplace(eps, params(post), grid=1 + sum(data)))", PAIR),
    ("return sample(gauss(10, sum(data), grid=1 + sum(data)))", (1, 1e-5)),
    (f"return sample(gauss({SIGMA}, sum(data), grid=1 + sum(data)))", PAIR),
]


@pytest.mark.parametrize(("lines", "budget"), GRIDS)
def test_a_grid_is_public_and_of_one_number(lines: str, budget: object) -> None:
    program = made(lines, BOOLS, "substitute", budget, BOTH)
    found = check_program(program).diagnostic
    assert found is not None
    assert "grid" in found.message


FAILING: dict[str, tuple[str, str]] = {
    "a ball that is magnified beyond its precision": (
        f"{POST}x = total_variation(post, Beta(1, 2)) - 1/2\n"
        "return sample(laplace(eps/3, clip({} * x, 0, 1), grid=1))",
        "eps",
    ),
    "infinity minus itself": (
        f"{POST}h = kl(post, Beta(-1, 1))\n"
        "x = clip((h - h) * clip(sum(data), 0, 1), 0, 1)\n"
        "return sample(laplace(eps/3, x, grid=1))",
        "eps",
    ),
    "distances that are added very often": (
        f"{POST}h = 0\nfor i in range(50):\n    for j in range(50):\n"
        "        h = h + hellinger(post, Beta(1, 2))\n"
        "return sample(laplace(eps, clip(h, 0, 1), grid=1))",
        "2*eps",
    ),
    "a distance that a private number makes 0": (
        f"{POST}x = clip(hellinger(post, Beta(1, 2)) * clip(sum(data), 0, 1), 0, 1)\n"
        "return sample(laplace(eps, x, grid=1))",
        "2*eps",
    ),
}


BIG = " * ".join(["2**64"] * 20)  # of a flag, so that a run knows it as a whole number
FAILING |= {  # of a sixth review
    "a factor that is a flag times a number": (
        f"{POST}c = True * {BIG}\nx = total_variation(post, Beta(1, 2)) - 1/2\n"
        + "x = clip(x * c, -1, 1)\n" * 40
        + "return sample(laplace(eps/3, clip(x, 0, 1), grid=1))",
        "eps",
    ),
    "a distance that changes in a loop of any length": (
        f"{POST}x = total_variation(post, Beta(2, 1))\nfor i in range(len(data)):\n"
        "    x = x + 1/8\nreturn sample(laplace(eps, clip(x, 0, 1), grid=1))",
        "2*eps",
    ),
    "a state that is divided record by record": (
        "x = fold(lambda s, r: clip(s / 3 + r, 0, 1), 0, data)\n"
        "return sample(laplace(eps, x, grid=1))",
        "eps",
    ),
}


LONG: dict[str, tuple[str, str]] = {  # of an eighth review: a ball has 65,536 bits
    "added to a distance": (
        f"{POST}y = {{}}\nh = hellinger(post, Beta(2, 1)) + y - y\n"
        "return sample(laplace(eps, h, grid=1/1024))",
        "eps",
    ),
    "a negative one": (
        f"{POST}y = -{{}}\nh = hellinger(post, Beta(2, 1)) + y - y\n"
        "return sample(laplace(eps, h, grid=1/1024))",
        "eps",
    ),
    "added to a score": (
        "y = {}\nreturn sample(exp_mech(eps, lambda r: sum(data) + y, (0, 1)))",
        "eps",
    ),
    "a variance": (
        "post = infer(observe_all(Normal, data, prior=Normal(0, 1), variance=1/{}))\n"
        "return sample(laplace(eps/2, total_variation(post, Normal(0, 1)), grid=1/1024))",
        "eps",
    ),
}
POWERS = {
    "powers": "((k**64)**64)**20",
    "products": "(" + " * ".join(["k**64"] * 16) + ")",
}


@pytest.mark.parametrize("size", POWERS)
@pytest.mark.parametrize("name", LONG)
def test_public_numbers_are_short(name: str, size: str) -> None:
    lines, budget = LONG[name]
    program = made(
        lines.format(POWERS[size]), BOOLS, "substitute", budget, {"eps": Pos, "k": AtLeast(1)}
    )
    assert proved(program)
    for data in ([True], [False]):
        with pytest.raises(InputError, match=r"fails whatever is drawn.*300 digits"):
            release_program(program, data, {"eps": 1, "k": 2})
        assert release_program(program, data, {"eps": 1, "k": 1})


def test_a_released_number_that_is_long_fails_whatever_the_data_are() -> None:
    lines = (
        f"{POST}x = sample(laplace(eps, sum(data)))\ny = ((x**64)**64)**20\n"
        "h = hellinger(post, Beta(2, 1)) + y - y\n"
        "return x, sample(laplace(eps, h, grid=1/1024))"
    )
    program = made(lines, BOOLS, "substitute", "2*eps")
    for data in ([True], [False]):
        seen = set()
        for _ in range(40):
            with suppress(InputError):
                seen.add(abs(release_program(program, data, {"eps": 1}).value[0]))
        assert seen <= {0, 1}


BRANCHES = [  # of a ninth review: proved, and a replay refused the branch
    "lambda b, d: observe(lambda t: ran(Bernoulli(t)) == True, b) if d else b",
    "lambda b, d: observe(lambda t: ran(Bernoulli(t if d else 1/2)) == True, b)",
]


@pytest.mark.parametrize("step", BRANCHES)
def test_a_fold_of_finite_beliefs_branches_on_its_records(step: str) -> None:
    belief = "Finite((1/4, 1/2), (1, {}))"
    program = made(
        f"post = infer(fold({step}, ran({belief.format(1)}), data))\n"
        "return sample(exp_mech(eps, lambda c: -hellinger(post, c), "
        f"({belief.format(1)}, {belief.format(3)})))",
        BOOLS,
        "substitute",
        "eps",
    )
    assert proved(program)
    worst = auditing.worst_loss(program, {"eps": Fraction(1)}, 2)
    assert worst is not None
    assert 0 < worst.epsilon <= 1
    found = [release_program(program, [True] * 9, {"eps": 200}).value for _ in range(20)]
    assert all(law.parameters[1] == (1, 3) for law in found)


@pytest.mark.parametrize("item", ["5/4", "True", "1/4 + (1 == 1)", "3 * True"])
def test_a_sum_of_what_all_records_have_runs(item: str) -> None:
    lines = (
        f"x = count(lambda r: r > 1/2, data) - sum(map(lambda r: {item}, data))\n"
        "return sample(laplace(eps, x))"
    )
    program = made(lines, List[Between(0, 1)], "substitute", "eps")
    found = release_program(program, [0.2, 0.7], {"eps": 100}).value
    assert found == 1 - 2 * Fraction(eval(item))


@pytest.mark.parametrize("name", FAILING)
def test_what_could_fail_for_some_data_only_is_not_run(name: str) -> None:
    lines, budget = FAILING[name]
    for factor in ("((10**64)**64)**16", "2**64 * 2**64 * 2"):
        program = made(lines.replace("{}", factor), BOOLS, "substitute", budget)
        if proved(program):
            for data in ([True], [False]):
                with pytest.raises(InputError, match=r"between 2|300 digits"):
                    release_program(program, data, {"eps": 1})


@pytest.mark.parametrize(
    ("lines", "data", "one", "two"),
    [
        ("y = Beta(1 + sum(data) * (2**60)**16, 1)\n", BOOLS, [True], [False]),
        ("y = Normal(sum(data), 1)\n", List[Real], [1e-320, 0], [1.0, 2]),
    ],
)
def test_a_law_of_private_numbers_never_fails(
    lines: str, data: Records, one: list[object], two: list[object], tmp_path: Path
) -> None:
    program = made(f"{lines}return sample(laplace(eps, 0, grid=1))", data, "substitute", "eps")
    assert proved(program)
    ledger = dp.Ledger.open(tmp_path / "budget.db", budget=10)
    for values in (one, two):
        release_program(program, values, {"eps": 1}, ledger=ledger, dataset="x")


@pytest.mark.parametrize("near", ["1/10**20", "1/10**7", "1/10**30"])
def test_total_variation_ends_for_all_data(near: str) -> None:
    lines = (
        f"{POST}guesses = (Beta(2 + {near}, 2), Beta(1, 1))\n"
        "return sample(exp_mech(eps, lambda r: -total_variation(post, r), guesses))"
    )
    program = made(lines, BOOLS, "substitute", "eps/2")
    assert proved(program)
    for data in ([True], [False]):
        with pytest.raises(InputError, match="multiples of 10"):
            release_program(program, data, {"eps": 1})


def test_total_variation_of_ordinary_laws_is_settled() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        a = [Fraction(round(10 ** rng.uniform(0, 9)), 10**6) + int(rng.integers(0, 99999))] * 2
        a[1] = Fraction(round(10 ** rng.uniform(0, 15)), 10**6)
        b = [x + Fraction(int(rng.integers(0, 3)), 10**6) + int(rng.integers(0, 2)) for x in a]

        assert balls.refine(partial(divergence.total_variation_ball, a, b), _narrow)


def _narrow(value: arb) -> bool | None:
    return True if value.rad() < arb(2) ** -40 else None


def test_near_ties_are_settled_too() -> None:
    for near in (10**20, 10**50):
        a, b = (Fraction(2), Fraction(2)), (Fraction(2) + Fraction(1, near), Fraction(2))
        with balls.precision(256):
            divergence.total_variation_ball(a, b)  # it ends


def test_flags_in_arithmetic_mean_the_same_to_proof_and_run() -> None:
    for factor in ("(True + 1)", "len((1, 2)) * True", "max(True, 2)"):
        lines = f"return sample(laplace(eps, sum(data) * {factor} + sum(data)))"
        program = made(lines, BOOLS, "substitute", "3*eps")
        assert check_program(program).verdict != "REFUTED"
        if proved(program):
            release_program(program, [True], {"eps": 1})


ODD = [
    "p = infer(Beta(1, 1))\nreturn p[0]",
    "p = infer(Beta(1, 1))\na, b = p\nreturn a",
    "return map(lambda x: x, 5)",
    "return map(lambda x: x, Beta(1, 1))",
    "return count(lambda x: x, Dirichlet((1, 1)))",
    "return fold(lambda s, x: s, 0, 5)",
    "return infer(observe_all(Bernoulli, 5, prior=Beta(1, 1)))",
    "return infer(observe(lambda r: 5, ran(Finite((1, 2), (1, 1)))))",
    "return infer(observe(lambda r: ran(Categorical((r, 1))) == 0, ran(Finite((1, 2), (1, 1)))))",
    "return infer(observe(lambda r: ran(Bernoulli('a')) == True, ran(Finite((1, 2), (1, 1)))))",
    "step = lambda b, d: observe(lambda r: d == d, b)\n"
    "post = infer(fold(step, ran(Finite((1/4, 3/4), (1, 1))), data))\n"
    "return sample(laplace(eps, hellinger(post, Finite((1/4, 3/4), (1, 1))), grid=1/8))",
    "x = 1/(3*(10**64)**6)\nreturn sample(laplace(eps, x*sum(data)))",
    "x = ((10**64)**64)**2\nreturn x",
    "return (10**64)**64*(10**64)**64*sample(laplace(eps, sum(data)))",
    "return 2**65",
    "return 2**(1/2)",
    "return Normal('a', 1)",
    "return Dirichlet(5)",
    "return Beta((1, 2), (3, 4))",
    f"return {'-' * 900}eps",
]


@pytest.mark.parametrize("lines", ODD)
def test_odd_programs_end_in_a_sentence(lines: str) -> None:
    """They are refused by the checker, or before any charge; or they run."""
    program = made(lines, BOOLS, "substitute", "2*eps")
    report = check_program(program)
    if report.diagnostic is not None:
        assert report.diagnostic.message
        assert "the checker failed" not in report.diagnostic.message
        return
    said = ""
    try:
        made_here = release_program(program, [True], {"eps": 1})
    except InputError as error:
        said = str(error)
    else:
        assert dp.Release.from_json(made_here.to_json()) == made_here
    assert "stays paid" not in said


def test_tuples_with_hidden_parts_are_compared() -> None:
    lines = "return sample(laplace(eps, count(lambda r: (r[0], r[0]) == (True, True), data)))"
    program = made(lines, List[Tuple[Bool, Real]], "substitute", "eps")
    assert proved(program)
    assert release_program(program, [(True, 1), (False, 2)], {"eps": 100}).value == 1


def test_a_budget_of_very_many_digits_is_refused() -> None:
    with pytest.raises(InputError, match="very many digits"):
        made(
            "return sample(laplace(eps, sum(data)))", BOOLS, "substitute", "((10**64)**64)**64*eps"
        )


def test_the_auditor_sees_a_failure_that_shows_the_data() -> None:
    lines = "x = 1 / sum(data)\nreturn sample(laplace(eps, 0, grid=1))"
    program = made(lines, BOOLS, "substitute", "eps")
    found = auditing.worst_loss(program, {"eps": Fraction(1)}, 1)
    assert found is not None
    assert found.epsilon == float("inf")


def test_a_distance_that_is_used_twice_is_computed_once() -> None:
    """Doubling a distance thirty times took a day, not thirty steps."""
    double = "x = hellinger(post, Beta(1, 2))\n" + "x = x + x\n" * 30
    program = made(
        f"{POST}{double}return sample(laplace(eps/2**30, x, grid=1))", BOOLS, "substitute", "2*eps"
    )
    assert proved(program)
    release_program(program, [True, False], {"eps": 1})


SAME = [
    "return exp(800) + sample(laplace(eps, sum(data)))",
    "return exp(-800) + sample(laplace(eps, sum(data)))",
    "x = sum(data)\n" + "x = x * (10**64)**9\n" * 8 + "return sample(laplace(eps, clip(x, 0, 1)))",
]


@pytest.mark.parametrize("lines", SAME)
def test_large_numbers_end_in_a_sentence(lines: str) -> None:
    test_odd_programs_end_in_a_sentence(lines)


def test_constants_are_summed_over_records() -> None:
    for constant, total in (("3", 9), ("True", 3)):
        noise = "sample(laplace(eps, 0, grid=1))"
        lines = f"return sum(map(lambda r: {constant}, data)) + {noise}"
        program = made(lines, List[Real], "substitute", "eps")
        assert release_program(program, [1, 2, 3], {"eps": 100}).value == total


def test_roots_near_0_are_known() -> None:
    lines = (
        "near = map(lambda x: clip(x, 0, 1/10**40), data)\n"
        "post = infer(observe_all(Normal, near, prior=Normal(0, 1), variance=1))\n"
        "return sample(exp_mech(eps, lambda r: -hellinger(post, r), (Normal(0, 1), Normal(1, 1))))"
    )
    assert proved(made(lines, List[Real], "substitute", "eps"))


# ---- of a seventh review ------------------------------------------------------------------------

VECTOR = {"eps": Pos, "alpha": Vector(Pos)}
CATEGORICAL = "post = infer(observe_all(Categorical, data, prior=Dirichlet(alpha)))\n"


@pytest.mark.parametrize("data", [[], [0], [0, 0]])
def test_laws_of_one_category_are_no_distance_apart(data: list[int]) -> None:
    kinds = VECTOR | {"c": Candidates(language.Dirichlet)}
    lines = f"{CATEGORICAL}return sample(exp_mech(eps, lambda r: -hellinger(post, r), c))"
    program = made(lines, List[Enum], "add-remove", "eps", kinds)
    assert proved(program)
    one = language.Dirichlet((1,))
    assert release_program(program, data, {"eps": 1, "alpha": [1], "c": [one] * 2}).value == one


def test_an_audit_tries_the_categories_of_the_prior_only() -> None:
    lines = f"{CATEGORICAL}return sample(laplace(eps, params(post)))"
    program = made(lines, List[Enum], "substitute", "2*eps", VECTOR)
    given = {"eps": Fraction(1), "alpha": (Fraction(1), Fraction(1))}
    found = auditing.worst_loss(program, given, 2)
    assert found is not None
    assert found.tightness == 1


@pytest.mark.parametrize(
    ("budget", "kinds"),
    [("(x-3)*(x-4)", {"x": Pos}), (("x", "x-3/2"), {"x": AtLeast(1)})],
)
def test_budgets_that_are_negative_somewhere(budget: object, kinds: dict[str, object]) -> None:
    try:
        program = made("return 1", BOOLS, "substitute", budget, kinds)
    except InputError:
        return
    found = check_program(program).diagnostic
    assert found is not None
    assert "the checker failed" not in found.message


def test_a_list_of_candidates_is_no_law() -> None:
    kinds = {"eps": Pos, "c": Candidates(language.Beta)}
    lines = f"{POST}return sample(laplace(eps, hellinger(post, c), grid=1))"
    assert not proved(made(lines, BOOLS, "substitute", "2*eps", kinds))


def test_very_wide_noise_is_audited() -> None:
    lines = "x = 1/(3*(10**64)**6)\nreturn sample(laplace(eps, x*sum(data)))"
    program = made(lines, BOOLS, "substitute", "eps")
    assert proved(program)
    assert auditing.worst_loss(program, {"eps": Fraction(1)}, 1) is not None


def test_a_constant_flag_has_no_steps() -> None:
    lines = (
        "c = sum(map(lambda r: True, data))\nx = count(lambda r: r > 0, data)\n"
        "return sample(laplace(eps, x*c))"
    )
    assert not proved(made(lines, List[Real], "substitute", "n*eps"))
