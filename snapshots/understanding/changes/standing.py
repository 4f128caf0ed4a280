"""Notes that a sentence does not end although it shares words with them: past events, repetitions, trips; and notes of
which a part still holds."""

import re
from collections.abc import Iterable

from snapshots.understanding.changes.figures import figures_in
from snapshots.understanding.changes.pairs import STRONG, HeldText, Sentence, words_of
from snapshots.understanding.changes.persons import named_people
from snapshots.understanding.changes.words import cues_in, events_in
from snapshots.understanding.drafting.sayings import denials_in, says_the_same
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.forms import matching_form

# Words that add emphasis, or say that something was said before: they add nothing new.
_STRENGTHENS = re.compile(
    r"\b(?:really|so|very|absolutely|totally|truly|simply|just|do|still|always|honestly|definitely|dearly|too|also"
    r"|(?:like |as )?i(?:'ve)? (?:already )?(?:told|said|mentioned)(?: (?:to )?you)?(?: (?:before|that|already))*"
    r"|remember|much|any ?more|you know|as you know|by the way|that)\b"
    r"|我?(?:跟|和|对)?你?(?:说|讲|提)过(?:的)?|告诉过你|你(?:知道|记得)的?|真的?是?|特别|非常|超级?|很|最|也|还是|一直|都|确实|其实|会再|再也|了(?=\W*$)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:when(?:ever)? (?:i'm |i )?(?:travel\w*|away|abroad)|on (?:business )?trips?|on the road"
    r"|(?:on|for) work trips"
    r"|business trips?|on (?:holiday|vacation)|travell?ing)\b|出差|旅游|旅行|度假|外出|在外地",
    re.IGNORECASE,
)

# A note that says who somebody is ends only when that person has parted from the user or died.
_INTRODUCES = re.compile(
    r"[A-Z][\w-]+(?:'s| is) (?:my|our) (?:[a-z-]+ ){0,2}[a-z-]+"
    r"|[Mm]y (?:[a-z-]+ ){1,3}(?:is|is called|is named) [A-Z][\w-]+"
    r"|我[\u4e00-\u9fff]{1,4}叫[\u4e00-\u9fff]{1,4}|[\u4e00-\u9fff]{2,4}是我的?[\u4e00-\u9fff]{1,4}"
)
_PARTS = re.compile(
    r"\b(?:died|dead|passed|lost|buried|broke|broken|split|divorc\w*|left (?:me|us)|gone|down|away|missing|rehomed"
    r"|no longer|any ?more|ex|renamed|called)\b|世|死|离婚|分手|没了|丢|送人|送走|不在了|不再|改名|改叫|不是|绝交|掰",
    re.IGNORECASE,
)
# Boundaries between the facts of a note: punctuation, "and", and Chinese conjunctions.
_JOINTS = re.compile(
    r"[,;.:!?\uff0c\u3001\uff1b\u3002\uff1a\uff01\uff1f]"
    r"|\b(?:and|but|while|so|for my)\b|\u800c\u4e14|\u5e76\u4e14|\u8fd8\u6709|\u8fd8"
)
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
    is_somebody = named_people(held.text).people and _INTRODUCES.fullmatch(known.strip(" .!,。"))
    if is_somebody and not _PARTS.search(form):
        return True
    is_elsewhere = _ELSEWHERE.search(form) is not None and _ELSEWHERE.search(known) is None
    return is_elsewhere or bool(events_in(form) & events_in(known))


def _without(found: re.Match[str]) -> str:
    """Chinese characters are read in pairs, so nothing stands between them."""
    return " " if found.group().isascii() else ""


def says_again(said: str, held: str) -> bool:
    """Return whether a sentence only repeats or strengthens a note: the words of one stand in the other, both deny as
    often, and no figure differs. "I don't eat beef any more" does not end "I don't eat beef"."""
    plain, known_plain = (_STRENGTHENS.sub(_without, matching_form(text)) for text in (said, held))
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
    return _has_others(clauses, said, least=1) or _has_others(_JOINTS.split(held.text), said, least=FACT_WORDS)


def _has_others(parts: Iterable[str], said: frozenset[str], *, least: int) -> bool:
    told = [words for part in parts if (words := words_of(part))]
    meant = max(told, key=lambda words: len(words & said) / len(words), default=frozenset[str]())
    if not meant & said:
        return sum(len(words) >= least for words in told) > 1
    return any(len(words - said) >= least for words in told if words is not meant)
