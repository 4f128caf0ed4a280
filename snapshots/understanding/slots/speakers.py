"""Find where the user speaks of themselves in a clause, and add the "I" that people leave out.

The predicates in "Live in Leith", "I'm 34 and work for Qantas" and 住苏州 have their subject earlier or nowhere. It is
added, so that rows need one form only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.slots.lexicon import Words
from snapshots.understanding.slots.persons import Person, Told, find_told, speak_as_user

# Rows are tried from so many places of one clause.
MOST_STARTS = 4
# After a clause of so few characters the topic person stays the same: 耳朵背.
LONGEST_ASIDE = 10


@dataclass(frozen=True, slots=True)
class Text:
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
    # Characters of a subject that nobody said, at the head of ``form``; and whether none stood before it either.
    added: int = 0
    is_bare: bool = False
    # Of whom it tells something, where not of the user.
    person: Person | None = None


def find_starts(form: str, words: Words) -> tuple[int, ...]:
    """Return where rows may begin in ``form``: after its idle words, and wherever the user speaks of themselves."""
    lead = words.finder("lead")
    idle = lead.match(form) if lead else None
    first = idle.end() if idle else 0
    speaker = words.finder("speaker")
    found = speaker.finditer(form, first + 1) if speaker else ()
    return (first, *(one.start() for one in found))[:MOST_STARTS]


def spoken_parts(
    sentence: str, start: int, clauses: list[Clause], words: Words, after: str, names: Sequence[str] = ()
) -> Iterator[Text]:
    """Yield the clauses of a sentence as texts, and those without a subject again with the user as subject.

    Clauses about another (kin, or one of ``names``) are yielded again as theirs, and so are the clauses that continue
    them.
    """
    speaks = is_another = False
    topic: Person | None = None
    for one in clauses:
        offset = one.start - start
        form = sentence[offset : one.end - start]
        asked = one.asked and one is clauses[-1]
        part = Text(form, one.start, asked, one.language, sentence, offset, after, find_starts(form, words))
        yield part
        yield from _told_inside(part, words, names)
        head = part.starts[0]
        told = find_told(form, head, words, names)
        if told is not None:
            texts = list(_told_texts(part, told, words))
            yield from texts
            topic, speaks = told.person if _goes_on(texts, words) else None, False
        elif _begins("own", form, head, words):
            # "I have a daughter, called ...": what follows may be said of her.
            topic = _introduced(form, words)
            speaks = not words.holds_any("others", form)
            yield from _coordinated(part, words)
        elif topic is not None and (told := _going_on(part, head, topic, words)):
            yield from _told_texts(part, told, words)
        elif (speaks or not is_another) and (completed := _completed(part, head, words, is_bare=not speaks)):
            topic = None
            yield completed
            yield from _coordinated(completed, words)
        else:
            speaks = False
            topic = _introduced(form, words) or (topic if len(form) <= LONGEST_ASIDE else None)
            # "I know Tom, a plumber", "my sister is here": what lacks a subject after it may be said of others.
            is_another = is_another or _begins("speaker", form, head, words)


def _goes_on(texts: Sequence[Text], words: Words) -> bool:
    """Return whether the next clause may be about the same person: not after "my dad is strict", nor where the clause
    ends with somebody else."""
    first = texts[0]
    rest = first.form[first.added :]
    told = not rest or len(texts) > 1 or _begins("told", first.form, 0, words)
    return told and not words.holds_any("mention", rest)


def _told_inside(part: Text, words: Words, names: Sequence[str]) -> Iterator[Text]:
    joint = words.finder("joint")
    for found in islice(joint.finditer(part.form), MOST_STARTS) if joint else ():
        if told := find_told(part.form, found.end(), words, names):
            yield from _told_texts(part, told, words)


def _introduced(form: str, words: Words) -> Person | None:
    """Return somebody whom a clause introduces at its end: "I have a sister", 新室友是我表妹小柚."""
    finder = words.finder("introducing")
    found = finder.search(form) if finder else None
    return None if found is None else Person(found["relation"], found["name"] or "")


def _told_texts(part: Text, told: Told, words: Words) -> Iterator[Text]:
    """Yield a statement about another, and each further predicate: "... and lives in Fresno"."""
    first = _as_told(part, told)
    yield first
    joint = words.finder("joint")
    for found in islice(joint.finditer(part.form, told.rest), MOST_STARTS) if joint else ():
        if further := _going_on(part, found.end(), told.person, words):
            yield _as_told(part, further)


def _going_on(part: Text, at: int, person: Person, words: Words) -> Told | None:
    spoken = speak_as_user(part.form, at, words)
    if spoken is None:
        return None
    form = spoken[0] + part.form[spoken[1] :]
    return Told(person, *spoken) if _begins("told", form, 0, words) else None


def _as_told(part: Text, told: Told) -> Text:
    begin = told.rest - len(told.head)
    return replace(
        part,
        form=told.head + part.form[told.rest :],
        start=part.start + begin,
        offset=part.offset + begin,
        starts=(0,),
        added=len(told.head),
        person=told.person,
    )


def _completed(part: Text, at: int, words: Words, *, is_bare: bool) -> Text | None:
    kinds = ("bare_verb", "bare_state") if is_bare else ("joined_verb", "joined_state")
    name = next((kind for kind in kinds if _begins(kind, part.form, at, words)), None)
    if name is None or (name == "joined_state" and not _begins("own_state", part.form, part.starts[0], words)):
        return None
    subject = words.patterns["subject_of_verb" if name.endswith("verb") else "subject_of_state"].replace("_", " ")
    begin = at - len(subject)
    return Text(
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


def _coordinated(part: Text, words: Words) -> Iterator[Text]:
    """Yield the further predicates of a clause ("I'm 34 and work for Qantas"), up to one about another."""
    joint, others = words.finder("joint"), words.finder("others")
    for found in islice(joint.finditer(part.form), MOST_STARTS) if joint else ():
        if others is not None and others.search(part.form, part.added, found.start()):
            return
        if completed := _completed(part, found.end(), words, is_bare=False):
            yield completed


def _begins(name: str, form: str, at: int, words: Words) -> bool:
    finder = words.finder(name)
    return finder is not None and finder.match(form, at) is not None
