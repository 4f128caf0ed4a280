"""Limits of requests, sizes of pages, and times to wait."""

from dataclasses import dataclass

from memory_platform.kernel.character_checks import MAX_COMBINING_RUN
from memory_platform.kernel.number_sources import assumed, promised
from memory_platform.kernel.product_ids import ID_BYTES, ID_CHARS

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """Limits of one request. Bytes are bytes of UTF-8."""

    body_bytes: int = promised(1 * MIB)
    messages_body_bytes: int = promised(4 * MIB)
    bulk_body_bytes: int = promised(16 * MIB)
    # A document of 32 MiB and, as JSON, what escapes its characters; the job says so of a larger document.
    document_body_bytes: int = promised(40 * MIB)
    drained_bytes: int = assumed(32 * MIB, owner="api", settle_by="the largest refused upload seen")
    drained_s: float = assumed(1.0, owner="api", settle_by="the slowest refused upload seen")
    drained_pause_s: float = assumed(0.25, owner="api", settle_by="the slowest upload without a key seen")
    head_s: float = assumed(5.0, owner="api", settle_by="the slowest honest headers seen")
    body_s: float = assumed(10.0, owner="api", settle_by="the slowest honest upload of 16 MiB seen")
    pause_s: float = assumed(1.5, owner="api", settle_by="the longest pause in an honest request seen")
    answer_s: float = assumed(10.0, owner="api", settle_by="the slowest honest reader of an answer seen")
    tries: int = assumed(3, owner="api", settle_by="writes that deadlocks with workers turned away")
    json_depth: int = promised(32)
    keys_per_object: int = promised(1_000)
    string_bytes: int = promised(64 * KIB)
    combining_run: int = promised(MAX_COMBINING_RUN)
    id_chars: int = promised(ID_CHARS)
    id_bytes: int = promised(ID_BYTES)
    page_default: int = promised(50)
    page_most: int = promised(200)
    usage_days: int = assumed(30, owner="api", settle_by="spans that products ask for")
    reply_hours: int = promised(24)
    idempotency_key_chars: int = assumed(255, owner="api", settle_by="the longest key a client library sends")
    token_chars: int = assumed(512, owner="api", settle_by="a longer form of API key")
    twin_wait_ms: int = assumed(1_000, owner="api", settle_by="load test with concurrent twins")
    retry_after_s: int = promised(2)


API_CONFIG = ApiConfig()
BIGINT_LEAST = -(2**63)
BIGINT_MOST = 2**63 - 1
