"""``/v1/subjects/{subject_id}/snapshots``: list, post one or many, read, edit, retire, history."""

from collections.abc import Mapping
from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.policy import POLICY
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.serializers import NothingInput
from memory_platform.api.v1.administration.erasures import ErasedOutput, reply_with_certificate
from memory_platform.api.v1.memories.snapshot_serializers import (
    SnapshotBulkInput,
    SnapshotBulkOutput,
    SnapshotEditInput,
    SnapshotHistoryOutput,
    SnapshotInput,
    SnapshotListInput,
    SnapshotOutput,
    SnapshotPageOutput,
    WrittenSnapshotOutput,
    serialize_fate,
    serialize_history_entry,
    serialize_snapshot,
)
from memory_platform.api.views.base import SubjectView, no_content
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from profiles.services.claims import ConfidenceAboveCeiling
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import ForgottenMemory
from snapshots.embedding.spaces import active_embedders
from snapshots.erasure.memories import forget_memory
from snapshots.errors import SnapshotUnknown
from snapshots.lifecycle.edits import Edit
from snapshots.lifecycle.history import history_of
from snapshots.lifecycle.selectors import snapshot_at, snapshot_ever_at, snapshot_of, snapshots_of, with_sources
from snapshots.lifecycle.snapshots import create_snapshots, offer_snapshots, retire_snapshot
from snapshots.lifecycle.values import ExpiresInPast, NewSnapshot, Offer, SnapshotAddress, SourcedSnapshot
from snapshots.notes.edit import edit_memory
from snapshots.notes.values import VitalInstruction
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.vital import suggest_vital_class
from snapshots.understanding.statements.topics import topics_of
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx

BY_RECORDING = Order(fields=("recorded_at", "id"))
BY_VERSION = Order(fields=("version",))
BELOW = "subjects/<product_id:subject_id>/snapshots"


class SnapshotsView(SubjectView):
    """The snapshots of one subject."""

    noun = "snapshots"
    query_input = SnapshotListInput
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @operation("list_snapshots", query=SnapshotListInput, answer=SnapshotPageOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """List the current snapshots, or with ``as_of`` those that were true then, oldest first."""
        query = SnapshotListInput.parse(request)
        page = Page.from_request(request, query, BY_RECORDING)
        with tenant_tx(self.tenant_id):
            rows = snapshots_of(subject_by_external_id(subject_id), SnapshotListInput.filter_of(query))
            kept, cursor = page.of(rows)
            return Response({"data": [serialize_snapshot(one) for one in with_sources(kept)], "next_cursor": cursor})

    @operation(
        "create_snapshot",
        request=SnapshotInput,
        answer=WrittenSnapshotOutput,
        status=201,
        errors=[ConfidenceAboveCeiling, ExpiresInPast, ForgottenMemory, QuotaExceeded],
    )
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Store a memory; makes the subject on first sight. What is held already is validated anew: ``unchanged``."""
        new = NewSnapshot(**SnapshotInput.parse(request))
        (offer,) = offer_snapshots([new], active_embedders(), mask=mask_sensitive)

        def work() -> Reply:
            self.make_room(snapshots=1)
            return store_one(subject_id, offer)

        return write_once(request, work)


class BulkView(SubjectView):
    """Many snapshots at once."""

    noun = "snapshots"
    required_scope = MEMORY_WRITE
    body_limit = POLICY.bulk_body_bytes

    @operation("create_snapshots", request=SnapshotBulkInput, answer=SnapshotBulkOutput, errors=[QuotaExceeded])
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Store up to 1,000 memories in one transaction; a refused one has its own verdict and stops no other."""
        asked = SnapshotBulkInput.parse(request)
        posted = [NewSnapshot(**{"allow_forgotten": asked["allow_forgotten"], **item}) for item in asked["items"]]
        offers = offer_snapshots(posted, active_embedders(), mask=mask_sensitive)

        def work() -> Reply:
            self.make_room(snapshots=len(offers))
            return store_many(subject_id, offers)

        return write_once(request, work)


class SnapshotView(SubjectView):
    """One snapshot."""

    noun = "snapshots"
    versioned = True
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @operation("get_snapshot", answer=SnapshotOutput, errors=[SnapshotUnknown])
    def get(self, request: Request, subject_id: str, snapshot_id: UUID) -> Response:
        """Return a snapshot that is held, also one that is no longer true (``invalid_at``, ``superseded_by``)."""
        with tenant_tx(self.tenant_id):
            (sourced,) = with_sources([snapshot_at(SnapshotAddress(subject_id, snapshot_id))])
        return Response(serialize_snapshot(sourced), headers=tag_of(sourced))

    @operation(
        "update_snapshot",
        request=SnapshotEditInput,
        answer=WrittenSnapshotOutput,
        errors=[SnapshotUnknown, ConfidenceAboveCeiling, ExpiresInPast, VitalInstruction],
    )
    def patch(self, request: Request, subject_id: str, snapshot_id: UUID) -> Response:
        """Change what is given; what the snapshot was stays in its history. A vital note must not come to give orders
        to the model (422 ``instruction``)."""
        changes = SnapshotEditInput.changes_of(SnapshotEditInput.parse(request))
        edit = Edit(changes, mask_sensitive, IfMatch.from_request(request).check, topics_of=topics_of)
        address = SnapshotAddress(subject_id, snapshot_id)
        edited = edit_memory(
            self.tenant_id, address, edit, active_embedders(), by=self.actor, suggest=suggest_vital_class
        )
        shown = {**serialize_snapshot(edited.sourced), "verdict": edited.verdict}
        return Response(shown, headers=tag_of(edited.sourced))

    @operation("retire_snapshot", status=204, errors=[SnapshotUnknown])
    def delete(self, request: Request, subject_id: str, snapshot_id: UUID) -> HttpResponseBase:
        """Retire a snapshot: recall no longer finds it, its history stays."""
        if_match = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            retire_snapshot(SnapshotAddress(subject_id, snapshot_id), accept=if_match.check)
        return no_content()


class ForgetView(SubjectView):
    """Forgetting one memory for good."""

    noun = "snapshots"
    required_scope = MEMORY_WRITE

    @operation("forget_snapshot", request=NothingInput, answer=ErasedOutput, errors=[NotFound, SnapshotUnknown])
    def post(self, request: Request, subject_id: str, snapshot_id: UUID) -> HttpResponse:
        """Erase a memory, what was made from it, and its words everywhere; the same is refused from then on.

        What was learned from its messages alone goes with it: preferences, profile facts, tags. ``docs/deletion.md``
        says what goes and what stays.
        """
        NothingInput.parse(request)
        address = SnapshotAddress(subject_id, snapshot_id)

        def forget() -> Reply:
            erasure_id = forget_memory(self.tenant_id, address, active_embedders(), by=self.actor)
            return reply_with_certificate(self.tenant_id, subject_id, erasure_id)

        return write_in_scopes(request, forget)


class SnapshotHistoryView(SubjectView):
    """What one snapshot said over time."""

    noun = "snapshots"
    query_input = PageInput
    required_scope = MEMORY_READ

    @operation("list_snapshot_history", query=PageInput, answer=SnapshotHistoryOutput, errors=[SnapshotUnknown])
    def get(self, request: Request, subject_id: str, snapshot_id: UUID) -> Response:
        """List the states of a snapshot, the first one first; also of a retired one."""
        page = Page.from_request(request, PageInput.parse(request), BY_VERSION)
        with tenant_tx(self.tenant_id):
            (sourced,) = with_sources([snapshot_ever_at(SnapshotAddress(subject_id, snapshot_id))])
            states = history_of(sourced.snapshot)
        kept, cursor = page.of_versions(states, lambda state: state.snapshot.version)
        return Response(
            {"data": [serialize_history_entry(state, sourced.sources) for state in kept], "next_cursor": cursor}
        )


def store_one(subject_id: str, offer: Offer) -> Reply:
    """Store one offer for the product's own subject id inside the open transaction. Raises its refusal."""
    subject = ensure_subject(subject_id)
    (fate,) = create_snapshots(subject, [offer])
    if fate.id is None:
        raise offer.refusal or ForgottenMemory("The subject had this forgotten; allow_forgotten stores it anyway.")
    (sourced,) = with_sources([snapshot_of(subject, fate.id)])
    shown = {**serialize_snapshot(sourced), "verdict": fate.verdict}
    return Reply(shown, status=201, headers=tag_of(sourced), subject_id=subject.id)


def store_many(subject_id: str, offers: list[Offer]) -> Reply:
    """Store offers for the product's own subject id inside the open transaction, and say what became of each."""
    subject = ensure_subject(subject_id)
    fates = create_snapshots(subject, offers)
    return Reply({"data": [serialize_fate(fate) for fate in fates]}, subject_id=subject.id)


def tag_of(sourced: SourcedSnapshot) -> dict[str, str]:
    """Return the ``ETag`` header of a snapshot."""
    return {"ETag": etag_of(sourced.snapshot.id, sourced.snapshot.version)}


urlpatterns = [
    path(BELOW, SnapshotsView.as_view(), name="snapshots"),
    path(f"{BELOW}/bulk", BulkView.as_view(), name="snapshots-bulk"),
    path(f"{BELOW}/<own_id:snapshot_id>", SnapshotView.as_view(), name="snapshot"),
    path(f"{BELOW}/<own_id:snapshot_id>/forget", ForgetView.as_view(), name="snapshot-forget"),
    path(f"{BELOW}/<own_id:snapshot_id>/history", SnapshotHistoryView.as_view(), name="snapshot-history"),
]
