"""What may be published: a `Release`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias

import numpy as np

from discreet import check
from discreet._version import __version__
from discreet.check import Category
from discreet.core import Config, Guarantee, Mechanism, families
from discreet.core.counts import Aware, Released, Summarised
from discreet.core.documents import VERSION, digest, parse
from discreet.core.family import Family
from discreet.core.files import read_file, write_file
from discreet.core.law import Outcome
from discreet.errors import DocumentError, InputError, NotAPosteriorError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.ledger import Receipt
    from discreet.posteriors.dirichlet import DirichletPosterior
    from discreet.posteriors.mixture import DirichletMixture


class Distribution(Protocol):
    """A distribution of whole numbers, such as one of scipy.stats."""

    def logpmf(self, k: Any) -> Any:
        """The logs of the probabilities of numbers."""


@dataclass(frozen=True, repr=False)
class Release(Generic[Released, Aware, Summarised]):
    """What may be published: the drawn counts, how they were drawn, and what is promised.

    `raw` is the output of the noise, `value` the counts after public post-processing, exact
    fractions where they are not whole. `n_source`
    tells whether n was declared or is the sum of the counts, which is thereby made public.
    `receipt` is the ledger's, if one paid. `column` and `where` tell which records were counted,
    `dropped` that those with undeclared values were left out, and `other` the category that took
    them. `software` is what drew it, `version` that of its document. `line_breaks` is the owner's
    word that a correct CSV writer wrote the records. `reason` says, where no mechanism was asked
    for, why it is this one; a document does not keep it.

    Guarantee:
        `guarantee` says it: (ε, δ), adjacency, unit and basis. A simulation promises nothing.

    Example:
        >>> import discreet as dp, numpy as np
        >>> rng = np.random.default_rng(1)
        >>> release = dp.release((71, 19), dp.BetaBinomial(), epsilon=1, rng=rng)
        >>> release.value, release.simulated
        ((72, 18), True)
        >>> dp.Release.from_json(release.to_json()) == release
        True
    """

    mechanism: Mechanism
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
    version: int = VERSION
    reason: str = field(default="", compare=False)

    @property
    def config(self) -> Config:
        """Everything public that defines the mechanism."""
        return self.mechanism.config

    @property
    def guarantee(self) -> Guarantee:
        """What is promised: (ε, δ), adjacency, unit and basis."""
        return self.mechanism.guarantee

    @property
    def family(self) -> Family:
        """The family of the model."""
        return families.of_model(self.config.model)

    @property
    def posterior(self) -> Released:
        """The released posterior; what is done with it costs no more privacy.

        It treats the released counts as if they were the true ones; `noise_aware` does not.
        """
        found: Released = families.spec_of(self.mechanism).posterior(self.mechanism, self.value)
        return found

    def noise_aware(
        self,
        n_prior: tuple[int, int] | Distribution | None = None,
        rng: np.random.Generator | None = None,
    ) -> Aware:
        """The posterior given the raw output of the noise, whose intervals include the noise.

        A `DirichletMixture`; for a network a `NoiseAwareNetwork`, which has one for every row of
        every table.

        Args:
            n_prior: under add-remove, the prior of the private n: None is flat, (low, high) is
                uniform, or a distribution with `logpmf`.
            rng: for many categories, where the counts behind the output are drawn.
        """
        from discreet.noise_aware import infer

        found: Aware = infer(self.mechanism, self.raw, n_prior=n_prior, rng=rng)
        return found

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
        whole: Any = self.posterior if joint is None else joint
        k = len(by.categories)
        return {
            group: whole.within(by.cells[i * k : (i + 1) * k], by.categories)
            for i, group in enumerate(by.groups)
        }

    @property
    def title(self) -> str:
        """What stands above a table or a figure: mechanism, n and guarantee."""
        kind = "simulated, not private: " * self.simulated
        return f"{kind}{self.config.heading}: {self.guarantee}{self._because}"

    @property
    def _because(self) -> str:
        return f"; {self.config.label} was taken: {self.reason}" if self.reason else ""

    def summary(
        self,
        n_prior: tuple[int, int] | Distribution | None = None,
        rng: np.random.Generator | None = None,
        noise_aware: Any = None,
        node: str | None = None,
    ) -> Summarised:
        """The posterior as released and noise-aware, side by side, and what makes it wide.

        Counts that were made with `by` have one summary within each group. That of a network has
        the rows of its first tables, or of all of one node.

        Args:
            n_prior: as in `noise_aware`.
            rng: as in `noise_aware`.
            noise_aware: of this release, if it has been computed; None computes it.
            node: of a network, whose table to show.
        """
        view = self._view(node)
        shown: Summarised = self.family.summary(self, noise_aware, n_prior, rng, **view)
        return shown

    def plot(
        self,
        ax: Axes | None = None,
        noise_aware: Any = None,
        node: str | None = None,
    ) -> Axes:
        """Draw the posterior as released and noise-aware, by group if the counts have groups.

        Args:
            ax: where to draw; None makes a new figure, which `ax.figure.savefig` writes.
            noise_aware: of this release, if it has been computed; None computes it. Where that is
                not feasible, only the posterior as released is drawn, and the title says so.
            node: of a network, which has to be named, as P(node | parents) is drawn.
        """
        axes: Axes = self.family.plot(self, noise_aware, ax, **self._view(node))
        return axes

    def _view(self, node: str | None) -> dict[str, str]:
        """What a summary or a plot is of, where there is a choice."""
        if node is None:
            return {}
        if "node" not in self.family.views:
            raise InputError(f"node is for releases of networks, got {check.brief(node)}", "node")
        return {"node": node}

    def to_json(self) -> str:
        """The release as JSON, with a SHA-256 over its canonical form."""
        from discreet.releases.documents import write_document

        document = write_document(self)
        return json.dumps(document | {"sha256": digest(document)}, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | Mapping[str, Any]) -> Release[Any, Any, Any]:
        """Read `to_json` back, parsed or not; truncated, edited or foreign ones are refused."""
        from discreet.releases.documents import read_document

        if isinstance(text, (str, bytes)):
            text = parse(text, "the release", "text", "; Release.load reads a file")
        elif not isinstance(text, Mapping):
            raise DocumentError(f"text must be JSON text, got {check.brief(text)}", "text")
        release: Release[Any, Any, Any] = read_document(text, cls)
        return release

    def save(self, path: str | PathLike[str], overwrite: bool = False) -> None:
        """Write `to_json` to a file: all of it, or the folder stays as it was.

        Args:
            path: the file; one that exists is refused, as it may be a release that was paid for.
            overwrite: replace it instead, once the new one is complete.
        """
        write_file(path, self.to_json(), overwrite)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Release[Any, Any, Any]:
        """Read a file written by `save`."""
        from discreet.releases.documents import read_document

        text = read_file(path)
        try:
            release: Release[Any, Any, Any] = read_document(parse(text, "the release", "path"), cls)
            return release
        except DocumentError as error:
            raise DocumentError(f"path {str(path)!r}: {error}", "path") from None

    def __repr__(self) -> str:
        kind = "simulated release" if self.simulated else "release"
        return f"<{kind} of {_brief(self.value)} by {self.config}: {self.guarantee}{self._because}>"

    def _repr_html_(self) -> str:
        kind = "Simulated release, not private" if self.simulated else "Release"
        makes_public = self.n_source == "sum of the counts"
        total = " It makes the number of records public." if makes_public else ""
        try:
            posterior: Any = self.posterior
            html = getattr(posterior, "_repr_html_", None)
            body = f"<p>{escape(repr(posterior))}</p>" if html is None else html()
        except NotAPosteriorError as error:
            shown = self.value[:20] if isinstance(self.value, tuple) else self.value
            body = f"<p>Released {escape(str(shown))}; {escape(str(error))}</p>"
        return (
            f"<p><b>{kind}</b> by {escape(str(self.config))}<br>"
            f"{escape(str(self.guarantee))}{escape(self._because)}.{total}</p>{body}"
        )


AnyRelease: TypeAlias = Release[Any, Any, Any]


def _brief(value: Any) -> str:
    """The first numbers of a released vector, or a value as it is."""
    if not isinstance(value, tuple):
        return str(value)
    return "(" + ", ".join(map(str, value[:8])) + ", …" * (len(value) > 8) + ")"
