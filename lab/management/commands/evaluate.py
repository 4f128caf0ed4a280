"""Measure the quality of recall on a data set: ``manage.py evaluate DATASET``."""

from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from lab.evaluation.answer_judging import JudgedRun, choose_questions, judge_all
from lab.evaluation.coverage_plot import PlottingMissing, build_rankers, compute_curves, draw, require_plotting
from lab.evaluation.datasets.questions import EvaluationSet, read_evaluation_set
from lab.evaluation.datasets.scratch_tenant import (
    Scratch,
    ensure_scratch,
    finish_work,
    index_again,
    remove_expiry,
)
from lab.evaluation.ranking.ablation import ABLATIONS
from lab.evaluation.ranking.inputs import LoadedSubject, load_subject
from lab.evaluation.ranking.rankers import DENSE, KEYWORD, make_lane_ranker, make_policy_ranker
from lab.evaluation.ranking.runner import AskingPlan, ask_all
from lab.evaluation.report import list_worth_figures, render_report
from lab.evaluation.run_file import compute_lane_figures, describe_run, summarise_run, write_run
from lab.evaluation.tuning.single_changes import list_alternative_policies, measure_worth_of_each, sweep_values
from lab.evaluation.tuning.weight_search import tune_weights
from memory_platform.kernel.errors import InvalidInput, MemoryPlatformError
from memory_platform.management.base_command import PlatformCommand, progress, silence_events, write_result
from memory_platform.management.conversation_datasets import explain_faults, import_dataset
from memory_platform.providers.registry import chat_model
from snapshots.queue.values import WorkCounts
from snapshots.recall.config import DEFAULT_RECALL

AGAIN = "Run the same command again: what is stored already is skipped."


def read_numbers(text: str) -> tuple[int, ...]:
    """Return ``500,1000`` as numbers above 0, in order."""
    try:
        numbers = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a list of numbers such as 500,1000,2000") from None
    if numbers[0] < 1:
        raise ArgumentTypeError("a budget is at least 1 token")
    return numbers


def read_names(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(",") if part.strip())


class Command(PlatformCommand):
    help = "Measure recall on a data set of conversations with questions; it is loaded into a tenant of its own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", type=Path, help="a JSON file: import_conversations' format, with questions")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the run to this file, question by question")
        parser.add_argument(
            "--keep", type=Path, metavar="DIR", help="write the run without its rows to DIR/<run_id>.json"
        )
        parser.add_argument("--top-k", type=int, default=100, help="memories in an answer (%(default)s)")
        parser.add_argument(
            "--budgets",
            type=read_numbers,
            default=(500, 1000, 2000),
            help="tokens, for coverage (500,1000,2000)",
        )
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("--categories", type=read_names, default=frozenset(), help="ask these categories only")
        chosen.add_argument(
            "--skip-categories",
            type=read_names,
            default=frozenset({"5"}),
            help='categories not to ask (5, which LoCoMo uses for questions without an answer; "" asks all)',
        )
        parser.add_argument(
            "--afterwards",
            action="store_true",
            help="ask every question a day after the last turn, whatever time it has",
        )
        parser.add_argument("--ablate", action="store_true", help="turn each optimisation off and show its worth")
        parser.add_argument(
            "--sweep", action="store_true", help="give each number of the policy other values and show the figures"
        )
        parser.add_argument(
            "--tune", action="store_true", help="choose weights on some subjects, judge them on the others; slow"
        )
        parser.add_argument(
            "--judge",
            type=int,
            default=0,
            metavar="N",
            help="have CHAT_MODEL answer and judge N questions",
        )
        parser.add_argument("--plot", type=Path, metavar="PNG", help="draw coverage against budget, beside simple ways")
        parser.add_argument("--tenant", default="evaluation", help="what the scratch tenant's slug begins with")

    def handle(self, **options: Any) -> None:
        self._check_plotting(options["plot"])
        self._check_output_paths(options)
        if options["judge"] > 0 and chat_model("judge") is None:
            raise CommandError("--judge needs a chat model: set CHAT_MODEL (and CHAT_BASE_URL, CHAT_API_KEY).")
        asked = self._read(options)
        plan = AskingPlan(options["top_k"], options["budgets"], options["afterwards"])
        try:
            with silence_events():
                scratch = self._prepare_scratch(asked, options["tenant"])
                subjects = self._load(asked, scratch)
        except MemoryPlatformError as fault:
            raise CommandError(f"{fault.code}: {fault.detail.rstrip('.')}. {AGAIN}") from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {AGAIN}", returncode=130) from None
        try:
            run = self._measure(asked, plan, subjects, options)
        except InvalidInput as fault:
            raise CommandError(fault.detail) from None
        self.stdout.write(render_report(run))
        if options["json"]:
            write_result(self.stdout, lambda path: write_run(run, path), options["json"])
        if options["keep"]:
            write_result(
                self.stdout, lambda path: write_run(summarise_run(run), path), options["keep"] / f"{run['run_id']}.json"
            )
        if options["plot"]:
            write_result(self.stdout, lambda path: draw(run, path), options["plot"])

    def _check_plotting(self, plot_path: Path | None) -> None:
        try:
            if plot_path:
                require_plotting()
        except PlottingMissing as fault:
            raise CommandError(fault.detail) from None

    def _check_output_paths(self, options: dict[str, Any]) -> None:
        try:
            if options["keep"]:
                options["keep"].mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise CommandError(f"Cannot write to {options['keep']}: {fault.strerror}.") from None
        for path in filter(None, (options["json"], options["plot"])):
            if path.is_dir() or not path.parent.is_dir():
                told = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
                raise CommandError(f"Cannot write {path}: {told}.")

    def _read(self, options: dict[str, Any]) -> EvaluationSet:
        path, categories = options["dataset"], options["categories"]
        skipped = frozenset() if categories else options["skip_categories"]
        with explain_faults(path, "cannot be evaluated"):
            found = read_evaluation_set(path, categories=categories, skipped=skipped, afterwards=options["afterwards"])
        if not found.questions:
            raise CommandError(f"No question of {path} is left to ask: {dict(found.left_out)}.")
        return found

    def _prepare_scratch(self, evaluation_set: EvaluationSet, prefix: str) -> Scratch:
        scratch = ensure_scratch(evaluation_set, prefix=prefix)
        if scratch.filled:
            self.stdout.write(f"{evaluation_set.dataset.name} is stored already, in the tenant {scratch.slug}.")
        else:
            self.stdout.write(
                f"Loading {evaluation_set.dataset.name} into the tenant {scratch.slug}, kept for later runs."
            )
            with progress(self.stdout, "loading", evaluation_set.dataset.messages, "messages") as advance:
                import_dataset(evaluation_set.dataset, scratch.tenant_id, Counter(), advance=advance)
            done = 0
            with progress(self.stdout, "learning", 0, "items") as advance:

                def show(counts: WorkCounts) -> None:
                    nonlocal done
                    advance(counts.done - done)
                    done = counts.done

                finish_work(scratch.tenant_id, show=show)
            if touched := index_again(scratch.tenant_id):
                self.stdout.write(f"{touched:,} memories came from workers that run other code: indexed again.")
        remove_expiry(scratch.tenant_id)
        return scratch

    def _load(self, evaluation_set: EvaluationSet, scratch: Scratch) -> list[LoadedSubject]:
        subjects = []
        with progress(self.stdout, "reading", len(evaluation_set.subjects), "subjects") as advance:
            for subject in evaluation_set.subjects:
                if subject.questions:
                    subjects.append(load_subject(scratch.tenant_id, subject))
                advance(1)
        return subjects

    def _measure(
        self, evaluation_set: EvaluationSet, plan: AskingPlan, subjects: list[LoadedSubject], options: dict[str, Any]
    ) -> dict[str, Any]:
        policy, told = DEFAULT_RECALL, list_worth_figures(plan.budgets)
        with progress(self.stdout, "asking", 3 * evaluation_set.questions, "questions") as advance:
            rows = ask_all(subjects, make_policy_ranker(policy), plan, advance=advance)
            lanes = {
                name: ask_all(subjects, make_lane_ranker(policy, lane), plan, advance=advance)
                for name, lane in (("keyword", KEYWORD), ("dense", DENSE))
            }
        parts: dict[str, Any] = {"lanes": {name: compute_lane_figures(found) for name, found in lanes.items()}}
        if options["ablate"]:
            with progress(self.stdout, "ablating", len(ABLATIONS), "optimisations") as advance:
                parts["ablation"] = measure_worth_of_each(subjects, policy, rows, plan, told, advance=advance)
        if options["sweep"]:
            with progress(
                self.stdout, "sweeping", len(list(list_alternative_policies(subjects, policy))), "values"
            ) as advance:
                parts["sweep"] = sweep_values(subjects, policy, plan, told, advance=advance)
        if options["tune"]:
            with progress(self.stdout, "tuning", 0, "trials") as advance:
                parts["tuning"] = tune_weights(subjects, policy, plan, advance=advance)
        if options["judge"] > 0:
            parts["judging"] = self._judge(subjects, options["judge"])
        if options["plot"]:
            with progress(
                self.stdout, "drawing", len(build_rankers(policy)) * evaluation_set.questions, "questions"
            ) as advance:
                parts["curves"] = compute_curves(subjects, policy, plan.top_k, advance=advance)
        return describe_run(evaluation_set, plan, policy, rows, **parts)

    def _judge(self, subjects: list[LoadedSubject], limit: int) -> JudgedRun:
        chosen, model = choose_questions(subjects, limit), chat_model("judge")
        if model is None:
            raise CommandError("The chat model is gone.")
        with progress(self.stdout, "judging", len(chosen), "questions") as advance:
            return judge_all(chosen, make_policy_ranker(DEFAULT_RECALL), model, advance=advance)
