"""``/v1/subjects/{subject_id}/tags``: labelled places, contacts and things, found by the user's words."""

from functools import partial
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.requests.sensitive_values import Sensitive
from memory_platform.api.requests.serializers import NothingInput, page_of
from memory_platform.api.v1.memories.common_memory_fields import MomentListInput
from memory_platform.api.v1.profiles.tag_serializers import (
    NOTES_MOST,
    ListedTagOutput,
    LookupInput,
    LookupOutput,
    OneTagOutput,
    TagDetailOutput,
    TagEditInput,
    TagInput,
    TagMatchOutput,
    TagNoteOutput,
    TagOutput,
    WrittenTagOutput,
    build_tag_draft,
    refuse_sensitive_tag,
)
from memory_platform.api.views.base_views import SubjectView, reply_without_content
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.models import Preference, Subject, Tag
from profiles.selectors import (
    detail_histories,
    detail_history,
    subject_by_external_id,
    tag_by_id,
    tags_at,
    tags_known_at,
    tags_of,
)
from profiles.services.subject_lock import lock_subject
from profiles.services.subjects import ensure_subject
from profiles.services.tags.end_contact_preferences import end_values_of_contact
from profiles.services.tags.lookup import lookup_tags
from profiles.services.tags.tags import LabelTaken, TagDraft, delete_tag, patch_tag, record_tag_use, upsert_tag
from snapshots.notes.notes_of_ended_slots import (
    end_notes_of_changed_tag,
    end_notes_of_deleted_tag,
    end_notes_of_ended_values,
)
from snapshots.notes.selectors import NoteFilter, attach_details, list_notes
from tenants.isolation import tenant_tx

BELOW = "subjects/<product_id:subject_id>/tags"
BY_VALIDITY = Order(fields=("valid_at", "id"))
ONE = f"{BELOW}/<own_id:tag_id>"


class TagsView(SubjectView):
    noun = "tags"
    required_scope = READS_AND_WRITES

    @operation("list_tags", query=MomentListInput, answer=page_of(ListedTagOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the tags, oldest first, as they are now or were at a past time. A deleted tag has no history."""
        query = MomentListInput.parse(request)
        page, moment = Page.from_request(request, query), MomentListInput.choose_moments(query)
        with tenant_tx(self.tenant_id):
            rows, cursor = page.load_page(tags_at(subject_by_external_id(subject_id), **moment))
            histories = detail_histories(rows, **moment) if query["include_history"] else None
            data = [
                ListedTagOutput.render(
                    tag, history=None if histories is None else TagDetailOutput.render_many(histories.get(tag.id, ()))
                )
                for tag in tags_known_at(rows, **moment)
            ]
        return Response({"data": data, "next_cursor": cursor})

    @operation("create_tag", request=TagInput, answer=WrittenTagOutput, status=(200, 201), errors=[Sensitive])
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Create a tag (201) or update the tag with this label (200). The subject is created if it is unknown."""
        given = TagInput.parse(request)
        refuse_sensitive_tag(given)
        return write_once(request, partial(post_tag, subject_id, build_tag_draft(given)))


class LookupView(SubjectView):
    noun = "tags"
    required_scope = MEMORY_READ

    @operation("lookup_tags", query=LookupInput, answer=LookupOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Find the tags that a text names by label, alias or spelling: "navigate home" and "导航回家" find 家."""
        query = LookupInput.parse(request)
        with tenant_tx(self.tenant_id):
            tags = list(tags_of(subject_by_external_id(subject_id)))
        matches = lookup_tags(query["q"], tags, limit=query["limit"])
        return Response({"data": TagMatchOutput.render_many(matches)})


class TagView(SubjectView):
    noun = "tags"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_tag", answer=OneTagOutput)
    def get(self, request: Request, subject_id: str, tag_id: UUID) -> Response:
        """Get a tag with the newest notes about it."""
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            tag = tag_by_id(subject, tag_id)
            about = list_notes(subject, NoteFilter(about=str(tag.id))).order_by("-said_at", "-id")
            notes = TagNoteOutput.render_many(attach_details(subject, about[:NOTES_MOST]))
        return Response(OneTagOutput.render(tag, notes=notes), headers=build_etag_header(tag))

    @operation("update_tag", request=TagEditInput, answer=TagOutput, errors=[LabelTaken, Sensitive])
    def patch(self, request: Request, subject_id: str, tag_id: UUID) -> Response:
        """Change the given details of a tag. Old values stay in its history; a label that another tag has is 409."""
        given, condition = TagEditInput.parse(request), IfMatch.from_request(request)
        refuse_sensitive_tag(given)
        changes = TagEditInput.changes_of(given)
        with tenant_tx(self.tenant_id):
            subject, tag = lock_tag(subject_id, tag_id, condition)
            patch_tag(subject, tag, changes, valid_at=given.get("valid_at"))
            end_notes_of_changed_tag(tag)
        return Response(TagOutput.render(tag), headers=build_etag_header(tag))

    @operation("delete_tag", status=204)
    def delete(self, request: Request, subject_id: str, tag_id: UUID) -> HttpResponseBase:
        """Delete a tag with its history. Preferences about the contact end, and so do the notes that the tag was read
        from."""
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            subject, tag = lock_tag(subject_id, tag_id, condition)
            ended = end_values_of_contact(subject, tag)
            end_notes_of_ended_values(
                subject.id, Preference, [{"category": one.category, "key": one.key} for one in ended]
            )
            end_notes_of_deleted_tag(tag)
            delete_tag(subject, tag)
        return reply_without_content()


class TagHistoryView(SubjectView):
    noun = "tags"
    required_scope = MEMORY_READ

    @operation("list_tag_history", query=PageInput, answer=page_of(TagDetailOutput))
    def get(self, request: Request, subject_id: str, tag_id: UUID) -> Response:
        """List all values that the details of a tag have had, in the order in which they became true."""
        page = Page.from_request(request, PageInput.parse(request), BY_VALIDITY)
        with tenant_tx(self.tenant_id):
            tag = tag_by_id(subject_by_external_id(subject_id), tag_id)
            return Response(page.answer(detail_history(tag), TagDetailOutput.render))


class TagUseView(SubjectView):
    noun = "tags"
    required_scope = MEMORY_WRITE

    @operation("use_tag", request=NothingInput, answer=TagOutput, errors=[NotFound])
    def post(self, request: Request, subject_id: str, tag_id: UUID) -> HttpResponse:
        """Count one use of a tag. Of equal matches, the tag used more often is found first."""
        NothingInput.parse(request)
        return write_once(request, partial(reply_to_tag_use, subject_id, tag_id))


def post_tag(subject_id: str, draft: TagDraft) -> Reply:
    subject = ensure_subject(subject_id)
    outcome = upsert_tag(subject, draft)
    rendered = WrittenTagOutput.render(outcome.tag, verdict=outcome.verdict, reason=outcome.reason or None)
    status = 201 if outcome.created else 200
    return Reply(rendered, status=status, headers=build_etag_header(outcome.tag), subject_id=subject.id)


def reply_to_tag_use(subject_id: str, tag_id: UUID) -> Reply:
    subject = subject_by_external_id(subject_id)
    tag = record_tag_use(subject, tag_id)
    return Reply(TagOutput.render(tag), headers=build_etag_header(tag), subject_id=subject.id)


def lock_tag(subject_id: str, tag_id: UUID, condition: IfMatch) -> tuple[Subject, Tag]:
    """Lock the subject and return it with the tag. Raises NotFound, and VersionMismatch for another version."""
    subject = subject_by_external_id(subject_id)
    lock_subject(subject)
    tag = tag_by_id(subject, tag_id)
    condition.check(tag.id, tag.version)
    return subject, tag


urlpatterns = [
    path(BELOW, TagsView.as_view(), name="tags"),
    path(f"{BELOW}/lookup", LookupView.as_view(), name="tags-lookup"),
    path(ONE, TagView.as_view(), name="tag"),
    path(f"{ONE}/history", TagHistoryView.as_view(), name="tag-history"),
    path(f"{ONE}/use", TagUseView.as_view(), name="tag-use"),
]
