"""``/v1/subjects``: the people a product talks with, under the product's own ids."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.requests.fields import JsonObjectField
from memory_platform.api.requests.sensitive import refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output
from memory_platform.api.v1.administration.erasures import ErasedOutput
from memory_platform.api.v1.profiles.profile_serializers import ProfileFields, ProfileOutput, changes_of, removals_of
from memory_platform.api.views.base import SubjectView, TenantView
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.errors import VersionMismatch
from profiles.models import ErasureState, Subject
from profiles.selectors import all_subjects, current_profile, current_profiles, find_subject, subject_by_external_id
from profiles.services.certificates import certificate_of
from profiles.services.locking import lock_subject
from profiles.services.subjects import put_subject
from snapshots.erasure.subjects import erase_subject
from tenants.isolation import tenant_tx

PART = "subject"


class SubjectInput(Input):
    """A subject: the profile merges like PATCH, metadata is replaced, what is not given stays."""

    profile = ProfileFields(required=False)
    metadata = JsonObjectField(required=False)


class SubjectOutput(Output):
    """One subject."""

    subject_id = serializers.CharField()
    created_at = serializers.DateTimeField()
    profile = ProfileOutput()
    metadata = serializers.DictField()


class SubjectPageOutput(Output):
    """A page of subjects, oldest first."""

    data = SubjectOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class ErasingOutput(Output):
    """An erasure that goes on: its job, and where its certificate will be."""

    job_id = serializers.UUIDField()
    erasure_id = serializers.UUIDField()


class SubjectsView(TenantView):
    """The subjects of the tenant."""

    noun = "subjects"
    query_input = PageInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[PageInput], responses=SubjectPageOutput)
    def get(self, request: Request) -> Response:
        """List the subjects, oldest first."""
        page = Page.from_request(request, PageInput.parse(request))
        with tenant_tx(self.tenant_id):
            kept, cursor = page.of(all_subjects())
            profiles = current_profiles(kept)
        return Response({"data": [serialize_subject(one, profiles[one.id]) for one in kept], "next_cursor": cursor})


class OneSubjectView(SubjectView):
    """One subject."""

    noun = "subjects"
    versioned = True
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @extend_schema(responses=SubjectOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Return the subject."""
        with tenant_tx(self.tenant_id):
            return answer(subject_by_external_id(subject_id))

    @extend_schema(request=SubjectInput, responses={200: SubjectOutput, 201: SubjectOutput})
    def put(self, request: Request, subject_id: str) -> Response:
        """Make or change the subject; 201 when this made it."""
        given, condition = SubjectInput.parse(request), IfMatch.from_request(request)
        profile = given.get("profile", {})
        refuse_sensitive(profile, below="profile.")
        with tenant_tx(self.tenant_id):
            check(condition, subject_id)
            done = put_subject(
                subject_id, changes=changes_of(profile), remove=removals_of(profile), metadata=given.get("metadata")
            )
            return answer(done.subject, status=201 if done.created else 200)

    @extend_schema(responses={200: ErasedOutput, 202: ErasingOutput})
    def delete(self, request: Request, subject_id: str) -> Response:
        """Erase all that is held about the subject; nothing of it can be read from the answer on.

        More than 50,000 rows are left to a job (202); the same id may be used anew at once.
        """
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            check(condition, subject_id)
        erasure, job = erase_subject(self.tenant_id, subject_id, by=self.actor)
        if erasure.state != ErasureState.DONE:
            return Response({"job_id": job.id, "erasure_id": erasure.id}, status=202)
        return Response({"certificate": certificate_of(erasure)})


def check(condition: IfMatch, subject_id: str) -> None:
    """Raise VersionMismatch when the caller has seen another version; a subject that is not there has none."""
    if condition.tags is None:
        return
    subject = find_subject(subject_id)
    if subject is None:
        raise VersionMismatch("There is no such subject any more.")
    lock_subject(subject)
    condition.check(subject.id, version_of(subject), PART)


def version_of(subject: Subject) -> int:
    """Return a number that grows with whatever a subject shows."""
    return subject.version + subject.profile_version


def answer(subject: Subject, *, status: int = 200) -> Response:
    """Return the subject under its ETag."""
    tag = etag_of(subject.id, version_of(subject), PART)
    return Response(serialize_subject(subject, current_profile(subject)), status=status, headers={"ETag": tag})


def serialize_subject(subject: Subject, profile: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "subject_id": subject.external_id,
        "created_at": subject.created_at,
        "profile": profile,
        "metadata": subject.metadata,
    }


urlpatterns = [
    path("subjects", SubjectsView.as_view(), name="subjects"),
    path("subjects/<product_id:subject_id>", OneSubjectView.as_view(), name="subject"),
]
