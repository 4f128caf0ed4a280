"""Whether a note says more than what a sentence ends: "I have asthma and use a blue inhaler" outlives the inhaler."""

import re
from collections.abc import Iterable

from snapshots.understanding.changes.pairs import HeldText, Sentence, words_of
from snapshots.understanding.reading.clauses import split_clauses

# Boundaries between the facts of a note: punctuation, "and", and Chinese conjunctions.
_JOINTS = re.compile(
    r"[,;.:!?\uff0c\u3001\uff1b\u3002\uff1a\uff01\uff1f]"
    r"|\b(?:and|but|while|so|for my)\b|\u800c\u4e14|\u5e76\u4e14|\u8fd8\u6709|\u8fd8"
)
# So many words that the sentence does not have make a part of a note a fact of its own. Assumed: a verb and its
# object; a single word is a name, a filler or a list entry. In a whole clause one word is enough.
FACT_WORDS = 2


def says_more(sentence: Sentence, held: HeldText) -> bool:
    """Return whether a part of a note says something that the sentence does not speak of.

    The part that shares most of its words with the sentence is what ends; where none shares any, no part can be told
    from the others. A vital note says more with every two words of its own, for a wrong end of it may hurt somebody.
    """
    said = words_of(sentence.text)
    if held.is_vital and len(words_of(held.text) - said) >= FACT_WORDS:
        return True
    clauses = [clause.text for clause in split_clauses(held.text)]
    return _has_others(clauses, said, least=1) or _has_others(_JOINTS.split(held.text), said, least=FACT_WORDS)


def _has_others(parts: Iterable[str], said: frozenset[str], *, least: int) -> bool:
    """Return whether parts beside the one that is meant have so many words that were not said."""
    told = [words for part in parts if (words := words_of(part))]
    meant = max(told, key=lambda words: len(words & said) / len(words), default=frozenset[str]())
    if not meant & said:
        return sum(len(words) >= least for words in told) > 1
    return any(len(words - said) >= least for words in told if words is not meant)
