"""Find where the user speaks of themselves in a clause, and add the "I" that people leave out.

The predicates in "Live in Leith", "I'm 34 and work for Qantas" and 住苏州 have their subject earlier or nowhere. It is
added, so that rows need one form only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.slots.other_people_clauses import (
    ClauseSubject,
    RestatedClause,
    restate_clause,
    restate_verb,
)
from snapshots.understanding.slots.slot_patterns import LanguageWords

# Rows are tried from so many places of one clause.
MOST_STARTS = 4
# After a clause of so few characters the topic person stays the same: 耳朵背.
LONGEST_ASIDE = 10


@dataclass(frozen=True, slots=True)
class SlotText:
    """A clause or sentence as rows see it: ``form`` is its matching form, ``start`` its place in the message."""

    form: str
    start: int
    ends_asked: bool
    language: str
    # The form of the sentence around it, and where in it this text begins.
    sentence: str
    offset: int
    # The next sentence where it is but a word or two: "Always."
    after: str = ""
    # From where rows are tried: behind the idle words at its head, and at each "I" in it.
    starts: tuple[int, ...] = (0,)
    # Characters of an implied subject at the head of ``form``; ``is_bare``: no clause before names it.
    added: int = 0
    is_bare: bool = False
    # The person that the clause is about, unless it is the user.
    person: ClauseSubject | None = None


def find_row_starts(form: str, words: LanguageWords) -> tuple[int, ...]:
    """Return where rows may begin in ``form``: after its idle words, and wherever the user speaks of themselves."""
    lead = words.find_pattern("lead")
    idle = lead.match(form) if lead else None
    first = idle.end() if idle else 0
    speaker = words.find_pattern("speaker")
    found = speaker.finditer(form, first + 1) if speaker else ()
    return (first, *(one.start() for one in found))[:MOST_STARTS]


def list_clause_texts(
    sentence: str, start: int, clauses: list[Clause], words: LanguageWords, after: str, names: Sequence[str] = ()
) -> Iterator[SlotText]:
    """Yield the clauses of a sentence as texts, and those without a subject again with the user as subject. Clauses
    about another (kin, or one of ``names``) are yielded again as theirs, and so are the clauses that continue them."""
    speaks = is_another = False
    topic: ClauseSubject | None = None
    for one in clauses:
        offset = one.start - start
        form = sentence[offset : one.end - start]
        asked = one.in_question and one is clauses[-1]
        part = SlotText(form, one.start, asked, one.language, sentence, offset, after, find_row_starts(form, words))
        yield part
        yield from _restate_inside(part, words, names)
        head = part.starts[0]
        told = restate_clause(form, head, words, names)
        if told is not None:
            texts = list(_restate_statements(part, told, words))
            yield from texts
            topic, speaks = told.person if _may_subject_continue(texts, words) else None, False
        elif _begins_with("own", form, head, words):
            # "I have a daughter, called ...": what follows may be said of her.
            topic = _find_introduced(form, words)
            speaks = not words.contains_any("others", form)
            yield from _list_further_predicates(part, words)
        elif topic is not None and (told := _restate_predicate(part, head, topic, words)):
            yield from _restate_statements(part, told, words)
        elif (speaks or not is_another) and (completed := _add_subject(part, head, words, is_bare=not speaks)):
            topic = None
            yield completed
            yield from _list_further_predicates(completed, words)
        else:
            speaks = False
            topic = _find_introduced(form, words) or (topic if len(form) <= LONGEST_ASIDE else None)
            # "I know Tom, a plumber", "my sister is here": what lacks a subject after it may be said of others.
            is_another = is_another or _begins_with("speaker", form, head, words)


def _may_subject_continue(texts: Sequence[SlotText], words: LanguageWords) -> bool:
    """Return whether the next clause may be about the same person: not after "my dad is strict", nor where the clause
    ends with somebody else."""
    first = texts[0]
    rest = first.form[first.added :]
    told = not rest or len(texts) > 1 or _begins_with("told", first.form, 0, words)
    return told and not words.contains_any("mention", rest)


def _restate_inside(part: SlotText, words: LanguageWords, names: Sequence[str]) -> Iterator[SlotText]:
    joint = words.find_pattern("joint")
    for found in islice(joint.finditer(part.form), MOST_STARTS) if joint else ():
        if told := restate_clause(part.form, found.end(), words, names):
            yield from _restate_statements(part, told, words)


def _find_introduced(form: str, words: LanguageWords) -> ClauseSubject | None:
    """Return somebody whom a clause introduces at its end: "I have a sister", 新室友是我表妹小柚."""
    finder = words.find_pattern("introducing")
    found = finder.search(form) if finder else None
    return None if found is None else ClauseSubject(found["relation"], found["name"] or "")


def _restate_statements(part: SlotText, restated_clause: RestatedClause, words: LanguageWords) -> Iterator[SlotText]:
    """Yield a statement about another, and each further predicate: "... and lives in Fresno"."""
    first = _restate_statement(part, restated_clause)
    yield first
    joint = words.find_pattern("joint")
    for found in islice(joint.finditer(part.form, restated_clause.rest), MOST_STARTS) if joint else ():
        if further := _restate_predicate(part, found.end(), restated_clause.person, words):
            yield _restate_statement(part, further)


def _restate_predicate(part: SlotText, at: int, person: ClauseSubject, words: LanguageWords) -> RestatedClause | None:
    spoken = restate_verb(part.form, at, words)
    if spoken is None:
        return None
    form = spoken[0] + part.form[spoken[1] :]
    return RestatedClause(person, *spoken) if _begins_with("told", form, 0, words) else None


def _restate_statement(part: SlotText, restated_clause: RestatedClause) -> SlotText:
    begin = restated_clause.rest - len(restated_clause.head)
    return replace(
        part,
        form=restated_clause.head + part.form[restated_clause.rest :],
        start=part.start + begin,
        offset=part.offset + begin,
        starts=(0,),
        added=len(restated_clause.head),
        person=restated_clause.person,
    )


def _add_subject(part: SlotText, at: int, words: LanguageWords, *, is_bare: bool) -> SlotText | None:
    kinds = ("bare_verb", "bare_state") if is_bare else ("joined_verb", "joined_state")
    name = next((kind for kind in kinds if _begins_with(kind, part.form, at, words)), None)
    if name is None or (name == "joined_state" and not _begins_with("own_state", part.form, part.starts[0], words)):
        return None
    subject = words.patterns["subject_of_verb" if name.endswith("verb") else "subject_of_state"].replace("_", " ")
    begin = at - len(subject)
    return SlotText(
        subject + part.form[at:],
        part.start + begin,
        part.ends_asked,
        part.language,
        part.sentence,
        part.offset + begin,
        part.after,
        added=len(subject),
        is_bare=is_bare,
    )


def _list_further_predicates(part: SlotText, words: LanguageWords) -> Iterator[SlotText]:
    """Yield the further predicates of a clause ("I'm 34 and work for Qantas"), up to one about another."""
    joint, others = words.find_pattern("joint"), words.find_pattern("others")
    for found in islice(joint.finditer(part.form), MOST_STARTS) if joint else ():
        if others is not None and others.search(part.form, part.added, found.start()):
            return
        if completed := _add_subject(part, found.end(), words, is_bare=False):
            yield completed


def _begins_with(name: str, form: str, at: int, words: LanguageWords) -> bool:
    finder = words.find_pattern(name)
    return finder is not None and finder.match(form, at) is not None
