"""Notes that a sentence does not end although it shares words with them: past events, repetitions, trips; and notes of
which a part still holds."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.changes.change_words import find_cues, find_event_verbs
from snapshots.understanding.changes.mentioned_people import find_mentioned_people
from snapshots.understanding.changes.numbers_and_dates import find_figures
from snapshots.understanding.changes.sentence_note_features import STRONG, NoteText, SaidSentence, list_words
from snapshots.understanding.drafting.near_duplicates import count_denials, says_the_same
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.text_folding import fold_for_matching

_RE = load_patterns(Path(__file__).with_name("data") / "unchanged_notes.toml")
# So many words that the sentence does not have make a part of a note a fact of its own. Assumed: a verb and its
# object; a single word is a name, a filler or a list entry. In a whole clause one word is enough.
FACT_WORDS = 2
PLACES = ("home", "workplace", "school")


def is_unaffected(sentence: SaidSentence, note: NoteText) -> bool:
    """Return whether a note stays as it is: the sentence says the same, is about a trip where the note is not, or both
    tell of separate events ("I bought 3 tickets" beside "I bought 5 tickets") or of separate places."""
    if says_the_same(sentence.text, note.text) or repeats_note(sentence.text, note.text):
        return True
    form, known = fold_for_matching(sentence.text), fold_for_matching(note.text)
    if "wrong" in find_cues(form):
        return False
    is_somebody = find_mentioned_people(note.text).people and _RE["introduces"].fullmatch(known.strip(" .!,。"))
    if is_somebody and not _RE["parts"].search(form):
        return True
    if _tell_of_other_places(form, known):
        return True
    is_elsewhere = _RE["elsewhere"].search(form) is not None and _RE["elsewhere"].search(known) is None
    return is_elsewhere or bool(find_event_verbs(form) & find_event_verbs(known))


def _tell_of_other_places(form: str, known: str) -> bool:
    """Return whether each text says where a place is, and they name no place in common: a home and an office."""
    places, known_places = ({kind for kind in PLACES if _RE[kind].search(text)} for text in (form, known))
    return bool(places and known_places) and not places & known_places


def _blank_word(match: re.Match[str]) -> str:
    """Chinese characters are read in pairs, so nothing stands between them."""
    return " " if match.group().isascii() else ""


def repeats_note(sentence: str, note: str) -> bool:
    """Return whether a sentence only repeats or strengthens a note: the words of one stand in the other, both deny as
    often, and no figure differs. "I don't eat beef any more" does not end "I don't eat beef"."""
    denials, own = _read_plain(sentence)
    known_denials, others = _read_plain(note)
    if denials != known_denials:
        return False
    if find_cues(fold_for_matching(sentence)) & STRONG and not (denials and own == others):
        return False
    if not own or not others or not (own <= others or others <= own):
        return False
    known = find_figures(note)
    return all(values <= known[sort] or known[sort] <= values for sort, values in find_figures(sentence).items())


@lru_cache(maxsize=4_096)
def _read_plain(text: str) -> tuple[int, frozenset[str]]:
    """Return how often a text denies, and its words, without those that only strengthen it."""
    plain = _RE["strengthens"].sub(_blank_word, fold_for_matching(text))
    return count_denials(plain), list_words(plain)


def has_other_facts(sentence: SaidSentence, note: NoteText) -> bool:
    """Return whether a note also says something that the sentence is not about: "I have asthma and use a blue inhaler"
    outlives the inhaler.

    The part that shares most words with the sentence ends. A vital note counts as saying more with every two words of
    its own, because a wrong end may hurt somebody.
    """
    said = list_words(sentence.text)
    if note.is_vital and len(list_words(note.text) - said) >= FACT_WORDS:
        return True
    clauses = [clause.text for clause in split_clauses(note.text)]
    return _has_other_parts(clauses, said, least=1) or _has_other_parts(
        _RE["joints"].split(note.text), said, least=FACT_WORDS
    )


def _has_other_parts(parts: Iterable[str], sentence_words: frozenset[str], *, least: int) -> bool:
    told = [words for part in parts if (words := list_words(part))]
    meant = max(told, key=lambda words: len(words & sentence_words) / len(words), default=frozenset[str]())
    if not meant & sentence_words:
        return sum(len(words) >= least for words in told) > 1
    return any(len(words - sentence_words) >= least for words in told if words is not meant)
