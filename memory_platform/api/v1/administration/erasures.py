"""``/v1/erasures``: the certificates of what was erased, and whether one that somebody holds is genuine."""

from typing import Any
from uuid import UUID

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.idempotency import Reply
from profiles.models import Erasure, ErasureScope, ErasureState
from profiles.selectors import subject_by_external_id
from profiles.services.certificates import certificate_of, erasure_by_id, is_genuine
from tenants.isolation import tenant_tx


class CertificateOutput(Output):
    """What was erased. Ids stand as keyed hashes; ``signature`` covers everything else, and is null until it is done.

    ``marks`` are keyed hashes, by kind, of the words and messages that forgetting one memory refuses from then on:
    after a restore they tell what to erase again. ``erased`` counts rows by table, ``verified`` what a search in every
    table and in Redis found afterwards, ``beyond_reach`` names what is not the platform's to erase.
    """

    id = serializers.UUIDField()
    tenant_id = serializers.UUIDField()
    scope = serializers.ChoiceField(choices=ErasureScope.choices)
    subject_hash = serializers.CharField()
    object_hash = serializers.CharField(allow_null=True)
    marks = serializers.DictField(child=serializers.ListField(child=serializers.CharField()))
    actor = serializers.CharField()
    erased = serializers.DictField(child=serializers.IntegerField())
    verified = serializers.DictField()
    beyond_reach = serializers.ListField(child=serializers.CharField())
    requested_at = serializers.DateTimeField()
    erased_at = serializers.DateTimeField(allow_null=True)
    signature = serializers.CharField(allow_null=True)


class ErasedOutput(Output):
    """The proof of an erasure."""

    certificate = CertificateOutput()


class ErasureOutput(Output):
    """One erasure. ``genuine``: the signature is the platform's, and what it covers was not changed."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=ErasureState.choices)
    genuine = serializers.BooleanField()
    certificate = CertificateOutput()


class ErasureView(TenantView):
    """One erasure."""

    noun = "erasures"
    required_scope = MEMORY_READ

    @extend_schema(responses=ErasureOutput)
    def get(self, request: Request, erasure_id: UUID) -> Response:
        """Return where an erasure stands, and its certificate."""
        with tenant_tx(self.tenant_id):
            return Response(serialize_erasure(erasure_by_id(erasure_id)))


def serialize_erasure(erasure: Erasure) -> dict[str, Any]:
    certificate = certificate_of(erasure)
    return {
        "id": erasure.id,
        "status": erasure.state,
        "genuine": is_genuine(certificate),
        "certificate": certificate,
    }


def reply_with_certificate(tenant_id: UUID, subject_id: str, erasure_id: UUID) -> Reply:
    """Return the signed proof of an erasure that has ended. No scope may be open."""
    with tenant_tx(tenant_id):
        subject = subject_by_external_id(subject_id)
        certificate = certificate_of(erasure_by_id(erasure_id))
    return Reply({"certificate": certificate}, subject_id=subject.id)


urlpatterns = [path("erasures/<own_id:erasure_id>", ErasureView.as_view(), name="erasure")]
