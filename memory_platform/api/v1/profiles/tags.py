"""``/v1/subjects/{subject_id}/tags``: labelled places and contacts, looked up by what people say."""

from collections.abc import Mapping
from functools import partial
from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.requests.serializers import NothingInput
from memory_platform.api.v1.profiles.tag_history_serializers import TagDetailPageOutput, TagListInput, serialize_detail
from memory_platform.api.v1.profiles.tag_serializers import (
    NOTES_MOST,
    LookupInput,
    LookupOutput,
    OneTagOutput,
    TagEditInput,
    TagInput,
    TagOutput,
    TagPageOutput,
    WrittenTagOutput,
    draft_of,
    refuse_in,
    serialize_listed_tag,
    serialize_tag,
    serialize_tag_match,
    serialize_tag_outcome,
    serialize_tag_with_notes,
)
from memory_platform.api.views.base import SubjectView, no_content
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import Order, Page, PageInput
from profiles.models import Preference, Subject, Tag
from profiles.selectors import (
    detail_histories,
    detail_history,
    subject_by_external_id,
    tag_by_id,
    tags_as_held,
    tags_at,
    tags_of,
)
from profiles.services.locking import lock_subject
from profiles.services.subjects import ensure_subject
from profiles.services.tags.contact_values import end_values_of_contact
from profiles.services.tags.lookup import lookup_tags
from profiles.services.tags.tags import TagDraft, delete_tag, patch_tag, upsert_tag, use_tag
from snapshots.notes.selectors import NoteFilter, notes_of, with_details
from snapshots.notes.slot_ends import end_notes_behind, end_notes_of_tag, end_notes_of_values
from tenants.isolation import tenant_tx

BELOW = "subjects/<product_id:subject_id>/tags"
BY_VALIDITY = Order(fields=("valid_at", "id"))
ONE = f"{BELOW}/<own_id:tag_id>"


class TagsView(SubjectView):
    """The tags of one subject."""

    noun = "tags"
    query_input = TagListInput
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @extend_schema(parameters=[TagListInput], responses=TagPageOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """List the tags, oldest first, as they are or as they were at a past moment on either clock.

        A deleted tag takes its past with it.
        """
        query = TagListInput.parse(request)
        page, moment = Page.from_request(request, query), {name: query.get(name) for name in ("as_of", "known_at")}
        with tenant_tx(self.tenant_id):
            kept, cursor = page.of(tags_at(subject_by_external_id(subject_id), **moment))
            past = detail_histories(kept, **moment) if query["include_history"] else {}
            shown = [
                serialize_listed_tag(tag, past.get(tag.id, []) if query["include_history"] else None)
                for tag in tags_as_held(kept, **moment)
            ]
        return Response({"data": shown, "next_cursor": cursor})

    @extend_schema(request=TagInput, responses={200: WrittenTagOutput, 201: WrittenTagOutput})
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Make a tag (201), or update the one with this label (200); makes the subject on first sight."""
        given = TagInput.parse(request)
        refuse_in(given)
        return write_once(request, partial(post_tag, subject_id, draft_of(given)))


class LookupView(SubjectView):
    """Which tags a text means."""

    noun = "tags"
    query_input = LookupInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[LookupInput], responses=LookupOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Find tags by label, alias or nearly, in English and Chinese: "导航回家" and "navigate home" find 家."""
        query = LookupInput.parse(request)
        with tenant_tx(self.tenant_id):
            tags = list(tags_of(subject_by_external_id(subject_id)))
        matches = lookup_tags(query["q"], tags, limit=query["limit"])
        return Response({"data": [serialize_tag_match(match) for match in matches]})


class TagView(SubjectView):
    """One tag."""

    noun = "tags"
    versioned = True
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @extend_schema(responses=OneTagOutput)
    def get(self, request: Request, subject_id: str, tag_id: UUID) -> Response:
        """Return the tag, with the newest notes about it."""
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            tag = tag_by_id(subject, tag_id)
            about = notes_of(subject, NoteFilter(about=str(tag.id))).order_by("-said_at", "-id")
            shown = serialize_tag_with_notes(tag, with_details(subject, about[:NOTES_MOST]))
        return Response(shown, headers=header_of(tag))

    @extend_schema(request=TagEditInput, responses=TagOutput)
    def patch(self, request: Request, subject_id: str, tag_id: UUID) -> Response:
        """Change what is given; a label that another tag has is 409. What a detail was stays in its history."""
        given, condition = TagEditInput.parse(request), IfMatch.from_request(request)
        refuse_in(given)
        changes = TagEditInput.changes_of(given)
        with tenant_tx(self.tenant_id):
            subject, tag = lock_tag(subject_id, tag_id, condition)
            patch_tag(subject, tag, changes, valid_at=given.get("valid_at"))
            end_notes_of_tag(tag)
        return Response(serialize_tag(tag), headers=header_of(tag))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, subject_id: str, tag_id: UUID) -> HttpResponseBase:
        """Delete the tag with its past; what is known of the contact under its name ends, and so do the notes that it
        was read from."""
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            subject, tag = lock_tag(subject_id, tag_id, condition)
            told = end_values_of_contact(subject, tag)
            end_notes_of_values(subject.id, Preference, [{"category": one.category, "key": one.key} for one in told])
            end_notes_behind(tag)
            delete_tag(subject, tag)
        return no_content()


class TagHistoryView(SubjectView):
    """What one tag has been."""

    noun = "tags"
    query_input = PageInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[PageInput], responses=TagDetailPageOutput)
    def get(self, request: Request, subject_id: str, tag_id: UUID) -> Response:
        """List every value that the details of the tag have had, in the order in which they began."""
        page = Page.from_request(request, PageInput.parse(request), BY_VALIDITY)
        with tenant_tx(self.tenant_id):
            tag = tag_by_id(subject_by_external_id(subject_id), tag_id)
            return Response(page.answer(detail_history(tag), serialize_detail))


class TagUseView(SubjectView):
    """Uses of one tag."""

    noun = "tags"
    required_scope = MEMORY_WRITE

    @extend_schema(request=NothingInput, responses=TagOutput)
    def post(self, request: Request, subject_id: str, tag_id: UUID) -> HttpResponse:
        """Count one use; of equal matches the tag used more often is found first."""
        NothingInput.parse(request)
        return write_once(request, partial(count_use, subject_id, tag_id))


def post_tag(subject_id: str, draft: TagDraft) -> Reply:
    """Make or update a tag inside the open transaction."""
    subject = ensure_subject(subject_id)
    outcome = upsert_tag(subject, draft)
    status = 201 if outcome.created else 200
    return Reply(serialize_tag_outcome(outcome), status=status, headers=header_of(outcome.tag), subject_id=subject.id)


def count_use(subject_id: str, tag_id: UUID) -> Reply:
    """Count one use of a tag inside the open transaction."""
    subject = subject_by_external_id(subject_id)
    tag = use_tag(subject, tag_id)
    return Reply(serialize_tag(tag), headers=header_of(tag), subject_id=subject.id)


def lock_tag(subject_id: str, tag_id: UUID, condition: IfMatch) -> tuple[Subject, Tag]:
    """Lock the subject and return it with the tag. Raises NotFound, and VersionMismatch for another version."""
    subject = subject_by_external_id(subject_id)
    lock_subject(subject)
    tag = tag_by_id(subject, tag_id)
    condition.check(tag.id, tag.version)
    return subject, tag


def header_of(tag: Tag) -> dict[str, str]:
    """Return the ``ETag`` header of a tag."""
    return {"ETag": etag_of(tag.id, tag.version)}


urlpatterns = [
    path(BELOW, TagsView.as_view(), name="tags"),
    path(f"{BELOW}/lookup", LookupView.as_view(), name="tags-lookup"),
    path(ONE, TagView.as_view(), name="tag"),
    path(f"{ONE}/history", TagHistoryView.as_view(), name="tag-history"),
    path(f"{ONE}/use", TagUseView.as_view(), name="tag-use"),
]
