"""What the assistant said comes where it is asked for, in whatever words. Rows: C7, R2."""

from dataclasses import replace
from uuid import UUID

from memory_platform.providers.registry import embedders
from snapshots.embedding.packed_index import pack_vector_pair
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.memory_images.memory_image import build_image
from snapshots.recall.question import make_probe
from snapshots.recall.ranking.memory_ranking import rank_replies
from snapshots.recall.values import RankedHit, RecallQuery
from snapshots.relevance.config import RELEVANCE
from tests.snapshots.recall.world import NOW, id_of, image_of, memory, probe_of

BOOK, LAMP = "I'd recommend Kafka on the Shore", "The lamp costs 40 euros"
IMAGE = image_of([memory(BOOK, kind="reply"), memory(LAMP, kind="reply")])
QUESTION = "what was the novel called again?"


def rank(asks: float, question: str = QUESTION, *, named: bool = False) -> list[RankedHit]:
    probe = replace(probe_of(question), replies=asks)
    return rank_replies(RecallQuery(question, NOW, replies_named=named), probe, IMAGE, DEFAULT_RECALL)


def test_a_question_that_asks_for_something_else_gets_none() -> None:
    assert rank(0.0) == []


def test_a_question_that_may_ask_for_them_gets_them_and_the_surer_the_more_relevant() -> None:
    doubtful, sure = rank(RELEVANCE.asked_from), rank(1.0)
    assert {hit.id for hit in doubtful} == {hit.id for hit in sure} == {id_of(BOOK), id_of(LAMP)}
    assert sure[0].semantic > doubtful[0].semantic


def test_one_that_very_probably_helps_comes_unasked() -> None:
    (encoder,) = embedders("use")
    rows = []
    for text in (BOOK, LAMP):
        vectors = encoder.embed([text])[0]
        rows.append(memory(text, kind="reply", dense=pack_vector_pair(vectors, vectors), space=encoder.name))
    image = build_image(rows, {encoder.name: encoder.dimensions})

    def find_replies(question: str) -> list[UUID]:
        probe = make_probe(question, {encoder.name: encoder.embed([question])[0]}, DEFAULT_RECALL.scoring)
        return [hit.id for hit in rank_replies(RecallQuery(question, NOW), probe, image, DEFAULT_RECALL)]

    assert find_replies("What does the lamp cost?") == [id_of(LAMP)]
    assert find_replies("When do I swim?") == []


def test_they_come_where_the_caller_or_the_words_ask_for_them() -> None:
    assert len(rank(0.0, named=True)) == len(rank(0.0, "what did you recommend?")) == 2
