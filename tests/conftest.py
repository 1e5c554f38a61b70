from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20170701)


@pytest.fixture
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the real data sets of ../shared/data are not here")
    return SHARED
