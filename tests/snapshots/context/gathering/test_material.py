"""A note that stands for its message is as relevant as that. Rows: X12, X1."""

from snapshots.context.gathering.material import as_its_message
from snapshots.context.values import MemoryItem


def item(kind: str, relevance: float, statement_id: str = "") -> MemoryItem:
    return MemoryItem(
        "snapshots", kind, kind, "words", 0.9, "observation", relevance, relevance, statement_id=statement_id
    )


def test_a_note_is_at_least_as_relevant_as_the_message_that_it_stands_for() -> None:
    message = item("statement", 0.3)
    raised = as_its_message(item("note", 0.1, "statement"), {"statement": message})
    assert (raised.kind, raised.relevance, raised.score) == ("note", 0.3, 0.3)
    better = item("note", 0.4, "statement")
    assert as_its_message(better, {"statement": message}) == better
    alone = item("note", 0.1, "another")
    assert as_its_message(alone, {"statement": message}) == alone
