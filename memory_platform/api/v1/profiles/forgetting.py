"""Forgetting one preference, profile field or tag for good (row E8): every value that it had, not the current alone."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from memory_platform.api.access.permissions import MEMORY_WRITE
from memory_platform.api.policy import POLICY
from memory_platform.api.requests.fields import TextField
from memory_platform.api.requests.serializers import Input, NothingInput
from memory_platform.api.v1.administration.erasures import ErasedOutput, reply_with_certificate
from memory_platform.api.v1.profiles import preferences, tags
from memory_platform.api.v1.profiles.preference_serializers import check_category
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.idempotency import Reply, write_in_scopes
from profiles.models import Erasure, Subject
from profiles.selectors import subject_by_external_id, tag_by_id
from profiles.services.profile import FactName
from snapshots.erasure.learned.beliefs import forget_fact, forget_preference, forget_tag
from tenants.isolation import tenant_tx


class FieldInput(Input):
    """A field of the profile, or ``attributes.x``."""

    field = TextField(max_bytes=POLICY.id_bytes + 16)


class BeliefView(SubjectView):
    """Forgetting one belief."""

    required_scope = MEMORY_WRITE

    def answer_forget(self, request: Request, subject_id: str, forget: Callable[[Subject], Erasure]) -> HttpResponse:
        """Forget in a transaction of its own, and return the certificate that is signed after it."""

        def work() -> Reply:
            with tenant_tx(self.tenant_id):
                erasure = forget(subject_by_external_id(subject_id))
            return reply_with_certificate(self.tenant_id, subject_id, erasure.id)

        return write_in_scopes(request, work)


class PreferenceForgetView(BeliefView):
    """Forgetting one preference."""

    noun = "preferences"

    @extend_schema(request=NothingInput, responses=ErasedOutput)
    def post(self, request: Request, subject_id: str, category: str, key: str) -> HttpResponse:
        """Erase a preference with its history, also one that was retracted. What was said stays: messages, and memories
        of them; the utterances that the preference quotes are not learned from again."""
        NothingInput.parse(request)
        check_category(category)
        return self.answer_forget(
            request, subject_id, lambda subject: forget_preference(subject, category, key, by=self.actor)
        )


class FactForgetView(BeliefView):
    """Forgetting one field of the profile."""

    noun = "profile"

    @extend_schema(request=FieldInput, responses=ErasedOutput)
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Erase a field or attribute with its history, also one that was removed. What was said stays."""
        name = FactName.read(FieldInput.parse(request)["field"])
        return self.answer_forget(
            request,
            subject_id,
            lambda subject: forget_fact(subject, name.field, is_attribute=name.is_attribute, by=self.actor),
        )


class TagForgetView(BeliefView):
    """Forgetting one tag."""

    noun = "tags"

    @extend_schema(request=NothingInput, responses=ErasedOutput)
    def post(self, request: Request, subject_id: str, tag_id: UUID) -> HttpResponse:
        """Erase a tag and what candidates and prompts say of it. What was said stays."""
        NothingInput.parse(request)
        return self.answer_forget(
            request, subject_id, lambda subject: forget_tag(subject, tag_by_id(subject, tag_id), by=self.actor)
        )


urlpatterns = [
    path(f"{preferences.ONE}/forget", PreferenceForgetView.as_view(), name="preference-forget"),
    path("subjects/<product_id:subject_id>/profile/forget", FactForgetView.as_view(), name="profile-forget"),
    path(f"{tags.ONE}/forget", TagForgetView.as_view(), name="tag-forget"),
]
