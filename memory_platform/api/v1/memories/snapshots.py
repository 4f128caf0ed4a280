"""``/v1/subjects/{subject_id}/snapshots``: single memories."""

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.serializers import NothingInput, page_of
from memory_platform.api.v1.administration.erasures import ErasedOutput, reply_with_certificate
from memory_platform.api.v1.memories.common_memory_fields import MessageSourceOutput
from memory_platform.api.v1.memories.snapshot_serializers import (
    HeldSnapshotOutput,
    SnapshotBulkInput,
    SnapshotBulkOutput,
    SnapshotEditInput,
    SnapshotFateOutput,
    SnapshotInput,
    SnapshotListInput,
    SnapshotOutput,
    WrittenSnapshotOutput,
)
from memory_platform.api.views.base_views import SubjectView, reply_without_content
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import ForgottenMemory
from profiles.services.value_claims import ConfidenceAboveCeiling
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.memories import forget_memory
from snapshots.lifecycle.edit_snapshot import Edit
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers, retire_snapshot
from snapshots.lifecycle.selectors import (
    find_snapshots,
    load_held_snapshot,
    load_snapshot,
    load_snapshot_history,
    load_unexpired_snapshot,
    load_with_sources,
)
from snapshots.lifecycle.write_types import ExpiresInPast, NewSnapshot, SnapshotAddress, SnapshotOffer
from snapshots.notes.edit import edit_memory
from snapshots.notes.values import VitalInstruction
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.handwritten_note_grade import suggest_vital_class
from snapshots.understanding.statements.topics import find_topics
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx

BY_RECORDING = Order(fields=("recorded_at", "id"))
BY_VERSION = Order(fields=("version",))
BELOW = "subjects/<product_id:subject_id>/snapshots"


class SnapshotsView(SubjectView):
    noun = "snapshots"
    required_scope = READS_AND_WRITES

    @operation("list_snapshots", query=SnapshotListInput, answer=page_of(SnapshotOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the current snapshots, or those that were true at a past time, oldest first."""
        query = SnapshotListInput.parse(request)
        page = Page.from_request(request, query, BY_RECORDING)
        with tenant_tx(self.tenant_id):
            rows = find_snapshots(subject_by_external_id(subject_id), SnapshotListInput.filter_of(query))
            kept, cursor = page.load_page(rows)
            return Response({"data": SnapshotOutput.render_many(load_with_sources(kept)), "next_cursor": cursor})

    @operation(
        "create_snapshot",
        request=SnapshotInput,
        answer=WrittenSnapshotOutput,
        status=201,
        errors=[ConfidenceAboveCeiling, ExpiresInPast, ForgottenMemory, QuotaExceeded],
    )
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Store a memory, or confirm a known one (verdict `unchanged`). The subject is created if it is unknown."""
        new = NewSnapshot(**SnapshotInput.parse(request))
        (offer,) = prepare_offers([new], active_embedders(), mask=mask_sensitive)

        def work() -> Reply:
            self.reserve_quota(snapshots=1)
            return store_one(subject_id, offer)

        return write_once(request, work)


class BulkView(SubjectView):
    noun = "snapshots"
    required_scope = MEMORY_WRITE
    body_limit = API_CONFIG.bulk_body_bytes

    @operation("create_snapshots", request=SnapshotBulkInput, answer=SnapshotBulkOutput, errors=[QuotaExceeded])
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Store up to 1,000 memories at once. Each gets a verdict; a rejected one does not stop the others."""
        asked = SnapshotBulkInput.parse(request)
        posted = [NewSnapshot(**{"allow_forgotten": asked["allow_forgotten"], **item}) for item in asked["items"]]
        offers = prepare_offers(posted, active_embedders(), mask=mask_sensitive)

        def work() -> Reply:
            self.reserve_quota(snapshots=len(offers))
            return store_many(subject_id, offers)

        return write_once(request, work)


class SnapshotView(SubjectView):
    noun = "snapshots"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_snapshot", answer=SnapshotOutput)
    def get(self, request: Request, subject_id: str, snapshot_id: UUID) -> Response:
        """Get a snapshot, also one that is no longer true."""
        with tenant_tx(self.tenant_id):
            (sourced,) = load_with_sources([load_held_snapshot(SnapshotAddress(subject_id, snapshot_id))])
        return Response(SnapshotOutput.render(sourced), headers=build_etag_header(sourced.snapshot))

    @operation(
        "update_snapshot",
        request=SnapshotEditInput,
        answer=WrittenSnapshotOutput,
        errors=[ConfidenceAboveCeiling, ExpiresInPast, VitalInstruction, ForgottenMemory],
    )
    def patch(self, request: Request, subject_id: str, snapshot_id: UUID) -> Response:
        """Change the given details of a snapshot; earlier versions stay in its history.

        The text of a vital note must not give orders to the model (422 `instruction`).
        """
        changes = SnapshotEditInput.changes_of(SnapshotEditInput.parse(request))
        edit = Edit(changes, mask_sensitive, IfMatch.from_request(request).check, topics_of=find_topics)
        address = SnapshotAddress(subject_id, snapshot_id)
        edited = edit_memory(
            self.tenant_id, address, edit, active_embedders(), by=self.actor, suggest=suggest_vital_class
        )
        rendered = WrittenSnapshotOutput.render(edited.sourced, verdict=edited.verdict)
        return Response(rendered, headers=build_etag_header(edited.sourced.snapshot))

    @operation("retire_snapshot", status=204)
    def delete(self, request: Request, subject_id: str, snapshot_id: UUID) -> HttpResponseBase:
        """Retire a snapshot: recall no longer finds it; its history stays."""
        if_match = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            retire_snapshot(SnapshotAddress(subject_id, snapshot_id), accept=if_match.check)
        return reply_without_content()


class ForgetView(SubjectView):
    noun = "snapshots"
    required_scope = MEMORY_WRITE

    @operation("forget_snapshot", request=NothingInput, answer=ErasedOutput, errors=[NotFound])
    def post(self, request: Request, subject_id: str, snapshot_id: UUID) -> HttpResponse:
        """Erase a memory and everything made of it. The platform refuses to learn the same again.

        Preferences, profile fields and tags that were learned from its messages alone are erased as well.
        `docs/data/deletion.md` lists the erased and the kept data.
        """
        NothingInput.parse(request)
        address = SnapshotAddress(subject_id, snapshot_id)

        def forget() -> Reply:
            erasure_id = forget_memory(self.tenant_id, address, active_embedders(), by=self.actor)
            return reply_with_certificate(self.tenant_id, subject_id, erasure_id)

        return write_in_scopes(request, forget)


class SnapshotHistoryView(SubjectView):
    noun = "snapshots"
    required_scope = MEMORY_READ

    @operation("list_snapshot_history", query=PageInput, answer=page_of(HeldSnapshotOutput))
    def get(self, request: Request, subject_id: str, snapshot_id: UUID) -> Response:
        """List the versions of a snapshot, oldest first. Also works for a retired snapshot."""
        page = Page.from_request(request, PageInput.parse(request), BY_VERSION)
        with tenant_tx(self.tenant_id):
            (sourced,) = load_with_sources([load_unexpired_snapshot(SnapshotAddress(subject_id, snapshot_id))])
            states = load_snapshot_history(sourced.snapshot)
        kept, cursor = page.slice_versions(states, lambda state: state.snapshot.version)
        sources = MessageSourceOutput.render_many(sourced.sources)
        data = [HeldSnapshotOutput.render(state, sources=sources) for state in kept]
        return Response({"data": data, "next_cursor": cursor})


def store_one(subject_id: str, offer: SnapshotOffer) -> Reply:
    """Store one memory in the open transaction. Raises the reason why it is refused."""
    subject = ensure_subject(subject_id)
    (fate,) = create_snapshots(subject, [offer])
    if fate.id is None:
        raise offer.refusal or ForgottenMemory("The subject had this forgotten; allow_forgotten stores it anyway.")
    (sourced,) = load_with_sources([load_snapshot(subject, fate.id)])
    rendered = WrittenSnapshotOutput.render(sourced, verdict=fate.verdict)
    return Reply(rendered, status=201, headers=build_etag_header(sourced.snapshot), subject_id=subject.id)


def store_many(subject_id: str, offers: list[SnapshotOffer]) -> Reply:
    subject = ensure_subject(subject_id)
    fates = create_snapshots(subject, offers)
    return Reply({"data": SnapshotFateOutput.render_many(fates)}, subject_id=subject.id)


urlpatterns = [
    path(BELOW, SnapshotsView.as_view(), name="snapshots"),
    path(f"{BELOW}/bulk", BulkView.as_view(), name="snapshots-bulk"),
    path(f"{BELOW}/<own_id:snapshot_id>", SnapshotView.as_view(), name="snapshot"),
    path(f"{BELOW}/<own_id:snapshot_id>/forget", ForgetView.as_view(), name="snapshot-forget"),
    path(f"{BELOW}/<own_id:snapshot_id>/history", SnapshotHistoryView.as_view(), name="snapshot-history"),
]
