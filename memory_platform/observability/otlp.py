"""Spans that are sent as OTLP over HTTP. Imported while traces are on; needs the packages of the group ``tracing``.

Sampling, headers of the exporter and the like come from OpenTelemetry's own variables (``OTEL_TRACES_SAMPLER``,
``OTEL_EXPORTER_OTLP_HEADERS``).
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Self

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from memory_platform.observability.config import TRACING
from memory_platform.observability.spans import OpenSpan

SERVICE = "memory-platform"
TRACE_PARENT = "traceparent"
TRACES = "/v1/traces"
W3C = TraceContextTextMapPropagator()


class SpanMaker:
    """Opens spans, and sends those that ended in a thread of its own. Nobody waits for a collector that is away."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer: Tracer = provider.get_tracer("memory_platform")

    @classmethod
    def connect(cls, endpoint: str) -> Self:
        """Return a maker for a collector's address, before ``/v1/traces``. OTEL_SERVICE_NAME goes before our name."""
        resource = Resource.create()
        if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
            resource = resource.merge(Resource({"service.name": SERVICE}))
        provider = TracerProvider(resource=resource)
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint.rstrip("/") + TRACES)))
        return cls(provider)

    @contextmanager
    def open(
        self,
        name: str,
        attributes: Mapping[str, object],
        *,
        kind: SpanKind = SpanKind.INTERNAL,
        context: Context | None = None,
    ) -> Iterator[OpenSpan]:
        # The library would record an exception with its message, which may hold content.
        with self._tracer.start_as_current_span(
            name, context=context, kind=kind, record_exception=False, set_status_on_exception=False
        ) as span:
            opened = OpenSpan(span)
            opened.describe(attributes)
            try:
                yield opened
            except Exception as error:
                opened.fail(type(error).__name__)
                raise

    def open_server(self, headers: Mapping[str, str]) -> Any:
        return self.open("request", {}, kind=SpanKind.SERVER, context=W3C.extract(read_trace_headers(headers)))

    @contextmanager
    def open_work(
        self, name: str, parents: Iterable[str | None], attributes: Mapping[str, object]
    ) -> Iterator[OpenSpan]:
        """Spans opened within are a part of the first trace; in the others the span stands alone."""
        first, *others = sorted({one for one in parents if one})[: TRACING.parents] or [""]
        with ExitStack() as stack:
            for parent in (*others, first):
                context = W3C.extract({TRACE_PARENT: parent}, Context())
                opened = stack.enter_context(self.open(name, attributes, kind=SpanKind.CONSUMER, context=context))
            yield opened

    def find_parent(self) -> str | None:
        carrier: dict[str, str] = {}
        W3C.inject(carrier)
        return carrier.get(TRACE_PARENT)

    def flush(self) -> None:
        self._provider.force_flush()


def read_trace_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the two headers of the W3C's trace context; others are not looked at."""
    found = {name: headers.get(name) for name in (TRACE_PARENT, "tracestate")}
    return {name: value for name, value in found.items() if value}
