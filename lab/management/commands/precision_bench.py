"""Does the right memory come, and that memory only? ``manage.py precision_bench``."""

from argparse import ArgumentParser
from typing import Any

from lab.benchmarks.precision.benchmark import ask_cases, compute_precision_scores, precision_tenant, store_seed
from memory_platform.management.base_command import PlatformCommand, silence_events


class Command(PlatformCommand):
    help = "Ask the 77 questions of PrecisionMemBench (MIT), plainly and with `strict`, and print its figures."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--failed", action="store_true", help="name the cases that a strict question fails")

    def handle(self, **options: Any) -> None:
        tenant_id = precision_tenant()
        with silence_events():
            store_seed(tenant_id)
            asked = {name: ask_cases(tenant_id, strict=name == "strict") for name in ("plain", "strict")}
        self.stdout.write(f"{'':8} {'active':>8} {'all':>8} {'precision':>10} {'recall':>8}")
        for name, judged in asked.items():
            told = compute_precision_scores(judged)
            active, passed = f"{told.active}/{told.active_cases}", f"{told.passed}/{told.cases}"
            self.stdout.write(f"{name:8} {active:>8} {passed:>8} {told.precision:>10.3f} {told.recall:>8.3f}")
        for one in asked["strict"] if options["failed"] else ():
            if not one.passed:
                self.stdout.write(f"{one.case.id}: {', '.join(one.came) or 'nothing'}")
