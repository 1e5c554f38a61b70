"""Records of a network as a frame, drawn from conditional probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.check import Category
from discreet.exact import Floats, Ints
from discreet.extras import missing

if TYPE_CHECKING:
    from discreet.families.network.model import BayesNet


def draw(
    net: BayesNet, size: int, conditional: Callable[[str], Floats], rng: np.random.Generator
) -> dict[str, Ints]:
    """Places of states by node, parents before children."""
    found: dict[str, Ints] = {}
    for node in net.order:
        family = net.family(node)
        ends = np.cumsum(conditional(node), axis=1)[:, :-1]
        row = np.zeros(size, dtype=np.int64)
        for name, states in zip(family.parents, family.shape, strict=False):
            row = row * states + found[name]
        u = rng.random(size)
        place = np.zeros(size, dtype=np.int64)
        for end in ends.T:  # a state at a time, so that no table of size × states is made
            place += u > end[row]
        found[node] = place
    return {node: found[node] for node in net.nodes}


def frame(places: Mapping[str, Ints], states: Mapping[str, Sequence[Category]]) -> Any:
    """A data frame of pandas, else of polars, else a pyarrow table."""
    for name, make in _MAKERS.items():
        with suppress(ImportError):
            return make(import_module(name), places, states)
    raise missing("records need pandas, polars or pyarrow", "pandas")


def _pandas(library: Any, places: Any, states: Any) -> Any:
    text = {node for node in places if all(isinstance(state, str) for state in states[node])}
    return library.DataFrame(
        {
            node: library.Categorical.from_codes(place, list(states[node]))
            if node in text
            else np.array(states[node])[place]
            for node, place in places.items()
        }
    )


def _others(library: Any, places: Any, states: Any) -> Any:
    make = library.DataFrame if library.__name__ == "polars" else library.table
    return make({node: [states[node][p] for p in place] for node, place in places.items()})


_MAKERS: dict[str, Callable[..., Any]] = {"pandas": _pandas, "polars": _others, "pyarrow": _others}
