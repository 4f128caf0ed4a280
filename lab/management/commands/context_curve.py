"""Measure the coverage of contexts by budget: ``manage.py context_curve LIVES.json --key KEY``."""

from argparse import ArgumentParser
from itertools import product
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lab.evaluation.contexts.budget_curves import (
    BUDGETS,
    Earlier,
    describe_curves,
    draw_curves,
    measure_set,
    read_earlier,
    render_table,
)
from lab.evaluation.contexts.lives import LifeSet, read_lives
from lab.evaluation.contexts.stack_client import Stack, StackRefused
from lab.evaluation.coverage_plot import PlottingMissing, require_plotting
from lab.evaluation.run_file import write_run
from lab.management.commands.evaluate import read_numbers
from memory_platform.env.environment import environment
from memory_platform.management.base_command import progress, write_result
from memory_platform.management.conversation_datasets import explain_faults

AGAIN = "Run the same command again: what is stored already is skipped."


class Command(BaseCommand):
    help = "Tell lives to a running stack, ask their questions within several budgets, and show what contexts cover."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("lives", type=Path, nargs="+", help="files in the form of tests/golden/lives/en.json")
        parser.add_argument("--key", required=True, help="a key of the tenant that the lives are told to")
        parser.add_argument("--base", default=environment().stack_url, help="the stack's address (%(default)s)")
        parser.add_argument("--budgets", type=read_numbers, default=BUDGETS, help="tokens of a context in all")
        parser.add_argument(
            "--noise", type=Path, help="a data set: measure each file also with its talks between sessions"
        )
        parser.add_argument(
            "--earlier", type=Path, help="what was covered before, {name: {set: {tokens: share}}}, to draw"
        )
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the run to this file")
        parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the curves")

    def handle(self, **options: Any) -> None:
        try:
            if options["plot"]:
                require_plotting()
            noises = [None, options["noise"]] if options["noise"] else [None]
            sets = []
            for noise, path in product(noises, options["lives"]):
                with explain_faults(path, "is not a file of lives"):
                    sets.append(read_lives(path, noise))
            earlier = self._read_earlier(options["earlier"])
            run = self._measure(sets, options)
        except PlottingMissing as fault:
            raise CommandError(fault.detail) from None
        except StackRefused as fault:
            raise CommandError(f"{fault.detail.rstrip('.')}. {AGAIN}") from None
        self.stdout.write("\n".join(render_table(run)))
        if options["json"]:
            write_result(self.stdout, lambda path: write_run(run, path), options["json"])
        if options["plot"]:
            write_result(self.stdout, lambda path: draw_curves(run, path, earlier), options["plot"])

    def _read_earlier(self, path: Path | None) -> Earlier:
        if path is None:
            return {}
        with explain_faults(path, "does not hold what was covered before"):
            return read_earlier(path)

    def _measure(self, sets: list[LifeSet], options: dict[str, Any]) -> dict[str, Any]:
        stack, budgets = Stack(options["base"], options["key"]), options["budgets"]
        measured = []
        for one in sets:
            with progress(self.stdout, f"telling {one.name}", sum(len(x.turns) for x in one.lives), "turns") as advance:
                for life in one.lives:
                    stack.post_life(life, advance=advance)
            contexts = len(budgets) * sum(bool(question.needed) for life in one.lives for question in life.questions)
            with progress(self.stdout, f"asking {one.name}", contexts, "contexts") as advance:
                measured.append(measure_set(one, stack, budgets, advance=advance))
        return describe_curves(measured, budgets)
