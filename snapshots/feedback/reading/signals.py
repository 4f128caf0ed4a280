"""Reading the sense of a user's next turn by rules: no model, under 2 ms a turn.

Read top-down: the first stage that recognises the turn names its sense. A turn with content of its own that nothing
ties to the turns before is a change of topic; a turn that no stage recognises is unclear.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime

from snapshots.feedback.policy import SIGNALS, SignalPolicy
from snapshots.feedback.reading import patterns_en, patterns_zh
from snapshots.feedback.reading.overlap import units
from snapshots.feedback.reading.parsed_turn import Heard, hear, holds, question_word, words_of
from snapshots.feedback.reading.utilisation import Said
from snapshots.feedback.values import Sense, Turn
from snapshots.understanding.believing.extract import extract
from snapshots.understanding.correcting.corrections import may_correct
from snapshots.understanding.correcting.reader import is_correction
from snapshots.understanding.values import Extraction, ExtractionContext, PreferenceCandidate, ProfileFact, Utterance

_HAN = re.compile(r"[\u3400-\u9fff]")
_LEADS = re.compile(
    r"^(?:(?:ok|okay|right|alright|k|cool|well|so|and|then|also|but|嗯|好|好的|哦|行|那|还有|然后|所以|那个)\b[,. "
    r"。]*)+"
)
_EMPHASIS = re.compile(r"\b[A-Z]{3,}\b")
_PRAISE = frozenset("👍👌🙏💯🎉🥰😍😊😀😁🙂🤩👏💪✅❤💖🔥🤝😋✨🫡")
_RULES = ExtractionContext(own_names=frozenset())
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def corrections_in(said: str) -> tuple[ProfileFact | PreferenceCandidate, ...]:
    if not may_correct(said):
        return ()
    return taught_by(said).corrections


def taught_by(said: str) -> Extraction:
    return extract(Utterance("next", "user", None, said, _LONG_AGO, 1), context=_RULES)


def sense_of(turn: Turn, policy: SignalPolicy = SIGNALS) -> Sense:
    """Return the sense of ``turn.next``. Linear in the length of the texts, which are cut first."""
    heard = hear(turn, policy)
    for stage in STAGES:
        found = stage(heard)
        if found:
            return found
    return Sense.UNCLEAR


def leaves(heard: Heard) -> Sense | None:
    led = heard.clauses[:2] if _confirms(heard.first) else heard.clauses[:1]
    return Sense.TOPIC_CHANGE if any(holds("TOPIC", clause) for clause in led) else None


def objects(heard: Heard) -> Sense | None:
    """The turn says that the question was not answered, or insists on it in other words."""
    same = heard.wanted and heard.wanted == question_word(heard.form)
    if holds("INSISTS", heard.form) and heard.asks and (same or heard.words & heard.asked):
        return Sense.RESTATE
    said_again = len(heard.overlap.again) >= heard.policy.restated_words
    if holds("RESTATE", heard.form) and (said_again or not _states_right(heard)):
        return Sense.RESTATE
    if _stressed(heard) & heard.asked:
        return Sense.RESTATE
    meant = holds("MEANT", heard.form) and not holds("STRONG_CORRECTION", heard.form)
    return Sense.RESTATE if meant and heard.words & heard.asked else None


def repeats(heard: Heard) -> Sense | None:
    """The turn says most of what the question was about, and little else."""
    shared = heard.overlap
    if holds("FOLLOWS_ON", heard.form) or len(shared.again) < min(heard.policy.restated_words, len(shared.asked)):
        return None
    if not heard.asks and (_confirms(heard.first) or _contradicts(heard)):
        return None
    if not shared.again or shared.covered < heard.policy.repeated_share:
        return None
    if len(shared.again) == 1 and shared.fresh and heard.wanted != question_word(heard.form):
        return None
    most = len(shared.again)
    near = len(shared.fresh) <= heard.policy.repeated_fresh * most and len(shared.answered) <= most
    return Sense.RESTATE if near else None


def corrects(heard: Heard) -> Sense | None:
    if holds("HYPOTHETICAL", heard.first):
        return None
    if holds("CONFIRMED_ANYWHERE", heard.first):
        return None
    if _echoes(heard):
        return Sense.CORRECT
    if any(holds("STRONG_CORRECTION", clause) for clause in (*heard.told, ", ".join(heard.told))):
        return None if _harmless(heard) else Sense.CORRECT
    return Sense.CORRECT if _states_right(heard) and heard.told else None


def asks_again(heard: Heard) -> Sense | None:
    """The turn asks the same as the question."""
    said = heard.words - patterns_en.COURTESIES
    shared = said & heard.asked
    if not shared or _confirms(heard.first) or holds("FOLLOWS_ON", heard.form):
        return None
    enough = len(shared) >= heard.policy.restated_words
    if enough and (len(shared) / len(said | heard.asked) >= heard.policy.restated_share or shared == said):
        return Sense.RESTATE
    same_question = heard.wanted == question_word(heard.form)
    if same_question and heard.wanted and shared == said:
        return Sense.RESTATE
    new_from_reply = (said & heard.before) - heard.asked
    return Sense.RESTATE if same_question and _covers(heard) and not new_from_reply else None


def answers(heard: Heard) -> Sense | None:
    """The turn answers what the reply asked at its end: it goes along, whichever way it answers."""
    if not heard.offered or heard.asks or heard.size > heard.policy.answer_words:
        return None
    return Sense.CONFIRM if holds("ANSWERS", heard.form) else None


def denies(heard: Heard) -> Sense | None:
    """The turn contradicts, by a word that opens a contradiction or by a denial of what was said."""
    is_pleased = any(holds("CONFIRMED_ANYWHERE", clause) for clause in heard.told)
    if _harmless(heard) or is_pleased:
        return None
    stated = [clause for clause in heard.told if not holds("HYPOTHETICAL", clause)]
    changed = any(holds("CHANGED", clause) or holds("UPDATES", clause) for clause in stated)
    if changed or (heard.ties and any(holds("CHANGED_THERE", clause) for clause in stated)):
        return Sense.CORRECT
    if heard.asks:
        return None
    denied = holds("DENIED", heard.form) and heard.ties
    return Sense.CORRECT if denied or holds("WEAK_CORRECTION", heard.form) else None


def confirms(heard: Heard) -> Sense | None:
    if not any(character.isalnum() for character in heard.form):
        return Sense.CONFIRM if _PRAISE & set(heard.raw) else None
    taken = _confirms(heard.first) or any(holds("CONFIRMED_ANYWHERE", clause) for clause in heard.told)
    if not taken or heard.asks or any(holds("ASKS_MORE", clause) for clause in heard.clauses[1:]):
        return None
    return None if holds("WEAK_CONFIRM", heard.first) and _goes_elsewhere(heard) else Sense.CONFIRM


def follows(heard: Heard) -> Sense | None:
    """The turn asks on: it refers to what was said, shares its words, or makes no sense alone."""
    if heard.asks and _confirms(heard.first) and not holds("WEAK_CONFIRM", heard.first):
        return Sense.FOLLOW_UP
    body = _LEADS.sub("", heard.form)
    if body != heard.form and holds("WANTS", body) and not heard.ties and not holds("FOLLOWS", body):
        return Sense.TOPIC_CHANGE
    if any(holds("FOLLOWS", clause) for clause in heard.clauses) or any(
        holds("ASKS_MORE", clause) for clause in heard.clauses[1:]
    ):
        return Sense.FOLLOW_UP
    if _elliptic(heard) or (heard.asks and holds("OWN_QUESTION", heard.form)):
        return Sense.FOLLOW_UP
    if heard.ties and not heard.asks and not holds("REQUESTS", heard.form):
        return Sense.CONFIRM if heard.overlap.answered and not holds("DENIED", heard.form) else None
    return Sense.FOLLOW_UP if heard.ties else None


def turns_away(heard: Heard) -> Sense | None:
    """The turn asks or wants something that shares nothing with what came before, and needs nothing of it."""
    shared = heard.overlap
    if heard.ties or len(shared.again | shared.answered) > 1:
        return None
    asks = heard.asks or holds("REQUESTS", heard.form) or holds("WANTS", heard.form)
    return Sense.TOPIC_CHANGE if asks and shared.fresh else None


STAGES: tuple[Callable[[Heard], Sense | None], ...] = (
    leaves,
    objects,
    repeats,
    answers,
    corrects,
    asks_again,
    denies,
    confirms,
    follows,
    turns_away,
)


def _covers(heard: Heard) -> bool:
    held = Said.of(heard.raw).held(heard.subject)
    enough = len(held) >= heard.policy.restated_words or (held and heard.wanted)
    return bool(enough) and len(held) / len(heard.subject) >= heard.policy.covered_share


def _elliptic(heard: Heard) -> bool:
    """Whether the turn asks for an attribute and does not say of what."""
    if _HAN.search(heard.form):
        if not heard.asks or patterns_zh.FOR_ME.search(heard.form) or patterns_zh.WHOLE.search(heard.form):
            return False
        short = len(heard.form) <= heard.policy.bare_chars
        return short or (len(heard.form) <= heard.policy.elliptic_chars and holds("ELLIPTIC", heard.form))
    few = heard.size <= heard.policy.elliptic_words and len(heard.words) <= heard.policy.elliptic_terms
    return few and holds("ELLIPTIC", heard.form)


def _confirms(clause: str) -> bool:
    return holds("CONFIRM", clause)


def _harmless(heard: Heard) -> bool:
    return holds("NOT_A_DENIAL", heard.form)


def _states_right(heard: Heard) -> bool:
    """Whether the turn has a correction: one that the fast lane would apply, or that its reader is sure of."""
    return bool(corrections_in(heard.raw)) or is_correction(heard.raw)


def _echoes(heard: Heard) -> bool:
    """Whether the turn asks back a word of the reply and states something else: "Leeds? I live in Aberdeen"."""
    if len(heard.clauses) < 2 or heard.first in heard.told or not heard.told:  # noqa: PLR2004 -- a question and more
        return False
    echoed = units(heard.first)
    return bool(echoed) and len(echoed) <= heard.policy.echoed_units and echoed <= heard.overlap.answered


def _contradicts(heard: Heard) -> bool:
    stated = ("DENIED", "CHANGED", "UPDATES", "STRONG_CORRECTION")
    return any(holds(name, heard.form) for name in stated) or _states_right(heard)


def _stressed(heard: Heard) -> frozenset[str]:
    """Return the words that the turn stresses by capitals, where the rest has none."""
    found = " ".join(_EMPHASIS.findall(heard.raw))
    return words_of(found) if found and not heard.raw.isupper() else frozenset()


def _goes_elsewhere(heard: Heard) -> bool:
    rest = words_of(heard.rest)
    strange = len(rest) > heard.policy.elliptic_terms and not rest & heard.before
    wants = holds("REQUESTS", heard.rest) or holds("WANTS", heard.rest)
    return strange and wants and not holds("FOLLOWS", heard.rest.removeprefix("so, "))
