"""A running stack, spoken to as a product does: lives are told turn by turn, then each question is asked."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx

from lab.evaluation.contexts.lives import Life, LifeQuestion, LifeSession
from memory_platform.kernel.errors import Unavailable

SYSTEM = "You are a helpful assistant."
WAIT_S = 60.0
SETTLE_S = 120.0
POLL_S = 0.1
TRIES = 8
BATCH = 50
NOISE = "noise-"
TOO_MANY = 429


class StackRefused(Unavailable):
    """The stack does not answer, or answers with an error."""

    code = "stack_refused"


class Stack:
    """One tenant's key at one address."""

    def __init__(self, base: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx.Client(base_url=base.rstrip("/"), headers=headers, timeout=WAIT_S, follow_redirects=False)

    def post_life(self, life: Life, *, advance: Callable[[int], object]) -> None:
        """Post the missing messages, end each conversation, and wait for the workers. Raises StackRefused."""
        for session in life.sessions:
            self._post(life, session, advance=advance)
            self._wait_for_pending_work(life)

    def fetch_context(self, life: Life, question: LifeQuestion, budget: int) -> str:
        """Return a context's text without the system prompt and the question. Raises StackRefused."""
        body = {
            "query": question.query,
            "conversation_id": f"curve-{question.id}",
            "system_prompt": SYSTEM,
            "budget": {"total": budget},
            "at": question.at,
        }
        messages = [
            str(one["content"] or "") for one in self._call("POST", _make_path(life, "context"), body)["messages"]
        ]
        first, rest = messages[0].replace(SYSTEM, ""), messages[1:]
        if rest and rest[-1].strip() == question.query.strip():
            rest = rest[:-1]
        return "\n".join([first, *rest])

    def _post(self, life: Life, session: LifeSession, *, advance: Callable[[int], object]) -> None:
        size = BATCH if session.id.startswith(NOISE) else 1
        where = _make_path(life, "conversations", session.id)
        for start in range(0, len(session.messages), size):
            part = session.messages[start : start + size]
            self._call("POST", f"{where}/messages", {"messages": part})
            advance(len(part))
        self._call("POST", f"{where}/end", {})

    def _wait_for_pending_work(self, life: Life) -> None:
        ends = time.monotonic() + SETTLE_S
        while self._call("GET", _make_path(life, "pending"))["pending"]:
            if time.monotonic() > ends:
                raise StackRefused(f"work is still pending after {SETTLE_S:.0f} s: do the stack's workers run?")
            time.sleep(POLL_S)

    def _call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        for _ in range(TRIES):
            try:
                answer = self._client.request(method, path, json=body)
            except httpx.TransportError as fault:
                told = f"{self._client.base_url} does not answer ({type(fault).__name__}): name the stack with --base"
                raise StackRefused(told) from None
            if answer.status_code != TOO_MANY:
                break
            time.sleep(float(answer.headers.get("Retry-After") or 1))
        if answer.is_error:
            raise StackRefused(f"{method} answered {answer.status_code} {_get_error_code(answer)}")
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found


def _make_path(life: Life, *parts: str) -> str:
    return "/".join(["/v1/subjects", *(quote(part, safe="") for part in (life.subject_id, *parts))])


def _get_error_code(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["code"])
    except (ValueError, KeyError, TypeError):
        return "without a code"
