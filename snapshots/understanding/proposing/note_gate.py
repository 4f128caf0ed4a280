"""The gate of proposed notes: whole clauses of the user, stated as true and lasting, about the user or somebody
named."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_platform.kernel.text import to_comparable
from snapshots.understanding.drafting.clause_joining import NotePart, find_vital_class
from snapshots.understanding.drafting.person_mentions import NamedPerson, find_person
from snapshots.understanding.grading.clause_classifier import LASTING, ClauseGrade
from snapshots.understanding.grading.clause_cues import find_vital_cues
from snapshots.understanding.proposing.answer_schema import NOT_VITAL, ProposedNote
from snapshots.understanding.proposing.config import JUDGING, ProposalConfig
from snapshots.understanding.proposing.model_quotes import (
    GatedMessage,
    compute_quoted_share,
    find_quote,
    is_asserted,
    is_in_quotes,
    is_temporary,
)
from snapshots.understanding.proposing.proposal_metrics import Outcome
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import estimate_tokens, fold_for_matching
from snapshots.understanding.reading.vital_words import may_be_vital, sends_to_link

_SELF = frozenset(("user", "the user", "self", "me", "myself", "i", "we", "us", "用户", "本人", "我", "自己"))
_POSSESSIVE = re.compile(r"(?:my|our)\s+|我的?(?=.)", re.IGNORECASE)
# Characters around words that are looked at for orders.
_AROUND = 120
Pairs = list[tuple[Clause, ClauseGrade]]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class NoteVerdict:
    """The outcome of a proposed note. ``part`` is None when it was refused or known; ``person`` is None for the user;
    ``lost_vital``: only the model called it vital."""

    outcome: Outcome
    part: NotePart | None = None
    person: NamedPerson | None = None
    lost_vital: bool = False


def gate_notes(
    message: GatedMessage, proposed: Iterable[ProposedNote], known_spans: Iterable[Span]
) -> list[NoteVerdict]:
    """Return the outcome of each note proposed of a message, in their order. ``known_spans`` are the spans of existing
    notes: a proposal that shares a clause with one is known."""
    taken = list(known_spans)
    judged = []
    for one in proposed:
        found = gate_note(message, one, taken)
        if found.part is not None:
            taken.append((found.part.start, found.part.end))
        judged.append(found)
    return judged


def gate_note(message: GatedMessage, note: ProposedNote, known_spans: Iterable[Span]) -> NoteVerdict:
    place = find_quote(message.spoken.text, note.quote)
    if place is None:
        return NoteVerdict("evidence_missing" if find_quote(message.text, note.quote) is None else "not_own_words")
    over = message.list_clauses(*place)
    if not over:
        return NoteVerdict("instruction" if _stands_in_instruction(message, place) else "not_own_words")
    start, end = over[0][0].start, over[-1][0].end
    if any(start < last and first < end for first, last in known_spans):
        return NoteVerdict("known")
    refused = _find_note_refusal(message, place, over, JUDGING)
    if refused:
        return NoteVerdict(refused)
    part = _build_part(message, note, over)
    person = _find_person_meant(message, note, part)
    if person is None and note.about.strip() and not _means_self(note.about):
        return NoteVerdict("about_unknown")
    lost = note.vital != NOT_VITAL and not part.vital_class
    return NoteVerdict("accepted", part, person, lost)


def _find_note_refusal(message: GatedMessage, place: Span, over: Pairs, config: ProposalConfig) -> Outcome | None:
    start, end = over[0][0].start, over[-1][0].end
    text = message.spoken.text[start:end]
    if is_in_quotes(message, start, end):
        return "not_own_words"
    if any(compute_quoted_share(clause, *place) < config.quoted for clause, _ in over):
        return "torn"
    if len(over) > config.clauses or estimate_tokens(text) > config.tokens:
        return "too_long"
    if not all(is_asserted(message, clause) for clause, _ in over):
        return "not_asserted"
    if any(is_temporary(clause, grade) for clause, grade in over):
        return "one_off"
    return "unlikely" if max(grade.lasting for _, grade in over) < config.note_from else None


def _stands_in_instruction(message: GatedMessage, place: Span) -> bool:
    around = fold_for_matching(message.spoken.text[max(0, place[0] - _AROUND) : place[1] + _AROUND])
    return message.spoken.span_has_order(*place) or is_instruction(around) or sends_to_link(around)


def _build_part(message: GatedMessage, note: ProposedNote, over: Pairs) -> NotePart:
    """Return the clauses as one part, with the model's grade if it is a lasting one. It is vital by the classifier, or
    by a cue that agrees with the model, outside of instructions."""
    first, last = over[0][0], over[-1][0]
    surest = max((grade for _, grade in over), key=lambda grade: grade.lasting)
    grade = replace(surest, kind=note.grade) if note.grade in LASTING else surest
    earnest = [pair for pair in over if not message.spoken.sentence_has_order(pair[0].sentence)]
    vital = next(filter(None, (find_vital_class(clause, own) for clause, own in earnest)), "")
    forms = [form for clause, _ in earnest if may_be_vital(form := fold_for_matching(clause.text), form)]
    cues = [cue for form in forms for cue in find_vital_cues(form)]
    if not vital and note.vital in cues:
        vital = note.vital
    return NotePart(first.start, last.end, last.sentence, grade, vital, first.language)


def _find_person_meant(message: GatedMessage, note: ProposedNote, part: NotePart) -> NamedPerson | None:
    about = to_comparable(_POSSESSIVE.sub("", note.about.strip()))
    if not about or _means_self(note.about):
        return None
    for text in (message.spoken.text[part.start : part.end], message.spoken.text[: part.start]):
        person = find_person(text, part.language)
        if person and about in {to_comparable(person.label), to_comparable(person.relation)}:
            return person
    return None


def _means_self(about: str) -> bool:
    return to_comparable(about) in _SELF
