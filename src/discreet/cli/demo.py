"""`discreet demo`: two trials of wart therapy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from discreet.releases import Release


@click.command()
@click.option("--epsilon", default="1", show_default=True, help="Budget of each release.")
@click.option("--json", "as_json", is_flag=True, help="Print the releases as JSON.")
def command(epsilon: str, as_json: bool) -> None:
    """Release posteriors from two trials of wart therapy, 90 patients each."""
    from discreet import examples
    from discreet.check import text_number
    from discreet.models.dirichlet import DirichletMultinomial
    from discreet.releasing import release

    budget = text_number("epsilon", epsilon)
    cure = DirichletMultinomial(examples.OUTCOMES)
    kind = DirichletMultinomial(examples.TYPES)
    records = {name: examples.wart_therapy(name) for name in ("cryotherapy", "immunotherapy")}
    releases = {
        f"{name}: outcome": release(cure.count([outcome for outcome, _ in rows]), cure, budget)
        for name, rows in records.items()
    }
    rows = records["cryotherapy"]
    releases["cryotherapy: type of wart"] = release(kind.count([t for _, t in rows]), kind, budget)
    if as_json:
        documents = {name: json.loads(made.to_json()) for name, made in releases.items()}
        click.echo(json.dumps(documents, indent=2, ensure_ascii=False))
    else:
        _show(releases)


def _show(releases: dict[str, Release]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for name, made in releases.items():
        table = Table(title=f"Private posterior, {name}", title_justify="left")
        table.add_column("category")
        for heading in ("α", "mean", "sd", "95 % interval", "95 % shortest"):
            table.add_column(heading, justify="right", no_wrap=True)
        shortest = made.posterior.interval(0.95, kind="highest-density")
        for row, (low, high) in zip(made.posterior.table(), shortest, strict=True):
            table.add_row(*row, f"{low:.3f} – {high:.3f}")
        console.print(table)
        console.print(f"It cost {made.guarantee}, by mechanism {made.config.mechanism}.\n")
    immunotherapy = releases["immunotherapy: outcome"].posterior
    cryotherapy = releases["cryotherapy: outcome"].posterior
    better = immunotherapy.probability_exceeds("cured", "cured", cryotherapy)
    console.print(
        f"Immunotherapy cures more often than cryotherapy with probability {better:.3f}, computed "
        "from the private posteriors at no further cost."
    )
    console.print(
        "The two releases of the cryotherapy trial add up: its patients are protected with the sum "
        "of both ε. The number of patients is public. The intervals treat the released counts as "
        "the true ones."
    )
