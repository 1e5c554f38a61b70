"""What to use for networks, measured in P2's setting."""

from __future__ import annotations

from discreet_papers.p2.claims_figure_1 import above
from discreet_papers.p2.simulating import FOURIER, LAPLACE, LATTICE, MAP, SAMPLER
from discreet_papers.parts import Cell, Claim, Finding, Verdict

_EPSILONS = (1.0, 5.0, 10.0)


def _most_accurate() -> Finding:
    found: dict[str, Cell] = {}
    never = True
    for epsilon in _EPSILONS:
        gaps = {other: above(LATTICE, other, epsilon) for other in (LAPLACE, FOURIER)}
        if epsilon == 5:
            gaps |= {other: above(LATTICE, other, epsilon) for other in (SAMPLER, MAP)}
        never &= all(mean > -2 * error for mean, error in gaps.values())
        for other, (mean, error) in gaps.items():
            found |= {f"{other}_{epsilon:g}": mean, f"{other}_error_{epsilon:g}": error}
    mean, error = above(LATTICE, LAPLACE, _EPSILONS[-1])
    shown = ", ".join(
        f"{found[f'{LAPLACE}_{e:g}']:+.3f} ± {found[f'{LAPLACE}_error_{e:g}']:.3f} at ε = {e:g}"
        for e in _EPSILONS
    )
    return Finding(
        Verdict.of(never and mean > 2 * error, never),
        f"Naive Bayes, 16 features, 50 records, 100 runs on the same data: its accuracy less that "
        f"of Laplace noise is {shown} (± standard error), and it is at no ε below Laplace, "
        "Fourier, a sample or MAP by more than two standard errors.".replace("-", "−"),
        found,
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "ours-networks",
        "what to use",
        "For networks `lattice` is at no ε less accurate than P2's mechanisms, and often more.",
        _most_accurate,
    ),
)
