"""The operator's page of the models that are called over a network: their purposes, their last calls, a test."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from memory_platform.console.log_in.platform_log import record_platform_act
from memory_platform.console.shared.custom_pages import is_operator, render_console_page, require_permission
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.status_badges import BAD, GOOD, QUIET, WARNING, StatusBadge
from memory_platform.console.shared.support_session_guard import mark_impersonal
from memory_platform.console.shared.tenant_access import mark_scopeless
from memory_platform.console.shared.tenant_switch_guard import mark_tenantless_form
from memory_platform.env.environment import split_list
from memory_platform.kernel.clock import utc_now
from memory_platform.providers.endpoint_list import (
    CACHE_PREFIXES,
    EMBED,
    REMOTE_EMBEDDERS,
    RERANK,
    CallResult,
    ConfiguredEndpoint,
    call_endpoint,
    list_configured_endpoints,
    list_routes,
)
from memory_platform.providers.endpoints.endpoint_health import EndpointHealth, read_health
from tenants.models import ModelPurpose

PURPOSE_LABELS: dict[str, Any] = {
    **dict(ModelPurpose.choices),
    EMBED: gettext_lazy("embed"),
    RERANK: gettext_lazy("rerank"),
    CACHE_PREFIXES: gettext_lazy("cache prefixes"),
}
FAILURE_LABELS = {
    "timeout": gettext_lazy("no answer in time"),
    "unreachable": gettext_lazy("unreachable"),
    "overloaded": gettext_lazy("overloaded (429)"),
    "broken": gettext_lazy("server error (5xx)"),
    "denied": gettext_lazy("access denied: check the API key"),
    "gone": gettext_lazy("not found"),
    "refused": gettext_lazy("request refused (400)"),
    "redirected": gettext_lazy("redirected: check the address"),
    "too_large": gettext_lazy("answer too large"),
    "wrong_answer": gettext_lazy("not an answer of such a model"),
    "wrong_dimension": gettext_lazy("vectors of another length"),
    "invalid_output": gettext_lazy("answer in the wrong form"),
}
FAILING_FROM = 2
LOCAL_MODELS = {
    "wordllama": gettext_lazy("WordLlama, for English"),
    "use": gettext_lazy("Universal Sentence Encoder, for Chinese and all other languages"),
}


@dataclass(frozen=True, slots=True)
class EndpointLine:
    """One endpoint of the page. Times are how long ago, as HTML."""

    endpoint: ConfiguredEndpoint
    purposes: str
    badge: StatusBadge
    p50: str
    p95: str
    calls: int
    succeeded: str
    failed: str
    failure: Any


@mark_tenantless_form
@mark_scopeless
@mark_impersonal
@require_http_methods(["GET", "HEAD", "POST"])
def show_model_endpoints(request: HttpRequest) -> HttpResponse:
    """Show the endpoints; on POST, call one of them. A model is called without an open scope."""
    require_permission(is_operator, request)
    if request.method == "POST":
        return _test_endpoint(request, request.POST.get("endpoint", ""))
    return render_console_page(
        request,
        "console/operation/model_endpoints.html",
        _("Models"),
        lines=[_describe_endpoint(endpoint) for endpoint in list_configured_endpoints()],
        routes=[(PURPOSE_LABELS[purpose], name) for purpose, name in list_routes().items()],
        has_chat=any(list_routes().values()),
        local=[
            (name, LOCAL_MODELS.get(name, ""))
            for name in split_list(settings.EMBEDDER)
            if name.partition(":")[0] not in REMOTE_EMBEDDERS
        ],
        reranker=settings.RERANKER,
    )


def _test_endpoint(request: HttpRequest, name: str) -> HttpResponse:
    result = call_endpoint(name)
    if result is None:
        raise Http404
    by: Any = request.user
    text = _describe_result(name, result)
    record_platform_act(by, name, f"Test call: {'answered' if result.is_ok else 'failed'} in {result.ms} ms")
    messages.add_message(request, messages.SUCCESS if result.is_ok else messages.ERROR, text)
    return redirect("admin:endpoints")


def _describe_result(name: str, result: CallResult) -> str:
    if result.is_ok:
        return _("Test call: %(name)s answered in %(ms)s ms.") % {"name": name, "ms": f"{result.ms:,}"}
    return _("Test call: %(name)s gave no usable answer. The last failure is below.") % {"name": name}


def _describe_endpoint(endpoint: ConfiguredEndpoint) -> EndpointLine:
    health = read_health(endpoint.identity)
    known = health or EndpointHealth()
    return EndpointLine(
        endpoint=endpoint,
        purposes=", ".join(str(PURPOSE_LABELS[purpose]) for purpose in endpoint.purposes) or _("none"),
        badge=get_health_badge(health),
        p50=_format_ms(known.percentile_ms(0.5)),
        p95=_format_ms(known.percentile_ms(0.95)),
        calls=len(known.latencies_ms),
        succeeded=render_time_ago(known.succeeded_at),
        failed=render_time_ago(known.failed_at),
        failure=FAILURE_LABELS.get(known.failure, known.failure),
    )


def get_health_badge(health: EndpointHealth | None) -> StatusBadge:
    """Return in a word how an endpoint is. ``health``: None while Redis does not tell."""
    if health is None:
        return StatusBadge(_("not known: Redis does not answer"), WARNING)
    if health.succeeded_at is None and health.failed_at is None:
        return StatusBadge(_("not called in seven days"), QUIET)
    if health.paused_until is not None and health.paused_until > utc_now():
        return StatusBadge(_("circuit open"), BAD)
    if health.failures >= FAILING_FROM:
        return StatusBadge(_("failing"), BAD)
    return StatusBadge(_("last call failed"), WARNING) if health.failures else StatusBadge(_("healthy"), GOOD)


def _format_ms(ms: int | None) -> str:
    return "-" if ms is None else f"{ms:,} ms"
