"""The constructs of the language: what they are called with."""

from __future__ import annotations

from typing import NamedTuple


class Signature(NamedTuple):
    """Names of the arguments, in order; some may be left out, some words take any number."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    variadic: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return self.required + self.optional


SIGNATURES: dict[str, Signature] = {
    "clip": Signature(("x", "low", "high")),
    "min": Signature(("x", "y"), variadic=True),
    "max": Signature(("x", "y"), variadic=True),
    "abs": Signature(("x",)),
    "sqrt": Signature(("x",)),
    "log": Signature(("x",)),
    "exp": Signature(("x",)),
    "pi": Signature(()),
    "map": Signature(("function", "data")),
    "sum": Signature(("data",)),
    "count": Signature(("test", "data")),
    "len": Signature(("data",)),
    "fold": Signature(("step", "start", "data")),
    "range": Signature(("start",), ("stop",)),
    "ran": Signature(("law",)),
    "observe": Signature(("likelihood", "belief")),
    "observe_all": Signature(("family", "data", "prior"), ("variance",)),
    "infer": Signature(("belief",)),
    "params": Signature(("posterior",)),
    "mean": Signature(("posterior",)),
    "hellinger": Signature(("posterior", "other")),
    "total_variation": Signature(("posterior", "other")),
    "kl": Signature(("posterior", "other")),
    "laplace": Signature(("eps", "x"), ("grid",)),
    "gauss": Signature(("sigma", "x"), ("grid",)),
    "analytic_sigma": Signature(("eps", "delta", "distance")),
    "exp_mech": Signature(("eps", "score", "candidates")),
    "sample": Signature(("mechanism",)),
    "sample_each": Signature(("mechanism", "data")),
    "parallel": Signature(("body", "data", "cells")),
}
