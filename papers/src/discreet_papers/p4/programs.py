"""P4's examples as programs of `discreet.language`: claimed types, verdicts, exact losses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from discreet.language import PrivateProgram
from discreet.programs import auditing
from discreet.programs.reports import Report
from discreet_papers.parts import Cell, Claim, Finding, Part, Scale, Table, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# section of P4, file of the example, whether it is as P4 claims
PROGRAMS = (
    ("§6.1", "proved.learn_bias", "P4's type"),
    ("§6.1", "proved.normal_input", "P4's type, with the analytic sigma"),
    ("§6.1", "claimed.classical_sigma", "P4's type, with the classical sigma at ε = 10"),
    ("§6.2", "proved.beta_l1_fold", "P4's type"),
    ("§6.2", "proved.normal_mean", "P4's type"),
    ("§6.2", "proved.normal_mean_tight", "with the n that is public"),
    ("§6.3", "claimed.lemma_6_1", "P4's lemma 6.1, all priors"),
    ("§6.3", "proved.beta_hellinger_prior", "lemma 6.1 from Beta(1, 1) on"),
    ("§6.3", "proved.beta_hellinger_jeffreys", "Jeffreys' prior"),
    ("§6.3", "claimed.lemma_6_2", "P4's lemma 6.2, all priors"),
    ("§6.3", "proved.beta_total_variation", "at Beta(1, 1)"),
)
_COLOURS = {"PROVED": "tab:green", "REFUTED": "tab:red", "UNKNOWN": "tab:gray"}


def program_of(place: str) -> PrivateProgram:
    """An example by its file: one of discreet that is proved, or as P4 claims it."""
    kind, name = place.split(".")
    home = "discreet.language.examples" if kind == "proved" else "discreet_papers.p4.claimed"
    found = getattr(import_module(f"{home}.{name}"), name)
    assert isinstance(found, PrivateProgram)
    return found


@cache
def checked(place: str) -> Report:
    """The verdict. A check gives up on a witness after a while; here it is found on any machine."""
    report = program_of(place).check()
    if report.verdict != "UNKNOWN" or report.diagnostic is None:
        return report
    witness = auditing.refute(report.program, report.diagnostic.values, seconds=math.inf)
    return replace(report, verdict="REFUTED", witness=witness) if witness else report


@cache
def audited(place: str) -> auditing.Witness:
    """The exact loss: at the witness of a refutation, or the worst of one record."""
    report = checked(place)
    if report.witness is not None:
        return report.witness
    program = report.program
    found = auditing.worst_loss(program, next(auditing.instances(program)), 1)
    assert found is not None
    return found


def _rows(scale: Scale) -> Iterator[tuple[Cell, ...]]:
    for section, place, remark in PROGRAMS:
        report, witness = checked(place), audited(place)
        exact = witness.epsilon if witness.delta is None else witness.delta
        claim = witness.claimed if witness.delta is None else witness.claimed_delta
        kind = "epsilon" if witness.delta is None else "delta"
        budget = str(report.program.budget)
        name = report.program.name
        yield section, name, remark, budget, report.verdict, kind, claim, exact, exact / claim


def table(scale: Scale) -> Table:
    """One row per program."""
    columns = "section program remark declared verdict measured claimed exact ratio"
    return Table.of(columns, list(_rows(scale)))


def draw(found: Table) -> Figure:
    """The exact loss as a share of the claim: beyond 1 a claim is false."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    names = [
        f"{program} ({remark})"
        for program, remark in zip(found["program"], found["remark"], strict=True)
    ]
    ratios = found.numbers("ratio")
    places = range(len(names))
    for label, color in _COLOURS.items():
        if rows := [i for i in places if found["verdict"][i] == label]:
            axes.plot(ratios[rows], rows, "o", color=color, label=label)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.set_xlabel("exact loss (or δ) as a share of the claim")
    axes.legend(loc="lower right")
    return figure


PART = Part(
    "p4-programs",
    "§6, examples as programs",
    "P4's examples written in discreet.language, with the types that P4 gives them, our checker's "
    "verdicts, and the exact loss on the smallest data sets. P4's own checker is not available. "
    "Its types hold but for the Hellinger and statistical distances of priors below Beta(1, 1), "
    "and for the classical deviation of normal noise at large ε.",
    table,
    draw,
)


def _types() -> Finding:
    places = [place for _, place, remark in PROGRAMS if remark.startswith("P4's type")]
    verdicts = {place.rsplit(".", 1)[1]: checked(place).verdict for place in places}
    witness = audited("claimed.classical_sigma")
    assert witness.delta is not None
    loss = audited("proved.beta_l1_fold")
    sound = [name for name, verdict in verdicts.items() if verdict == "PROVED"]
    words = (
        f"Proved as P4 types them: {', '.join(sound)}; the exact loss of the noisy Beta parameters "
        f"is {loss.epsilon:.4g} at ε = 1, all of the claimed {loss.claimed:g}. The normal input "
        "noise is proved with the analytic deviation; with the classical one at ε = 10 the exact δ "
        f"is {witness.delta:.3g} where {witness.claimed_delta:.0e} is claimed."
    )
    return Finding(
        Verdict.of(all(v == "PROVED" for v in verdicts.values()), len(sound) == len(places) - 1),
        words,
        {"beta_loss": loss.epsilon, "classical_delta": witness.delta, "proved": len(sound)},
    )


def _all_priors() -> Finding:
    witness, from_one = audited("claimed.lemma_6_1"), checked("proved.beta_hellinger_prior")
    other = audited("claimed.lemma_6_2")
    words = (
        f"Refuted for all priors: at a = b = {witness.parameters['a']} the program loses "
        f"{witness.tightness:.3f} times the ρ·ε of lemma 6.1, and at a = b = "
        f"{other.parameters['a']} {other.tightness:.3f} times the ζ·ε of lemma 6.2. With a, b ≥ 1 "
        "declared the first is proved."
    )
    return Finding(
        Verdict.of(False, from_one.proved),
        words,
        {"lemma_6_1": witness.tightness, "lemma_6_2": other.tightness},
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "p4-types",
        "§6.1, §6.2",
        "The programs with noise on the input and on the parameters have the types given.",
        _types,
    ),
    Claim(
        "p4-types-of-distances",
        "§6.3",
        "The programs with Hellinger and statistical distance are ρ·ε- and ζ·ε-private for every "
        "prior Beta(a, b), a, b > 0.",
        _all_priors,
        "E13, E16",
    ),
)
