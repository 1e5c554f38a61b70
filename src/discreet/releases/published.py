"""What may be published, and how it is written down."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import check, inference, registry
from discreet._version import __version__
from discreet.check import Category
from discreet.core import Certificate, Config, Derivation, Guarantee, Mechanism, Theorem
from discreet.core.documents import digest, malformed, parse
from discreet.core.files import read_file, write_file
from discreet.core.law import Outcome
from discreet.errors import (
    DiscreetError,
    DocumentError,
    InputError,
    NotAPosteriorError,
    NotEnumerable,
)
from discreet.families.dirichlet.summary import GroupedSummary, Summary
from discreet.families.network.law import NetworkLaw, plot_node
from discreet.families.network.mixture import NoiseAwareNetwork
from discreet.families.network.model import BayesNet
from discreet.families.network.summary import NetworkSummary
from discreet.families.normal.model import NormalMean
from discreet.families.regression.model import LinearRegression
from discreet.families.regression.posterior import WeightsMixture
from discreet.ledger import Receipt
from discreet.posteriors.dirichlet import DirichletPosterior
from discreet.posteriors.mixture import DirichletMixture
from discreet.posteriors.normal import NormalLaw
from discreet.programs.documents import write_value
from discreet.releases import verify
from discreet.releases.provenance import N_SOURCES, Counted, require_agreement, require_payable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT, VERSION = "discreet-release", 1


@dataclass(frozen=True, repr=False)
class Release:
    """What may be published: the drawn counts, how they were drawn, and what is promised.

    `raw` is the output of the noise, `value` the counts after public post-processing, exact
    fractions where they are not whole. `n_source`
    tells whether n was declared or is the sum of the counts, which is thereby made public.
    `receipt` is the ledger's, if one paid. `column` and `where` tell which records were counted,
    `dropped` that those with undeclared values were left out, and `other` the category that took
    them. `software` is what drew it. `line_breaks` is the owner's word that a correct CSV writer
    wrote the records.
    """

    config: Config
    guarantee: Guarantee
    raw: Outcome
    value: Any  # of a program what it returned, else a `Value`
    simulated: bool
    n_source: str | None
    receipt: Receipt | None = None
    column: str | None = None
    where: str | None = None
    dropped: bool = False
    other: Category | None = None
    line_breaks: bool = False
    software: str = f"discreet {__version__}"

    @property
    def posterior(self) -> Any:
        """The released posterior; what is done with it costs no more privacy.

        It treats the released counts as if they were the true ones; `noise_aware` does not.
        """
        return registry.posterior(self.config, self.value)

    def noise_aware(self, n_prior: object = None, rng: np.random.Generator | None = None) -> Any:
        """The posterior given the raw output of the noise, whose intervals include the noise.

        A `DirichletMixture`; for a network a `NoiseAwareNetwork`, which has one for every row of
        every table.

        Args:
            n_prior: under add-remove, the prior of the private n: None is flat, (low, high) is
                uniform, or a distribution with `logpmf`.
            rng: for many categories, where the counts behind the output are drawn.
        """
        _require_no_program(self, "noise_aware")
        return inference.infer(_mechanism(self), self.raw, n_prior=n_prior, rng=rng)

    def by_group(
        self, joint: DirichletPosterior | DirichletMixture | None = None
    ) -> dict[Category, DirichletPosterior | DirichletMixture]:
        """The posterior within each group of counts that were made with `by`.

        Args:
            joint: of the whole table: `posterior` unless given, or `noise_aware()`.
        """
        by = self.config.model.by
        if by is None:
            raise InputError("the counts were made without groups: model.count(…, by=…)", "by")
        whole = self.posterior if joint is None else joint
        k = len(by.categories)
        return {
            group: whole.within(by.cells[i * k : (i + 1) * k], by.categories)
            for i, group in enumerate(by.groups)
        }

    @property
    def title(self) -> str:
        """What stands above a table or a figure: mechanism, n and guarantee."""
        kind = "simulated, not private: " * self.simulated
        return f"{kind}{self.config.heading}: {self.guarantee}"

    def summary(
        self,
        n_prior: object = None,
        rng: np.random.Generator | None = None,
        noise_aware: DirichletMixture | NoiseAwareNetwork | None = None,
        node: str | None = None,
    ) -> Any:
        """The posterior as released and noise-aware, side by side, and what makes it wide.

        Counts that were made with `by` have one summary within each group. That of a network has
        the rows of its first tables, or of all of one node.

        Args:
            n_prior: as in `noise_aware`.
            rng: as in `noise_aware`.
            noise_aware: of this release, if it has been computed; None computes it.
            node: of a network, whose table to show.
        """
        _require_no_program(self, "summary")
        if isinstance(self.config.model, BayesNet):
            check.choice("node", node, (None, *self.config.model.nodes))
            laws = _network_laws(self, noise_aware, n_prior, rng)
            remark = registry.remark(self.config)
            return NetworkSummary(self.title, self.config.model, *laws, node, remark)
        _require_no_node(node)
        if isinstance(self.config.model, (NormalMean, LinearRegression)):
            pair = _continuous(self, noise_aware, n_prior, rng)
            return self.config.model.summarise(self.title, *pair)
        try:
            plain = self.posterior
        except NotAPosteriorError:
            plain = None
        aware: Any = self.noise_aware(n_prior, rng) if noise_aware is None else noise_aware
        _require_own(self, aware)
        cause, by = "privacy" if self.guarantee.private else "noise", self.config.model.by
        if by is None:
            return Summary(self.title, plain, aware, cause)
        plains: Any = {} if plain is None else self.by_group(plain)
        awares: Any = self.by_group(aware)
        parts = [
            Summary(f"{by.column} {group}", plains.get(group), awares[group], cause)
            for group in by.groups
        ]
        return GroupedSummary(self.title, plain, aware, cause, tuple(parts))

    def plot(
        self,
        ax: Axes | None = None,
        noise_aware: DirichletMixture | NoiseAwareNetwork | None = None,
        node: str | None = None,
    ) -> Axes:
        """Draw the posterior as released and noise-aware, by group if the counts have groups.

        Args:
            ax: where to draw; None makes a new figure, which `ax.figure.savefig` writes.
            noise_aware: of this release, if it has been computed; None computes it. Where that is
                not feasible, only the posterior as released is drawn, and the title says so.
            node: of a network, which has to be named, as P(node | parents) is drawn.
        """
        from discreet.plots.posteriors import plot_groups, plot_posterior

        _require_no_program(self, "plot")
        if isinstance(self.config.model, BayesNet):
            check.choice("node", node, self.config.model.nodes)
            laws = _network_laws(self, noise_aware)
            return plot_node(self.config.model, str(node), *laws, ax, self.title)
        _require_no_node(node)
        if isinstance(self.config.model, (NormalMean, LinearRegression)):
            return self.config.model.draw(*_continuous(self, noise_aware), ax, self.title)
        title = self.title
        try:
            plain = self.posterior
        except NotAPosteriorError:
            plain = None
        aware: Any = noise_aware
        if aware is None:
            try:
                aware = self.noise_aware()
            except NotEnumerable:
                if plain is None:
                    raise
                title += "; the noise is not accounted for"
        else:
            _require_own(self, aware)
        if self.config.model.by is None:
            return plot_posterior(plain, aware, ax, title)
        plains = None if plain is None else self.by_group(plain)
        return plot_groups(None if aware is None else self.by_group(aware), plains, ax, title)

    def to_json(self) -> str:
        """The release as JSON, with a SHA-256 over its canonical form."""
        document = _document(self)
        return json.dumps(document | {"sha256": digest(document)}, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | Mapping[str, Any]) -> Release:
        """Read `to_json` back, parsed or not; truncated, edited or foreign ones are refused."""
        if isinstance(text, (str, bytes)):
            text = parse(text, "the release", "text", "; Release.load reads a file")
        elif not isinstance(text, Mapping):
            raise DocumentError(f"text must be JSON text, got {check.brief(text)}", "text")
        return _read(text)

    def save(self, path: str | PathLike[str], overwrite: bool = False) -> None:
        """Write `to_json` to a file: all of it, or the folder stays as it was.

        Args:
            path: the file; one that exists is refused, as it may be a release that was paid for.
            overwrite: replace it instead, once the new one is complete.
        """
        write_file(path, self.to_json(), overwrite)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Release:
        """Read a file written by `save`."""
        text = read_file(path)
        try:
            return _read(parse(text, "the release", "path"))
        except DocumentError as error:
            raise DocumentError(f"path {str(path)!r}: {error}", "path") from None

    def __repr__(self) -> str:
        kind = "simulated release" if self.simulated else "release"
        if self.config.mechanism == "program":
            return f"<{kind} of {self.value} by {self.config}: {self.guarantee}>"
        counts = "(" + ", ".join(map(str, self.value[:8])) + ", …" * (len(self.value) > 8) + ")"
        return f"<{kind} of {counts} by {self.config}: {self.guarantee}>"

    def _repr_html_(self) -> str:
        kind = "Simulated release, not private" if self.simulated else "Release"
        makes_public = self.n_source == "sum of the counts"
        total = " It makes the number of records public." if makes_public else ""
        try:
            body = self.posterior._repr_html_()
        except NotAPosteriorError as error:
            shown = self.value[:20] if isinstance(self.value, tuple) else self.value
            body = f"<p>Released {escape(str(shown))}; {escape(str(error))}</p>"
        return (
            f"<p><b>{kind}</b> by {escape(str(self.config))}<br>"
            f"{escape(str(self.guarantee))}.{total}</p>{body}"
        )


def _require_no_program(release: Release, name: str) -> None:
    if release.config.mechanism == "program":
        raise InputError(
            f"{name} is for releases of models; of a program see release.value and "
            "release.posterior",
            "release",
        )


def _require_own(release: Release, aware: object) -> None:
    model = release.config.model
    if isinstance(model, BayesNet):
        own = isinstance(aware, NoiseAwareNetwork) and aware.net.describe() == model.describe()
    elif isinstance(model, LinearRegression):
        own = isinstance(aware, WeightsMixture) and aware.names == model.weights
    elif isinstance(model, NormalMean):
        own = isinstance(aware, NormalLaw)
    else:
        own = isinstance(aware, DirichletMixture) and aware.categories == model.categories
    if not own:
        raise InputError(
            "noise_aware must be the noise-aware posterior of this release", "noise_aware"
        )


def _continuous(
    release: Release,
    aware: Any,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> tuple[Any, Any]:
    """As released, and noise-aware, which samples of weights are not."""
    if aware is not None:
        _require_own(release, aware)
    elif release.config.mechanism != "sample":
        aware = release.noise_aware(n_prior, rng)
    return release.posterior, aware


def _require_no_node(node: object) -> None:
    if node is not None:
        raise InputError(f"node is for releases of networks, got {check.brief(node)}", "node")


def _network_laws(
    release: Release,
    aware: object,
    n_prior: object = None,
    rng: np.random.Generator | None = None,
) -> tuple[NetworkLaw | None, NetworkLaw | None]:
    """As released, and noise-aware; mechanisms without the latter have only the former."""
    plain: NetworkLaw = release.posterior
    asked = any(given is not None for given in (aware, n_prior, rng))
    if not asked and release.config.mechanism not in inference.NETWORK_MECHANISMS:
        return plain, None
    found: Any = release.noise_aware(n_prior, rng) if aware is None else aware
    _require_own(release, found)
    return plain, found


def _mechanism(release: Release) -> Mechanism:
    """The mechanism that made a release, from what the release says."""
    document = _document(release)
    basis = document["guarantee"]["basis"]
    return verify.read_mechanism(document, basis and basis.get("certificate"))


def _number(value: Fraction | float) -> str | None:
    return str(value) if isinstance(value, Fraction) else None


def _document(release: Release) -> dict[str, Any]:
    config, guarantee = release.config, release.guarantee
    return {
        "format": FORMAT,
        "version": VERSION,
        "software": release.software,
        **config.document(),
        "n_source": release.n_source,
        "guarantee": {
            "epsilon": _number(guarantee.epsilon),
            "delta": str(guarantee.delta),
            "adjacency": guarantee.adjacency.value,
            "unit": guarantee.unit,
            "max_per_unit": guarantee.max_per_unit,
            "basis": _basis(guarantee.basis),
        },
        "raw": list(release.raw),
        "value": _value(release),
        "simulated": release.simulated,
        "receipt": None if release.receipt is None else release.receipt.document(),
        "column": release.column,
        "where": release.where,
        "dropped": release.dropped,
        "other": release.other,
        **({"line_breaks": True} if release.line_breaks else {}),
    }


def _value(release: Release) -> Any:
    if release.config.mechanism == "program":
        return write_value(release.value)
    return [x if isinstance(x, int) else str(x) for x in release.value]


def _basis(basis: Theorem | Certificate | Derivation | None) -> dict[str, Any] | None:
    if isinstance(basis, Derivation):
        return {"kind": "derivation", **asdict(basis)}
    if isinstance(basis, Theorem):
        return {"kind": "theorem", "statement": basis.statement, "reference": basis.reference}
    return None if basis is None else {"kind": "certificate", "certificate": basis.document()}


def _read(parsed: object) -> Release:
    document = dict(parsed) if isinstance(parsed, Mapping) else {}
    if document.get("format") != FORMAT:
        raise DocumentError("the JSON is not a discreet release", "text")
    if document.get("version") != VERSION:
        raise DocumentError(
            f"the release has format version {check.brief(document.get('version'))}, this software "
            f"reads {VERSION}",
            "text",
        )
    try:
        if document.pop("sha256", None) != digest(document):
            raise DocumentError("the release was changed after it was written", "text")
        return _rebuild(document)
    except DocumentError:
        raise
    except (
        DiscreetError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise malformed("the release", error, "text") from None


def _rebuild(document: dict[str, Any]) -> Release:
    """Make the mechanism anew from its settings; what the document says besides has to agree."""
    basis = document["guarantee"]["basis"]
    made = verify.read_mechanism(document, basis and basis.get("certificate"))
    raw = document["raw"]
    sources = (None,) if made.config.n is None else N_SOURCES
    said = {"line_breaks": False, **document}
    records = Counted(*(said[name] for name in Counted._fields))
    release = Release(
        made.config,
        made.guarantee,
        tuple(raw),
        made.postprocess(raw),
        check.choice("simulated", document["simulated"], (True, False)),
        check.choice("n_source", document["n_source"], sources),
        None if document["receipt"] is None else Receipt.read(document["receipt"]),
        *records,
        check.label("software", document["software"]),
    )
    require_agreement(made.config, records, release.n_source)
    if release.receipt is not None:
        require_payable(made.guarantee, release.simulated)
    if digest(_document(release)) != digest(document):  # which tells 1 from true and 1.0
        raise InputError("its parts contradict each other")
    return release
