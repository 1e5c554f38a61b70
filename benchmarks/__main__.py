"""`python -m benchmarks`: everything in one run, as ratios."""

from __future__ import annotations

from benchmarks import (
    accuracy,
    counting,
    counts,
    explorer,
    instruments,
    networks,
    reconciliation,
    regression,
    speed,
)


def main() -> None:
    for benchmark in (
        speed.noise,
        speed.exponential,
        speed.scaling,
        speed.enumeration,
        speed.lattice,
        accuracy.accuracy,
        counts.counts,
        instruments.audits,
        instruments.calibrations,
        instruments.limits,
        instruments.noise_aware,
        counting.counting,
        counting.spark,
        counting.ledger,
        networks.alarm,
        networks.private_number,
        networks.wide_naive_bayes,
        networks.classification,
        reconciliation.reconciliation,
        regression.statistics_at_scale,
        regression.private_regression,
        regression.wage_equation,
        explorer.explorer,
    ):
        benchmark()


if __name__ == "__main__":
    main()
