from __future__ import annotations

from collections.abc import Iterator
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


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Calibrations of the tests are not kept among the user's."""
    place = tmp_path_factory.mktemp("cache") / "certificates"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.auditing.certificate_store.directory", lambda: place)
        yield place


@pytest.fixture
def shared_data() -> Path:
    if not SHARED.is_dir():
        pytest.skip("the real data sets of ../shared/data are not here")
    return SHARED
