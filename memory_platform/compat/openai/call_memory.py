"""The memory of one call: a context for the user's last message, within a bounded time. It never fails a call."""

from dataclasses import dataclass
from enum import StrEnum
from threading import Event as Flag
from uuid import UUID

from django.db import connection

from memory_platform.compat.openai.call_settings import CallSettings
from memory_platform.compat.openai.config import PROXY
from memory_platform.observability.request_logging import log_failure
from memory_platform.providers.endpoints.time_limit import run_within
from snapshots.context.pipeline import (
    COUNTER,
    ContextAnswer,
    ContextCall,
    build_context,
    draft_context,
    record_receipt_alone,
)
from snapshots.context.values import BudgetRequest, ContextRequest, SectionName
from snapshots.policies.effective_policies import Policies, load_effective_policies
from snapshots.receipts.values import ContextOutdated
from tenants.services.keys import Caller

# Sections that hold something remembered; the others guide the model or repeat what the client sends itself.
REMEMBERED = frozenset({SectionName.PROFILE, SectionName.MEMORY, SectionName.SUMMARY})
# The message of the prefix, that of this turn, and the question.
MESSAGES_FRAMED = 3


class MemoryStatus(StrEnum):
    """Whether a call got its memory; the values are public (``X-Memory-Status``)."""

    USED = "used"
    OFF = "off"
    DEGRADED = "degraded"
    ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True)
class CallMemory:
    """``text`` goes into the instructions, "" for nothing. ``receipt_id`` None: no context was recorded. ``knew``:
    whether the subject was known when the call came."""

    status: MemoryStatus
    text: str = ""
    receipt_id: UUID | None = None
    knew: bool = False


NO_MEMORY = CallMemory(MemoryStatus.OFF)
DEGRADED = CallMemory(MemoryStatus.DEGRADED)


def make_call_memory(caller: Caller, settings: CallSettings, conversation_id: str | None, question: str) -> CallMemory:
    """Return the memory for a question, or :data:`DEGRADED` when it fails or is not there in time.

    No scope may be open, and no connection to the database held: this takes one in a thread of its own.
    """
    is_late = Flag()
    try:
        return run_within(
            PROXY.memory_s,
            lambda: _make_memory_and_release_connection(caller, settings, conversation_id, question, is_late),
        )
    except TimeoutError:
        return DEGRADED
    except Exception as error:  # noqa: BLE001 -- whatever is wrong with the memory, the model can answer
        log_failure(error)
        return DEGRADED
    finally:
        is_late.set()


def _make_memory_and_release_connection(
    caller: Caller, settings: CallSettings, conversation_id: str | None, question: str, is_late: Flag
) -> CallMemory:
    try:
        return _make_memory(caller, settings, conversation_id, question, is_late)
    finally:
        connection.close()  # it belongs to this thread, which ends


def _make_memory(
    caller: Caller, settings: CallSettings, conversation_id: str | None, question: str, is_late: Flag
) -> CallMemory:
    subject_id = settings.subject_id
    policies = load_effective_policies(caller.tenant_id, caller.policy_epoch, subject_id)
    call = _make_context_call(settings, conversation_id, question[-PROXY.question_chars :], policies)
    draft = draft_context(caller.tenant_id, subject_id, call, policies.context)
    if is_late.is_set():
        return DEGRADED  # nobody waits any more, and a receipt would say that this was sent
    try:
        answer = record_receipt_alone(caller.tenant_id, draft)
    except ContextOutdated:
        answer = build_context(caller.tenant_id, subject_id, call, policies.context)
    return read_memory(answer)


def read_memory(answer: ContextAnswer) -> CallMemory:
    """Return a context without the talk itself, which the client sends."""
    receipt = answer.optional_receipt
    found = any(section.items for section in answer.context.sections if section.name in REMEMBERED)
    texts = [one["content"] for one in answer.context.messages if one["role"] == "system"] if found else []
    return CallMemory(
        MemoryStatus.USED if texts else MemoryStatus.ABSTAINED,
        "\n\n".join(texts),
        receipt.id if receipt else None,
        knew=receipt is not None,
    )


def _make_context_call(
    settings: CallSettings, conversation_id: str | None, question: str, policies: Policies
) -> ContextCall:
    """Return the call for a context that leaves the talk to the client: its tokens are those of the memory alone, by
    default those that the tenant's policy leaves beside the window."""
    left = max(policies.context.total - policies.context.window, policies.context.profile)
    tokens = left if settings.memory_tokens is None else settings.memory_tokens
    framing = COUNTER.count(question) + MESSAGES_FRAMED * policies.context.message_overhead
    request = ContextRequest(
        query=question, budget=BudgetRequest(total=tokens + framing, window=0), tenant_locale=policies.tenant_locale
    )
    return ContextCall(
        request,
        policies.version,
        conversation_id,
        recall=policies.recall,
        experiment=policies.experiment,
        arm=policies.arm,
    )
