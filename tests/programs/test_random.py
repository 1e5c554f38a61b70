"""Random programs: what the checker proves, exact losses never refute; wrong rules are noticed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.core import Adjacency
from discreet.programs import operators, rules, symbolic, syntax
from discreet.programs.abstract import Abstract, Noisy, Private, Public, added
from discreet.programs.auditing import records_of
from discreet.programs.checking import Checker
from discreet.programs.costs import Cost
from discreet.programs.drawing import Sampler
from discreet.programs.running import finished
from discreet.programs.symbolic import number
from tests.programs.generating import generated
from tests.programs.making import proved, some_loss

Arguments = tuple[Abstract, ...]
Rule = Callable[[Checker, syntax.Call, Arguments], Abstract]
Change = Callable[[Rule, Checker, syntax.Call, Arguments], Abstract]


def violations(
    start: int, count: int, pairs: int, seen: Counter[str], word: str = ""
) -> Iterator[str]:
    """Programs with that word that are proved and lose more than they claim."""
    for place, item in enumerate(generated(start, count, word)):
        program = item.program
        if not proved(program):
            seen["not proved"] += 1
            continue
        seen["proved"] += 1
        for eps in (Fraction(1), Fraction(1, 2)):
            witness = some_loss(program, eps, place, pairs if eps == 1 else 1)
            if witness is None:
                seen["too long"] += 1
                break
            if witness.violated:
                claim = f"{program.budget}, {program.adjacency.value}, {item.kind}"
                yield f"{claim}\n{program.source.text}{witness}"
                break
            if eps == 1:
                seen[f"tightness {int(10 * max(witness.tightness, 0)) / 10}"] += 1
                seen["tight"] += item.exact and witness.tightness > 0.9


def test_no_random_program_is_both_proved_and_refuted() -> None:
    seen = Counter[str]()
    assert not list(violations(0, 75, 2, seen))
    assert seen["proved"] > 35
    assert seen["not proved"] > 10
    assert seen["tight"] > 6
    assert seen["too long"] < 25


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 250))
def test_none_of_two_thousand_random_programs_is(start: int) -> None:
    seen = Counter[str]()
    assert not list(violations(start, 250, 4, seen))
    assert seen["proved"] > 125
    assert seen["tight"] > 30


def test_a_replay_without_data_releases_the_same_value() -> None:
    for item in generated(0, 150):
        program, given = item.program, {"eps": Fraction(1)}
        if not proved(program):
            continue
        values = records_of(program)[:2]
        n = 2 if program.adjacency is Adjacency.SUBSTITUTE else None
        sampler = Sampler(np.random.default_rng(1).bytes)
        value = finished(program.evaluate(given, values, n, sampler))
        assert program.released(given, n, tuple(sampler.transcript)) == value, program.source.text


# ---- wrong rules ---------------------------------------------------------------------------------


def _half(noisy: Abstract) -> Abstract:
    if not isinstance(noisy, Noisy):
        return noisy
    return replace(noisy, epsilons=tuple(e / number(2) for e in noisy.epsilons))


def _cheap(rule: Rule, checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    return _half(rule(checker, node, arguments))


def _cheap_parallel(
    rule: Rule, checker: Checker, node: syntax.Call, arguments: Arguments
) -> Abstract:
    found = rule(checker, node, arguments)
    if checker.adjacency is Adjacency.SUBSTITUTE:
        cost: Cost = checker.costs.pop()
        checker.costs.append(replace(cost, epsilons=tuple(e / number(2) for e in cost.epsilons)))
    return found


def _narrow(rule: Rule, checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
    found = rule(checker, node, arguments)
    if isinstance(found, Private) and found.distances is not None:
        return replace(found, distances=tuple(d / number(2) for d in found.distances))
    return found


def _free_after_first(
    rule: Rule, checker: Checker, node: syntax.Call, arguments: Arguments
) -> Abstract:
    found = rule(checker, node, arguments)
    del checker.costs[1:]
    return found


WRONG: dict[str, tuple[str, Change]] = {
    "laplace costs half": ("laplace", _cheap),
    "exp_mech forgets the 2": ("exp_mech", _cheap),
    "parallel is the largest under substitute": ("parallel", _cheap_parallel),
    "clip halves distances": ("clip", _narrow),
    "sums move by half": ("sum", _narrow),
    "counts move by half": ("count", _narrow),
    "folds move by half": ("fold", _narrow),
    "only the first draw costs": ("sample", _free_after_first),
}


def _caught(word: str) -> bool:
    return any(violations(0, 400, 4, Counter(), word))


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    word, change = WRONG[name]
    rule = rules.RULES[word]

    def wrong(checker: Checker, node: syntax.Call, arguments: Arguments) -> Abstract:
        return change(rule, checker, node, arguments)

    monkeypatch.setitem(rules.RULES, word, wrong)
    assert _caught(f"{word}(")


def test_factors_that_are_ignored_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def ignored(x: Private, *_: object) -> Private:
        return x

    monkeypatch.setattr(operators, "scaled", ignored)
    assert _caught(" * (")


@pytest.mark.slow
def test_sums_that_move_like_their_largest_part_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def wrong(x: Public | Private, y: Public | Private, *rest: Any) -> Public | Private:
        found = added(x, y, *rest)
        if not isinstance(x, Private) or not isinstance(y, Private):
            return found
        if not isinstance(found, Private) or x.distances is None or y.distances is None:
            return found
        pairs = zip(x.distances, y.distances, strict=True)
        return replace(found, distances=tuple(symbolic.largest(a, b) for a, b in pairs))

    monkeypatch.setattr(operators, "added", wrong)
    assert _caught(" + ")
