"""Calibration of `smooth_hellinger`, which has a proof on paper where an audit is too large."""

from __future__ import annotations

from typing import Any

from discreet.auditing.calibration import calibrated
from discreet.core import Mechanism
from discreet.errors import NotEnumerable
from discreet.families.dirichlet.mechanisms.exponential import smooth_hellinger


def calibrated_smooth(base: Mechanism) -> Mechanism:
    """Scaled by an exact audit or, where public values say that it is too large, by the proof."""
    try:
        return calibrated(base)
    except NotEnumerable:
        config = base.config
        assert config.n is not None
        options: dict[str, Any] = dict(config.options) | {"calibrate": True}
        return smooth_hellinger(config.model, config.n, config.epsilon, **options)
