"""The addresses of OpenAI's API that go on to the tenant's model endpoint."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from http import HTTPStatus
from typing import Any, ClassVar

import httpx
import orjson
from django.db import connection
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE, EveryScopePermission
from memory_platform.api.views.base_views import OpenView, TenantView
from memory_platform.compat.openai.answer_relays import AfterAnswer, StreamedAnswer, UnreadAnswer, WholeAnswer
from memory_platform.compat.openai.call_memory import (
    DEGRADED,
    NO_MEMORY,
    CallMemory,
    MemoryStatus,
    make_call_memory,
)
from memory_platform.compat.openai.call_settings import CallSettings, parse_call_settings
from memory_platform.compat.openai.config import PROXY
from memory_platform.compat.openai.forms.dialects import CHAT, RESPONSES, Dialect
from memory_platform.compat.openai.forms.spoken_items import ModelReply
from memory_platform.compat.openai.openai_errors import answer_in_openai_form
from memory_platform.compat.openai.request_body import CallBody, CallBodyParser, parse_call_body
from memory_platform.compat.openai.turn_message_ids import CallTurn, derive_conversation, make_turn
from memory_platform.compat.openai.turn_store import HeardTurn, store_turn
from memory_platform.compat.openai.upstream_calls import (
    OPEN_CALLS,
    OutgoingCall,
    choose_answer_headers,
    is_compressed,
    open_answer,
    read_whole_body,
)
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.observability import tracing
from memory_platform.observability.metrics import PROXY_CALLS
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx
from tenants.models import Upstream
from tenants.services.upstreams.upstreams import find_upstream
from tenants.services.usage.quotas import reserve_messages

RECEIPT, STATUS = "X-Receipt-Id", "X-Memory-Status"
EVENT_STREAM, JSON = "text/event-stream", "application/json"
PATHS = "POST /chat/completions, POST /responses, GET /models and GET /models/{model}"


class ProxyView(TenantView):
    """A view whose calls go on, with errors in OpenAI's form. Whether the endpoint takes a body is not checked here."""

    schema = None
    noun = "openai"
    parser_classes = (CallBodyParser,)
    permission_classes = (EveryScopePermission,)
    body_limit = PROXY.body_bytes
    scopes: ClassVar[tuple[str, ...]] = (MEMORY_READ, MEMORY_WRITE)

    def get_exception_handler(self) -> Callable[[Exception, Any], Any]:
        return answer_in_openai_form

    def check_query(self, request: Request) -> None:
        """Accept any query: it goes on."""

    def forward_call(
        self, request: Request, upstream: Upstream, path: str, body: bytes | None, stack: ExitStack
    ) -> httpx.Response:
        """Send the call on and return the answer, unread. No connection to the database is held meanwhile."""
        release_connection()
        query = request._request.META.get("QUERY_STRING", "")
        call = OutgoingCall(str(request.method), f"{path}?{query}" if query else path, request.headers, body)
        answer = open_answer(upstream, call)
        stack.callback(answer.close)
        return answer


class TalkView(ProxyView):
    """A call of a model: memory goes in, and the turn is kept."""

    dialect: ClassVar[Dialect]

    def post(self, request: Request) -> HttpResponseBase:
        body = read_call_body(request)
        settings = parse_call_settings(request.headers, body.values)
        turn = make_turn(self.dialect.list_items(body.values)) if settings.has_memory else CallTurn()
        said_at = utc_now()
        with ExitStack() as stack:
            stack.enter_context(OPEN_CALLS.reserve_call())
            upstream, may_store = self.load_upstream(len(turn.current) + 1 if turn.items else 0)
            conversation_id = settings.conversation_id or derive_conversation(turn)
            release_connection()
            memory = self.find_memory(settings, conversation_id, turn, may_store)
            sent = body.raw
            if memory.text:
                sent = orjson.dumps(self.dialect.insert_memory(body.values, memory.text))
            # It ends when the answer begins. The model's name comes from the tenant, so that it is left out.
            with tracing.open_model_span(tracing.CHAT) as span:
                answer = self.forward_call(request, upstream, self.dialect.path, sent, stack)
                if answer.is_error:
                    span.fail(str(answer.status_code))
            heard = None
            if settings.has_memory and conversation_id and may_store and answer.status_code == HTTPStatus.OK:
                heard = HeardTurn(
                    self.caller,
                    settings.subject_id,
                    conversation_id,
                    turn,
                    memory,
                    said_at,
                    is_named=settings.conversation_id is not None,
                    is_retried=settings.retried,
                )
            response = self.relay_answer(answer, heard, stack)
        PROXY_CALLS.labels(outcome=memory.status).inc()
        response[STATUS] = str(memory.status)
        if memory.receipt_id:
            response[RECEIPT] = str(memory.receipt_id)
        return response

    def load_upstream(self, messages: int) -> tuple[Upstream, bool]:
        """Return the tenant's endpoint, and whether there is room for so many messages. Raises UpstreamMissing."""
        with tenant_tx(self.tenant_id):
            upstream = find_upstream()
            try:
                if messages:
                    reserve_messages(self.caller.limits, messages)
            except QuotaExceeded:
                return upstream, False
            return upstream, True

    def find_memory(
        self, settings: CallSettings, conversation_id: str | None, turn: CallTurn, may_store: bool
    ) -> CallMemory:
        if not settings.has_memory or not turn.question:
            return NO_MEMORY
        if not may_store:
            return DEGRADED
        return make_call_memory(self.caller, settings, conversation_id, turn.question)

    def relay_answer(self, answer: httpx.Response, heard: HeardTurn | None, stack: ExitStack) -> StreamingHttpResponse:
        """Return the response that passes the answer on. ``stack`` holds resources to release when it has gone out."""
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        headers = choose_answer_headers(answer)
        body: WholeAnswer | StreamedAnswer
        if kind == EVENT_STREAM and not is_compressed(answer):
            headers |= {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
            body = StreamedAnswer(answer, self.dialect.listen(), make_turn_keeper(heard, stack.pop_all()))
        elif kind == EVENT_STREAM or is_compressed(answer):
            body = UnreadAnswer(answer, self.dialect.listen(), make_turn_keeper(heard, stack.pop_all()))
        else:
            whole = read_whole_body(answer)
            headers["Content-Length"] = str(len(whole))
            reply = read_reply(self.dialect, whole) if heard else None
            body = WholeAnswer(whole, reply, make_turn_keeper(heard, stack.pop_all()))
        return respond(answer.status_code, headers, body)


class ChatCompletionsView(TalkView):
    dialect = CHAT


class ResponsesView(TalkView):
    dialect = RESPONSES


class ModelsView(ProxyView):
    """The endpoint's models. Nothing is put in, and nothing kept."""

    scopes = (MEMORY_READ,)

    def get(self, request: Request, model: str = "") -> HttpResponseBase:
        path = f"/models/{model}" if model else "/models"
        with ExitStack() as stack:
            stack.enter_context(OPEN_CALLS.reserve_call())
            with tenant_tx(self.tenant_id):
                upstream = find_upstream()
            answer = self.forward_call(request, upstream, path, None, stack)
            whole, headers = read_whole_body(answer), choose_answer_headers(answer)
        headers |= {"Content-Length": str(len(whole)), STATUS: str(MemoryStatus.OFF)}
        return respond(answer.status_code, headers, WholeAnswer(whole, None, lambda reply: None))


class UnknownPathView(OpenView):
    """Every other address below the proxy."""

    schema = None
    parser_classes = (CallBodyParser,)

    def get_exception_handler(self) -> Callable[[Exception, Any], Any]:
        return answer_in_openai_form

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound(f"The proxy has no such address. It answers {PATHS}.")


def read_call_body(request: Request) -> CallBody:
    """Return the parsed body. Raises InvalidInput for a request without one."""
    data: Any = request.data
    return data if isinstance(data, CallBody) else parse_call_body(b"")


def read_reply(dialect: Dialect, whole: bytes) -> ModelReply | None:
    try:
        return dialect.read_answer(orjson.loads(whole))
    except orjson.JSONDecodeError:
        return None


def make_turn_keeper(heard: HeardTurn | None, stack: ExitStack) -> AfterAnswer:
    """Return the function to run when an answer has gone out: keep the turn, then give the call's place to another
    one."""
    # The request's span has ended by then; the turn is a part of its trace all the same.
    trace_parent = tracing.find_trace_parent()

    def after(reply: ModelReply | None) -> None:
        with stack:
            if heard is not None:
                tenant = {tracing.TENANT: heard.caller.tenant_id}
                with tracing.open_work_span("process turn", [trace_parent], tenant):
                    store_turn(heard, reply)

    return after


def respond(status: int, headers: Mapping[str, str], body: WholeAnswer | StreamedAnswer) -> StreamingHttpResponse:
    kind = headers.get("content-type", JSON)
    others = {name: value for name, value in headers.items() if name.lower() != "content-type"}
    return StreamingHttpResponse(body, status=status, headers=others, content_type=kind)


def release_connection() -> None:
    """Give the connection to the database back to the pool: a model may take minutes to answer."""
    if not connection.in_atomic_block:
        connection.close()
