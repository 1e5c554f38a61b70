"""`dp.verify`: read a certificate, make its mechanism anew and audit it again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from os import PathLike
from typing import Any

from discreet import check
from discreet.auditing import Audit, audit
from discreet.auditing.counts import loss_at
from discreet.auditing.spaces import space
from discreet.core import Certificate
from discreet.core.certificate import FORMAT, read_certificate
from discreet.core.documents import malformed, parse
from discreet.core.files import read_file
from discreet.errors import DiscreetError, DocumentError, InputError, NotEnumerable
from discreet.releases.documents import read_mechanism

TOLERANCE = Fraction(1, 10**9)


def verify(certificate: Certificate | Mapping[str, Any] | str | PathLike[str]) -> Audit:
    """Make the mechanism of a certificate anew, audit it again and compare.

    Args:
        certificate: a `Certificate`, its JSON as text or parsed, or the path of a file with it. A
            text that does not begin with { is taken for a path.

    Returns:
        The new audit.

    Raises:
        DocumentError: the certificate was edited, or what it claims is not found again.

    Example:
        >>> import discreet as dp
        >>> found = dp.audit(dp.mechanism("ehds", dp.BetaBinomial(), n=5, epsilon=1)).certificate
        >>> dp.verify(found).epsilon == float(found.epsilon)
        True
    """
    if isinstance(certificate, Certificate):
        document = certificate.document()
    else:
        document = _parsed(certificate)
    if document.get("format") != FORMAT:
        raise DocumentError("certificate is not a discreet certificate", "certificate")
    try:
        calibrated = document if document["scale"] is not None else None
        made = read_mechanism(document, calibrated)
        claimed = read_certificate(made.config, document)
    except DocumentError:
        raise
    except (DiscreetError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise malformed("certificate", error, "certificate") from None
    try:
        found = audit(made, claimed.total)
    except (InputError, NotEnumerable) as error:
        raise DocumentError(f"certificate cannot be verified: {error}", "certificate") from None
    upper, lower = Fraction(found.epsilon), Fraction(found.epsilon_lower)
    slack = TOLERANCE * max(Fraction(1), upper)
    if (
        claimed.epsilon < lower
        or claimed.epsilon_lower > upper
        or (max(abs(upper - claimed.epsilon), abs(lower - claimed.epsilon_lower)) > slack)
    ):
        raise DocumentError(
            f"certificate claims a privacy loss of {check.show(claimed.epsilon)}, the audit finds "
            f"{found.epsilon:.12g}",
            "certificate",
        )
    if claimed.width is not None and abs(found.width - float(claimed.width)) > slack:
        raise DocumentError(
            "certificate claims another width of the privacy loss than the audit finds",
            "certificate",
        )
    if not _attained(found, claimed):
        raise DocumentError(
            "certificate has a witness at which the loss is not attained", "certificate"
        )
    return found


def _attained(found: Audit, claimed: Certificate) -> bool:
    """Whether the claimed witness is the one found, or as bad a one."""
    made, witness = found.mechanism, claimed.witness
    if witness is None or found.witness is None or witness == found.witness:
        return witness == found.witness
    try:
        counts, neighbour = (made.domain(side) for side in witness[:2])
        loss = loss_at(made, space(made, found.total), witness)
    except (DiscreetError, ValueError, TypeError):
        return False
    apart = sum(abs(a - b) for a, b in zip(counts, neighbour, strict=True))
    most = 2 if made.config.n is not None else made.guarantee.max_per_unit
    return 0 < apart <= most and loss >= found.epsilon_lower - 1e-9 * max(1.0, loss)


def _parsed(certificate: object) -> dict[str, Any]:
    if isinstance(certificate, str) and certificate.lstrip().startswith("{"):
        text: str | None = certificate
    elif isinstance(certificate, (str, PathLike)):
        text = read_file(certificate, "certificate")
    else:
        text = None
    if text is not None:
        certificate = parse(text, "certificate", "certificate")
    if not isinstance(certificate, Mapping):
        raise DocumentError(
            f"certificate must be a Certificate or its JSON, got {check.brief(certificate)}",
            "certificate",
        )
    return dict(certificate)
