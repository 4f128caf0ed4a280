"""Detect questions about all memories ("What do you know about me?") or about the past ("Where did I live before?").

The first names nothing, so no memory is relevant to it. For the second, ended memories may join current ones.
"""

import re

from snapshots.understanding.reading.text_folding import fold_for_matching

# Characters of such a question.
LONGEST_FOR_ALL = 80
_ALL_EN = re.compile(
    r"\W*(?:(?:so|ok|okay|and|hey|hi|please|now|then|well|just|remind me|tell me|show me|(?:can|could|would) you|"
    r"i(?:'d| would) like to (?:know|see|hear)|i want to (?:know|see|hear))[\s,]+){0,4}"
    r"(?:what(?: all| else| exactly)? (?:do|can) you (?:know|remember|recall|have|tell me)(?: stored| saved| noted)?"
    r"(?: about| on| of) me|what (?:all )?have you (?:learn(?:ed|t)|saved|stored|remembered|noted|kept|got)(?: so far)?"
    r"(?: about| on) me|what do you remember|what is in (?:your|my) memory(?: about me)?|what's in (?:your|my) memory|"
    r"(?:tell|show|list|give)(?: me)? (?:everything|all)(?: of it| the things| that| of what)? you(?:'ve| have)? ?"
    r"(?:know|remember|learn(?:ed|t)|saved|stored|noted|kept)(?: about me)?|"
    r"(?:everything|all)(?: that)? you (?:know|remember)(?: about me)?|"
    r"(?:list|show)(?: me)? (?:all )?(?:my|your) memories(?: of me| about me)?|what you (?:know|remember) about me)"
    r"(?: so far| now| right now| already| please)?\W*",
    re.IGNORECASE,
)
_ALL_ZH = r"(?:些什么|哪些(?:事情?|东西|信息|情况)?|些啥|什么|多少|啥|所有|一切|全部|(?:都|所)?有哪些)"
_KNOW_ZH = r"(?:知道|记得|了解|记住|记下|记着|记|掌握|存)(?:了|过|着)?"
_WHOLE_ZH = re.compile(
    r"\W*(?:(?:请|那|那么|嗯|好|现在|告诉我|说说|说一下|讲讲|看看|我想(?:知道|看看)|能不能|可以)[,\s]{0,2}){0,4}(?:"
    rf"[你您](?:现在|目前|到底|究竟)?(?:都|还|又)?{_KNOW_ZH}(?:有)?(?:关于)?我(?:的)?(?:都有)?{_ALL_ZH}(?:事情?|东西|信息|情况)?"
    rf"|关于我[,\s]{{0,2}}[你您](?:都|还)?{_KNOW_ZH}{_ALL_ZH}(?:事情?|东西|信息|情况)?"
    rf"|[你您]对我(?:都)?(?:有)?(?:了解)?{_ALL_ZH}(?:了解|印象|记忆)?"
    rf"|(?:把)?(?:关于我的?)?[你您](?:所)?{_KNOW_ZH}的?(?:关于)?我?的?(?:所有|一切|全部)(?:的)?(?:事情?|东西|信息|内容)?"
    r"(?:都)?(?:告诉我|说出来|列出来|给我看看|说一遍)?"
    r"|(?:把)?[你您](?:所)?(?:知道|记得|了解)的?关于我的?(?:事情?|东西|信息|内容)(?:都|全)?(?:告诉我|说出来|列出来|说一遍)"
    r")[了呢吗啊呀吧\s]{0,3}\W*"
)


def asks_for_all(query: str) -> bool:
    if len(query) > LONGEST_FOR_ALL:
        return False
    form = fold_for_matching(query).strip()
    return (_ALL_EN.fullmatch(form) or _WHOLE_ZH.fullmatch(form)) is not None


# Characters of such a question.
LONGEST_ABOUT_PAST = 300
_PAST_EN = re.compile(
    r"\b(?:did|was|were|had)\b.*\b(?:before|previously|earlier|formerly|originally|prior|in the past|back then|old)\b"
    r"|\b(?:use|used) to\b|\b(?:previous|former)\b",
    re.IGNORECASE | re.DOTALL,
)
# Not for what the assistant said before (你之前推荐的), nor before doing something (出门之前要带什么).
_PAST_ZH = re.compile(
    r"(?<![你您])(?:以前|之前|从前|过去(?=[住在做是吃喝用上])|原来|原先|曾经|当初|先前|上一?[个家份任](?![月周星礼]))"
    r"(?!请?[你您]|.{0,4}(?:要|该|得|记得|需))"
)


def asks_about_past(query: str) -> bool:
    if len(query) > LONGEST_ABOUT_PAST:
        return False
    form = fold_for_matching(query)
    return (_PAST_EN.search(form) or _PAST_ZH.search(form)) is not None
