"""The question of an answer asked again: the items of the stored prompt beside those of a prompt made now.

It proves an act on a memory. The prompt is made with no open transaction, so the page opens the tenant's scope itself:
once to read the answer and record who asked, and once to render the result. Nothing is stored.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from memory_platform.console.explanation.current_memories import (
    LANE_SOURCES,
    CurrentMemory,
    load_current_memories,
)
from memory_platform.console.explanation.explanation_texts import render_decision
from memory_platform.console.explanation.receipt_explanation import MessageView, render_message, split_prompt
from memory_platform.console.receipts.mentions_forms import MentionsForm, list_mentions_forms
from memory_platform.console.receipts.missing_value_reasons import explain_missing_values
from memory_platform.console.receipts.prompt_verdict import (
    MissingReason,
    PromptLine,
    PromptVerdict,
    judge_replaced_values,
    list_prompt_lines,
    name_replaced_value,
    omit_repeated_values,
    tell_nothing_corrected,
    tells_value,
)
from memory_platform.console.receipts.trial_prompt_comparison import TrialPrompt, TrialQuestion, draft_trial_prompt
from memory_platform.console.shared.after_commit_responses import respond_in_scope
from memory_platform.console.shared.code_labels import INTENT_LABELS, render_code
from memory_platform.console.shared.custom_pages import redirect_to_tenant_choice, render_console_page
from memory_platform.console.shared.headers.object_header import MAX_TITLE_CHARS
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from memory_platform.console.shared.value_rendering import build_change_address, parse_uuid
from memory_platform.console.transcript.answers import ANSWER_PARAMETER
from memory_platform.console.transcript.changes_since_prompt import LaterChange, find_later_changes
from profiles.models import Preference, ProfileFact
from snapshots.feedback.injected_texts import extract_sent_text
from snapshots.feedback.values import Signal
from snapshots.lifecycle.staff_actions.value_mentions import ReplacedValue, holds_old_value
from snapshots.models import MemoryAct, Receipt
from snapshots.policies.effective_policies import Policies, load_effective_policies_in_scope
from snapshots.receipts.read import list_explained_candidates, unpack_rendered_prompt
from snapshots.scheduled_job_registry import load_purge_policy
from tenants.isolation import current_tenant_id, tenant_tx
from tenants.models import Role
from tenants.services.audit import record_audit

CAME, WENT, CHANGED, SAME = "came", "went", "changed", "same"
MARK_ORDER = (CHANGED, WENT, CAME, SAME)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it is stored, with the data for asking again. ``texts``: the prompt's words, by memory id."""

    receipt: Receipt
    question: TrialQuestion
    candidates: Sequence[Mapping[str, Any]]
    texts: Mapping[str, str]
    policies: Policies


@dataclass(frozen=True, slots=True)
class ItemComparison:
    """One item's words in the prompt of the answer and now; "" where the prompt lacks it, with the reason for now.
    ``act``: the last act of staff on it since that was not undone. ``is_corrected``: it differs because somebody
    corrected or retired it."""

    mark: str
    kind: str
    address: str
    before: str
    now: str
    reason: str
    act: str
    is_corrected: bool


@dataclass(frozen=True, slots=True)
class PromptDifference:
    """The items of either prompt, and the verdict in words; None if there is nothing to say."""

    rows: Sequence[ItemComparison]
    verdict: PromptVerdict | None
    mentions: Sequence[MentionsForm]


def show_asked_again(request: HttpRequest, named: str) -> HttpResponse:
    """Show the items of an answer beside those of today. No scope may be open. Raises PermissionDenied, Http404."""
    desk = current_desk(request)
    if desk is None:
        return redirect_to_tenant_choice(request)
    if not desk.has_role(Role.SUPPORT):
        raise PermissionDenied
    receipt_id = parse_uuid(named)
    if receipt_id is None:
        raise Http404
    with tenant_tx(desk.tenant.id):
        receipt = Receipt.objects.select_related("subject", "conversation").filter(pk=receipt_id).first()
        if receipt is None or receipt.subject.erasing:
            raise Http404
        answer = load_stored_answer(receipt)
        # The record says whose memory was asked, but not the question.
        record_audit(
            make_actor(request),
            "playground.asked" if answer else "playground.opened",
            object_kind="subject",
            object_id=str(receipt.subject_id),
            subject_ref=receipt.subject_id,
        )
    if answer is None:
        return respond_in_scope(desk, lambda: render_asked_again(request, receipt))
    # Between the two scopes: a model call must not hold a transaction.
    now = draft_trial_prompt(desk.tenant.id, receipt.subject.external_id, answer.question, _("now"), answer.policies)
    return respond_in_scope(desk, lambda: render_asked_again(request, receipt, answer, now))


def load_stored_answer(receipt: Receipt) -> StoredAnswer | None:
    """Return a stored answer, in the open scope; None once its question was deleted."""
    rendered = unpack_rendered_prompt(receipt)
    if rendered is None:
        return None
    intent = receipt.intent if receipt.intent in INTENT_LABELS else None
    talk = receipt.conversation.external_id if receipt.conversation else None
    candidates = list_explained_candidates(receipt)
    return StoredAnswer(
        receipt,
        TrialQuestion(rendered.query, intent, talk),
        candidates,
        list_texts_in_prompt(candidates, map(render_message, split_prompt(rendered))),
        load_effective_policies_in_scope(current_tenant_id(), receipt.subject.external_id),
    )


def list_texts_in_prompt(candidates: Iterable[Mapping[str, Any]], messages: Iterable[MessageView]) -> dict[str, str]:
    """Return the words of each candidate in a prompt, by memory id."""
    said = {piece.position: piece.text.strip() for message in messages for piece in message.pieces}
    return {
        one["memory_id"]: said.get(one["context_position"], "")
        for one in candidates
        if one["context_position"] is not None
    }


def render_asked_again(
    request: HttpRequest, receipt: Receipt, answer: StoredAnswer | None = None, now: TrialPrompt | None = None
) -> TemplateResponse:
    context: dict[str, Any] = {"answer": build_change_address(Receipt, receipt.pk), "receipt": receipt}
    if answer is not None and now is not None:
        compared = compare_answers(answer, now)
        marks = [row.mark for row in compared.rows]
        different = [row for row in compared.rows if row.mark != SAME]
        context |= {
            "question": answer.question.query,
            "now": now,
            "verdict": compared.verdict,
            "mentions": compared.mentions,
            "answer_named": f"?{ANSWER_PARAMETER}={receipt.pk}",
            "corrected": [row for row in different if row.is_corrected],
            "others": [row for row in different if not row.is_corrected],
            "same": [row for row in compared.rows if row.mark == SAME],
            "policies": {receipt.policy_version, str(answer.policies.version)},
            "now_version": answer.policies.version,
            "title_chars": MAX_TITLE_CHARS,
            "counted": {mark: marks.count(mark) for mark in MARK_ORDER},
        }
    return render_console_page(
        request,
        "console/receipts/asked_again.html",
        _("The same question, asked again"),
        subtitle=Truncator(answer.question.query if answer else "").chars(MAX_TITLE_CHARS),
        asked=render_time_ago(receipt.created_at),
        kept_days=load_purge_policy().receipt_texts // timedelta(days=1),
        opts=Receipt._meta,
        **context,
    )


def compare_answers(answer: StoredAnswer, now: TrialPrompt) -> PromptDifference:
    """Return the items of either prompt, those that differ first, and the verdict; in the open scope."""
    receipt = answer.receipt
    before_texts, now_texts = answer.texts, list_texts_in_prompt(now.candidates, now.prompt)
    by_id = {one["memory_id"]: one for one in (*answer.candidates, *now.candidates)}
    known = load_current_memories(receipt.subject_id, by_id.values(), with_sources=False, acts_from=receipt.pk)
    acts = _load_acts_since(receipt)
    heirs = _find_heirs(before_texts.keys() - now_texts.keys(), now_texts.keys() - before_texts.keys(), known, acts)
    sent = {memory_id: extract_sent_text(text) for memory_id, text in before_texts.items()}
    stored = {memory_id: one.row for memory_id, one in known.items()}
    changes = find_later_changes(receipt.subject_id, sent, stored, receipt.created_at)
    gone = {one for one in before_texts if one not in known and by_id[one]["lane"] in LANE_SOURCES}
    blamed = {one["memory_id"] for one in answer.candidates if one["user_feedback_signal"] == Signal.CORRECTED}
    corrected = {one for one, change in changes.items() if change.is_correction or one in blamed} | gone
    beside = _ComparisonContext(before_texts, now_texts, by_id, known, heirs, _name_acts(acts), corrected)
    reasons = {one["memory_id"]: render_decision(one) for one in now.candidates if one["context_position"] is None}
    rows = {
        memory_id: _compare_item(memory_id, reasons.get(memory_id, ""), beside)
        for memory_id in [*before_texts, *(one for one in now_texts if one not in before_texts)]
        if memory_id not in heirs.values()
    }
    named = {
        one: name_replaced_value(
            extract_sent_text(row.before), extract_sent_text(row.now) or _name_today(changes.get(one))
        )
        for one, row in rows.items()
        if row.is_corrected and row.before and extract_sent_text(row.before) != extract_sent_text(row.now)
    }
    replaced = list(named.values())
    missing = explain_missing_values({one.new for one in replaced if one.new}, now, known, receipt, answer.policies)
    rows = {one: _join_correction(row, replaced) for one, row in rows.items()}
    rows |= {one: _name_reason(rows[one], missing.get(value.new)) for one, value in named.items()}
    verdict = _judge(answer, now, omit_repeated_values(replaced), rows, known, missing)
    ordered = sorted(rows.values(), key=lambda row: (MARK_ORDER.index(row.mark), not row.act))
    return PromptDifference(ordered, verdict, list_mentions_forms(acts, known))


@dataclass(frozen=True, slots=True)
class _ComparisonContext:
    """Data for the rows of one comparison, by memory id. ``corrected``: memories that somebody changed or ended."""

    before_texts: Mapping[str, str]
    now_texts: Mapping[str, str]
    by_id: Mapping[str, Mapping[str, Any]]
    known: Mapping[str, CurrentMemory]
    heirs: Mapping[str, str]
    acts: Mapping[str, str]
    corrected: Collection[str]


def _compare_item(memory_id: str, reason: str, beside: _ComparisonContext) -> ItemComparison:
    heir = beside.heirs.get(memory_id, memory_id)
    before = _find_prompt_text(beside.before_texts, memory_id, beside.known) if memory_id in beside.before_texts else ""
    after = _find_prompt_text(beside.now_texts, heir, beside.known) if heir in beside.now_texts else ""
    shown = beside.known.get(heir) or beside.known.get(memory_id)
    act = beside.acts.get(heir) or beside.acts.get(memory_id, "")
    return ItemComparison(
        _find_mark(before, after),
        render_code(beside.by_id[heir]["kind"]),
        shown.address if shown else "",
        before,
        after,
        reason,
        act,
        bool(act) or memory_id in beside.corrected,
    )


def _name_today(change: LaterChange | None) -> str:
    return change.now if change else ""


def _name_reason(row: ItemComparison, missing: MissingReason | None) -> ItemComparison:
    """Tell of a value that went why today's value in its place did not come."""
    return replace(row, reason=missing.text) if missing and not row.now and not row.reason else row


def _join_correction(row: ItemComparison, replaced: Sequence[ReplacedValue]) -> ItemComparison:
    """Count among the corrections a note that came with a new value: the user's words of it."""
    is_new = row.mark == CAME and any(one.new and tells_value(row.now, one.new) for one in replaced)
    is_old = row.mark == CAME and any(holds_old_value(row.now, one) for one in replaced)
    return replace(row, is_corrected=True) if is_new or is_old else row


def _judge(
    answer: StoredAnswer,
    now: TrialPrompt,
    replaced: Sequence[ReplacedValue],
    rows: Mapping[str, ItemComparison],
    known: Mapping[str, CurrentMemory],
    missing: Mapping[str, MissingReason],
) -> PromptVerdict | None:
    if replaced:
        places = {
            one["context_position"]: _name_memory(known[one["memory_id"]])
            for one in now.candidates
            if one["context_position"] is not None and one["memory_id"] in known
        }
        return judge_replaced_values(replaced, list_prompt_lines(now.prompt, answer.question.query, places), missing)
    blamed = [one["memory_id"] for one in answer.candidates if one["user_feedback_signal"] == Signal.CORRECTED]
    held = [extract_sent_text(rows[one].now) for one in blamed if one in rows and rows[one].now]
    return tell_nothing_corrected(held, is_same=all(row.mark == SAME for row in rows.values()))


def _name_memory(memory: CurrentMemory) -> PromptLine:
    """Return the addresses of a memory's page and of the form that retires it."""
    retiring = (act.address for act in memory.acts if act.verb == "retire")
    return PromptLine("", memory.address, next(retiring, ""))


def _find_prompt_text(texts: Mapping[str, str], memory_id: str, known: Mapping[str, CurrentMemory]) -> str:
    """Return the words of a memory in a prompt; of one without a place of its own there, its words today."""
    return texts[memory_id] or (known[memory_id].text if memory_id in known else "")


def _find_mark(before: str, now: str) -> str:
    if not before or not now:
        return WENT if before else CAME
    return SAME if before == now else CHANGED


def _load_acts_since(receipt: Receipt) -> list[MemoryAct]:
    """Return the acts of staff since an answer, the oldest first. One query."""
    acts = MemoryAct.objects.filter(subject_id=receipt.subject_id, created_at__gte=receipt.created_at)
    return list(acts.order_by("created_at", "id"))


def _name_acts(acts: Iterable[MemoryAct]) -> dict[str, str]:
    """Return the last act on each memory that was not undone, in a word."""
    found: dict[str, str] = {}
    for act in acts:
        if act.undone_at is None:
            told = str(act.get_verb_display())
            found |= {str(one): told for one in (act.memory_ref, act.other_ref) if one is not None}
    return found


def _find_heirs(
    went: Collection[str], came: Collection[str], known: Mapping[str, CurrentMemory], acts: Iterable[MemoryAct]
) -> dict[str, str]:
    """Return which of the memories that came has taken the place of one that went."""
    links = [(str(act.other_ref), str(act.memory_ref)) for act in acts]
    links += [(one, str(known[one].row.superseded_by_id)) for one in went if _has_heir(known.get(one))]
    heirs = {one: other for one, other in links if one in went and other in came}
    return heirs | {other: one for one, other in links if other in went and one in came}


def _has_heir(memory: CurrentMemory | None) -> bool:
    return memory is not None and isinstance(memory.row, Preference | ProfileFact)
