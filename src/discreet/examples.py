"""The bundled example: two trials of wart therapy, rebuilt record by record from published counts.

UCI Machine Learning Repository, Cryotherapy and Immunotherapy data sets (Khozeimeh et al. 2017),
90 patients each, cross-tabulated by outcome and type of wart.
"""

from __future__ import annotations

TYPES = ("common", "plantar", "both")
OUTCOMES = ("cured", "not cured")

_TABLES = {
    "cryotherapy": {"cured": (38, 6, 4), "not cured": (16, 3, 23)},
    "immunotherapy": {"cured": (36, 17, 18), "not cured": (11, 5, 3)},
}


def wart_therapy(therapy: str) -> list[tuple[str, str]]:
    """(outcome, type) of every patient of one trial."""
    return [
        (outcome, kind)
        for outcome, row in _TABLES[therapy].items()
        for kind, patients in zip(TYPES, row, strict=True)
        for _ in range(patients)
    ]
