"""``search``: recall, with calibrated relevance as the score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.requests.fields import TextField
from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.filters.for_recall import build_recall_condition
from memory_platform.compat.mem0.filters.grammar import FilterTree, find_required_user, read_moment
from memory_platform.compat.mem0.filters.rows import SubjectIds, load_named_subjects
from memory_platform.compat.mem0.memory_rows import choose_fields, list_memories, render_memory
from memory_platform.compat.mem0.options import TO_SEARCH, explain_ignored
from memory_platform.compat.mem0.request_values import check_value
from memory_platform.compat.mem0.requested_filters import read_fields, read_requested_filters
from memory_platform.compat.mem0.views import Mem0View, read_body, read_flag, read_number, refuse_unknown_options
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput
from profiles.models import Subject
from snapshots.models import Note, Snapshot
from snapshots.recall.pipeline import recall
from snapshots.recall.values import NOTES, SNAPSHOTS, RecallQuery
from tenants.isolation import tenant_tx


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A checked search."""

    query: str
    filters: FilterTree
    top_k: int
    threshold: float
    rerank: bool
    asked_at: datetime
    fields: Sequence[str] | None


class SearchView(Mem0View):
    """Answers ``{"results": [...]}``; ``as_list`` answers the list alone, as the paths of version 2 did."""

    required_scope = "memory:read"
    free_fields = False
    as_list = False

    def post(self, request: Request) -> Response:
        """Find the memories that help with a question."""
        body = read_body(request)
        asked = read_search(body, free_fields=self.free_fields)
        with tenant_tx(self.tenant_id):
            subjects = load_named_subjects(asked.filters)
            searched = find_searched_subjects(asked.filters, subjects)
        scores: dict[UUID, float] = {}
        for subject in searched:
            scores |= self._search_subject(asked, subject, subjects)
        with tenant_tx(self.tenant_id):
            found = render_found(asked, subjects, scores)
        if self.as_list and body.get("output_format") != "v1.1":
            return Response(found)
        return Response({"results": found, **explain_ignored(body)})

    def _search_subject(self, asked: SearchRequest, subject: Subject, subjects: SubjectIds) -> dict[UUID, float]:
        """Return the relevance of what recall finds for one subject, by the id of the snapshot."""
        names = frozenset({subject.external_id, *(name for name, one in subjects.items() if one == subject.id)})
        condition = build_recall_condition(asked.filters, names)
        if condition.node is None and not condition.holds:
            return {}
        query = RecallQuery(
            text=asked.query,
            asked_at=asked.asked_at,
            top_k=asked.top_k if condition.exact else MEM0.top_k_most,
            filter=condition.node,
            lanes=frozenset({SNAPSHOTS, NOTES}),
            rerank=asked.rerank,
            min_relevance=asked.threshold,
        )
        found = recall(self.tenant_id, subject.external_id, query, self.policies_for(subject.external_id).recall)
        memories = {one.id: one.relevance for one in found.memories}
        return memories | {one.memory.id: one.memory.relevance for one in found.notes}


def read_search(body: Mapping[str, Any], *, free_fields: bool) -> SearchRequest:
    """Return the checked body of a search. Raises InvalidInput, ValidationError."""
    refuse_unknown_options(body, TO_SEARCH)
    query = body.get("query")
    text = check_value("query", TextField(), query.strip() if isinstance(query, str) else query)
    threshold = body.get("threshold", MEM0.threshold)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise InvalidInput(faults=[FieldFault("threshold", "out_of_range", "Must be a number from 0 to 1.")])
    asked_at = read_moment(body["reference_date"]) if "reference_date" in body else utc_now()
    if asked_at is None:
        raise InvalidInput(faults=[FieldFault("reference_date", "wrong_type", "Must be a time.")])
    top_k = "top_k" if "top_k" in body else "limit"
    return SearchRequest(
        query=text,
        filters=read_requested_filters(body, free_fields=free_fields),
        top_k=read_number(body, top_k, default=MEM0.top_k, most=MEM0.top_k_most),
        threshold=float(threshold),
        rerank=read_flag(body, "rerank", default=False),
        asked_at=asked_at,
        fields=read_fields(body),
    )


def find_searched_subjects(filters: FilterTree, subjects: SubjectIds) -> list[Subject]:
    """Return the subjects whose memories a filter can match, in the open scope. Raises InvalidInput for too many."""
    user = find_required_user(filters)
    if user is not None:
        return list(Subject.objects.filter(id=subjects[user])) if user in subjects else []
    ids = list_memories(filters, subjects).order_by().values_list("subject_id", flat=True).distinct()
    found = list(ids[: MEM0.subjects_searched + 1])
    if len(found) > MEM0.subjects_searched:
        message = f"Must name the users: this matches more than {MEM0.subjects_searched} people. Add user_id."
        raise InvalidInput(faults=[FieldFault("filters", "too_broad", message)])
    return list(Subject.objects.filter(id__in=found, erasing=False))


def find_notes_of_messages(scores: Mapping[UUID, float]) -> dict[UUID, float]:
    """Return the notes of messages that were found while none of their notes was, with the messages' scores."""
    notes = Note.objects.filter(statement_id__in=list(scores), snapshot__retired_at__isnull=True)
    pairs = [(note, said) for note, said in notes.values_list("snapshot_id", "statement_id") if said is not None]
    told = {said for note, said in pairs if note in scores}
    return {note: scores[said] for note, said in pairs if said not in told}


def render_found(asked: SearchRequest, subjects: SubjectIds, scores: Mapping[UUID, float]) -> list[dict[str, Any]]:
    """Return the best memories with their scores, in the open scope. A message stands for the notes made of it."""
    if not scores:
        return []
    best = dict(scores) | find_notes_of_messages(scores)
    rows = list_memories(asked.filters, subjects).filter(id__in=list(best))
    ranked: list[Snapshot] = sorted(rows, key=lambda row: (-best[row.id], str(row.id)))[: asked.top_k]
    told = [render_memory(row, score=round(best[row.id], 4)) for row in ranked]
    return [choose_fields(memory, asked.fields) for memory in told]
