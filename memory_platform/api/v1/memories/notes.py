"""``/v1/subjects/{subject_id}/notes``: lasting things in the user's own words."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.requests.sensitive_values import Sensitive
from memory_platform.api.requests.serializers import NothingInput, page_of
from memory_platform.api.v1.administration.erasures import ErasedOutput, reply_with_certificate
from memory_platform.api.v1.memories.note_serializers import (
    NoteEditInput,
    NoteInput,
    NoteListInput,
    NoteOutput,
    NoteStateOutput,
    WrittenNoteOutput,
    build_new_note,
    build_note_about,
    refuse_sensitive_about,
    split_edit_columns,
)
from memory_platform.api.v1.memories.snapshots import BY_RECORDING, BY_VERSION
from memory_platform.api.views.base_views import SubjectView, reply_without_content
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import ForgottenMemory
from profiles.services.value_claims import ConfidenceAboveCeiling
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.memories import forget_note
from snapshots.lifecycle.edit_snapshot import Edit
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.notes.edit import NoteEdit, edit_note, retire_note
from snapshots.notes.handwritten_notes import create_note, prepare_note
from snapshots.notes.selectors import attach_details, find_note, get_note_or_ended_note, list_note_states, list_notes
from snapshots.notes.values import AboutUnknown, NoteOffer, NoteState, VitalInstruction
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.drafting.repeated_notes import find_repeated_text
from snapshots.understanding.grading.handwritten_note_grade import grade_posted_note, suggest_vital_class
from snapshots.understanding.statements.topics import find_topics
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/notes"
ONE = f"{BELOW}/<own_id:note_id>"


class NotesView(SubjectView):
    noun = "notes"
    required_scope = READS_AND_WRITES

    @operation("list_notes", query=NoteListInput, answer=page_of(NoteOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the current notes, or those of a past time, in the order in which they were recorded."""
        query = NoteListInput.parse(request)
        page, wanted = Page.from_request(request, query, BY_RECORDING), NoteListInput.filter_of(query)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            rows, cursor = page.load_page(list_notes(subject, wanted))
            notes = attach_details(subject, rows, known_at=wanted.known_at)
        return Response({"data": NoteOutput.render_many(notes), "next_cursor": cursor})

    @operation(
        "create_note",
        request=NoteInput,
        answer=WrittenNoteOutput,
        status=201,
        errors=[Sensitive, ConfidenceAboveCeiling, VitalInstruction, AboutUnknown, ForgottenMemory, QuotaExceeded],
    )
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Store a note. The subject is created if it is unknown.

        A note that says the same in nearly the same words is confirmed instead (verdict `unchanged`), and takes over
        new details (verdict `merged`).
        """
        given = NoteInput.parse(request)
        refuse_sensitive_about(given)
        offer = prepare_note(
            build_new_note(given),
            active_embedders(),
            mask=mask_sensitive,
            suggest=suggest_vital_class,
            read_grade=grade_posted_note,
        )

        def work() -> Reply:
            self.reserve_quota(snapshots=1)
            return write_note(subject_id, offer, self.actor)

        return write_once(request, work)


class NoteView(SubjectView):
    noun = "notes"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_note", answer=NoteOutput)
    def get(self, request: Request, subject_id: str, note_id: UUID) -> Response:
        """Get a note, also one that is no longer true."""
        with tenant_tx(self.tenant_id):
            sourced = get_note_or_ended_note(SnapshotAddress(subject_id, note_id))
        return Response(NoteOutput.render(sourced), headers=build_etag_header(sourced.snapshot))

    @operation(
        "update_note",
        request=NoteEditInput,
        answer=WrittenNoteOutput,
        errors=[Sensitive, ConfidenceAboveCeiling, VitalInstruction, AboutUnknown, ForgottenMemory],
    )
    def patch(self, request: Request, subject_id: str, note_id: UUID) -> Response:
        """Change the given details of a note; earlier versions stay in its history.

        A new text fills profile fields, preferences and tags again, and retracts values from the old text alone. A
        change of `vital` enters the audit trail.
        """
        given = NoteEditInput.parse(request)
        refuse_sensitive_about(given)
        words, details = split_edit_columns(given)
        edit = NoteEdit(
            Edit(words, mask_sensitive, IfMatch.from_request(request).check, topics_of=find_topics),
            self.actor,
            suggest_vital_class,
            details,
            build_note_about(given),
            given.get("vital"),
            given.get("vital_class"),
        )
        written = edit_note(self.tenant_id, SnapshotAddress(subject_id, note_id), edit, active_embedders())
        rendered = WrittenNoteOutput.render(written.sourced, verdict=written.verdict)
        return Response(rendered, headers=build_etag_header(written.sourced.snapshot))

    @operation("retire_note", status=204)
    def delete(self, request: Request, subject_id: str, note_id: UUID) -> HttpResponseBase:
        """Retire a note and the values from it alone: contexts and recalls no longer use them. Its history stays."""
        if_match = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            retire_note(SnapshotAddress(subject_id, note_id), accept=if_match.check)
        return reply_without_content()


class NoteForgetView(SubjectView):
    noun = "notes"
    required_scope = MEMORY_WRITE

    @operation("forget_note", request=NothingInput, answer=ErasedOutput, errors=[NotFound])
    def post(self, request: Request, subject_id: str, note_id: UUID) -> HttpResponse:
        """Erase a note, the messages that said it, and everything else made of these messages.

        The platform refuses to learn the same again. `docs/data/deletion.md` lists the erased and the kept data.
        """
        NothingInput.parse(request)
        address = SnapshotAddress(subject_id, note_id)

        def forget() -> Reply:
            erasure_id = forget_note(self.tenant_id, address, active_embedders(), by=self.actor)
            return reply_with_certificate(self.tenant_id, subject_id, erasure_id)

        return write_in_scopes(request, forget)


class NoteHistoryView(SubjectView):
    noun = "notes"
    required_scope = MEMORY_READ

    @operation("list_note_history", query=PageInput, answer=page_of(NoteStateOutput))
    def get(self, request: Request, subject_id: str, note_id: UUID) -> Response:
        """List the versions of a note, oldest first. Also works for a retired note."""
        page = Page.from_request(request, PageInput.parse(request), BY_VERSION)
        with tenant_tx(self.tenant_id):
            states = list_note_states(find_note(SnapshotAddress(subject_id, note_id)))
        kept, cursor = page.slice_versions(states, lambda state: state.sourced.snapshot.version)
        return Response({"data": [render_state(state) for state in kept], "next_cursor": cursor})


def write_note(subject_id: str, offer: NoteOffer, by: Actor) -> Reply:
    """Store a note in the open transaction. Raises as :func:`create_note` does."""
    subject = ensure_subject(subject_id)
    written = create_note(subject, offer, by=by, find_repeated=find_repeated_text)
    rendered = WrittenNoteOutput.render(written.sourced, verdict=written.verdict)
    return Reply(rendered, status=201, headers=build_etag_header(written.sourced.snapshot), subject_id=subject.id)


def render_state(state: NoteState) -> dict[str, Any]:
    return NoteStateOutput.render(state.sourced, recorded_at=state.recorded_at, retired_at=state.retired_at)


urlpatterns = [
    path(BELOW, NotesView.as_view(), name="notes"),
    path(ONE, NoteView.as_view(), name="note"),
    path(f"{ONE}/forget", NoteForgetView.as_view(), name="note-forget"),
    path(f"{ONE}/history", NoteHistoryView.as_view(), name="note-history"),
]
