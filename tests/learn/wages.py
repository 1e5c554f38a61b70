"""Made-up pay, its bounds, and a private regression of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from discreet.learn import PrivateLinearRegression

FRAME = pd.DataFrame(
    np.random.default_rng(1).uniform((20, -1, 0), (60, 1, 5), (400, 3)),
    columns=["age", "score", "years"],
)
PAY = (
    2
    + 0.05 * FRAME["age"]
    + FRAME["score"]
    - 0.2 * FRAME["years"]
    + np.random.default_rng(2).normal(0, 0.5, 400)
)
BOUNDS: dict[str, Any] = {"age": (20, 60), "score": (-1, 1), "years": (0, 5), "y": (0, 8)}


def private(epsilon: object = 1.0, **settings: Any) -> PrivateLinearRegression:
    usual: dict[str, Any] = {"bounds": BOUNDS, "random_state": 5}
    return PrivateLinearRegression(epsilon, **usual | settings)


REFERENCE = private().fit(FRAME, PAY)
