"""Compare two trial prompts: pieces in both, in one alone, and moved. Nothing is stored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from memory_platform.console.explanation.current_memories import CurrentMemory
from memory_platform.console.explanation.explanation_texts import ABSTENTION_TEXTS, render_decision
from memory_platform.console.explanation.receipt_explanation import (
    MessageView,
    SectionBar,
    build_section_bars,
    render_message,
    render_route,
    split_prompt,
)
from memory_platform.console.shared.code_labels import render_code
from snapshots.context.pipeline import ContextCall, ContextDraft, draft_context
from snapshots.context.receipt_record import (
    list_receipt_candidates,
    render_sections,
    render_sent_prompt,
    render_token_report,
)
from snapshots.context.token_budget import BudgetTooSmall
from snapshots.context.values import ContextRequest
from snapshots.policies.effective_policies import Policies
from snapshots.receipts.candidate_packing import render_candidate

BOTH, LEFT, RIGHT, NEITHER = "both", "left", "right", "neither"


@dataclass(frozen=True, slots=True)
class TrialQuestion:
    """A question to a subject's memory: see :class:`snapshots.context.values.ContextRequest`."""

    query: str
    intent: str | None = None
    conversation_id: str | None = None


@dataclass(frozen=True, slots=True)
class TrialPrompt:
    """One trial prompt; ``candidates`` as a receipt stores them. ``needed``: tokens that the policy does not allow."""

    label: str
    candidates: tuple[Mapping[str, Any], ...] = ()
    prompt: tuple[MessageView, ...] = ()
    parts: tuple[SectionBar, ...] = ()
    sections: tuple[Mapping[str, Any], ...] = ()
    tokens: Mapping[str, Any] | None = None
    intent: str = ""
    phase: str = ""
    route: str = ""
    abstained: str = ""
    degraded: str = ""
    needed: int = 0


@dataclass(frozen=True, slots=True)
class CandidatePlace:
    """A candidate on one side: position in the prompt, rank by score, score, and reason."""

    position: int | None
    rank: int | None
    score: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One candidate on both sides. ``mark``: in whose prompt it is; ``moved``: by how many ranks it rose."""

    memory_id: str
    lane: str
    kind: str
    known: CurrentMemory | None
    left: CandidatePlace | None
    right: CandidatePlace | None
    mark: str
    moved: int


@dataclass(frozen=True, slots=True)
class ComparisonGroup:
    """Rows under one heading. ``is_open``: whether one sees them without a click."""

    title: str
    rows: Sequence[ComparisonRow]
    is_open: bool = True


def draft_trial_prompt(
    tenant_id: UUID, subject_external_id: str, question: TrialQuestion, label: str, policies: Policies
) -> TrialPrompt:
    """Return the prompt that ``policies`` would make now. Writes nothing, asks no chat model; no scope may be open."""
    request = ContextRequest(query=question.query, intent=question.intent, tenant_locale=policies.tenant_locale)
    wanted = ContextCall(request, policies.version, question.conversation_id, recall=policies.recall)
    try:
        return build_trial_prompt(label, draft_context(tenant_id, subject_external_id, wanted, policies.context))
    except BudgetTooSmall as fault:
        return TrialPrompt(label, needed=fault.needed)


def build_trial_prompt(label: str, draft: ContextDraft) -> TrialPrompt:
    context = draft.context
    kept = [render_candidate(one) for one in list_receipt_candidates(context, draft.findings.recall_answer)]
    sections, tokens = render_sections(context.sections), render_token_report(context.tokens)
    said = split_prompt(render_sent_prompt(draft.prepared_call.call.request.query, draft.context))
    return TrialPrompt(
        label=label,
        candidates=tuple(kept),
        prompt=tuple(map(render_message, said)),
        parts=tuple(build_section_bars(sections, tokens)),
        sections=tuple(sections),
        tokens=tokens,
        intent=render_code(context.intent),
        phase=render_code(context.phase),
        route=render_route(draft.route.as_receipt),
        abstained=str(ABSTENTION_TEXTS.get(context.abstained or "", "")),
        degraded=render_code(",".join(sorted(map(str, draft.findings.degraded_reasons)))),
    )


def compare_candidates(
    left: TrialPrompt, right: TrialPrompt, memories: Mapping[str, CurrentMemory]
) -> list[ComparisonRow]:
    """Return the candidates of both sides: those in a prompt by their best position, then the others by score."""
    seats = find_candidate_places(left.candidates), find_candidate_places(right.candidates)
    told = {_candidate_key(one): one for one in (*left.candidates, *right.candidates)}
    rows = [_build_row(one, seats[0].get(key), seats[1].get(key), memories) for key, one in told.items()]
    return sorted(rows, key=_sort_key)


def find_candidate_places(candidates: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], CandidatePlace]:
    """Return the place of each candidate on one side, by lane and id; only scored candidates have a rank."""
    scored = sorted((one for one in candidates if one["explain"]), key=lambda one: -one["candidate_score"])
    ranks = {_candidate_key(one): rank for rank, one in enumerate(scored, start=1)}
    return {
        _candidate_key(one): CandidatePlace(
            position=one["context_position"],
            rank=ranks.get(_candidate_key(one)),
            score=one["candidate_score"] if one["explain"] or one["candidate_score"] else None,
            reason=render_decision(one),
        )
        for one in candidates
    }


def _build_row(
    one: Mapping[str, Any],
    left: CandidatePlace | None,
    right: CandidatePlace | None,
    memories: Mapping[str, CurrentMemory],
) -> ComparisonRow:
    standing = [seat is not None and seat.position is not None for seat in (left, right)]
    mark = BOTH if all(standing) else LEFT if standing[0] else RIGHT if standing[1] else NEITHER
    moved = left.rank - right.rank if left and right and left.rank and right.rank else 0
    known = memories.get(one["memory_id"])
    return ComparisonRow(one["memory_id"], one["lane"], render_code(one["kind"]), known, left, right, mark, moved)


def _candidate_key(one: Mapping[str, Any]) -> tuple[str, str]:
    return one["lane"], one["memory_id"]


def _sort_key(row: ComparisonRow) -> tuple[bool, float]:
    seats = [seat for seat in (row.left, row.right) if seat]
    places = [seat.position for seat in seats if seat.position is not None]
    return not places, min(places) if places else -max((seat.score or 0.0 for seat in seats), default=0.0)


def group_by_difference(rows: Sequence[ComparisonRow], *, is_compared: bool) -> list[ComparisonGroup]:
    """Return the rows of two prompts by their differences, which come first; those of one by the kind of memory, in the
    order of the prompt. Rows of no prompt come last."""
    by_mark = {mark: [row for row in rows if row.mark == mark] for mark in (LEFT, RIGHT, BOTH, NEITHER)}
    if is_compared:
        differs = bool(by_mark[LEFT] or by_mark[RIGHT])
        groups = [
            ComparisonGroup(_("only left"), by_mark[LEFT]),
            ComparisonGroup(_("only right"), by_mark[RIGHT]),
            ComparisonGroup(_("in both"), by_mark[BOTH], is_open=not differs),
            ComparisonGroup(_("in neither"), by_mark[NEITHER], is_open=False),
        ]
    else:
        lanes = dict.fromkeys(row.lane for row in by_mark[BOTH])
        groups = [
            ComparisonGroup(render_code(lane), [row for row in by_mark[BOTH] if row.lane == lane]) for lane in lanes
        ]
        groups.append(ComparisonGroup(_("Left out"), by_mark[NEITHER], is_open=False))
    return [group for group in groups if group.rows]


def count_marks(rows: Iterable[ComparisonRow]) -> dict[str, int]:
    marks = [row.mark for row in rows]
    return {mark: marks.count(mark) for mark in (BOTH, LEFT, RIGHT, NEITHER)}
