"""Run or preview a scheduled job by hand: ``manage.py care calibrate-confidence --tenant acme --preview``."""

import time
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.management.base import CommandError

from memory_platform.management.base_command import PlatformCommand, choose_tenants, silence_events
from snapshots.job_preview import CarePreview
from snapshots.scheduled_job_registry import CARE, JOBS, WHOLE, PlatformCareJob, TenantCareJob
from tenants.services.job_runs import RunTally, run_by_hand, run_whole_by_hand

EXAMPLES = 10


class Command(PlatformCommand):
    help = "Run a job of the timetable now, or say what it would do. Safe to repeat, and to stop anywhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", choices=sorted(JOBS), help="which job")
        parser.add_argument("--tenant", help="slug of the one tenant that it is for; all when left out")
        parser.add_argument("--preview", action="store_true", help="say what it would do, and change nothing")
        parser.add_argument("--examples", type=int, default=EXAMPLES, help="ids that a preview lists (%(default)s)")

    def handle(self, **options: Any) -> None:
        name, slug = options["job"], options["tenant"]
        if name in WHOLE and slug is not None:
            raise CommandError(f"{name} sees to all tenants at once: leave --tenant out.")
        try:
            with silence_events():
                failed = (
                    self._run_platform_job(WHOLE[name], options)
                    if name in WHOLE
                    else self._run_tenant_job(CARE[name], options)
                )
        except KeyboardInterrupt:
            raise CommandError("Stopped. What is done stays done; run it again for the rest.", returncode=130) from None
        if failed:
            raise CommandError(f"{failed} tenants failed; the log names them.")

    def _run_platform_job(self, job: PlatformCareJob, options: dict[str, Any]) -> int:
        if options["preview"]:
            self._print_preview("platform", job.preview(), options["examples"])
            return 0
        return self._print_run("platform", lambda: run_whole_by_hand(job.name, job.run))

    def _run_tenant_job(self, job: TenantCareJob, options: dict[str, Any]) -> int:
        failed = 0
        for tenant in choose_tenants(options["tenant"]):
            if options["preview"]:
                self._print_preview(tenant.slug, job.preview(tenant.id), options["examples"])
            else:
                failed += self._print_run(tenant.slug, partial(run_by_hand, job.name, job.run, [tenant.id]))
        return failed

    def _print_preview(self, name: str, preview: CarePreview, examples: int) -> None:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in preview.counts.items())
        part = ", or more: only a part of this large tenant was looked at" if preview.is_partial else ""
        self.stdout.write(f"{name}: would do {counts}{part}")
        for line in preview.examples[:examples]:
            self.stdout.write(f"  {line}")
        if len(preview.examples) > examples:
            self.stdout.write(f"  and {len(preview.examples) - examples:,} more")

    def _print_run(self, name: str, run: Callable[[], RunTally]) -> int:
        started = time.monotonic()
        tally = run()
        failed = "; it failed" if tally.errors else ""
        self.stdout.write(f"{name}: {tally.rows:,} rows in {time.monotonic() - started:.1f} s{failed}")
        return tally.errors
