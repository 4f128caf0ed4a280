"""``/v1/subjects``: the users of a product, under the product's own ids."""

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.requests.fields import JsonObjectField
from memory_platform.api.requests.sensitive_values import Sensitive, refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output, page_of
from memory_platform.api.v1.administration.erasures import ErasedOutput
from memory_platform.api.v1.profiles.profile_serializers import (
    ProfileFields,
    ProfileOutput,
    list_fact_changes,
    list_removals,
)
from memory_platform.api.views.base_views import SubjectView, TenantView
from memory_platform.api.views.etags import IfMatch, build_etag
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.errors import VersionMismatch
from profiles.models import ErasureState, Subject
from profiles.selectors import (
    all_subjects,
    build_subject_key,
    current_profile,
    current_profiles,
    find_subject,
    subject_by_external_id,
)
from profiles.services.erasure_certificates import build_certificate
from profiles.services.subject_lock import lock_subject
from profiles.services.subjects import put_subject
from snapshots.erasure.subjects import erase_subject
from tenants.isolation import tenant_tx

PART = "subject"


class SubjectInput(Input):
    """Values for a subject. Omitted fields keep their values."""

    profile = ProfileFields(required=False, help_text="Changes of the profile, as in `PATCH .../profile`.")
    metadata = JsonObjectField(required=False, help_text="Data of your own. It replaces the earlier metadata.")


class SubjectOutput(Output):
    """One subject: a user of your product."""

    subject_id = serializers.CharField(source="external_id", help_text="Id of the subject, as your product chose it.")
    created_at = serializers.DateTimeField(help_text="When the platform first saw the subject.")
    profile = ProfileOutput(help_text="Who the subject is.")
    metadata = serializers.DictField(help_text="Data of your own.")


class ErasingOutput(Output):
    """An erasure that a job completes."""

    job_id = serializers.UUIDField(source="id", help_text="Id of the job; `GET /v1/jobs/{job_id}` returns its status.")
    erasure_id = serializers.UUIDField(
        help_text="Id of the erasure; `GET /v1/erasures/{erasure_id}` returns the certificate when it is done."
    )


class SubjectsView(TenantView):
    noun = "subjects"
    required_scope = MEMORY_READ
    serves_bound_keys = True

    @operation("list_subjects", query=PageInput, answer=page_of(SubjectOutput))
    def get(self, request: Request) -> Response:
        """List all subjects, oldest first."""
        page = Page.from_request(request, PageInput.parse(request))
        bound, rows = self.caller.bound_subject, all_subjects()
        with tenant_tx(self.tenant_id):
            kept, cursor = page.load_page(rows.filter(id=build_subject_key(bound)) if bound else rows)
            profiles = current_profiles(kept)
        data = [SubjectOutput.render(one, profile=profiles[one.id]) for one in kept]
        return Response({"data": data, "next_cursor": cursor})


class OneSubjectView(SubjectView):
    noun = "subjects"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_subject", answer=SubjectOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Get a subject with its profile."""
        with tenant_tx(self.tenant_id):
            return answer(subject_by_external_id(subject_id))

    @operation("put_subject", request=SubjectInput, answer=SubjectOutput, status=(200, 201), errors=[Sensitive])
    def put(self, request: Request, subject_id: str) -> Response:
        """Create a subject (201) or change it (200)."""
        given, condition = SubjectInput.parse(request), IfMatch.from_request(request)
        profile = given.get("profile", {})
        refuse_sensitive(profile, below="profile.")
        with tenant_tx(self.tenant_id):
            check_version(condition, subject_id)
            put = put_subject(
                subject_id,
                changes=list_fact_changes(profile),
                remove=list_removals(profile),
                metadata=given.get("metadata"),
            )
            return answer(put.subject, status=201 if put.created else 200)

    @operation("delete_subject", answers={200: ErasedOutput, 202: ErasingOutput}, tag="deletion")
    def delete(self, request: Request, subject_id: str) -> Response:
        """Erase everything about a subject and return a certificate. After the answer nothing of it can be read.

        A subject with more than 50,000 rows is erased by a job (202). The same id can be used again at once.
        """
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            check_version(condition, subject_id)
        erasure, job = erase_subject(self.tenant_id, subject_id, by=self.actor)
        if erasure.state != ErasureState.DONE:
            return Response(ErasingOutput.render(job, erasure_id=erasure.id), status=202)
        return Response({"certificate": build_certificate(erasure)})


def check_version(condition: IfMatch, subject_id: str) -> None:
    """Raise VersionMismatch if the caller has seen another version, or the subject does not exist any more."""
    if condition.tags is None:
        return
    subject = find_subject(subject_id)
    if subject is None:
        raise VersionMismatch("This subject does not exist any more.")
    lock_subject(subject)
    condition.check(subject.id, compute_subject_version(subject), PART)


def compute_subject_version(subject: Subject) -> int:
    """Return a number that grows when anything in the answer about a subject changes."""
    return subject.version + subject.profile_version


def answer(subject: Subject, *, status: int = 200) -> Response:
    tag = build_etag(subject.id, compute_subject_version(subject), PART)
    rendered = SubjectOutput.render(subject, profile=current_profile(subject))
    return Response(rendered, status=status, headers={"ETag": tag})


urlpatterns = [
    path("subjects", SubjectsView.as_view(), name="subjects"),
    path("subjects/<product_id:subject_id>", OneSubjectView.as_view(), name="subject"),
]
