"""Health and metrics for load balancers and Prometheus: no key, no tenant."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base_views import OpenView
from memory_platform.api.views.operation_description import operation
from memory_platform.observability import health
from memory_platform.observability.health import Check, ProbeOutcome
from memory_platform.observability.metrics import register_refresh, render_metrics
from memory_platform.providers.registry import embedders
from memory_platform.providers.warm_up import is_ready
from snapshots.queue.metrics import set_queue_gauges
from snapshots.webhooks.due_deliveries import set_webhook_gauges

OUTCOMES = [str(outcome) for outcome in ProbeOutcome]


class LiveOutput(Output):
    """The process runs."""

    status = serializers.ChoiceField(choices=["ok"], help_text="Always `ok`.")


class ChecksOutput(Output):
    """The state of each part."""

    postgres = serializers.ChoiceField(choices=OUTCOMES, help_text="The database. Nothing works without it.")
    redis = serializers.ChoiceField(choices=OUTCOMES, help_text="Windows of conversations and rate limits.")
    embedding = serializers.ChoiceField(choices=OUTCOMES, help_text="Without it recall finds by keywords only.")
    queue = serializers.ChoiceField(choices=OUTCOMES, help_text="Without it messages become memories later.")


class ReadyOutput(Output):
    """The state of the process."""

    status = serializers.ChoiceField(choices=OUTCOMES, help_text="The worst state of its parts.")
    checks = ChecksOutput(help_text="The state of each part.")


class LiveView(OpenView):
    """``/health/live``: touches nothing."""

    noun = "health"

    @operation("health_live", answer=LiveOutput)
    def get(self, request: Request) -> Response:
        """Check that the process runs."""
        return Response({"status": "ok"})


class ReadyView(OpenView):
    """``/health/ready``: 503 without Postgres, with an old schema, or with a role that can bypass row security."""

    noun = "health"

    @operation("health_ready", answer=ReadyOutput, status=(200, 503))
    def get(self, request: Request) -> Response:
        """Check whether the process can serve. Only a missing or unfit database is 503."""
        found = health.run_checks(CHECKS)
        body = ReadyOutput.render(found, checks=dict(found.checks))
        if found.status is ProbeOutcome.UNAVAILABLE:
            return Response(body, status=503, headers={"Retry-After": str(API_CONFIG.retry_after_s)})
        return Response(body)


@csrf_exempt  # nothing here changes anything, and another method is 405, not 403
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """``/metrics``: all metrics in the Prometheus text format."""
    return HttpResponse(render_metrics(), content_type=CONTENT_TYPE_LATEST)


def probe_embedding() -> ProbeOutcome:
    """Return OK when all configured embedders are loaded; recall by keywords alone is degraded."""
    listed = embedders(settings.EMBEDDER)
    return ProbeOutcome.OK if listed and all(map(is_ready, listed)) else ProbeOutcome.DEGRADED


def probe_redis() -> ProbeOutcome:
    return health.probe_redis(settings.REDIS_URL)


def probe_queue() -> ProbeOutcome:
    """Return OK when the message broker answers; without it work waits for the next sweep."""
    address = settings.CELERY_BROKER_URL
    if not address.startswith(("redis", "unix")):
        return health.probe_broker(address)
    return health.probe_redis(address.replace("redis+socket://", "unix://").partition("?")[0])


CHECKS = [
    Check("postgres", health.probe_postgres, failed=ProbeOutcome.UNAVAILABLE, wait_s=health.HEALTH_CONFIG.postgres_s),
    Check("redis", probe_redis),
    Check("embedding", probe_embedding),
    Check("queue", probe_queue),
]

register_refresh(set_queue_gauges)
register_refresh(set_webhook_gauges)
