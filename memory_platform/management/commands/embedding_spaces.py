"""``manage.py embedding_spaces``: count the vectors of each embedding space; re-embed; drop a replaced space."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.db import Error

from memory_platform.kernel.clock import utc_now
from memory_platform.management.base_command import PlatformCommand, choose_tenants, progress
from memory_platform.providers.contracts import Embedder, EmbeddingUnavailable
from snapshots.embedding.embedding_spaces import Embedders, active_embedders, measure_active_embedders, space_id
from snapshots.embedding.upkeep.space_completeness import (
    NOTHING,
    Counts,
    SpaceCount,
    add_counts,
    count_memories_only_in,
    count_space_memories,
    delete_empty_space,
    drop_vectors,
    store_counts,
)
from snapshots.embedding.upkeep.vector_backfill import Advance, backfill_vectors
from snapshots.knowledge.index.chunk_reembedding import (
    count_chunks_in,
    count_chunks_to_move,
    drop_chunk_vectors,
    reembed_chunks,
)
from snapshots.models import EmbeddingSpace
from snapshots.sensitive.detector import mask_sensitive
from tenants.services.audit import COMMAND_LINE

AGAIN = "Run the same command again: it goes on where it stopped."
# The exit status of a program that Ctrl-C ended.
INTERRUPTED = 130
HEADINGS = (
    *("space", "length", "languages", "listed", "answers"),
    *("holds", "should hold", "done", "oldest missing"),
)


@dataclass(frozen=True, slots=True)
class SpaceLine:
    """One line of the table; ``answers`` is empty for a space that is not configured."""

    name: str
    dimensions: int
    languages: Sequence[str]
    listed: str
    answers: str
    count: SpaceCount

    @property
    def cells(self) -> tuple[str, ...]:
        count, oldest = self.count, self.count.oldest_missing_at
        return (
            self.name,
            f"{self.dimensions}",
            ",".join(self.languages),
            self.listed,
            self.answers,
            f"{count.held:,}",
            f"{count.belonging:,}",
            "-" if count.percent is None else f"{count.percent} %",
            f"{oldest:%Y-%m-%d %H:%M}" if oldest else "-",
        )


class Command(PlatformCommand):
    help = "Show what each embedding space holds and lacks (UTC); embed what is missing; drop a replaced space."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="count or re-embed this tenant only, by its slug")
        act = parser.add_mutually_exclusive_group()
        act.add_argument("--reembed", action="store_true", help="embed now what the listed spaces lack; safe to repeat")
        act.add_argument("--drop", metavar="NAME", help="remove the vectors of a space that EMBEDDER no longer lists")
        parser.add_argument("--yes", action="store_true", help="drop without asking for the space's name")

    def handle(self, *args: object, **options: Any) -> None:
        tenants = [tenant.id for tenant in choose_tenants(options["tenant"])]
        if options["drop"]:
            if options["tenant"]:
                raise CommandError("A space is dropped for all tenants: leave out --tenant.")
            self._drop(options["drop"], tenants, sure=options["yes"])
        if options["reembed"]:
            self._reembed(tenants)
        missing = self._show(tenants, whole=not options["tenant"])
        chunks = sum(map(count_chunks_to_move, tenants))
        if chunks:
            self.stdout.write(f"{chunks:,} chunks of documents wait for the model that is listed first.")
        if options["reembed"] and list_unmeasured_embedders(measure_active_embedders()):
            raise CommandError(f"A listed model does not answer: what it lacks was not embedded. {AGAIN}")
        if options["reembed"] and chunks:
            raise CommandError(f"{chunks:,} chunks of documents were not embedded: a model did not answer. {AGAIN}")
        if options["reembed"] and missing:
            raise CommandError(
                f"{missing:,} memories lack vectors still: a model or pgvector did not answer, or they were written "
                f"meanwhile. Words find them. {AGAIN}"
            )

    def _show(self, tenants: Sequence[UUID], *, whole: bool) -> int:
        """Print the table, store the counts for the console if they cover the platform, and return the number of
        missing vectors."""
        embedders = measure_active_embedders()
        counts = count_spaces_of(tenants, embedders)
        if whole:
            store_counts(counts, embedders)
        print_table([HEADINGS, *(line.cells for line in list_space_lines(counts, embedders))], self.stdout.write)
        for embedder in list_unmeasured_embedders(embedders):
            self.stderr.write(
                f"{embedder.name}: the model does not answer and its length is not known: its space is not counted."
            )
        return sum(count.missing for count in counts.values())

    def _reembed(self, tenants: Sequence[UUID]) -> None:
        missing = sum(count.missing for count in count_spaces_of(tenants, measure_active_embedders()).values())
        with catch_interrupt(), progress(self.stdout, "re-embedding", missing, "memories") as advance:
            for tenant_id in tenants:
                backfill_vectors(tenant_id, sys.maxsize, mask=mask_sensitive, advance=advance)
        chunks = sum(map(count_chunks_to_move, tenants))
        with catch_interrupt(), progress(self.stdout, "re-embedding", chunks, "chunks") as advance:
            for tenant_id in tenants:
                reembed_chunks(tenant_id, sys.maxsize, advance=advance)

    def _drop(self, name: str, tenants: Sequence[UUID], *, sure: bool) -> None:
        space = self._find_unlisted_space(name)
        embedders = measure_active_embedders()
        held = count_spaces_of(tenants, embedders).get(space.id, NOTHING).held
        alone = sum(count_memories_only_in(tenant_id, space.id, embedders) for tenant_id in tenants)
        chunks = sum(count_chunks_in(tenant_id, space) for tenant_id in tenants)
        self.stdout.write(f"{name}: vectors of {held:,} memories in use, {alone:,} of them with vectors nowhere else.")
        if chunks:
            self.stdout.write(f"{name}: vectors of {chunks:,} chunks of documents, which have vectors nowhere else.")
        if alone or chunks:
            self.stdout.write(self.style.WARNING("Those are found by words alone until --reembed embeds them anew."))
        if not sure:
            self.stdout.write("This cannot be undone. Type the space's name to drop it: ", ending="")
            self.stdout.flush()
            if sys.stdin.readline().strip() != name:
                raise CommandError("Nothing was dropped: the typed text is not the space's name.")
        with catch_interrupt(), progress(self.stdout, "dropping", 0, "vectors") as advance:
            dropped = sum(drop_space_vectors(one, space, advance=advance) for one in tenants)
        if not delete_empty_space(space):
            raise CommandError(
                f"{dropped:,} were dropped, but new ones came meanwhile: some process still lists {name}. Restart all "
                "processes with the new EMBEDDER, then run the same command again."
            )
        self.stdout.write(f"{name}: {dropped:,} vectors were dropped.")

    def _find_unlisted_space(self, name: str) -> EmbeddingSpace:
        space = EmbeddingSpace.objects.filter(name=name).first()
        if space is None:
            known = ", ".join(EmbeddingSpace.objects.values_list("name", flat=True)) or "none yet"
            raise CommandError(f"There is no embedding space {name!r}. Spaces here: {known}.")
        measured = measure_active_embedders()
        if name in {embedder.name for embedder in measured}:
            raise CommandError(
                f"{name} is listed in EMBEDDER and answers questions. Take it out of the list, restart all processes, "
                "then drop it."
            )
        if unknown := list_unmeasured_embedders(measured):
            raise CommandError(
                f"{unknown[0].name} is listed, does not answer, and its length is not known: {name} may be its space."
            )
        return space


def drop_space_vectors(tenant_id: UUID, space: EmbeddingSpace, *, advance: Advance) -> int:
    """Delete one tenant's vectors of memories and of documents in a space; return how many."""
    memories = drop_vectors(tenant_id, space, by=COMMAND_LINE, advance=advance)
    chunks = drop_chunk_vectors(tenant_id, space, by=COMMAND_LINE, is_recorded=memories > 0, advance=advance)
    return memories + chunks


def count_spaces_of(tenants: Sequence[UUID], embedders: Embedders) -> Counts:
    nothing: Counts = {}
    return reduce(add_counts, (count_space_memories(tenant_id, embedders) for tenant_id in tenants), nothing)


def list_unmeasured_embedders(measured: Embedders) -> list[Embedder]:
    return [one for one in active_embedders() if one not in measured]


def list_space_lines(counts: Counts, embedders: Embedders) -> list[SpaceLine]:
    """Return the configured spaces in their order, then the others by name."""
    kept = {space.id: space for space in EmbeddingSpace.objects.order_by("name")}
    found = []
    for place, one in enumerate(embedders, start=1):
        kept.pop(space_id(one), None)
        count = counts.get(space_id(one), NOTHING)
        found.append(SpaceLine(one.name, one.dimensions, one.languages, f"{place}", describe_answer(one), count))
    for other in kept.values():
        count = counts.get(other.id, NOTHING)
        found.append(SpaceLine(other.name, other.dimensions, other.languages, "no", "", count))
    return found


def describe_answer(embedder: Embedder) -> str:
    """Return ``yes`` if the model embeds a new text, else the reason why not."""
    try:
        embedder.embed([f"{utc_now().isoformat()}"])
    except EmbeddingUnavailable as away:
        return f"no: {away.detail}"
    return "yes"


def print_table(rows: Sequence[Sequence[str]], write: Any) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        write("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@contextmanager
def catch_interrupt() -> Iterator[None]:
    """End the command by Ctrl-C inside the block; finished work stays."""
    try:
        yield
    except (KeyboardInterrupt, Error) as fault:
        if not is_interrupt(fault):
            raise
        raise CommandError(f"Stopped. {AGAIN}", returncode=INTERRUPTED) from None


def is_interrupt(fault: BaseException | None) -> bool:
    """Return whether Ctrl-C was the cause: inside the database driver it surfaces as a connection error."""
    while fault is not None and not isinstance(fault, KeyboardInterrupt):
        fault = fault.__context__
    return fault is not None
