"""The gate of proposed notes: whole clauses of the user, stated as true and lasting, about the user or somebody
named."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_platform.kernel.text import comparable
from snapshots.understanding.drafting.assemble import NotePart, vital_class_of
from snapshots.understanding.grading.cues import vital_cues
from snapshots.understanding.grading.reader import LASTING, Grade
from snapshots.understanding.proposing.config import JUDGING, JudgingPolicy
from snapshots.understanding.proposing.counting import Outcome
from snapshots.understanding.proposing.passages import (
    Said,
    find_words,
    is_asserted,
    is_one_off,
    is_quoted,
    share_of,
)
from snapshots.understanding.proposing.shape import NOT_VITAL, ProposedNote
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.forms import matching_form, rough_tokens
from snapshots.understanding.reading.instructions import is_instruction
from snapshots.understanding.reading.people import Person, find_person
from snapshots.understanding.reading.vital import is_vital_claim, sends_to_link

_SELF = frozenset(("user", "the user", "self", "me", "myself", "i", "we", "us", "用户", "本人", "我", "自己"))
_POSSESSIVE = re.compile(r"(?:my|our)\s+|我的?(?=.)", re.IGNORECASE)
# Characters around words that are looked at for orders.
_AROUND = 120
Pairs = list[tuple[Clause, Grade]]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class JudgedNote:
    """The outcome of a proposed note. ``part`` is None when it was refused or known; ``person`` is None for the user;
    ``lost_vital``: only the model called it vital."""

    outcome: Outcome
    part: NotePart | None = None
    person: Person | None = None
    lost_vital: bool = False


def judge_notes(
    said: Said, proposed: Iterable[ProposedNote], held: Iterable[Span], policy: JudgingPolicy = JUDGING
) -> list[JudgedNote]:
    """Return the outcome of each note proposed of a message, in their order.

    ``held`` are the spans of existing notes: a proposal that shares a clause with one is known.
    """
    taken = list(held)
    judged = []
    for one in proposed:
        found = judge_note(said, one, taken, policy)
        if found.part is not None:
            taken.append((found.part.start, found.part.end))
        judged.append(found)
    return judged


def judge_note(said: Said, note: ProposedNote, taken: Iterable[Span], policy: JudgingPolicy = JUDGING) -> JudgedNote:
    place = find_words(said.spoken.text, note.quote)
    if place is None:
        return JudgedNote("evidence_missing" if find_words(said.text, note.quote) is None else "not_own_words")
    over = said.clauses_over(*place)
    if not over:
        return JudgedNote("instruction" if _instructs(said, place) else "not_own_words")
    start, end = over[0][0].start, over[-1][0].end
    if any(start < last and first < end for first, last in taken):
        return JudgedNote("known")
    refused = _reason_against(said, place, over, policy)
    if refused:
        return JudgedNote(refused)
    part = _part_of(said, note, over)
    person = _person_meant(said, note, part)
    if person is None and note.about.strip() and not _means_self(note.about):
        return JudgedNote("about_unknown")
    lost = note.vital != NOT_VITAL and not part.vital_class
    return JudgedNote("accepted", part, person, lost)


def _reason_against(said: Said, place: Span, over: Pairs, policy: JudgingPolicy) -> Outcome | None:
    start, end = over[0][0].start, over[-1][0].end
    text = said.spoken.text[start:end]
    if is_quoted(said, start, end):
        return "not_own_words"
    if any(share_of(clause, *place) < policy.quoted for clause, _ in over):
        return "torn"
    if len(over) > policy.clauses or rough_tokens(text) > policy.tokens:
        return "too_long"
    if not all(is_asserted(said, clause) for clause, _ in over):
        return "not_asserted"
    if any(is_one_off(clause, grade) for clause, grade in over):
        return "one_off"
    return "unlikely" if max(grade.lasting for _, grade in over) < policy.note_from else None


def _instructs(said: Said, place: Span) -> bool:
    around = matching_form(said.spoken.text[max(0, place[0] - _AROUND) : place[1] + _AROUND])
    return said.spoken.has_order(*place) or is_instruction(around) or sends_to_link(around)


def _part_of(said: Said, note: ProposedNote, over: Pairs) -> NotePart:
    """Return the clauses as one part, with the model's grade if it is a lasting one. It is vital by the classifier, or
    by a cue that agrees with the model, outside of instructions."""
    first, last = over[0][0], over[-1][0]
    surest = max((grade for _, grade in over), key=lambda grade: grade.lasting)
    grade = replace(surest, kind=note.grade) if note.grade in LASTING else surest
    earnest = [pair for pair in over if not said.spoken.is_ordered(pair[0].sentence)]
    vital = next(filter(None, (vital_class_of(clause, own) for clause, own in earnest)), "")
    forms = [form for clause, _ in earnest if is_vital_claim(form := matching_form(clause.text), form)]
    cues = [cue for form in forms for cue in vital_cues(form)]
    if not vital and note.vital in cues:
        vital = note.vital
    return NotePart(first.start, last.end, last.sentence, grade, vital, first.language)


def _person_meant(said: Said, note: ProposedNote, part: NotePart) -> Person | None:
    about = comparable(_POSSESSIVE.sub("", note.about.strip()))
    if not about or _means_self(note.about):
        return None
    for text in (said.spoken.text[part.start : part.end], said.spoken.text[: part.start]):
        person = find_person(text, part.language)
        if person and about in {comparable(person.label), comparable(person.relation)}:
            return person
    return None


def _means_self(about: str) -> bool:
    return comparable(about) in _SELF
