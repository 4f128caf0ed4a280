"""``/v1/subjects/{subject_id}/profile``: who the subject is, and its history."""

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.requests.sensitive_values import Sensitive, refuse_sensitive
from memory_platform.api.requests.serializers import page_of
from memory_platform.api.v1.profiles.profile_serializers import (
    CompletenessOutput,
    FactOutput,
    FactVerdictOutput,
    PatchedProfileOutput,
    ProfileInput,
    StandingProfileOutput,
    list_fact_changes,
    list_removals,
    render_standing_profile,
)
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.etags import IfMatch, build_etag
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Order, Page, PageInput
from profiles.completeness import measure_completeness
from profiles.models import ProfileFact, Subject
from profiles.selectors import build_profile, profile_facts, profile_history, subject_by_external_id
from profiles.services.profile import patch_profile
from profiles.services.subject_lock import lock_subject
from snapshots.notes.notes_of_ended_slots import end_notes_of_ended_values
from tenants.isolation import tenant_tx

BY_VALIDITY = Order(fields=("valid_at", "id"))
PART = "profile"


class ProfileView(SubjectView):
    noun = "profile"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_profile", answer=StandingProfileOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Get the profile of a subject, and how well each field is known. A field is null if it is not known."""
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            facts = list(profile_facts(subject))
            profile = {**build_profile(facts), "standing": render_standing_profile(facts)}
            return Response(profile, headers=build_profile_etag(subject))

    @operation("update_profile", request=ProfileInput, answer=PatchedProfileOutput, errors=[Sensitive])
    def patch(self, request: Request, subject_id: str) -> Response:
        """Change the given fields of a profile. Null keeps a value, `remove` removes it; each field gets a verdict."""
        given, condition = ProfileInput.parse(request), IfMatch.from_request(request)
        refuse_sensitive(given)
        with tenant_tx(self.tenant_id):
            subject = subject_by_external_id(subject_id)
            lock_subject(subject)
            condition.check(subject.id, subject.profile_version, PART)
            changes, removed = list_fact_changes(given), list_removals(given)
            verdicts = patch_profile(subject, changes, remove=removed)
            changed = [*(one.name for one in changes), *removed]
            places = [{"field": name.field, "is_attribute": name.is_attribute} for name in changed]
            end_notes_of_ended_values(subject.id, ProfileFact, places)
            facts = list(profile_facts(subject))
            profile = {
                **build_profile(facts),
                "standing": render_standing_profile(facts),
                "verdicts": FactVerdictOutput.render_many(verdicts),
            }
        return Response(profile, headers=build_profile_etag(subject))


class ProfileHistoryView(SubjectView):
    noun = "profile"
    required_scope = MEMORY_READ

    @operation("list_profile_history", query=PageInput, answer=page_of(FactOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List all values that fields and attributes have had, in the order in which they became true."""
        page = Page.from_request(request, PageInput.parse(request), BY_VALIDITY)
        with tenant_tx(self.tenant_id):
            return Response(page.answer(profile_history(subject_by_external_id(subject_id)), FactOutput.render))


class CompletenessView(SubjectView):
    noun = "profile"
    required_scope = MEMORY_READ

    @operation("get_profile_completeness", answer=CompletenessOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Get a subject's missing information and the question to ask first."""
        with tenant_tx(self.tenant_id):
            return Response(CompletenessOutput.render(measure_completeness(subject_by_external_id(subject_id))))


def build_profile_etag(subject: Subject) -> dict[str, str]:
    return {"ETag": build_etag(subject.id, subject.profile_version, PART)}


urlpatterns = [
    path("subjects/<product_id:subject_id>/profile", ProfileView.as_view(), name="profile"),
    path("subjects/<product_id:subject_id>/profile/history", ProfileHistoryView.as_view(), name="profile-history"),
    path(
        "subjects/<product_id:subject_id>/profile/completeness",
        CompletenessView.as_view(),
        name="profile-completeness",
    ),
]
