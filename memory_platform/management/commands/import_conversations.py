"""Import a data set of conversations: ``manage.py import_conversations FILE --tenant acme``."""

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from memory_platform.management.base_command import choose_tenants, progress, silence_events
from memory_platform.management.conversation_datasets import (
    SAMPLE,
    Dataset,
    explain_faults,
    import_dataset,
    read_dataset,
)
from snapshots.intake.values import CONTENT_DIFFERS

AGAIN = "Run the same command again: what is stored already is skipped."


class Command(BaseCommand):
    help = "Load a data set of conversations into a tenant and end each conversation; safe to repeat."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = f"The file:\n{SAMPLE}"
        parser.add_argument("file", type=Path, help="a JSON file as shown below")
        parser.add_argument("--tenant", required=True, help="slug of the tenant that the subjects belong to")
        parser.add_argument(
            "--subject-suffix", default="", help="added to each subject's id, to load a file once more: =-second"
        )

    def handle(self, **options: Any) -> None:
        with explain_faults(options["file"], "is not a data set of conversations"):
            dataset = read_dataset(options["file"], subject_suffix=options["subject_suffix"])
        started = time.monotonic()
        counts: Counter[str] = Counter()
        try:
            [tenant] = choose_tenants(options["tenant"])
            with silence_events(), progress(self.stdout, dataset.name, dataset.messages, "messages") as advance:
                import_dataset(dataset, tenant.id, counts, advance=advance)
        except OperationalError:
            raise CommandError(
                f"The database does not answer; {counts['messages']:,} messages were loaded. "
                f"Start it (make run) or check DATABASE_URL. {AGAIN}"
            ) from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped after {counts['messages']:,} messages. {AGAIN}", returncode=130) from None
        self._report(dataset, counts, time.monotonic() - started)

    def _report(self, dataset: Dataset, counts: "Counter[str]", seconds: float) -> None:
        rate = round(counts["messages"] / max(seconds, 0.001))
        self.stdout.write(
            f"{dataset.name}: {dataset.subjects:,} subjects, {len(dataset.conversations):,} conversations, "
            f"{counts['messages']:,} messages in {seconds:.1f} s ({rate:,} a second)."
        )
        self.stdout.write(f"{counts['stored']:,} stored, {counts['duplicate']:,} were there already.")
        if counts[CONTENT_DIFFERS]:
            self.stdout.write(f"{counts[CONTENT_DIFFERS]:,} of those have other content here: the first one stays.")
        if not counts["stored"]:
            self.stdout.write(self.style.WARNING("Nothing is new: this data set was loaded before."))
