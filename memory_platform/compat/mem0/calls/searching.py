"""``search``: recall, with calibrated relevance as the score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.requests.fields import TextField
from memory_platform.api.v1.recall.recall import TOP_K_MOST
from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.filters.grammar import (
    FilterTree,
    find_required_user,
    list_tests,
    list_values,
    read_moment,
)
from memory_platform.compat.mem0.filters.recall_conditions import RecallCondition, build_recall_condition
from memory_platform.compat.mem0.filters.row_conditions import load_named_subjects
from memory_platform.compat.mem0.found_memories import (
    FoundMemory,
    ScoredSnapshot,
    filter_found_memories,
    load_found_memories,
)
from memory_platform.compat.mem0.ignored_options import TO_SEARCH, explain_ignored
from memory_platform.compat.mem0.request_values import check_value
from memory_platform.compat.mem0.requested_filters import read_fields, read_requested_filters
from memory_platform.compat.mem0.views import Mem0View, read_body, read_flag, read_number, refuse_unknown_options
from memory_platform.compat.mem0.visible_memories import choose_fields, list_memories, render_memory
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput
from profiles.models import Subject
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


@dataclass(frozen=True, slots=True)
class SearchedSubject:
    """A subject to search, by the product's id; ``names`` are all ids of it that the filter may mean."""

    external_id: str
    names: frozenset[str]


class SearchView(Mem0View):
    """Answers ``{"results": [...]}``; ``as_list`` answers the list alone, as the paths of version 2 did."""

    required_scope = "memory:read"
    free_fields = False
    as_list = False

    def post(self, request: Request) -> Response:
        """Find the memories that help with a question."""
        body = read_body(request)
        search_request = read_search(body, free_fields=self.free_fields)
        hits: dict[UUID, FoundMemory] = {}
        is_tested = True
        for subject in self._choose_subjects(search_request):
            condition = build_recall_condition(search_request.filters, subject.names)
            is_tested = is_tested and condition.exact and condition.node is None
            hits |= self._search_subject(search_request, subject, condition)
        results = render_search_results(search_request, self._load(search_request, hits, is_tested=is_tested))
        if self.as_list and body.get("output_format") != "v1.1":
            return Response(results)
        return Response({"results": results, **explain_ignored(body)})

    def _choose_subjects(self, search_request: SearchRequest) -> Sequence[SearchedSubject]:
        user = find_required_user(search_request.filters)
        if user is not None and list_named_users(search_request.filters) == {user}:
            return [SearchedSubject(user, frozenset({user}))]
        with tenant_tx(self.tenant_id):
            return find_searched_subjects(search_request.filters)

    def _load(
        self, search_request: SearchRequest, hits: Mapping[UUID, FoundMemory], *, is_tested: bool
    ) -> Sequence[ScoredSnapshot]:
        if not hits:
            return []
        if is_tested:
            return load_found_memories(self.tenant_id, hits)
        return filter_found_memories(self.tenant_id, hits, search_request.filters)

    def _search_subject(
        self, search_request: SearchRequest, subject: SearchedSubject, condition: RecallCondition
    ) -> dict[UUID, FoundMemory]:
        """Return the memories that recall finds for one subject, by the id of the snapshot."""
        if condition.node is None and not condition.holds:
            return {}
        query = RecallQuery(
            text=search_request.query,
            asked_at=search_request.asked_at,
            top_k=search_request.top_k if condition.exact else TOP_K_MOST,
            filter=condition.node,
            lanes=frozenset({SNAPSHOTS, NOTES}),
            rerank=search_request.rerank,
            min_relevance=search_request.threshold,
        )
        hits = recall(self.tenant_id, subject.external_id, query, self.policies_for(subject.external_id).recall)
        memories = {one.id: FoundMemory.of_kind(one.kind, one.relevance) for one in hits.memories}
        return memories | {one.memory.id: FoundMemory(one.memory.relevance) for one in hits.notes}


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
        top_k=read_number(body, top_k, default=MEM0.top_k, most=TOP_K_MOST),
        threshold=float(threshold),
        rerank=read_flag(body, "rerank", default=False),
        asked_at=asked_at,
        fields=read_fields(body),
    )


def list_named_users(filters: FilterTree) -> set[str]:
    return {name for test in list_tests(filters) if test.field == "user_id" for name in list_values(test)}


def find_searched_subjects(filters: FilterTree) -> list[SearchedSubject]:
    """Return the subjects whose memories a filter can match, in the open scope. Raises InvalidInput for too many."""
    named = load_named_subjects(filters)
    ids = list_memories(filters, named).order_by().values_list("subject_id", flat=True).distinct()
    hits = list(ids[: MEM0.subjects_searched + 1])
    if len(hits) > MEM0.subjects_searched:
        message = f"Must name the users: this matches more than {MEM0.subjects_searched} people. Add user_id."
        raise InvalidInput(faults=[FieldFault("filters", "too_broad", message)])
    rows = Subject.objects.filter(id__in=hits, erasing=False)
    return [
        SearchedSubject(
            row.external_id, frozenset({row.external_id, *(n for n, one in named.items() if one == row.id)})
        )
        for row in rows
    ]


def render_search_results(search_request: SearchRequest, memories: Sequence[ScoredSnapshot]) -> list[dict[str, Any]]:
    """Return the best memories with their scores."""
    ranked = sorted(memories, key=lambda one: (-one.score, str(one.row.id)))[: search_request.top_k]
    told = [render_memory(one.row, score=round(one.score, 4)) for one in ranked]
    return [choose_fields(one, search_request.fields) for one in told]
