"""Arguments that the models for scikit-learn share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet import check
from discreet.core import families
from discreet.core.counts import Unit
from discreet.core.families import options_of
from discreet.errors import InputError


def read_options(
    given: Any, mechanism: object, model: object, besides: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The options, if they are the mechanism's own and not other arguments of a release.

    Args:
        given: the mapping by name, or None.
        mechanism: its name.
        model: what is released.
        besides: options that are arguments of their own.
    """
    name = check.choice("mechanism", mechanism, tuple(families.of_model(model).mechanisms))
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"options must be a mapping by name, got {check.brief(given)}", "options")
    apart = {*besides, *Unit.OPTIONS}
    taken = [option for option in options_of(name, model) if option not in apart]
    for option in given:
        if option not in taken:
            raise InputError(
                f"options must be those of {name}: {', '.join(taken) or 'none'}; got "
                f"{check.brief(option)}",
                "options",
            )
    return dict(given)


def read_generator(seed: object) -> np.random.Generator | None:
    """From a `random_state`; None stays None, for a release that is no simulation."""
    if seed is None or isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.RandomState):
        return np.random.default_rng(seed.randint(2**31, size=4))
    return np.random.default_rng(check.whole("random_state", seed))
