"""Fixed numbers of webhooks. Durations are timedeltas, sizes are bytes or rows."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, promised

_SETTLE_BY = "how long real receivers take and fail, from webhook_delivery in production"


@dataclass(frozen=True, slots=True)
class WebhookConfig:
    """How events are sent, tried again and given up.

    ``waits``: the pause after the first, second, ... failed try; after the last one the delivery is dead. They are the
    ones that Standard Webhooks recommends. ``jitter``: by which share a pause may be shorter or longer. ``off_after``:
    how long an address may fail, without a success, until it is switched off.
    """

    per_tenant: int = promised(20)
    waits: tuple[timedelta, ...] = promised(
        (
            timedelta(seconds=5),
            timedelta(minutes=5),
            timedelta(minutes=30),
            timedelta(hours=2),
            timedelta(hours=5),
            timedelta(hours=10),
            timedelta(hours=14),
        )
    )
    jitter: float = promised(0.2)
    off_after: timedelta = promised(timedelta(days=3))
    former_secret: timedelta = promised(timedelta(days=1))
    # Deliveries of one webhook that are under way at once; one that fails is tried one at a time.
    at_once: int = assumed(8, owner="webhooks", settle_by=_SETTLE_BY)
    batch: int = assumed(32, owner="webhooks", settle_by=_SETTLE_BY)
    # After a failure the address rests as a whole: a thousand events must not knock at a closed door one after another.
    pause: timedelta = assumed(timedelta(seconds=5), owner="webhooks", settle_by=_SETTLE_BY)
    connect_s: float = assumed(3.0, owner="webhooks", settle_by=_SETTLE_BY)
    # A whole try: name, connection, TLS, request and the head of the answer.
    whole_s: float = promised(10.0)
    # More than a try and the commit after it.
    lease: timedelta = assumed(timedelta(seconds=60), owner="webhooks", settle_by=_SETTLE_BY)
    run: timedelta = assumed(
        timedelta(seconds=20), owner="webhooks", settle_by="how long other work waits for a worker"
    )
    answer_bytes: int = promised(4_096)
    # What a delivery keeps of its tries, for whoever mends the receiver.
    kept_tries: int = promised(20)
    kept_answer_chars: int = promised(500)
    text_chars: int = promised(4_000)
    sweep_every: timedelta = promised(timedelta(seconds=2))
    tenants_swept: int = assumed(100, owner="webhooks", settle_by="how many tenants have deliveries due at once")


WEBHOOKS = WebhookConfig()
