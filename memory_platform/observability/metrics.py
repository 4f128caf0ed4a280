"""Every metric of the platform: the unit is part of the name, labels come from short closed lists.

A tenant is never a label: there may be thousands, and a metric must not reveal usage.
"""

from collections.abc import Callable
from typing import Any

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client import values as storage

_FAST = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_SLOW = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
_UNIT = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_TOKENS = (128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384, 65_536)
# The process that looked last has the best value; this is the Prometheus client's name for that mode.
_LATEST: dict[str, Any] = {"multiprocess_mode": "mostrecent"}

# The API
REQUEST_SECONDS = Histogram("api_request_seconds", "Time to answer.", ["route", "method", "status"], buckets=_FAST)
DATABASE_REFUSALS = Counter("api_database_refusals_total", "Requests that Postgres refused.", ["sqlstate"])
REPLIES_REPLAYED = Counter("api_replies_replayed_total", "Answers replayed for an Idempotency-Key.")

# The OpenAI proxy
PROXY_CALLS = Counter("proxy_calls_total", "Calls of models that went on, by what became of their memory.", ["outcome"])
PROXY_TURNS = Counter("proxy_turns_total", "Turns heard by the proxy: kept or lost.", ["outcome"])

# Messages and work
MESSAGES_ACCEPTED = Counter("messages_accepted_total", "Messages stored.", ["verdict"])
WORK_SECONDS = Histogram("work_seconds", "Time from due to done of one work item.", ["kind"], buckets=_SLOW)
WORK_ENDED = Counter("work_ended_total", "Attempts that ended.", ["kind", "outcome"])
WORK_OLDEST_DUE_SECONDS = Gauge("work_oldest_due_seconds", "Age of the oldest due work item.", **_LATEST)
WORK_DEAD = Gauge("work_dead", "Work items that gave up.", **_LATEST)
COMPRESS_QUEUE_SIZE = Gauge("agent_memory_compress_queue_size", "Work items ready to be done, now or later.", **_LATEST)
BEAT_HEARTBEAT_SECONDS = Gauge("beat_heartbeat_seconds", "Age of the last run of the sweep.", **_LATEST)
ROWS_PURGED = Counter("rows_purged_total", "Rows that the timetable removed.", ["kind"])

# Webhooks
WEBHOOKS_SENT = Counter("webhook_tries_total", "Tries to deliver an event, by what became of it.", ["outcome"])
WEBHOOKS_WAITING = Gauge("webhook_deliveries_waiting", "Deliveries that wait, also for another try.", **_LATEST)
WEBHOOKS_DEAD = Gauge("webhook_deliveries_dead", "Deliveries that gave up.", **_LATEST)
WEBHOOKS_OFF = Gauge("webhooks_switched_off", "Webhooks that were switched off because they failed.", **_LATEST)

# Recall and context
RETRIEVAL_SECONDS = Histogram("agent_memory_retrieval_seconds", "Time of one recall.", buckets=_FAST)
RECALL_STAGE_SECONDS = Histogram("recall_stage_seconds", "Time of one stage of recall.", ["stage"], buckets=_FAST)
MEMORY_HITS = Counter("agent_memory_hit_total", "Memories that a recall returned.", ["type"])
MEMORY_MISSES = Counter("agent_memory_miss_total", "Recalls that asked for memories and found none.", ["type"])
SIMILARITY = Histogram("agent_vector_search_similarity", "Best dense similarity of a recall.", buckets=_UNIT)
RECALL_DEGRADED = Counter("recall_degraded_total", "Answers given with a degraded reason.", ["reason"])
INDEX_DAMAGED = Counter("recall_index_damaged_total", "Packed parts of memories that could not be read.", ["kind"])
CONTEXT_SECONDS = Histogram("context_seconds", "Time to assemble one context.", buckets=_FAST)
CONTEXT_TOKENS = Histogram("context_tokens", "Tokens of one context.", buckets=_TOKENS)

# Memories
MEMORIES_WRITTEN = Counter("memories_written_total", "Memories offered for storing.", ["type", "verdict"])

MODEL_PROPOSALS = Counter("model_proposals_total", "What chat models propose of messages.", ["kind", "outcome"])

# Feedback
FAST_LANE_SECONDS = Histogram("fast_lane_seconds", "Time from a correction's acceptance to commit.", buckets=_FAST)
RECEIPTS_FEEDBACK = Counter("receipts_feedback_total", "Injected memories of which something was heard.", ["verdict"])
MEMORIES_TOLD = Counter("memories_replied_total", "Injected memories whose reply is known.", ["outcome"])

# Outside parts
PROVIDER_SECONDS = Histogram("provider_call_seconds", "Time of a call of a model.", ["use", "outcome"], buckets=_SLOW)
PROVIDER_TOKENS = Counter("provider_tokens_total", "Tokens that models say they read and wrote.", ["use"])
CACHE_FAILURES = Counter("cache_failures_total", "Redis calls that failed.", ["use"])

_refreshers: list[Callable[[], None]] = []


def register_refresh(refresh: Callable[[], None]) -> None:
    _refreshers.append(refresh)


def render_metrics() -> bytes:
    """Return all metrics in the Prometheus text format; those of all processes if they share a directory."""
    for refresh in _refreshers:
        refresh()
    if storage.ValueClass is storage.MutexValue:
        return generate_latest(REGISTRY)
    shared = CollectorRegistry()  # the supervisor set PROMETHEUS_MULTIPROC_DIR before this process began
    multiprocess.MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return generate_latest(shared)
