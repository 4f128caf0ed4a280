"""Words that are to be forgotten, and where they stand beside the memory that said them.

Two texts are the same when a reader would call them so: case, spacing and script variants do not matter.
"""

import zlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from django.db.models import Exists, OuterRef, Q, QuerySet

from memory_platform.kernel.text import to_comparable
from profiles.models import Candidate, IdempotentReply
from profiles.provenance_and_verdict import Verdict
from profiles.services.tombstones import REASON as FORGOTTEN
from snapshots.conversation_queries import add_archived_words
from snapshots.erasure.subject_tables import drop_zeros
from snapshots.models import (
    VERDICT,
    Message,
    MessageArchive,
    Receipt,
    ReceiptMemory,
    Snapshot,
    SnapshotVersion,
)
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_subject

# A message whose words are forgotten keeps only its place, so that a repeated post finds it taken.
BLANK_MESSAGE_COLUMNS: dict[str, Any] = {
    "name": None,
    "content": "",
    "parts": None,
    "tool_calls": None,
    "metadata": {},
    "content_hash": b"",
    "tokens": 0,
    "archived": False,
}


@dataclass(frozen=True, slots=True)
class ForgottenWords:
    """Texts of one subject in comparable form."""

    subject_id: UUID
    texts: frozenset[str]

    @classmethod
    def from_texts(cls, subject_id: UUID, texts: Iterable[str]) -> "ForgottenWords":
        return cls(subject_id, frozenset(form for text in texts if (form := to_comparable(text))))

    def contain_whole(self, text: str) -> bool:
        return to_comparable(text) in self.texts

    def are_part_of(self, text: str) -> bool:
        form = to_comparable(text)
        return any(one in form for one in self.texts)

    def are_quoted_by(self, text: str) -> bool:
        """Return whether ``text`` is part of one of them, or one of them part of it."""
        form = to_comparable(text)
        return bool(form) and any(one in form or form in one for one in self.texts)


def find_same_snapshots(words: ForgottenWords) -> list[UUID]:
    rows = Snapshot.objects.filter(subject_id=words.subject_id).order_by().values_list("id", "text")
    return [row_id for row_id, text in rows.iterator(chunk_size=2_000) if words.contain_whole(text)]


def find_same_messages(words: ForgottenWords) -> list[UUID]:
    own = Message.objects.filter(subject_id=words.subject_id).order_by()
    rows = own.exclude(content="").values_list("id", "content").iterator(chunk_size=2_000)
    archived = add_archived_words(list(own.filter(archived=True)))
    return [
        row_id for row_id, text in (*rows, *((row.id, row.content) for row in archived)) if words.contain_whole(text)
    ]


def drop_earlier_texts(words: ForgottenWords) -> int:
    """Delete images of other memories that had these words before an edit; return how many."""
    images = SnapshotVersion.objects.filter(subject_id=words.subject_id, fields__has_key="text").order_by()
    ids = [row_id for row_id, fields in images.values_list("id", "fields") if words.contain_whole(str(fields["text"]))]
    return SnapshotVersion.objects.filter(subject_id=words.subject_id, id__in=ids).delete()[0]


def blank_messages(subject_id: UUID, ids: Collection[UUID]) -> int:
    """Remove the words of messages, also from the archive; the messages keep their places."""
    for archive in MessageArchive.objects.filter(subject_id=subject_id).select_for_update() if ids else ():
        _drop_from_archive(archive, {str(one) for one in ids})
    return Message.objects.filter(subject_id=subject_id, id__in=ids).update(**BLANK_MESSAGE_COLUMNS)


def blank_candidates_of_messages(subject_id: UUID, message_ids: Collection[UUID]) -> int:
    return blank_candidates(Candidate.objects.filter(subject_id=subject_id, message_ref__in=message_ids))


def blank_candidates(rows: QuerySet[Candidate]) -> int:
    """Remove value, place and proposal from candidates, and reject pending ones; other verdicts stay."""
    rows.filter(verdict=Verdict.PENDING).update(verdict=Verdict.REJECTED, reason=FORGOTTEN)
    return rows.update(value=None, target="", proposal=None, quote_start=None, quote_end=None, review_reason="")


def strip_receipts(
    words: ForgottenWords, memories: Collection[UUID], conversations: Collection[UUID] = ()
) -> Counter[str]:
    """Drop the rendered prompts that showed one of ``memories``, these words, or any of ``conversations``, and the
    product's own reasons for verdicts on their memories. Return the rows by table and column."""
    write_memory_rows_of_subject(words.subject_id)
    own = Receipt.objects.filter(subject_id=words.subject_id).order_by()
    told = ReceiptMemory.objects.filter(subject_id=words.subject_id).order_by()
    shown = Exists(told.filter(receipt=OuterRef("id"), memory_ref__in=list(memories)))
    ids = set(own.filter(shown | Q(conversation_id__in=list(conversations))).values_list("id", flat=True))
    rendered = own.filter(rendered__isnull=False)
    unseen = rendered.exclude(id__in=ids) if words.texts else rendered.none()
    for row_id, packed in unseen.values_list("id", "rendered").iterator(chunk_size=200):
        if words.are_part_of(_unpack_text(packed)):
            ids.add(row_id)
    reasons = told.filter(receipt_id__in=ids, signal_reason__startswith=f"{VERDICT}: ")
    return Counter(
        {
            "receipt.rendered": rendered.filter(id__in=ids).update(rendered=None),
            "receipt_memory.signal_reason": reasons.update(signal_reason=VERDICT),
        }
    )


def drop_replies(words: ForgottenWords) -> int:
    rows = IdempotentReply.objects.filter(subject_id=words.subject_id).order_by().values_list("id", "body")
    ids = [row_id for row_id, body in rows if body and words.are_part_of(_join_strings(orjson.loads(bytes(body))))]
    return IdempotentReply.objects.filter(id__in=ids).delete()[0]


def count_words_left(words: ForgottenWords) -> dict[str, int]:
    prompts = Receipt.objects.filter(subject_id=words.subject_id, rendered__isnull=False).order_by()
    left = {
        "snapshot": len(find_same_snapshots(words)),
        "message": len(find_same_messages(words)),
        "receipt": sum(words.are_part_of(_unpack_text(one)) for one in prompts.values_list("rendered", flat=True)),
    }
    return drop_zeros(left)


def _drop_from_archive(archive: MessageArchive, ids: Collection[str]) -> None:
    held = orjson.loads(zlib.decompress(bytes(archive.packed)))
    kept = {key: words for key, words in held.items() if key not in ids}
    if len(kept) < len(held):
        plain = orjson.dumps(kept)
        archive.packed, archive.plain_bytes = zlib.compress(plain), len(plain)
        archive.save(update_fields=["packed", "plain_bytes"])


def _unpack_text(packed: Any) -> str:
    return _join_strings(orjson.loads(zlib.decompress(bytes(packed))))


def _join_strings(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(_join_strings(inner) for inner in value.values())
    if isinstance(value, list):
        return "\n".join(_join_strings(inner) for inner in value)
    return value if isinstance(value, str) else ""
