"""Classify turns: whether a user tells something, and whether an assistant asks a question or mentions remembering.
Pure."""

import re

from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.reading.modality import is_asked
from snapshots.understanding.statements.worth import says_something

_WANTS = re.compile(
    r"\W*(?:(?:please|pls|hey|ok|okay|now|then|and|just|can you|could you|would you|will you|let's|lets|so|no|yes|"
    r"actually|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to)[\s,]+){0,4}(?:book|find|show|tell|give|set|"
    r"turn|play|call(?! me\b)|open|close|remind|add|send|search|look|navigate|take me|get|make|order|check|help|write|"
    r"translate|stop|start|put|switch|read|cancel|change|explain|list|recommend|suggest|compare|calculate|what|who|"
    r"where|when|why|how|which|thanks|thank|pause|resume|skip|repeat|summari[sz]e|draft|delete|update|forget)\b|"
    r"\W*(?:(?:请|麻烦|你|您|能不能|可以|那|再|先|快|给我|帮我|替我|帮忙|把|我想让你|我要你|谢谢|好的?|嗯|"
    r"然后)[,\s]{0,2}){0,5}(?:帮|打开|关|导航|播放|查|找|订|推荐|告诉|调|开(?!车|公司|店)|设置?|提醒|发(?!烧|现)|"
    r"放(?!弃)|换一|搜|翻译|写|算|讲个|列|比较|解释|取消|停|继续|跳过|总结|预订|预定|叫辆|叫个)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"[?？]\s*[\"'”’)）]*\s*$")
_ABOUT_MEMORY = re.compile(
    r"\b(?:remember|store|save|keep|note|memor|record|privacy|private)\b|记住|记下|记一下|帮您?你?记|保存|存下|记录|"
    r"隐私|保密",
    re.IGNORECASE,
)
_LEAST_WORDS, _LEAST_HAN = 2, 3
_HAN = re.compile(r"[\u3400-\u9fff]")


def tells_something(text: str) -> bool:
    """Return whether a user's words hold a clause that says something: no question, wish or courtesy."""
    if not text.strip() or not says_something(text):
        return False
    form = matching_form(text)
    for one in split_clauses(text):
        own = form[one.start : one.end]
        is_long = len(_HAN.findall(own)) >= _LEAST_HAN if one.language == "zh" else len(own.split()) >= _LEAST_WORDS
        is_told = not is_asked(own, ends_asked=one.asked, language=one.language)
        if is_long and is_told and not _WANTS.match(form, one.start):
            return True
    return False


def asks_something(turn: str) -> bool:
    return _ASKS.search(turn) is not None


def asks_about_memory(turn: str) -> bool:
    return _ABOUT_MEMORY.search(turn) is not None
