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


def find_corrections(text: str) -> tuple[FactCandidate | PreferenceCandidate, ...]:
    if not may_correct(text):
        return ()
    return extract_from_turn(text).corrections


def extract_from_turn(text: str) -> Extraction:
    return extract_candidates(Utterance("next", "user", None, text, _LONG_AGO, 1), context=_RULES)


def classify_turn_by_rules(turn: AnsweredTurn) -> TurnSense:
    """Return the sense of ``turn.next``. Linear in the length of the texts, which are cut first."""
    heard = parse_turn(turn)
    for stage in STAGES:
        found = stage(heard)
        if found:
            return found
    return TurnSense.UNCLEAR


def detect_topic_change(turn: ParsedTurn) -> TurnSense | None:
    led = turn.clauses[:2] if _is_confirming(turn.first_clause) else turn.clauses[:1]
    return TurnSense.TOPIC_CHANGE if any(matches_pattern("topic", clause) for clause in led) else None


def detect_objection(turn: ParsedTurn) -> TurnSense | None:
    """The turn says that the question was not answered, or insists on it in other words."""
    same = turn.question_word and turn.question_word == find_question_word(turn.form)
    if matches_pattern("insists", turn.form) and turn.asks and (same or turn.words & turn.query_words):
        return TurnSense.RESTATE
    said_again = len(turn.overlap.again) >= SIGNALS.restated_words
    if matches_pattern("restate", turn.form) and (said_again or not _has_correction(turn)):
        return TurnSense.RESTATE
    # Words in capitals are stressed, unless the whole text is in capitals.
    stressed = " ".join(_EMPHASIS.findall(turn.raw))
    if stressed and not turn.raw.isupper() and find_words(stressed) & turn.query_words:
        return TurnSense.RESTATE
    meant = matches_pattern("meant", turn.form) and not matches_pattern("strong_correction", turn.form)
    return TurnSense.RESTATE if meant and turn.words & turn.query_words else None


def detect_repetition(turn: ParsedTurn) -> TurnSense | None:
    shared = turn.overlap
    if matches_pattern("follows_on", turn.form) or len(shared.again) < min(
        SIGNALS.restated_words, len(shared.query_units)
    ):
        return None
    if not turn.asks and (_is_confirming(turn.first_clause) or _contradicts_reply(turn)):
        return None
    if not shared.again or shared.covered_share < SIGNALS.repeated_share:
        return None
    if len(shared.again) == 1 and shared.fresh and turn.question_word != find_question_word(turn.form):
        return None
    most = len(shared.again)
    near = len(shared.fresh) <= SIGNALS.repeated_fresh * most and len(shared.answered) <= most
    return TurnSense.RESTATE if near else None


def detect_correction(turn: ParsedTurn) -> TurnSense | None:
    if matches_pattern("hypothetical", turn.first_clause):
        return None
    if matches_pattern("confirmed_anywhere", turn.first_clause):
        return None
    if _echoes_reply(turn):
        return TurnSense.CORRECT
    if any(
        matches_pattern("strong_correction", clause)
        for clause in (*turn.stated_clauses, ", ".join(turn.stated_clauses))
    ):
        return None if _is_courtesy(turn) else TurnSense.CORRECT
    return TurnSense.CORRECT if _has_correction(turn) and turn.stated_clauses else None


def detect_repeated_question(turn: ParsedTurn) -> TurnSense | None:
    said = turn.words - COURTESIES
    shared = said & turn.query_words
    if not shared or _is_confirming(turn.first_clause) or matches_pattern("follows_on", turn.form):
        return None
    enough = len(shared) >= SIGNALS.restated_words
    if enough and (len(shared) / len(said | turn.query_words) >= SIGNALS.restated_share or shared == said):
        return TurnSense.RESTATE
    same_question = turn.question_word == find_question_word(turn.form)
    if same_question and turn.question_word and shared == said:
        return TurnSense.RESTATE
    new_from_reply = (said & turn.before) - turn.query_words
    return TurnSense.RESTATE if same_question and _covers_question(turn) and not new_from_reply else None


def detect_answer(turn: ParsedTurn) -> TurnSense | None:
    if not turn.reply_asks or turn.asks or turn.word_count > SIGNALS.answer_words:
        return None
    return TurnSense.CONFIRM if matches_pattern("answers", turn.form) else None


def detect_denial(turn: ParsedTurn) -> TurnSense | None:
    is_pleased = any(matches_pattern("confirmed_anywhere", clause) for clause in turn.stated_clauses)
    if _is_courtesy(turn) or is_pleased:
        return None
    stated = [clause for clause in turn.stated_clauses if not matches_pattern("hypothetical", clause)]
    changed = any(matches_pattern("changed", clause) or matches_pattern("updates", clause) for clause in stated)
    if changed or (turn.shared_words and any(matches_pattern("changed_there", clause) for clause in stated)):
        return TurnSense.CORRECT
    if turn.asks:
        return None
    denied = matches_pattern("denied", turn.form) and turn.shared_words
    return TurnSense.CORRECT if denied or matches_pattern("weak_correction", turn.form) else None


def detect_confirmation(turn: ParsedTurn) -> TurnSense | None:
    if not any(character.isalnum() for character in turn.form):
        return TurnSense.CONFIRM if _PRAISE & set(turn.raw) else None
    taken = _is_confirming(turn.first_clause) or any(
        matches_pattern("confirmed_anywhere", clause) for clause in turn.stated_clauses
    )
    if not taken or turn.asks or any(matches_pattern("asks_more", clause) for clause in turn.clauses[1:]):
        return None
    return (
        None
        if matches_pattern("weak_confirm", turn.first_clause) and _wants_something_else(turn)
        else TurnSense.CONFIRM
    )


def detect_follow_up(turn: ParsedTurn) -> TurnSense | None:
    if turn.asks and _is_confirming(turn.first_clause) and not matches_pattern("weak_confirm", turn.first_clause):
        return TurnSense.FOLLOW_UP
    body = _LEADS.sub("", turn.form)
    if (
        body != turn.form
        and matches_pattern("wants", body)
        and not turn.shared_words
        and not matches_pattern("follows", body)
    ):
        return TurnSense.TOPIC_CHANGE
    if any(matches_pattern("follows", clause) for clause in turn.clauses) or any(
        matches_pattern("asks_more", clause) for clause in turn.clauses[1:]
    ):
        return TurnSense.FOLLOW_UP
    if _is_elliptic(turn) or (turn.asks and matches_pattern("own_question", turn.form)):
        return TurnSense.FOLLOW_UP
    if turn.shared_words and not turn.asks and not matches_pattern("requests", turn.form):
        return TurnSense.CONFIRM if turn.overlap.answered and not matches_pattern("denied", turn.form) else None
    return TurnSense.FOLLOW_UP if turn.shared_words else None


def detect_unrelated_request(turn: ParsedTurn) -> TurnSense | None:
    shared = turn.overlap
    if turn.shared_words or len(shared.again | shared.answered) > 1:
        return None
    asks = turn.asks or matches_pattern("requests", turn.form) or matches_pattern("wants", turn.form)
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


def _covers_question(turn: ParsedTurn) -> bool:
    held = SearchedText.from_text(turn.raw).find_words(turn.subject)
    enough = len(held) >= SIGNALS.restated_words or (held and turn.question_word)
    return bool(enough) and len(held) / len(turn.subject) >= SIGNALS.covered_share


def _is_elliptic(turn: ParsedTurn) -> bool:
    if _HAN.search(turn.form):
        if not turn.asks or ZH["for_me"].search(turn.form) or ZH["whole"].search(turn.form):
            return False
        short = len(turn.form) <= SIGNALS.bare_chars
        return short or (len(turn.form) <= SIGNALS.elliptic_chars and matches_pattern("elliptic", turn.form))
    few = turn.word_count <= SIGNALS.elliptic_words and len(turn.words) <= SIGNALS.elliptic_terms
    return few and matches_pattern("elliptic", turn.form)


def _is_confirming(clause: str) -> bool:
    return matches_pattern("confirm", clause)


def _is_courtesy(turn: ParsedTurn) -> bool:
    return matches_pattern("not_a_denial", turn.form)


def _has_correction(turn: ParsedTurn) -> bool:
    return bool(find_corrections(turn.raw)) or is_correction(turn.raw)


def _echoes_reply(turn: ParsedTurn) -> bool:
    """Whether the turn asks back a word of the reply and states something else: "Leeds? I live in Aberdeen"."""
    if len(turn.clauses) < 2 or turn.first_clause in turn.stated_clauses or not turn.stated_clauses:  # noqa: PLR2004 -- a question and more
        return False
    echoed = find_content_units(turn.first_clause)
    return bool(echoed) and len(echoed) <= SIGNALS.echoed_units and echoed <= turn.overlap.answered


def _contradicts_reply(turn: ParsedTurn) -> bool:
    stated = ("denied", "changed", "updates", "strong_correction")
    return any(matches_pattern(name, turn.form) for name in stated) or _has_correction(turn)


def _wants_something_else(turn: ParsedTurn) -> bool:
    rest = find_words(turn.later_clauses)
    strange = len(rest) > SIGNALS.elliptic_terms and not rest & turn.before
    wants = matches_pattern("requests", turn.later_clauses) or matches_pattern("wants", turn.later_clauses)
    return strange and wants and not matches_pattern("follows", turn.later_clauses.removeprefix("so, "))
