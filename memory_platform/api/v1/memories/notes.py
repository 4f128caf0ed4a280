"""``/v1/subjects/{subject_id}/notes``: lasting things in the user's own words, listed, written, edited, forgotten."""

from collections.abc import Mapping
from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.sensitive import Sensitive
from memory_platform.api.requests.serializers import NothingInput
from memory_platform.api.v1.administration.erasures import ErasedOutput, reply_with_certificate
from memory_platform.api.v1.memories.note_serializers import (
    NoteEditInput,
    NoteHistoryOutput,
    NoteInput,
    NoteListInput,
    NoteOutput,
    NotePageOutput,
    WrittenNoteOutput,
    about_of,
    edit_columns,
    new_note,
    refuse_in,
    render_note,
    render_state,
)
from memory_platform.api.v1.memories.snapshots import BY_RECORDING, BY_VERSION
from memory_platform.api.views.base import SubjectView, no_content
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.idempotency import Reply, write_in_scopes, write_once
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from profiles.services.claims import ConfidenceAboveCeiling
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import ForgottenMemory
from snapshots.embedding.spaces import active_embedders
from snapshots.erasure.memories import forget_note
from snapshots.errors import NoteUnknown
from snapshots.lifecycle.edits import Edit
from snapshots.lifecycle.values import SnapshotAddress
from snapshots.notes.edit import NoteEdit, edit_note, retire_note
from snapshots.notes.selectors import history_of_note, note_at, note_ever_at, notes_of, with_details
from snapshots.notes.values import AboutUnknown, NoteOffer, SourcedNote, VitalInstruction
from snapshots.notes.write import create_note, offer_note
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.drafting.repeats import find_repeated
from snapshots.understanding.grading.posted import grade_posted
from snapshots.understanding.grading.vital import suggest_vital_class
from snapshots.understanding.statements.topics import topics_of
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/notes"
ONE = f"{BELOW}/<own_id:note_id>"


class NotesView(SubjectView):
    """The notes of one subject."""

    noun = "notes"
    query_input = NoteListInput
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @operation("list_notes", query=NoteListInput, answer=NotePageOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """List the current notes, or those of a past moment on either clock, in the order of recording."""
        query = NoteListInput.parse(request)
        page, wanted = Page.from_request(request, query, BY_RECORDING), NoteListInput.filter_of(query)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            kept, cursor = page.of(notes_of(subject, wanted))
            found = with_details(subject, kept, known_at=wanted.known_at)
        return Response({"data": [render_note(one) for one in found], "next_cursor": cursor})

    @operation(
        "create_note",
        request=NoteInput,
        answer=WrittenNoteOutput,
        status=201,
        errors=[Sensitive, ConfidenceAboveCeiling, VitalInstruction, AboutUnknown, ForgottenMemory, QuotaExceeded],
    )
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Write a note; makes the subject on first sight. A held note that says the same about the same, if in nearly
        these words, is confirmed (``unchanged``), and takes over what is given and new (``merged``)."""
        given = NoteInput.parse(request)
        refuse_in(given)
        offer = offer_note(
            new_note(given),
            active_embedders(),
            mask=mask_sensitive,
            suggest=suggest_vital_class,
            read_grade=grade_posted,
        )

        def work() -> Reply:
            self.make_room(snapshots=1)
            return write_note(subject_id, offer, self.actor)

        return write_once(request, work)


class NoteView(SubjectView):
    """One note."""

    noun = "notes"
    versioned = True
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @operation("get_note", answer=NoteOutput, errors=[NoteUnknown])
    def get(self, request: Request, subject_id: str, note_id: UUID) -> Response:
        """Return a note that is held, also one that is no longer true (``invalid_at``, ``superseded_by``)."""
        with tenant_tx(self.tenant_id):
            sourced = note_at(SnapshotAddress(subject_id, note_id))
        return Response(render_note(sourced), headers=tag_of(sourced))

    @operation(
        "update_note",
        request=NoteEditInput,
        answer=WrittenNoteOutput,
        errors=[NoteUnknown, Sensitive, ConfidenceAboveCeiling, VitalInstruction, AboutUnknown],
    )
    def patch(self, request: Request, subject_id: str, note_id: UUID) -> Response:
        """Change what is given; what the note was stays in its history. Words that a new ``text`` no longer says come
        back from nowhere, nor does what they filled; a note that was heard fills what its new words say. A change of
        ``vital`` is audited."""
        given = NoteEditInput.parse(request)
        refuse_in(given)
        words, details = edit_columns(given)
        edit = NoteEdit(
            Edit(words, mask_sensitive, IfMatch.from_request(request).check, topics_of=topics_of),
            self.actor,
            suggest_vital_class,
            details,
            about_of(given),
            given.get("vital"),
            given.get("vital_class"),
        )
        written = edit_note(self.tenant_id, SnapshotAddress(subject_id, note_id), edit, active_embedders())
        shown = {**render_note(written.sourced), "verdict": written.verdict}
        return Response(shown, headers=tag_of(written.sourced))

    @operation("retire_note", status=204, errors=[NoteUnknown])
    def delete(self, request: Request, subject_id: str, note_id: UUID) -> HttpResponseBase:
        """Retire a note: no context and no recall brings its words any more, nor what it alone filled (a preference, a
        field of the profile); its history stays."""
        if_match = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            retire_note(SnapshotAddress(subject_id, note_id), accept=if_match.check)
        return no_content()


class NoteForgetView(SubjectView):
    """Forgetting one note for good."""

    noun = "notes"
    required_scope = MEMORY_WRITE

    @operation("forget_note", request=NothingInput, answer=ErasedOutput, errors=[NotFound, NoteUnknown])
    def post(self, request: Request, subject_id: str, note_id: UUID) -> HttpResponse:
        """Erase a note, the messages that said it, and whatever else was made of them: their statements, their other
        notes, what was learned from them alone. The same is refused from then on; ``docs/deletion.md`` says more."""
        NothingInput.parse(request)
        address = SnapshotAddress(subject_id, note_id)

        def forget() -> Reply:
            erasure_id = forget_note(self.tenant_id, address, active_embedders(), by=self.actor)
            return reply_with_certificate(self.tenant_id, subject_id, erasure_id)

        return write_in_scopes(request, forget)


class NoteHistoryView(SubjectView):
    """What one note said over time."""

    noun = "notes"
    query_input = PageInput
    required_scope = MEMORY_READ

    @operation("list_note_history", query=PageInput, answer=NoteHistoryOutput, errors=[NoteUnknown])
    def get(self, request: Request, subject_id: str, note_id: UUID) -> Response:
        """List the states of a note, the first one first; also of a retired one."""
        page = Page.from_request(request, PageInput.parse(request), BY_VERSION)
        with tenant_tx(self.tenant_id):
            states = history_of_note(note_ever_at(SnapshotAddress(subject_id, note_id)))
        kept, cursor = page.of_versions(states, lambda state: state.sourced.snapshot.version)
        return Response({"data": [render_state(state) for state in kept], "next_cursor": cursor})


def write_note(subject_id: str, offer: NoteOffer, by: Actor) -> Reply:
    """Store a posted note for the product's own subject id inside the open transaction. Raises its refusal."""
    subject = ensure_subject(subject_id)
    written = create_note(subject, offer, by=by, find_repeated=find_repeated)
    shown = {**render_note(written.sourced), "verdict": written.verdict}
    return Reply(shown, status=201, headers=tag_of(written.sourced), subject_id=subject.id)


def tag_of(sourced: SourcedNote) -> dict[str, str]:
    """Return the ``ETag`` header of a note."""
    return {"ETag": etag_of(sourced.snapshot.id, sourced.snapshot.version)}


urlpatterns = [
    path(BELOW, NotesView.as_view(), name="notes"),
    path(ONE, NoteView.as_view(), name="note"),
    path(f"{ONE}/forget", NoteForgetView.as_view(), name="note-forget"),
    path(f"{ONE}/history", NoteHistoryView.as_view(), name="note-history"),
]
