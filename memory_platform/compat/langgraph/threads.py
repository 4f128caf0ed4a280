"""``/compat/langgraph/threads/...``: one call for each method of a checkpoint saver."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ
from memory_platform.api.requests.fields import (
    ListOfField,
    NumberField,
    OneOfField,
    OwnIdField,
    ProductIdField,
    WholeField,
)
from memory_platform.api.requests.serializers import Input, StrictSerializer
from memory_platform.api.views.base_views import reply_without_content
from memory_platform.compat.langgraph.checkpoint_answers import render_checkpoint, render_history, render_page
from memory_platform.compat.langgraph.messagepack_fields import (
    MetadataField,
    PackedField,
    PackedMapField,
    VersionsField,
    WritesField,
    name_field,
)
from memory_platform.compat.langgraph.views import AgentStateView
from snapshots.models import AgentThread
from snapshots.threads.channel_history import load_channel_history
from snapshots.threads.config import THREADS
from snapshots.threads.copying import copy_thread
from snapshots.threads.deletion import delete_runs, delete_threads
from snapshots.threads.pruning import prune_thread
from snapshots.threads.read_checkpoints import Cursor, list_checkpoints, load_checkpoint
from snapshots.threads.values import CheckpointToStore, ListingFilter, Place
from snapshots.threads.write_checkpoints import store_checkpoint, store_writes
from tenants.isolation import tenant_tx

# The latest moment that a clock of an agent may name: seconds since 1970, in the year 9999.
LAST_SECOND = 253_402_300_799
DELETE, KEEP_LATEST = "delete", "keep_latest"


class PlaceInput(Input):
    thread_id = name_field(THREADS.thread_id_bytes)
    namespace = name_field(THREADS.namespace_bytes, allow_empty=True, default="")
    checkpoint_id = name_field(THREADS.name_bytes, allow_empty=True, default="")

    @staticmethod
    def build_place(sent: dict[str, Any]) -> Place:
        return Place(sent["thread_id"], sent["namespace"], sent["checkpoint_id"])


class CheckpointInput(PlaceInput):
    checkpoint_id = name_field(THREADS.name_bytes)
    parent_id = name_field(THREADS.name_bytes, allow_empty=True, default="")
    subject_id = ProductIdField(required=False)
    body = PackedField()
    versions = VersionsField()
    new_versions = VersionsField()
    values = PackedMapField()
    metadata = MetadataField()


class WritesInput(PlaceInput):
    checkpoint_id = name_field(THREADS.name_bytes)
    subject_id = ProductIdField(required=False)
    task_id = name_field(THREADS.name_bytes)
    task_path = name_field(THREADS.path_bytes, allow_empty=True, default="")
    writes = WritesField()


class CursorInput(StrictSerializer):
    checkpoint_id = name_field(THREADS.name_bytes)
    row_id = OwnIdField()


class CheckpointsInput(Input):
    thread_id = name_field(THREADS.thread_id_bytes, required=False)
    namespace = name_field(THREADS.namespace_bytes, allow_empty=True, required=False)
    checkpoint_id = name_field(THREADS.name_bytes, allow_empty=True, default="")
    before = name_field(THREADS.name_bytes, allow_empty=True, default="")
    filter = MetadataField(required=False)
    after = CursorInput(required=False)
    limit = WholeField(least=1, default=THREADS.page)


class HistoryInput(PlaceInput):
    channels = ListOfField(child=name_field(THREADS.channel_bytes), least=1, most=THREADS.ids)


class ThreadsInput(Input):
    thread_ids = ListOfField(child=name_field(THREADS.thread_id_bytes), most=THREADS.ids)


class DeletionInput(ThreadsInput):
    now = NumberField(least=0, most=LAST_SECOND, required=False)


class PruningInput(ThreadsInput):
    strategy = OneOfField(choices=(KEEP_LATEST, DELETE), default=KEEP_LATEST)
    now = NumberField(least=0, most=LAST_SECOND, required=False)


class RunsInput(Input):
    run_ids = ListOfField(child=name_field(THREADS.name_bytes), most=THREADS.ids)


class CopyInput(Input):
    source_id = name_field(THREADS.thread_id_bytes)
    target_id = name_field(THREADS.thread_id_bytes)


class ThreadView(AgentStateView):
    noun = "threads"


class PutCheckpointView(ThreadView):
    def post(self, request: Request) -> HttpResponseBase:
        sent = CheckpointInput.parse(request)
        draft = CheckpointToStore(
            CheckpointInput.build_place(sent),
            sent["parent_id"],
            sent["body"],
            sent["versions"],
            sent["metadata"],
            sent["new_versions"],
            sent["values"],
        )
        with tenant_tx(self.tenant_id):
            store_checkpoint(draft, subject_external_id=sent.get("subject_id"))
        return reply_without_content()


class PutWritesView(ThreadView):
    def post(self, request: Request) -> HttpResponseBase:
        sent = WritesInput.parse(request)
        task = (sent["task_id"], sent["task_path"])
        with tenant_tx(self.tenant_id):
            store_writes(
                WritesInput.build_place(sent), task, sent["writes"], subject_external_id=sent.get("subject_id")
            )
        return reply_without_content()


class CheckpointView(ThreadView):
    required_scope = MEMORY_READ

    def post(self, request: Request) -> Response:
        found = load_checkpoint(self.tenant_id, PlaceInput.build_place(PlaceInput.parse(request)))
        return Response(render_checkpoint(found))


class CheckpointListView(ThreadView):
    required_scope = MEMORY_READ

    def post(self, request: Request) -> Response:
        sent = CheckpointsInput.parse(request)
        after = Cursor(**sent["after"]) if "after" in sent else None
        asked = ListingFilter(
            sent.get("thread_id"),
            sent.get("namespace"),
            sent["checkpoint_id"],
            sent["before"],
            sent.get("filter", {}),
        )
        return Response(render_page(list_checkpoints(self.tenant_id, asked, after=after, most=sent["limit"])))


class ChannelHistoryView(ThreadView):
    required_scope = MEMORY_READ

    def post(self, request: Request) -> Response:
        sent = HistoryInput.parse(request)
        found = load_channel_history(self.tenant_id, HistoryInput.build_place(sent), sent["channels"])
        return Response(render_history(found))


class DeleteThreadsView(ThreadView):
    def post(self, request: Request) -> Response:
        sent = DeletionInput.parse(request)
        with tenant_tx(self.tenant_id):
            count = delete_threads(sent["thread_ids"], by=self.actor, closed_at=read_caller_time(sent))
        return Response({"deleted": count})


class DeleteRunsView(ThreadView):
    def post(self, request: Request) -> Response:
        with tenant_tx(self.tenant_id):
            count = delete_runs(RunsInput.parse(request)["run_ids"])
        return Response({"deleted": count})


class CopyThreadView(ThreadView):
    def post(self, request: Request) -> Response:
        sent = CopyInput.parse(request)
        with tenant_tx(self.tenant_id):
            copied = copy_thread(sent["source_id"], sent["target_id"])
        return Response({"copied": copied})


class PruneThreadsView(ThreadView):
    def post(self, request: Request) -> Response:
        sent = PruningInput.parse(request)
        if sent["strategy"] == DELETE:
            with tenant_tx(self.tenant_id):
                return Response(
                    {"deleted": delete_threads(sent["thread_ids"], by=self.actor, closed_at=read_caller_time(sent))}
                )
        return Response({"deleted": sum(self._keep_latest(row_id) for row_id in self._find(sent["thread_ids"]))})

    def _find(self, thread_ids: list[str]) -> list[UUID]:
        with tenant_tx(self.tenant_id):
            return list(AgentThread.objects.filter(external_id__in=thread_ids).values_list("id", flat=True))

    def _keep_latest(self, row_id: UUID) -> int:
        with tenant_tx(self.tenant_id):
            return prune_thread(row_id, keep=1)


def read_caller_time(sent: dict[str, Any]) -> datetime | None:
    """Return the moment by the clock of the caller, if it told."""
    return datetime.fromtimestamp(sent["now"], UTC) if "now" in sent else None


urlpatterns = [
    path("threads/put", PutCheckpointView.as_view()),
    path("threads/put-writes", PutWritesView.as_view()),
    path("threads/get", CheckpointView.as_view()),
    path("threads/list", CheckpointListView.as_view()),
    path("threads/history", ChannelHistoryView.as_view()),
    path("threads/delete", DeleteThreadsView.as_view()),
    path("threads/delete-runs", DeleteRunsView.as_view()),
    path("threads/copy", CopyThreadView.as_view()),
    path("threads/prune", PruneThreadsView.as_view()),
]
