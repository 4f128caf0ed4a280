"""``manage.py distribute --dry-run``: print the statements that would spread the tables over servers by tenant, with
Citus."""

from collections import Counter
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import connections

from memory_platform.management.base_command import PlatformCommand
from memory_platform.postgres.citus_distribution import DistributionPlan, Rule, plan_distribution


class Command(PlatformCommand):
    help = "Print the statements that would distribute the tables by tenant with Citus, and what Citus would refuse."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="print, and change nothing: the only way there is")

    def handle(self, **options: Any) -> None:
        if not options["dry_run"]:
            raise CommandError("The platform does not run on Citus yet: read what --dry-run prints.")
        plan = plan_distribution(connections["owner"])
        self._print_obstacles(plan)
        self._print_line("Distribute the tables.")
        for statement in plan.list_statements():
            self.stdout.write(f"{statement};")
        self._print_line(f"These {len(plan.local)} tables stay where they are: {', '.join(plan.local)}")

    def _print_obstacles(self, plan: DistributionPlan) -> None:
        counts = Counter(one.rule for one in plan.obstacles)
        for rule in Rule:
            if not counts[rule]:
                continue
            self._print_line(f"Citus: {rule}. Broken {counts[rule]} times.")
            for one in plan.obstacles:
                if one.rule is rule:
                    lines = [f"{statement};" for statement in one.statements] or [f"-- {one.table}: {one.name}"]
                    self.stdout.write("\n".join(lines))

    def _print_line(self, text: str) -> None:
        self.stdout.write(f"\n-- {text}")
