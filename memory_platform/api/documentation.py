"""``/v1/schema`` and ``/v1/docs``: the contract for programs and for people, both without the network."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.rendering import JsonRenderer
from memory_platform.api.schema import openapi_document
from memory_platform.api.views import OpenView


class SchemaView(OpenView):
    """The OpenAPI 3.1 document."""

    noun = "documentation"

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponse:
        """Answer the document as JSON."""
        return HttpResponse(openapi_document(), content_type="application/json")


class DocsView(SpectacularSwaggerSplitView):
    """The document as a page; its script comes separately, so that no inline script has to be allowed."""

    authentication_classes = ()
    permission_classes = ()
    url_name = "api-schema"

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Write errors as JSON: this view's own renderer is for pages."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.exception:
            response.accepted_renderer = JsonRenderer()
        return response
