"""Measures calls through the proxy beside the same calls without it, in turns, over kept connections."""

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from lab.benchmarks.load.load_target import MeasuredStack, MeasurementRefused, describe_refusal, make_subject_path
from lab.benchmarks.load.timings import percentile
from lab.benchmarks.proxy.made_up_model import MODEL_HOST
from lab.benchmarks.worlds.sentences import make_questions
from snapshots.context.config import DEFAULT_CONTEXT

SUBJECT, TALK = "proxied", "measured"
WAIT_S = 30
DEFAULT_TOKENS = DEFAULT_CONTEXT.total - DEFAULT_CONTEXT.window
OFF = {"X-Memory": "off"}
ON = {"X-Subject-Id": SUBJECT, "X-Conversation-Id": TALK}


@dataclass(frozen=True, slots=True)
class ModelCaller:
    """One kept connection to an address that answers chat completions."""

    base_url: str
    headers: Mapping[str, str]
    connection: http.client.HTTPConnection

    @classmethod
    def connect(cls, base_url: str, headers: Mapping[str, str]) -> "ModelCaller":
        parts = urlsplit(base_url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=WAIT_S)
        return cls(base_url, {"Content-Type": "application/json", **headers}, connection)

    def call(self, words: str, *, is_streamed: bool) -> float:
        """Return the milliseconds until the first event of a stream, or until the end of another answer."""
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": words}]
        body = json.dumps({"model": "made-up", "stream": is_streamed, "messages": messages}).encode()
        path = f"{urlsplit(self.base_url).path}/chat/completions"
        began = time.perf_counter()
        self.connection.request("POST", path, body, dict(self.headers))
        answer = self.connection.getresponse()
        first = answer.readline() if is_streamed else answer.read()
        took = (time.perf_counter() - began) * 1_000
        rest = answer.read()
        if answer.status != http.client.OK or b"choices" not in first:
            raise MeasurementRefused(describe_refusal("POST", path, answer.status, first + rest))
        return took


@dataclass(frozen=True, slots=True)
class Overhead:
    """Milliseconds of the same calls by three ways, and of the same context over REST, in the order in which they were
    made."""

    direct: list[float]
    without_memory: list[float]
    with_memory: list[float]
    context_alone: list[float]

    def lines(self, name: str) -> Iterator[str]:
        floor = {share: percentile(self.direct, share) for share in (50, 95)}
        for way, values in (
            ("direct", self.direct),
            ("through the proxy, memory off", self.without_memory),
            ("through the proxy", self.with_memory),
            ("POST context alone", self.context_alone),
        ):
            p50, p95 = percentile(values, 50), percentile(values, 95)
            extra = f"+{p50 - floor[50]:.1f} / +{p95 - floor[95]:.1f} | {p50 / floor[50]:.1f}x"
            yield f"| {name} | {way} | {p50:.1f} | {p95:.1f} | {extra if values is not self.direct else '- | 1x'} |"


def measure_context(target: MeasuredStack, words: str, tokens: int) -> float:
    """Return the milliseconds of a context of the same size over REST."""
    body = {"query": words, "conversation_id": TALK, "budget": {"total": tokens, "window": 0}}
    began = time.perf_counter()
    target.send_request("POST", f"{make_subject_path(SUBJECT)}/context", body)
    return (time.perf_counter() - began) * 1_000


@contextmanager
def start_made_up_model() -> Iterator[str]:
    """Serve a model in a process of its own; yield its address."""
    command = [sys.executable, "-m", "lab.benchmarks.proxy.made_up_model"]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 -- a program of this package
    try:
        assert program.stdout is not None  # noqa: S101 -- for the type: it is a pipe
        yield f"http://{MODEL_HOST}:{program.stdout.readline().strip()}/v1"
    finally:
        program.communicate()


def prepare_subject(target: MeasuredStack, texts: list[str]) -> None:
    """Post the subject's messages; let nothing be learned of the measured talk."""
    at = f"{make_subject_path(SUBJECT)}/conversations"
    target.post_texts(SUBJECT, texts)
    target.send_request("POST", f"{at}/{TALK}/messages", {"messages": [{"role": "user", "content": "Hello."}]})
    target.send_request("PATCH", f"{at}/{TALK}", {"remember": False})


@dataclass(frozen=True, slots=True)
class CallPlan:
    """``calls`` by each way, with a pause before each as between the turns of a talk. ``warm`` ones before them are not
    counted: they open connections and fill caches. ``tokens``: how many the memory may have."""

    calls: int = 250
    pause_s: float = 0.05
    is_streamed: bool = False
    warm: int = 10
    tokens: int | None = None


def measure_overhead(
    target: MeasuredStack, upstream: str, plan: CallPlan, *, advance: Callable[[int], object]
) -> Overhead:
    """Make the calls of a plan by each way in turns. Raises MeasurementRefused."""
    proxy, key = f"http://{target.host}:{target.port}/compat/openai/v1", {"Authorization": f"Bearer {target.key}"}
    ways = [
        ModelCaller.connect(upstream, {}),
        ModelCaller.connect(proxy, key | OFF),
        ModelCaller.connect(proxy, key | ON | ({"X-Memory-Tokens": str(plan.tokens)} if plan.tokens else {})),
    ]
    asked, taken = make_questions(1), ([], [], [], [])  # type: ignore[var-annotated]  # four lists of milliseconds
    for number in range(plan.warm + plan.calls):
        for way, values in zip(ways, taken, strict=False):
            time.sleep(plan.pause_s)
            took = way.call(f"{next(asked)} {number}", is_streamed=plan.is_streamed)
            if number >= plan.warm:
                values.append(took)
        took = measure_context(target, f"{next(asked)} {number}", plan.tokens or DEFAULT_TOKENS)
        if number >= plan.warm:
            taken[-1].append(took)
        advance(1)
    return Overhead(*taken)
