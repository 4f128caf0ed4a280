"""Notes have an index and a lane of their own, and change nothing that snapshots find. Rows: P9, R1, R2, P4, P6."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import REGISTRY

from memory_platform.kernel.clock import utc_now
from profiles.models import Tag
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.indexed_text import SpokenTurn
from snapshots.embedding.snapshot_history import supersede_snapshots
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import BLOCK_POSITIONS, MemoryBlock, Note, Snapshot, SubjectMemory
from snapshots.notes.store_and_confirm import change_note
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.loading.block_sealing import seal_memories
from snapshots.recall.loading.load_stored_memory import MemoryState, make_reader_in_scope
from snapshots.recall.loading.loaded_indexes import (
    INDEXES,
    IndexCache,
    IndexKey,
    LazyIndex,
    LoadedIndexes,
    build_indexes,
    load_indexes,
    split_lanes,
)
from snapshots.recall.loading.past_indexes import make_index_at
from snapshots.recall.memory_indexes.memory_index import extend_index, unpack_memories
from snapshots.recall.pipeline import recall
from snapshots.recall.ranking.memory_ranking import rank_notes_or_replies
from snapshots.recall.values import MemoryRow, NoteSubject, RecalledMemory, RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.held import label, remember, say
from tests.snapshots.lifecycle.world import anything, edit
from tests.snapshots.notes_held import note_down
from tests.snapshots.recall.loading.test_block_sealing import leave_out
from tests.snapshots.recall.memory_indexes.test_memory_index import same
from tests.snapshots.recall.world import EMBEDDER, NOW, id_of, index_of, memory, probe_of
from tests.snapshots.recall.world import ask as ask_index

SPACES = {EMBEDDER.name: EMBEDDER.dimensions}
SUBJECT = UUID(int=1)
PEANUTS = "I am allergic to peanuts"
HIKING = "我每个周末都去爬山"
SAID = (PEANUTS, HIKING, "The meeting is on Monday", "My sister lives in Lisbon", "妈妈住在苏州")
NOTED = ("allergic to peanuts", "每个周末爬山", "sister lives in Lisbon", "妈妈住在苏州", "my car is red")
QUESTIONS = ("peanuts", "周末去哪里爬山", "Where does my sister live?", "妈妈住在哪里", "car")


def ask(house: House, text: str, asked_at: datetime | None = None, **query: Any) -> RecallAnswer:
    asked = {"lanes": frozenset({"snapshots", "notes"}), **query}
    return recall(house.tenant.id, "ada", RecallQuery(text, asked_at=asked_at or utc_now(), **asked))


def texts(found: RecallAnswer) -> list[str]:
    return [note.memory.text for note in found.notes]


def snapshots_found(house: House, asked_at: datetime) -> list[tuple[RecalledMemory, ...]]:
    return [ask(house, question, asked_at, explain=True, top_k=20).memories for question in QUESTIONS]


def address(house: House, note_id: UUID) -> SnapshotAddress:
    return SnapshotAddress(house.subject.external_id, note_id)


def notes_counted() -> float:
    return REGISTRY.get_sample_value("agent_memory_hit_total", {"type": "notes"}) or 0.0


def loaded_anew(house: House) -> LoadedIndexes:
    with tenant_tx(house.tenant.id):
        loaded = load_indexes(make_reader_in_scope(house.subject.id), active_embedders())
    assert loaded is not None
    return loaded


_rows = st.lists(
    st.builds(
        memory,
        st.text(alphabet="ab 家门?", max_size=12),
        embed=st.booleans(),
        kind=st.sampled_from(["statement", "note", "manual"]),
        conversation_id=st.sampled_from([None, "c1", "c2"]),
        seq=st.none() | st.integers(0, 6),
        name=st.sampled_from([None, "Ada"]),
        topics=st.sampled_from([(), ("旅行", "travel"), ("travel",)]),
        created_at=st.sampled_from([NOW, NOW + timedelta(seconds=1)]),
    ),
    max_size=12,
    unique_by=lambda row: row.id,
)


def apart(rows: Sequence[MemoryRow]) -> tuple[list[MemoryRow], list[MemoryRow]]:
    return [row for row in rows if row.kind != "note"], [row for row in rows if row.kind == "note"]


@given(_rows, st.lists(st.integers(0, 12), max_size=3))
def test_both_indexes_are_those_of_their_own_rows_however_they_grew(rows: list[MemoryRow], cuts: list[int]) -> None:
    steps = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    held: LoadedIndexes | None = None
    for number, (first, end) in enumerate(pairwise(steps)):
        index, notes, _ = build_indexes(held, [unpack_memories(rows[first:end], SPACES)])
        if number % 2:
            assert len(notes.index.ids) == notes.size, "linked between additions, or not"
        held = LoadedIndexes(SUBJECT, index, MemoryState(), notes=notes)
    assert held is not None
    snapshots, notes_alone = apart(rows)
    assert same(held.index, index_of(snapshots))
    assert same(held.notes.index, index_of(notes_alone))


@given(_rows, st.sampled_from([NOW, NOW + timedelta(seconds=1)]))
def test_both_indexes_of_an_earlier_moment_are_those_of_what_was_held(rows: list[MemoryRow], moment: datetime) -> None:
    changed = rows[::3]
    for own in apart(rows):
        then = [row for row in own if row.created_at <= moment]
        assert same(
            make_index_at(index_of(own), moment, [row.id for row in changed], unpack_memories(changed, SPACES)),
            index_of(then),
        )


def test_an_index_to_which_nothing_was_added_stays_itself() -> None:
    index, notes, _ = build_indexes(None, [unpack_memories([memory("one"), memory("two", kind="note")], SPACES)])
    held = LoadedIndexes(SUBJECT, index, MemoryState(), notes=notes)
    with_note, more, _ = build_indexes(held, [unpack_memories([memory("three", kind="note")], SPACES)])
    assert (with_note is index, more.size) == (True, 2)
    larger, same_notes, _ = build_indexes(held, [unpack_memories([memory("four")], SPACES)])
    assert (len(larger.ids), same_notes is notes) == (2, True)


def test_notes_are_no_neighbours_and_share_no_sitting() -> None:
    notes = [memory(text, kind="note", conversation_id="c1", seq=n) for n, text in enumerate(("one", "two", "three"))]
    index = index_of(notes)
    assert index.neighbours.previous.tolist() == index.neighbours.next2.tolist() == [3] * 4
    assert len(set(index.sittings.of.tolist())) == 3
    (best, *_) = rank_notes_or_replies(
        RecallQuery("one", asked_at=NOW, explain=True), probe_of("one"), index, DEFAULT_RECALL
    )
    assert best.explain is not None
    assert (best.id, best.explain.smoothed, best.explain.conversation) == (id_of("one"), 0, 0)


def test_the_turn_before_a_note_helps_to_find_it(world: World) -> None:
    asked = SpokenTurn("What is your home address?")
    note_down(world.acme, "48 Linden Avenue", previous=asked, previous_is_memory=False)
    note_down(world.acme, "48 percent of the shares")
    assert texts(ask(world.acme, "home address"))[0] == "48 Linden Avenue"


@pytest.mark.parametrize("size", [1, 300])
def test_a_cache_counts_notes_alike_before_and_after_they_are_linked(size: int) -> None:
    rows = [memory(f"note {i} of a long day 记忆", kind="note", topics=(f"topic {i}",)) for i in range(size)]
    notes = LazyIndex(unpack_memories(rows, SPACES))
    counted = notes.nbytes
    assert notes.index.nbytes <= counted == notes.nbytes <= 1.5 * notes.index.nbytes
    loaded = LoadedIndexes(SUBJECT, index_of([]), MemoryState(version=1), notes=notes)
    cache = IndexCache(10_000_000)
    cache.put_newest(IndexKey(SUBJECT, SUBJECT), loaded)
    assert cache.size == loaded.nbytes == index_of([]).nbytes + counted
    cache.discard_subject(SUBJECT, SUBJECT)
    assert cache.size == 0


def test_notes_are_found_in_english_and_chinese_best_first(world: World) -> None:
    note_down(world.acme, *NOTED)
    for question, wanted in zip(QUESTIONS, NOTED, strict=True):
        found = ask(world.acme, question)
        assert texts(found)[0] == wanted
        scores = [note.memory.score for note in found.notes]
        assert scores == sorted(scores, reverse=True)
        assert found.memories == ()
    assert len(texts(ask(world.acme, "peanuts", top_k=2))) == 2


def test_a_note_brings_what_is_known_of_it(world: World) -> None:
    message = say(world.acme, "My son Theo can't have cashews")[0]
    label(world.acme, "Theo")
    with tenant_tx(world.acme.tenant.id):
        tag = Tag.objects.get(subject=world.acme.subject)
    note_down(
        world.acme,
        "Theo can't have cashews",
        messages=[message],
        grade="limit",
        about_kind="contact",
        about_tag=tag,
        about_label="my son Theo",
        relation="son",
        vital_class="allergy",
        possibly_outdated=True,
        context="Anything he must not eat?",
        topics=("food",),
        confidence=0.9,
        provenance="confirmed_by_user",
    )
    (note,) = ask(world.acme, "cashews", explain=True).notes
    assert note.about is not None
    assert (note.about.kind, note.about.id, note.about.label, note.about.relation) == (
        "contact",
        tag.id,
        "my son Theo",
        "son",
    )
    assert (note.grade, note.vital_class, note.possibly_outdated) == ("limit", "allergy", True)
    assert note.context == "Anything he must not eat?"
    assert (note.memory.lane, note.memory.kind, note.memory.topics) == ("notes", "note", ("food",))
    assert (note.memory.confidence, note.memory.provenance) == (0.9, "confirmed_by_user")
    assert [source.message_id for source in note.memory.sources] == [message.external_id]
    assert note.memory.explain is not None
    assert ask(world.acme, "cashews").notes[0].memory.explain is None


def test_snapshots_are_found_with_the_same_scores_whatever_is_noted(world: World) -> None:
    """To the last digit: in an index that grew, in a new one, and with notes before, between and after."""
    messages = say(world.acme, *SAID)
    now = utc_now() + timedelta(minutes=1)
    conversation = messages[0].conversation_id
    remember(world.globex, *SAID)
    note_down(world.acme, "noted before anything was said")
    for number, text in enumerate(SAID):
        remember(world.acme, text, messages=[messages[number]], conversation_id=conversation, seq=number)
    before = snapshots_found(world.acme, now)
    assert all(before)
    note_down(world.acme, *NOTED, *SAID, seq=2, conversation_id=conversation)
    assert snapshots_found(world.acme, now) == before
    INDEXES.clear()
    assert snapshots_found(world.acme, now) == before
    with tenant_tx(world.acme.tenant.id):
        Note.objects.all().delete()
        Snapshot.objects.filter(kind="note").delete()
        SubjectMemory.objects.update(epoch=77)
    assert snapshots_found(world.acme, now) == before


def test_an_index_takes_up_notes_that_were_added(world: World) -> None:
    remember(world.acme, PEANUTS)
    assert texts(ask(world.acme, "peanuts")) == []
    note_down(world.acme, "allergic to peanuts")
    assert texts(ask(world.acme, "peanuts")) == ["allergic to peanuts"]
    remember(world.acme, "peanuts again")
    note_down(world.acme, "no peanuts for Theo")
    assert set(texts(ask(world.acme, "peanuts"))) == {"allergic to peanuts", "no peanuts for Theo"}


def test_sealed_blocks_hold_notes_and_snapshots(world: World) -> None:
    for end in (BLOCK_POSITIONS, 2 * BLOCK_POSITIONS):
        remember(world.acme, *SAID)
        note_down(world.acme, *NOTED)
        leave_out(world.acme, end)
    note_down(world.acme, "a loose note about peanuts")
    assert seal_memories(world.acme.tenant.id) == 2
    in_blocks = loaded_anew(world.acme)
    found = [(ask(world.acme, question, NOW).memories, texts(ask(world.acme, question, NOW))) for question in QUESTIONS]
    with tenant_tx(world.acme.tenant.id):
        MemoryBlock.objects.all().delete()
        SubjectMemory.objects.update(sealed=0)
    INDEXES.clear()
    in_rows = loaded_anew(world.acme)
    assert (len(in_blocks.index.ids), in_blocks.notes.size) == (2 * len(SAID), 2 * len(NOTED) + 1)
    assert same(in_blocks.index, in_rows.index)
    assert same(in_blocks.notes.index, in_rows.notes.index)
    again = [(ask(world.acme, question, NOW).memories, texts(ask(world.acme, question, NOW))) for question in QUESTIONS]
    assert again == found


def test_known_at_brings_the_notes_that_were_held_in_the_words_they_had(world: World) -> None:
    before_all = utc_now()
    (note_id,) = note_down(world.acme, "The key is under the mat")
    remember(world.acme, "The key turns twice")
    first = utc_now()
    edit(world.acme, address(world.acme, note_id), text="The key is under the pot")
    second = utc_now()
    with tenant_tx(world.acme.tenant.id):
        retire_snapshot(address(world.acme, note_id), accept=anything)
    assert texts(ask(world.acme, "mat", known_at=before_all)) == []
    assert texts(ask(world.acme, "mat", known_at=first)) == ["The key is under the mat"]
    assert texts(ask(world.acme, "pot", known_at=second)) == ["The key is under the pot"]
    assert texts(ask(world.acme, "key")) == []
    alone = ask(world.acme, "mat", known_at=first, lanes=frozenset({"notes"}))
    assert (alone.memories, texts(alone)) == ((), ["The key is under the mat"])


def test_known_at_brings_what_was_known_of_a_note_then(world: World) -> None:
    label(world.acme, "Theo", kind="contact", relation="son")
    with tenant_tx(world.acme.tenant.id):
        tag = Tag.objects.get(subject=world.acme.subject)
    (note_id,) = note_down(world.acme, "no cashews", about_kind="contact", about_tag=tag, vital_class="allergy")
    before = utc_now()
    with tenant_tx(world.acme.tenant.id):
        snapshot, note = Snapshot.objects.get(id=note_id), Note.objects.get(snapshot_id=note_id)
        details = {"about_kind": "self", "about_tag_id": None, "vital_class": "", "possibly_outdated": True}
        change_note(snapshot, note, {}, details)
    (now,), (then,) = ask(world.acme, "cashews").notes, ask(world.acme, "cashews", known_at=before).notes
    assert (now.about, now.vital_class, now.possibly_outdated) == (None, "", True)
    assert then.about is not None
    assert (then.about.id, then.about.kind, then.vital_class) == (tag.id, "contact", "allergy")
    assert then.possibly_outdated is False


def test_a_note_about_a_held_contact_has_the_contacts_names_where_it_has_none(world: World) -> None:
    label(world.acme, "Theo", kind="contact", relation="son")
    with tenant_tx(world.acme.tenant.id):
        tag = Tag.objects.get(subject=world.acme.subject)
    note_down(world.acme, "no cashews", about_kind="contact", about_tag=tag)
    (note,) = ask(world.acme, "cashews").notes
    assert note.about == NoteSubject("contact", tag.id, "Theo", "son")


def test_what_ended_or_ran_out_is_not_found(world: World) -> None:
    old, new = note_down(world.acme, "works at Acme", "works at Globex", said_at=utc_now() - timedelta(days=9))
    note_down(world.acme, "works from home today", expires_at=utc_now() - timedelta(seconds=1))
    ended = utc_now() - timedelta(days=2)
    with tenant_tx(world.acme.tenant.id):
        supersede_snapshots(world.acme.subject.id, Snapshot.objects.filter(id=old), by=new, invalid_at=ended)
    assert texts(ask(world.acme, "works")) == ["works at Globex"]
    then = ask(world.acme, "works", as_of=ended - timedelta(days=1))
    assert set(texts(then)) == {"works at Acme", "works at Globex"}


def test_filters_narrow_notes_but_kinds_does_not(world: World) -> None:
    long_ago = utc_now() - timedelta(days=400)
    note_down(world.acme, "peanuts make me ill", topics=("food",), metadata={"channel": "app"})
    note_down(world.acme, "peanuts on the plane", said_at=long_ago, metadata={"channel": "car"})
    remember(world.acme, "peanuts", metadata={"channel": "app"})
    both = {"peanuts make me ill", "peanuts on the plane"}
    assert set(texts(ask(world.acme, "peanuts", kinds=frozenset({"manual"})))) == both
    assert texts(ask(world.acme, "peanuts", topics=frozenset({"food"}))) == ["peanuts make me ill"]
    assert texts(ask(world.acme, "peanuts", until=long_ago)) == ["peanuts on the plane"]
    by_kind = ask(world.acme, "peanuts", filter=parse_filter({"kind": {"eq": "note"}}))
    assert (by_kind.memories, set(texts(by_kind))) == ((), both)
    with CaptureQueriesContext(connection) as asked:
        found = ask(world.acme, "peanuts", filter=parse_filter({"metadata.channel": {"eq": "app"}}))
    assert ([one.text for one in found.memories], texts(found)) == (["peanuts"], ["peanuts make me ill"])
    assert sum("metadata ->" in query["sql"] for query in asked.captured_queries) == 1, "for both indexes at once"


def test_a_recall_without_the_lane_reads_and_links_no_notes(world: World) -> None:
    remember(world.acme, PEANUTS)
    note_down(world.acme, "allergic to peanuts")
    lanes = frozenset({"snapshots"})
    ask(world.acme, "peanuts", lanes=lanes)
    with CaptureQueriesContext(connection) as without:
        assert ask(world.acme, "peanuts", lanes=lanes).notes == ()
    with CaptureQueriesContext(connection) as beside:
        assert texts(ask(world.acme, "peanuts")) == ["allergic to peanuts"]
    assert not any("note n" in query["sql"] for query in without.captured_queries)
    assert sum("note n" in query["sql"] for query in beside.captured_queries) == 1
    opened = [sum("app.tenant_id" in query["sql"] for query in run.captured_queries) for run in (without, beside)]
    assert opened[0] == opened[1], "one statement more in the same round trip"


def test_notes_alone_can_be_asked(world: World) -> None:
    remember(world.acme, PEANUTS)
    note_down(world.acme, "allergic to peanuts")
    found = ask(world.acme, "peanuts", lanes=frozenset({"notes"}))
    assert (found.memories, texts(found)) == ((), ["allergic to peanuts"])
    with tenant_tx(world.acme.tenant.id):
        Note.objects.all().delete()
    assert texts(ask(world.acme, "peanuts", lanes=frozenset({"notes"}))) == [], "what is gone stays out"


def test_another_tenant_finds_no_note(world: World) -> None:
    note_down(world.acme, *NOTED)
    for question in QUESTIONS:
        assert ask(world.globex, question).notes == ()
    assert recall(world.acme.tenant.id, "nobody", RecallQuery("car", utc_now(), lanes=frozenset({"notes"}))).notes == ()


def test_notes_found_are_counted(world: World) -> None:
    before = notes_counted()
    note_down(world.acme, *NOTED[:2])
    found = ask(world.acme, "peanuts")
    assert notes_counted() == before + len(found.notes) > before


def test_rows_are_split_without_a_copy_where_there_is_nothing_to_split() -> None:
    rows = unpack_memories([memory("one"), memory("two")], SPACES)
    assert split_lanes(rows)[0] is rows
    notes = unpack_memories([memory("one", kind="note")], SPACES)
    assert split_lanes(notes)[1] is notes
    assert len(extend_index(index_of([]), notes).ids) == 1
    assert ask_index("one", index_of([memory("one")]))[0].id == id_of("one")
