"""Log lines are events with ids: a name from one list, and values that identify, count or time. Never content."""

import logging
import re
import traceback
from collections.abc import MutableMapping
from contextvars import ContextVar
from enum import Enum, StrEnum
from typing import Any, TextIO
from uuid import UUID

import structlog

from memory_platform.kernel.ids import new_id

_SANE = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")
_request_id: ContextVar[str] = ContextVar("request_id", default="")
# Longer strings are not ids; they are cut, so that content cannot slip in whole.
VALUE_CHARS = 200


def accept_request_id(request_id: str | None) -> str:
    """Use ``request_id`` as the id of this request if it is short and plain, else a new one; return the id."""
    chosen = request_id if request_id and _SANE.fullmatch(request_id) else str(new_id())
    _request_id.set(chosen)
    return chosen


def current_request_id() -> str:
    return _request_id.get() or str(new_id())


class Event(StrEnum):
    """Every event that may be logged: noun first, past tense."""

    REQUEST_SERVED = "request.served"
    REQUEST_FAILED = "request.failed"
    REQUEST_REFUSED = "request.refused"
    MESSAGES_ACCEPTED = "messages.accepted"
    CONVERSATION_ENDED = "conversation.ended"
    SNAPSHOT_WRITTEN = "snapshot.written"
    SUMMARY_WRITTEN = "summary.written"
    EXTRACTION_DEGRADED = "extraction.degraded"
    FEEDBACK_DEGRADED = "feedback.degraded"
    CONTEXT_ASSEMBLED = "context.assembled"
    OUTCOME_NOTED = "outcome.noted"
    RECALL_DEGRADED = "recall.degraded"
    WORK_DONE = "work.done"
    WORK_RETRIED = "work.retried"
    WORK_DIED = "work.died"
    LEASE_LOST = "lease.lost"
    WAKE_UP_FAILED = "wake_up.failed"
    JOB_RUN = "job.run"
    JOB_FAILED = "job.failed"
    ROWS_PURGED = "rows.purged"
    PROVIDER_FAILED = "provider.failed"
    WINDOW_REBUILT = "window.rebuilt"
    CACHE_FAILED = "cache.failed"
    PROBE_FAILED = "probe.failed"
    PROBE_AWAITED = "probe.awaited"
    IMPORT_FINISHED = "import.finished"
    DOCUMENT_INDEXED = "document.indexed"
    DOCUMENT_SEARCH_FAILED = "document_search.failed"
    MAIL_FAILED = "mail.failed"
    LAST_MANAGER_KEPT = "last_manager.retained"
    LOG_IN_REFUSED = "log_in.refused"
    TURN_LOST = "turn.lost"
    WEBHOOK_OFF = "webhook.disabled"


_LEVELS = {
    Event.REQUEST_FAILED: logging.ERROR,
    Event.WORK_DIED: logging.ERROR,
    Event.JOB_FAILED: logging.ERROR,
    Event.PROVIDER_FAILED: logging.WARNING,
    Event.PROBE_FAILED: logging.WARNING,
    Event.REQUEST_REFUSED: logging.WARNING,
    Event.WAKE_UP_FAILED: logging.WARNING,
    Event.CACHE_FAILED: logging.WARNING,
    Event.LEASE_LOST: logging.WARNING,
    Event.WEBHOOK_OFF: logging.WARNING,
    Event.MAIL_FAILED: logging.WARNING,
    Event.DOCUMENT_SEARCH_FAILED: logging.WARNING,
    Event.RECALL_DEGRADED: logging.WARNING,
    Event.FEEDBACK_DEGRADED: logging.WARNING,
    Event.LAST_MANAGER_KEPT: logging.WARNING,
    Event.LOG_IN_REFUSED: logging.WARNING,
    Event.TURN_LOST: logging.WARNING,
}
_logger = structlog.stdlib.get_logger("memory_platform")


def log(event: Event, **values: Any) -> None:
    """Write one event. ``values`` are ids, counts, codes and milliseconds."""
    _logger.log(_LEVELS.get(event, logging.INFO), str(event), **values)


def keep_ids_only(_logger: Any, _method: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Structlog processor: keep ids and numbers, cut long strings, replace anything else by its type."""
    for key, value in line.items():
        if not key.startswith("_"):
            line[key] = _make_loggable(value)
    return line


def write_traceback_places(out: TextIO, exc_info: Any) -> None:
    """Write an exception's type and stack without its message and local values: they hold content."""
    kind, _, trace = exc_info
    for frame in traceback.extract_tb(trace):
        out.write(f"  {frame.filename}:{frame.lineno} {frame.name}\n")
    out.write(kind.__name__ if kind else "")


def _make_loggable(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_make_loggable(item) for item in value[:20]]
    if isinstance(value, str | UUID | Enum):
        return str(value)[:VALUE_CHARS]
    return f"<{type(value).__name__}>"


def logging_config(*, level: str = "INFO", readable: bool = False) -> dict[str, Any]:
    """Return Django's ``LOGGING``: JSON lines, or readable ones at a desk. Also configures structlog.

    Django's own request and query loggers write paths, values and tracebacks, which hold content: they are silent here,
    ``request.served`` and ``request.failed`` take their place.
    """
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        keep_ids_only,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Any = structlog.processors.JSONRenderer()
    if readable:
        renderer = structlog.dev.ConsoleRenderer(exception_formatter=write_traceback_places)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "events": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
                "foreign_pre_chain": [structlog.stdlib.add_logger_name, *shared],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "events"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.request": {"level": "CRITICAL"},
            "django.db.backends": {"level": "CRITICAL"},
            "django.security": {"level": "CRITICAL"},
            # Each failed attempt to connect is a warning of the pool's; the request or command says it once.
            "psycopg.pool": {"level": "ERROR"},
            # Two lines a request, and results quoted in tracebacks.
            "mcp": {"level": "CRITICAL"},
        },
    }
