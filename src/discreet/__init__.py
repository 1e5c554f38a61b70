"""Discrete models, discreet releases: differentially private Bayesian inference.

>>> import discreet as dp
>>> model = dp.DirichletMultinomial(categories=("cured", "improved", "unchanged"))
>>> release = dp.release((50, 30, 10), model, epsilon=1.0)
>>> sum(release.value)
90
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discreet._version import __version__

if TYPE_CHECKING:
    from discreet.auditing import Audit, audit
    from discreet.core import (
        Adjacency,
        Certificate,
        Counts,
        Guarantee,
        Law,
        Mechanism,
        Model,
        Theorem,
    )
    from discreet.divergence import hellinger, kl, l1, total_variation
    from discreet.errorlaw import ErrorLaw, accuracy
    from discreet.errors import (
        BudgetError,
        DataError,
        DiscreetError,
        DocumentError,
        ExactnessError,
        InputError,
        LedgerError,
        NotAPosteriorError,
        NotEnumerable,
        PrivacyRefusedError,
        UnknownValuesError,
    )
    from discreet.ledger import Ledger
    from discreet.making import MECHANISMS, mechanism, optimal
    from discreet.models.dirichlet import BetaBinomial, DirichletMultinomial
    from discreet.models.mixture import DirichletMixture
    from discreet.models.network import BayesNet
    from discreet.models.normal import NormalMean
    from discreet.models.posterior import DirichletPosterior
    from discreet.models.regression import LinearRegression
    from discreet.planning import Plan, plan
    from discreet.planning.comparison import Comparison, compare
    from discreet.releases import Release
    from discreet.releasing import release
    from discreet.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity
    from discreet.verifying import verify

_PUBLIC = {
    "auditing": ("Audit", "audit"),
    "core": (
        "Adjacency",
        "Certificate",
        "Counts",
        "Guarantee",
        "Law",
        "Mechanism",
        "Model",
        "Theorem",
    ),
    "divergence": ("hellinger", "kl", "l1", "total_variation"),
    "errorlaw": ("ErrorLaw", "accuracy"),
    "errors": (
        "BudgetError",
        "DataError",
        "DiscreetError",
        "DocumentError",
        "ExactnessError",
        "InputError",
        "LedgerError",
        "MissingPackageError",
        "NotAPosteriorError",
        "NotEnumerable",
        "PrivacyRefusedError",
        "UnknownValuesError",
    ),
    "ledger": ("Ledger",),
    "making": ("MECHANISMS", "mechanism", "optimal"),
    "models.dirichlet": ("BetaBinomial", "DirichletMultinomial"),
    "models.mixture": ("DirichletMixture",),
    "models.network": ("BayesNet",),
    "models.normal": ("NormalMean",),
    "models.posterior": ("DirichletPosterior",),
    "models.regression": ("LinearRegression",),
    "planning": ("Plan", "plan"),
    "releases": ("Release",),
    "releasing": ("release",),
    "sensitivity": ("global_sensitivity", "local_sensitivity", "smooth_sensitivity"),
    "planning.comparison": ("Comparison", "compare"),
    "verifying": ("verify",),
}
_HOME = {name: room for room, names in _PUBLIC.items() for name in names}

__all__ = [
    "MECHANISMS",
    "Adjacency",
    "Audit",
    "BayesNet",
    "BetaBinomial",
    "BudgetError",
    "Certificate",
    "Comparison",
    "Counts",
    "DataError",
    "DirichletMixture",
    "DirichletMultinomial",
    "DirichletPosterior",
    "DiscreetError",
    "DocumentError",
    "ErrorLaw",
    "ExactnessError",
    "Guarantee",
    "InputError",
    "Law",
    "Ledger",
    "LedgerError",
    "LinearRegression",
    "Mechanism",
    "MissingPackageError",
    "Model",
    "NormalMean",
    "NotAPosteriorError",
    "NotEnumerable",
    "Plan",
    "PrivacyRefusedError",
    "Release",
    "Theorem",
    "UnknownValuesError",
    "__version__",
    "accuracy",
    "audit",
    "compare",
    "global_sensitivity",
    "hellinger",
    "kl",
    "l1",
    "local_sensitivity",
    "mechanism",
    "optimal",
    "plan",
    "release",
    "smooth_sensitivity",
    "total_variation",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use: `import discreet` itself loads nothing heavy."""
    if name not in _HOME:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    value = getattr(import_module(f"discreet.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
