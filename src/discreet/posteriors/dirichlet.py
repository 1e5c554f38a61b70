"""A Dirichlet posterior with what a Bayesian asks of one. Using it costs no privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from discreet import check, divergence, report
from discreet.check import Category
from discreet.core.counts import CountsLike, values_of
from discreet.errors import InputError, NotAPosteriorError
from discreet.exact import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.posteriors.mixture import DirichletMixture

INTERVALS = ("equal-tailed", "highest-density")


@dataclass(frozen=True, repr=False)
class DirichletPosterior:
    """θ ~ Dirichlet(parameters), one probability per category.

    Arrays have one entry, or one row, per category, in the order of `categories`. A released
    posterior treats the released counts as true: its intervals do not include the noise.

    Args:
        categories: the labels.
        parameters: one for each, greater than 0.

    Example:
        >>> import discreet as dp
        >>> posterior = dp.DirichletPosterior(("yes", "no"), (3, 1))
        >>> posterior.mean().tolist(), posterior.interval().round(3).tolist()[0]
        ([0.75, 0.25], [0.292, 0.992])
    """

    categories: tuple[Category, ...]
    parameters: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        labels = check.categories(self.categories)
        if len(self.parameters) != len(labels):
            raise InputError(
                f"parameters must have {len(labels)} entries, one per category, got "
                f"{len(self.parameters)}",
                "parameters",
            )
        exact = [check.rational(f"parameters[{i}]", a) for i, a in enumerate(self.parameters)]
        object.__setattr__(self, "categories", labels)
        object.__setattr__(self, "parameters", tuple(exact))
        for position, parameter in enumerate(exact):
            if parameter <= 0:
                raise NotAPosteriorError(
                    f"parameters[{position}] must be greater than 0 for a posterior, got "
                    f"{check.show(parameter)}; ask the release for noise_aware(), or release with "
                    "postprocess='project'"
                )

    @property
    def alpha(self) -> Floats:
        """The parameters as floats."""
        return np.array([float(a) for a in self.parameters])

    def mean(self) -> Floats:
        """E[θ_i] = α_i/Σα."""
        alpha = self.alpha
        return np.asarray(alpha / alpha.sum())

    def mode(self) -> Floats:
        """(α_i − 1)/(Σα − k), the highest density; NaN if some α_i < 1 or all are 1."""
        alpha = self.alpha
        if (alpha < 1).any() or (alpha == 1).all():
            return np.full(len(alpha), np.nan)
        return np.asarray((alpha - 1) / (alpha - 1).sum())

    def variance(self) -> Floats:
        """Var[θ_i] = m_i(1 − m_i)/(Σα + 1)."""
        alpha = self.alpha
        total = alpha.sum()
        return np.asarray(alpha / total * ((total - alpha) / total) / (total + 1))

    def sd(self) -> Floats:
        """The standard deviation of every θ_i."""
        return np.sqrt(self.variance())

    def covariance(self) -> Floats:
        """Cov[θ_i, θ_j] = (m_i·1{i=j} − m_i·m_j)/(Σα + 1)."""
        mean = self.mean()
        return np.asarray((np.diag(mean) - np.outer(mean, mean)) / (self.alpha.sum() + 1))

    def quantile(self, p: float) -> Floats:
        """The p-quantile of every θ_i; p = 0.5 is the median."""
        from scipy import special

        alpha, below = self.alpha, float(check.share("p", p))
        return np.asarray(special.betaincinv(alpha, alpha.sum() - alpha, below))

    def interval(self, level: float = 0.95, kind: str = "equal-tailed") -> Floats:
        """Credible intervals of every θ_i, one a row: (lower, upper).

        "equal-tailed" leaves (1 − level)/2 on either side. "highest-density" is the shortest
        interval with that probability.
        """
        from scipy import special

        mass = float(check.share("level", level))
        check.choice("kind", kind, INTERVALS)
        alpha = self.alpha
        rest = alpha.sum() - alpha
        if kind == "equal-tailed":
            below = np.full_like(alpha, (1 - mass) / 2)
        else:
            below = _shortest_tail(alpha, rest, mass)
        lower = special.betaincinv(alpha, rest, below)
        upper = special.betainccinv(alpha, rest, np.maximum(1 - mass - below, 0.0))
        return np.column_stack([lower, upper])

    def within(
        self, categories: Sequence[Category], labels: Sequence[Category] | None = None
    ) -> DirichletPosterior:
        """The law of θ among some categories, θ_i/Σθ_j: Dirichlet with their parameters."""
        places = [check.position("categories", name, self.categories) for name in categories]
        chosen = tuple(self.parameters[i] for i in places)
        return DirichletPosterior(check.categories(labels or categories), chosen)

    def marginal(self, category: Category | None = None) -> Any:
        """The law of one θ_i, Beta(α_i, Σα − α_i), as a frozen `scipy.stats.beta`.

        With two categories it is that of the first unless another is named.
        """
        from scipy import stats

        if category is None and len(self.categories) == 2:
            category = self.categories[0]
        alpha, i = self.alpha, check.position("category", category, self.categories)
        return stats.beta(alpha[i], alpha.sum() - alpha[i])

    def pdf(self, x: npt.ArrayLike, category: Category | None = None) -> Any:
        """The marginal density of one θ_i at x."""
        return self.marginal(category).pdf(check.reals("x", x))

    def cdf(self, x: npt.ArrayLike, category: Category | None = None) -> Any:
        """P(θ_i ≤ x)."""
        return self.marginal(category).cdf(check.reals("x", x))

    def probability_exceeds(
        self,
        first: Category,
        second: Category,
        other: DirichletPosterior | DirichletMixture | None = None,
    ) -> float:
        """P(θ_first > θ_second), where θ_second may belong to another, independent posterior.

        Within one posterior θ_first/(θ_first + θ_second) is a Beta. Between two it is
        ∫₀¹ F_second(Q_first(u)) du with the quantiles Q of the one and the distribution function F
        of the other.
        """
        from scipy import integrate, special

        i = check.position("first", first, self.categories)
        if other is None:
            j = check.position("second", second, self.categories)
            return 0.0 if i == j else float(special.betaincc(self.alpha[i], self.alpha[j], 0.5))
        if not isinstance(other, DirichletPosterior):
            from discreet.posteriors.mixture import as_mixture

            return 1 - as_mixture(other).probability_exceeds(second, first, self)
        theirs, ours = other.marginal(second), self.marginal(first)
        value, _ = integrate.quad(lambda u: theirs.cdf(ours.ppf(u)), 0, 1, limit=500)
        return float(value)

    def sample(self, size: int | None = None, rng: np.random.Generator | None = None) -> Floats:
        """Draws of θ, one a row."""
        source = np.random.default_rng() if rng is None else check.generator(rng)
        return source.dirichlet(self.alpha, None if size is None else check.size(size))

    def update(self, counts: CountsLike) -> DirichletPosterior:
        """The posterior after further, public or own, counts."""
        values = values_of(counts, self.categories)
        return DirichletPosterior(
            self.categories, tuple(a + c for a, c in zip(self.parameters, values, strict=True))
        )

    def predictive(self) -> Floats:
        """The probability of each category for the next record: the posterior mean."""
        return self.mean()

    def predictive_counts(self, n: int) -> Any:
        """The counts of the next n records, as a frozen `scipy.stats.dirichlet_multinomial`."""
        from scipy import stats

        return stats.dirichlet_multinomial(self.alpha, check.whole("n", n))

    def hellinger(self, other: DirichletPosterior) -> float:
        """Hellinger distance to another posterior of the same categories."""
        return float(divergence.hellinger(self.alpha, self._other(other)))

    def total_variation(self, other: DirichletPosterior) -> float:
        """Total variation distance to another posterior, for two categories."""
        return float(divergence.total_variation(self.alpha, self._other(other)))

    def kl(self, other: DirichletPosterior) -> float:
        """Kullback-Leibler divergence KL(self ‖ other)."""
        return float(divergence.kl(self.alpha, self._other(other)))

    def l1(self, other: DirichletPosterior) -> float:
        """The l1 distance of the parameters."""
        return float(divergence.l1(self.alpha, self._other(other)))

    def to_scipy(self) -> Any:
        """The same distribution as a frozen `scipy.stats.dirichlet`; for a Beta see `marginal`."""
        from scipy import stats

        return stats.dirichlet(self.alpha)

    def to_arviz(
        self, draws: int = 1000, chains: int = 4, rng: np.random.Generator | None = None
    ) -> Any:
        """Independent draws of θ as ArviZ data; needs `discreet[arviz]`."""
        return report.to_arviz(self.sample, self.categories, draws, chains, rng)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it: a density, regions of the simplex or intervals; needs `discreet[plot]`."""
        from discreet.plots.posteriors import plot_posterior

        return plot_posterior(None, self, ax, names=("", "posterior"))

    def _other(self, other: DirichletPosterior) -> Floats:
        if not isinstance(other, DirichletPosterior) or other.categories != self.categories:
            raise InputError(
                "other must be a posterior over the same categories in the same order", "other"
            )
        return other.alpha

    def table(self, level: float = 0.95) -> list[tuple[str, ...]]:
        """Rows of text: category, parameter, mean, standard deviation, interval."""
        columns = zip(
            self.categories,
            self.parameters,
            self.mean(),
            self.sd(),
            self.interval(level),
            strict=True,
        )
        return [
            (str(label), check.show(a), f"{m:.3f}", f"{s:.3f}", f"{low:.3f} – {high:.3f}")
            for label, a, m, s, (low, high) in columns
        ]

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{label}: {check.show(a)}"
            for label, a in zip(self.categories[:8], self.parameters[:8], strict=True)
        )
        more = f", … {len(self.categories)} in all" if len(self.categories) > 8 else ""
        return f"Dirichlet({shown}{more})"

    def _repr_html_(self) -> str:
        head = ("category", "α", "mean", "sd", "95 % interval")
        return report.html_table(head, self.table()[: report.SHOWN], len(self.categories))


def _shortest_tail(a: Floats, b: Floats, mass: float) -> Floats:
    """The probability below the shortest interval of Beta(a, b) with that mass.

    With a single peak inside, the densities at both ends agree; bisect for that. Otherwise the
    interval begins at 0 or ends at 1, whichever is shorter.
    """
    from scipy import special

    low, high = np.zeros_like(a), np.full_like(a, 1 - mass)
    for _ in range(60):
        middle = (low + high) / 2
        left = special.betaincinv(a, b, middle)
        right = special.betainccinv(a, b, 1 - mass - middle)
        with np.errstate(divide="ignore", invalid="ignore"):
            rise = (a - 1) * np.log(right / left) + (b - 1) * (np.log1p(-right) - np.log1p(-left))
        # where the right end is the denser one, move right
        denser = rise > 0
        low, high = np.where(denser, middle, low), np.where(denser, high, middle)
    from_zero = special.betaincinv(a, b, mass)
    to_one = 1 - special.betaincinv(a, b, 1 - mass)
    at_an_end = np.where(from_zero <= to_one, 0.0, 1 - mass)
    return np.where((a > 1) & (b > 1), (low + high) / 2, at_an_end)
