"""Tombstones: keyed hashes of a subject's forgotten data.

A tombstone recognises a text that a reader would call the same (case, spacing, script variants do not matter), or a
message by the product's own ids. It reveals neither, and is deleted with the subject.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar
from uuid import UUID

from django.conf import settings

from memory_platform.kernel.errors import Refused
from memory_platform.kernel.keyed_hashes import derived_key, keyed_digest
from memory_platform.kernel.text import to_comparable
from profiles.models import Forgotten, ForgottenKind, SubjectAlias

Thing = TypeVar("Thing")

PURPOSE = "forgotten"
# The reason of the verdict `rejected` for forgotten content.
REASON = "forgotten"

# A message by the product's ids: its conversation's and its own.
MessageName = tuple[str, str]

# Digests by kind.
Marks = Mapping[bytes, ForgottenKind]


class ForgottenMemory(Refused):
    """The subject had this forgotten; ``allow_forgotten`` lets it be remembered again. HTTP 422."""

    code = REASON


def record_tombstones(
    subject_id: UUID,
    *,
    texts: Iterable[str] = (),
    messages: Iterable[MessageName] = (),
    beliefs: Iterable[UUID] = (),
) -> Marks:
    """Leave tombstones of texts, messages and rows of beliefs, in the open scope; return them, new and old."""
    wanted: Marks = {
        **load_tombstones(subject_id, texts=texts, messages=messages),
        **{_belief_mark(subject_id, row_id): ForgottenKind.BELIEF for row_id in beliefs},
    }
    store_missing_tombstones(subject_id, wanted)
    return wanted


def load_tombstones(subject_id: UUID, *, texts: Iterable[str] = (), messages: Iterable[MessageName] = ()) -> Marks:
    """Return the tombstones that texts and messages would have, whether they exist or not."""
    marks = {_text_mark(subject_id, text): ForgottenKind.TEXT for text in texts if to_comparable(text)}
    return marks | {_message_mark(subject_id, name): ForgottenKind.MESSAGE for name in messages}


def drop_tombstones(subject_id: UUID, marks: Marks) -> None:
    """Delete tombstones, in the open scope: the content may be remembered again."""
    Forgotten.objects.filter(subject_id=subject_id, digest__in=list(marks)).delete()


def store_missing_tombstones(subject_id: UUID, marks: Marks) -> None:
    known = _forgotten_digests(subject_id, marks)
    rows = [
        Forgotten(subject_id=subject_id, kind=kind, digest=digest)
        for digest, kind in marks.items()
        if digest not in known
    ]
    Forgotten.objects.bulk_create(rows, ignore_conflicts=True, batch_size=1_000)


def find_tombstoned_texts(subject_id: UUID, texts: Iterable[str], marks: Marks) -> set[str]:
    return {text for text in set(texts) if _text_mark(subject_id, text) in marks}


def find_tombstoned_messages(subject_id: UUID, names: Iterable[MessageName], marks: Marks) -> set[MessageName]:
    return {name for name in set(names) if _message_mark(subject_id, name) in marks}


def find_forgotten_texts(subject_id: UUID, texts: Collection[str]) -> set[str]:
    """Return those of ``texts`` with a tombstone; one query, in the open scope."""
    return _find_marked(subject_id, texts, _text_mark)


def find_forgotten_messages(subject_id: UUID, names: Collection[MessageName]) -> set[MessageName]:
    return _find_marked(subject_id, names, _message_mark)


def find_forgotten_beliefs(subject_id: UUID, rows: Collection[UUID]) -> set[UUID]:
    return _find_marked(subject_id, rows, _belief_mark)


def has_tombstones(subject_id: UUID) -> bool:
    """Return whether the subject has any tombstone. Most subjects do not, and need no further check."""
    return Forgotten.objects.filter(subject_id=subject_id).exists()


def is_forgotten(subject_id: UUID, text: str, message: MessageName) -> bool:
    return bool(find_forgotten_texts(subject_id, [text]) or find_forgotten_messages(subject_id, [message]))


def _find_marked(subject_id: UUID, things: Collection[Thing], make_mark: Callable[[UUID, Thing], bytes]) -> set[Thing]:
    """A subject that was joined into this one left tombstones that are keyed with its own id."""
    if not things:
        return set()
    aliases = SubjectAlias.objects.filter(subject_id=subject_id).order_by()
    keyed_by = [subject_id, *aliases.values_list("former_id", flat=True)]
    marks = {thing: {make_mark(one, thing) for one in keyed_by} for thing in things}
    known = _forgotten_digests(subject_id, {mark for own in marks.values() for mark in own})
    return {thing for thing, own in marks.items() if not own.isdisjoint(known)}


def _forgotten_digests(subject_id: UUID, digests: Iterable[bytes]) -> set[bytes]:
    wanted = list(digests)
    if not wanted:
        return set()
    rows = Forgotten.objects.filter(subject_id=subject_id, digest__in=wanted)
    return {bytes(digest) for digest in rows.values_list("digest", flat=True)}


def _text_mark(subject_id: UUID, text: str) -> bytes:
    return keyed_digest(_key(), ForgottenKind.TEXT, subject_id, to_comparable(text))


def _message_mark(subject_id: UUID, name: MessageName) -> bytes:
    return keyed_digest(_key(), ForgottenKind.MESSAGE, subject_id, *name)


def _belief_mark(subject_id: UUID, row_id: UUID) -> bytes:
    return keyed_digest(_key(), ForgottenKind.BELIEF, subject_id, row_id)


def _key() -> bytes:
    return derived_key(settings.KEY_PEPPER, PURPOSE)
