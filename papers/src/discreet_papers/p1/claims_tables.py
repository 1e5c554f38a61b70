"""What P1 claims about its two tables and their steps."""

from __future__ import annotations

import math

from discreet_papers.p1.laws import (
    EIGHT,
    EPSILON,
    FORTY,
    SIXTY,
    orders,
    truncated,
    usual,
)
from discreet_papers.p1.printed import PRINTED, exponential, laplace
from discreet_papers.p1.tables import ANSWERS, distance
from discreet_papers.parts import Claim, Finding, Verdict
from discreet_papers.settings import law_of_error


def _agreeing(table: str) -> tuple[int, int]:
    """How many numbers of a table come out to every digit, and how many there are."""
    numbers = [p for p in PRINTED if p.place.startswith(table) and p.reason is None]
    return sum(p.agrees(p.ours()) for p in numbers), len(numbers)


def _table_1() -> Finding:
    same, number = _agreeing("Table 1")
    total = sum(laplace(EIGHT, candidate) for candidate in ANSWERS[EIGHT].values())
    words = (
        f"{same} of {number} numbers come out to every printed digit, at ε = {EPSILON} (not "
        "printed): the exponential column as exp(−ε·H/LS), the Laplace column as noise of scale "
        f"2/ε rounded towards zero and not clipped, which sums to {total:.4f}."
    )
    measured = {"agree": same, "numbers": number, "epsilon": EPSILON, "laplace_total": total}
    return Finding(Verdict.of(same == number), words, measured)


def _table_1_better() -> Finding:
    steps = ANSWERS[EIGHT].values()
    columns = [(exponential(EIGHT, c), laplace(EIGHT, c)) for c in steps]
    near, far = columns[:3], columns[3:]
    in_table = all(a > b for a, b in near) and all(a < b for a, b in far)
    labels = ("smooth_hellinger", "ls_dim", "ls_hist", "lattice")
    means = {label: law_of_error(usual(label, EIGHT), EIGHT).mean for label in labels}
    better = means["smooth_hellinger"] < min(means["ls_dim"], means["ls_hist"])
    words = (
        "True of the table's columns. As the mechanisms are defined, M_H has a mean Hellinger "
        f"error of {means['smooth_hellinger']:.4f}: better than LSDim's {means['ls_dim']:.4f}, "
        f"worse than LSHist's {means['ls_hist']:.4f} and the lattice's {means['lattice']:.4f}."
    )
    return Finding(Verdict.of(in_table and better, in_table), words, means)


def _table_2() -> Finding:
    same, number = _agreeing("Table 2")
    captioned = exponential(FORTY, FORTY), laplace(FORTY, FORTY)
    stated = [p for p in PRINTED if p.place.startswith("Table 2") and "captioned" in p.place]
    as_captioned = all(p.agrees(p.ours()) for p in stated)
    words = (
        f"{same} of {number} numbers come out to every digit, but for Dir(1, 1, 1) with counts "
        "(20, 20, 20). The caption's Beta(1, 1) with 40 records would have "
        f"{captioned[0]:.4f} (exponential) and {captioned[1]:.4f} (Laplace) on the truth."
    )
    measured = {
        "agree": same,
        "numbers": number,
        "exponential_as_captioned": captioned[0],
        "laplace_as_captioned": captioned[1],
    }
    return Finding(Verdict.of(as_captioned, same == number), words, measured)


def _table_2_better() -> Finding:
    shown = ("0 steps", "1 step", "2 steps, a")
    candidates = {answer: ANSWERS[SIXTY][answer] for answer in (*shown, "farthest")}
    pairs = {a: (exponential(SIXTY, c), laplace(SIXTY, c)) for a, c in candidates.items()}
    likelier = [answer for answer in shown if pairs[answer][1] > pairs[answer][0]]
    number = len(orders(candidates["farthest"]))
    ratio = pairs["0 steps"][0] / (pairs["farthest"][0] / number)
    words = (
        f"By the table itself Laplace is likelier at {', '.join(likelier)} only "
        f"({pairs['0 steps'][1]:.4f} against {pairs['0 steps'][0]:.4f}); at one step it has "
        f"{pairs['1 step'][1]:.4f} against {pairs['1 step'][0]:.4f}. And the exponential column "
        f"gives the true posterior {ratio:.0f} times the probability of each of the farthest ones "
        "(similar would be less than twice)."
    )
    measured = {"rows_where_laplace_is_likelier": len(likelier), "truth_to_farthest": ratio}
    return Finding(Verdict.of(len(likelier) == len(shown) and ratio < 2), words, measured)


def _steps() -> Finding:
    two = [distance(SIXTY, ANSWERS[SIXTY][f"2 steps, {which}"]) for which in "abc"]
    one = [distance((6, 2), there) for there in ((7, 1), (5, 3))]
    balanced = max(
        abs(distance((h, h), (h + t, h - t)) - distance((h, h), (h - t, h + t)))
        for h in (4, 20)
        for t in range(1, h + 1)
    )
    same = math.isclose(min(two), max(two)) and math.isclose(*one)
    words = (
        "True for two categories with equal counts and an equal prior. Otherwise not: two steps "
        f"from Dir(21, 21, 21) are {', '.join(f'{d:.5f}' for d in two)}, and one step from "
        f"Beta(7, 3) is {one[0]:.5f} or {one[1]:.5f}."
    )
    measured = {f"two_steps_{which}": d for which, d in zip("abc", two, strict=True)}
    measured |= {"one_step_up": one[0], "one_step_down": one[1], "balanced_difference": balanced}
    return Finding(Verdict.of(same, balanced < 1e-12), words, measured)


_EXAMPLES = ((4, 5, 3), (4, 3, 5), (5, 4, 3), (5, 3, 4), (3, 5, 4), (5, 5, 5))


def _examples() -> Finding:
    def steps(there: tuple[int, ...]) -> float:
        return sum(abs(x - 5) for x in there) / 2

    right = [x for x in _EXAMPLES if sum(x) == 15 and steps(x) == 1]
    sums = sorted({sum(x) for x in _EXAMPLES})
    real = [x for x in orders((6, 4, 5)) if steps(x) == 1]
    words = (
        f"{len(right)} of the {len(_EXAMPLES)} examples are: their parameters sum to "
        f"{' or '.join(map(str, sums))}, and the one that sums to 15 is DL(5, 5, 5) itself. One "
        f"step away are DL(6, 4, 5) and its {len(real) - 1} other orders."
    )
    measured = {"right": len(right), "examples": len(_EXAMPLES), "one_step_away": len(real)}
    return Finding(Verdict.of(len(right) == len(_EXAMPLES)), words, measured)


def _magnitude() -> Finding:
    raw = usual("ls_dim", EIGHT).raw_law(EIGHT)
    floor = [raw.probability((4 + t,)) for t in range(-4, 5)]
    formula = [truncated(t) for t in range(-4, 5)]
    off = max(abs(a - b) for a, b in zip(floor, formula, strict=True))
    words = (
        f"The formula gives 0 with probability {truncated(0):.4f}: noise rounded towards zero. "
        f"Rounded down, as the text says, 0 has {floor[4]:.4f} and −1 has {floor[3]:.4f}, and the "
        "noise is biased by −½."
    )
    measured = {"formula_at_0": truncated(0), "floor_at_0": floor[4], "floor_at_-1": floor[3]}
    return Finding(Verdict.of(off < 1e-12), words, measured | {"largest_difference": off})


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p1-table1",
        "Table 1",
        "At counts (4, 4) the exponential and the Laplace mechanism release the posteriors 0 to 4 "
        "steps away with the ten printed probabilities, at the five printed distances.",
        _table_1,
        "E7",
    ),
    Claim(
        "p1-table1-better",
        "§3.4.1, Table 1",
        "With eight records the exponential mechanism is better than Laplace: likelier at 0, 1 "
        "and 2 steps, less likely at 3 and 4.",
        _table_1_better,
    ),
    Claim(
        "p1-table2",
        "Table 2",
        "The eight probabilities and four distances are those of Beta(1, 1) with 40 records.",
        _table_2,
        "E8",
    ),
    Claim(
        "p1-table2-better",
        "§3.4.1, Table 2",
        "In the second case Laplace releases answers few steps away with higher probability, and "
        "the exponential mechanism gives good and bad answers similar probabilities.",
        _table_2_better,
    ),
    Claim(
        "p1-steps",
        "§3.4.1; P3 §4.4",
        "Candidates the same number of steps away have the same Hellinger distance.",
        _steps,
        "E10",
    ),
    Claim(
        "p1-onestep-examples",
        "§3.4.1; P3 §4.4",
        "DL(4, 5, 3), its other orders and DL(5, 5, 5) are one step from DL(5, 5, 5).",
        _examples,
        "E19",
    ),
    Claim(
        "p1-laplace-magnitude",
        "§3.1",
        "Laplace noise Y of scale 2/ε, rounded down, has size t with probability "
        "e^{−tε/2} − e^{−(t+1)ε/2}.",
        _magnitude,
    ),
)
