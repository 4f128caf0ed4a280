"""The id of the request being served, for answers and log lines."""

import re
from contextvars import ContextVar

from memory_platform.kernel.ids import new_id

_SANE = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
_request_id: ContextVar[str] = ContextVar("request_id", default="")


def accept_request_id(offered: str | None) -> str:
    """Use ``offered`` as the id of this request if it is short and plain, else a new one; return the id."""
    chosen = offered if offered and _SANE.fullmatch(offered) else str(new_id())
    _request_id.set(chosen)
    return chosen


def current_request_id() -> str:
    return _request_id.get() or str(new_id())
