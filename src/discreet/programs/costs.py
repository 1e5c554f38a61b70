"""What was spent, line by line, and whether it stays within what was declared."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from discreet.exact import balls, hockey_stick
from discreet.programs.abstract import Distances, Gaussian, Scenario
from discreet.programs.diagnostics import Diagnostic, ProgramError
from discreet.programs.proving import Answer, Prover, show
from discreet.programs.symbolic import ZERO, Expression, Symbol, number, worst
from discreet.programs.syntax import Span

HARDLY = 1e-6  # of a budget


@dataclass(frozen=True)
class Cost:
    """One draw, or a number of them."""

    span: Span
    text: str
    epsilons: Distances
    delta: Expression
    gaussian: Gaussian | None = None

    def times(self, k: Expression) -> Cost:
        """Of k such draws."""
        return Cost(
            self.span,
            f"{self.text}, {k} times",
            tuple(e * k for e in self.epsilons),
            self.delta * k,
            self.gaussian,
        )

    @property
    def own(self) -> str:
        """ε, or (ε, δ), in the worst scenario."""
        if self.gaussian is not None:
            return "its delta at the epsilon that is left"
        price = worst(*self.epsilons)
        return f"{price}" if self.delta == ZERO else f"({price}, {self.delta})"


@dataclass(frozen=True)
class Budget:
    """(ε, δ) as declared."""

    epsilon: Expression
    delta: Expression
    text: str
    written: tuple[str, ...] = ()  # as it was declared

    def __str__(self) -> str:
        return self.text


def total(costs: list[Cost], scenarios: tuple[Scenario, ...]) -> tuple[Distances, Expression]:
    """ε in every scenario, and δ."""
    # Sequencing: the transcript's likelihood ratio is the product of those of its draws, each given
    # the public results before it, so the ε add up in every scenario, and so do the δ (Rogers,
    # Roth, Ullman and Vadhan 2016: sums are a valid filter for adaptive composition).
    epsilons = [ZERO] * len(scenarios)
    delta = ZERO
    for cost in costs:
        epsilons = [a + b for a, b in zip(epsilons, cost.epsilons, strict=True)]
        delta = delta + cost.delta
    return tuple(epsilons), delta


def require_within(
    costs: list[Cost],
    budget: Budget,
    scenarios: tuple[Scenario, ...],
    prover: Prover,
    span: Span,
) -> None:
    """Raise where the total may exceed the budget."""
    epsilons, delta = total(costs, scenarios)
    normal = [cost.gaussian for cost in costs if cost.gaussian is not None]
    lines = tuple(spent(costs, scenarios))
    settled = set()
    for place, (epsilon, scenario) in enumerate(zip(epsilons, scenarios, strict=True)):
        shifts = tuple(gaussian.shifts[place] for gaussian in normal)
        if (epsilon, shifts) in settled:
            continue
        settled.add((epsilon, shifts))
        answer = prover.at_most(epsilon, budget.epsilon)
        if not answer.holds:
            raise _too_much(
                costs, "epsilon", epsilon, budget, answer, lines, scenario, prover, span
            )
        here = delta
        if normal:
            here += _normal_delta(epsilon, normal, place, budget, span, lines)
        answer = prover.at_most(here, budget.delta)
        if not answer.holds:
            raise _too_much(costs, "delta", here, budget, answer, lines, scenario, prover, span)


def _normal_delta(
    spent_epsilon: Expression,
    gaussians: list[Gaussian],
    place: int,
    budget: Budget,
    span: Span,
    lines: tuple[str, ...],
) -> Expression:
    """δ of normal noise of known sizes at the ε that is left, by balls."""
    left = (budget.epsilon - spent_epsilon).value
    shifts = [g.shifts[place].value for g in gaussians]
    variances = [g.least_variance.value for g in gaussians]
    if left is None or None in shifts or None in variances:
        raise ProgramError(
            Diagnostic(
                span,
                "normal noise of this size has no bound that holds for all values of the "
                "parameters",
                "the exact delta of a given sigma is computed for numbers only",
                "write gauss(analytic_sigma(eps, delta, distance), x)",
                "unknown",
                str(budget),
                costs=lines,
            )
        )
    dimension = sum(g.dimension for g in gaussians)
    squared = sum((s for s in shifts if s is not None), Fraction(0))
    least = min(v for v in variances if v is not None)
    if squared == 0:
        return ZERO

    with balls.precision(balls.PRECISION):
        value = hockey_stick.discrete_gaussian_delta(left, squared, Fraction(1), dimension, least)
        return number(balls.fraction(value.upper()) if value.is_finite() else Fraction(1))


def _too_much(
    costs: list[Cost],
    which: str,
    found: Expression,
    budget: Budget,
    answer: Answer,
    lines: tuple[str, ...],
    scenario: Scenario,
    prover: Prover,
    span: Span,
) -> ProgramError:
    allowed = budget.epsilon if which == "epsilon" else budget.delta
    example = ""
    if answer.example is not None:
        with balls.precision(balls.PRECISION):
            spent_here = float(found.ball(answer.example).mid())
            had = float(allowed.ball(answer.example).mid())
        at = f"at {show(answer.example)} " if answer.example else ""
        example = f"{at}the program spends {which} {spent_here:.6g} of {had:.6g}"
    unsure = answer.holds is None
    reason = f"the most is spent where {scenario}"
    fix = _instead(costs, found, allowed, which)
    if answer.example is not None and spent_here - had < HARDLY * had:
        reason = "roots, logarithms, exponentials and pi in a program are rounded up to 30 digits"
        fix = f"declare a little more: budget='1.0001*({allowed})'"
    message = (
        f"the solver cannot tell whether {which} {found} stays within {allowed}"
        if unsure
        else f"the program spends {which} {found}, more than the declared {allowed}"
    )
    return ProgramError(
        Diagnostic(
            _exceeding(costs, allowed, prover, which, span),
            message,
            reason,
            fix,
            "unknown" if unsure else "budget",
            str(budget),
            example,
            lines,
            answer.example,
        )
    )


def _exceeding(
    costs: list[Cost], allowed: Expression, prover: Prover, which: str, span: Span
) -> Span:
    """The first draw that the budget does not cover."""
    so_far = ZERO
    for cost in costs:
        so_far += worst(*cost.epsilons) if which == "epsilon" else cost.delta
        if not prover.at_most(so_far, allowed).holds:
            return cost.span
    return costs[-1].span if costs else span


def _instead(costs: list[Cost], found: Expression, allowed: Expression, which: str) -> str:
    """What to write."""
    if which == "delta":
        return "use analytic_sigma(eps, delta, distance), or declare a larger delta"
    names = allowed.symbols
    inverse = [
        base.name
        for monomial, _ in found.terms
        for base, power in monomial
        if isinstance(base, Symbol) and power < 0 and base.name in names
    ]
    if inverse:
        name = inverse[0]
        return f"the first argument of laplace is epsilon, not a scale: write {name}, not 1/{name}"
    if allowed == ZERO:
        return f"declare budget={found.exact()!r}"
    ratio = found / allowed
    if ratio.value is not None or not ratio.symbols & {"eps", "epsilon"}:
        return f"declare budget={found.exact()!r}, or divide the eps of the noise by {ratio}"
    return f"declare budget={found.exact()!r}, or add more noise"


def in_all(costs: list[Cost], scenarios: tuple[Scenario, ...]) -> str:
    """ε, or (ε, δ); normal noise of a given size is settled with the whole budget."""
    epsilons, delta = total(costs, scenarios)
    found = f"{worst(*epsilons)}" if delta == ZERO else f"({worst(*epsilons)}, {delta})"
    return f"{found} and normal noise" if any(cost.gaussian for cost in costs) else found


def spent(costs: list[Cost], scenarios: tuple[Scenario, ...]) -> list[str]:
    """The running total, line by line."""
    return [
        f"line {cost.span.line}: {cost.text}: {cost.own}; so far "
        f"{in_all(costs[: place + 1], scenarios)}"
        for place, cost in enumerate(costs)
    ]
