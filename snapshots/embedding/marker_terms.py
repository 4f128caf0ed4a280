"""Marks that the index keeps beside the words: the kind of a text, and the names that a question knows a memory by.

Names match in any case, plural or not ("k8s", "point of view", "公司"), and with one slip in a name of one or two words
that has five letters or more, though not in its first two, so that "mango" names no Mongo.
"""

import re
from collections.abc import Iterable, Iterator

from memory_platform.kernel.text import index_form

# It asks: a memory of a question rarely holds the answer.
QUESTION = "\x1fquestion"
# It names a time: what a question that asks when is looking for.
TIME = "\x1ftime"

# Longer texts are pages; their kind shows in the first characters.
KIND_CHARACTERS = 4_000

_ASKS = re.compile(r"[?？]\s*(?:\[[^\]]{0,300}\]\s*)?$|[吗呢]\s*[。!！]?$")
# Reads a text in `memory_platform.kernel.text.index_form`.
NAMES_A_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|mondays?|tuesdays?|wednesdays?"
    r"|thursdays?|fridays?|saturdays?|sundays?|january|february|march|april|june|july|august|september|october|november"
    r"|december|recently|just|soon|since|this (?:morning|afternoon|evening)|(?:19|20)\d\d)\b"
    r"|[昨今明前后]天|[去今明前]年|[上下这本]个?(?:周|星期|礼拜|月|季度)|周[一二三四五六日末]|星期[一二三四五六日天]|礼拜[一二三四五六日天]"
    r"|刚刚|刚才|最近|以前|之前|小时候|早上|上午|中午|下午|晚上|凌晨|[0-9一二三四五六七八九十两]{1,4}(?:年|月|日|号|点|个?小时|分钟|天前|周前|个月前|年前)"
    r"|元旦|春节|除夕|元宵|清明|五一|端午|中秋|国庆|圣诞|暑假|寒假"
)


def detect_question_and_time_marks(text: str) -> tuple[str, ...]:
    """Return which of QUESTION and TIME apply to ``text``, in linear time."""
    head, tail = index_form(text[:KIND_CHARACTERS]), index_form(text[-KIND_CHARACTERS:])
    found = ((QUESTION, _ASKS.search(tail)), (TIME, NAMES_A_TIME.search(head)))
    return tuple(mark for mark, hit in found if hit)


ALIASES_MOST, ALIAS_CHARS = 20, 100
# Words, or Chinese characters, of the longest name that is looked for.
WORDS_MOST = 8
SLIP_FROM, SLIP_TO, SLIP_WORDS, FIRST_LETTERS = 5, 40, 2, 2
NAME_CHARACTERS = 2_000

_PLURAL = re.compile(r"^([a-z]{2,}[^aiosu\W])s$")
_WORD = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+")


def make_alias_marks(aliases: Iterable[str]) -> frozenset[str]:
    return frozenset(mark for alias in aliases for mark in _make_marks_of_name(" ".join(_split_name(alias))))


def list_possible_name_marks(text: str) -> frozenset[str]:
    """Return the marks of every name that ``text`` may say. Bounded for any text."""
    words = _split_name(text[:NAME_CHARACTERS])
    spans = (words[start : start + size] for start in range(len(words)) for size in range(1, WORDS_MOST + 1))
    return frozenset(mark for said in {" ".join(span) for span in spans} for mark in _make_marks_of_name(said))


def _split_name(text: str) -> list[str]:
    """Return the words of a name without the s of a plural; Redis, status and class keep theirs."""
    return [_PLURAL.sub(r"\1", word) for word in _WORD.findall(index_form(text))]


def _make_marks_of_name(name: str) -> Iterator[str]:
    if not name:
        return
    yield f"\x1falias {name}"
    if SLIP_FROM <= len(name) <= SLIP_TO and name.isascii() and name.count(" ") < SLIP_WORDS:
        for at in range(FIRST_LETTERS, len(name)):
            yield f"\x1fslip {name[:at]}{name[at + 1 :]}"
        yield f"\x1fslip {name}"
