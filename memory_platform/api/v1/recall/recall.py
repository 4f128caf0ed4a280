"""``POST subjects/{subject_id}/recall``: the memories that help with a question."""

from typing import Any

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    ListOfField,
    NumberField,
    OneOfField,
    ProductIdField,
    TextField,
    WholeField,
    raise_field_error,
)
from memory_platform.api.requests.serializers import Input, StrictSerializer
from memory_platform.api.v1.recall.common_recall_fields import MIN_RELEVANCE_HELP, STRICT_HELP
from memory_platform.api.v1.recall.document_scope import (
    DocumentScopeFields,
    make_document_scope,
    refuse_scope_without_documents,
)
from memory_platform.api.v1.recall.filter_field import FILTER, FILTER_HELP, FilterField
from memory_platform.api.v1.recall.recall_serializers import RecallOutput, render_recall
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.clock import utc_now
from snapshots.knowledge.search.documents_beside_memory import recall_documents
from snapshots.policies.effective_policies import Policies
from snapshots.recall.config import ANSWERS
from snapshots.recall.filtering.filter_matching import FilterTooCostly
from snapshots.recall.loading.past_index_limits import MemoryTooLarge
from snapshots.recall.pipeline import recall
from snapshots.recall.values import DOCUMENTS, LANES, OWN_INDEX_LANES, REPLIES, SNAPSHOT_KINDS, RecallQuery

TOP_K_MOST = 100
TOPICS_MOST = 100
DEFAULT_LANES = tuple(lane for lane in LANES if lane != DOCUMENTS)


class SnapshotKindField(OneOfField):
    """A kind of snapshot in ``memories``. Notes and replies have lanes of their own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=SNAPSHOT_KINDS, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        lane = next((lane for lane, kind in OWN_INDEX_LANES.items() if kind == data), None)
        if lane is not None:
            raise_field_error("not_a_choice", f"These are not among `memories`: ask for them with the lane `{lane}`.")
        return super().to_internal_value(data)


class TimeRangeInput(StrictSerializer):
    """A range of time; both ends are included."""

    from_ = InstantField(required=False, help_text="Start of the range.")
    to = InstantField(required=False, help_text="End of the range.")


class RecallInput(DocumentScopeFields, Input):
    """A question to a subject's memory, and its filters."""

    query = TextField(allow_empty=True, help_text="The question, in any language.")
    top_k = WholeField(
        least=1,
        most=TOP_K_MOST,
        required=False,
        help_text=f"Largest number of `memories`. Default: set by the policy, else {ANSWERS.top_k}.",
    )
    kinds = ListOfField(
        child=SnapshotKindField(),
        most=len(SNAPSHOT_KINDS),
        required=False,
        help_text="Returns `memories` of these kinds only. Notes and replies are not affected.",
    )
    topics = ListOfField(
        child=TextField(max_bytes=API_CONFIG.id_bytes),
        most=TOPICS_MOST,
        required=False,
        help_text="Returns memories with one of these topics only. Case counts: `Food` is not `food`.",
    )
    filter = FilterField(required=False, help_text=FILTER_HELP)
    time_range = TimeRangeInput(required=False, help_text="Returns memories said in this range only.")
    as_of = InstantField(
        required=False, local=True, help_text="Returns what was true at this time, as far as it is known today."
    )
    known_at = InstantField(required=False, help_text="Returns what the platform held at this time, as it was worded.")
    conversation_id = ProductIdField(
        required=False, help_text="The conversation that asks. The search covers all conversations anyway."
    )
    lanes = ListOfField(
        child=OneOfField(choices=LANES),
        most=len(LANES),
        required=False,
        help_text="What to search. Default: all; `documents` only if the policy says so. Replies are what the "
        "assistant said; unless `replies` is named, they come only if asked for or if they very probably help. "
        "`documents` adds passages of the tenant's documents to `memories`; none has a kind, a topic or a time, so a "
        "condition on those leaves them out. If they cannot be searched, `degraded_reason` is `documents_unavailable`.",
    )
    rerank = FlagField(
        default=False,
        help_text="Orders the best memories with a reranking model. Without such a model, `degraded_reason` is "
        "`rerank_unconfigured`.",
    )
    rewrite = FlagField(
        default=False,
        help_text="Also searches with other wordings of the question, written by a chat model. Without such a model, "
        "`degraded_reason` is `rewrite_unconfigured`.",
    )
    explain = FlagField(default=False, help_text="Explains the place of each memory.")
    min_relevance = NumberField(least=0, most=1, required=False, help_text=MIN_RELEVANCE_HELP)
    strict = FlagField(default=False, help_text=STRICT_HELP)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raise ValidationError for conditions on documents in a recall that names its lanes, and not this one."""
        if DOCUMENTS not in attrs.get("lanes", LANES):
            refuse_scope_without_documents(attrs, ("collections", "access_labels"), "the lane documents")
        return attrs


class RecallView(SubjectView):
    noun = "recall"
    required_scope = MEMORY_READ

    @operation("recall", request=RecallInput, answer=RecallOutput, errors=[MemoryTooLarge, FilterTooCostly], reads=True)
    def post(self, request: Request, subject_id: str) -> Response:
        """Find the memories that help with a question. For an unknown subject there are none.

        Nothing is stored, and no subject is created.
        """
        given, policies = RecallInput.parse(request), self.policies_for(subject_id)
        query = query_of(given, policies)
        found = recall(self.tenant_id, subject_id, query, policies.recall)
        documents = recall_documents(self.tenant_id, query, make_document_scope(given, self.caller), found)
        return Response(render_recall(query, found, documents, policies))


def query_of(body: dict[str, Any], policies: Policies) -> RecallQuery:
    """Return the question of a checked body, asked now."""
    lanes = LANES if policies.recalls_documents else DEFAULT_LANES
    time_range = body.get("time_range", {})
    return RecallQuery(
        text=body["query"],
        asked_at=utc_now(),
        top_k=body.get("top_k", policies.top_k),
        kinds=frozenset(body.get("kinds", ())),
        topics=frozenset(body.get("topics", ())),
        filter=body.get(FILTER),
        since=time_range.get("from"),
        until=time_range.get("to"),
        as_of=body.get("as_of"),
        known_at=body.get("known_at"),
        lanes=frozenset(body.get("lanes", lanes)),
        replies_named=REPLIES in body.get("lanes", ()),
        explain=body["explain"],
        rerank=body["rerank"],
        rewrite=body["rewrite"],
        min_relevance=body.get("min_relevance", 0.0),
        strict=body["strict"],
    )


urlpatterns = [path("subjects/<product_id:subject_id>/recall", RecallView.as_view(), name="recall")]
