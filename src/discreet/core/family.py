"""A family of models as a value: what it reads, which mechanisms it has and what these can do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Protocol

from discreet.core.adjacency import Adjacency
from discreet.errors import InputError

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.core.guarantee import Guarantee
    from discreet.core.mechanism import Config, Mechanism

KINDS = ("number", "whole", "choice", "flag", "value")


@dataclass(frozen=True)
class Deferred:
    """A function, "package.module:name", that is imported when it is called.

    A family is listed, and its options are shown, without loading what computes.
    """

    path: str

    def load(self) -> Callable[..., Any]:
        """The function itself."""
        module, _, name = self.path.partition(":")
        found: Callable[..., Any] = getattr(import_module(module), name)
        return found

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.load()(*arguments, **named)


@dataclass(frozen=True)
class Unavailable:
    """In the place of a function: why there is none."""

    reason: str
    argument: str = "mechanism"

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise InputError(self.reason, self.argument)


def available(function: Callable[..., Any]) -> bool:
    """Whether it is a function, not a reason why there is none."""
    return not isinstance(function, Unavailable)


@dataclass(frozen=True)
class Option:
    """A setting of a mechanism besides n, epsilon and adjacency.

    `kind` says how it is written: "number" (an exact decimal or fraction), "whole", "choice" (one
    of `choices`), "flag", or "value" for what only Python can give, such as a matrix.
    """

    name: str
    kind: str
    default: object
    help: str
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"kind must be one of {', '.join(KINDS)}, got {self.kind!r}", "kind")


UNIT = (
    Option("unit", "value", "record", "Who is protected under add-remove."),
    Option("max_per_unit", "whole", 1, "Records of one unit under add-remove."),
    Option(
        *("per_unit", "choice", "cut", "Whether a unit is cut to so many records, or weighs one."),
        choices=("cut", "average"),
    ),
)
CALIBRATE = Option(
    "calibrate", "flag", False, "Scale the exponent until an exact audit certifies epsilon."
)


@dataclass(frozen=True)
class MechanismSpec:
    """A mechanism of a family: how it is made, and what it can do.

    `make(model, n, epsilon, **options)` returns the `Mechanism`; it takes `adjacency` too if there
    are several. Each of the others is a function, or `Unavailable` with the reason:

    - `posterior(mechanism, value)`: the posterior that takes a released value for the truth;
    - `noise_aware(mechanism, raw, n_prior, rng)`: that which accounts for the noise;
    - `audit(mechanism, total)`: the exact privacy loss;
    - `calibrate(mechanism)`: the mechanism whose audited loss is epsilon;
    - `expected_error(mechanism, n)`: what to expect before paying, from public values.

    `earlier` has, where a law or a default changed, the last version of documents that meant the
    old one, and the function that makes it: what was paid for stays as it was. In the place of a
    version stands the name of an option that came later, where documents without it mean the old
    one. `provable` says that
    a calibration may rest on a proof instead of a certificate. `work` is what grows with the data
    and makes it slow: "none", "outputs" (of an audit), "candidates" (that are weighed before a
    draw) or "program" (a linear one).
    """

    name: str
    make: Callable[..., Any]
    help: str
    options: tuple[Option, ...] = ()
    adjacencies: tuple[Adjacency, ...] = (Adjacency.SUBSTITUTE,)
    posterior: Callable[..., Any] = Unavailable("mechanism releases no posterior")
    noise_aware: Callable[..., Any] = Unavailable("mechanism has no noise-aware posterior")
    audit: Callable[..., Any] = Unavailable("mechanism cannot be audited")
    calibrate: Callable[..., Any] = Unavailable("mechanism cannot be calibrated", "calibrate")
    expected_error: Callable[..., Any] = Unavailable("mechanism has no expected error")
    earlier: tuple[tuple[int | str, Callable[..., Any]], ...] = ()
    provable: bool = False
    work: str = "none"

    def as_of(self, version: int, options: Collection[str] = ()) -> MechanismSpec:
        """The spec by which documents of a version, that name these options, were made."""
        old = [make for name, make in self.earlier if isinstance(name, str) and name not in options]
        numbered = [(last, make) for last, make in self.earlier if isinstance(last, int)]
        for last, make in sorted(numbered, key=lambda change: change[0]):
            if version <= last:
                old.append(make)
        return replace(self, make=old[0], earlier=()) if old else self

    def can(self, ability: str) -> bool:
        """Whether there is a function of that name."""
        return available(getattr(self, ability))

    @cached_property
    def taken(self) -> tuple[Option, ...]:
        """All options, `calibrate` among them where that is possible."""
        return (*self.options, CALIBRATE) if self.can("calibrate") else self.options


class Published(Protocol):
    """A release, as a family sees it that prints or draws one."""

    @property
    def mechanism(self) -> Mechanism:
        """What made it."""

    @property
    def config(self) -> Config:
        """Everything public that defines the mechanism."""

    @property
    def guarantee(self) -> Guarantee:
        """What is promised."""

    @property
    def title(self) -> str:
        """What stands above a table or a figure."""

    @property
    def posterior(self) -> Any:
        """The posterior as released."""

    def noise_aware(self, n_prior: object = None, rng: Any = None) -> Any:
        """The posterior that accounts for the noise."""

    def by_group(self, joint: Any = None) -> Any:
        """The posterior within each group."""


def labels_of(posterior: Any) -> list[str]:
    """What the parameters of a posterior are called: its categories or names, or numbers."""
    names = getattr(posterior, "categories", None) or getattr(posterior, "names", None)
    size = getattr(posterior.mean(), "size", 1)
    return [str(name) for name in names or range(1, 1 + size)]


class Example(NamedTuple):
    """A small input on which a family is checked: `discreet.testing.check_family`.

    `data` is what `count` returned, or the vector that `to_vector` takes: a few records, few enough
    for an exact audit. `options` has, by mechanism, the options that it needs on them.
    """

    model: Any
    data: Any
    options: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


def write_numbers(value: Any) -> list[Any]:
    """Whole numbers as they are, fractions as text."""
    return [number if isinstance(number, int) else str(number) for number in value]


class Choice(NamedTuple):
    """The mechanism that is taken, and where none was asked for why, from public values."""

    name: str
    reason: str = ""


@dataclass(frozen=True)
class Family:
    """All that the library asks about one kind of models.

    Args:
        kind: its word in documents, which its models carry as `kind`.
        model: the class of its models, "package.module:name".
        specs: its mechanisms.
        default: the name of the one that is taken if none is asked for.
        choose: (model, n, epsilon, adjacency, options) to a `Choice`, by public values, of the one
            that is better there, where a δ is given; if not given, the default.
        read: from a document, whose part "model" the model's `to_document` wrote, to a model.
        summary: (release, noise_aware, n_prior, rng, **view) to what is printed of a release; if
            not given, means, standard deviations and intervals, for posteriors that have them.
        plot: (release, noise_aware, ax, **view) to the axes it was drawn into; else intervals.
        reads: "column" if a release names the one column that was read, "columns" if the model
            knows their names, "nothing" if it declares itself which records it reads.
        views: the names of what summary and plot take besides, such as the node of a network.
        write: a released value as JSON can hold it.
        remake: a whole document to its mechanism, where that is not made from name and options.
        settings: of its models, as they are typed in `discreet family KIND …`: numbers and words
            that the model's class takes by name.
        examples: makes small inputs on which the family is checked, a sequence of `Example`.
    """

    kind: str
    model: Deferred
    specs: tuple[MechanismSpec, ...]
    default: str
    read: Callable[[Mapping[str, Any]], Any]
    summary: Callable[..., Any] = Deferred("discreet.report:side_by_side")
    plot: Callable[..., Any] = Deferred("discreet.plots.intervals:plot")
    reads: str = "column"
    views: tuple[str, ...] = ()
    write: Callable[[Any], Any] = write_numbers
    remake: Callable[[Mapping[str, Any]], Mechanism] | None = None
    choose: Callable[..., Choice] | None = None
    settings: tuple[Option, ...] = ()
    examples: Callable[[], Sequence[Example]] = Unavailable("family has no examples", "family")

    def __post_init__(self) -> None:
        names = [spec.name for spec in self.specs]
        if self.default not in names or len(set(names)) < len(names):
            raise InputError(
                f"specs of {self.kind} must have different names, {self.default!r} among them",
                "specs",
            )

    @cached_property
    def mechanisms(self) -> dict[str, MechanismSpec]:
        """The mechanisms by name."""
        return {spec.name: spec for spec in self.specs}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the mechanisms, the default one first."""
        return tuple(dict.fromkeys((self.default, *self.mechanisms)))

    def spec(self, name: str) -> MechanismSpec:
        """The mechanism of that name."""
        if isinstance(name, str) and name in self.mechanisms:
            return self.mechanisms[name]
        from discreet import check

        found: MechanismSpec = check.choice("mechanism", name, tuple(self.mechanisms))
        return found  # which it never comes to

    def choice(
        self,
        name: str | None,
        model: Any,
        n: int | None,
        epsilon: Fraction,
        adjacency: Adjacency,
        options: dict[str, Any],
    ) -> Choice:
        """The mechanism that was asked for, or else the better one; a δ it has no use for goes."""
        if name is not None or self.choose is None or not options.get("delta"):
            return Choice(self.default if name is None else name)
        chosen = self.choose(model, n, epsilon, adjacency, options)
        if all(option.name != "delta" for option in self.spec(chosen.name).options):
            options.pop("delta", None)
        return chosen

    def having(self, adjacency: Adjacency) -> list[str]:
        """The names of the mechanisms that have an adjacency, the default one first."""
        return [name for name in self.names if adjacency in self.mechanisms[name].adjacencies]
