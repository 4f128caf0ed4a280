"""Build a world: the product's own functions store a pool of talks, and every subject gets copies of some.

Each copied row has all columns of a row that the product wrote; only ids, the subject and the positions differ. Copies
are made in the database, as the app role, under row-level security.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any
from uuid import UUID

from django.db import connection, connections, models

from lab.benchmarks.worlds.sentences import TURNS, WorldTalk, make_talks
from lab.benchmarks.worlds.world_spec import PREFIX, PlannedSubject, WorldSpec, plan_subjects
from lab.evaluation.datasets.scratch_tenant import finish_work, remove_expiry
from memory_platform.kernel.errors import Conflict, Unavailable
from memory_platform.kernel.ids import new_id
from memory_platform.management.base_command import Advance
from memory_platform.management.conversation_datasets import Dataset, DatasetConversation, import_dataset
from profiles.models import Subject
from profiles.services.subject_search_text import search_text_of
from profiles.services.subjects import put_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.intake.values import IncomingMessage
from snapshots.models import (
    CUT_OUT,
    Conversation,
    Message,
    Snapshot,
    SnapshotSource,
    SnapshotVector,
    SnapshotWords,
    SubjectMemory,
)
from tenants.isolation import current_tenant_id, tenant_tx

# The subject that says every sentence once.
POOL = f"{PREFIX}-pool"

# Snapshots in one transaction, unless a single subject holds more: a stop loses at most these.
BATCH = 5_000

WRITTEN = (Subject, SubjectMemory, Conversation, Message, Snapshot, SnapshotWords, SnapshotVector, SnapshotSource)

PLACED = "unnest(%(subjects)s::uuid[], %(talks)s::uuid[], %(before)s::bigint[], %(turns)s::bigint[])"
FROM_TALK = (
    f"{PLACED} AS p(subject, talk, before, turns) JOIN {{table}} o ON o.tenant_id = %(tenant)s AND o.{{key}} = p.talk"
)
OF_SNAPSHOT = (
    FROM_TALK.format(table="snapshot", key="conversation_id").replace(" o ON o.", " s ON s.").replace(" o.", " s.")
    + " AND s.seq <= p.turns AND s.kind NOT IN ('note', 'reply')"
    " JOIN {table} o ON o.tenant_id = %(tenant)s AND o.{key} = s.id"
)
OWN = {"subject_id": "p.subject"}


class WorldDiffers(Conflict):
    """The tenant holds a world that was made of other words, or in other embedding spaces."""

    code = "world_differs"


class WorldIncomplete(Unavailable):
    """The pool does not hold a snapshot with vectors for each of its sentences."""

    code = "world_incomplete"


@dataclass(frozen=True, slots=True)
class Pool:
    """The pool in the database: its tenant, and the row of each talk's conversation by the talk's number."""

    tenant_id: UUID
    conversations: Sequence[UUID]


def fill_pool(tenant_id: UUID, spec: WorldSpec, *, advance: Advance) -> Pool:
    """Have the pool's subject say every sentence of the pool; ``advance`` hears of each message. Safe to repeat.

    Raises WorldDiffers, or WorldIncomplete when a model did not answer.
    """
    _require_same_world(tenant_id, spec)
    said = make_talks(spec.seed, spec.talks)
    with tenant_tx(tenant_id):
        missing = _count_pool_sentences() < spec.pool
    if missing:
        pool = Dataset("the benchmark's pool", tuple(map(_make_conversation, said)))
        import_dataset(pool, tenant_id, Counter(), advance=advance)
        finish_work(tenant_id)
        remove_expiry(tenant_id)
    with tenant_tx(tenant_id):
        if (held := _count_pool_sentences()) < spec.pool:
            raise WorldIncomplete(f"{held:,} of {spec.pool:,} sentences are remembered with vectors")
        rows = Conversation.objects.filter(subject__external_id=POOL)
        ids = dict(rows.order_by().values_list("external_id", "id"))
    return Pool(tenant_id, [ids[talk.conversation_id] for talk in said])


def place_subjects(pool: Pool, spec: WorldSpec, *, advance: Advance) -> int:
    """Make the subjects that are missing; return how many it made. ``advance`` hears of each snapshot, old or new."""
    with tenant_tx(pool.tenant_id):
        known = frozenset(Subject.objects.order_by().values_list("external_id", flat=True))
    made = 0
    for batch in _split_into_batches(plan_subjects(spec)):
        missing = [subject for subject in batch if subject.external_id not in known]
        if missing:
            with tenant_tx(pool.tenant_id):
                store_subjects(pool, missing)
        made += len(missing)
        advance(sum(subject.size for subject in batch))
    return made


def store_subjects(pool: Pool, planned: Sequence[PlannedSubject]) -> None:
    rows = [
        Subject(id=new_id(), external_id=one.external_id, search_text=search_text_of(one.external_id, [], []))
        for one in planned
    ]
    Subject.objects.bulk_create(rows)
    SubjectMemory.objects.bulk_create(
        [SubjectMemory(subject_id=row.id, next_position=one.size + 1) for row, one in zip(rows, planned, strict=True)]
    )
    places = [place for row, one in zip(rows, planned, strict=True) for place in _plan_talk_copies(pool, row.id, one)]
    subjects, conversations, before, turns = (list(column) for column in zip(*places, strict=True))
    values: dict[str, Any] = {
        "tenant": current_tenant_id(),
        "subjects": subjects,
        "talks": conversations,
        "before": before,
        "turns": turns,
    }
    with connection.cursor() as cursor:
        for statement in COPIES:
            cursor.execute(statement, values)


def vacuum_tables(*tables: type[models.Model]) -> None:
    """Update planner statistics and visibility map of these tables, by default a world's; as the owner, outside any
    tenant."""
    with connections["owner"].cursor() as cursor:
        for model in tables or WRITTEN:
            cursor.execute(f"VACUUM (ANALYZE) {model._meta.db_table}")


def copy_of(model: type[models.Model], source: str, own: Mapping[str, str]) -> str:
    """Return the statement that copies rows ``o`` of ``source``; columns in ``own`` get another value."""
    columns = [str(field.column) for field in model._meta.local_concrete_fields]
    taken = [own.get(column, f"o.{column}") for column in columns]
    return f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) SELECT {', '.join(taken)} FROM {source}"  # noqa: S608 - names of ours


def build_copied_id_sql(column: str) -> str:
    """Return SQL for the id of a row copied into the subject ``p.subject``: the same wherever it is referenced."""
    return f"md5({column}::text || p.subject::text)::uuid"


def _list_copy_statements() -> Iterator[str]:
    within = {**OWN, "id": build_copied_id_sql("o.id"), "conversation_id": build_copied_id_sql("o.conversation_id")}
    position = {"position": "p.before + o.seq"}
    spoken = f"{FROM_TALK} AND o.seq <= p.turns"
    yield copy_of(
        Conversation, FROM_TALK.format(table="conversation", key="id"), {**OWN, "id": build_copied_id_sql("o.id")}
    )
    yield copy_of(Message, spoken.format(table="message", key="conversation_id"), within)
    remembered = f"{spoken} AND o.kind NOT IN ('note', 'reply')"  # a world counts what is remembered message by message
    yield copy_of(Snapshot, remembered.format(table="snapshot", key="conversation_id"), {**within, **position})
    below = {**OWN, "id": build_copied_id_sql("o.id"), "snapshot_id": build_copied_id_sql("s.id")}
    yield copy_of(
        SnapshotWords,
        OF_SNAPSHOT.format(table="snapshot_words", key="snapshot_id"),
        {**below, "position": "p.before + s.seq"},
    )
    yield copy_of(SnapshotVector, OF_SNAPSHOT.format(table="snapshot_vector", key="snapshot_id"), below)
    yield copy_of(
        SnapshotSource,
        OF_SNAPSHOT.format(table="snapshot_source", key="memory_id"),
        {
            **OWN,
            "id": build_copied_id_sql("o.id"),
            "memory_id": build_copied_id_sql("s.id"),
            "message_id": build_copied_id_sql("o.message_id"),
        },
    )


COPIES = tuple(_list_copy_statements())


def _plan_talk_copies(pool: Pool, subject_id: UUID, planned: PlannedSubject) -> Iterator[tuple[UUID, UUID, int, int]]:
    turns = [min(TURNS, planned.size - start) for start in range(0, planned.size, TURNS)]
    for talk, before, taken in zip(planned.talks, accumulate(turns, initial=0), turns, strict=False):
        yield subject_id, pool.conversations[talk], before, taken


def _split_into_batches(planned: Iterator[PlannedSubject]) -> Iterator[list[PlannedSubject]]:
    batch: list[PlannedSubject] = []
    for one in planned:
        batch.append(one)
        if sum(subject.size for subject in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _require_same_world(tenant_id: UUID, spec: WorldSpec) -> None:
    """Record the world's spec; raise WorldDiffers if another is held."""
    spaces = [embedder.name for embedder in active_embedders()]
    wanted: dict[str, Any] = {
        "pool": spec.pool,
        "seed": spec.seed,
        "spaces": spaces,
        "cohorts": [asdict(cohort) for cohort in spec.cohorts],
    }
    with tenant_tx(tenant_id):
        held = Subject.objects.filter(external_id=POOL).first()
        if held is None:
            put_subject(POOL, metadata=wanted)
        elif held.metadata != wanted:
            raise WorldDiffers("this tenant holds another world: name another one with --tenant")


def _count_pool_sentences() -> int:
    """Return how many sentences of the pool are remembered with vectors; without any embedder, remembered at all."""
    if active_embedders():
        vectors = SnapshotVector.objects.filter(subject__external_id=POOL)
        return vectors.exclude(snapshot__kind__in=CUT_OUT).count()
    return Snapshot.objects.filter(subject__external_id=POOL).exclude(kind__in=CUT_OUT).count()


def _make_conversation(talk: WorldTalk) -> DatasetConversation:
    messages = tuple(
        IncomingMessage(role="user", content=turn.text, message_id=str(number), said_at=turn.said_at)
        for number, turn in enumerate(talk.turns, 1)
    )
    return DatasetConversation(POOL, talk.conversation_id, messages)
