"""One relevance for each memory and question, whatever is let through and asked along. Rows: R7, X12, X1, P9."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from snapshots.recall.question import Probe
from snapshots.recall.ranking.memory_ranking import (
    ScoredIndex,
    list_ids,
    rank_memories,
    rank_notes_or_replies,
    score_all_rows,
)
from snapshots.recall.ranking.memory_relevance import find_message_rows
from snapshots.recall.values import MemoryRow, RankedHit, RecallQuery
from snapshots.receipts.candidate_packing import name_explanation_values
from snapshots.relevance.config import RELEVANCE
from tests.snapshots.recall.world import NOW, id_of, index_of, memory, probe_of

SAID = ("I live at 12 Elm Street", "the cello is new", "loud music again", "tea at four", "my flat has a garden")
NOTED = ("12 Elm Street", "a new cello", "tea at four o'clock")
ASKED = "Where is Elm Street?"
NARROW = {"filter": parse_filter({"topics": {"contains": "home"}}, field="filter")}


def statements() -> list[MemoryRow]:
    return said_in_turn(SAID, kind="statement")


def notes() -> list[MemoryRow]:
    return said_in_turn(NOTED, kind="note")


def said_in_turn(texts: Sequence[str], *, kind: str) -> list[MemoryRow]:
    """Return memories of one conversation; the first is about home."""
    return [
        memory(text, kind=kind, conversation_id="c1", seq=place, topics=() if place else ("home",))
        for place, text in enumerate(texts)
    ]


def make_query(**query: object) -> RecallQuery:
    return RecallQuery(ASKED, asked_at=NOW, explain=True, **query)  # type: ignore[arg-type]


def score(index: MemoryIndex, probe: Probe) -> tuple[MemoryIndex, ScoredIndex]:
    return index, score_all_rows(make_query(), probe, index, DEFAULT_RECALL)


def relevance(hits: Sequence[RankedHit], text: str) -> float:
    return next(hit.relevance for hit in hits if hit.id == id_of(text))


def parts(hits: Sequence[RankedHit], text: str) -> dict[str, float]:
    found = next(hit.explain for hit in hits if hit.id == id_of(text))
    assert found is not None
    told: dict[str, float] = name_explanation_values(found)["relevance"]
    return told


def odds(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


@pytest.mark.parametrize("query", [NARROW, {"topics": frozenset({"home"})}, {"kinds": frozenset({"statement"})}])
@pytest.mark.parametrize("whole", [True, False])
def test_no_filter_changes_the_number_of_what_it_lets_through(query: dict[str, object], whole: bool) -> None:
    index, probe = index_of([*statements(), memory("Elm Street again", kind="manual")]), probe_of(ASKED)
    every = rank_memories(make_query(whole=whole), probe, index, DEFAULT_RECALL)
    some = rank_memories(make_query(whole=whole, **query), probe, index, DEFAULT_RECALL)
    assert len(some) < len(every)
    assert relevance(some, SAID[0]) == relevance(every, SAID[0]) > 0
    assert parts(some, SAID[0]) == parts(every, SAID[0])


def test_no_filter_changes_the_number_of_a_note() -> None:
    index, probe = index_of(notes()), probe_of(ASKED)
    said = score(index_of(statements()), probe)
    every = rank_notes_or_replies(make_query(), probe, index, DEFAULT_RECALL, scored_statements=said)
    (home,) = rank_notes_or_replies(make_query(**NARROW), probe, index, DEFAULT_RECALL, scored_statements=said)
    assert home.relevance == relevance(every, NOTED[0])


def test_a_message_has_the_same_number_in_recall_and_in_a_context() -> None:
    index, probe = index_of(statements()), probe_of(ASKED)
    for text in SAID[:1]:
        alone, beside = (
            relevance(rank_memories(make_query(whole=whole, by_relevance=whole), probe, index, DEFAULT_RECALL), text)
            for whole in (False, True)
        )
        assert alone == beside


def test_the_parts_of_a_message_make_its_relevance() -> None:
    index, probe = index_of(statements()), replace(probe_of(ASKED), needs=0.9)
    hits = rank_memories(make_query(), probe, index, DEFAULT_RECALL)
    told = parts(hits, SAID[0])
    assert told.keys() == {"need", "as_note", "as_statement"}
    middle = (odds(told["as_note"]) + odds(told["as_statement"])) / 2
    assert told["need"] / (1 + np.exp(-middle)) == pytest.approx(relevance(hits, SAID[0]), abs=0.001)
    best = next(hit for hit in hits if hit.id == id_of(SAID[0]))
    assert best.semantic == pytest.approx(told["need"] * told["as_statement"], abs=0.001), "it is ranked by its place"


def test_the_parts_of_a_note_and_of_a_reply_make_their_relevance() -> None:
    index, probe = index_of(notes()), replace(probe_of(ASKED), needs=0.5, is_named=True)
    noted = rank_notes_or_replies(make_query(), probe, index, DEFAULT_RECALL)
    told = parts(noted, NOTED[0])
    assert told.keys() == {"need", "named", "as_note"}
    assert (told["need"], told["named"]) == (0.5, RELEVANCE.named_need)
    assert told["need"] * told["as_note"] == pytest.approx(relevance(noted, NOTED[0]), abs=0.001)
    replied = rank_notes_or_replies(make_query(), probe, index, DEFAULT_RECALL, asks_reply=0.5)
    told = parts(replied, NOTED[0])
    assert told["asks_reply"] == 0.5
    raised = odds(told["as_note"]) + RELEVANCE.asked_reply * told["asks_reply"]
    assert told["need"] / (1 + np.exp(-raised)) == pytest.approx(relevance(replied, NOTED[0]), abs=0.001)


def test_a_note_is_at_least_as_relevant_as_its_message_also_where_that_is_filtered_away() -> None:
    index, probe = index_of(notes()), probe_of(ASKED)
    said, scored = score(index_of(statements()), probe)
    alone = rank_notes_or_replies(make_query(), probe, index, DEFAULT_RECALL)
    for sure in (0.0001, 0.99):
        near = np.full(len(said.ids), sure)
        beside = replace(scored, judged=replace(scored.judged, near=near))
        hits = rank_notes_or_replies(
            make_query(**NARROW), probe, index, DEFAULT_RECALL, scored_statements=(said, beside)
        )
        assert relevance(hits, NOTED[0]) == max(sure, relevance(alone, NOTED[0]))
        assert parts(hits, NOTED[0]).get("as_message") == (sure if sure > relevance(alone, NOTED[0]) else None)


def test_a_note_knows_the_row_of_its_message() -> None:
    said = index_of([*statements(), memory("tea", conversation_id="c2", seq=1), memory("manual", kind="manual")])
    own = [*notes(), memory("elsewhere", kind="note", conversation_id="c3", seq=0), memory("by hand", kind="note")]
    index = index_of([*own, memory("tea too", kind="note", conversation_id="c2", seq=1)])
    rows = find_message_rows(index, said)
    messages = list_ids(said, np.arange(len(said.ids)))
    noted = list_ids(index, np.arange(len(rows)))
    found = {note: messages[of] if of >= 0 else None for note, of in zip(noted, rows.tolist(), strict=True)}
    wanted = [*map(id_of, SAID[:3]), None, None, id_of("tea")]
    assert found == dict(zip(map(id_of, [*NOTED, "elsewhere", "by hand", "tea too"]), wanted, strict=True))
    assert set(find_message_rows(index, index_of([])).tolist()) == {-1}
