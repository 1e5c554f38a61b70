"""The fixtures of the library's tests."""

from tests.conftest import own_cache, rng, shared_data

__all__ = ["own_cache", "rng", "shared_data"]
