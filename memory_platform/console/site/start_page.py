"""The start page: people looked at, waiting decisions, answers that were received badly, and how a new tenant begins.

People are shown to whoever may see them without a support session or has one. The page reads no more rows of a large
tenant than its bounds say.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, Min, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import Truncator

from memory_platform.console.figures.period_figures import find_missed_target
from memory_platform.console.shared.config import DASHBOARD
from memory_platform.console.shared.custom_pages import is_manager, is_operator
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.status_badges import BAD, WARNING, StatusBadge
from memory_platform.console.shared.support_session_guard import find_active_support, needs_support_session
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from memory_platform.console.shared.value_rendering import build_change_address, build_list_address
from memory_platform.console.subjects.people_overview import PersonLine, load_people, load_recent_people
from memory_platform.console.tenants.first_steps import list_first_steps
from memory_platform.console.tenants.tenant_overview import load_backlogs, load_tenant_overview
from memory_platform.console.tenants.webhooks.delivery_texts import list_failing_webhooks
from memory_platform.console.transcript.feedback_labels import label_signal
from memory_platform.console.transcript.replies_by_answer import load_replies
from snapshots.feedback.values import Signal
from snapshots.models import MemoryReview, Receipt, ReceiptMemory, Work, WorkState
from snapshots.receipts.read import unpack_rendered_prompt
from snapshots.understanding.believing.candidate_review import list_waiting_candidates
from tenants.models import Tenant
from tenants.services.audit import record_audit

# How many people and answers stand on the page.
MAX_PEOPLE = 8
MAX_ANSWERS = 5
# Rows that are read to find them: the oldest that wait, the newest answers.
MAX_WAITING = 1_000
MAX_RECENT_ANSWERS = 500
MAX_QUESTION_CHARS = 120
BAD_SIGNALS = (Signal.CORRECTED, Signal.NEGATIVE)


@dataclass(frozen=True, slots=True)
class WaitingPerson:
    """Waiting decisions about one person. ``proposals`` and ``memories``: how many and the address of their list.
    ``oldest``: how long the first waits, as HTML."""

    person: PersonLine
    proposals: tuple[int, str]
    memories: tuple[int, str]
    oldest: str


@dataclass(frozen=True, slots=True)
class BadAnswer:
    """One answer that was received badly; ``question`` is "" once its text was deleted, ``reply`` if none is kept."""

    address: str
    question: str
    reply: str
    who: str
    ago: str
    badge: StatusBadge


def build_start_page(request: HttpRequest) -> dict[str, Any]:
    """Return the values of the start page; none without a tenant. Records who was shown people."""
    if current_desk(request) is None:
        return {}
    # The checklist leaves with the first context.
    steps = [] if Receipt.objects.exists() else list_first_steps(request)
    page: dict[str, Any] = {"steps": steps, **count_dead_work()}
    if is_manager(request):
        page["missed"] = find_missed_target(DASHBOARD.periods[0])
        page["webhooks"] = list_failing_webhooks()
    if needs_support_session(request) and find_active_support(request) is None:
        return page | {"is_closed": True, **load_operator_overview(request)}
    people = {"recent": load_recent_people(make_actor(request), MAX_PEOPLE), "waiting": load_waiting_people()}
    answers = load_bad_answers()
    if any(people.values()) or answers:
        record_audit(make_actor(request), "start.viewed", object_kind="start")
    return page | people | {"answers": answers}


def load_operator_overview(request: HttpRequest) -> dict[str, Any]:
    """Return an operator's view before a support session: the platform's backlog, the tenants with failed items, and
    the numbers of this tenant. Numbers and staff, no person."""
    if not is_operator(request):
        return {}
    backlogs = load_backlogs()
    failing = {tenant_id: dead for tenant_id, (_waiting, dead) in backlogs.items() if dead}
    tenants = Tenant.objects.filter(id__in=failing).order_by("name")[:MAX_PEOPLE]
    return {
        "overview": load_tenant_overview(),
        "platform": {
            "tenants": Tenant.objects.count(),
            "waiting": sum(waiting for waiting, _dead in backlogs.values()),
            "dead": sum(failing.values()),
            "failing": [(tenant, failing[tenant.id]) for tenant in tenants],
        },
    }


def load_waiting_people() -> list[WaitingPerson]:
    """Return the people about whom something waits, whoever waits longest first. Three queries."""
    proposals = _count_by_person(list_waiting_candidates().select_related(None))
    undecided = MemoryReview.objects.filter(decided_at__isnull=True, subject__erasing=False)
    reviews = _count_by_person(undecided.order_by("created_at", "id"))
    oldest = {one: at for one, (_number, at) in reviews.items()}
    oldest |= {one: min(at, oldest.get(one, at)) for one, (_number, at) in proposals.items()}
    first = sorted(oldest, key=lambda subject_id: oldest[subject_id])[:MAX_PEOPLE]
    return [
        WaitingPerson(
            person,
            (
                proposals[person.id][0] if person.id in proposals else 0,
                f"{reverse('admin:profiles_candidate_review')}?{urlencode({'person': person.id})}",
            ),
            (
                reviews[person.id][0] if person.id in reviews else 0,
                build_list_address(MemoryReview, subject=person.id),
            ),
            render_time_ago(oldest[person.id]),
        )
        for person in load_people(first)
    ]


def _count_by_person(rows: QuerySet[Any]) -> dict[UUID, tuple[int, datetime]]:
    """Return by subject how many of the oldest rows are theirs, and the time of the first."""
    oldest = rows.values("pk")[:MAX_WAITING]
    counted = rows.model._default_manager.filter(pk__in=oldest).order_by().values("subject_id")
    return {
        one["subject_id"]: (one["number"], one["first"])
        for one in counted.annotate(number=Count("pk"), first=Min("created_at"))
    }


def count_dead_work() -> dict[str, Any]:
    """Return how many pieces of work were given up, counted up to a bound, as a number and in words; "" for none."""
    count = Work.objects.filter(state=WorkState.DEAD).order_by()[: DASHBOARD.max_counted + 1].count()
    words = f"{count:,}" if count <= DASHBOARD.max_counted else f"{DASHBOARD.max_counted:,}+"
    return {"dead": words if count else "", "dead_number": count}


def load_bad_answers() -> list[BadAnswer]:
    """Return the newest answers that the person corrected or rejected. Three queries."""
    newest = Receipt.objects.order_by("-created_at", "-id").values("pk")[:MAX_RECENT_ANSWERS]
    signals = ReceiptMemory.objects.filter(receipt_id__in=newest, signal__in=BAD_SIGNALS).order_by()
    # Of the two, the more serious comes first in the alphabet, too.
    worst = dict(signals.values_list("receipt_id").annotate(worst=Min("signal")))
    receipts = Receipt.objects.filter(pk__in=worst, subject__erasing=False).select_related("subject")
    shown = list(receipts.defer("candidates", "packed", "due").order_by("-created_at", "-id")[:MAX_ANSWERS])
    replies = load_replies(shown)
    return [_describe_answer(receipt, worst[receipt.pk], replies.get(receipt.pk, "")) for receipt in shown]


def _describe_answer(receipt: Receipt, signal: str, reply: str) -> BadAnswer:
    rendered = unpack_rendered_prompt(receipt)
    question = Truncator(rendered.query).chars(MAX_QUESTION_CHARS) if rendered else ""
    tone = BAD if signal == Signal.CORRECTED else WARNING
    return BadAnswer(
        build_change_address(Receipt, receipt.pk),
        question,
        Truncator(reply).chars(MAX_QUESTION_CHARS),
        receipt.subject.external_id,
        render_time_ago(receipt.created_at),
        StatusBadge(label_signal(signal), tone),
    )
