"""The indexed form of a memory: its words with speaker, date and previous turn. Shown text stays without them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.text import detect_language
from snapshots.embedding.marker_terms import detect_question_and_time_marks, make_alias_marks
from snapshots.embedding.near_duplicates import hash_saying

# The language of notes and replies in the index: the encoder of all languages compares them, so that a question in one
# language finds a note in another, and one reader of relevance serves all.
EVERY_LANGUAGE = "other"
_MONTHS = "January February March April May June July August September October November December"
# Not calendar.month_name, which follows the locale of the process.
MONTHS = tuple(_MONTHS.split())


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One utterance. ``speaker`` is None for the subject."""

    text: str
    speaker: str | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class IndexedText:
    """The terms of one memory by field, and the two texts whose vectors are stored.

    ``about`` holds the terms of date, category, topics and aliases, and the marks of text and aliases. ``before`` holds
    those of the previous turn, only when that is no memory of its own (an assistant's): memories are found through the
    neighbours of the index. Two memories of one ``saying`` repeat each other; 0 repeats nothing.
    """

    text: tuple[str, ...]
    speaker: tuple[str, ...]
    about: tuple[str, ...]
    before: tuple[str, ...]
    dated: str
    continued: str
    language: str
    saying: int


def index_text(
    turn: SpokenTurn,
    *,
    previous: SpokenTurn | None = None,
    previous_is_memory: bool = True,
    category: str | None = None,
    topics: Sequence[str] = (),
    aliases: Sequence[str] = (),
) -> IndexedText:
    """Return the terms of ``turn`` per field, ``[date] speaker: text``, and ``previous turn + text``."""
    language = detect_language(turn.text)
    date = render_spoken_date(turn.said_at, language)
    subject_matter = " ".join(filter(None, (*topics, category)))
    prefix = " / ".join(filter(None, (*topics, category, date)))
    own_terms = previous is not None and not previous_is_memory
    names = (*topics, *aliases)
    return IndexedText(
        text=tuple(split_terms(turn.text)),
        speaker=tuple(split_terms(turn.speaker or "")),
        about=(
            *split_terms(" ".join((date, subject_matter, *aliases))),
            *detect_question_and_time_marks(turn.text),
            *make_alias_marks(names),
        ),
        before=tuple(split_terms(prepend_speaker(previous))) if previous and own_terms else (),
        dated=f"[{prefix}] {prepend_speaker(turn)}" if prefix else prepend_speaker(turn),
        continued=f"{prepend_speaker(previous)}\n{prepend_speaker(turn)}" if previous else prepend_speaker(turn),
        language=language,
        saying=hash_saying(turn.text, turn.speaker),
    )


def index_note_or_reply(indexed: IndexedText, turn: SpokenTurn) -> IndexedText:
    """Return the indexed form of a note or a reply: its vector has no date and belongs to every language."""
    return replace(indexed, dated=prepend_speaker(turn), language=EVERY_LANGUAGE)


def prepend_speaker(turn: SpokenTurn) -> str:
    """Return ``speaker: text``, or the text alone for the subject's own words."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def render_spoken_date(moment: datetime | None, language: str) -> str:
    """Return the day as people write it in ``language``: "8 May 2023", "2023年5月8日"; "" without a moment."""
    if moment is None:
        return ""
    if language == "zh":
        return f"{moment.year}年{moment.month}月{moment.day}日"
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
