"""Run or preview a job of scheduled care by hand: ``manage.py care calibrate-confidence --tenant acme --preview``."""

import time
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from memory_platform.management.base import PlatformCommand
from memory_platform.management.progress import quiet_events
from snapshots.care import CARE, CareJob
from tenants.errors import TenantUnknown
from tenants.models import Tenant
from tenants.selectors import tenant_by_slug
from tenants.services.job_runs import run_by_hand

EXAMPLES = 10


class Command(PlatformCommand):
    help = "Run a job of scheduled care now, or say what it would do. Safe to repeat, and to stop anywhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", choices=sorted(CARE), help="which job")
        parser.add_argument("--tenant", help="slug of the one tenant that it is for; all when left out")
        parser.add_argument("--preview", action="store_true", help="say what it would do, and change nothing")
        parser.add_argument("--examples", type=int, default=EXAMPLES, help="ids that a preview lists (%(default)s)")

    def handle(self, **options: Any) -> None:
        job, tenants = CARE[options["job"]], self._tenants(options["tenant"])
        if options["preview"]:
            for slug, tenant_id in tenants.items():
                self._preview(job, slug, tenant_id, options["examples"])
            return
        errors = 0
        try:
            with quiet_events():
                for slug, tenant_id in tenants.items():
                    errors += self._run(job, slug, tenant_id)
        except KeyboardInterrupt:
            raise CommandError("Stopped. What is done stays done; run it again for the rest.", returncode=130) from None
        if errors:
            raise CommandError(f"{errors} of {len(tenants)} tenants failed; the log names them.")

    def _tenants(self, slug: str | None) -> dict[str, UUID]:
        if slug is None:
            return dict(Tenant.objects.order_by("id").values_list("slug", "id"))
        try:
            return {slug: tenant_by_slug(slug).id}
        except TenantUnknown:
            raise CommandError(f"There is no tenant {slug!r}.") from None

    def _preview(self, job: CareJob, slug: str, tenant_id: UUID, examples: int) -> None:
        found = job.preview(tenant_id)
        counts = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items())
        self.stdout.write(f"{slug}: would do {counts}")
        for line in found.examples[:examples]:
            self.stdout.write(f"  {line}")
        if len(found.examples) > examples:
            self.stdout.write(f"  and {len(found.examples) - examples:,} more")

    def _run(self, job: CareJob, slug: str, tenant_id: UUID) -> int:
        started = time.monotonic()
        tally = run_by_hand(job.name, job.run, [tenant_id])
        failed = "; it failed" if tally.errors else ""
        self.stdout.write(f"{slug}: {tally.rows:,} rows in {time.monotonic() - started:.1f} s{failed}")
        return tally.errors
