"""The running stack under measurement: its address, the tenant's API key, and the requests that it receives."""

import http.client
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote, urlsplit

from lab.benchmarks.load.client import OK, WAIT_S
from lab.benchmarks.load.protocol import JsonObject
from memory_platform.kernel.errors import InvalidInput, Unavailable

SETTLE_S = 30.0
POLL_S = 0.01
TOP_K = 10
# Messages of one request.
BATCH = 50
# Of an answer that refuses: its reason is among them.
REASON_BYTES = 1_000

# Method, path, body.
RequestSpec = tuple[str, str, dict[str, Any] | None]


class MeasurementRefused(Unavailable):
    """The stack that is measured does not answer as it should."""

    code = "target_refused"


@dataclass(frozen=True, slots=True)
class MeasuredStack:
    """A running stack's address, and a key of the tenant that is asked."""

    host: str
    port: int
    key: str

    def make_order(self, asks: Sequence[RequestSpec], seconds: float | None) -> JsonObject:
        return {"kind": "http", **asdict(self), "asks": list(asks), "seconds": seconds}

    def send_request(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request outside of any measurement; return the answer's body. Raises MeasurementRefused."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=WAIT_S)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            answer = connection.getresponse()
            said = answer.read()
        except (OSError, http.client.HTTPException) as gone:
            raise MeasurementRefused(
                f"{self.host}:{self.port} does not answer ({type(gone).__name__}): name the stack's address with --base"
            ) from None
        finally:
            connection.close()
        if answer.status not in OK:
            raise MeasurementRefused(describe_refusal(method, path, answer.status, said))
        return json.loads(said) if said else None

    def post_message(self, subject: str, conversation: str, text: str) -> float:
        """Post one message and wait until its work is done; return the milliseconds from its acceptance until then."""
        path = f"{make_subject_path(subject)}/conversations/{quote(conversation, safe='')}/messages"
        self.send_request("POST", path, {"messages": [{"role": "user", "content": text}]})
        accepted = monotonic()
        while self.send_request("GET", f"{make_subject_path(subject)}/pending")["pending"]:
            if monotonic() - accepted > SETTLE_S:
                raise MeasurementRefused(f"a message was not worked on within {SETTLE_S:.0f} s")
            sleep(POLL_S)
        return (monotonic() - accepted) * 1000

    def post_texts(self, subject: str, texts: Sequence[str]) -> None:
        """Post messages of the past, each once however often the same texts are posted."""
        path = f"{make_subject_path(subject)}/conversations/past/messages"
        for start in range(0, len(texts), BATCH):
            said = [
                {"role": "user", "content": text, "message_id": f"m{start + place}"}
                for place, text in enumerate(texts[start : start + BATCH])
            ]
            self.send_request("POST", path, {"messages": said})

    def delete_conversation(self, subject: str, conversation: str) -> None:
        self.send_request("DELETE", f"{make_subject_path(subject)}/conversations/{quote(conversation, safe='')}")


def describe_refusal(method: str, path: str, status: int, body: bytes) -> str:
    """Return what was refused, and the reason that the answer tells."""
    return f"{method} {path.rpartition('/')[2]} answered {status}: {body[:REASON_BYTES].decode(errors='replace')}"


def parse_target(base: str, key: str) -> MeasuredStack:
    """Return the target at ``http://host:port``. Raises InvalidInput for anything else."""
    parts = urlsplit(base)
    if parts.scheme != "http" or not parts.hostname or parts.path.strip("/"):
        raise InvalidInput(f"{base!r} is no address such as http://127.0.0.1:8000")
    return MeasuredStack(parts.hostname, parts.port or http.client.HTTP_PORT, key)


def make_subject_path(subject: str) -> str:
    return f"/v1/subjects/{quote(subject, safe='')}"


def make_recall_request(subject: str, question: str) -> RequestSpec:
    return "POST", f"{make_subject_path(subject)}/recall", {"query": question, "top_k": TOP_K}


def make_context_request(subject: str, question: str) -> RequestSpec:
    return "POST", f"{make_subject_path(subject)}/context", {"query": question}
