"""Measure how fast the platform answers: ``manage.py bench build``."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError

from memory_platform.benchmarks.build import fill_pool, place_subjects, tenant_for, tidy
from memory_platform.benchmarks.world import Cohort, WorldSpec, checked, parse_cohort
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.management.base import PlatformCommand
from memory_platform.management.progress import progress, quiet_events

AGAIN = "Run the same command again: what is stored already is skipped."


def cohort(text: str) -> Cohort:
    """Return ``10x10000`` as ten subjects of 10,000 snapshots."""
    try:
        return parse_cohort(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no cohort such as 10x10000") from None


class Command(PlatformCommand):
    help = "Make a world of any size in a tenant of its own, and measure the answers of a running stack in it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        self._add_build(verbs.add_parser("build", help="make the world; safe to repeat, goes on where it stopped"))

    def handle(self, **options: Any) -> None:
        try:
            with quiet_events():
                getattr(self, f"_{options['verb']}")(options)
        except MemoryPlatformError as fault:
            raise CommandError(f"{fault.code}: {fault.detail}") from None

    def _add_build(self, parser: ArgumentParser) -> None:
        chosen = WorldSpec()
        large, medium, small = chosen.cohorts
        parser.add_argument("--tenant", default="bench", help="slug of the tenant that holds the world (%(default)s)")
        parser.add_argument("--snapshots", type=int, default=chosen.snapshots, help="in all subjects (%(default)s)")
        parser.add_argument("--subjects", type=int, default=chosen.subjects, help="in all (%(default)s)")
        parser.add_argument("--large", type=cohort, default=large, help="subjects x size (10x10000)")
        parser.add_argument("--medium", type=cohort, default=medium, help="subjects x size (200x1000)")
        parser.add_argument("--small", type=cohort, default=small, help="subjects x size (1000x100)")
        parser.add_argument("--pool", type=int, default=chosen.pool, help="distinct sentences (%(default)s)")
        parser.add_argument("--seed", type=int, default=chosen.seed, help="of every draw (%(default)s)")

    def _build(self, options: dict[str, Any]) -> None:
        spec = checked(
            WorldSpec(
                options["snapshots"],
                options["subjects"],
                (options["large"], options["medium"], options["small"]),
                options["pool"],
                options["seed"],
            )
        )
        tenant_id = tenant_for(options["tenant"])
        try:
            with progress(self.stdout, "saying every sentence once", spec.pool, "messages") as advance:
                pool = fill_pool(tenant_id, spec, advance=advance)
            with progress(self.stdout, "making subjects", spec.snapshots, "snapshots") as advance:
                made = place_subjects(pool, spec, advance=advance)
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {AGAIN}", returncode=130) from None
        if made:
            with progress(self.stdout, "gathering statistics", 0, "tables"):
                tidy()
        self.stdout.write(
            f"{options['tenant']}: {spec.snapshots:,} snapshots of {spec.subjects:,} subjects; {made:,} are new."
        )
