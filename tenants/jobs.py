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


class PlatformTask(Task):  # type: ignore[misc]  # Celery has no types
    """A job of the whole platform."""

    abstract = True

    def __call__(self) -> Any:
        hand_back_connections()
        return super().__call__()


class TenantTask(Task):  # type: ignore[misc]  # Celery has no types
    """Carries the tenant's id: text in the message, UUID in the function, a field in log lines."""

    abstract = True

    def __call__(self, *, tenant_id: str) -> Any:
        hand_back_connections()
        with structlog.contextvars.bound_contextvars(tenant=tenant_id):
            return super().__call__(tenant_id=UUID(tenant_id))


def tenant_job(run: Callable[[UUID], None]) -> Callable[..., None]:
    """Register a job of one tenant. Its function takes ``tenant_id``; it is sent with that as its only argument."""
    return cast(Callable[..., None], shared_task(base=TenantTask, ignore_result=True)(run))


def platform_job(run: Callable[[], None]) -> Callable[[], None]:
    return cast(Callable[[], None], shared_task(base=PlatformTask, ignore_result=True)(run))
