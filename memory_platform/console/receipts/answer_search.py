"""Answers found by words: of the question, which its stored prompt begins with, or of the reply among the messages."""

from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.db.models import BinaryField, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Substr

from memory_platform.console.memories.newest_rows_search import MAX_SEARCHED_ROWS
from memory_platform.kernel.text import to_comparable
from snapshots.feedback.config import LOOP
from snapshots.models import Message, MessageRole, Receipt
from snapshots.receipts.read import read_query_beginning

# Bytes of a packed prompt that are read: they hold about three times as many characters, more than a question has.
PACKED_BYTES = 1_024


def find_answers_by_words(answers: QuerySet[Receipt], words: str) -> set[UUID]:
    """Return the answers among the newest of ``answers`` whose question or reply has all words, in the open scope. Two
    queries: no index may serve a search for a part of a text behind the wall."""
    terms = [to_comparable(word) for word in words.split()]
    newest = answers.order_by("-created_at", "-id")[:MAX_SEARCHED_ROWS]
    return {*_find_by_question(newest, terms), *_find_by_reply(newest, words.split())} if terms else set()


def _find_by_question(newest: QuerySet[Receipt], terms: Sequence[str]) -> Iterator[UUID]:
    begin = Substr("rendered", 1, PACKED_BYTES, output_field=BinaryField())
    rows: Any = newest.annotate(begin=begin).values_list("pk", "begin")
    for receipt_id, packed in rows.iterator():
        question = to_comparable(read_query_beginning(bytes(packed))) if packed is not None else ""
        if all(word in question for word in terms):
            yield receipt_id


def _find_by_reply(newest: QuerySet[Receipt], words: Sequence[str]) -> Iterator[UUID]:
    """Yield the last answer before each of the assistant's messages that has the words."""
    said = Message.objects.filter(role=MessageRole.ASSISTANT).order_by("-accepted_at", "-id")
    told = Message.objects.filter(pk__in=said.values("pk")[:MAX_SEARCHED_ROWS])
    for word in words:
        told = told.filter(content__icontains=word)
    asked = Receipt.objects.filter(
        subject_id=OuterRef("subject_id"),
        conversation_id=OuterRef("conversation_id"),
        created_at__lte=OuterRef("accepted_at"),
        created_at__gt=OuterRef("accepted_at") - LOOP.answer_within,
    ).order_by("-created_at", "-id")
    found = told.annotate(answer=Subquery(asked.values("pk")[:1])).filter(answer__isnull=False)
    yield from found.values_list(F("answer"), flat=True)
