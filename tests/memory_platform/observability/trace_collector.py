"""A collector of traces: real OTLP over HTTP on a real port, which keeps the spans that come."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pytest_django.fixtures import Settings

from memory_platform.observability.tracing import find_span_maker, send_collected_spans
from tests.model_server import QuietServer


@dataclass(frozen=True, slots=True)
class ReceivedSpan:
    """A span as it came; ids in hexadecimal, ``parent`` is empty for the first of a trace."""

    name: str
    kind: int
    trace: str
    id: str
    parent: str
    is_failed: bool
    events: int
    attributes: dict[str, Any]


@dataclass(slots=True)
class TraceCollector:
    """What arrived: whole bodies, and the spans in them."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    spans: list[ReceivedSpan] = field(default_factory=list)
    services: set[str] = field(default_factory=set)

    def receive(self, body: bytes) -> None:
        self.bodies.append(body)
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {one.key: one.value.string_value for one in of_resource.resource.attributes}
            self.services.add(named["service.name"])
            self.spans += [read_span(one) for scope in of_resource.scope_spans for one in scope.spans]

    def wait(self) -> None:
        """Have everything sent that has ended."""
        send_collected_spans()

    def find(self, name: str) -> list[ReceivedSpan]:
        return [one for one in self.spans if one.name == name]


def read_span(span: Any) -> ReceivedSpan:
    values = {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}
    ids = (span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex())
    return ReceivedSpan(span.name, span.kind, *ids, span.status.code == 2, len(span.events), values)


@contextmanager
def collect_traces(settings: Settings) -> Iterator[TraceCollector]:
    """Send this process's traces to a collector for the block."""
    collector = TraceCollector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.receive(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = QuietServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.005,), daemon=True).start()
    collector.url = f"http://127.0.0.1:{server.server_address[1]}"
    settings.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url
    find_span_maker.cache_clear()
    try:
        yield collector
    finally:
        find_span_maker.cache_clear()
        server.shutdown()
        server.server_close()
