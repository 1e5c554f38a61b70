"""A release as a document, and back: what is read is made anew, and has to come out the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from discreet import check
from discreet.auditing.calibration import calibrated_config, restore
from discreet.core import Adjacency, Certificate, Derivation, Mechanism, Theorem, families
from discreet.core.certificate import read_certificate
from discreet.core.counts import N_SOURCES
from discreet.core.documents import decode, digest, exact, malformed, require_version
from discreet.errors import DiscreetError, DocumentError, InputError
from discreet.ledger import Receipt
from discreet.releases.releasing import Provenance, require_agreement, require_payable

FORMAT = "discreet-release"


def write_document(release: Any) -> dict[str, Any]:
    """A release as JSON can hold it, without its digest."""
    config, guarantee = release.config, release.guarantee
    return {
        "format": FORMAT,
        "version": release.version,
        "software": release.software,
        **config.document(release.version),
        "n_source": release.n_source,
        "guarantee": guarantee.to_document(release.version) | {"basis": _basis(guarantee.basis)},
        "raw": list(release.raw),
        "value": families.of_model(config.model).write(release.value),
        "simulated": release.simulated,
        "receipt": None if release.receipt is None else release.receipt.document(),
        "column": release.column,
        "where": release.where,
        "dropped": release.dropped,
        "other": release.other,
        **({"line_breaks": True} if release.line_breaks else {}),
    }


def _basis(basis: Theorem | Certificate | Derivation | None) -> dict[str, Any] | None:
    if isinstance(basis, Derivation):
        return {"kind": "derivation", **asdict(basis)}
    if isinstance(basis, Theorem):
        return {"kind": "theorem", "statement": basis.statement, "reference": basis.reference}
    return None if basis is None else {"kind": "certificate", "certificate": basis.document()}


def read_document(parsed: object, make: Callable[..., Any]) -> Any:
    """The release that a document describes; `make` is its class."""
    document = dict(parsed) if isinstance(parsed, Mapping) else {}
    if document.get("format") != FORMAT:
        raise DocumentError("the JSON is not a discreet release", "text")
    require_version("the release", document, "text")
    try:
        if document.pop("sha256", None) != digest(document):
            raise DocumentError("the release was changed after it was written", "text")
        return _rebuild(document, make)
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


def _rebuild(document: dict[str, Any], make: Callable[..., Any]) -> Any:
    """Make the mechanism anew from its settings; what the document says besides has to agree."""
    basis = document["guarantee"]["basis"]
    made = read_mechanism(document, basis and basis.get("certificate"))
    raw = document["raw"]
    sources = (None,) if made.config.n is None else N_SOURCES
    said = {"line_breaks": False, **document}
    records = Provenance(*(said[name] for name in Provenance._fields))
    release = make(
        made,
        tuple(raw),
        made.postprocess(raw),
        check.choice("simulated", document["simulated"], (True, False)),
        check.choice("n_source", document["n_source"], sources),
        None if document["receipt"] is None else Receipt.read(document["receipt"]),
        *records,
        check.label("software", document["software"]),
        document["version"],
    )
    require_agreement(made.config, records, release.n_source)
    if release.receipt is not None:
        require_payable(made.guarantee, release.simulated)
    if digest(write_document(release)) != digest(document):  # which tells 1 from true and 1.0
        raise InputError("its parts contradict each other")
    return release


def read_mechanism(
    document: Mapping[str, Any], certificate: Mapping[str, Any] | None = None
) -> Mechanism:
    """The mechanism that a document describes; a calibrated one by its certificate, unaudited."""
    family = families.of_document(document)
    if family.remake is not None:
        return family.remake(document)
    spec = family.spec(document["mechanism"])
    options = {name: decode(value) for name, value in document["options"].items()}
    if certificate is not None:
        options.pop("calibrate", None)
    elif options.get("calibrate") and not spec.provable:
        raise DocumentError("a calibrated mechanism needs its certificate", "certificate")
    made = families.make(
        family,
        spec.as_of(document["version"], options),
        family.read(document),
        document["n"],
        check.epsilon(exact(document["epsilon"])),
        Adjacency(document["adjacency"]),
        options,
    )
    if certificate is None:
        return made
    return restore(made, read_certificate(calibrated_config(made), certificate))
