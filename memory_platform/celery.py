"""The Celery app. Jobs are wake-ups: Postgres holds the work, so a lost or doubled message does no harm."""

import os

from celery import Celery
from celery.signals import worker_process_init, worker_process_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_platform.settings")

app = Celery("memory_platform")
app.set_default()  # in every thread of the process: wake-ups are published from one of their own
app.config_from_object("memory_platform.celery_settings")
app.autodiscover_tasks(related_name="jobs")


@worker_process_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
def load_models(**_: object) -> None:
    from memory_platform.warm_up import warm_up  # noqa: PLC0415 -- the other processes need no models

    warm_up(answering=False)


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]  # Celery has no types
def send_last_spans(**_: object) -> None:
    from memory_platform.observability.tracing import send_collected_spans  # noqa: PLC0415 -- settings, read late

    send_collected_spans()
