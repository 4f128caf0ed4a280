"""What was learned from messages that go (row E8): it goes with them when nothing else supports it.

A value that it had superseded holds again, as if the messages had never been said: see ``docs/deletion-details.md``.
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
    ToolSave,
)
from profiles.services.lists import entries_of
from profiles.services.profile import FactName
from profiles.services.search_text import refresh_search_text
from snapshots.erasure.learned.tag_details import delete_details, lose_details
from snapshots.erasure.learned.tags import drop_tag_acts, said_in, tags_without
from snapshots.erasure.learned.value_history import ValueHistory
from snapshots.erasure.words import Words, strip_receipts
from snapshots.models import (
    BeliefCounter,
    Calibration,
    MemoryAct,
    MemoryReview,
    PreferenceSource,
    ProfileFactSource,
    TagSource,
)
from snapshots.understanding.changes.ending import revive_changed

NOTES = (BeliefCounter, Calibration, MemoryAct, MemoryReview, ToolSave)


@dataclass(slots=True)
class Unlearned:
    """What went: rows by table, and the ids by model, for the search after the commit."""

    counts: Counter[str] = field(default_factory=Counter)
    gone: dict[type[Any], set[UUID]] = field(default_factory=lambda: defaultdict(set))
    changed: set[UUID] = field(default_factory=set)

    def found(self) -> dict[str, int]:
        """Return the tables that still hold rows of it, with how many; in the open scope."""
        left = {
            model._meta.db_table: model._default_manager.filter(id__in=ids).count() for model, ids in self.gone.items()
        }
        return {table: rows for table, rows in left.items() if rows}


def unlearn(subject: Subject, removed: Collection[UUID], words: Words) -> Unlearned:
    """Forget preferences, facts and tags that only these messages taught; others lose them as sources.

    One whose value is just these words says the same, and goes too. What stays loses what it quotes of them.
    """
    done, removed = Unlearned(), frozenset(removed)
    done.counts["note"] += revive_changed(subject.id, removed)
    _unlearn_values(done, subject, removed, words, Preference)
    _unlearn_values(done, subject, removed, words, ProfileFact)
    _unlearn_tags(done, subject, removed)
    memories = done.changed.union(*done.gone.values())
    if not memories:
        return done
    own = {"subject_id": subject.id}
    for note in NOTES:
        rows = note.objects.filter(memory_ref__in=set().union(*done.gone.values()), **own)
        done.counts[note._meta.db_table] += rows.delete()[0]
    done.counts.update(strip_receipts(Words(subject.id, frozenset()), memories))
    done.counts["idempotent_reply"] += IdempotentReply.objects.filter(**own).delete()[0]
    Subject.objects.filter(id=subject.id).update(profile_version=F("profile_version") + 1)
    refresh_search_text(subject)
    return done


def _unlearn_values(
    done: Unlearned, subject: Subject, removed: frozenset[UUID], words: Words, model: type[Preference | ProfileFact]
) -> None:
    links: Any = PreferenceSource if model is Preference else ProfileFactSource
    for history in _histories(subject, removed, model, links):
        gone = history.gone(words)
        lost, ids = history.lost_entries(gone), {row.id for row in gone}
        for row in history.rows:
            if row.id not in ids:
                _keep_rest(done, history, row, lost, words)
        done.gone[model] |= ids
        _delete_values(done, subject, model, links, ids)
        for heir, (until, successor) in history.heirs(gone).items():
            done.changed.add(heir)
            rows = model._default_manager.filter(subject_id=subject.id, id=heir)
            rows.update(invalid_at=until, superseded_by_id=successor, version=F("version") + 1)
    rows = links.objects.filter(subject_id=subject.id, message_id__in=removed)
    done.counts[links._meta.db_table] += rows.delete()[0]


def _keep_rest(done: Unlearned, history: ValueHistory, row: Any, lost: Collection[Any], words: Words) -> None:
    """Take from a value that stays, and from its images, what the messages that go gave it."""
    changes: dict[str, Any] = {}
    rest = history.left_of(row, list(lost))
    if rest != row.value:
        changes["value"] = rest
        done.counts[f"{row._meta.db_table}.value"] += 1
    if not set(history.sources.get(row.id, ())).isdisjoint(history.removed):
        changes["said_times"] = history.sayings_left(row)
        if isinstance(row, Preference) and words.quoted_by(row.statement):
            changes["statement"] = ""
            done.counts["preference.statement"] += 1
    if changes:
        own = type(row)._default_manager.filter(subject_id=row.subject_id)
        said = {name: value for name, value in changes.items() if name != "said_times"}
        if said:
            done.changed.add(row.id)
            own.filter(version_of_id=row.id).update(**said)
        own.filter(id=row.id).update(**changes, version=F("version") + 1)


def _delete_values(done: Unlearned, subject: Subject, model: type[Any], links: Any, ids: Collection[UUID]) -> None:
    own = {"subject_id": subject.id}
    done.counts[links._meta.db_table] += links.objects.filter(memory_id__in=ids, **own).delete()[0]
    for rows in (Q(version_of_id__in=ids), Q(id__in=ids)):
        done.counts[model._meta.db_table] += model._default_manager.filter(rows, **own).delete()[0]


def _histories(subject: Subject, removed: frozenset[UUID], model: type[Any], links: Any) -> Iterator[ValueHistory]:
    """Yield the histories of what the messages were a source of."""
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
        yield ValueHistory(rows, behind, removed, *_candidates(subject, model, place, messages, removed))


def _candidates(
    subject: Subject, model: type[Any], place: Mapping[str, Any], messages: set[UUID], removed: frozenset[UUID]
) -> tuple[set[UUID], list[Any]]:
    """Return which of the messages were read, and what those that stay say of the thing at ``place``."""
    is_fact = model is ProfileFact
    kind = CandidateKind.PROFILE if is_fact else CandidateKind.PREFERENCE
    target = FactName(**place).path if is_fact else f"{place['category']}/{place['key']}"
    rows = Candidate.objects.filter(subject_id=subject.id, message_ref__in=messages).order_by()
    read = {message for message in rows.values_list("message_ref", flat=True) if message is not None}
    said = rows.filter(kind=kind, target=target, value__isnull=False).exclude(message_ref__in=removed)
    values = said.exclude(verdict="rejected").values_list("value", flat=True)
    return read, [entry for value in values for entry in entries_of(value) or []]


def _unlearn_tags(done: Unlearned, subject: Subject, removed: frozenset[UUID]) -> None:
    links = TagSource.objects.filter(subject_id=subject.id)
    left = tags_without(subject, removed)
    done.gone[Tag] |= left.gone
    done.changed |= left.losses.keys()
    done.counts["memory_act"] += drop_tag_acts(subject.id, said_in(subject.id, removed), messages=removed)
    done.counts["tag_source"] += links.filter(Q(message_id__in=removed) | Q(memory_id__in=left.gone)).delete()[0]
    done.counts["tag_detail"] += delete_details(subject.id, left.gone)
    done.counts["tag"] += Tag.objects.filter(subject_id=subject.id, id__in=left.gone).delete()[0]
    for tag in Tag.objects.filter(subject_id=subject.id, id__in=left.losses):
        loss = left.losses[tag.id]
        done.gone[TagDetail] |= loss.gone
        done.counts.update(lose_details(tag, loss))
        if loss.columns:
            done.counts["tag.details"] += 1
            Tag.objects.filter(id=tag.id, subject_id=subject.id).update(**loss.columns, version=F("version") + 1)
