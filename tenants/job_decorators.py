"""The two kinds of job. Neither opens a tenant's scope: the function that a job calls does, as often as it needs to."""

from collections.abc import Callable
from typing import Any, cast
from uuid import UUID

import structlog
from celery import Task, shared_task
from django.db import connections


def hand_back_connections() -> None:
    """Return the process's connections to the pool, which then gives out living ones. A worker keeps its connections
    between jobs; without this it would meet one that died with Postgres again and again."""
    for connection in connections.all(initialized_only=True):
        connection.close()


class RepeatableTask(Task):  # type: ignore[misc]  # Celery has no types
    """The base of all jobs, in the service's own Celery app as in that of another project: they may run twice, so one
    whose worker died runs again, and none runs for ever. Limits are seconds."""

    abstract = True
    acks_late = True
    reject_on_worker_lost = True
    ignore_result = True
    soft_time_limit: float = 240
    time_limit: float = 300


class PlatformTask(RepeatableTask):
    """A job of the whole platform."""

    abstract = True

    def __call__(self) -> Any:
        hand_back_connections()
        return super().__call__()


class TenantTask(RepeatableTask):
    """Carries the tenant's id: text in the message, UUID in the function, a field in log lines."""

    abstract = True

    def __call__(self, *, tenant_id: str) -> Any:
        hand_back_connections()
        with structlog.contextvars.bound_contextvars(tenant=tenant_id):
            return super().__call__(tenant_id=UUID(tenant_id))


def tenant_job(run: Callable[[UUID], None]) -> Callable[..., None]:
    """Register a job of one tenant. Its function takes ``tenant_id``; it is sent with that as its only argument."""
    return cast(Callable[..., None], shared_task(base=TenantTask)(run))


def platform_job(run: Callable[[], None]) -> Callable[[], None]:
    return cast(Callable[[], None], shared_task(base=PlatformTask)(run))
