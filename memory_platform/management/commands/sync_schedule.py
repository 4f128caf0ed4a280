"""``manage.py sync_schedule``: update beat's rows from the schedule. Beat does the same when it starts."""

from django.core.management.base import BaseCommand

from memory_platform.beat_scheduler import sync_schedule
from memory_platform.timetable import TIMETABLE


class Command(BaseCommand):
    help = "Add missing jobs to the schedule; rows that a person changed stay as they are."

    def handle(self, *args: object, **options: object) -> None:
        changed = sync_schedule()
        for job in TIMETABLE:
            state = "written" if job.name in changed else "as it was"
            self.stdout.write(f"{job.name:24} every {job.every}  {state}")
