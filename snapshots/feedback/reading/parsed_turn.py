"""Parse a next turn for the rules: its form, clauses, words and overlap with the turns before."""

import re
from dataclasses import dataclass

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.text import to_comparable
from snapshots.feedback.config import SIGNALS
from snapshots.feedback.reading.overlap import Overlap
from snapshots.feedback.reading.turn_patterns import EN, SAME_QUESTION, ZH, matches_pattern
from snapshots.feedback.reading.utilisation import find_core_words
from snapshots.feedback.values import AnsweredTurn
from snapshots.understanding.reading.text_folding import to_mandarin

_HAN = re.compile(r"[\u3400-\u9fff]")
_CLAUSE_END = re.compile(r"([,.!?;:。、…~\n—]+(?:\s|$)|[,!?;。、…~—]+|\s-+\s)")
_FOLDED = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "`": "'"})
_FILLERS = re.compile(
    r"^(?:(?:hey|um+|uh+|oh|hm+|er+|ugh|hi|hello)\b[,. ]*)+(?=\w)|^(?:喂|欸|诶|哎|唉|嗨|呃)[,。 ]*(?=.)"
)
_OFFERS = re.compile(r"(?:\?|？|吗|呢|要不要.{0,8})$")


@dataclass(frozen=True, slots=True)
class ParsedTurn:
    """A next turn, parsed.

    ``stated_clauses`` are the clauses that ask nothing; ``query_words`` the words of the question, ``before`` those of
    question and reply. ``reply_asks``: the reply ended with a question of its own. ``question_word`` is the question
    word of the question, ``subject`` its core words.
    """

    raw: str
    form: str
    clauses: tuple[str, ...]
    stated_clauses: tuple[str, ...]
    words: frozenset[str]
    query_words: frozenset[str]
    before: frozenset[str]
    question_word: str
    subject: frozenset[str]
    overlap: Overlap
    reply_asks: bool

    @property
    def first_clause(self) -> str:
        return self.clauses[0] if self.clauses else ""

    @property
    def later_clauses(self) -> str:
        return ", ".join(self.clauses[1:])

    @property
    def asks(self) -> bool:
        return len(self.stated_clauses) < len(self.clauses)

    @property
    def word_count(self) -> int:
        """Words, a Chinese character counting as half a word."""
        return len(_HAN.findall(self.form)) // 2 + len(_HAN.sub(" ", self.form).split())

    @property
    def shared_words(self) -> frozenset[str]:
        return self.words & self.before


def parse_turn(turn: AnsweredTurn) -> ParsedTurn:
    raw = (turn.next or "")[: SIGNALS.next_chars]
    form = _FILLERS.sub("", to_mandarin(to_comparable(raw.translate(_FOLDED))))
    clauses, told = _split_clauses(form)
    query = turn.query[: SIGNALS.context_chars]
    asked = find_words(query)
    before = asked | find_words((turn.reply or "")[: SIGNALS.context_chars])
    return ParsedTurn(
        raw,
        form,
        clauses,
        told,
        find_words(raw),
        asked,
        before,
        find_question_word(to_comparable(query)),
        find_core_words(query),
        Overlap.from_texts(query, (turn.reply or "")[: SIGNALS.context_chars], raw),
        bool(_OFFERS.search((turn.reply or "").rstrip())),
    )


def _split_clauses(form: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parts = _CLAUSE_END.split(form)
    pairs = [(part.strip(" \"'()*_"), end) for part, end in zip(parts[::2], [*parts[1::2], ""], strict=True)]
    clauses = [(clause, end) for clause, end in pairs if clause]
    told = (clause for clause, end in clauses if "?" not in end and not matches_pattern("asks", clause))
    return tuple(clause for clause, _ in clauses), tuple(told)


def find_words(text: str) -> frozenset[str]:
    """Return stems and Chinese bigrams; a single character only where it stands alone."""
    found = frozenset(split_terms(text))
    return frozenset(term for term in found if len(term) > 1 or not _HAN.match(term)) or found


def find_question_word(form: str) -> str:
    """Return the question word of a turn, one form for all spellings; "" if the turn has no question word."""
    found = EN["question_word"].search(form) or ZH["question_word"].search(form)
    return SAME_QUESTION.get(found.group(), found.group()) if found else ""
