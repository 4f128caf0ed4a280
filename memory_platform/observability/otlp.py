"""Spans that are sent as OTLP over HTTP. Imported while traces are on; needs the packages of the group ``tracing``.

Sampling, headers of the exporter and the like come from OpenTelemetry's own variables (``OTEL_TRACES_SAMPLER``,
``OTEL_EXPORTER_OTLP_HEADERS``).
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Self

from opentelemetry.context import Context, get_current
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from memory_platform.observability.linked_traces_limit import TRACING
from memory_platform.observability.open_span import OpenSpan

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
                opened.fail(name_error(error))
                raise

    def open_tool(
        self, name: str, sent: Mapping[str, object], attributes: Mapping[str, object]
    ) -> AbstractContextManager[OpenSpan]:
        return self.open(name, attributes, kind=SpanKind.SERVER, context=read_context(sent, get_current()))

    def open_client(self, name: str, attributes: Mapping[str, object]) -> AbstractContextManager[OpenSpan]:
        return self.open(name, attributes, kind=SpanKind.CLIENT)

    def open_server(self, headers: Mapping[str, str]) -> AbstractContextManager[OpenSpan]:
        return self.open("request", {}, kind=SpanKind.SERVER, context=read_context(headers))

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


def name_error(error: Exception) -> str:
    """Return the kind of a model's failure, such as ``timeout``, else the error's class. Never its message."""
    return str(getattr(error, "failure", "") or type(error).__name__)


def read_context(sent: Mapping[str, object], otherwise: Context | None = None) -> Context:
    """Return the trace that the W3C's two headers name; others are not looked at."""
    values = {name: sent.get(name) for name in (TRACE_PARENT, "tracestate")}
    return W3C.extract({name: value for name, value in values.items() if value and isinstance(value, str)}, otherwise)
