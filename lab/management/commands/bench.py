"""Measure how fast the platform answers: ``manage.py bench build``, then ``manage.py bench run``."""

import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from lab.benchmarks.benchmark_run import (
    RunPlan,
    create_temporary_key,
    load_subjects_by_size,
    run_benchmark,
    world_tenant,
)
from lab.benchmarks.console_page_times import list_start_pages, log_in_visitor, measure_floor, measure_linked_pages
from lab.benchmarks.correction_latency import KEYS, correct_over_http, fill_beliefs
from lab.benchmarks.document_indexing import list_index_sizes, measure_indexing, read_markdown
from lab.benchmarks.document_search import measure_contexts, measure_searches
from lab.benchmarks.load.load_target import make_recall_request, parse_target
from lab.benchmarks.purge_impact import expire_others, purge_in_subprocess, steady_load, watch_locks
from lab.benchmarks.report import render_table
from lab.benchmarks.scheduled_jobs import make_work_for_jobs, measure_jobs
from lab.benchmarks.unit_costs import HEAD, find_stack_processes, measure_unit_costs, read_processor_times
from lab.benchmarks.worlds.document_world import WORDS_MOST, fill_documents, make_real_chunks, read_words
from lab.benchmarks.worlds.paraphrases import fill_repeats
from lab.benchmarks.worlds.receipts import fill_receipts
from lab.benchmarks.worlds.sentences import make_questions, make_texts
from lab.benchmarks.worlds.world_builder import fill_pool, place_subjects, vacuum_tables
from lab.benchmarks.worlds.world_spec import Cohort, WorldSpec, check_spec, parse_cohort
from lab.evaluation.datasets.scratch_tenant import ensure_tenant, finish_work
from lab.evaluation.run_file import write_run
from memory_platform.env.environment import environment
from memory_platform.management.base_command import Advance, PlatformCommand, progress, silence_events
from profiles.models import Subject
from snapshots.models import Chunk, Document, IndexedChunk, PostingBlock, Receipt, ReceiptMemory, VectorCell
from snapshots.recall.loading.block_sealing import seal_memories
from tenants.isolation import tenant_tx
from tenants.models import Tenant

# Contexts that are made before those that are measured: models are loaded then.
WARM_UP = 3
# Of each tenant beside the one that is searched.
OTHERS_CHUNKS = 10_000
AGAIN = "Run the same command again: what is stored already is skipped."


def read_cohort(text: str) -> Cohort:
    """Return ``10x10000`` as ten subjects of 10,000 snapshots."""
    try:
        return parse_cohort(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no cohort such as 10x10000") from None


def read_numbers(text: str) -> tuple[int, ...]:
    """Return ``1,4,16`` as numbers above 0, in order."""
    try:
        found = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        found = ()
    if not found or found[0] < 1:
        raise ArgumentTypeError(f"{text!r} is not a list of numbers such as 1,4,16")
    return found


class Command(PlatformCommand):
    help = "Make a world of any size in a tenant of its own, and measure the answers of a running stack in it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        self._add_build(verbs.add_parser("build", help="make the world; safe to repeat, goes on where it stopped"))
        self._add_purge(verbs.add_parser("purge", help="expire most of a world and purge it while recall goes on"))
        self._add_repeats(verbs.add_parser("repeats", help="make a world for consolidation; safe to repeat"))
        self._add_care(verbs.add_parser("care", help="preview and run every job of the timetable in a tenant"))
        self._add_documents(verbs.add_parser("documents", help="measure what documents add to a context"))
        self._add_corrections(verbs.add_parser("corrections", help="measure corrections beside ordinary messages"))
        self._add_console(verbs.add_parser("console", help="measure every page of the console by following its links"))
        self._add_units(verbs.add_parser("units", help="processor time and bytes of a message, a recall, a context"))
        self._add_faces(verbs.add_parser("faces", help="calls of each face beside the platform's own (make dev)"))
        self._add_checkpoints(
            verbs.add_parser("checkpoints", help="checkpoints a minute by LangGraph's saver (make dev)")
        )
        self._add_indexing(verbs.add_parser("indexing", help="measure indexing documents"))
        self._add_run(verbs.add_parser("run", help="measure a running stack, beside its database"))

    def handle(self, **options: Any) -> None:
        with silence_events():
            getattr(self, f"_{options['verb']}")(options)

    def _add_place(self, parser: ArgumentParser, tenant: str = "bench", *, stack: bool = True) -> None:
        parser.add_argument("--tenant", default=tenant, help="slug of the tenant that holds the world (%(default)s)")
        if stack:
            parser.add_argument("--base", default=environment().stack_url, help="where the stack listens (%(default)s)")

    def _add_build(self, parser: ArgumentParser) -> None:
        chosen = WorldSpec()
        large, medium, small = chosen.cohorts
        self._add_place(parser, stack=False)
        parser.add_argument("--snapshots", type=int, default=chosen.snapshots, help="in all subjects (%(default)s)")
        parser.add_argument("--subjects", type=int, default=chosen.subjects, help="in all (%(default)s)")
        parser.add_argument("--large", type=read_cohort, default=large, help="subjects x size (10x10000)")
        parser.add_argument("--medium", type=read_cohort, default=medium, help="subjects x size (200x1000)")
        parser.add_argument("--small", type=read_cohort, default=small, help="subjects x size (1000x100)")
        parser.add_argument("--pool", type=int, default=chosen.pool, help="distinct sentences (%(default)s)")
        parser.add_argument("--seed", type=int, default=chosen.seed, help="of every draw (%(default)s)")

    def _build(self, options: dict[str, Any]) -> None:
        spec = check_spec(
            WorldSpec(
                options["snapshots"],
                options["subjects"],
                (options["large"], options["medium"], options["small"]),
                options["pool"],
                options["seed"],
            )
        )
        tenant_id = ensure_tenant(options["tenant"], "Benchmark")
        try:
            with progress(self.stdout, "saying every sentence once", spec.pool, "messages") as advance:
                pool = fill_pool(tenant_id, spec, advance=advance)
            with progress(self.stdout, "making subjects", spec.snapshots, "snapshots") as advance:
                made = place_subjects(pool, spec, advance=advance)
            with progress(self.stdout, "sealing large memories", 0, "blocks") as advance:
                seal_memories(tenant_id, advance=advance)
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {AGAIN}", returncode=130) from None
        if made:
            with progress(self.stdout, "gathering statistics", 0, "tables"):
                vacuum_tables()
        self.stdout.write(
            f"{options['tenant']}: {spec.snapshots:,} snapshots of {spec.subjects:,} subjects; {made:,} are new."
        )

    def _add_repeats(self, parser: ArgumentParser) -> None:
        self._add_place(parser, "repeats", stack=False)
        parser.add_argument("--subjects", type=int, default=1_000, help="(%(default)s)")
        parser.add_argument("--each", type=int, default=100, help="memories of each subject (%(default)s)")

    def _repeats(self, options: dict[str, Any]) -> None:
        tenant_id, count = ensure_tenant(options["tenant"], "Benchmark"), options["subjects"]
        with progress(self.stdout, "making subjects", count * options["each"], "snapshots") as advance:
            fill_repeats(tenant_id, count, options["each"], advance=advance)
        with progress(self.stdout, "gathering statistics", 0, "tables"):
            vacuum_tables()

    def _add_purge(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of a world to lose all but its named cohorts")
        parser.add_argument("--base", default=environment().stack_url, help="where the stack listens (%(default)s)")
        parser.add_argument("--size", type=int, default=100, help="the cohort that is asked about (%(default)s)")
        parser.add_argument("--per-second", type=float, default=20.0, help="questions a second (%(default)s)")
        parser.add_argument("--seconds", type=float, default=30.0, help="of recall without a purge (%(default)s)")

    def _purge(self, options: dict[str, Any]) -> None:
        tenant_id = world_tenant(options["tenant"])
        subjects = load_subjects_by_size(tenant_id, (options["size"],))[options["size"]]
        asks = map(make_recall_request, cycle(subjects), make_questions(1))
        with progress(self.stdout, "letting memories expire", 0, "rows"):
            expired = expire_others(tenant_id)
        with create_temporary_key(tenant_id) as key:
            target = parse_target(options["base"], key)
            with steady_load(target, asks, options["per_second"]) as alone:
                time.sleep(options["seconds"])
            with watch_locks() as locks, steady_load(target, asks, options["per_second"]) as beside:
                took = purge_in_subprocess(options["tenant"])
        self.stdout.write(f"{expired:,} expired memories left in {took:.0f} s ({expired / took:,.0f} a second)")
        for name, load in (("recall alone", alone), ("recall beside it", beside)):
            self.stdout.write(
                f"{name}: " + ", ".join(f"{what} {value:,.1f}" for what, value in load.compute_figures().items())
            )
        self.stdout.write(locks.describe())

    def _add_care(self, parser: ArgumentParser) -> None:
        parser.description = (
            "Makes something to do for each job in a tenant with imported conversations, and prints what each foretold "
            "and did. It changes the tenant for good. Stop the timetable before: its runs would come in between."
        )
        parser.add_argument("--tenant", required=True, help="slug of a tenant with imported conversations")
        parser.add_argument("--room", type=int, default=500, help="memories left to a subject at the end (%(default)s)")

    def _care(self, options: dict[str, Any]) -> None:
        tenant = Tenant.objects.get(id=world_tenant(options["tenant"]))
        with progress(self.stdout, "making work", 0, "jobs"):
            make_work_for_jobs(tenant)
        self.stdout.write("| job | preview: would do | run | again |\n|---|---|---|---|")
        for line in measure_jobs(tenant, options["room"]):
            self.stdout.write(line.row())

    def _add_documents(self, parser: ArgumentParser) -> None:
        self._add_place(parser, "bench-documents", stack=False)
        parser.add_argument("folder", type=Path, help="pages whose words fill the documents, such as docs")
        parser.add_argument("--chunks", type=int, default=1_000, help="of the tenant (%(default)s)")
        parser.add_argument("--others", type=int, default=0, help="tenants with 10,000 chunks beside (%(default)s)")
        parser.add_argument("--questions", type=int, default=60, help="of each kind (%(default)s)")

    def _documents(self, options: dict[str, Any]) -> None:
        tenant, chunks, count = options["tenant"], options["chunks"], options["questions"]
        words = read_words(options["folder"])
        if len(words) <= WORDS_MOST:
            raise CommandError(f"{options['folder']} has too few words. Name a folder with Markdown pages.")
        sizes = {f"{tenant}-{number}": OTHERS_CHUNKS for number in range(options["others"])} | {tenant: chunks}
        self._fill_documents({ensure_tenant(name, "Benchmark"): size for name, size in sizes.items()}, words)
        with progress(self.stdout, "gathering statistics", 0, "tables"):
            vacuum_tables(Chunk, Document, IndexedChunk, PostingBlock, VectorCell)
        tenant_id = world_tenant(tenant)
        with tenant_tx(tenant_id):
            reader, _ = Subject.objects.get_or_create(external_id="bench-reader")
        measure_contexts(tenant_id, reader.external_id, words, chunks, count=WARM_UP)
        self.stdout.write(measure_searches(tenant_id, words, chunks, count=count).render())
        self.stdout.write(measure_contexts(tenant_id, reader.external_id, words, chunks, count=count).render())
        for line in list_index_sizes():
            self.stdout.write(line)

    def _fill_documents(self, sizes: Mapping[UUID, int], words: Sequence[str]) -> None:
        missing: dict[UUID, int] = {}
        for tenant_id, size in sizes.items():
            with tenant_tx(tenant_id):
                missing[tenant_id] = max(0, size - Chunk.objects.count())
        if not any(missing.values()):
            return
        with progress(self.stdout, "reading pages", 0, "chunks"):
            real = make_real_chunks(words, max(missing.values()))
        with progress(self.stdout, "indexing", sum(missing.values()), "chunks") as advance:
            for tenant_id, count in missing.items():
                fill_documents(tenant_id, real, count, advance=advance)

    def _add_corrections(self, parser: ArgumentParser) -> None:
        self._add_place(parser, "corrections")
        parser.add_argument("--subjects", type=int, default=10, help="of 300 values each (%(default)s)")
        parser.add_argument("--turns", type=int, default=20, help="corrections of each subject (%(default)s)")

    def _corrections(self, options: dict[str, Any]) -> None:
        tenant_id, count, turns = (
            ensure_tenant(options["tenant"], "Benchmark"),
            options["subjects"],
            min(options["turns"], KEYS),
        )
        with progress(self.stdout, "making subjects", count, "subjects") as advance:
            subjects = fill_beliefs(tenant_id, count, advance=advance)
        with (
            create_temporary_key(tenant_id) as key,
            progress(self.stdout, "correcting", count * turns, "corrections") as advance,
        ):
            seen = correct_over_http(parse_target(options["base"], key), subjects, turns, advance=advance)
        for line in seen.lines():
            self.stdout.write(line)

    def _add_console(self, parser: ArgumentParser) -> None:
        self._add_place(parser)
        parser.add_argument(
            "--sizes", type=read_numbers, default=(1_000, 10_000), help="a subject of each (1000,10000)"
        )
        parser.add_argument("--each", type=int, default=2, help="pages of a kind (%(default)s)")
        parser.add_argument("--rounds", type=int, default=5, help="answers of each page (%(default)s)")
        parser.add_argument("--receipts", type=int, default=0, help="that the world has at least (%(default)s)")

    def _console(self, options: dict[str, Any]) -> None:
        tenant_id = world_tenant(options["tenant"])
        cohorts = load_subjects_by_size(tenant_id, options["sizes"])
        subjects = [names[0] for names in cohorts.values()]
        if options["receipts"]:
            self._make_receipts(tenant_id, [name for names in cohorts.values() for name in names], options["receipts"])
        with (
            log_in_visitor(parse_target(options["base"], ""), tenant_id) as visitor,
            progress(self.stdout, "visiting", 0, "pages") as advance,
        ):
            floor = measure_floor(visitor, options["rounds"] * 4)
            pages = measure_linked_pages(
                visitor, list_start_pages(tenant_id, subjects), options["each"], options["rounds"], advance=advance
            )
        self.stdout.write(f"a view that does nothing: {floor:.1f} ms")
        for page in pages:
            self.stdout.write(page.render_line(floor))

    def _make_receipts(self, tenant_id: UUID, subjects: Sequence[str], count: int) -> None:
        with progress(self.stdout, "making receipts", count, "receipts") as advance:
            made = fill_receipts(tenant_id, subjects, count, advance=advance)
        if made:
            with progress(self.stdout, "gathering statistics", 0, "tables"):
                vacuum_tables(Receipt, ReceiptMemory)

    def _add_units(self, parser: ArgumentParser) -> None:
        self._add_place(parser, "units")
        parser.add_argument("--messages", type=int, default=1_000, help="(%(default)s)")

    def _units(self, options: dict[str, Any]) -> None:
        tenant_id = ensure_tenant(options["tenant"], "Benchmark")
        processes = find_stack_processes(environment().data_dir)
        with create_temporary_key(tenant_id) as key:
            self.stdout.write(HEAD)
            for cost in measure_unit_costs(parse_target(options["base"], key), processes, options["messages"]):
                self.stdout.write(cost.render_row())

    def _add_faces(self, parser: ArgumentParser) -> None:
        self._add_place(parser, "faces")
        parser.add_argument("--memories", type=int, default=200, help="messages of the subject (%(default)s)")
        parser.add_argument("--blocks", type=int, default=20, help="of 5 calls by each way (%(default)s)")

    def _faces(self, options: dict[str, Any]) -> None:
        # The frameworks that these need are packages of `make dev`.
        from lab.benchmarks.faces import turns  # noqa: PLC0415
        from lab.benchmarks.faces.pairs import SUBJECT, open_pairs  # noqa: PLC0415

        tenant_id, blocks = ensure_tenant(options["tenant"], "Benchmark"), options["blocks"]
        processes = find_stack_processes(environment().data_dir)

        def read_cpu() -> float:
            spent = read_processor_times(processes)
            return time.process_time() + spent["web"] + spent["postgres"]

        with create_temporary_key(tenant_id) as key:
            target = parse_target(options["base"], key)
            target.post_texts(SUBJECT, make_texts(2, options["memories"]))
            finish_work(tenant_id)
            with open_pairs(target, tenant_id) as pairs, progress(self.stdout, "calling", blocks, "turns") as advance:
                measured = turns.measure_pairs(pairs, blocks, read_cpu, advance=advance)
        self.stdout.write("\n".join([turns.HEAD, *(one.render_row() for one in measured)]))

    def _add_checkpoints(self, parser: ArgumentParser) -> None:
        self._add_place(parser, "faces")
        parser.add_argument("--threads", type=int, default=4, help="of the client (%(default)s)")
        parser.add_argument("--rounds", type=int, default=3, help="of each way (%(default)s)")
        parser.add_argument("--seconds", type=float, default=10.0, help="of a round (%(default)s)")

    def _checkpoints(self, options: dict[str, Any]) -> None:
        from lab.benchmarks.faces import checkpoint_rate  # noqa: PLC0415

        tenant_id = ensure_tenant(options["tenant"], "Benchmark")
        plan = checkpoint_rate.RatePlan(options["threads"], options["rounds"], options["seconds"])
        processes = find_stack_processes(environment().data_dir)
        with (
            create_temporary_key(tenant_id) as key,
            progress(self.stdout, "storing", 2 * plan.rounds, "turns") as advance,
        ):
            ways = checkpoint_rate.measure_checkpoints(
                parse_target(options["base"], key),
                environment().database_owner_url,
                processes,
                plan,
                advance=advance,
            )
        self.stdout.write("\n".join([checkpoint_rate.HEAD, *(way.render_row() for way in ways)]))

    def _add_indexing(self, parser: ArgumentParser) -> None:
        self._add_place(parser, "bench-indexing", stack=False)
        parser.add_argument("folder", type=Path, help="pages of `manage.py fetch_documents`: en/ and zh/ in it")
        parser.add_argument("--megabytes", type=float, default=10, help="of Markdown in each language (%(default)s)")

    def _indexing(self, options: dict[str, Any]) -> None:
        folder, tenant = options["folder"], options["tenant"]
        for language in ("en", "zh"):
            content = read_markdown(folder / language, int(options["megabytes"] * 1_000_000))
            indexed = measure_indexing(ensure_tenant(f"{tenant}-{language}", "Benchmark"), language, content)
            self.stdout.write(indexed.render())

    def _add_run(self, parser: ArgumentParser) -> None:
        chosen = RunPlan(environment().stack_url)
        self._add_place(parser)
        parser.add_argument("--key", help="an API key of the tenant; one is made for the run when left out")
        parser.add_argument("--clients", type=read_numbers, default=chosen.clients, help="at once (1,4,16)")
        parser.add_argument("--sizes", type=read_numbers, default=chosen.sizes, help="cohorts (100,1000,10000)")
        parser.add_argument("--seconds", type=float, default=chosen.seconds, help="a cell a round (%(default)s)")
        parser.add_argument("--rounds", type=int, default=chosen.rounds, help="turns of each cell (%(default)s)")
        parser.add_argument("--peers-python", default=sys.executable, help="interpreter with the group `bench`")
        parser.add_argument("--no-peers", action="store_true", help="leave other memory stores out")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write the run to this file")

    def _run(self, options: dict[str, Any]) -> None:
        plan = RunPlan(
            options["base"],
            options["clients"],
            options["sizes"],
            options["seconds"],
            options["rounds"],
            None if options["no_peers"] else options["peers_python"],
        )
        with ExitStack() as stack:

            def start(turns: int) -> Advance:
                return stack.enter_context(progress(self.stdout, "measuring", turns, "turns"))

            measured = run_benchmark(world_tenant(options["tenant"]), plan, options["key"], start=start)
        self.stdout.write(render_table(measured))
        if options["json"]:
            write_run(measured, options["json"])
            self.stdout.write(f"Written to {options['json']}.")
