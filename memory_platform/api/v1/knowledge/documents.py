"""``/v1/documents``: a tenant's documents, which searches find beside its memory."""

from functools import partial

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import KNOWLEDGE_WRITE, MEMORY_READ
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.body_parsing import JsonParser
from memory_platform.api.requests.multipart import FORM, FormParser
from memory_platform.api.requests.serializers import NothingInput, page_of
from memory_platform.api.v1.knowledge.document_serializers import (
    ChunkOutput,
    DocumentEditInput,
    DocumentFileInput,
    DocumentInput,
    DocumentListInput,
    DocumentOutput,
    DocumentWithChunksOutput,
    WrittenDocumentOutput,
)
from memory_platform.api.views.base_views import TenantView, reply_without_content
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Order, Page, PageInput
from snapshots.knowledge.documents.document_store import (
    delete_document,
    edit_document,
    put_document,
    reindex_document,
)
from snapshots.knowledge.documents.selectors import find_document, list_chunks, list_documents
from snapshots.knowledge.documents.values import (
    CollectionMissing,
    DocumentUnknown,
    DocumentUpload,
    DocumentVerdict,
    VersionCheck,
)
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

ONE = "documents/<product_id:document_id>"
BY_POSITION = Order(fields=("position", "id"))
READS_AND_WRITES_KNOWLEDGE = {
    "GET": MEMORY_READ,
    "PUT": KNOWLEDGE_WRITE,
    "PATCH": KNOWLEDGE_WRITE,
    "DELETE": KNOWLEDGE_WRITE,
}


class DocumentsView(TenantView):
    noun = "documents"
    required_scope = MEMORY_READ

    @operation("list_documents", query=DocumentListInput, answer=page_of(DocumentOutput))
    def get(self, request: Request) -> Response:
        """List the tenant's documents without their chunks, oldest first."""
        query = DocumentListInput.parse(request)
        page = Page.from_request(request, query)
        collections = [query["collection"]] if "collection" in query else []
        with tenant_tx(self.tenant_id):
            rows = list_documents(status=query.get("status"), collections=collections)
            return Response(page.answer(rows, DocumentOutput.render))


class DocumentView(TenantView):
    noun = "documents"
    versioned = True
    required_scope = READS_AND_WRITES_KNOWLEDGE
    body_limit = API_CONFIG.document_body_bytes
    parser_classes = (JsonParser, FormParser)
    absent = "No document with this id."

    @operation("get_document", query=PageInput, answer=DocumentWithChunksOutput, errors=[DocumentUnknown])
    def get(self, request: Request, document_id: str) -> Response:
        """Get a document with its chunks, a page of them at a time."""
        page = Page.from_request(request, PageInput.parse(request), BY_POSITION)
        with tenant_tx(self.tenant_id):
            document = find_document(document_id)
            chunks, cursor = page.load_page(list_chunks(document))
            answer = DocumentWithChunksOutput.render(
                document, chunks=ChunkOutput.render_many(chunks), next_cursor=cursor
            )
        return Response(answer, headers=build_etag_header(document))

    @operation(
        "put_document",
        request={"application/json": DocumentInput, FORM: DocumentFileInput},
        answer=WrittenDocumentOutput,
        status=202,
        errors=[CollectionMissing, QuotaExceeded],
    )
    def put(self, request: Request, document_id: str) -> HttpResponse:
        """Upload a document, or a new version of it. A job reads it, cuts it into chunks and indexes the new ones.

        What was indexed before answers searches until the job is done. Fields that are left out are emptied. The job
        says what is wrong with a content that cannot be read.
        """
        is_form = str(request.content_type or "").startswith(FORM)
        form = DocumentFileInput if is_form else DocumentInput
        upload, condition = form.build_upload(form.parse(request)), IfMatch.from_request(request)
        return write_once(request, partial(reply_to_upload, document_id, upload, self.actor, condition.check))

    @operation(
        "update_document",
        request=DocumentEditInput,
        answer=DocumentOutput,
        errors=[DocumentUnknown, CollectionMissing],
    )
    def patch(self, request: Request, document_id: str) -> Response:
        """Change title, address, metadata or collection of a document. A new title is indexed again by a job."""
        edit = DocumentEditInput.build_edit(DocumentEditInput.parse(request))
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            document = edit_document(document_id, edit, by=self.actor, accept=condition.check)
            return Response(DocumentOutput.render(document), headers=build_etag_header(document))

    @operation("delete_document", status=204, errors=[DocumentUnknown])
    def delete(self, request: Request, document_id: str) -> HttpResponseBase:
        """Delete a document. No search finds anything of it from now on."""
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            delete_document(document_id, by=self.actor, accept=condition.check)
        return reply_without_content()


class ReindexView(TenantView):
    noun = "documents"
    required_scope = KNOWLEDGE_WRITE
    absent = "No document with this id."

    @operation(
        "reindex_document", request=NothingInput, answer=WrittenDocumentOutput, status=202, errors=[DocumentUnknown]
    )
    def post(self, request: Request, document_id: str) -> HttpResponse:
        """Read, cut and index the newest upload of a document anew, as after a change of the embedding model."""
        NothingInput.parse(request)
        return write_once(request, partial(reply_to_reindexing, document_id, self.actor))


def reply_to_upload(document_id: str, upload: DocumentUpload, by: Actor, accept: VersionCheck) -> Reply:
    written = put_document(document_id, upload, by=by, accept=accept)
    rendered = WrittenDocumentOutput.render(written.document, verdict=written.verdict, job_id=written.job_id)
    return Reply(rendered, status=202, headers=build_etag_header(written.document))


def reply_to_reindexing(document_id: str, by: Actor) -> Reply:
    document, job = reindex_document(document_id, by=by)
    rendered = WrittenDocumentOutput.render(document, verdict=DocumentVerdict.UNCHANGED, job_id=job.id)
    return Reply(rendered, status=202, headers=build_etag_header(document))


urlpatterns = [
    path("documents", DocumentsView.as_view(), name="documents"),
    path(ONE, DocumentView.as_view(), name="document"),
    path(f"{ONE}/reindex", ReindexView.as_view(), name="document-reindex"),
]
