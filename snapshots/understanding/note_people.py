"""Find the contact or thing that a note is about, and contacts that were just named.

A note about somebody else belongs to one tag or to none: where two may be meant it stays without a tag.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.text import to_comparable
from profiles.models import Subject, Tag, TagKind
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import tags_of
from profiles.services.tags.lookup import lookup_tags
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.tag_label_words import list_synonyms
from snapshots.conversation_queries import add_archived_words
from snapshots.models import AboutKind, Message, MessageRole, TagSource
from snapshots.notes.values import NoteDetails, PreparedNote
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.believing.lesson import is_forgotten_message
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.person_mentions import NamedPerson, find_introduced_person
from snapshots.understanding.reading.text_folding import detect_rule_language
from snapshots.understanding.slots.pronouns import find_pronoun, resolve_pronoun
from snapshots.understanding.slots.slot_patterns import load_language
from snapshots.understanding.slots.slot_reading import LONGEST_READ
from snapshots.understanding.values import NOBODY, Evidence, NearbyPeople, TagCandidate


def load_people_nearby(message: Message, believed: BeliefCache) -> NearbyPeople:
    """Return the contacts and things of the user, and those named in the turn before a message that says "she" or 他,
    in the open scope. A message without such a word has nobody nearby, and so has a turn as long as a document."""
    if len(message.content) > LONGEST_READ:
        return NOBODY
    known = tuple(_build_tag_candidate(tag, message) for tag in believed.list_people_and_things(message.subject_id))
    return replace(_find_named_before(message) if find_pronoun(message.content) else NOBODY, known_tags=known)


def _find_named_before(message: Message) -> NearbyPeople:
    own = Message.objects.filter(subject_id=message.subject_id, conversation_id=message.conversation_id)
    recent = own.filter(seq__lt=message.seq, seq__gte=message.seq - NOTING.turns_before).order_by("-seq")
    turns: list[Message] = []
    for turn in add_archived_words(list(recent)):
        if len(turn.content) > LONGEST_READ:
            return NOBODY
        turns.append(turn)
        if turn.role == MessageRole.USER:
            return _find_named_in(turn, turns)
    return NOBODY


def assign_notes_to_people(
    subject: Subject, message: Message, notes: Sequence[PreparedNote], nearby: NearbyPeople
) -> list[PreparedNote]:
    """Return the notes of a message with the tags that they are about, in the open scope. Somebody whom a note
    introduces ("my son Theo", 我朋友张三, "our cat Miso") and who has no tag gets one."""
    if all(one.details.about_kind == AboutKind.SELF for one in notes):
        return list(notes)
    return [_assign_note(subject, message, one, nearby) for one in notes]


def find_tag(tags: Iterable[Tag], label: str, relation: str) -> Tag | None:
    others, wanted = [tag for tag in tags if tag.kind != TagKind.PLACE], to_comparable(label)
    called = [tag for tag in others if wanted in map(to_comparable, (tag.label, *tag.aliases))]
    if not called and wanted == to_comparable(relation):
        same = {wanted, *list_synonyms(label)}
        called = [tag for tag in others if not same.isdisjoint(map(to_comparable, (tag.label, tag.relation)))]
    return called[0] if len(called) == 1 else None


def _find_named_in(turn: Message, turns: Sequence[Message]) -> NearbyPeople:
    own = {"subject_id": turn.subject_id}
    taught = TagSource.objects.filter(message_id=turn.id, **own).order_by().values_list("memory_id", flat=True)
    contacts = list(Tag.objects.filter(kind=TagKind.CONTACT, **own).order_by("id"))
    named = {match.tag.id for match in lookup_tags(turn.content, contacts) if match.match != "fuzzy"}
    meant = [tag for tag in contacts if tag.id in named.union(taught)]
    said = "\n".join(one.content for one in reversed(turns))
    return NearbyPeople(tuple(_build_tag_candidate(tag, turn) for tag in meant), said)


def _build_tag_candidate(tag: Tag, turn: Message) -> TagCandidate:
    evidence = Evidence(str(turn.id), turn.content, 0)
    kind: Literal["contact", "thing"] = "thing" if tag.kind == TagKind.THING else "contact"
    return TagCandidate(tag.label, kind, evidence, relation=tag.relation or None, aliases=tuple(tag.aliases))


def _assign_note(subject: Subject, message: Message, note: PreparedNote, nearby: NearbyPeople) -> PreparedNote:
    details, text = note.details, note.snapshot.draft.text
    if details.about_kind == AboutKind.SELF or details.about_tag_id is not None:
        return note
    if not details.about_label:
        details = _resolve_pronoun(details, text, message, nearby)
    if not details.about_label:
        return note
    tag = find_tag(tags_of(subject), details.about_label, details.relation)
    if tag is None:
        tag = _create_introduced_tag(subject, message, details, text)
    if tag is None:
        return replace(note, details=details)
    relation = details.relation or tag.relation
    return replace(note, details=replace(details, about_tag_id=tag.id, relation=relation))


def _resolve_pronoun(details: NoteDetails, text: str, message: Message, nearby: NearbyPeople) -> NoteDetails:
    word = find_pronoun(text)
    if not word:
        return details
    words = load_language(detect_rule_language(text)).words
    said = f"{nearby.recent_text}\n{message.content[: details.span_start or 0]}"
    one = resolve_pronoun(word, nearby.contacts, said, words)
    return details if one is None else replace(details, about_label=one.label, relation=one.relation or "")


def _create_introduced_tag(subject: Subject, message: Message, details: NoteDetails, text: str) -> Tag | None:
    language = detect_rule_language(text)
    person = find_introduced_person(text, language)
    if person is None or person.label != details.about_label or is_forgotten_message(message):
        return None
    outcome = upsert_tag(subject, _draft_tag(person, message, language))
    if outcome.verdict is Verdict.REJECTED:
        return None
    link = TagSource(
        id=stable_id("source", outcome.tag.id, message.id),
        subject_id=subject.id,
        memory_id=outcome.tag.id,
        message_id=message.id,
    )
    TagSource.objects.bulk_create([link], ignore_conflicts=True)
    return outcome.tag


def _draft_tag(person: NamedPerson, message: Message, language: str) -> TagDraft:
    is_one = load_language(language).words.is_in_list("one_of", person.relation)
    label = person.relation if is_one else person.label
    details = {
        "kind": TagKind.THING if person.is_thing else TagKind.CONTACT,
        "relation": person.relation,
        "aliases": [person.label] if person.label != label else None,
    }
    return TagDraft(label, details, confidence=NOTING.said_outright, message_ref=message.id, valid_at=message.said_at)
