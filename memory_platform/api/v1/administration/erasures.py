"""``/v1/erasures``: erasures and their certificates."""

from uuid import UUID

from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.idempotency import Reply
from memory_platform.api.views.operation_description import operation
from profiles.models import Erasure, ErasureScope, ErasureState
from profiles.selectors import subject_by_external_id
from profiles.services.erasure_certificates import build_certificate, erasure_by_id, hash_subject, is_genuine
from tenants.isolation import tenant_tx


class CertificateOutput(Output):
    """Proof of an erasure. Ids are written as keyed hashes; `signature` covers all other members."""

    id = serializers.UUIDField(help_text="Id of the erasure.")
    tenant_id = serializers.UUIDField(help_text="Your tenant.")
    scope = serializers.ChoiceField(choices=ErasureScope.values, help_text="What was erased.")
    subject_hash = serializers.CharField(help_text="Keyed hash of the subject's id.")
    object_hash = serializers.CharField(allow_null=True, help_text="Keyed hash of the id of one erased object.")
    marks = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Keyed hashes, by kind, of the words and messages that are refused from now on. After a restore of "
        "a backup they show what must be erased again.",
    )
    actor = serializers.CharField(help_text="The key or user that asked for it.")
    erased = serializers.DictField(child=serializers.IntegerField(), help_text="Number of erased rows by table.")
    verified = serializers.DictField(help_text="What a search in every table and in Redis still found afterwards.")
    beyond_reach = serializers.ListField(
        child=serializers.CharField(), help_text="Copies that the platform cannot erase, such as backups."
    )
    requested_at = serializers.DateTimeField(help_text="When the erasure was asked for.")
    erased_at = serializers.DateTimeField(allow_null=True, help_text="When it was complete; null while it runs.")
    signature = serializers.CharField(allow_null=True, help_text="Signature of the platform; null while it runs.")


class ErasedOutput(Output):
    """The proof of an erasure."""

    certificate = CertificateOutput(help_text="Keep it: it proves the erasure.")


class ErasureOutput(Output):
    """An erasure and its certificate."""

    id = serializers.UUIDField(help_text="Id of the erasure.")
    status = serializers.ChoiceField(choices=ErasureState.values, source="state", help_text="How far it is.")
    genuine = serializers.BooleanField(help_text="True: the signature is the platform's and fits the content.")
    certificate = CertificateOutput(help_text="The proof of the erasure.")


class ErasureView(TenantView):
    noun = "erasures"
    required_scope = MEMORY_READ
    serves_bound_keys = True
    absent = "No erasure with this id."

    def belongs_to_subject(self, subject_id: str) -> bool:
        with tenant_tx(self.tenant_id):
            return Erasure.objects.filter(id=self.kwargs["erasure_id"], subject_hash=hash_subject(subject_id)).exists()

    @operation("get_erasure", answer=ErasureOutput, tag="deletion")
    def get(self, request: Request, erasure_id: UUID) -> Response:
        """Get an erasure and its certificate."""
        with tenant_tx(self.tenant_id):
            erasure = erasure_by_id(erasure_id)
            certificate = build_certificate(erasure)
        genuine = is_genuine(certificate)
        return Response(ErasureOutput.render(erasure, genuine=genuine, certificate=certificate))


def reply_with_certificate(tenant_id: UUID, subject_id: str, erasure_id: UUID) -> Reply:
    """Return the reply with the certificate of a completed erasure. No transaction may be open."""
    with tenant_tx(tenant_id):
        subject = subject_by_external_id(subject_id)
        certificate = build_certificate(erasure_by_id(erasure_id))
    return Reply({"certificate": certificate}, subject_id=subject.id)


urlpatterns = [path("erasures/<own_id:erasure_id>", ErasureView.as_view(), name="erasure")]
