"""The question of an answer asked again: what the stored prompt held, beside what a prompt would hold now.

It proves an act on a memory. The prompt is made with no open transaction, so the page opens the tenant's scope itself:
once to read the answer and record who asked, and once to render the result. Nothing is stored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from memory_platform.console.explanation.current_memories import CurrentMemory, load_current_memories
from memory_platform.console.explanation.explanation_texts import render_decision
from memory_platform.console.explanation.receipt_explanation import MessageView, render_message, split_prompt
from memory_platform.console.receipts.prompt_comparison import TrialPrompt, TrialQuestion, draft_trial_prompt
from memory_platform.console.shared.after_commit import respond_in_scope
from memory_platform.console.shared.code_labels import INTENT_LABELS, render_code
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.headers.object_header import MAX_TITLE_CHARS
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.rendering import build_change_address, parse_uuid
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from profiles.models import Preference, ProfileFact
from snapshots.maintenance import load_purge_policy
from snapshots.models import MemoryAct, Receipt
from snapshots.policies.effective import Policies, load_effective_policies_in_scope
from snapshots.receipts.read import list_explained_candidates, unpack_rendered_prompt
from tenants.isolation import current_tenant_id, tenant_tx
from tenants.models import Role
from tenants.services.audit import record_audit

CAME, WENT, CHANGED, SAME = "came", "went", "changed", "same"
MARK_ORDER = (CHANGED, WENT, CAME, SAME)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it is stored, and what asking again needs. ``texts``: what the prompt said, by memory id."""

    receipt: Receipt
    question: TrialQuestion
    candidates: Sequence[Mapping[str, Any]]
    texts: Mapping[str, str]
    policies: Policies


@dataclass(frozen=True, slots=True)
class ItemComparison:
    """What one item says in the prompt of the answer and now; "" where the prompt lacks it, with the reason for now.
    ``act``: what staff did to it since."""

    mark: str
    kind: str
    address: str
    before: str
    now: str
    reason: str
    act: str


def show_asked_again(request: HttpRequest, named: str) -> HttpResponse:
    """Show the items of an answer beside those of today. No scope may be open. Raises PermissionDenied, Http404."""
    desk = current_desk(request)
    if desk is None:
        return redirect("admin:switch")
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
    """Return what a prompt says of each candidate in it, by memory id."""
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
        rows = compare_items(answer, now)
        marks = [row.mark for row in rows]
        context |= {
            "question": answer.question.query,
            "now": now,
            "rows": [row for row in rows if row.mark != SAME],
            "same": [row for row in rows if row.mark == SAME],
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


def compare_items(answer: StoredAnswer, now: TrialPrompt) -> list[ItemComparison]:
    """Return the items of either prompt, in the open scope: those that differ first."""
    subject_id = answer.receipt.subject_id
    before_texts, now_texts = answer.texts, list_texts_in_prompt(now.candidates, now.prompt)
    by_id = {one["memory_id"]: one for one in (*answer.candidates, *now.candidates)}
    acts = _load_acts_since(answer.receipt)
    heirs = _find_heirs(subject_id, before_texts.keys() - now_texts.keys(), now_texts.keys() - before_texts.keys())
    known = load_current_memories(subject_id, by_id.values(), with_sources=False)
    reasons = {one["memory_id"]: render_decision(one) for one in now.candidates if one["context_position"] is None}
    rows = []
    for memory_id in [*before_texts, *(one for one in now_texts if one not in before_texts)]:
        if memory_id in heirs.values():
            continue
        heir = heirs.get(memory_id, memory_id)
        before = _say(before_texts, memory_id, known) if memory_id in before_texts else ""
        after = _say(now_texts, heir, known) if heir in now_texts else ""
        shown = known.get(heir) or known.get(memory_id)
        rows.append(
            ItemComparison(
                _find_mark(before, after),
                render_code(by_id[heir]["kind"]),
                shown.address if shown else "",
                before,
                after,
                reasons.get(memory_id, ""),
                acts.get(heir) or acts.get(memory_id, ""),
            )
        )
    return sorted(rows, key=lambda row: (MARK_ORDER.index(row.mark), not row.act))


def _say(texts: Mapping[str, str], memory_id: str, known: Mapping[str, CurrentMemory]) -> str:
    """Return what a prompt said of a memory; of one without a place of its own there, what it says today."""
    return texts[memory_id] or (known[memory_id].text if memory_id in known else "")


def _find_mark(before: str, now: str) -> str:
    if not before or not now:
        return WENT if before else CAME
    return SAME if before == now else CHANGED


def _load_acts_since(receipt: Receipt) -> dict[str, str]:
    """Return the last act of staff on each memory since an answer, in a word. One query."""
    acts = MemoryAct.objects.filter(subject_id=receipt.subject_id, created_at__gte=receipt.created_at)
    found: dict[str, str] = {}
    for act in acts.order_by("created_at", "id"):
        told = _("undone") if act.undone_at else act.get_verb_display()
        found |= {str(one): str(told) for one in (act.memory_ref, act.other_ref) if one is not None}
    return found


def _find_heirs(subject_id: UUID, went: Iterable[str], came: Iterable[str]) -> dict[str, str]:
    """Return which of the memories that came has taken the place of one that went. At most three queries."""
    # Not everything in a prompt is a memory with an id of ours.
    gone, new = ({one for one in ids if parse_uuid(one)} for ids in (went, came))
    if not (gone and new):
        return {}
    links: list[tuple[Any, Any]] = []
    both = Q(memory_ref__in=gone, other_ref__in=new) | Q(memory_ref__in=new, other_ref__in=gone)
    acts = MemoryAct.objects.filter(both, subject_id=subject_id).order_by()
    links += acts.values_list("other_ref", "memory_ref")
    tables: tuple[Any, ...] = (Preference, ProfileFact)
    for model in tables:
        rows = model.objects.filter(subject_id=subject_id, pk__in=gone, superseded_by_id__in=new).order_by()
        links += rows.values_list("pk", "superseded_by_id")
    pairs = {str(one): str(other) for one, other in links}
    return {one if one in gone else other: other if one in gone else one for one, other in pairs.items()}
