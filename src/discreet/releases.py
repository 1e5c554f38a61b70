"""What may be published, and how it is written down."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from discreet import check, noise_aware, verifying
from discreet._version import __version__
from discreet.core import Certificate, Config, Guarantee, Mechanism, Theorem
from discreet.core.documents import digest
from discreet.core.law import Outcome
from discreet.errors import DocumentError, NotAPosteriorError
from discreet.models.mixture import DirichletMixture
from discreet.models.posterior import DirichletPosterior
from discreet.models.summary import Summary

FORMAT, VERSION = "discreet-release", 1
N_SOURCES = ("declared", "sum of the counts")


@dataclass(frozen=True, repr=False)
class Release:
    """What may be published: the drawn counts, how they were drawn, and what is promised.

    `raw` is the output of the noise, `value` the counts after public post-processing. `n_source`
    tells whether n was declared or is the sum of the counts, which is thereby made public.
    """

    config: Config
    guarantee: Guarantee
    raw: Outcome
    value: Outcome
    simulated: bool
    n_source: str | None
    receipt: None = None

    @property
    def posterior(self) -> DirichletPosterior:
        """The released posterior; what is done with it costs no more privacy.

        It treats the released counts as if they were the true ones; `noise_aware` does not.
        """
        model = self.config.model
        return DirichletPosterior(
            model.categories,
            tuple(a + v for a, v in zip(model.prior, self.value, strict=True)),
        )

    def noise_aware(
        self, n_prior: object = None, rng: np.random.Generator | None = None
    ) -> DirichletMixture:
        """The posterior given the raw output of the noise, whose intervals include the noise.

        Args:
            n_prior: under add-remove, the prior of the private n: None is flat, (low, high) is
                uniform, or a distribution with `logpmf`.
            rng: for many categories, where the counts behind the output are drawn.
        """
        return noise_aware.infer(_mechanism(self), self.raw, n_prior=n_prior, rng=rng)

    def summary(self, n_prior: object = None, rng: np.random.Generator | None = None) -> Summary:
        """The posterior as released and noise-aware, side by side, and what makes it wide."""
        try:
            plain = self.posterior
        except NotAPosteriorError:
            plain = None
        title = f"{self.config}: {self.guarantee}"
        return Summary(title, plain, self.noise_aware(n_prior, rng))

    def to_json(self) -> str:
        """The release as JSON, with a SHA-256 over its canonical form."""
        document = _document(self)
        return json.dumps(document | {"sha256": digest(document)}, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Release:
        """Read `to_json` back; truncated, edited or foreign documents are refused."""
        return _read(text)

    def save(self, path: str | Path) -> None:
        """Write `to_json` to a file."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Release:
        """Read a file written by `save`."""
        try:
            return _read(Path(path).read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise DocumentError(f"path {str(path)!r} is not a text file", "path") from None
        except DocumentError as error:
            raise DocumentError(f"path {str(path)!r}: {error}", "path") from None

    def __repr__(self) -> str:
        kind = "simulated release" if self.simulated else "release"
        counts = "(" + ", ".join(map(str, self.value[:8])) + ", …" * (len(self.value) > 8) + ")"
        return f"<{kind} of {counts} by {self.config}: {self.guarantee}>"

    def _repr_html_(self) -> str:
        kind = "Simulated release, not private" if self.simulated else "Release"
        makes_public = self.n_source == "sum of the counts"
        total = " It makes the number of records public." if makes_public else ""
        try:
            body = self.posterior._repr_html_()
        except NotAPosteriorError as error:
            body = f"<p>Released counts {self.value[:20]}; {escape(str(error))}</p>"
        return (
            f"<p><b>{kind}</b> by {escape(str(self.config))}<br>"
            f"{escape(str(self.guarantee))}.{total}</p>{body}"
        )


def _mechanism(release: Release) -> Mechanism:
    """The mechanism that made a release, from what the release says."""
    document = _document(release)
    basis = document["guarantee"]["basis"]
    return verifying.read_mechanism(document, basis and basis.get("certificate"))


def _number(value: Fraction | float) -> str | None:
    return str(value) if isinstance(value, Fraction) else None


def _document(release: Release) -> dict[str, Any]:
    config, guarantee = release.config, release.guarantee
    return {
        "format": FORMAT,
        "version": VERSION,
        "software": f"discreet {__version__}",
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
        "value": list(release.value),
        "simulated": release.simulated,
        "receipt": release.receipt,
    }


def _basis(basis: Theorem | Certificate | None) -> dict[str, Any] | None:
    if isinstance(basis, Theorem):
        return {"kind": "theorem", "statement": basis.statement, "reference": basis.reference}
    return None if basis is None else {"kind": "certificate", "certificate": basis.document()}


def _read(text: str) -> Release:
    try:
        document = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        raise DocumentError("the release is not complete JSON", "text") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DocumentError("the JSON is not a discreet release", "text")
    if document.get("version") != VERSION:
        raise DocumentError(
            f"the release has format version {document.get('version')!r}, this software reads "
            f"{VERSION}",
            "text",
        )
    try:
        if document.pop("sha256", None) != digest(document):
            raise DocumentError("the release was changed after it was written", "text")
        return _rebuild(document)
    except DocumentError:
        raise
    except KeyError as error:
        raise DocumentError(f"the release is malformed: it lacks {error}", "text") from None
    except (TypeError, ValueError, AttributeError, ZeroDivisionError, OverflowError) as error:
        raise DocumentError(f"the release is malformed: {error}", "text") from None


def _rebuild(document: dict[str, Any]) -> Release:
    """Make the mechanism anew from its settings; what the document says besides has to agree."""
    basis = document["guarantee"]["basis"]
    made = verifying.read_mechanism(document, basis and basis.get("certificate"))
    raw = document["raw"]
    sources = (None,) if made.config.n is None else N_SOURCES
    release = Release(
        made.config,
        made.guarantee,
        tuple(raw),
        made.postprocess(raw),
        check.choice("simulated", document["simulated"], (True, False)),
        check.choice("n_source", document["n_source"], sources),
    )
    if _document(release) | {"software": document["software"]} != document:
        raise ValueError("its parts contradict each other")
    return release
