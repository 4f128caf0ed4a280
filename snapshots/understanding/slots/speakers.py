"""Where in a clause the user speaks of themselves, and the "I" that people leave out.

"Live in Leith", "I'm 34 and work for Qantas" and 住苏州 have a predicate whose subject stands before it or nowhere.
Such a predicate is read with the subject put before it, so that rows need to know it in one form only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.slots.lexicon import Words

MOST_STARTS = 4
"""Places of one clause from which rows are tried."""


@dataclass(frozen=True, slots=True)
class Text:
    """A clause or a sentence as rows see it: ``form`` is its matching form, ``start`` its place in the message."""

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


def find_starts(form: str, words: Words) -> tuple[int, ...]:
    """Return where rows may begin in ``form``: behind its idle words, and wherever the user speaks of themselves."""
    lead = words.finder("lead")
    idle = lead.match(form) if lead else None
    first = idle.end() if idle else 0
    speaker = words.finder("speaker")
    found = speaker.finditer(form, first + 1) if speaker else ()
    return (first, *(one.start() for one in found))[:MOST_STARTS]


def spoken_parts(sentence: str, start: int, clauses: list[Clause], words: Words, after: str) -> Iterator[Text]:
    """Yield the clauses of a sentence as texts, and what lacks a subject a second time, with the user as it."""
    speaks = is_another = False
    for one in clauses:
        offset = one.start - start
        form = sentence[offset : one.end - start]
        asked = one.asked and one is clauses[-1]
        part = Text(form, one.start, asked, one.language, sentence, offset, after, find_starts(form, words))
        yield part
        head = part.starts[0]
        if _begins("own", form, head, words):
            # "I have a daughter, called ...": what follows may be said of her.
            speaks = not words.holds_any("others", form)
            yield from _coordinated(part, words)
        elif (speaks or not is_another) and (completed := _completed(part, head, words, is_bare=not speaks)):
            yield completed
            yield from _coordinated(completed, words)
        else:
            speaks = False
            # "I know Tom, a plumber", "my sister is here": what lacks a subject after it may be said of others.
            is_another = is_another or _begins("speaker", form, head, words)


def _completed(part: Text, at: int, words: Words, *, is_bare: bool) -> Text | None:
    """Return what follows ``at`` with the subject that it lacks, None where it lacks none."""
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
    """Yield the further predicates of a clause: "I'm 34 and work for Qantas"; not those that speak of another."""
    joint, others = words.finder("joint"), words.finder("others")
    for found in islice(joint.finditer(part.form), MOST_STARTS) if joint else ():
        if others is not None and others.search(part.form, part.added, found.start()):
            return
        if completed := _completed(part, found.end(), words, is_bare=False):
            yield completed


def _begins(name: str, form: str, at: int, words: Words) -> bool:
    finder = words.finder(name)
    return finder is not None and finder.match(form, at) is not None
