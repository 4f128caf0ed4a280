"""The platform's WSGI application, which commits posted messages and then keeps the answer to itself.

It leaves the file that ``TEST_COMMITTED`` names once the commit stands, so that a test can kill it at that moment.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memory_platform.wsgi import application as platform

LINGERS = 60.0
"""Seconds: longer than the test that kills it."""
COMMITTED = Path(os.environ["TEST_COMMITTED"])


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    answer: Iterable[bytes] = platform(environ, start_response)
    if environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].endswith("/messages"):
        COMMITTED.touch()
        time.sleep(LINGERS)
    return answer
