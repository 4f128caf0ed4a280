"""The next question that a product should ask, or why to ask nothing. In the open scope, one subject at a time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory_platform.kernel.clock import utc_now
from profiles.completeness import Need, known_profile, list_missing, speaks_chinese
from profiles.elicitation.config import ASKS, AskConfig
from profiles.models import Ask, Subject
from profiles.services.subject_lock import lock_subject

_RANKS = ("high", "medium", "low")


class AskReason(StrEnum):
    """The reason to ask, or to ask nothing; the values are public."""

    MISSING = "missing"
    OUTDATED = "possibly_outdated"
    NOTHING_MISSING = "nothing_missing"
    NOT_NOW = "not_now"
    REFUSED = "refused_in_conversation"
    ENOUGH = "enough_in_conversation"
    ASKED_LATELY = "asked_lately"


@dataclass(frozen=True, slots=True)
class AskMoment:
    conversation: str
    quiet: bool = False
    last_text: str = ""


@dataclass(frozen=True, slots=True)
class AskDecision:
    """The recorded ask or None, and the reason."""

    reason: AskReason
    ask: Ask | None = None


def record_next_ask(
    subject: Subject,
    moment: AskMoment,
    *,
    doubted: Sequence[Need] = (),
    now: datetime | None = None,
    config: AskConfig = ASKS,
) -> AskDecision:
    """Choose and record the next question: the most important missing thing that may be asked.

    Needs in ``doubted`` come after missing ones of high priority, and before the rest. Locks the subject until the
    transaction ends: of two calls at once the second sees the first one's ask.
    """
    lock_subject(subject)
    at = now or utc_now()
    if moment.quiet:
        return AskDecision(AskReason.NOT_NOW)
    here = list(Ask.objects.filter(subject_id=subject.id, conversation=moment.conversation))
    if any(ask.accepted is False for ask in here):
        return AskDecision(AskReason.REFUSED)
    if len(here) >= config.per_conversation:
        return AskDecision(AskReason.ENOUGH)
    known = known_profile(subject)
    missing = list_missing(known)
    missing = tuple(sorted((*doubted, *missing), key=lambda need: _RANKS.index(need.priority)))
    if not missing:
        return AskDecision(AskReason.NOTHING_MISSING)
    resting = _list_resting_kinds(subject, at, config)
    need = next((need for need in missing if need.key not in resting), None)
    if need is None:
        return AskDecision(AskReason.ASKED_LATELY)
    chinese = speaks_chinese(known, last_text=moment.last_text)
    why = AskReason.OUTDATED if need in doubted else AskReason.MISSING
    return AskDecision(why, _record_ask(subject, moment, need, chinese=chinese, at=at))


def _list_resting_kinds(subject: Subject, at: datetime, config: AskConfig) -> Collection[str]:
    asked = Ask.objects.filter(subject_id=subject.id).order_by()
    lately = asked.filter(asked_at__gt=at - config.same_kind_every).values_list("key", flat=True)
    refused = asked.filter(accepted=False, answered_at__gt=at - config.refused_rests).values_list("key", flat=True)
    return {*lately, *refused}


def _record_ask(subject: Subject, moment: AskMoment, need: Need, *, chinese: bool, at: datetime) -> Ask:
    return Ask.objects.create(
        subject=subject,
        conversation=moment.conversation,
        key=need.key,
        priority=need.priority,
        question=need.question_zh if chinese else need.question_en,
        asked_at=at,
    )
