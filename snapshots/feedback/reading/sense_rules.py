"""Reading the sense of a user's next turn by rules: no model, under 2 ms a turn.

Read top-down: the first stage that recognises the turn names its sense. A turn with content of its own that nothing
ties to the turns before is a change of topic; a turn that no stage recognises is unclear.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime

from snapshots.feedback.config import SIGNALS
from snapshots.feedback.reading.overlap import find_content_units
from snapshots.feedback.reading.parsed_turn import (
    ParsedTurn,
    find_question_word,
    find_words,
    parse_turn,
)
from snapshots.feedback.reading.turn_patterns import COURTESIES, ZH, matches_pattern
from snapshots.feedback.reading.utilisation import SearchedText
from snapshots.feedback.values import AnsweredTurn, TurnSense
from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.correcting.correction_classifier import is_correction
from snapshots.understanding.correcting.value_correction_detection import may_correct
from snapshots.understanding.values import Extraction, ExtractionContext, FactCandidate, PreferenceCandidate, Utterance

_HAN = re.compile(r"[\u3400-\u9fff]")
_LEADS = re.compile(
    r"^(?:(?:ok|okay|right|alright|k|cool|well|so|and|then|also|but|嗯|好|好的|哦|行|那|还有|然后|所以|那个)\b[,. "
    r"。]*)+"
)
_EMPHASIS = re.compile(r"\b[A-Z]{3,}\b")
_PRAISE = frozenset("👍👌🙏💯🎉🥰😍😊😀😁🙂🤩👏💪✅❤💖🔥🤝😋✨🫡")
_RULES = ExtractionContext(own_names=frozenset())
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


def find_corrections(said: str) -> tuple[FactCandidate | PreferenceCandidate, ...]:
    if not may_correct(said):
        return ()
    return extract_from_turn(said).corrections


def extract_from_turn(said: str) -> Extraction:
    return extract_candidates(Utterance("next", "user", None, said, _LONG_AGO, 1), context=_RULES)


def classify_turn_by_rules(turn: AnsweredTurn) -> TurnSense:
    """Return the sense of ``turn.next``. Linear in the length of the texts, which are cut first."""
    heard = parse_turn(turn)
    for stage in STAGES:
        found = stage(heard)
        if found:
            return found
    return TurnSense.UNCLEAR


def detect_topic_change(heard: ParsedTurn) -> TurnSense | None:
    led = heard.clauses[:2] if _is_confirming(heard.first_clause) else heard.clauses[:1]
    return TurnSense.TOPIC_CHANGE if any(matches_pattern("topic", clause) for clause in led) else None


def detect_objection(heard: ParsedTurn) -> TurnSense | None:
    """The turn says that the question was not answered, or insists on it in other words."""
    same = heard.wanted and heard.wanted == find_question_word(heard.form)
    if matches_pattern("insists", heard.form) and heard.asks and (same or heard.words & heard.asked):
        return TurnSense.RESTATE
    said_again = len(heard.overlap.again) >= SIGNALS.restated_words
    if matches_pattern("restate", heard.form) and (said_again or not _has_correction(heard)):
        return TurnSense.RESTATE
    # Words in capitals are stressed where the rest has none.
    stressed = " ".join(_EMPHASIS.findall(heard.raw))
    if stressed and not heard.raw.isupper() and find_words(stressed) & heard.asked:
        return TurnSense.RESTATE
    meant = matches_pattern("meant", heard.form) and not matches_pattern("strong_correction", heard.form)
    return TurnSense.RESTATE if meant and heard.words & heard.asked else None


def detect_repetition(heard: ParsedTurn) -> TurnSense | None:
    shared = heard.overlap
    if matches_pattern("follows_on", heard.form) or len(shared.again) < min(SIGNALS.restated_words, len(shared.asked)):
        return None
    if not heard.asks and (_is_confirming(heard.first_clause) or _contradicts_reply(heard)):
        return None
    if not shared.again or shared.covered_share < SIGNALS.repeated_share:
        return None
    if len(shared.again) == 1 and shared.fresh and heard.wanted != find_question_word(heard.form):
        return None
    most = len(shared.again)
    near = len(shared.fresh) <= SIGNALS.repeated_fresh * most and len(shared.answered) <= most
    return TurnSense.RESTATE if near else None


def detect_correction(heard: ParsedTurn) -> TurnSense | None:
    if matches_pattern("hypothetical", heard.first_clause):
        return None
    if matches_pattern("confirmed_anywhere", heard.first_clause):
        return None
    if _echoes_reply(heard):
        return TurnSense.CORRECT
    if any(
        matches_pattern("strong_correction", clause)
        for clause in (*heard.stated_clauses, ", ".join(heard.stated_clauses))
    ):
        return None if _is_courtesy(heard) else TurnSense.CORRECT
    return TurnSense.CORRECT if _has_correction(heard) and heard.stated_clauses else None


def detect_repeated_question(heard: ParsedTurn) -> TurnSense | None:
    said = heard.words - COURTESIES
    shared = said & heard.asked
    if not shared or _is_confirming(heard.first_clause) or matches_pattern("follows_on", heard.form):
        return None
    enough = len(shared) >= SIGNALS.restated_words
    if enough and (len(shared) / len(said | heard.asked) >= SIGNALS.restated_share or shared == said):
        return TurnSense.RESTATE
    same_question = heard.wanted == find_question_word(heard.form)
    if same_question and heard.wanted and shared == said:
        return TurnSense.RESTATE
    new_from_reply = (said & heard.before) - heard.asked
    return TurnSense.RESTATE if same_question and _covers_question(heard) and not new_from_reply else None


def detect_answer(heard: ParsedTurn) -> TurnSense | None:
    if not heard.offered or heard.asks or heard.word_count > SIGNALS.answer_words:
        return None
    return TurnSense.CONFIRM if matches_pattern("answers", heard.form) else None


def detect_denial(heard: ParsedTurn) -> TurnSense | None:
    is_pleased = any(matches_pattern("confirmed_anywhere", clause) for clause in heard.stated_clauses)
    if _is_courtesy(heard) or is_pleased:
        return None
    stated = [clause for clause in heard.stated_clauses if not matches_pattern("hypothetical", clause)]
    changed = any(matches_pattern("changed", clause) or matches_pattern("updates", clause) for clause in stated)
    if changed or (heard.shared_words and any(matches_pattern("changed_there", clause) for clause in stated)):
        return TurnSense.CORRECT
    if heard.asks:
        return None
    denied = matches_pattern("denied", heard.form) and heard.shared_words
    return TurnSense.CORRECT if denied or matches_pattern("weak_correction", heard.form) else None


def detect_confirmation(heard: ParsedTurn) -> TurnSense | None:
    if not any(character.isalnum() for character in heard.form):
        return TurnSense.CONFIRM if _PRAISE & set(heard.raw) else None
    taken = _is_confirming(heard.first_clause) or any(
        matches_pattern("confirmed_anywhere", clause) for clause in heard.stated_clauses
    )
    if not taken or heard.asks or any(matches_pattern("asks_more", clause) for clause in heard.clauses[1:]):
        return None
    return (
        None
        if matches_pattern("weak_confirm", heard.first_clause) and _wants_something_else(heard)
        else TurnSense.CONFIRM
    )


def detect_follow_up(heard: ParsedTurn) -> TurnSense | None:
    if heard.asks and _is_confirming(heard.first_clause) and not matches_pattern("weak_confirm", heard.first_clause):
        return TurnSense.FOLLOW_UP
    body = _LEADS.sub("", heard.form)
    if (
        body != heard.form
        and matches_pattern("wants", body)
        and not heard.shared_words
        and not matches_pattern("follows", body)
    ):
        return TurnSense.TOPIC_CHANGE
    if any(matches_pattern("follows", clause) for clause in heard.clauses) or any(
        matches_pattern("asks_more", clause) for clause in heard.clauses[1:]
    ):
        return TurnSense.FOLLOW_UP
    if _is_elliptic(heard) or (heard.asks and matches_pattern("own_question", heard.form)):
        return TurnSense.FOLLOW_UP
    if heard.shared_words and not heard.asks and not matches_pattern("requests", heard.form):
        return TurnSense.CONFIRM if heard.overlap.answered and not matches_pattern("denied", heard.form) else None
    return TurnSense.FOLLOW_UP if heard.shared_words else None


def detect_unrelated_request(heard: ParsedTurn) -> TurnSense | None:
    shared = heard.overlap
    if heard.shared_words or len(shared.again | shared.answered) > 1:
        return None
    asks = heard.asks or matches_pattern("requests", heard.form) or matches_pattern("wants", heard.form)
    return TurnSense.TOPIC_CHANGE if asks and shared.fresh else None


STAGES: tuple[Callable[[ParsedTurn], TurnSense | None], ...] = (
    detect_topic_change,
    detect_objection,
    detect_repetition,
    detect_answer,
    detect_correction,
    detect_repeated_question,
    detect_denial,
    detect_confirmation,
    detect_follow_up,
    detect_unrelated_request,
)


def _covers_question(heard: ParsedTurn) -> bool:
    held = SearchedText.from_text(heard.raw).find_words(heard.subject)
    enough = len(held) >= SIGNALS.restated_words or (held and heard.wanted)
    return bool(enough) and len(held) / len(heard.subject) >= SIGNALS.covered_share


def _is_elliptic(heard: ParsedTurn) -> bool:
    if _HAN.search(heard.form):
        if not heard.asks or ZH["for_me"].search(heard.form) or ZH["whole"].search(heard.form):
            return False
        short = len(heard.form) <= SIGNALS.bare_chars
        return short or (len(heard.form) <= SIGNALS.elliptic_chars and matches_pattern("elliptic", heard.form))
    few = heard.word_count <= SIGNALS.elliptic_words and len(heard.words) <= SIGNALS.elliptic_terms
    return few and matches_pattern("elliptic", heard.form)


def _is_confirming(clause: str) -> bool:
    return matches_pattern("confirm", clause)


def _is_courtesy(heard: ParsedTurn) -> bool:
    return matches_pattern("not_a_denial", heard.form)


def _has_correction(heard: ParsedTurn) -> bool:
    return bool(find_corrections(heard.raw)) or is_correction(heard.raw)


def _echoes_reply(heard: ParsedTurn) -> bool:
    """Whether the turn asks back a word of the reply and states something else: "Leeds? I live in Aberdeen"."""
    if len(heard.clauses) < 2 or heard.first_clause in heard.stated_clauses or not heard.stated_clauses:  # noqa: PLR2004 -- a question and more
        return False
    echoed = find_content_units(heard.first_clause)
    return bool(echoed) and len(echoed) <= SIGNALS.echoed_units and echoed <= heard.overlap.answered


def _contradicts_reply(heard: ParsedTurn) -> bool:
    stated = ("denied", "changed", "updates", "strong_correction")
    return any(matches_pattern(name, heard.form) for name in stated) or _has_correction(heard)


def _wants_something_else(heard: ParsedTurn) -> bool:
    rest = find_words(heard.later_clauses)
    strange = len(rest) > SIGNALS.elliptic_terms and not rest & heard.before
    wants = matches_pattern("requests", heard.later_clauses) or matches_pattern("wants", heard.later_clauses)
    return strange and wants and not matches_pattern("follows", heard.later_clauses.removeprefix("so, "))
