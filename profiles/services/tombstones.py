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
from profiles.models import Forgotten, ForgottenKind, SubjectAlias, SubjectJoin

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
    rows, ids = list(beliefs), [subject_id, *_list_joined_subjects(subject_id)]
    wanted: Marks = {
        **load_tombstones(subject_id, texts=texts, messages=messages),
        **{_make_belief_mark(one, row_id): ForgottenKind.BELIEF for one in ids for row_id in rows},
    }
    store_missing_tombstones(subject_id, wanted)
    return wanted


def load_tombstones(subject_id: UUID, *, texts: Iterable[str] = (), messages: Iterable[MessageName] = ()) -> Marks:
    """Return the tombstones that texts and messages would have, whether they exist or not. Each subject that is joined
    into this one has its own, which hold there once the join is undone."""
    joined, words, names = (
        _list_joined_subjects(subject_id),
        [one for one in texts if to_comparable(one)],
        list(messages),
    )
    marks = {_make_text_mark(one, text): ForgottenKind.TEXT for one in (subject_id, *joined) for text in words}
    marks |= {_make_message_mark(subject_id, name): ForgottenKind.MESSAGE for name in names}
    earlier = _find_earlier_names(subject_id, names) if joined else ()
    return marks | {
        _make_message_mark(_make_joined_key(one), name): ForgottenKind.MESSAGE for one in joined for name in earlier
    }


def drop_tombstones(subject_id: UUID, marks: Marks) -> None:
    """Delete tombstones, in the open scope: the content may be remembered again."""
    Forgotten.objects.filter(subject_id=subject_id, digest__in=list(marks)).delete()


def store_missing_tombstones(subject_id: UUID, marks: Marks) -> None:
    known = _load_forgotten_digests(subject_id, marks)
    rows = [
        Forgotten(subject_id=subject_id, kind=kind, digest=digest)
        for digest, kind in marks.items()
        if digest not in known
    ]
    Forgotten.objects.bulk_create(rows, ignore_conflicts=True, batch_size=1_000)


def find_tombstoned_texts(subject_id: UUID, texts: Iterable[str], marks: Marks) -> set[str]:
    return {text for text in set(texts) if _make_text_mark(subject_id, text) in marks}


def find_tombstoned_messages(subject_id: UUID, names: Iterable[MessageName], marks: Marks) -> set[MessageName]:
    return {name for name in set(names) if _make_message_mark(subject_id, name) in marks}


def find_forgotten_texts(subject_id: UUID, texts: Collection[str]) -> set[str]:
    """Return those of ``texts`` with a tombstone; one query, in the open scope."""
    return _find_marked(subject_id, texts, _make_text_mark)


def find_forgotten_messages(subject_id: UUID, names: Collection[MessageName]) -> set[MessageName]:
    return _find_marked(subject_id, names, _make_message_mark, (_make_joined_key(subject_id),))


def find_forgotten_beliefs(subject_id: UUID, rows: Collection[UUID]) -> set[UUID]:
    return _find_marked(subject_id, rows, _make_belief_mark)


def has_tombstones(subject_id: UUID) -> bool:
    """Return whether the subject has any tombstone. Most subjects do not, and need no further check."""
    return Forgotten.objects.filter(subject_id=subject_id).exists()


def is_forgotten(subject_id: UUID, text: str, message: MessageName) -> bool:
    return bool(find_forgotten_texts(subject_id, [text]) or find_forgotten_messages(subject_id, [message]))


def copy_tombstones(join: SubjectJoin) -> None:
    """Copy tombstones that were made since a join to the subject that was joined, for its undo."""
    rows = Forgotten.objects.filter(subject_id=join.subject_id, created_at__gte=join.joined_at).order_by()
    made = rows.values_list("digest", "kind").iterator(chunk_size=2_000)
    store_missing_tombstones(join.former_id, {bytes(digest): ForgottenKind(kind) for digest, kind in made})


def _find_marked(
    subject_id: UUID, things: Collection[Thing], make_mark: Callable[[object, Thing], bytes], also: Iterable[str] = ()
) -> set[Thing]:
    """A subject that was joined into this one left tombstones that are keyed with its own id."""
    if not things:
        return set()
    keyed_by = [subject_id, *also, *_list_joined_subjects(subject_id)]
    marks = {thing: {make_mark(one, thing) for one in keyed_by} for thing in things}
    known = _load_forgotten_digests(subject_id, {mark for own in marks.values() for mark in own})
    return {thing for thing, own in marks.items() if not own.isdisjoint(known)}


def _load_forgotten_digests(subject_id: UUID, digests: Iterable[bytes]) -> set[bytes]:
    wanted = list(digests)
    if not wanted:
        return set()
    rows = Forgotten.objects.filter(subject_id=subject_id, digest__in=wanted)
    return {bytes(digest) for digest in rows.values_list("digest", flat=True)}


def _make_text_mark(subject_key: object, text: str) -> bytes:
    return keyed_digest(_derive_key(), ForgottenKind.TEXT, subject_key, to_comparable(text))


def _make_message_mark(subject_key: object, name: MessageName) -> bytes:
    return keyed_digest(_derive_key(), ForgottenKind.MESSAGE, subject_key, *name)


def _make_belief_mark(subject_key: object, row_id: UUID) -> bytes:
    return keyed_digest(_derive_key(), ForgottenKind.BELIEF, subject_key, row_id)


def _make_joined_key(former_id: UUID) -> str:
    """Return the key of messages that were forgotten while a subject was joined. It is not its id: meanwhile, the name
    of a message may be that of another one."""
    return f"{former_id} joined"


def _list_joined_subjects(subject_id: UUID) -> list[UUID]:
    """Return the ids of the subjects that are joined into this one."""
    rows = SubjectAlias.objects.filter(subject_id=subject_id).order_by()
    return list(rows.values_list("former_id", flat=True))


def _find_earlier_names(subject_id: UUID, names: Iterable[MessageName]) -> list[MessageName]:
    """Return the names that messages have once the joins into this subject are undone; those that are certainly its own
    are left out."""
    joins = SubjectJoin.objects.filter(subject_id=subject_id, undone_at=None).order_by()
    renamed = [one for rows in joins.values_list("renamed", flat=True) for one in rows]
    earlier = {one["new_name"]: one["name"] for one in renamed if one["table"] == "conversation"}
    own = set(earlier.values()) - set(earlier)
    return [(earlier.get(talk, talk), message) for talk, message in names if talk not in own]


def _derive_key() -> bytes:
    return derived_key(settings.KEY_PEPPER, PURPOSE)
