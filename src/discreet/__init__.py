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
    from discreet.core.families import mechanism
    from discreet.divergence import hellinger, kl, l1, total_variation
    from discreet.divergence.sensitivity import (
        global_sensitivity,
        local_sensitivity,
        smooth_sensitivity,
    )
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
    from discreet.families.dirichlet.mechanisms.listed import MECHANISMS
    from discreet.families.dirichlet.model import BetaBinomial, DirichletMultinomial
    from discreet.families.network.model import BayesNet
    from discreet.families.normal.model import NormalMean
    from discreet.families.regression.model import LinearRegression
    from discreet.ledger import Ledger
    from discreet.planning import Plan, plan
    from discreet.planning.accuracy import ErrorLaw, accuracy
    from discreet.planning.comparison import Comparison, compare
    from discreet.planning.limit import optimal
    from discreet.posteriors.dirichlet import DirichletPosterior
    from discreet.posteriors.mixture import DirichletMixture
    from discreet.releases.published import Release
    from discreet.releases.releasing import release
    from discreet.releases.verify import verify

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
    "planning.accuracy": ("ErrorLaw", "accuracy"),
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
    "core.families": ("mechanism",),
    "planning.limit": ("optimal",),
    "families.dirichlet.mechanisms.listed": ("MECHANISMS",),
    "families.dirichlet.model": ("BetaBinomial", "DirichletMultinomial"),
    "posteriors.mixture": ("DirichletMixture",),
    "families.network.model": ("BayesNet",),
    "families.normal.model": ("NormalMean",),
    "posteriors.dirichlet": ("DirichletPosterior",),
    "families.regression.model": ("LinearRegression",),
    "planning": ("Plan", "plan"),
    "releases.published": ("Release",),
    "releases.releasing": ("release",),
    "divergence.sensitivity": ("global_sensitivity", "local_sensitivity", "smooth_sensitivity"),
    "planning.comparison": ("Comparison", "compare"),
    "releases.verify": ("verify",),
}
_MOVED = {  # modules that the guide named
    "bounds": "families.dirichlet.bounds",
    "network_bounds": "families.network.bounds",
    "smoothness": "families.network.smoothness",
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
    if name in _MOVED:
        from warnings import warn

        place = f"discreet.{_MOVED[name]}"
        warn(f"discreet.{name} is {place} now", DeprecationWarning, stacklevel=2)
        return import_module(place)
    if name not in _HOME:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    value = getattr(import_module(f"discreet.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
