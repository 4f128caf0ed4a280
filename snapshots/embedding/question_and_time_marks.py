"""Kinds of text, in English and Chinese, as marks that the index keeps beside the words."""

import re

from memory_platform.kernel.text import index_form

# It asks: a memory of a question rarely holds the answer.
QUESTION = "\x1fquestion"
# It names a time: what a question that asks when is looking for.
TIME = "\x1ftime"

# Longer texts are pages; their kind shows in the first characters.
READ_CHARACTERS = 4_000

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
    head, tail = index_form(text[:READ_CHARACTERS]), index_form(text[-READ_CHARACTERS:])
    found = ((QUESTION, _ASKS.search(tail)), (TIME, NAMES_A_TIME.search(head)))
    return tuple(mark for mark, hit in found if hit)
