"""``POST .../forget`` of a preference, profile field or tag: erases every value that it ever had."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request

from memory_platform.api.access import MEMORY_WRITE
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import TextField
from memory_platform.api.requests.serializers import Input, NothingInput
from memory_platform.api.v1.administration.erasures import ErasedOutput, reply_with_certificate
from memory_platform.api.v1.profiles import preferences, tags
from memory_platform.api.v1.profiles.preference_serializers import check_category
from memory_platform.api.v1.profiles.profile_serializers import FIELD_HELP
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_in_scopes
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.errors import NotFound
from profiles.models import Erasure, Subject, Tag
from profiles.selectors import subject_by_external_id, tag_by_id
from profiles.services.profile import FactName
from snapshots.erasure.learned.forget_whole_belief import forget_fact, forget_preference, forget_tag
from snapshots.erasure.learned.tag_losses import find_tag_in_acts
from tenants.isolation import tenant_tx


class FieldInput(Input):
    """Which profile field to forget."""

    field = TextField(max_bytes=API_CONFIG.id_bytes + 16, help_text=FIELD_HELP)


class BeliefForgetView(SubjectView):
    required_scope = MEMORY_WRITE

    def reply_to_forget(self, request: Request, subject_id: str, forget: Callable[[Subject], Erasure]) -> HttpResponse:
        """Run ``forget`` in its own transaction and return the certificate, which is signed after it."""

        def work() -> Reply:
            with tenant_tx(self.tenant_id):
                erasure = forget(subject_by_external_id(subject_id))
            return reply_with_certificate(self.tenant_id, subject_id, erasure.id)

        return write_in_scopes(request, work)


class PreferenceForgetView(BeliefForgetView):
    noun = "preferences"

    @operation("forget_preference", request=NothingInput, answer=ErasedOutput, errors=[NotFound])
    def post(self, request: Request, subject_id: str, category: str, key: str) -> HttpResponse:
        """Erase a preference with its history; also works for a retracted one.

        Messages and the memories made of them stay. The sentences that the preference was read from are not learned
        from again.
        """
        NothingInput.parse(request)
        check_category(category)
        return self.reply_to_forget(
            request, subject_id, lambda subject: forget_preference(subject, category, key, by=self.actor)
        )


class FactForgetView(BeliefForgetView):
    noun = "profile"

    @operation("forget_profile_field", request=FieldInput, answer=ErasedOutput, errors=[NotFound])
    def post(self, request: Request, subject_id: str) -> HttpResponse:
        """Erase a profile field or attribute with its history; also works for a removed one. Messages stay."""
        name = FactName.read(FieldInput.parse(request)["field"])
        return self.reply_to_forget(
            request,
            subject_id,
            lambda subject: forget_fact(subject, name.field, is_attribute=name.is_attribute, by=self.actor),
        )


class TagForgetView(BeliefForgetView):
    noun = "tags"

    @operation("forget_tag", request=NothingInput, answer=ErasedOutput, errors=[NotFound])
    def post(self, request: Request, subject_id: str, tag_id: UUID) -> HttpResponse:
        """Erase a tag, and its words in proposals and stored prompts; also works for one that staff retired. Messages
        stay.
        """
        NothingInput.parse(request)
        return self.reply_to_forget(
            request,
            subject_id,
            lambda subject: forget_tag(subject, find_tag_even_gone(subject, tag_id), by=self.actor),
        )


def find_tag_even_gone(subject: Subject, tag_id: UUID) -> Tag:
    """Return a tag that is stored, or what acts of staff still keep of one that is gone. Raises NotFound."""
    try:
        return tag_by_id(subject, tag_id)
    except NotFound:
        gone = find_tag_in_acts(subject, tag_id)
        if gone is None:
            raise
        return gone


urlpatterns = [
    path(f"{preferences.ONE}/forget", PreferenceForgetView.as_view(), name="preference-forget"),
    path("subjects/<product_id:subject_id>/profile/forget", FactForgetView.as_view(), name="profile-forget"),
    path(f"{tags.ONE}/forget", TagForgetView.as_view(), name="tag-forget"),
]
