"""A finite mixture of Dirichlets: the posterior that knows of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet import check, report
from discreet.check import Category
from discreet.core.counts import CountsLike, values_of
from discreet.errors import InputError
from discreet.exact import Floats
from discreet.posteriors import quadrature
from discreet.posteriors.beta_mixture import BetaMixture
from discreet.posteriors.dirichlet import INTERVALS, DirichletPosterior
from discreet.posteriors.mixture_laws import MixtureLaw, MixturePredictive, sequence_log_likelihood

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Diagnostics:
    """How a mixture was computed, and how far it can be from the posterior it stands for.

    "exact": all components, but for a probability of at most `left_out`; where neighbouring ones
    are grouped, the error in total variation is at most `grouped`. "draws": components drawn
    independently, worth `ess` equally weighted draws; `r_hat` compares four parts of them and is
    near 1. "chains": components drawn by many Markov chains; `r_hat` compares earlier draws with
    later ones. `tables` is how many noisy tables were used: of a network also others.
    """

    method: Literal["exact", "draws", "chains"] = "exact"
    left_out: float = 0.0
    grouped: float = 0.0
    ess: float | None = None
    r_hat: float | None = None
    tables: int = 1


class Parts(NamedTuple):
    """The variance of every θ_i, split by Var[θ] = E[Var(θ | c)] + Var(E[θ | c])."""

    sampling: Floats  # what is left if the counts are known
    privacy: Floats  # what not knowing the counts adds


@dataclass(frozen=True, eq=False, repr=False)
class DirichletMixture:
    """θ ~ Dirichlet(parameters[j]) with probability weights[j].

    It has the methods of `DirichletPosterior`; arrays have one entry, or one row, per category.

    Args:
        categories: the labels.
        parameters: of the components, one a row.
        weights: of the components; they are scaled to sum to one.
        diagnostics: how they were computed.

    Example:
        >>> import discreet as dp
        >>> mixture = dp.DirichletMixture(("yes", "no"), [[1.0, 2.0], [2.0, 1.0]], [0.5, 0.5])
        >>> mixture.mean().tolist()
        [0.5, 0.5]
    """

    categories: tuple[Category, ...]
    parameters: Floats
    weights: Floats
    diagnostics: Diagnostics = field(default_factory=Diagnostics)

    def __post_init__(self) -> None:
        labels = check.categories(self.categories)
        parameters = check.parameters("parameters", self.parameters)
        if parameters.ndim != 2 or parameters.shape[1] != len(labels):
            raise InputError(
                f"parameters must have one row per component and {len(labels)} columns, one per "
                f"category, got shape {parameters.shape}",
                "parameters",
            )
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (len(parameters),):
            raise InputError(
                f"weights must have {len(parameters)} entries, one per component, got shape "
                f"{weights.shape}",
                "weights",
            )
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
            raise InputError("weights must be finite, not negative and not all 0", "weights")
        weights /= weights.sum()
        parameters = parameters.copy()
        for array in (parameters, weights):
            array.flags.writeable = False
        object.__setattr__(self, "categories", labels)
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "weights", weights)

    @cached_property
    def _law(self) -> MixtureLaw:
        return MixtureLaw(self.parameters, self.weights)

    @cached_property
    def _around(self) -> tuple[Floats, Floats]:
        """The sums of the parameters before and after each: what adds up to Σα − α_i."""
        sums = np.zeros((2, *self.parameters.shape))
        sums[0, :, 1:] = np.cumsum(self.parameters[:, :-1], axis=1)
        sums[1, :, :-1] = np.cumsum(self.parameters[:, :0:-1], axis=1)[:, ::-1]
        return sums[0], sums[1]

    @cached_property
    def _marginals(self) -> dict[int, BetaMixture]:
        return {}

    def mean(self) -> Floats:
        """E[θ_i]."""
        return self._law.mean()

    def mode(self) -> Floats:
        """The point of highest density, for two categories.

        NaN if the density is unbounded or flat, and for more categories.
        """
        from scipy import special

        if len(self.categories) > 2 or (self.parameters[self.weights > 0] < 1).any():
            return np.full(len(self.categories), np.nan)
        peak = self._marginal(0).peak()
        return np.array([special.expit(peak), special.expit(-peak)])

    def parts(self) -> Parts:
        """How much of the variance is sampling, and how much privacy."""
        means, totals = self._law.means, self.parameters.sum(axis=1, keepdims=True)
        within = means * ((totals - self.parameters) / totals) / (totals + 1)
        between = self.weights @ (means - self.mean()) ** 2
        return Parts(np.asarray(self.weights @ within), np.asarray(between))

    def variance(self) -> Floats:
        """Var[θ_i]."""
        return np.asarray(sum(self.parts()))

    def sd(self) -> Floats:
        """The standard deviation of every θ_i."""
        return np.sqrt(self.variance())

    def covariance(self) -> Floats:
        """Cov[θ_i, θ_j]."""
        return self._law.cov()

    def quantile(self, p: float) -> Floats:
        """The p-quantile of every θ_i; p = 0.5 is the median."""
        level = float(check.share("p", p))
        return np.array([self._marginal(i).ppf(level) for i in range(len(self.categories))])

    def interval(self, level: float = 0.95, kind: str = "equal-tailed") -> Floats:
        """Credible intervals of every θ_i, one a row: (lower, upper).

        "equal-tailed" leaves (1 − level)/2 on either side. "highest-density" is the shortest
        interval with that probability.
        """
        mass = float(check.share("level", level))
        check.choice("kind", kind, INTERVALS)
        laws = [self._marginal(i) for i in range(len(self.categories))]
        if kind == "equal-tailed":
            return np.array([law.ppf([(1 - mass) / 2, (1 + mass) / 2]) for law in laws])
        return np.array([law.shortest(mass) for law in laws])

    def within(
        self, categories: Sequence[Category], labels: Sequence[Category] | None = None
    ) -> DirichletMixture:
        """The law of θ among some categories, θ_i/Σθ_j; equal components are joined."""
        places = [check.position("categories", name, self.categories) for name in categories]
        rows, owner = np.unique(self.parameters[:, places], axis=0, return_inverse=True)
        weights = np.bincount(owner.ravel(), self.weights).astype(np.float64)
        return DirichletMixture(
            check.categories(labels or categories), rows, weights, self.diagnostics
        )

    def marginal(self, category: Category | None = None) -> BetaMixture:
        """The law of one θ_i, a mixture of Betas, with `pdf`, `cdf`, `ppf`, `rvs`, `mean`, `std`.

        With two categories it is that of the first unless another is named.
        """
        if category is None and len(self.categories) == 2:
            category = self.categories[0]
        return self._marginal(check.position("category", category, self.categories))

    def _marginal(self, i: int) -> BetaMixture:
        if i not in self._marginals:
            before, after = self._around
            rest = before[:, i] + after[:, i]
            self._marginals[i] = BetaMixture(self.parameters[:, i], rest, self.weights)
        return self._marginals[i]

    def pdf(self, x: npt.ArrayLike, category: Category | None = None) -> Any:
        """The marginal density of one θ_i at x."""
        return self.marginal(category).pdf(x)

    def cdf(self, x: npt.ArrayLike, category: Category | None = None) -> Any:
        """P(θ_i ≤ x)."""
        return self.marginal(category).cdf(x)

    def probability_exceeds(
        self,
        first: Category,
        second: Category,
        other: DirichletMixture | DirichletPosterior | None = None,
    ) -> float:
        """P(θ_first > θ_second), where θ_second may belong to another, independent posterior."""
        i = check.position("first", first, self.categories)
        if other is None:
            j = check.position("second", second, self.categories)
            if i == j:
                return 0.0
            # θ_j/(θ_i + θ_j) ~ Beta(a_j, a_i) under every component
            ratio = BetaMixture(self.parameters[:, j], self.parameters[:, i], self.weights)
            return float(ratio.cdf(0.5))
        theirs = as_mixture(other)
        return quadrature.exceeds(
            self._marginal(i), theirs._marginal(check.position("second", second, theirs.categories))
        )

    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Floats:
        """Draws of θ, one a row."""
        return np.asarray(self._law.rvs(size, rng))

    def update(self, counts: CountsLike) -> DirichletMixture:
        """The posterior after further, public or own, counts.

        A component's weight is multiplied by the likelihood L of the records under it. What was
        left out can have grown by at most max L over E[L]: max L = Π (x_i/Σx)^{x_i}.
        """
        from scipy import special

        x = np.array(values_of(counts, self.categories), dtype=np.float64)
        logs = sequence_log_likelihood(self.parameters, x)
        total = float(special.logsumexp(logs, b=self.weights))
        highest = float(special.xlogy(x, x).sum() - special.xlogy(x.sum(), x.sum()))
        growth = float(np.exp(min(highest - total, 700.0)))
        old, weights = self.diagnostics, self.weights * np.exp(logs - logs.max())
        weights /= weights.sum()
        worth = (self.weights**2).sum() / (weights**2).sum()
        diagnostics = replace(
            old,
            left_out=min(old.left_out * growth, 1.0),
            grouped=min(2 * old.grouped * growth, 1.0),
            ess=None if old.ess is None else old.ess * float(worth),
        )
        return DirichletMixture(self.categories, self.parameters + x, weights, diagnostics)

    def predictive(self) -> Floats:
        """The probability of each category for the next record: the posterior mean."""
        return self.mean()

    def predictive_counts(self, n: int) -> MixturePredictive:
        """The counts of the next n records, a mixture of Dirichlet-multinomials."""
        return MixturePredictive(self._law, check.whole("n", n))

    def hellinger(self, other: DirichletMixture | DirichletPosterior) -> float:
        """Hellinger distance to another posterior, for two categories."""
        return quadrature.hellinger(*self._with("hellinger", other))

    def total_variation(self, other: DirichletMixture | DirichletPosterior) -> float:
        """Total variation distance to another posterior, for two categories."""
        return quadrature.total_variation(*self._with("total_variation", other))

    def kl(self, other: DirichletMixture | DirichletPosterior) -> float:
        """Kullback-Leibler divergence KL(self ‖ other), for two categories."""
        return quadrature.kl(*self._with("kl", other))

    def l1(self, other: object) -> float:
        """Not defined: it compares parameters, and a mixture has many."""
        raise InputError(
            "l1 compares the parameters of two Dirichlets, and a mixture has many; use hellinger",
            "other",
        )

    def to_scipy(self) -> MixtureLaw:
        """The law of θ with the methods of a frozen `scipy.stats.dirichlet`."""
        return self._law

    def to_arviz(
        self, draws: int = 1000, chains: int = 4, rng: np.random.Generator | None = None
    ) -> Any:
        """Independent draws of θ as ArviZ data; needs `discreet[arviz]`."""
        return report.to_arviz(self.sample, self.categories, draws, chains, rng)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it: a density, regions of the simplex or intervals; needs `discreet[plot]`."""
        from discreet.plots.posteriors import plot_posterior

        return plot_posterior(None, self, ax)

    def _with(
        self, method: str, other: DirichletMixture | DirichletPosterior
    ) -> tuple[BetaMixture, BetaMixture]:
        theirs = as_mixture(other)
        if theirs.categories != self.categories:
            raise InputError(
                "other must be a posterior over the same categories in the same order", "other"
            )
        if (k := len(self.categories)) > 2:
            raise InputError(f"{method} of a mixture needs two categories, got {k}", "other")
        return self._marginal(0), theirs._marginal(0)

    def table(self, level: float = 0.95) -> list[tuple[str, ...]]:
        """Rows of text: category, mean, standard deviation, interval."""
        return self._rows(level, len(self.categories))

    def _rows(self, level: float, count: int) -> list[tuple[str, ...]]:
        mass = float(check.share("level", level))
        tails = [(1 - mass) / 2, (1 + mass) / 2]
        intervals = [self._marginal(i).ppf(tails) for i in range(count)]
        columns = zip(self.categories, self.mean(), self.sd(), intervals, strict=False)
        return [
            (str(label), f"{m:.3f}", f"{s:.3f}", f"{low:.3f} – {high:.3f}")
            for label, m, s, (low, high) in columns
        ]

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{label}: {m:.3g} ± {s:.2g}"
            for label, m, s in zip(self.categories[:8], self.mean(), self.sd(), strict=False)
        )
        more = f", … {len(self.categories)} in all" if len(self.categories) > 8 else ""
        return f"<mixture of {check.number_of(len(self.weights), 'Dirichlet')}: {shown}{more}>"

    def _repr_html_(self) -> str:
        rows = self._rows(0.95, min(len(self.categories), report.SHOWN))
        head = ("category", "mean", "sd", "95 % interval")
        return report.html_table(head, rows, len(self.categories))

    def __getstate__(self) -> dict[str, object]:
        """Pickle the definition, not what was computed from it."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}


def as_mixture(posterior: object) -> DirichletMixture:
    """A Dirichlet as a mixture of one."""
    if isinstance(posterior, DirichletMixture):
        return posterior
    if isinstance(posterior, DirichletPosterior):
        return DirichletMixture(posterior.categories, posterior.alpha[None], np.ones(1))
    raise InputError(f"other must be a posterior, got {check.brief(posterior)}", "other")
