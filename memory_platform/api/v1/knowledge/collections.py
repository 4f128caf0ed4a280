"""``/v1/collections``: collections of documents, and the access labels that searches must name."""

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import KNOWLEDGE_WRITE, MEMORY_READ
from memory_platform.api.requests.serializers import page_of
from memory_platform.api.v1.knowledge.document_serializers import CollectionInput, CollectionOutput
from memory_platform.api.views.base_views import TenantView, reply_without_content
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from snapshots.knowledge.documents.collections import (
    delete_collection,
    find_collection,
    list_collections,
    put_collection,
)
from snapshots.knowledge.documents.values import CollectionNotEmpty, CollectionUnknown
from tenants.isolation import tenant_tx


class CollectionsView(TenantView):
    noun = "collections"
    required_scope = MEMORY_READ

    @operation("list_collections", query=PageInput, answer=page_of(CollectionOutput))
    def get(self, request: Request) -> Response:
        """List the collections of documents, oldest first."""
        page = Page.from_request(request, PageInput.parse(request))
        with tenant_tx(self.tenant_id):
            return Response(page.answer(list_collections(), CollectionOutput.render))


class DocumentCollectionView(TenantView):
    noun = "collections"
    required_scope = {"GET": MEMORY_READ, "PUT": KNOWLEDGE_WRITE, "DELETE": KNOWLEDGE_WRITE}
    absent = "No collection with this id."

    @operation("get_collection", answer=CollectionOutput, errors=[CollectionUnknown])
    def get(self, request: Request, collection_id: str) -> Response:
        """Get a collection."""
        with tenant_tx(self.tenant_id):
            return Response(CollectionOutput.render(find_collection(collection_id)))

    @operation("put_collection", request=CollectionInput, answer=CollectionOutput, status=(200, 201))
    def put(self, request: Request, collection_id: str) -> Response:
        """Create a collection (201), or change its access label (200), which holds at once."""
        label = CollectionInput.parse(request).get("access_label", "")
        with tenant_tx(self.tenant_id):
            row, is_new = put_collection(collection_id, access_label=label, by=self.actor)
        return Response(CollectionOutput.render(row), status=201 if is_new else 200)

    @operation("delete_collection", status=204, errors=[CollectionUnknown, CollectionNotEmpty])
    def delete(self, request: Request, collection_id: str) -> HttpResponseBase:
        """Delete an empty collection. One with documents is 409."""
        with tenant_tx(self.tenant_id):
            delete_collection(collection_id, by=self.actor)
        return reply_without_content()


urlpatterns = [
    path("collections", CollectionsView.as_view(), name="collections"),
    path("collections/<product_id:collection_id>", DocumentCollectionView.as_view(), name="collection"),
]
