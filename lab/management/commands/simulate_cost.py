"""Simulate ninety days: the cost of memory and its coverage: ``manage.py simulate_cost``."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import CommandError

from lab.evaluation.coverage_plot import PlottingMissing, require_plotting
from lab.evaluation.datasets.questions import read_evaluation_set
from lab.evaluation.datasets.scratch_tenant import (
    ensure_scratch,
    ensure_tenant,
    finish_work,
    index_again,
    remove_expiry,
)
from lab.evaluation.simulation.context_costs import (
    AnsweredQuestion,
    Asker,
    TurnFigures,
    ask_dataset,
    compute_mean_shares,
    run_simulation,
)
from lab.evaluation.simulation.cost_report import WAYS, compute_totals, draw_costs, make_day_rows, render_table
from lab.evaluation.simulation.scenario import CHINESE, ENGLISH, LifePlan, SimulatedLife
from memory_platform.kernel.clock import utc_now
from memory_platform.management.base_command import PlatformCommand, progress, silence_events
from memory_platform.management.conversation_datasets import explain_faults, import_dataset
from memory_platform.providers.warm_up import warm_up
from snapshots.context.pipeline import COUNTER
from tenants.config import LEDGER_CONFIG
from tenants.services.usage.daily_costs import Price, compute_saved_ratio, load_price_table, usage_by_day

LANGUAGES = {words.language: words for words in (ENGLISH, CHINESE)}


class Command(PlatformCommand):
    help = "Let the product live through days of talk: tokens, money and evidence coverage, beside the raw history."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, default=90)
        parser.add_argument("--turns", type=int, default=10, help="turns a day (%(default)s)")
        parser.add_argument("--tokens", type=int, default=500, help="tokens of a turn with its answer (%(default)s)")
        parser.add_argument("--seed", type=int, default=7, help="another seed makes another life (%(default)s)")
        parser.add_argument("--language", choices=sorted(LANGUAGES), action="append", help="en and zh unless named")
        parser.add_argument(
            "--memory", type=int, metavar="N", help="tokens of the memory section, by intent unless named"
        )
        parser.add_argument("--data", type=Path, metavar="FILE", help="ask a data set's questions instead")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write every figure to this file")
        parser.add_argument("--plot", type=Path, metavar="PNG", help="draw tokens and coverage by day")

    def handle(self, **options: Any) -> None:
        price = load_price_table().of_tier(LEDGER_CONFIG.tier, utc_now().date())
        if price is None:
            raise CommandError(f"No price of a {LEDGER_CONFIG.tier} model is valid today: add one in the console.")
        if min(options["days"], options["turns"], options["tokens"]) < 1:
            raise CommandError("--days, --turns and --tokens are at least 1.")
        try:
            if options["plot"]:
                require_plotting()
            warm_up(answering=False).join()
            with silence_events():
                self._measure_dataset(options["data"], options) if options["data"] else self._simulate_lives(
                    price, options
                )
        except PlottingMissing as fault:
            raise CommandError(fault.detail) from None

    def _simulate_lives(self, price: Price, options: Mapping[str, Any]) -> None:
        plan = LifePlan(options["days"], options["turns"], options["tokens"], options["seed"])
        tenant_id = ensure_tenant("simulation", "Simulation")
        lives: dict[str, list[TurnFigures]] = {}
        for language in options["language"] or sorted(LANGUAGES):
            words = LANGUAGES[language]
            with progress(self.stdout, f"living, {language}", plan.days, "days") as advance:
                life = SimulatedLife(words, plan, COUNTER)
                asker = Asker(f"simulated-{language}", words.system_prompt, options["memory"])
                lives[language] = run_simulation(tenant_id, life, asker, advance=advance)
        parts = {name: _compute_figures(turns, plan, price) for name, turns in lives.items()}
        for name, part in parts.items():
            self.stdout.write(
                f"\n{name}: {plan.turns} turns of {plan.tokens} tokens a day, {price.model} ({price.tier})"
            )
            self.stdout.write(render_table(part["days"], part["all"], price.currency))
        self._print_ledger(tenant_id)
        self._write_figures({"plan": asdict(plan), "price": asdict(price), "lives": parts}, options["json"])
        if options["plot"]:
            self._write(lambda path: draw_costs(lives, plan, path), options["plot"])

    def _print_ledger(self, tenant_id: Any) -> None:
        today = utc_now().date()
        for day in usage_by_day(tenant_id, today, today):
            used = day.used
            self.stdout.write(
                f"\nThe ledger's day {used.day}: {used.messages:,} messages, {used.contexts:,} contexts of "
                f"{used.tokens_in_context:,} tokens ({day.cost} {day.currency}) instead of "
                f"{used.tokens_full_history:,} ({day.cost_full_history} {day.currency})."
            )

    def _measure_dataset(self, path: Path, options: Mapping[str, Any]) -> None:
        with explain_faults(path, "cannot be asked"):
            asked = read_evaluation_set(path, skipped=frozenset({"5"}), afterwards=True)
        scratch = ensure_scratch(asked, prefix="evaluation")
        if not scratch.filled:
            with progress(self.stdout, "loading", asked.dataset.messages, "messages") as advance:
                import_dataset(asked.dataset, scratch.tenant_id, Counter(), advance=advance)
            finish_work(scratch.tenant_id)
            index_again(scratch.tenant_id)
        remove_expiry(scratch.tenant_id)
        with progress(self.stdout, "asking", asked.questions, "questions") as advance:
            answers = ask_dataset(scratch.tenant_id, asked, memory=options["memory"], advance=advance)
        self.stdout.write(f"\n{asked.dataset.name}: {len(answers):,} questions, asked after all was said")
        self.stdout.write(_render_answers(answers))
        figures = {"dataset": asked.dataset.name, "coverage": compute_mean_shares(answers)}
        self._write_figures(figures | {"questions": [asdict(one) for one in answers]}, options["json"])

    def _write_figures(self, figures: Mapping[str, Any], path: Path | None) -> None:
        if path:
            content = orjson.dumps(figures, default=str, option=orjson.OPT_INDENT_2)
            self._write(lambda place: place.write_bytes(content), path)

    def _write(self, write: Callable[[Path], object], path: Path) -> None:
        try:
            write(path)
        except (OSError, ValueError) as fault:
            raise CommandError(f"Cannot write {path}: {fault}") from None
        self.stdout.write(f"Written to {path}.")


def _compute_figures(turns: Sequence[TurnFigures], plan: LifePlan, price: Price) -> dict[str, Any]:
    return {"days": make_day_rows(turns, plan, price), "all": compute_totals(turns, plan, price)}


def _render_answers(answers: list[AnsweredQuestion]) -> str:
    context, full = (sum(getattr(one, name) for one in answers) for name in ("context", "full_history"))
    found = compute_mean_shares(answers)
    lines = [
        f"tokens a question: context {context / len(answers):,.0f} (most {max(one.context for one in answers):,}), "
        f"full history {full / len(answers):,.0f}, saved {compute_saved_ratio(context, full):.3f}",
        *(f"{found[name]:.3f}  {label}" for name, label in WAYS.items()),
    ]
    return "\n".join(lines)
