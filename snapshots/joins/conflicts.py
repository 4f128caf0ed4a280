"""Values that two subjects have under one name: which one wins, how the other gives way, and how it holds again."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.text import to_comparable
from profiles.models import Ask, Preference, ProfileFact, Subject, Tag, ToolSave
from profiles.selectors import preferences_at, profile_facts, tags_of
from profiles.services.belief_reversal import reinstate_belief
from profiles.services.beliefs import (
    BeliefPlace,
    change_belief,
    compute_recording_time,
    list_said_times,
    save_earlier_version,
)
from profiles.services.preferences import build_preference_place
from profiles.services.profile import FactName, build_fact_place
from profiles.services.tags.tags import LabelTaken, patch_tag
from profiles.services.value_claims import have_same_value
from snapshots.models import Conversation, MemoryFile

BeliefRow = Preference | ProfileFact
MODELS: Mapping[str, type[BeliefRow]] = {"preference": Preference, "profile_fact": ProfileFact}
NamedRow = Tag | Conversation | MemoryFile
NAMED: Mapping[str, type[NamedRow]] = {one._meta.db_table: one for one in (Tag, Conversation, MemoryFile)}
MAX_NAME_CHARS = 200


@dataclass(frozen=True, slots=True)
class BeliefConflict:
    """A value that both subjects have. The newest said wins, unless somebody chose; ``is_same``: both say the same."""

    winner: BeliefRow
    loser: BeliefRow
    is_same: bool


@dataclass(frozen=True, slots=True)
class NameConflict:
    """A tag, conversation or file whose name both subjects use: this row gets ``new_name``. ``keeper``: the tag that
    keeps the name; None for conversations and files, of which the kept subject's always keep theirs."""

    row: NamedRow
    name: str
    new_name: str
    keeper: Tag | None = None


def find_belief_conflicts(kept: Subject, joined: Subject, keep_ids: Collection[UUID]) -> list[BeliefConflict]:
    """Return the values that both have, of the profile first; one of ``keep_ids`` wins. Four queries."""
    found = []
    for rows, others in (
        (profile_facts(kept), profile_facts(joined)),
        (preferences_at(kept), preferences_at(joined)),
    ):
        own = {_name_of(row): row for row in rows}
        found += [_compare(own[_name_of(row)], row, keep_ids) for row in others if _name_of(row) in own]
    return found


def find_tag_conflicts(kept: Subject, joined: Subject, keep_ids: Collection[UUID]) -> list[NameConflict]:
    """Return the tags that give way to one of the same label: those that were changed earlier, unless they are of
    ``keep_ids``. Two queries."""
    tags = [*tags_of(kept), *tags_of(joined)]
    own = {to_comparable(tag.label): tag for tag in tags if tag.subject_id == kept.id}
    taken = {to_comparable(tag.label) for tag in tags}
    found = []
    for tag in (one for one in tags if one.subject_id == joined.id):
        other = own.get(to_comparable(tag.label))
        if other is not None:
            older, newer = sorted((other, tag), key=lambda one: (one.id in keep_ids, one.updated_at))
            found.append(NameConflict(older, older.label, _find_free_name(older.label, taken), newer))
    return found


def find_conversation_conflicts(kept: Subject, joined: Subject) -> list[NameConflict]:
    """Return the joined subject's conversations whose id the other one uses, too. Two queries."""
    own = Conversation.objects.filter(subject_id=kept.id).order_by()
    theirs = Conversation.objects.filter(subject_id=joined.id).order_by("created_at", "id")
    same = list(theirs.filter(external_id__in=own.values("external_id")))
    if not same:
        return []
    taken = {*own.values_list("external_id", flat=True), *theirs.values_list("external_id", flat=True)}
    return [
        NameConflict(talk, talk.external_id, _find_free_name(f"{talk.external_id} ({joined.external_id})", taken))
        for talk in same
    ]


def find_file_conflicts(kept: Subject, joined: Subject) -> list[NameConflict]:
    """Return the joined subject's files whose path the other one uses, too. Two queries."""
    own = MemoryFile.objects.filter(subject_id=kept.id).order_by()
    theirs = MemoryFile.objects.filter(subject_id=joined.id).defer("text").order_by("created_at", "id")
    same = list(theirs.filter(path__in=own.values("path")))
    if not same:
        return []
    taken = {*own.values_list("path", flat=True), *theirs.values_list("path", flat=True)}
    return [NameConflict(one, one.path, _find_free_name(f"{one.path} ({joined.external_id})", taken)) for one in same]


def end_loser(conflict: BeliefConflict) -> dict[str, Any]:
    """End the value that gives way; return how, for the undo."""
    loser, winner = conflict.loser, conflict.winner
    now = compute_recording_time(loser, utc_now())
    save_earlier_version(loser, now)
    change_belief(loser, now, invalid_at=max(loser.valid_at, winner.valid_at), superseded_by=winner)
    return {"table": loser._meta.db_table, "ended": str(loser.id), "winner": str(winner.id)}


def reinstate_losers(ended: Sequence[Mapping[str, Any]], subjects: Mapping[UUID, Subject]) -> tuple[int, int]:
    """Let values that gave way hold again, each with its own subject; return how many do, and how many do not: they
    changed since, or another value holds."""
    back = 0
    for one in ended:
        row = MODELS[one["table"]]._default_manager.filter(id=one["ended"]).first()
        if row is None or row.retired_at is not None or str(row.superseded_by_id) != one["winner"]:
            continue
        back += reinstate_belief(_find_place(row, subjects[row.subject_id]), row.id) is not None
    return back, len(ended) - back


def rename_rows(kept: Subject, joined: Subject, tags: Sequence[NameConflict]) -> list[dict[str, str]]:
    """Give tags, and conversations and files that both have, other names; return the earlier ones, for the undo."""
    subjects = {kept.id: kept, joined.id: joined}
    renamed = []
    for one in (*tags, *find_conversation_conflicts(kept, joined), *find_file_conflicts(kept, joined)):
        _rename(one.row, one.name, one.new_name, subjects)
        renamed.append(
            {"table": one.row._meta.db_table, "id": str(one.row.pk), "name": one.name, "new_name": one.new_name}
        )
    return renamed


def rename_back(renamed: Sequence[Mapping[str, str]], subjects: Mapping[UUID, Subject]) -> None:
    """Give rows their earlier names, as far as these are free and nobody renamed the rows since."""
    for one in renamed:
        row = NAMED[one["table"]]._default_manager.filter(id=one["id"]).first()
        if row is not None and _read_name(row) == one["new_name"]:
            _rename(row, one["new_name"], one["name"], subjects)


def _rename(row: NamedRow, name: str, new_name: str, subjects: Mapping[UUID, Subject]) -> None:
    if isinstance(row, Tag):
        standing = {"provenance": row.provenance, "confidence": row.confidence}
        try:
            patch_tag(subjects[row.subject_id], row, {"label": new_name, **standing})
        except LabelTaken:
            return
        return
    if isinstance(row, MemoryFile):
        if not MemoryFile.objects.filter(subject_id=row.subject_id, path=new_name).exists():
            MemoryFile.objects.filter(id=row.id).update(path=new_name)
        return
    if Conversation.objects.filter(subject_id=row.subject_id, external_id=new_name).exists():
        return
    Conversation.objects.filter(id=row.id).update(external_id=new_name)
    for named in (Ask, ToolSave):
        named._default_manager.filter(subject_id=row.subject_id, conversation=name).update(conversation=new_name)


def _read_name(row: NamedRow) -> str:
    if isinstance(row, MemoryFile):
        return row.path
    return row.label if isinstance(row, Tag) else row.external_id


def _name_of(row: BeliefRow) -> tuple[str, ...]:
    return (row.category, row.key) if isinstance(row, Preference) else (str(row.is_attribute), row.field)


def _compare(one: BeliefRow, other: BeliefRow, keep_ids: Collection[UUID]) -> BeliefConflict:
    loser, winner = sorted((one, other), key=lambda row: (row.id in keep_ids, _said_last(row)))
    return BeliefConflict(winner, loser, have_same_value(one.value, other.value))


def _said_last(row: BeliefRow) -> tuple[datetime, datetime]:
    return max(list_said_times(row)), row.recorded_at


def _find_place(row: BeliefRow, subject: Subject) -> BeliefPlace[Any]:
    if isinstance(row, Preference):
        return build_preference_place(subject, row.category, row.key)
    return build_fact_place(subject, FactName(row.field, is_attribute=row.is_attribute))


def _find_free_name(name: str, taken: set[str]) -> str:
    """Return the name, or the name with a number, and take it."""
    free = next(one for one in _number_names(name) if to_comparable(one) not in taken and one not in taken)
    taken |= {free, to_comparable(free)}
    return free


def _number_names(name: str) -> Iterator[str]:
    yield name[:MAX_NAME_CHARS]
    number = 2
    while True:
        end = f" {number}"
        yield name[: MAX_NAME_CHARS - len(end)] + end
        number += 1
