"""A certificate: what an exact audit found, with all that is needed to find it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import Any, NamedTuple

from discreet import check
from discreet._version import __version__
from discreet.core.documents import VERSION, digest, exact, require_version
from discreet.core.files import write_file
from discreet.core.law import Outcome
from discreet.core.mechanism import Config
from discreet.errors import DocumentError

FORMAT = "discreet-certificate"


class Witness(NamedTuple):
    """Neighbouring counts and an output at which the privacy loss is attained. All hypothetical."""

    counts: Outcome
    neighbour: Outcome
    output: Outcome


@dataclass(frozen=True)
class Certificate:
    """The privacy loss of the released counts lies between `epsilon_lower` and `epsilon`.

    The bounds are rigorous. (The raw output, which a release carries too, equals these for all
    mechanisms that can be calibrated; of others it may lose more, up to their guarantee.)

    `scale` multiplies the exponent of a calibrated mechanism; `total` is the largest number of
    records that an audit under add-remove covers; `width` bounds how far the losses of one pair of
    neighbours lie apart, where that was found. The claim is about this very configuration.

    Example:
        >>> import discreet as dp
        >>> found = dp.audit(dp.mechanism("ehds", dp.BetaBinomial(), n=5, epsilon=1)).certificate
        >>> dp.verify(found.to_json()).certificate == found
        True
    """

    config: Config
    epsilon: Fraction
    epsilon_lower: Fraction
    witness: Witness | None
    scale: Fraction | None = None
    total: int | None = None
    width: Fraction | None = None
    software: str = f"discreet {__version__}"
    version: int = VERSION

    def document(self) -> dict[str, Any]:
        """As JSON can hold it, with a digest."""
        width = {}
        if self.version >= 3:
            width = {"width": None if self.width is None else str(self.width)}
        document = {
            "format": FORMAT,
            "version": self.version,
            "software": self.software,
            **self.config.document(self.version),
            "scale": None if self.scale is None else str(self.scale),
            "total": self.total,
            "bounds": {"upper": str(self.epsilon), "lower": str(self.epsilon_lower)} | width,
            "witness": self.witness
            and {name: list(value) for name, value in self.witness._asdict().items()},
        }
        return document | {"sha256": digest(document)}

    def to_json(self) -> str:
        """The certificate as JSON, with a SHA-256 over its canonical form."""
        return json.dumps(self.document(), indent=2, ensure_ascii=False)

    def save(self, path: str | PathLike[str], overwrite: bool = False) -> None:
        """Write `to_json` to a file; one that exists is refused, or replaced if `overwrite`."""
        write_file(path, self.to_json(), overwrite)

    def __str__(self) -> str:
        return (
            f"exact audit: privacy loss at most {check.at_most(self.epsilon)} "
            f"(certificate {self.document()['sha256'][:12]})"
        )


def read_certificate(config: Config, document: Mapping[str, Any]) -> Certificate:
    """The certificate in a document about this configuration; one that was edited is refused."""
    if document.get("format") != FORMAT:
        raise DocumentError("certificate is not a discreet certificate", "certificate")
    version = require_version("certificate", document, "certificate")
    try:
        scale, bounds, witness = document["scale"], document["bounds"], document["witness"]
        certificate = Certificate(
            config,
            exact(bounds["upper"]),
            exact(bounds["lower"]),
            None if witness is None else Witness(*(tuple(witness[x]) for x in Witness._fields)),
            None if scale is None else exact(scale),
            document["total"],
            exact(bounds["width"]) if bounds.get("width") is not None else None,
            check.label("software", document["software"]),
            version,
        )
        unchanged = digest(certificate.document()) == digest(document)
        possible = _possible(certificate)
    except (KeyError, TypeError, AttributeError, ValueError):
        unchanged = possible = False
    if not (unchanged and possible):
        raise DocumentError("certificate was changed after it was written", "certificate")
    return certificate


def _possible(certificate: Certificate) -> bool:
    """Whether an audit of the configuration can have said this; `dp.verify` asks whether it did."""
    config, witness, total = certificate.config, certificate.witness, certificate.total
    if not 0 <= certificate.epsilon_lower <= certificate.epsilon:
        return False
    if certificate.width is not None and certificate.width < certificate.epsilon_lower:
        return False
    if certificate.scale is not None and certificate.scale <= 0:
        return False
    if total is not None and (config.n is not None or type(total) is not int or total < 1):
        return False
    if witness is None:  # of no record nothing is lost
        return config.n == 0 and certificate.epsilon_lower == 0
    sides = witness.counts, witness.neighbour
    return (
        all(type(number) is int for part in witness for number in part)
        and all(len(side) == config.model.size for side in sides)
        and all(config.model.n_records(side) == config.n for side in sides if config.n is not None)
        and witness.counts != witness.neighbour
        and len(witness.output) > 0
    )
