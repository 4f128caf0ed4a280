"""``/compat/langgraph/store/...``: batches of a store's operations. Reads alone need no scope to write."""

from collections.abc import Callable, Mapping
from typing import Any

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ
from memory_platform.api.requests.fields import (
    FlagField,
    ListOfField,
    NumberField,
    OneOfField,
    ProductIdField,
    WholeField,
    raise_field_error,
)
from memory_platform.api.requests.serializers import Input, StrictSerializer
from memory_platform.compat.langgraph.messagepack_fields import MetadataField, OpaqueField, name_field
from memory_platform.compat.langgraph.views import AgentStateView
from memory_platform.kernel.character_checks import UNSTORABLE
from memory_platform.kernel.errors import InvalidInput
from snapshots.store_items.batches import run_batch
from snapshots.store_items.config import STORE
from snapshots.store_items.store_operations import (
    FoundItem,
    GetItem,
    ListNamespaces,
    MatchLabels,
    Operation,
    PutItem,
    Result,
    SearchItems,
)
from tenants.errors import ScopeMissing

PREFIX, SUFFIX = "prefix", "suffix"
TEXT_PARTS = 2


class LabelsField(OpaqueField):
    """Labels of a namespace: texts, none of them empty."""

    def __init__(self, *, least: int = 0, **kwargs: Any) -> None:
        self.least = least
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        if not isinstance(data, list) or not self.least <= len(data) <= STORE.labels:
            raise_field_error("not_labels", f"Must be a list of {self.least} to {STORE.labels} labels.")
        if not all(isinstance(label, str) and label and not UNSTORABLE.search(label) for label in data):
            raise_field_error("not_labels", "A label must be a text that is not empty, without a NUL.")
        if sum(len(label.encode()) for label in data) > STORE.namespace_bytes:
            raise_field_error("too_long", f"All labels together must have at most {STORE.namespace_bytes} bytes.")
        return tuple(data)


class ItemJsonField(OpaqueField):
    """JSON as text: it goes to the database as it is, which refuses malformed JSON."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or len(data) > STORE.value_bytes or not data.startswith("{"):
            raise_field_error(
                "not_json", f"Must be the text of a JSON object of at most {STORE.value_bytes} characters."
            )
        return data


class IndexedTextsField(OpaqueField):
    """``[[path, text], ...]``."""

    def to_internal_value(self, data: Any) -> list[tuple[str, str]]:
        if not isinstance(data, list) or len(data) > STORE.texts:
            raise_field_error("not_texts", f"Must be a list of at most {STORE.texts} paths with their texts.")
        if not all(
            isinstance(one, list)
            and len(one) == TEXT_PARTS
            and all(isinstance(part, str) and not UNSTORABLE.search(part) for part in one)
            for one in data
        ):
            raise_field_error("not_texts", "Must be a list of lists of a path and a text, without a NUL.")
        return [(where, text) for where, text in data]


class GetItemInput(StrictSerializer):
    namespace = LabelsField(least=1)
    key = name_field(STORE.key_bytes, allow_empty=True)
    refresh = FlagField(default=True)

    @staticmethod
    def make(sent: dict[str, Any]) -> Operation:
        return GetItem(sent["namespace"], sent["key"], sent["refresh"])


class SearchItemsInput(StrictSerializer):
    prefix = LabelsField()
    filter = MetadataField(default=dict)
    limit = WholeField(least=0, most=STORE.results, default=10)
    offset = WholeField(least=0, default=0)
    query = name_field(STORE.query_bytes, allow_empty=True, default="")
    refresh = FlagField(default=True)

    @staticmethod
    def make(sent: dict[str, Any]) -> Operation:
        return SearchItems(
            sent["prefix"], sent["filter"], sent["limit"], sent["offset"], sent["query"], sent["refresh"]
        )


class MatchInput(StrictSerializer):
    kind = OneOfField(choices=(PREFIX, SUFFIX))
    labels = LabelsField()


class NamespacesInput(StrictSerializer):
    matches = ListOfField(child=MatchInput(), most=STORE.labels, default=list)
    max_depth = WholeField(least=0, most=STORE.labels, required=False)
    limit = WholeField(least=0, most=STORE.results, default=100)
    offset = WholeField(least=0, default=0)

    @staticmethod
    def make(sent: dict[str, Any]) -> Operation:
        matches = [MatchLabels(one["kind"], one["labels"]) for one in sent["matches"]]
        return ListNamespaces(matches, sent.get("max_depth"), sent["limit"], sent["offset"])


class PutItemInput(StrictSerializer):
    namespace = LabelsField(least=1)
    key = name_field(STORE.key_bytes, allow_empty=True)
    value = ItemJsonField(required=False)
    texts = IndexedTextsField(default=list)
    ttl = NumberField(least=0, most=STORE.ttl_minutes, required=False)
    subject_id = ProductIdField(required=False)

    @staticmethod
    def make(sent: dict[str, Any]) -> Operation:
        return PutItem(
            sent["namespace"], sent["key"], sent.get("value"), sent["texts"], sent.get("ttl"), sent.get("subject_id")
        )


INPUTS: Mapping[str, tuple[StrictSerializer, Callable[[dict[str, Any]], Operation]]] = {
    "get": (GetItemInput(), GetItemInput.make),
    "search": (SearchItemsInput(), SearchItemsInput.make),
    "list": (NamespacesInput(), NamespacesInput.make),
    "put": (PutItemInput(), PutItemInput.make),
}


class OperationField(OpaqueField):
    """``[name, {…}]``."""

    def to_internal_value(self, data: Any) -> Operation:
        if not isinstance(data, list) or len(data) != TEXT_PARTS or data[0] not in INPUTS:
            raise_field_error("not_an_operation", f"Must be a list of a name ({', '.join(INPUTS)}) and a map.")
        serializer, make = INPUTS[data[0]]
        return make(serializer.run_validation(data[1]))


class StoreBatchInput(Input):
    ops = ListOfField(child=OperationField(), most=STORE.ops)


class StoreView(AgentStateView):
    noun = "store items"


class StoreBatchView(StoreView):
    def post(self, request: Request) -> Response:
        ops = StoreBatchInput.parse(request)["ops"]
        if any(not isinstance(one, PutItem) for one in ops) and MEMORY_READ not in self.caller.scopes:
            raise ScopeMissing(MEMORY_READ)
        return Response({"results": [render_result(one) for one in run_batch(self.tenant_id, ops)]})


class StoreReadView(StoreView):
    required_scope = MEMORY_READ

    def post(self, request: Request) -> Response:
        ops = StoreBatchInput.parse(request)["ops"]
        if any(isinstance(one, PutItem) for one in ops):
            raise InvalidInput("This address only reads. Send writes to store/batch.")
        return Response({"results": [render_result(one) for one in run_batch(self.tenant_id, ops)]})


def render_result(result: Result) -> Any:
    if isinstance(result, FoundItem):
        times = [result.created_at.isoformat(), result.updated_at.isoformat()]
        return [list(result.namespace), result.key, result.value, *times, result.score]
    return (
        None if result is None else [render_result(one) if isinstance(one, FoundItem) else list(one) for one in result]
    )


urlpatterns = [
    path("store/batch", StoreBatchView.as_view()),
    path("store/read", StoreReadView.as_view()),
]
