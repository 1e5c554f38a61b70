"""Mean Hellinger error on the seven real data sets, relative to ls_hist."""

from __future__ import annotations

from typing import Any

import discreet as dp
from benchmarks.timing import show
from discreet_papers.settings import THREE_CATEGORIES, TWO_CATEGORIES

DATA: dict[str, tuple[int, ...]] = {**TWO_CATEGORIES, **THREE_CATEGORIES}
SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "ls_dim": ("ls_dim", {}),
    "ehd": ("ehd", {}),
    "ehdl*": ("ehdl", {}),
    "ehds": ("ehds", {}),
    "ehds, calibrated": ("ehds", {"calibrate": True}),
    "smooth, calibrated": ("smooth_hellinger", {"delta": 1e-6, "calibrate": True}),
    "lattice": ("lattice", {}),
    "lattice, remap": ("lattice", {"postprocess": "remap"}),
}


def mean_error(counts: tuple[int, ...], name: str, options: dict[str, Any]) -> float | None:
    """E[H(posterior, released posterior)] at ε = 1, prior 1; None where it cannot be made."""
    model = dp.DirichletMultinomial(range(len(counts)))
    try:
        made = dp.mechanism(name, model, n=sum(counts), epsilon=1, **options)
    except (dp.NotEnumerable, dp.InputError):
        return None
    return dp.accuracy(made, counts).mean


def accuracy() -> None:
    rows = []
    for data, counts in DATA.items():
        base = mean_error(counts, "ls_hist", {})
        assert base is not None
        errors = [mean_error(counts, *chosen) for chosen in SHOWN.values()]
        shown = ["–" if error is None else f"{error / base:.3f}" for error in errors]
        rows.append([data, f"{base:.4f}", *shown])
    show(
        "Mean Hellinger error at ε = 1 relative to ls_hist (aim: lattice ≤ 0.5 on bike weather)\n"
        "* not private",
        ["data", "ls_hist error", *SHOWN],
        rows,
    )
