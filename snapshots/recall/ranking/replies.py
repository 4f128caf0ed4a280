"""The lane of replies: what the assistant said, where a question asks for it or nothing stands nearer to it (C7)."""

import re
from collections.abc import Mapping

import numpy as np

from memory_platform.kernel.text import index_form
from snapshots.embedding.marks import QUESTION
from snapshots.recall.images.image import Image
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.ranking.lexical import rows_marked
from snapshots.recall.ranking.notes import rank_apart
from snapshots.recall.ranking.pipeline import alive_rows
from snapshots.recall.ranking.probe import Probe
from snapshots.recall.ranking.scoring import compare_vectors
from snapshots.recall.values import REPLIES, RankedHit, RecallQuery
from snapshots.relevance.policy import RELEVANCE

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
"""Asks for what was said to the user before, not for something new: "what do you recommend" is none."""


def asks_for_replies(question: str) -> bool:
    """Return whether a question asks for what the assistant said: "which book did you recommend", 你上次推荐的书."""
    return _ASKS.search(index_form(question[: DEFAULT_RECALL.asking_chars])) is not None


def rank_replies(
    asked: Mapping[str, RecallQuery], probe: Probe, images: Mapping[str, Image], policy: RecallPolicy
) -> list[RankedHit]:
    """Return the best replies, best first; where the question does not ask for them, only those that stand nearer to it
    than anything else that is remembered.

    ``asked`` is the question as each lane is asked it, ``images`` are those of the lanes. Without a vector of the
    question none stands nearer.
    """
    query, image = asked[REPLIES], images[REPLIES]
    if not image.size:
        return []
    if query.replies_named or asks_for_replies(query.text):
        return rank_apart(query, probe, image, policy, favoured=RELEVANCE.asked_reply)
    others = [nearest(asked[lane], probe, images[lane], policy) for lane in asked if lane != REPLIES]
    return rank_apart(query, probe, image, policy, nearer_than=max(others, default=0.0)) if probe.vectors else []


def nearest(query: RecallQuery, probe: Probe, image: Image, policy: RecallPolicy) -> float:
    """Return the cosine of the memory that stands nearest to a question; 0 where there is none.

    Questions do not count: one like the one that is asked is nearest to it, and answers nothing.
    """
    alive = alive_rows(image.columns, query, skew=policy.clock_skew_seconds)
    alive[rows_marked(image, QUESTION)] = False
    cosines = compare_vectors(image, probe, policy.scoring).cosines.max(axis=0)[alive]
    return float(np.max(cosines, initial=0.0))
