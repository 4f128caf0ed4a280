"""Turn what was read into what may go into a context: rows become items, turns and passages."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.local_time import at_offset, in_zone
from memory_platform.kernel.terms import terms
from profiles.belief_queries import HeldFact, HeldPreference
from profiles.models import Tag
from profiles.wording import Place
from snapshots.context.choosing.facts import Judge, Standing, judge_facts, preference_fact, profile_fact, tag_fact
from snapshots.context.gathering.changed import Changes, bring_up_to_date, ended_before
from snapshots.context.gathering.noted import with_slots_in_notes, without_masks, without_noted_words
from snapshots.context.gathering.scene import Scene, Surroundings
from snapshots.context.values import Material, MemoryItem, Passage, ProfileView, WindowTurn
from snapshots.context.writing.fence import LOOKS
from snapshots.models import NoteGrade, VitalClass
from snapshots.recall.answer import Recalled, RecalledLanes
from snapshots.recall.values import RecalledMemory, RecalledNote
from snapshots.understanding.grading.features import asked_in
from snapshots.understanding.statements.statements import STATEMENT_VERSION
from snapshots.window.values import WindowTurn as HeldTurn

Item = TypeVar("Item", MemoryItem, Passage)
Told = Mapping[UUID, frozenset[str]]

LOCALE = "locale"
# The fields of a `snapshots.context.values.ProfileView` that hold items.
_FACTS = ("fields", "attributes", "preferences", "tags", "notes")
_SPEAKERS = re.compile(r"^(?:user|assistant|tool): ", re.MULTILINE)
# Terms of an answer that may need its question to be understood.
BARE_TERMS = 6


@dataclass(frozen=True, slots=True)
class Bounds:
    """``vital``: classes of notes that stand whatever is asked. ``is_narrowed``: a filter admits recalled memories
    alone.
    """

    vital: Collection[str] = tuple(VitalClass.values)
    is_narrowed: bool = False


def material_of(
    found: Recalled, scene: Scene | None, around: Surroundings, judge: Judge, bounds: Bounds, *, in_han: bool = False
) -> Material:
    """Return all that may go into a context. ``judge`` says which slots help a question, Chinese if ``in_han``."""
    vital = bounds.vital
    told = statements_behind(around)
    changes = Changes.of_rows(around.changed, partial(_standing_note, vital=vital, told=told))
    profile = profile_view(found.lanes, changes, standing_notes(around, changes, vital, told))
    notes = (note_item(note, vital, told) for note in found.notes)
    said = (*notes, *map(memory_item, found.memories), *map(memory_item, found.replies))
    meant = {str(match.tag.id): match.score for match in found.lanes.meant}
    told_now = bring_up_to_date(without_masks(said), changes, fetches=not bounds.is_narrowed)
    ended = tuple(without_masks(ended_before(told_now, changes)))
    slots = tuple(judge_facts(replace(profile, notes=()), judge, meant, in_han=in_han))
    offered = () if bounds.is_narrowed else slots
    summary = None
    if scene and scene.window.summary:
        summary = marked(Passage(lane="summary", id=scene.conversation_id, text=scene.window.summary))
    return Material(
        profile=profile,
        memories=(*with_slots_in_notes(without_noted_words(told_now, profile.notes), offered), *ended),
        turns=tuple(window_turns(scene)) if scene else (),
        summary=summary,
        full_history_tokens=around.full_history,
        said_first=scene.said_first if scene else (),
        needs=found.needs,
        held_back=found.holds_any or bool(slots),
    )


def dated_in(material: Material, zone: tzinfo | None) -> Material:
    """Return the material with its days in ``zone``, where the speaker's own zone is not known."""
    if zone in (None, UTC):
        return material
    profile: dict[str, Any] = {name: _all_in(getattr(material.profile, name), zone) for name in _FACTS}
    memories = _all_in(material.memories, zone)
    return replace(material, profile=replace(material.profile, **profile), memories=memories)


def _all_in(items: Sequence[MemoryItem], zone: tzinfo | None) -> tuple[MemoryItem, ...]:
    return tuple(_in(item, zone) for item in items)


def _in(item: MemoryItem, zone: tzinfo | None) -> MemoryItem:
    told = (item.valid_since, item.doubted_since, item.ended_at)
    since, doubted, ended = here = tuple(moment and in_zone(moment, zone) for moment in told)
    is_same = all(one is other for one, other in zip(told, here, strict=True))
    return item if is_same else replace(item, valid_since=since, doubted_since=doubted, ended_at=ended)


def profile_view(lanes: RecalledLanes, changes: Changes, standing: tuple[MemoryItem, ...]) -> ProfileView:
    """Return the rows of the lanes as a profile, with the notes that stand whatever is asked."""
    facts = lanes.beliefs.facts
    locale = next((fact.value for fact in facts if fact.field == LOCALE and not fact.is_attribute), None)
    return ProfileView(
        locale=locale if isinstance(locale, str) else None,
        fields=changes.mark_slots(fact_item(fact) for fact in facts if not fact.is_attribute),
        attributes=changes.mark_slots(fact_item(fact) for fact in facts if fact.is_attribute),
        preferences=changes.mark_slots(map(preference_item, lanes.beliefs.preferences)),
        tags=changes.mark_slots(map(tag_item, lanes.tags)),
        notes=standing,
    )


def fact_item(fact: HeldFact) -> MemoryItem:
    return marked(replace(profile_fact(fact.field, fact.value, standing_of(fact)), id=str(fact.id)))


def preference_item(preference: HeldPreference) -> MemoryItem:
    path = (preference.category, preference.key)
    return marked(preference_fact(str(preference.id), path, preference.value, standing_of(preference)))


def tag_item(tag: Tag) -> MemoryItem:
    points_at = (tag.address or None, tag.phone or None, tag.relation or None)
    place = Place(tag.label, str(tag.kind), *points_at, tuple(tag.aliases))
    standing = Standing(tag.confidence, str(tag.provenance), tag.valid_at or tag.created_at)
    return marked(tag_fact(str(tag.id), place, standing))


def standing_of(belief: HeldFact | HeldPreference) -> Standing:
    return Standing(belief.confidence, belief.provenance, belief.valid_at)


def memory_item(memory: RecalledMemory) -> MemoryItem:
    """Return a snapshot as an item; a speaker other than the subject stands before the words."""
    text = f"{memory.name}: {memory.text}" if memory.name else memory.text
    looks = LOOKS(text)
    return MemoryItem(
        lane="snapshots",
        id=str(memory.id),
        kind=memory.kind,
        text=text,
        confidence=memory.confidence,
        provenance=memory.provenance,
        score=memory.score,
        relevance=memory.relevance,
        category=memory.category or "general",
        valid_since=memory.valid_at and at_offset(memory.valid_at, memory.said_offset),
        message_keys=frozenset(message_key(one.conversation_id, one.message_id) for one in memory.sources),
        untrusted_instruction=looks.instructs,
        looks=looks,
        explain=memory.explain,
    )


def statements_behind(around: Surroundings) -> Mapping[UUID, frozenset[str]]:
    """Return by note the statements of the messages that said it again."""
    found = defaultdict[UUID, set[str]](set)
    for note_id, message_id in around.said_again:
        found[note_id].add(str(stable_id(STATEMENT_VERSION, message_id)))
    return {note_id: frozenset(ids) for note_id, ids in found.items()}


def note_item(note: RecalledNote, vital: Collection[str], told: Told) -> MemoryItem:
    about = (note.about.label, note.about.relation) if note.about else ("", "")
    text = note_words(note.memory.text, about, note.context)
    item = replace(
        memory_item(note.memory),
        grade=note.grade,
        vital=note.vital_class in vital,
        words=note.memory.text,
        statement_ids=_statements_of(note.memory.id, note.statement_id, told),
    )
    return marked(replace(item, text=text))


def _statements_of(note_id: UUID, statement_id: UUID | None, told: Told) -> frozenset[str]:
    own = frozenset({str(statement_id)}) if statement_id else frozenset[str]()
    return own | told.get(note_id, frozenset())


def standing_notes(
    around: Surroundings, changes: Changes, vital: Collection[str], told: Told
) -> tuple[MemoryItem, ...]:
    """Return the notes that stand whatever is asked, with newer ones.

    Vital notes count at once, others as they were known when the conversation began, so that the prefix stays the same.
    """
    began = around.conversation.created_at if around.conversation else None
    notes = ((_standing_note(row, vital=vital, told=told), row[-1]) for row in around.standing)
    known = (note for note, since in notes if note.vital or (_stands(note) and (began is None or since <= began)))
    return tuple(bring_up_to_date(known, changes))


def _stands(note: MemoryItem) -> bool:
    return note.grade in {NoteGrade.LIMIT, NoteGrade.HABIT}


def note_words(text: str, about: tuple[str, str], context: str) -> str:
    """Return the words of a note so that they stand alone.

    Whom it is about (label, relation) is added where it does not say so, and its question before a bare answer.
    """
    label, relation = about
    if label and label.casefold() not in text.casefold():
        return f"{label} ({relation}): {text}" if relation and relation != label else f"{label}: {text}"
    if context.rstrip().endswith(("?", "？")) and len(terms(text)) <= BARE_TERMS:
        return f"{asked_in(context)} {text}"
    return text


def _standing_note(row: Sequence[Any], *, vital: Collection[str], told: Told) -> MemoryItem:
    note_id, text, confidence, provenance, valid_at, offset, grade, statement_id, *more, _ = row
    label, relation, context, vital_class = more
    return marked(
        MemoryItem(
            lane="snapshots",
            id=str(note_id),
            kind="note",
            text=note_words(text, (label, relation), context),
            confidence=confidence,
            provenance=provenance,
            valid_since=at_offset(valid_at, offset),
            grade=grade,
            vital=vital_class in vital,
            words=text,
            statement_ids=_statements_of(note_id, statement_id, told),
        )
    )


def marked(item: Item) -> Item:
    """Return the item with what its text looks like, marked when it instructs the model.

    In a passage of a talk each line begins with the speaker, which poses as nobody.
    """
    looks = LOOKS(_SPEAKERS.sub("", item.text) if isinstance(item, Passage) else item.text)
    return replace(item, untrusted_instruction=looks.instructs, looks=looks)


def window_turns(scene: Scene) -> Iterator[WindowTurn]:
    """Yield the turns of the window that were not forgotten, oldest first."""
    for turn in scene.window.spoken:
        yield WindowTurn(
            key=message_key(scene.conversation_id, turn.message_id),
            role=turn.role,
            content=content_of(turn),
            name=turn.name,
            tool_calls=tuple(turn.tool_calls or ()),
            tool_call_id=turn.tool_call_id,
        )


def content_of(turn: HeldTurn) -> str | None:
    """Return what was said; None where a turn only calls tools, as chat endpoints expect it."""
    return turn.content or (None if turn.tool_calls else "")


def message_key(conversation_id: str | None, message_id: str | None) -> str:
    """Return one key for a message of a subject; ids of the product hold no slash."""
    return f"{conversation_id}/{message_id}"
