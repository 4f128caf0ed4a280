"""``/v1/subjects/{subject_id}/profile``: who the subject is, and who they were."""

from collections.abc import Mapping
from typing import ClassVar

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.requests.sensitive import refuse_sensitive
from memory_platform.api.v1.profiles.profile_serializers import (
    CompletenessOutput,
    FactPageOutput,
    PatchedProfileOutput,
    ProfileInput,
    StandingProfileOutput,
    changes_of,
    removals_of,
    serialize_fact,
    serialize_standing_profile,
    serialize_verdicts,
)
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.pagination import Order, Page, PageInput
from profiles.completeness import completeness
from profiles.models import ProfileFact, Subject
from profiles.selectors import profile_facts, profile_history, profile_of, subject_by_external_id
from profiles.services.locking import lock_subject
from profiles.services.profile import patch_profile
from snapshots.notes.slot_ends import end_notes_of_values
from tenants.isolation import tenant_tx

BY_VALIDITY = Order(fields=("valid_at", "id"))
PART = "profile"


class ProfileView(SubjectView):
    """The profile of one subject."""

    noun = "profile"
    versioned = True
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @extend_schema(responses=StandingProfileOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Return the profile, and how each field stands; a field that is not known is null."""
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            facts = list(profile_facts(subject))
            shown = {**profile_of(facts), "standing": serialize_standing_profile(facts)}
            return Response(shown, headers=profile_tag(subject))

    @extend_schema(request=ProfileInput, responses=PatchedProfileOutput)
    def patch(self, request: Request, subject_id: str) -> Response:
        """Change what is given: null keeps, ``remove`` takes away, ``modes`` says how; one verdict for each field."""
        given, condition = ProfileInput.parse(request), IfMatch.from_request(request)
        refuse_sensitive(given)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            lock_subject(subject)
            condition.check(subject.id, subject.profile_version, PART)
            changes, removed = changes_of(given), removals_of(given)
            verdicts = patch_profile(subject, changes, remove=removed)
            names = [*(one.name for one in changes), *removed]
            places = [{"field": name.field, "is_attribute": name.is_attribute} for name in names]
            end_notes_of_values(subject.id, ProfileFact, places)
            facts = list(profile_facts(subject))
            shown = {
                **profile_of(facts),
                "standing": serialize_standing_profile(facts),
                "verdicts": serialize_verdicts(verdicts),
            }
        return Response(shown, headers=profile_tag(subject))


class ProfileHistoryView(SubjectView):
    """What the fields of one profile have been."""

    noun = "profile"
    query_input = PageInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[PageInput], responses=FactPageOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """List every value that fields and attributes have had, in the order in which they began."""
        page = Page.from_request(request, PageInput.parse(request), BY_VALIDITY)
        with tenant_tx(self.tenant_id):
            return Response(page.answer(profile_history(subject_by_external_id(subject_id)), serialize_fact))


class CompletenessView(SubjectView):
    """What is not known of one subject yet."""

    noun = "profile"
    required_scope = MEMORY_READ

    @extend_schema(responses=CompletenessOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Return whether the profile is initialised, what is missing, and the question to ask first."""
        with tenant_tx(self.tenant_id):
            found = completeness(subject_by_external_id(subject_id))
        missing = [{"key": need.key, "priority": need.priority} for need in found.missing]
        return Response({"initialised": found.initialised, "missing": missing, "next_question": found.next_question})


def profile_tag(subject: Subject) -> dict[str, str]:
    """Return the ``ETag`` header of a subject's profile."""
    return {"ETag": etag_of(subject.id, subject.profile_version, PART)}


urlpatterns = [
    path("subjects/<product_id:subject_id>/profile", ProfileView.as_view(), name="profile"),
    path("subjects/<product_id:subject_id>/profile/history", ProfileHistoryView.as_view(), name="profile-history"),
    path(
        "subjects/<product_id:subject_id>/profile/completeness",
        CompletenessView.as_view(),
        name="profile-completeness",
    ),
]
