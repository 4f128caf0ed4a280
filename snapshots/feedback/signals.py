"""Implicit feedback (G3): what a user's next turn says about the reply before it; rules, no model, under 2 ms a turn.

The page is read top-down: the first stage that recognises the turn names its sense. A turn that nothing ties to what
was said before is a change of topic.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from memory_platform.kernel.terms import terms
from memory_platform.kernel.text import comparable
from snapshots.extraction.corrections import may_correct
from snapshots.extraction.pipeline import extract
from snapshots.extraction.values import ExtractionContext, PreferenceCandidate, ProfileFact, Utterance
from snapshots.feedback import patterns_en, patterns_zh
from snapshots.feedback.policy import SIGNALS, SignalPolicy
from snapshots.feedback.utilisation import Said, core_words
from snapshots.feedback.values import Sense, Turn

_HAN = re.compile(r"[\u3400-\u9fff]")
_CLAUSE_END = re.compile(r"([,.!?;:。、…~\n—]+(?:\s|$)|[,!?;。、…~—]+|\s-+\s)")
_PRAISE = frozenset("👍👌🙏💯🎉🥰😍😊😀😁🙂🤩👏💪✅❤💖🔥🤝😋✨🫡")
_FOLDED = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "`": "'"})
_RULES = ExtractionContext(own_names=frozenset())
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Heard:
    """A next turn as the stages see it: its form, its clauses, those of them that ask nothing (``told``), its words,
    and those of what was said before. ``wanted`` is the question word of the question, ``subject`` its core words."""

    raw: str
    form: str
    clauses: tuple[str, ...]
    told: tuple[str, ...]
    words: frozenset[str]
    asked: frozenset[str]
    before: frozenset[str]
    wanted: str
    subject: frozenset[str]
    policy: SignalPolicy

    @property
    def first(self) -> str:
        """The first clause."""
        return self.clauses[0] if self.clauses else ""

    @property
    def rest(self) -> str:
        """What follows the first clause."""
        return ", ".join(self.clauses[1:])

    @property
    def asks(self) -> bool:
        """Whether the turn asks something."""
        return len(self.told) < len(self.clauses)

    @property
    def size(self) -> int:
        """Words, a Chinese character counting as half a word."""
        return len(_HAN.findall(self.form)) // 2 + len(_HAN.sub(" ", self.form).split())

    @property
    def ties(self) -> frozenset[str]:
        """Core words that the turn shares with what was said before."""
        return self.words & self.before


def corrections_in(said: str) -> tuple[ProfileFact | PreferenceCandidate, ...]:
    """Return the corrections that extraction finds in a turn."""
    if not may_correct(said):
        return ()
    return extract(Utterance("next", "user", None, said, _LONG_AGO, 1), context=_RULES).corrections


def sense_of(turn: Turn, policy: SignalPolicy = SIGNALS) -> Sense:
    """Return what ``turn.next`` does to the reply before it. Linear in the length of the texts, which are cut first."""
    heard = hear(turn, policy)
    for stage in STAGES:
        found = stage(heard)
        if found:
            return found
    return Sense.TOPIC_CHANGE


def hear(turn: Turn, policy: SignalPolicy) -> Heard:
    """Return the turn in the form that the stages compare."""
    raw = (turn.next or "")[: policy.next_chars]
    form = comparable(raw.translate(_FOLDED))
    clauses, told = _clauses(form)
    query = turn.query[: policy.context_chars]
    asked = _words(query)
    before = asked | _words((turn.reply or "")[: policy.context_chars])
    return Heard(
        raw,
        form,
        clauses,
        told,
        _words(raw),
        asked,
        before,
        _question_word(comparable(query)),
        core_words(query),
        policy,
    )


def leaves(heard: Heard) -> Sense | None:
    """A turn that says so goes elsewhere."""
    led = heard.clauses[:2] if _confirms(heard.first) else heard.clauses[:1]
    return Sense.TOPIC_CHANGE if any(_found("TOPIC", clause) for clause in led) else None


def objects(heard: Heard) -> Sense | None:
    """The turn says that the question was not answered, or insists on it in words of its own."""
    same = heard.wanted and heard.wanted == _question_word(heard.form)
    if _found("INSISTS", heard.form) and heard.asks and (same or heard.words & heard.asked):
        return Sense.RESTATE
    if _found("RESTATE", heard.form) and not _states_right(heard):
        return Sense.RESTATE
    return Sense.RESTATE if _found("MEANT", heard.form) and heard.words & heard.asked else None


def corrects(heard: Heard) -> Sense | None:
    """The turn says what is wrong, or what has changed."""
    if _found("HYPOTHETICAL", heard.first):
        return None
    if any(_found("STRONG_CORRECTION", clause) for clause in (*heard.told, ", ".join(heard.told))):
        return None if _harmless(heard) else Sense.CORRECT
    return Sense.CORRECT if _states_right(heard) and heard.told else None


def asks_again(heard: Heard) -> Sense | None:
    """The turn says what the question said."""
    said = heard.words - patterns_en.COURTESIES
    shared = said & heard.asked
    if not shared or _confirms(heard.first) or _found("FOLLOWS_ON", heard.form):
        return None
    enough = len(shared) >= heard.policy.restated_words
    if enough and (len(shared) / len(said | heard.asked) >= heard.policy.restated_share or shared == said):
        return Sense.RESTATE
    same_question = heard.wanted == _question_word(heard.form)
    if same_question and heard.wanted and shared == said:
        return Sense.RESTATE
    new_from_reply = (said & heard.before) - heard.asked
    return Sense.RESTATE if same_question and _covers(heard) and not new_from_reply else None


def denies(heard: Heard) -> Sense | None:
    """The turn contradicts, by a word that opens a contradiction or by a denial of what was said."""
    if _harmless(heard):
        return None
    stated = [clause for clause in heard.told if not _found("HYPOTHETICAL", clause)]
    if any(_found("CHANGED", clause) or _found("UPDATES", clause) for clause in stated):
        return Sense.CORRECT
    if heard.ties and any(_found("CHANGED_THERE", clause) for clause in stated):
        return Sense.CORRECT
    if heard.asks:
        return None
    if _found("WEAK_CORRECTION", heard.form):
        return Sense.CORRECT
    return Sense.CORRECT if _found("DENIED", heard.form) and heard.ties else None


def confirms(heard: Heard) -> Sense | None:
    """The turn takes the reply."""
    if not any(character.isalnum() for character in heard.form):
        return Sense.CONFIRM if _PRAISE & set(heard.raw) else None
    taken = _confirms(heard.first) or any(_found("CONFIRMED_ANYWHERE", clause) for clause in heard.told)
    if not taken or heard.asks:
        return None
    return None if _found("WEAK_CONFIRM", heard.first) and _goes_elsewhere(heard) else Sense.CONFIRM


def follows(heard: Heard) -> Sense | None:
    """The turn asks on: it refers to what was said, shares its words, or makes no sense alone."""
    if any(_found("FOLLOWS", clause) for clause in heard.clauses):
        return Sense.FOLLOW_UP
    if _elliptic(heard) or (heard.asks and _found("OWN_QUESTION", heard.form)):
        return Sense.FOLLOW_UP
    return Sense.FOLLOW_UP if heard.ties else None


STAGES: tuple[Callable[[Heard], Sense | None], ...] = (
    leaves,
    objects,
    corrects,
    asks_again,
    denies,
    confirms,
    follows,
)


def _found(name: str, text: str) -> bool:
    return any(bool(getattr(patterns, name).search(text)) for patterns in (patterns_en, patterns_zh))


def _clauses(form: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the clauses of a turn, and those of them that ask nothing."""
    parts = _CLAUSE_END.split(form)
    pairs = [(part.strip(" \"'()*_"), end) for part, end in zip(parts[::2], [*parts[1::2], ""], strict=True)]
    clauses = [(clause, end) for clause, end in pairs if clause]
    told = (clause for clause, end in clauses if "?" not in end and not _found("ASKS", clause))
    return tuple(clause for clause, _ in clauses), tuple(told)


def _words(text: str) -> frozenset[str]:
    """Return stems and Chinese bigrams; a single character only where it stands alone."""
    found = frozenset(terms(text))
    return frozenset(term for term in found if len(term) > 1 or not _HAN.match(term)) or found


def _covers(heard: Heard) -> bool:
    """Whether the turn holds most core words of the question."""
    held = Said.of(heard.raw).held(heard.subject)
    enough = len(held) >= heard.policy.restated_words or (held and heard.wanted)
    return bool(enough) and len(held) / len(heard.subject) >= heard.policy.covered_share


def _question_word(form: str) -> str:
    found = patterns_en.QUESTION_WORD.search(form) or patterns_zh.QUESTION_WORD.search(form)
    return patterns_zh.SAME_QUESTION.get(found.group(), found.group()) if found else ""


def _elliptic(heard: Heard) -> bool:
    """Whether the turn asks for an attribute and does not say of what."""
    if _HAN.search(heard.form):
        return (
            heard.asks
            and not patterns_zh.FOR_ME.search(heard.form)
            and len(heard.form) <= heard.policy.elliptic_chars
            and _found("ELLIPTIC", heard.form)
        )
    few = heard.size <= heard.policy.elliptic_words and len(heard.words) <= heard.policy.elliptic_terms
    return few and _found("ELLIPTIC", heard.form)


def _confirms(clause: str) -> bool:
    return _found("CONFIRM", clause)


def _harmless(heard: Heard) -> bool:
    """Whether what looks like a denial is courtesy."""
    return _found("NOT_A_DENIAL", heard.form)


def _states_right(heard: Heard) -> bool:
    """Whether extraction finds a correction in the turn: what the fast lane would apply is one."""
    return bool(corrections_in(heard.raw))


def _goes_elsewhere(heard: Heard) -> bool:
    rest = _words(heard.rest)
    strange = len(rest) > heard.policy.elliptic_terms and not rest & heard.before
    return strange and _found("REQUESTS", heard.rest) and not _found("FOLLOWS", heard.rest.removeprefix("so, "))
