"""`discreet demo`: two trials of wart therapy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from discreet import text_input
from discreet.cli import common

if TYPE_CHECKING:
    from discreet.releases.published import AnyRelease


@click.command()
@click.option("--epsilon", default="1", show_default=True, help="Budget of each release.")
@click.option("--seed", type=click.IntRange(0), help="Simulate, reproducibly: not private.")
@common.output_options
def command(epsilon: str, seed: int | None, as_json: bool, quiet: bool) -> None:
    """Release posteriors from two trials of wart therapy, 90 patients each.

    \b
    discreet demo --epsilon 0.5
    """
    import numpy as np

    from discreet import examples
    from discreet.families.dirichlet.model import DirichletMultinomial
    from discreet.releases.releasing import release

    budget = text_input.number("epsilon", epsilon)
    rng = None if seed is None else np.random.default_rng(seed)
    cure = DirichletMultinomial(examples.OUTCOMES)
    kind = DirichletMultinomial(examples.TYPES)
    records = {name: examples.wart_therapy(name) for name in ("cryotherapy", "immunotherapy")}
    counts = {
        f"{name}: outcome": (cure.count([outcome for outcome, _ in rows]), cure)
        for name, rows in records.items()
    }
    types = [type_ for _, type_ in records["cryotherapy"]]
    counts["cryotherapy: type of wart"] = (kind.count(types), kind)
    releases = {
        name: release(numbers, model, budget, rng=rng) for name, (numbers, model) in counts.items()
    }
    if as_json:
        common.print_json({name: json.loads(made.to_json()) for name, made in releases.items()})
    elif not quiet:
        _show(releases)


def _show(releases: dict[str, AnyRelease]) -> None:
    from discreet.cli import showing

    aware = {name: made.noise_aware() for name, made in releases.items()}
    for name, made in releases.items():
        common.say(f"{name[0].upper()}{name[1:]}")
        showing.show(made, aware[name])
        common.say("")
    better = aware["immunotherapy: outcome"].probability_exceeds(
        "cured", "cured", aware["cryotherapy: outcome"]
    )
    common.say(
        f"Immunotherapy cures more often than cryotherapy with probability {better:.3f}, computed "
        "from the private posteriors at no further cost."
    )
    common.say(
        "The two releases of the cryotherapy trial add up: its patients are protected with the sum "
        "of both ε. The number of patients is public."
    )
