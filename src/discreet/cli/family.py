"""`discreet family`: the families of models that other packages bring, by what they declare."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

from discreet import text_input
from discreet.cli import common, numeric
from discreet.core import Adjacency, Family, families
from discreet.core.family import Option

_RULES = {  # of a model's `count`
    "where": click.Option(["--where"], help='Only records such as "age >= 50".'),
    "unknown": click.Option(["--unknown"], help="What happens to missing values."),
    "table": click.Option(["--table"], help="The table of a DuckDB file."),
    "line_breaks": click.Option(
        ["--line-breaks"], is_flag=True, help="A correct CSV writer wrote the file."
    ),
}


class Families(click.Group):
    """One group of commands for every family that declares the settings of its models."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The kinds."""
        return [kind for kind in families.known() if _found(kind) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The commands of a kind."""
        family = _found(cmd_name)
        if family is None:
            return None
        group = click.Group(cmd_name, help=f"Releases of the family {cmd_name}.")
        for make in (_release, _plan, _audit):
            group.add_command(make(family))
        return group


@click.command(cls=Families, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Release with a family of models that another package brings.

    The families of installed packages are listed below; docs/guide/your-own-family.md tells how to
    write one.

    \b
    discreet family NAME release --help
    """
    if context.invoked_subcommand is None:
        common.say(context.get_help())


def _found(kind: str) -> Family | None:
    family = families.find(kind)
    return family if family is not None and family.settings else None


def _release(family: Family) -> click.Command:
    kind: Any = family.model.load()
    taken = [name for name in _RULES if name in inspect.signature(kind.count).parameters]

    def run(data: str | None, column: str, **given: Any) -> int:
        rules = {name: given.pop(name) for name in taken}
        rules = {name: value for name, value in rules.items() if value is not None}
        model, mechanism, adjacency, options = _settled(family, given)

        def counted(data: str) -> Any:
            return model.count(data, column, **rules)

        return numeric.answer(model, counted, mechanism, adjacency, options, data=data, **given)

    parameters: list[click.Parameter] = [
        click.Argument(["data"], required=False, type=common.FILE),
        click.Option(["--column"], required=True, help="The column that is read."),
        *_declared(family),
        *(_RULES[name] for name in taken),
    ]
    tail = common.options(
        click.option("--epsilon", required=True, help="What the release may cost."),
        click.option("--n", type=int, help="The public number of records."),
        numeric.end_options,
    )
    made = click.Command("release", callback=run, params=parameters, help=_help(family))
    return _with(made, tail)


def _help(family: Family) -> str:
    """What the mechanisms are."""
    lines = "\n".join(f"{spec.name}: {spec.help}" for spec in family.specs)
    return f"Release a posterior from a file, with differential privacy.\n\n\b\n{lines}"


def _plan(family: Family) -> click.Command:
    def run(n: int, error: str | None, epsilon: str | None, **given: Any) -> None:
        from discreet.planning import plan

        as_json, quiet = given.pop("as_json"), given.pop("quiet")
        model, mechanism, adjacency, options = _settled(family, given)
        asked: dict[str, Any] = {
            name: text_input.number(name, text)
            for name, text in (("error", error), ("epsilon", epsilon))
        }
        with common.said():
            found = plan(model, n, **asked, mechanism=mechanism, adjacency=adjacency, **options)
        document = {
            "epsilon": str(found.epsilon),
            "error": found.error,
            "question": found.question,
            "guarantee": str(found.guarantee),
        }
        common.done(document, found, as_json, quiet)

    parameters: list[click.Parameter] = [
        click.Option(["--n"], type=int, required=True, help="The number of records, or a guess."),
        click.Option(["--error"], help="The largest acceptable expected error."),
        click.Option(["--epsilon"], help="Or: what does this epsilon buy?"),
        *_declared(family),
    ]
    text = "The least epsilon that reaches an error, or what an epsilon buys. No data are read."
    made = click.Command("plan", callback=run, params=parameters, help=text)
    return _with(made, common.output_options)


def _audit(family: Family) -> click.Command:
    def run(n: int | None, epsilon: str, **given: Any) -> None:
        from discreet import auditing

        as_json, quiet = given.pop("as_json"), given.pop("quiet")
        model, mechanism, adjacency, options = _settled(family, given)
        made = families.mechanism(
            mechanism,
            model,
            n,
            epsilon=text_input.number("epsilon", epsilon),
            adjacency=adjacency,
            **options,
        )
        found = auditing.audit(made)
        common.done(json.loads(found.certificate.to_json()), found, as_json, quiet)

    parameters: list[click.Parameter] = [
        click.Option(["--n"], type=int, help="The public number of records."),
        click.Option(["--epsilon"], required=True, help="The parameter of the mechanism."),
        *_declared(family),
    ]
    text = "What a mechanism really loses, over all neighbouring data. No data are read."
    made = click.Command("audit", callback=run, params=parameters, help=text)
    return _with(made, common.output_options)


def _with(made: click.Command, more: Callable[[Any], Any]) -> click.Command:
    """Shared options behind a command's own; a decorator puts the last first."""
    own = len(made.params)
    more(made)
    made.params[own:] = reversed(made.params[own:])
    return made


def _declared(family: Family) -> list[click.Option]:
    """The settings of the model, the mechanism, its options and the adjacency, as options."""
    adjacencies = [a.value for a in Adjacency if family.having(a)]
    options = {option.name: option for spec in family.specs for option in spec.options}
    return [
        *map(_option, family.settings),
        click.Option(
            ["--mechanism"],
            type=click.Choice(family.names),
            default=family.default,
            show_default=True,
            help="What draws.",
        ),
        click.Option(
            ["--adjacency"],
            type=click.Choice(adjacencies),
            default=adjacencies[0],
            show_default=True,
            help="substitute: n is public"
            + "; add-remove: it is private." * (len(adjacencies) > 1),
        ),
        *(_option(option) for option in options.values() if option.kind != "value"),
    ]


def _option(option: Option) -> click.Option:
    """As it is typed; what is left out is left to the model, or the mechanism."""
    name = f"--{option.name.replace('_', '-')}"
    default = "" if option.default is None else f"  [default: {option.default}]"
    types: dict[str, Any] = {"whole": int, "choice": click.Choice(option.choices)}
    return click.Option(
        [name, option.name],
        is_flag=option.kind == "flag",
        default=None,
        type=None if option.kind == "flag" else types.get(option.kind, str),
        help=f"{option.help}{default}",
    )


def _settled(family: Family, given: dict[str, Any]) -> tuple[Any, str, str, dict[str, Any]]:
    """Take the model, the mechanism, the adjacency and its options out of what was given."""
    model = family.model(**_typed(family.settings, given))
    mechanism, adjacency = given.pop("mechanism"), given.pop("adjacency")
    options = {o.name: o for spec in family.specs for o in spec.options if o.kind != "value"}
    return model, mechanism, adjacency, _typed(tuple(options.values()), given)


def _typed(options: Sequence[Option], given: dict[str, Any]) -> dict[str, Any]:
    """Take options out of what was given; numbers are read exactly."""
    read: dict[str, Callable[[Any], Any]] = {
        option.name: partial(text_input.number, option.name)
        for option in options
        if option.kind == "number"
    }
    found = {option.name: given.pop(option.name) for option in options}
    return {
        name: read[name](value) if name in read else value
        for name, value in found.items()
        if value is not None
    }
