"""Turn rows into candidates for a context: items, turns and passages."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from memory_platform.kernel.clock import at_offset, in_zone
from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.text import collapse_spaces
from profiles.belief_queries import FactRow, PreferenceRow
from profiles.models import Tag
from profiles.prompt_lines import TagParts
from snapshots.context.choosing.profile_facts import (
    FactCertainty,
    Judge,
    judge_facts,
    make_preference_fact,
    make_profile_fact,
    make_tag_fact,
)
from snapshots.context.gathering.conversation_inputs import ContextSurroundings, ConversationScene
from snapshots.context.gathering.cut_repeated_words import drop_bare_masks, drop_noted_words, merge_slots_into_notes
from snapshots.context.gathering.later_changes import NoteChanges, list_ended_notes, update_changed_items
from snapshots.context.values import ContextMaterial, ContextTurn, MemoryItem, Passage, StandingProfile
from snapshots.context.writing.prompt_fence import INSPECTED_TEXTS
from snapshots.episodes.agent_tasks import list_active_tasks
from snapshots.episodes.values import ActiveStep, ActiveTask
from snapshots.models import NoteGrade, VitalClass
from snapshots.recall.answer import LaneAnswers, RecallAnswer
from snapshots.recall.loading.load_stored_memory import SubjectReader
from snapshots.recall.values import RecalledMemory, RecalledNote
from snapshots.understanding.drafting.person_mentions import find_person
from snapshots.understanding.grading.clause_features import find_question
from snapshots.understanding.reading.text_folding import detect_rule_language
from snapshots.understanding.statements.statements import STATEMENT_VERSION
from snapshots.window.values import WindowMessage as HeldTurn

Item = TypeVar("Item", MemoryItem, Passage)
Told = Mapping[UUID, frozenset[str]]

LOCALE = "locale"
# The fields of a `snapshots.context.values.StandingProfile` that hold items.
_FACTS = ("fields", "attributes", "preferences", "tags", "notes")
_SPEAKERS = re.compile(r"^(?:user|assistant|tool): ", re.MULTILINE)
# Terms of an answer that may need its question to be understood.
BARE_TERMS = 6
_YOUR = re.compile(r"\byour\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MaterialBounds:
    """``vital``: classes of notes that stand whatever is asked. ``is_narrowed``: a filter admits recalled memories
    alone."""

    vital: Collection[str] = tuple(VitalClass.values)
    is_narrowed: bool = False


def build_material(
    recall_answer: RecallAnswer,
    scene: ConversationScene | None,
    around: ContextSurroundings,
    judge: Judge,
    bounds: MaterialBounds,
    *,
    in_han: bool = False,
) -> ContextMaterial:
    """Return all that may go into a context. ``judge`` says which slots help a question, Chinese if ``in_han``."""
    vital = bounds.vital
    told = group_statements_by_note(around)
    changes = NoteChanges.from_rows(around.changed, partial(_make_standing_note, vital=vital, statements_by_note=told))
    profile = build_profile(recall_answer.lanes, changes, list_standing_notes(around, changes, vital, told))
    notes = (make_note_item(note, vital, told) for note in recall_answer.notes)
    said = (*notes, *map(make_memory_item, recall_answer.memories), *map(make_memory_item, recall_answer.replies))
    meant = {str(match.tag.id): match.score for match in recall_answer.lanes.meant_tags}
    told_now = update_changed_items(drop_bare_masks(said), changes, fetches=not bounds.is_narrowed)
    ended = tuple(drop_bare_masks(list_ended_notes(told_now, changes)))
    slots = tuple(judge_facts(replace(profile, notes=()), judge, meant, in_han=in_han))
    offered = () if bounds.is_narrowed else slots
    summary = None
    if scene and scene.window.summary:
        summary = mark_instructions(Passage(lane="summary", id=scene.conversation_id, text=scene.window.summary))
    return ContextMaterial(
        profile=profile,
        memories=(*merge_slots_into_notes(drop_noted_words(told_now, profile.notes), offered), *ended),
        turns=tuple(list_window_turns(scene)) if scene else (),
        summary=summary,
        full_history_tokens=around.full_history,
        said_first=scene.said_first if scene else (),
        needs=recall_answer.needs,
        held_back=recall_answer.holds_any or bool(slots),
    )


def move_to_zone(material: ContextMaterial, zone: tzinfo | None) -> ContextMaterial:
    """Return the material with its days in ``zone``, where the speaker's own zone is not known."""
    if zone in (None, UTC):
        return material
    profile: dict[str, Any] = {name: _move_items_to_zone(getattr(material.profile, name), zone) for name in _FACTS}
    memories = _move_items_to_zone(material.memories, zone)
    return replace(material, profile=replace(material.profile, **profile), memories=memories)


def _move_items_to_zone(items: Sequence[MemoryItem], zone: tzinfo | None) -> tuple[MemoryItem, ...]:
    return tuple(_convert_times_to_zone(item, zone) for item in items)


def _convert_times_to_zone(item: MemoryItem, zone: tzinfo | None) -> MemoryItem:
    told = (item.valid_since, item.doubted_since, item.ended_at)
    since, doubted, ended = here = tuple(moment and in_zone(moment, zone) for moment in told)
    is_same = all(one is other for one, other in zip(told, here, strict=True))
    return item if is_same else replace(item, valid_since=since, doubted_since=doubted, ended_at=ended)


def build_profile(lanes: LaneAnswers, changes: NoteChanges, standing: tuple[MemoryItem, ...]) -> StandingProfile:
    facts = lanes.beliefs.facts
    locale = next((fact.value for fact in facts if fact.field == LOCALE and not fact.is_attribute), None)
    return StandingProfile(
        locale=locale if isinstance(locale, str) else None,
        fields=changes.mark_slots(make_fact_item(fact) for fact in facts if not fact.is_attribute),
        attributes=changes.mark_slots(make_fact_item(fact) for fact in facts if fact.is_attribute),
        preferences=changes.mark_slots(map(make_preference_item, lanes.beliefs.preferences)),
        tags=changes.mark_slots(map(make_tag_item, lanes.tags)),
        notes=standing,
    )


def make_fact_item(fact: FactRow) -> MemoryItem:
    return mark_instructions(
        replace(make_profile_fact(fact.field, fact.value, make_fact_certainty(fact)), id=str(fact.id))
    )


def make_preference_item(preference: PreferenceRow) -> MemoryItem:
    path = (preference.category, preference.key)
    return mark_instructions(
        make_preference_fact(str(preference.id), path, preference.value, make_fact_certainty(preference))
    )


def make_tag_item(tag: Tag) -> MemoryItem:
    points_at = (tag.address or None, tag.phone or None, tag.relation or None)
    place = TagParts(tag.label, str(tag.kind), *points_at, tuple(tag.aliases))
    standing = FactCertainty(tag.confidence, str(tag.provenance), tag.valid_at or tag.created_at)
    return mark_instructions(make_tag_fact(str(tag.id), place, standing))


def make_fact_certainty(belief: FactRow | PreferenceRow) -> FactCertainty:
    return FactCertainty(belief.confidence, belief.provenance, belief.valid_at)


def make_memory_item(memory: RecalledMemory) -> MemoryItem:
    """Return a snapshot as an item; a speaker other than the subject stands before the words."""
    return _make_recalled_item(memory, f"{memory.name}: {memory.text}" if memory.name else memory.text)


def _make_recalled_item(memory: RecalledMemory, text: str, **of_note: Any) -> MemoryItem:
    looks = INSPECTED_TEXTS(text)
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
        message_keys=frozenset(make_message_key(one.conversation_id, one.message_id) for one in memory.sources),
        untrusted_instruction=looks.instructs,
        looks=looks,
        explain=memory.explain,
        **of_note,
    )


def group_statements_by_note(around: ContextSurroundings) -> Mapping[UUID, frozenset[str]]:
    found = defaultdict[UUID, set[str]](set)
    for note_id, message_id in around.said_again:
        found[note_id].add(str(stable_id(STATEMENT_VERSION, message_id)))
    return {note_id: frozenset(ids) for note_id, ids in found.items()}


def make_note_item(note: RecalledNote, vital: Collection[str], statements_by_note: Told) -> MemoryItem:
    about = (note.about.label, note.about.relation) if note.about else ("", "")
    return _make_recalled_item(
        note.memory,
        render_note_words(note.memory.text, about, note.context),
        grade=note.grade,
        vital=note.vital_class in vital,
        vital_class=note.vital_class,
        words=note.memory.text,
        statement_ids=_list_statement_ids(note.memory.id, note.statement_id, statements_by_note),
    )


def _list_statement_ids(note_id: UUID, statement_id: UUID | None, statements_by_note: Told) -> frozenset[str]:
    own = frozenset({str(statement_id)}) if statement_id else frozenset[str]()
    return own | statements_by_note.get(note_id, frozenset())


def list_standing_notes(
    around: ContextSurroundings, changes: NoteChanges, vital: Collection[str], statements_by_note: Told
) -> tuple[MemoryItem, ...]:
    """Return the notes that stand whatever is asked, with newer ones. Vital notes count at once, others as they were
    known when the conversation began, so that the prefix stays the same."""
    began = around.conversation.created_at if around.conversation else None
    notes = (
        (_make_standing_note(row, vital=vital, statements_by_note=statements_by_note), row[-1])
        for row in around.standing
    )
    known = (note for note, since in notes if note.vital or (_is_lasting(note) and (began is None or since <= began)))
    return tuple(update_changed_items(known, changes))


def _is_lasting(note: MemoryItem) -> bool:
    return note.grade in {NoteGrade.LIMIT, NoteGrade.HABIT}


def render_note_words(text: str, about: tuple[str, str], context: str) -> str:
    """Return the words of a note so that they stand alone. Whom it is about (label, relation) is added where it does
    not say so, and its question before a bare answer, or before one to a question about somebody else."""
    label, relation = about
    if label and label.casefold() not in text.casefold():
        return f"{label} ({relation}): {text}" if relation and relation != label else f"{label}: {text}"
    if context.rstrip().endswith(("?", "？")):
        question = find_question(context)
        if len(split_terms(text)) <= BARE_TERMS or asks_about_other(question):
            return f"{question} {text}"
    return text


def asks_about_other(question: str) -> bool:
    """Return whether the assistant's question names somebody of the user's: "How is your mother?"."""
    return find_person(_YOUR.sub("my", question), detect_rule_language(question)) is not None


def _make_standing_note(row: Sequence[Any], *, vital: Collection[str], statements_by_note: Told) -> MemoryItem:
    note_id, text, confidence, provenance, valid_at, offset, grade, statement_id, *more, _ = row
    label, relation, context, vital_class = more
    return mark_instructions(
        MemoryItem(
            lane="snapshots",
            id=str(note_id),
            kind="note",
            text=render_note_words(text, (label, relation), context),
            confidence=confidence,
            provenance=provenance,
            valid_since=at_offset(valid_at, offset),
            grade=grade,
            vital=vital_class in vital,
            vital_class=vital_class,
            words=text,
            statement_ids=_list_statement_ids(note_id, statement_id, statements_by_note),
        )
    )


def mark_instructions(item: Item) -> Item:
    """Return the item with its text's inspection, marked when it instructs the model. A passage is inspected without
    the speaker that begins each line."""
    looks = INSPECTED_TEXTS(_SPEAKERS.sub("", item.text) if isinstance(item, Passage) else item.text)
    return replace(item, untrusted_instruction=looks.instructs, looks=looks)


def list_window_turns(scene: ConversationScene) -> Iterator[ContextTurn]:
    """Yield the turns of the window that were not forgotten, oldest first."""
    for turn in scene.window.remembered_turns:
        yield ContextTurn(
            key=make_message_key(scene.conversation_id, turn.message_id),
            role=turn.role,
            content=turn_content(turn),
            name=turn.name,
            tool_calls=tuple(turn.tool_calls or ()),
            tool_call_id=turn.tool_call_id,
        )


def turn_content(turn: HeldTurn) -> str | None:
    """Return the turn's text; None where it only calls tools, as chat endpoints expect it."""
    return turn.content or (None if turn.tool_calls else "")


def make_message_key(conversation_id: str | None, message_id: str | None) -> str:
    """Return one key for a message of a subject; ids of the product hold no slash."""
    return f"{conversation_id}/{message_id}"


def load_task_passages(reader: SubjectReader, subject_id: UUID) -> tuple[Passage, ...]:
    """Return the subject's tasks in progress, the one changed last first, read in the scope of ``reader``."""
    with reader.scope():
        tasks = list_active_tasks(subject_id)
    return tuple(render_task_passage(task, rank) for rank, task in enumerate(tasks))


def render_task_passage(task: ActiveTask, rank: int = 0) -> Passage:
    """Return one task. Each part stays on its line, so that no text of one can pass for another."""
    steps = (f"- [{step.status}] {'; '.join(render_task_step(step))}" for step in task.steps)
    text = "\n".join((collapse_spaces(task.goal), *steps, *render_task_notes(task)))
    label = f"iteration {task.iteration}" if task.iteration else ""
    return mark_instructions(Passage(lane="tasks", id=str(task.id), text=text, label=label, score=-float(rank)))


def render_task_notes(task: ActiveTask) -> Iterator[str]:
    """Yield the notes whole, or how long they are where they are too long for a prompt."""
    if task.scratchpad:
        yield f"notes: {collapse_spaces(task.scratchpad)}"
    elif task.scratchpad_left_out:
        yield f"notes: left out, {task.scratchpad_left_out:,} characters"


def render_task_step(step: ActiveStep) -> Iterator[str]:
    yield collapse_spaces(step.text)
    if step.result:
        yield f"result: {collapse_spaces(step.result)}"
    if step.error:
        yield f"error: {collapse_spaces(step.error)}"
