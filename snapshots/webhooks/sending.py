"""Send one message to a receiver: only to public addresses, never on to another one, within a whole limit of time.

The connection is opened for this message alone: its address is checked then, and it cannot outlive its limit,
however slowly the receiver drips.
"""

import time
from dataclasses import dataclass

import httpcore
import httpx
from httpx import codes

from memory_platform.kernel.release import RELEASE
from memory_platform.providers.endpoints.checked_connections import AddressRefused, CheckedClient
from snapshots.webhooks.claims import DeliveryOutcome
from snapshots.webhooks.config import WEBHOOKS
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
    _read_a_little(answer)
    return _judge_status(answer.status_code)


def _judge_status(status: int) -> DeliveryOutcome:
    if codes.is_success(status):
        return DeliveryOutcome(status)
    return DeliveryOutcome(status, "redirected" if codes.is_redirect(status) else "refused")


def _read_a_little(answer: httpx.Response) -> None:
    """Read the body to a small length, so that a receiver that is still writing does not see an error; then hang up."""
    read, until = 0, time.monotonic() + 1
    try:
        for piece in answer.iter_raw():
            read += len(piece)
            if read > WEBHOOKS.answer_bytes or time.monotonic() > until:
                break
    except (httpx.HTTPError, httpx.StreamError, OSError):
        pass  # the status has come, and it is all that counts
    finally:
        answer.close()
