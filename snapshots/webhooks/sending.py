"""Send one message to a receiver: only to public addresses, never on to another one, within a whole limit of time.

The connection is opened for this message alone: its address is checked then, and it cannot outlive its limit,
however slowly the receiver drips.
"""

import time
from dataclasses import dataclass, replace

import httpcore
import httpx
from httpx import codes

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.release import RELEASE
from memory_platform.providers.endpoints.checked_connections import AddressRefused, CheckedClient
from snapshots.webhooks.config import WEBHOOKS
from snapshots.webhooks.delivery_claims import DeliveryOutcome
from tenants.services.upstreams.allowed_urls import is_allowed_host

USER_AGENT = f"memory-platform-webhooks/{RELEASE}"
CLIENT = CheckedClient(is_allowed_host, kept=0, kept_s=0, most_s=WEBHOOKS.whole_s)


@dataclass(frozen=True, slots=True)
class SignedMessage:
    """One request, ready to be sent."""

    url: str
    headers: dict[str, str]
    body: bytes


def send_message(message: SignedMessage) -> DeliveryOutcome:
    """Post a message; never raises for a receiver's fault. A status 2xx is a success, all else is a failure."""
    began_at, began = utc_now(), time.monotonic()
    outcome = _post(message)
    return replace(outcome, began_at=began_at, took_ms=round((time.monotonic() - began) * 1_000))


def _post(message: SignedMessage) -> DeliveryOutcome:
    headers = {**message.headers, "content-type": "application/json", "user-agent": USER_AGENT}
    waits = {"connect": WEBHOOKS.connect_s, "pool": 1, "write": WEBHOOKS.whole_s, "read": WEBHOOKS.whole_s}
    client = CLIENT.get()
    try:
        request = client.build_request(
            "POST", message.url, headers=headers, content=message.body, extensions={"timeout": waits}
        )
        answer = client.send(request, stream=True)
    except AddressRefused:
        return DeliveryOutcome(0, "private_address")
    except httpx.TimeoutException:
        return DeliveryOutcome(0, "timeout")
    except (httpx.HTTPError, httpx.InvalidURL, httpcore.NetworkError, OSError):
        return DeliveryOutcome(0, "connection_failed")
    return _judge_status(answer.status_code, _read_a_little(answer))


def _judge_status(status: int, body: bytes) -> DeliveryOutcome:
    if codes.is_success(status):
        return DeliveryOutcome(status)
    # Postgres refuses NUL.
    words = body.decode("utf-8", "replace").replace("\x00", "").strip()[: WEBHOOKS.kept_answer_chars]
    return DeliveryOutcome(status, "redirected" if codes.is_redirect(status) else "refused", words)


def _read_a_little(answer: httpx.Response) -> bytes:
    """Return the beginning of the body. It is read at all so that a receiver that is still writing does not see an
    error; then hang up."""
    body, until = b"", time.monotonic() + 1
    try:
        for piece in answer.iter_raw():
            body += piece
            if len(body) > WEBHOOKS.answer_bytes or time.monotonic() > until:
                break
    except (httpx.HTTPError, httpx.StreamError, OSError):
        pass  # the status has come, and it is all that counts
    finally:
        answer.close()
    return body[: WEBHOOKS.answer_bytes]
