"""Addresses that exist in tests only: each shows one habit of the API's base classes on real rows."""

from typing import Any

from django.db import IntegrityError, OperationalError, connection
from django.http import Http404, HttpResponse
from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN, READS_AND_WRITES
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    JsonObjectField,
    ListOfField,
    NumberField,
    OneOfField,
    OwnIdField,
    ProductIdField,
    TextField,
    WholeField,
)
from memory_platform.api.requests.serializers import Input, StrictSerializer
from memory_platform.api.views.base_views import SubjectView, TenantView
from memory_platform.api.views.etags import IfMatch, build_etag
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.errors import MemoryPlatformError, NotFound, Refused
from profiles.models import Subject
from tenants.isolation import tenant_tx


class ItemInput(StrictSerializer):
    """One item of a list."""

    role = OneOfField(choices=["user", "assistant"])
    content = TextField(max_bytes=64 * 1024, required=False)


class EchoInput(Input):
    """One field of every kind."""

    text = TextField(max_bytes=64 * 1024)
    note = TextField(max_bytes=64 * 1024, required=False)
    product_id = ProductIdField(required=False)
    own_id = OwnIdField(required=False)
    count = WholeField(least=1, most=100, default=8)
    big = WholeField(required=False)
    share = NumberField(least=0.0, most=1.0, required=False)
    flag = FlagField(default=False)
    said_at = InstantField(required=False)
    from_ = InstantField(required=False)
    labels = ListOfField(child=TextField(max_bytes=200), most=3, required=False)
    items = ListOfField(child=ItemInput(), most=200, required=False)
    metadata = JsonObjectField(max_bytes=16 * 1024, required=False)


class EchoView(SubjectView):
    """Answers what it understood."""

    required_scope = READS_AND_WRITES

    def post(self, request: Request, subject_id: str) -> Response:
        return Response(EchoInput.parse(request))


class BulkEchoView(EchoView):
    """The same, with a larger body."""

    body_limit = 4 * 1024 * 1024


class AdminView(TenantView):
    """Needs a scope that few keys have."""

    required_scope = ADMIN

    def get(self, request: Request) -> Response:
        return Response({})


class SubjectInput(Input):
    """The id of a subject to make."""

    subject_id = ProductIdField()
    metadata = JsonObjectField(default=dict)


class SubjectsView(TenantView):
    """Makes subjects under an Idempotency-Key and lists them."""

    required_scope = READS_AND_WRITES

    @operation("list_probes", query=PageInput)
    def get(self, request: Request) -> Response:
        page = Page.from_request(request, PageInput.parse(request))
        with tenant_tx(self.tenant_id):
            return Response(page.answer(Subject.objects.all(), lambda subject: subject.external_id))

    def post(self, request: Request) -> HttpResponse:
        given = SubjectInput.parse(request)

        def work() -> Reply:
            subject = Subject.objects.create(external_id=given["subject_id"], metadata=given["metadata"])
            if given["metadata"].get("refuse"):
                raise Refused("not this one")
            shown = {"subject_id": subject.external_id, "id": subject.id, "created_at": subject.created_at}
            return Reply(shown, status=201, headers={"ETag": build_etag(subject.id, 1)}, subject_id=subject.id)

        return write_once(request, work)


class OneView(SubjectView):
    """One subject with its version."""

    versioned = True
    required_scope = READS_AND_WRITES

    def patch(self, request: Request, subject_id: str) -> Response:
        if_match = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            subject = Subject.objects.select_for_update().filter(external_id=self.subject_key).first()
            if subject is None:
                raise NotFound("No such subject.")
            if_match.check(subject.id, subject.version)
            subject.version += 1
            subject.save(update_fields=["version"])
            return Response({}, headers={"ETag": build_etag(subject.id, subject.version)})


class BrokenView(SubjectView):
    """Fails in the way that its path names."""

    required_scope = READS_AND_WRITES

    def get(self, request: Request, subject_id: str) -> Response:
        with tenant_tx(self.tenant_id):
            Subject.objects.create(external_id="half-written")
            self.fail()
        return Response({})

    def fail(self) -> None:
        """Raise the error of this path."""
        if self.subject_key == "unique":
            Subject.objects.create(external_id="half-written")
        elif self.subject_key in _STATEMENTS:
            with connection.cursor() as cursor:
                cursor.execute(_STATEMENTS[self.subject_key])
        else:
            raise _ERRORS[self.subject_key]


_STATEMENTS = {
    "out-of-range": "SELECT 10::bigint ^ 400::bigint::numeric::int",
    "nul": "SELECT chr(0)",
    "too-large": "SELECT to_tsvector('simple', string_agg(md5(i::text), ' ')) FROM generate_series(1, 60000) i",
    "slow": "SET LOCAL statement_timeout = 10; SELECT pg_sleep(1)",
}
_ERRORS: dict[str, Exception] = {
    "lost": OperationalError("server closed the connection"),
    "bug": ZeroDivisionError("Ada lives in Berlin"),
    "not-found": Http404("Ada"),
    "integrity": IntegrityError("Ada"),
    "own": MemoryPlatformError("Ada"),
}

_v1: list[Any] = [
    path("echo/<product_id:subject_id>", EchoView.as_view()),
    path("bulk-echo/<product_id:subject_id>", BulkEchoView.as_view()),
    path("admin", AdminView.as_view()),
    path("subjects", SubjectsView.as_view()),
    path("other-subjects", SubjectsView.as_view()),
    path("subjects/<product_id:subject_id>", OneView.as_view()),
    path("broken/<product_id:subject_id>", BrokenView.as_view()),
]
urlpatterns = [path("v1/", include(_v1)), path("", include("memory_platform.api.urls"))]
