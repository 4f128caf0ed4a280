"""What in everyday English talk only looks like a change: a gate behind the rules, one candidate at a time (E2).

Rules find words; friends use the same words to praise, to tell of a day and to cheer each other up. What may last names
a thing or a doing, is the speaker's own, and is told of no single time.
"""

import re
from collections.abc import Iterable

from snapshots.extraction.categories import known_category
from snapshots.extraction.corrections_reader import is_correction
from snapshots.extraction.everyday_words_en import (
    MOVED_THEN,
    is_cut_off,
    is_vague,
    names_something,
    tells_a_state,
)
from snapshots.extraction.observe import Clause
from snapshots.extraction.values import Candidate, PreferenceCandidate

_NAMED = re.compile(
    r"[A-Z\d]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)\b"
)
_DONE = re.compile(
    r"\b(?:I|we|and)(?: \w+ly| just| also| even| finally)* (?:ended up|\w{2,}(?<!ne)ed|had|got|took|made|went|sat|saw|"
    r"met|found|bought|ate|drank|spent|came|left|felt|ran|drove|gave|told|thought|heard|brought|wrote|was|were)\b"
    r"[^,]{0,40}$",
    re.IGNORECASE,
)
"""Before a value: it was done once. What "I've" done may be a habit."""
_SPEAKER = re.compile(r"\b(?:I|we|my|our|me|us|mine|im|ive|you|u)\b", re.IGNORECASE)
_USED_TO = re.compile(r"\bused to\b", re.IGNORECASE)
_NOW = re.compile(
    r"\b(?:now|nowadays|these days|lately|any ?more|any longer|instead|switched|moved|since|only|just|prefer|it's|I'm|"
    r"I've|no longer)\b",
    re.IGNORECASE,
)
_OF_THE_PAST = re.compile(
    r"\b(?:when (?:I|we) (?:was|were)|as (?:a )?(?:kids?|child|children|teen\w*)|growing up|those (?:were|days)|"
    r"back then|(?:get|gets|got|getting) used to)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(r"\bnever (?:ever )?(?:been|had|tried|seen|eaten|lived|worked|owned|liked|wanted)\b", re.IGNORECASE)
_DISPUTED = re.compile(
    r"\b(?:you|who|where|why|what|said|wrong|no|nope|huh|stop|delete|remove|mistake|that's|says|profile|list|told)\b",
    re.IGNORECASE,
)
"""Who denies what is held of him answers somebody; who has "never been to Norway" may only tell so."""
_YOURS = re.compile(
    r"\byou(?:'ve| have| had| get| got)+ (?:an? )?(?:such|any|no|so|some|people|friends|family|each|to|my back|this)\b"
    r"|\b(?:do|did|can|could|would) you (?:have|know|want|like|think)\b",
    re.IGNORECASE,
)
"""Of what "you have" when nothing is held: praise and questions."""
_GIVEN_UP = re.compile(r"\b(?:gave|give|given|giving) up on\b|\b(?:quit|stopped) trying\b", re.IGNORECASE)
_LET_GO = re.compile(r"\b(?:dropped|left|got rid of|threw|cancell?ed|lost)\b", re.IGNORECASE)
_RATHER = re.compile(r"\b(?:rather than|instead of)\b", re.IGNORECASE)
_ADVISED = re.compile(r"\b(?:should|could|need to|have to|try|maybe|let's|remember to)\b", re.IGNORECASE)
_PUT_RIGHT = re.compile(
    r"\W*(?:not?|nope|nah|sorry|wrong|actually|correction|oops|wait|hang on|update|change of plan|fyi|heads up)\b",
    re.IGNORECASE,
)
_FROM_NOW_ON = re.compile(
    r"\b(?:from (?:now|today|here|this day) on|going forward|in (?:the )?future|by default|henceforth|permanently|"
    r"for good|any ?more|any longer|no longer)\b",
    re.IGNORECASE,
)


def lasting(found: Iterable[Candidate], clauses: list[Clause]) -> list[Candidate]:
    """Return those of ``found`` that English ``clauses`` teach for good; of other languages all of them."""
    if clauses[0].language != "en":
        return list(found)
    return [candidate for candidate in found if may_last(candidate, clauses[0])]


def may_last(candidate: Candidate, clause: Clause) -> bool:
    """Return whether a candidate of ``clause`` names something, of the speaker, that is told of no single time."""
    match candidate:
        case PreferenceCandidate(sort="change", value=str() | tuple()):
            return _is_change(candidate, clause)
        case PreferenceCandidate(value=tuple(values)):
            return all(names_something(one) and not is_cut_off(one) for one in values)
    return True


def _is_known(value: str) -> bool:
    """Return whether ``value`` is of a known kind, a name or of a number."""
    return bool(known_category(value)) or _NAMED.search(value) is not None


def _is_change(change: PreferenceCandidate, clause: Clause) -> bool:
    """Return whether words say that something is otherwise now, and name it.

    Where a reader is sure that they put something right, sides that are cut out badly tell what is meant all the same.
    """
    sentence, text = clause.sentence, clause.utterance.text
    values = _texts(change)
    sides = [side for side in (*values, change.replaces) if side]
    moved_then = change.replaces is None and MOVED_THEN.search(sentence)
    if moved_then or any(map(tells_a_state, sides)) or _is_story(values[0], sentence):
        return False
    if _LET_GO.search(sentence) and not any(map(_is_known, sides)) and not is_correction(text):
        return False
    if change.category is not None:
        return all(map(names_something, sides))
    if change.replaces is None and change.mode != "remove" and is_vague(values[0]) and not _is_known(values[0]):
        return False
    if _YOURS.search(text) or (change.mode == "remove" and _NEVER.search(sentence) and not _DISPUTED.search(text)):
        return False
    return is_correction(text) or (all(map(names_something, sides)) and _is_told(change, values[0], sentence))


def _is_story(value: str, sentence: str) -> bool:
    """Return whether what was otherwise is only told: of childhood, of one evening, or as advice."""
    if _GIVEN_UP.search(sentence):
        return True
    if _USED_TO.search(sentence):
        return _OF_THE_PAST.search(sentence) is not None or _NOW.search(sentence) is None
    before, _ = _around(value, sentence)
    return bool(_RATHER.search(sentence) and (_DONE.search(before) or _ADVISED.search(before)))


def _is_told(change: PreferenceCandidate, value: str, sentence: str) -> bool:
    """Return whether a change that no reader is sure of says of whom and of what it is, or from when on."""
    spoken = _SPEAKER.search(sentence) is not None
    if _FROM_NOW_ON.search(sentence) or _PUT_RIGHT.match(sentence):
        return True
    if _is_known(value) and (spoken or change.mode != "remove"):
        return True
    return spoken and (change.replaces is not None or change.mode == "remove") and not is_vague(value)


def _texts(candidate: PreferenceCandidate) -> list[str]:
    return list(candidate.value) if isinstance(candidate.value, tuple) else [str(candidate.value)]


def _around(value: str, sentence: str) -> tuple[str, str]:
    """Return what a sentence says before and after ``value``; all and nothing where the value is in other words."""
    at = sentence.casefold().find(value.casefold())
    return (sentence[:at].rstrip(), sentence[at + len(value) :]) if at >= 0 else (sentence, "")
