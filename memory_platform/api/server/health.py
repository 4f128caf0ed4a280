"""Health and metrics for load balancers and Prometheus: no key, no tenant."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from prometheus_client import CONTENT_TYPE_LATEST
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.policy import POLICY
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base import OpenView
from memory_platform.observability import health
from memory_platform.observability.health import Check, ProbeOutcome
from memory_platform.observability.metrics import exposition, refresh_with
from memory_platform.providers.registry import embedders
from memory_platform.providers.warm_up import is_ready
from snapshots.queue.figures.gauges import show_queue


class LiveOutput(Output):
    """The process runs."""

    status = serializers.ChoiceField(choices=["ok"])


class ChecksOutput(Output):
    """One outcome for each part."""

    postgres = serializers.ChoiceField(choices=[str(outcome) for outcome in ProbeOutcome])
    redis = serializers.ChoiceField(choices=[str(outcome) for outcome in ProbeOutcome])
    embedding = serializers.ChoiceField(choices=[str(outcome) for outcome in ProbeOutcome])
    queue = serializers.ChoiceField(choices=[str(outcome) for outcome in ProbeOutcome])


class ReadyOutput(Output):
    """Whether this process can serve, and what it does without."""

    status = serializers.ChoiceField(choices=[str(outcome) for outcome in ProbeOutcome])
    checks = ChecksOutput()


class LiveView(OpenView):
    """``/health/live``: touches nothing."""

    noun = "health"

    @extend_schema(operation_id="health_live", responses=LiveOutput)
    def get(self, request: Request) -> Response:
        """Answer that the process runs."""
        return Response({"status": "ok"})


class ReadyView(OpenView):
    """``/health/ready``: 503 only without Postgres, an old schema, or a role that can pass the tenant wall."""

    noun = "health"

    @extend_schema(operation_id="health_ready", responses={200: ReadyOutput, 503: ReadyOutput})
    def get(self, request: Request) -> Response:
        """Answer how each part is."""
        found = health.look_at(CHECKS)
        body = {"status": found.status, "checks": dict(found.checks)}
        if found.status is ProbeOutcome.UNAVAILABLE:
            return Response(body, status=503, headers={"Retry-After": str(POLICY.retry_after_s)})
        return Response(body)


@csrf_exempt  # nothing here changes anything, and another method is 405, not 403
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """``/metrics``: everything on the one page of metrics, in the Prometheus text format."""
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def probe_embedding() -> ProbeOutcome:
    """Return OK when all embedders that are configured are loaded; keywords alone are a degraded recall."""
    listed = embedders(settings.EMBEDDER)
    return ProbeOutcome.OK if listed and all(map(is_ready, listed)) else ProbeOutcome.DEGRADED


def probe_redis() -> ProbeOutcome:
    """Return OK when the windows' Redis answers."""
    return health.probe_redis(settings.REDIS_URL)


def probe_queue() -> ProbeOutcome:
    """Return OK when the wake-ups' broker answers; without it accepted work waits for the next sweep."""
    if not settings.CELERY_BROKER_URL.startswith(("redis", "unix")):
        return ProbeOutcome.OK
    return health.probe_redis(settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://").partition("?")[0])


CHECKS = [
    Check("postgres", health.probe_postgres, failed=ProbeOutcome.UNAVAILABLE, wait_s=health.POLICY.postgres_s),
    Check("redis", probe_redis),
    Check("embedding", probe_embedding),
    Check("queue", probe_queue),
]

refresh_with(show_queue)
