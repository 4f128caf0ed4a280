"""The log lines of a test, as they were said: structlog's own capture misses loggers that were used before."""

from typing import Any

import pytest


def log_lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """Return the fields of every line so far, ``event`` among them."""
    return [dict(record.msg) for record in caplog.records if isinstance(record.msg, dict)]
