"""Draft notes: their text and details such as the person, the confidence, the turn before, and the place in the
message."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from profiles.provenance_and_verdict import Provenance
from snapshots.echo.detection import Span, blank_spans
from snapshots.embedding.indexed_text import SpokenTurn
from snapshots.embedding.snapshot_drafts import SnapshotToStore, mask_name
from snapshots.models import AboutKind, Message, MessageRole, NoteGrade, SnapshotKind
from snapshots.notes.policy_section import NotesPolicy
from snapshots.notes.values import NoteDetails
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.candidate_gate import is_own_message
from snapshots.understanding.config import NOTING, NotingConfig
from snapshots.understanding.drafting.answered_asks import find_slot_question, restate_ask_answer
from snapshots.understanding.drafting.clause_joining import NotePart, assemble_parts, is_fragment, points_back
from snapshots.understanding.drafting.person_mentions import NamedPerson, find_person
from snapshots.understanding.grading.clause_classifier import ClauseGrade, load_clause_classifier
from snapshots.understanding.grading.clause_cues import find_vital_cues, has_cue
from snapshots.understanding.grading.clause_features import SpokenMessage, count_words, find_question
from snapshots.understanding.heard.bare_answers import is_bare_answer, is_evasive, restate_answer, says_no, says_yes
from snapshots.understanding.heard.remember_offers import is_consent
from snapshots.understanding.heard.remember_orders import RememberOrder, find_remember_orders
from snapshots.understanding.reading.clauses import LONGEST_READ, split_clauses
from snapshots.understanding.reading.modality import measure_own_words
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.reading.vital_words import asks_for_person, names_somebody
from snapshots.understanding.reading.web_addresses import has_link
from snapshots.understanding.slots.other_speakers_lines import find_other_speakers_lines
from snapshots.understanding.slots.pronouns import find_pronoun, fits_relation
from snapshots.understanding.slots.slot_patterns import load_language
from snapshots.understanding.slots.slot_reading import read_slots
from snapshots.understanding.statements.statements import (
    STATEMENT_VERSION,
    HeardMessage,
    build_utterance,
    draft_from_message,
)
from snapshots.understanding.statements.topics import find_topics, score_importance
from snapshots.understanding.values import ExtractionContext


@dataclass(frozen=True, slots=True)
class NoteDraft:
    """A note before it is indexed."""

    snapshot: SnapshotToStore
    details: NoteDetails

    def overlaps(self, start: int, end: int) -> bool:
        first, last = self.details.span_start, self.details.span_end
        return first is not None and last is not None and first < end and start < last


def build_spoken_message(heard: HeardMessage, own_names: frozenset[str]) -> SpokenMessage:
    """Return the subject's own clauses of a message; none for words of others and echoes."""
    message = heard.message
    asked = (
        find_question(heard.previous.content) if heard.previous and heard.previous.role == MessageRole.ASSISTANT else ""
    )
    if not message.remember or not is_own_message(build_utterance(message), own_names):
        return SpokenMessage(message.content, (), asked)
    echoes = heard.prompts.find_echoes(message)
    form = fold_for_matching(message.content)
    others = () if len(form) > LONGEST_READ else find_other_speakers_lines(message.content, form, own_names)
    text = blank_spans(message.content, (*echoes.pasted, *echoes.sentences, *others))
    own = measure_own_words(fold_for_matching(text[:LONGEST_READ]))
    if not own:
        return SpokenMessage(message.content, (), asked)
    text = blank_spans(text, [(own, len(text))] if own < min(len(text), LONGEST_READ) else ())
    if heard.previous is not None and asked:
        said = _build_bare_answer(heard, heard.previous.content, asked)
        if said is not None:
            return said
    orders = find_remember_orders(text)
    text = blank_spans(text, [span for order in orders for span in _list_order_spans(order)])
    wanted = tuple((order.said_start, order.said_end) for order in orders if not order.is_refused)
    return SpokenMessage(text, tuple(split_clauses(text)[: NOTING.graded_clauses]), asked, wanted)


def draft_message_notes(heard: HeardMessage, spoken: SpokenMessage, grades: Sequence[ClauseGrade]) -> list[NoteDraft]:
    drafts = [draft_note(heard, spoken, part, NOTING) for part in assemble_parts(spoken, grades, NOTING)]
    # "My pin is [masked secret]" tells nothing that could be used.
    return [draft for draft in drafts if not draft.snapshot.masked or draft.details.vital_class]


def apply_notes_policy(drafts: Iterable[NoteDraft], policy: NotesPolicy) -> Iterator[NoteDraft]:
    """Yield drafts without the vital marks that the tenant does not want; a note kept only for such a mark is left
    out."""
    for draft in drafts:
        vital_class = draft.details.vital_class
        if not vital_class or vital_class in policy.vital_classes:
            yield draft
        elif draft.details.grade_probability >= NOTING.held_from:
            yield replace(draft, details=replace(draft.details, vital_class=""))


def _build_bare_answer(heard: HeardMessage, previous: str, question: str) -> SpokenMessage | None:
    """Return a bare answer together with its question; None for a message that says more. Consent to an offer to
    remember says nothing itself: the words that it means are read elsewhere."""
    text = heard.message.content
    if is_consent(text, previous) or (is_bare_answer(text, previous) and is_evasive(text)):
        return SpokenMessage(text, (), question)
    stated = restate_answer(text, previous)
    if stated:
        wanted = ((0, len(stated)),) if read_slots(stated, message_key="") else ()
        return SpokenMessage(
            stated, tuple(split_clauses(stated)), remember_spans=wanted, answer=f"{question} {text.strip()}"
        )
    if says_yes(text) or says_no(text):
        return SpokenMessage(text, (), question)
    known = ExtractionContext(previous=find_slot_question(heard))
    if is_bare_answer(text, previous) and (restate_ask_answer(heard) or read_slots(text, known, message_key="")):
        return SpokenMessage(text, tuple(split_clauses(text)), question, remember_spans=((0, len(text)),))
    return None


def _list_order_spans(order: RememberOrder) -> list[Span]:
    if order.is_refused:
        return [(min(order.start, order.said_start), max(order.end, order.said_end))]
    return [(order.start, order.end)]


def draft_note(heard: HeardMessage, spoken: SpokenMessage, part: NotePart, config: NotingConfig) -> NoteDraft:
    message, previous = heard.message, heard.previous
    said = spoken.answer or spoken.text[part.start : part.end]
    text, masked = mask_sensitive(said)
    topics = find_topics(text)
    hedged = any(has_cue(name, fold_for_matching(said).lower()) for name in ("supposed", "reported"))
    hedged = hedged and not spoken.is_asked_to_remember(part.start, part.end)
    sure = config.hedged if hedged else config.said_outright
    snapshot = draft_from_message(
        message,
        SnapshotKind.NOTE,
        text,
        id=compute_note_id(message.id, part.start),
        previous=mask_turn(previous) if previous else None,
        previous_is_memory=previous is not None and previous.role == MessageRole.USER,
        category=topics[0] if topics else "",
        topics=topics,
        importance=score_importance(text),
        confidence=sure,
        provenance=Provenance.OBSERVATION if hedged else Provenance.CONFIRMED_BY_USER,
        masked=bool(masked),
    )
    return NoteDraft(snapshot, _build_details(heard, spoken, part, config))


def compute_note_id(message_id: UUID, start: int) -> UUID:
    """Return the stable id of the note that begins at a character of a message, whatever classifier found it."""
    return stable_id("note", message_id, start)


def _build_details(heard: HeardMessage, spoken: SpokenMessage, part: NotePart, config: NotingConfig) -> NoteDetails:
    text = spoken.text[part.start : part.end]
    is_other = part.is_other or part.grade.other >= config.other_from
    is_answer = _answers_question(spoken, part)
    leans = points_back(text) or not _names_subject(text, part.language, is_other=is_other)
    context = _find_context(heard, spoken, part, config) if leans else ""
    if heard.previous is not None and is_answer and not (context and leans):
        context = mask_sensitive(find_question(heard.previous.content))[0]
    person = (find_person(text, part.language) or _find_referent(text, context, part.language)) if is_other else None
    grade = NoteGrade(part.grade.kind)
    details = NoteDetails(
        grade=NoteGrade.ABOUT_OTHER if is_other and grade is NoteGrade.FACT else grade,
        grade_probability=round(min(part.grade.lasting, 1.0), 4),
        vital_class=_choose_vital_class(spoken, part),
        # Held for what it may hurt though the reader is unsure that it lasts: somebody should look at it.
        review_by=utc_now() if part.grade.lasting < config.held_from else None,
        context=context,
        span_start=0 if spoken.answer else part.start,
        span_end=len(heard.message.content) if spoken.answer else part.end,
        reader_version=load_clause_classifier().version,
        statement_id=stable_id(STATEMENT_VERSION, heard.message.id),
    )
    return set_person(details, person) if is_other else details


def _answers_question(spoken: SpokenMessage, part: NotePart) -> bool:
    if spoken.answer or not spoken.question:
        return bool(spoken.answer)
    in_fragments = spoken.follows_question and spoken.is_short_answer
    return spoken.is_asked_to_remember(part.start, part.end) or (
        in_fragments and all(is_fragment(clause.text, clause.language) for clause in spoken.clauses)
    )


def _find_referent(text: str, context: str, language: str) -> NamedPerson | None:
    person = find_person(context, language)
    words, word = load_language(language).words, find_pronoun(text)
    return person if person and fits_relation(word, person.relation or person.label, words) else None


def _choose_vital_class(spoken: SpokenMessage, part: NotePart) -> str:
    """Return why a note is vital: by its own words, or as the answer to a question about something vital. The
    assistant's words are never vital by a yes, and nothing with a link is: it would stand in every prompt."""
    if spoken.answer or has_link(spoken.text[part.start : part.end]):
        return ""
    if part.vital_class or not _answers_question(spoken, part) or says_no(spoken.text) or is_evasive(spoken.text):
        return part.vital_class
    asked_after = find_vital_cues(fold_for_matching(spoken.question))
    if "emergency" in asked_after and not (asks_for_person(spoken.question) and names_somebody(spoken.text)):
        return ""
    return asked_after[0] if asked_after else ""


def set_person(details: NoteDetails, person: NamedPerson | None) -> NoteDetails:
    """Return the details of a note about somebody else; ``person`` is None where nobody is named."""
    if person is None:
        return replace(details, about_kind=AboutKind.CONTACT)
    kind = AboutKind.THING if person.is_thing else AboutKind.CONTACT
    return replace(details, about_kind=kind, about_label=person.label[:100], relation=person.relation[:100])


def _names_subject(text: str, language: str, *, is_other: bool) -> bool:
    form = fold_for_matching(text).lower()
    if is_other:
        return find_person(text, language) is not None
    return has_cue("me", form) or has_cue("us", form)


def _find_context(heard: HeardMessage, spoken: SpokenMessage, part: NotePart, config: NotingConfig) -> str:
    before = " ".join(spoken.text[: part.start].split())
    if count_words(before) > 1:
        return mask_sensitive(_cut_last_words(before, config.context_chars))[0]
    previous = heard.previous
    if previous is None or previous.role not in (MessageRole.ASSISTANT, MessageRole.USER):
        return ""
    if previous.role == MessageRole.ASSISTANT and not find_question(previous.content):
        return ""
    return mask_sensitive(_cut_last_words(previous.content.strip(), config.context_chars))[0]


def _cut_last_words(text: str, most: int) -> str:
    return text if len(text) <= most else text[-most:].partition(" ")[2] or text[-most:]


def mask_turn(message: Message) -> SpokenTurn | None:
    name = mask_name(message.name, mask_sensitive)
    return SpokenTurn(mask_sensitive(message.content)[0], name, message.said_locally) if message.content else None
