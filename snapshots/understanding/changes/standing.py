"""Notes that a sentence does not end although it shares words with them: past events, repetitions, trips; and notes of
which a part still holds."""

import re
from collections.abc import Iterable
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.changes.figures import figures_in
from snapshots.understanding.changes.pairs import STRONG, HeldText, Sentence, words_of
from snapshots.understanding.changes.persons import named_people
from snapshots.understanding.changes.words import cues_in, events_in
from snapshots.understanding.drafting.sayings import denials_in, says_the_same
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.forms import matching_form

_RE = load_patterns(Path(__file__).with_name("unchanged_notes.toml"))

# So many words that the sentence does not have make a part of a note a fact of its own. Assumed: a verb and its
# object; a single word is a name, a filler or a list entry. In a whole clause one word is enough.
FACT_WORDS = 2


def stands_beside(sentence: Sentence, held: HeldText) -> bool:
    """Return whether a note stays as it is: the sentence says the same, is about a trip where the note is not, or both
    tell of separate events ("I bought 3 tickets" beside "I bought 5 tickets")."""
    if says_the_same(sentence.text, held.text) or says_again(sentence.text, held.text):
        return True
    form, known = matching_form(sentence.text), matching_form(held.text)
    if "wrong" in cues_in(form):
        return False
    is_somebody = named_people(held.text).people and _RE["introduces"].fullmatch(known.strip(" .!,。"))
    if is_somebody and not _RE["parts"].search(form):
        return True
    is_elsewhere = _RE["elsewhere"].search(form) is not None and _RE["elsewhere"].search(known) is None
    return is_elsewhere or bool(events_in(form) & events_in(known))


def _without(found: re.Match[str]) -> str:
    """Chinese characters are read in pairs, so nothing stands between them."""
    return " " if found.group().isascii() else ""


def says_again(said: str, held: str) -> bool:
    """Return whether a sentence only repeats or strengthens a note: the words of one stand in the other, both deny as
    often, and no figure differs. "I don't eat beef any more" does not end "I don't eat beef"."""
    plain, known_plain = (_RE["strengthens"].sub(_without, matching_form(text)) for text in (said, held))
    if denials_in(plain) != denials_in(known_plain):
        return False
    own, others = words_of(plain), words_of(known_plain)
    if cues_in(matching_form(said)) & STRONG and not (denials_in(plain) and own == others):
        return False
    if not own or not others or not (own <= others or others <= own):
        return False
    known = figures_in(held)
    return all(values <= known[sort] or known[sort] <= values for sort, values in figures_in(said).items())


def says_more(sentence: Sentence, held: HeldText) -> bool:
    """Return whether a note also says something that the sentence is not about: "I have asthma and use a blue inhaler"
    outlives the inhaler.

    The part that shares most words with the sentence ends. A vital note counts as saying more with every two words of
    its own, because a wrong end may hurt somebody.
    """
    said = words_of(sentence.text)
    if held.is_vital and len(words_of(held.text) - said) >= FACT_WORDS:
        return True
    clauses = [clause.text for clause in split_clauses(held.text)]
    return _has_others(clauses, said, least=1) or _has_others(_RE["joints"].split(held.text), said, least=FACT_WORDS)


def _has_others(parts: Iterable[str], said: frozenset[str], *, least: int) -> bool:
    told = [words for part in parts if (words := words_of(part))]
    meant = max(told, key=lambda words: len(words & said) / len(words), default=frozenset[str]())
    if not meant & said:
        return sum(len(words) >= least for words in told) > 1
    return any(len(words - said) >= least for words in told if words is not meant)
