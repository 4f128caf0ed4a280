"""Detect questions about the assistant's words: "which book did you recommend", 你上次推荐的书."""

import re

from memory_platform.kernel.text import index_form
from snapshots.recall.config import DEFAULT_RECALL

_SAID_EN = (
    r"(?:said|told|recommended|suggested|advised|promised|mentioned|proposed|gave|named|quoted|showed|sent|listed|found|"
    r"picked|booked|offered|explained|wrote|answered|reserved|ordered|calculated|looked up|came up with)"
)
_SAY_EN = (
    r"(?:say|tell|recommend|suggest|advise|promise|mention|propose|give|name|quote|show|send|list|find|pick|book|offer|"
    r"explain|write|answer|reserve|order|calculate|look up|come up with)"
)
_SAID_ZH = "(?:推荐|建议|说|提|讲|告诉|答应|承诺|保证|介绍|报|给|发|查|订|列|选|找|起|回答|算)"
_EARLIER_ZH = "(?:上次|上回|之前|先前|刚才|刚刚|昨天|前天|那天|以前|曾经|上周|早上|当时|不是|是不是|有没有)"
# Asks for what was said to the user before, not for something new: "what do you recommend" is none. What says it in
# other words ("which shoes were it again") is read by `snapshots.relevance.question_needs_model`.
_ASKS = re.compile(
    rf"\byou (?:(?:had|have|just|also|once|already|then|previously|earlier|originally|kindly) ){{0,2}}{_SAID_EN}\b"
    rf"|\byou(?:'ve|'d) (?:just |already |once |also )?{_SAID_EN}\b"
    rf"|\b(?:did|didn't|didnt) you (?:\w+ )?{_SAY_EN}\b|\b(?:have|haven't|had|hadn't) you (?:\w+ )?{_SAID_EN}\b"
    r"|\byour (?:\w+ ){0,2}(?:recommendations?|suggestions?|advice|promises?|tips?|answers?|proposals?|reply|idea)\b"
    rf"|\b{_SAID_EN} by (?:you|the assistant)\b|\b(?:the )?assistant (?:had )?{_SAID_EN}\b"
    r"|\byou (?:were|was) (?:going|supposed|meant) to\b|\byou (?:promised|offered|agreed)\b"
    rf"|(?:你|您|助手).{{0,3}}{_EARLIER_ZH}.{{0,6}}{_SAID_ZH}|{_EARLIER_ZH}.{{0,4}}(?:你|您|助手).{{0,6}}{_SAID_ZH}"
    rf"|(?:你|您|助手).{{0,4}}{_SAID_ZH}.{{0,3}}(?:过|了|的(?!话))"
    r"|(?:你|您)的?(?:建议|推荐|承诺|回答|答复)是|(?:你|您)答应"
)


def asks_for_replies(question: str) -> bool:
    return _ASKS.search(index_form(question[: DEFAULT_RECALL.asking_chars])) is not None
