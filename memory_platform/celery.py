"""The Celery app. Jobs are wake-ups: Postgres holds the work, so a lost or doubled message does no harm."""

import os
from importlib import import_module

from celery import Celery
from celery.signals import beat_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_platform.settings")

app = Celery("memory_platform")
app.set_default()  # in every thread of the process: wake-ups are published from one of their own
app.config_from_object("memory_platform.celery_settings")
app.autodiscover_tasks(related_name="jobs")


@beat_init.connect  # type: ignore[untyped-decorator]  # Celery has no types
def sync_schedule_with_beat(**_: object) -> None:
    """Beat brings its rows up to the timetable: whoever starts it, wherever. The models are loaded by then."""
    import_module("memory_platform.schedule").sync_schedule()
