"""One trace goes from the caller through the web and the queue to the worker, and holds no words. Rows: D5, D13."""

import os
import subprocess
import sys
from typing import Any
from uuid import UUID

import pytest
from pytest_django.fixtures import Settings

from memory_platform.observability.tracing import find_span_maker, open_span
from snapshots.jobs import drain_work_job
from snapshots.models import Job, JobKind, Work, WorkKind
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.requested_jobs import add_job, finish_job, run_due_jobs
from snapshots.scheduled_job_registry import COUNT, run_maintenance_job
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.observability.trace_collector import ReceivedSpan, TraceCollector
from tests.snapshots.queue.world import AT_ONCE, handlers, post_messages, raising

CANARY, PERSON = "kestrel4711", "osprey0815"
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{CALLER}-01"
INTERNAL, SERVER, CONSUMER = 1, 2, 5
MESSAGES = "v1/subjects/<product_id:subject_id>/conversations/<product_id:conversation_id>/messages"


def say(caller: Caller, name: str, trace_parent: str = PARENT) -> None:
    said = {"messages": [{"role": "user", "content": f"I am allergic to {CANARY} nuts."}]}
    answer = caller("POST", f"/v1/subjects/{PERSON}/conversations/{name}/messages", said, traceparent=trace_parent)
    assert answer.status_code == 202


def find_one(collector: TraceCollector, name: str) -> ReceivedSpan:
    (span,) = collector.find(name)
    return span


def test_a_trace_goes_from_the_caller_through_the_worker(world: World, collector: TraceCollector) -> None:
    say(Caller(world.acme), "talk")
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    collector.wait()
    served, stored = find_one(collector, f"POST {MESSAGES}"), find_one(collector, "upsert_memory")
    assert (served.kind, served.trace, served.parent) == (SERVER, TRACE, CALLER)
    assert served.attributes == {
        "http.request.method": "POST",
        "http.route": MESSAGES,
        "http.response.status_code": 202,
        "memory_platform.tenant.id": str(world.acme.tenant.id),
    }
    assert (stored.kind, stored.trace, stored.parent) == (INTERNAL, TRACE, served.id)
    assert stored.attributes["gen_ai.operation.name"] == "upsert_memory"
    assert stored.attributes["gen_ai.memory.record.count"] == 1
    for kind in ("statement", "extract"):
        done = find_one(collector, f"process {kind}")
        assert (done.kind, done.trace, done.parent) == (CONSUMER, TRACE, stored.id)
        assert done.attributes["messaging.batch.message_count"] == 1
    assert collector.services == {"memory-platform"}
    assert not any(word.encode() in body for body in collector.bodies for word in (CANARY, PERSON, "talk"))


def test_recall_and_context_are_searches_of_a_memory(world: World, collector: TraceCollector) -> None:
    caller = Caller(world.acme)
    say(caller, "talk")
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    collector.wait()
    collector.spans.clear()
    for call in ("recall", "context"):
        caller("POST", f"/v1/subjects/{PERSON}/{call}", {"query": f"{CANARY} nuts?"}, traceparent=PARENT)
    collector.wait()
    for call, search in zip(("recall", "context"), collector.find("search_memory"), strict=True):
        served = find_one(collector, f"POST v1/subjects/<product_id:subject_id>/{call}")
        assert (search.trace, search.parent, served.parent) == (TRACE, served.id, CALLER)
        assert search.attributes["gen_ai.memory.record.count"] >= 1
        assert search.attributes["gen_ai.memory.store.id"] not in {"", PERSON}
    assert not any(word.encode() in body for body in collector.bodies for word in (CANARY, PERSON))


def test_a_batch_of_several_requests_is_in_the_trace_of_each(world: World, collector: TraceCollector) -> None:
    other = PARENT.replace("0af7", "1af7")
    say(Caller(world.acme), "one")
    say(Caller(world.acme), "two", other)
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    collector.wait()
    assert {span.trace for span in collector.find("process statement")} == {TRACE, other[3:35]}


def test_a_requested_job_goes_on_with_the_request_s_trace(world: World, collector: TraceCollector) -> None:
    tenant_id = world.acme.tenant.id
    with open_span("request", {}), tenant_tx(tenant_id):
        add_job(JobKind.DOCUMENT, {"document": "d1"})

    def finish(_: UUID, job: Job) -> None:
        with tenant_tx(tenant_id):
            finish_job(job, {})

    assert run_due_jobs(tenant_id, {JobKind.DOCUMENT: finish}, may_go_on=lambda: True) == 1
    collector.wait()
    asked, done = find_one(collector, "request"), find_one(collector, "process document")
    assert (done.kind, done.trace, done.parent, done.is_failed) == (CONSUMER, asked.trace, asked.id, False)


def test_a_scheduled_job_is_one_trace(world: World, collector: TraceCollector) -> None:
    assert run_maintenance_job(COUNT)
    collector.wait()
    done = find_one(collector, "job count-embedding-spaces")
    assert (done.kind, done.parent) == (INTERNAL, "")


@pytest.mark.parametrize("sent", ["", "x" * 5_000, "00-0-0-01", f"00-{'0' * 32}-{CALLER}-01", "\u00e4"])
def test_what_is_no_trace_context_begins_a_trace(world: World, collector: TraceCollector, sent: str) -> None:
    say(Caller(world.acme), "talk", sent)
    collector.wait()
    served = find_one(collector, f"POST {MESSAGES}")
    assert (served.parent, len(served.trace)) == ("", 32)


def test_a_failure_is_marked_without_its_message(world: World, collector: TraceCollector) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 1)
    broken = raising(lambda _: True, LookupError(CANARY))
    drain_work(world.acme.tenant.id, handlers(broken, WorkKind.STATEMENT), config=AT_ONCE)
    with pytest.raises(LookupError), open_span("block", {}):
        raise LookupError(CANARY)
    collector.wait()
    failed = [*collector.find("process statement"), *collector.find("block")]
    assert len(failed) >= 2
    assert all(span.is_failed and not span.events for span in failed)
    assert not any(CANARY.encode() in body for body in collector.bodies)


def test_requests_are_served_while_the_collector_is_away(world: World, settings: Settings) -> None:
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:9"
    find_span_maker.cache_clear()
    say(Caller(world.acme), "talk")
    find_span_maker.cache_clear()


def test_work_names_no_trace_while_traces_are_off(world: World) -> None:
    say(Caller(world.acme), "talk")
    with tenant_tx(world.acme.tenant.id):
        assert set(Work.objects.values_list("trace_parent", flat=True)) == {None}


@pytest.mark.slow
@pytest.mark.processes
def test_nothing_is_imported_while_traces_are_off() -> None:
    """Of the SDK, redis-py imports a part wherever it finds it."""
    program = (
        "import sys, django; django.setup(); import snapshots.jobs, memory_platform.urls; "
        "from memory_platform.observability.tracing import open_span, find_trace_parent\n"
        "with open_span('x', {}): assert find_trace_parent() is None\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry.exporter') or name.endswith('.otlp')])"
    )
    given: dict[str, Any] = {
        "DATABASE_URL": "postgresql://app@/checks", "DATABASE_OWNER_URL": "postgresql://owner@/checks",
        "REDIS_URL": "unix:///nowhere", "CELERY_BROKER_URL": "redis+socket:///nowhere",
        "SECRET_KEY": "x" * 40, "KEY_PEPPER": "x" * 40, "DJANGO_SETTINGS_MODULE": "memory_platform.settings",
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | given, capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.returncode) == ("[]\n", 0), ran.stderr
