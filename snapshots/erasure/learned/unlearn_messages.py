"""Unlearning messages that go: values without other support go with them.

A value that it had superseded holds again, as if the messages had never been said (``docs/data/deletion-details.md``).
The caller holds the subject (``lock_subject``), and still has the messages and their links.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from profiles.models import (
    Candidate,
    CandidateKind,
    IdempotentReply,
    Preference,
    ProfileFact,
    Subject,
    Tag,
    TagDetail,
)
from profiles.services.list_values import list_entries
from profiles.services.profile import FactName
from profiles.services.subject_search_text import refresh_search_text
from snapshots.erasure.derived_rows import delete_rows_about
from snapshots.erasure.forgotten_word_copies import ForgottenWords, strip_receipts
from snapshots.erasure.learned.tag_losses import (
    apply_tag_loss,
    delete_details,
    delete_tag_acts,
    find_tag_losses,
    load_words_of_messages,
)
from snapshots.erasure.learned.unsupported_values import ValueHistory
from snapshots.erasure.subject_tables import drop_zeros
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource
from snapshots.understanding.changes.apply_note_endings import undo_endings


@dataclass(slots=True)
class UnlearnedRows:
    """Rows that went, by table, and their ids by model for the search after the commit."""

    counts: Counter[str] = field(default_factory=Counter)
    gone: dict[type[Any], set[UUID]] = field(default_factory=lambda: defaultdict(set))
    changed: set[UUID] = field(default_factory=set)

    def count_left(self) -> dict[str, int]:
        rows = {model._meta.db_table: model._default_manager.filter(id__in=ids) for model, ids in self.gone.items()}
        return drop_zeros({table: left.count() for table, left in rows.items()})


def unlearn_messages(subject: Subject, removed: Collection[UUID], words: ForgottenWords) -> UnlearnedRows:
    """Forget preferences, facts and tags that only these messages taught; others lose them as sources.

    Values equal to these words go too. Remaining values lose their quotes of them.
    """
    done, removed = UnlearnedRows(), frozenset(removed)
    done.counts["note"] += undo_endings(subject.id, removed)
    _unlearn_values(done, subject, removed, words, Preference)
    _unlearn_values(done, subject, removed, words, ProfileFact)
    _unlearn_tags(done, subject, removed)
    memories = done.changed.union(*done.gone.values())
    if not memories:
        return done
    own = {"subject_id": subject.id}
    done.counts.update(delete_rows_about(subject.id, set().union(*done.gone.values())))
    done.counts.update(strip_receipts(ForgottenWords(subject.id, frozenset()), memories))
    done.counts["idempotent_reply"] += IdempotentReply.objects.filter(**own).delete()[0]
    Subject.objects.filter(id=subject.id).update(profile_version=F("profile_version") + 1)
    refresh_search_text(subject)
    return done


def find_unlearned_rows(
    subject: Subject, removed: Collection[UUID], words: ForgottenWords
) -> list[Preference | ProfileFact | Tag]:
    """Return the rows that :func:`unlearn_messages` would delete, in the open scope, without a lock."""
    removed = frozenset(removed)
    rows: list[Any] = []
    links: Any
    for model, links in ((Preference, PreferenceSource), (ProfileFact, ProfileFactSource)):
        for history in _load_histories(subject, removed, model, links):
            rows += history.find_unsupported_values(words)
    gone = find_tag_losses(subject, removed).gone
    return [*rows, *Tag.objects.filter(subject_id=subject.id, id__in=gone).order_by("id")]


def _unlearn_values(
    done: UnlearnedRows,
    subject: Subject,
    removed: frozenset[UUID],
    words: ForgottenWords,
    model: type[Preference | ProfileFact],
) -> None:
    links: Any = PreferenceSource if model is Preference else ProfileFactSource
    for history in _load_histories(subject, removed, model, links):
        gone = history.find_unsupported_values(words)
        lost, ids = history.find_lost_entries(gone), {row.id for row in gone}
        for row in history.rows:
            if row.id not in ids:
                _shorten_value(done, history, row, lost, words)
        done.gone[model] |= ids
        _delete_values(done, subject, model, links, ids)
        for heir, (until, successor) in history.find_revived_values(gone).items():
            done.changed.add(heir)
            rows = model._default_manager.filter(subject_id=subject.id, id=heir)
            rows.update(invalid_at=until, superseded_by_id=successor, version=F("version") + 1)
    rows = links.objects.filter(subject_id=subject.id, message_id__in=removed)
    done.counts[links._meta.db_table] += rows.delete()[0]


def _shorten_value(
    done: UnlearnedRows, history: ValueHistory, row: Any, lost: Collection[Any], words: ForgottenWords
) -> None:
    changes: dict[str, Any] = {}
    rest = history.drop_lost_entries(row, list(lost))
    if rest != row.value:
        changes["value"] = rest
        done.counts[f"{row._meta.db_table}.value"] += 1
    if not set(history.sources.get(row.id, ())).isdisjoint(history.removed):
        changes["said_times"] = history.find_remaining_times(row)
        if isinstance(row, Preference) and words.are_quoted_by(row.statement):
            changes["statement"] = ""
            done.counts["preference.statement"] += 1
    if changes:
        own = type(row)._default_manager.filter(subject_id=row.subject_id)
        said = {name: value for name, value in changes.items() if name != "said_times"}
        if said:
            done.changed.add(row.id)
            own.filter(version_of_id=row.id).update(**said)
        own.filter(id=row.id).update(**changes, version=F("version") + 1)


def _delete_values(done: UnlearnedRows, subject: Subject, model: type[Any], links: Any, ids: Collection[UUID]) -> None:
    own = {"subject_id": subject.id}
    done.counts[links._meta.db_table] += links.objects.filter(memory_id__in=ids, **own).delete()[0]
    for rows in (Q(version_of_id__in=ids), Q(id__in=ids)):
        done.counts[model._meta.db_table] += model._default_manager.filter(rows, **own).delete()[0]


def _load_histories(subject: Subject, removed: frozenset[UUID], model: type[Any], links: Any) -> Iterator[ValueHistory]:
    columns = ("category", "key") if model is Preference else ("field", "is_attribute")
    own = model._default_manager.filter(subject_id=subject.id, version_of__isnull=True)
    taught = links.objects.filter(subject_id=subject.id, message_id__in=removed).order_by().values("memory_id")
    for place in list(own.filter(id__in=taught).order_by().values(*columns).distinct()):
        rows = list(own.filter(**place).order_by("valid_at", F("invalid_at").asc(nulls_last=True), "recorded_at"))
        behind: dict[UUID, dict[UUID, datetime]] = defaultdict(dict)
        named = links.objects.filter(subject_id=subject.id, memory_id__in=[row.id for row in rows]).order_by()
        for memory, message, at in named.values_list("memory_id", "message_id", "message__said_at"):
            behind[memory][message] = at
        messages = {message for one in behind.values() for message in one}
        yield ValueHistory(rows, behind, removed, *_load_candidates(subject, model, place, messages, removed))


def _load_candidates(
    subject: Subject, model: type[Any], place: Mapping[str, Any], messages: set[UUID], removed: frozenset[UUID]
) -> tuple[set[UUID], list[Any]]:
    """Return which of the messages were read, and the entries that the others propose at ``place``."""
    is_fact = model is ProfileFact
    kind = CandidateKind.PROFILE if is_fact else CandidateKind.PREFERENCE
    target = FactName(**place).path if is_fact else f"{place['category']}/{place['key']}"
    rows = Candidate.objects.filter(subject_id=subject.id, message_ref__in=messages).order_by()
    read = {message for message in rows.values_list("message_ref", flat=True) if message is not None}
    said = rows.filter(kind=kind, target=target, value__isnull=False).exclude(message_ref__in=removed)
    values = said.exclude(verdict="rejected").values_list("value", flat=True)
    return read, [entry for value in values for entry in list_entries(value) or []]


def _unlearn_tags(done: UnlearnedRows, subject: Subject, removed: frozenset[UUID]) -> None:
    links = TagSource.objects.filter(subject_id=subject.id)
    left = find_tag_losses(subject, removed)
    done.gone[Tag] |= left.gone
    done.changed |= left.losses.keys()
    done.counts["memory_act"] += delete_tag_acts(
        subject.id, load_words_of_messages(subject.id, removed), messages=removed
    )
    done.counts["tag_source"] += links.filter(Q(message_id__in=removed) | Q(memory_id__in=left.gone)).delete()[0]
    done.counts["tag_detail"] += delete_details(subject.id, left.gone)
    done.counts["tag"] += Tag.objects.filter(subject_id=subject.id, id__in=left.gone).delete()[0]
    for tag in Tag.objects.filter(subject_id=subject.id, id__in=left.losses):
        loss = left.losses[tag.id]
        done.gone[TagDetail] |= loss.gone
        done.counts.update(apply_tag_loss(tag, loss))
        if loss.columns:
            done.counts["tag.details"] += 1
            Tag.objects.filter(id=tag.id, subject_id=subject.id).update(**loss.columns, version=F("version") + 1)
