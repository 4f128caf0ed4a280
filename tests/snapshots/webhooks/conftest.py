"""Callers of the API, whose changes webhooks hear of."""

from tests.memory_platform.api.conftest import acme, globex

__all__ = ["acme", "globex"]
