"""Texts in a form for finding echoes, in English and Chinese. Pure.

Words of liking, knowing and telling are left out: "you prefer tea" and ``likes: tea`` are about tea. Denial and change
are flags, not words: "you no longer drink tea" is no echo of a memory about tea.
"""

import re
from dataclasses import dataclass
from typing import Self

from memory_platform.kernel.terms import terms
from memory_platform.kernel.text import HAN, comparable, index_form

_EMPTY_EN = frozenset(
    terms(
        "like likes love prefer preference preferred favourite favorite enjoy fond want dislike hate avoid "
        "remember recall know known note noted notes memory memories mention mentioned told tell said say saying wrote "
        "see understand listed list gather according record records far earlier previously already always usually "
        "generally user subject also well okay ok yes sure right great understood course of hi hello thanks "
        "please mind based since because"
    )
)
# Words by which an answer names the number or address of a contact.
KINDS_OF_CONTACT = frozenset(terms("number numbers phone telephone mobile address lives live 电话 号码 手机 地址 住址"))
_EMPTY_PHRASES = re.compile(r"\b(?:last time|the other day|from (?:my|your) (?:notes|memory)|as far as i know)\b")
_EMPTY_ZH = re.compile(
    "(?:您|你|用户|我|咱|本人)(?:们)?(?:的)?|喜欢|喜爱|偏爱|偏好|更爱|讨厌|避开|避免|记得|知道|了解|提到|提过|说过|讲过|告诉|"
    "刚才|之前|以前|上次|曾经?|根据|记录|记忆|资料|显示|如下|所说|说|好的|明白|是的|没错|一直|平时|通常|一般|总是|都|会|"
    "吗|呢|吧|啊|哦|呀|的|了|是|也|就"
)
_DENIES = re.compile(
    r"\b(?:no|not|never|without|none|nothing|dislikes?|hates?|avoid(?:s|ing)?)\b|n't\b|\bcannot\b|avoid_|不|没|别|避开|避免|讨厌"
)
_CHANGES = re.compile(
    r"\b(?:no longer|any ?more|instead|now|nowadays|from now on|switch(?:ed)?|chang(?:e|ed|ing)|used to|just|today|"
    r"tomorrow|this time|stopp?(?:ed)?|gave up|rather than|wrong|actually)\b"
    r"|不再|改|换|现在|今天|明天|这次|以后|已经|戒|不对|错"
)
FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|I'd|I'll|me|my|mine|myself|we|we're|our|us)\b|[我咱俺]|本人", re.IGNORECASE)
SECOND_PERSON = re.compile(r"\b(?:you|your|yours|you're|you've|you'd|the user|user)\b|[你您]|用户", re.IGNORECASE)
# An action is always news. To remember, to know or to see something is not an action.
ACTS = re.compile(
    r"\b(?:I|we)(?:'ve|'ll|'m|'d)?\s+(?!(?:also |still |do |can |already |have )?"
    r"(?:remember|recall|know|see|understand|note|noted|gather|believe|think)\b)"
    r"|\blet me\b|^(?:done|booked|sent|ordered|added|saved|set|changed|scheduled)\b"
    r"|(?:已经?|这就|马上|正在)[^,，]{0,3}(?:为|帮|给|将|把)|^(?:已|帮)",
    re.IGNORECASE,
)
_TOLD_EN = (
    r"(?:(?:but|so|and|well|hm+|ok(?:ay)?|earlier|before|just now|previously|yesterday)[\s,]+){0,2}"
    r"(?:you(?:['’]ve| have| had| just| also| once| already| even){0,2}\s+"
    r"(?:(?:keep|kept) (?:saying|telling me)|said|say|told me|tell me|mentioned|wrote|write|claimed|listed|answered|"
    r"replied|reminded me)"
    r"(?:\s+(?:earlier|before|just now|yesterday))?"
    r"|(?:the )?(?:assistant|bot|ai|your (?:answer|reply|message|note)s?)(?:\s+(?:said|wrote|says|was|told me))?"
    r"(?=\s*[:：,]|\s+that\b))(?:\s+that)?\s*[:：,]?\s*"
)
_TOLD_ZH = (
    r"(?:但是?|可是?|那|刚才|刚刚|之前|上次|昨天|嗯|好的)?[,，]?\s*(?:你|您|助手|机器人)(?:刚才|刚刚|之前|上次|也|还|都|不是)?"
    r"(?:跟我|对我|和我)?(?:说过?|提到过?|提过|写道?|讲过?|告诉我|回答|回复)(?:了|的是?|说)?\s*[:：,，]?\s*"
    r"|(?:助手|机器人)\s*[:：]\s*"
)
_BY_RECORD_EN = (
    r"(?:according to|based on|as per|per) (?:you\b|the assistant\b(?!'s)|(?:your|the assistant's) (?:notes|records?|"
    r"memory|profile|summary))(?: of me)?\s*[:：,，]?\s*"
)
_BY_RECORD_ZH = (
    r"(?:按照?|根据|照|听)(?:你|您|助手)的?(?:记录|记忆|资料|笔记|说法|意思|总结)(?:里|中|上|看)?(?:说|写|显示)?\s*[:：,，]?\s*"
    r"|(?:你|您|助手)的?(?:记录|记忆|资料|笔记)(?:里|中|上)?(?:都?写着|说|显示|是)\s*[:：,，]?\s*"
)
_SUMMARY = (
    r"(?:here(?:['’]s| is) )?(?:(?:what|all(?: that)?|everything(?: that)?) (?:you|the assistant|the (?:ai|bot))"
    r"(?:['’]ve| have| has)? (?:remember(?:ed|s)?|kn[eo]ws?|noted|stored|saved|learned|recalled)(?: about me| of me)?"
    r"|(?:a |the |your )?(?:summary|recap|notes?) (?:of|from|on) (?:our|the|this|my|me)(?: \w+){0,3})\s*[:：]\s*"
    r"|(?:以下|下面)?是?(?:你|您|助手)?(?:记得|记住|记录|总结|了解)的(?:内容|信息|资料)?\s*[:：]\s*"
    r"|(?:对话|聊天|会话)?(?:摘要|总结|小结|纪要)\s*[:：]\s*"
)
# The opening of a summary of an answer or a conversation: every sentence after it may be an echo.
SUMMARY = re.compile(rf"\s*(?:[-*•>#]+\s*)?(?:{_SUMMARY})", re.IGNORECASE)
# The words that introduce a quotation from an answer: "You said that", 你刚才说.
ATTRIBUTION = re.compile(
    rf"\s*(?:[-*•>#]+\s*)?(?:{_TOLD_EN}|{_TOLD_ZH}|{_BY_RECORD_EN}|{_BY_RECORD_ZH}|{_SUMMARY})", re.IGNORECASE
)
_HAN_TERM = re.compile(f"[{HAN}]")
_AROUND = " \t\n\r\"'“”‘’「」『』()[]*•·>#-.!?,;:。！？，；：…"


@dataclass(frozen=True, slots=True)
class Wording:
    """A sentence or memory in comparable form. ``words`` are English stems and Chinese characters, ``pairs`` pairs of
    Chinese characters."""

    form: str
    words: frozenset[str]
    pairs: frozenset[str]
    denies: bool
    changes: bool

    @classmethod
    def of(cls, text: str) -> Self:
        form = plain(text)
        told = terms(_EMPTY_ZH.sub(" ", _EMPTY_PHRASES.sub(" ", form.replace("_", " "))))
        pairs = frozenset(term for term in told if len(term) == 2 and _HAN_TERM.match(term))  # noqa: PLR2004 - a pair
        words = frozenset(told) - pairs - _EMPTY_EN
        return cls(form, words, pairs, bool(_DENIES.search(form)), bool(_CHANGES.search(form)))


def plain(text: str) -> str:
    """Return ``text`` in comparable form without list marks, quotation marks and the full stop around it."""
    return comparable(text.strip(_AROUND)).strip(_AROUND)


def says_for_oneself(text: str) -> bool:
    return FIRST_PERSON.search(text) is not None


def speaks_to_or_of_the_user(text: str) -> bool:
    return SECOND_PERSON.search(text) is not None


def acts(text: str) -> bool:
    return ACTS.search(index_form(text)) is not None
