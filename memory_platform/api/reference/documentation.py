"""``/v1/schema`` and ``/v1/docs``: the contract for programs and for people, both without the network."""

from typing import Any

from csp import constants as csp
from csp.decorators import csp_update
from django.http import HttpResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.reference.schema import openapi_document
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base import OpenView
from memory_platform.api.views.rendering import JsonRenderer


class RootOutput(Output):
    """Where the contract stands."""

    docs = serializers.CharField()
    schema = serializers.CharField()


class RootView(OpenView):
    """``/v1``: where somebody who knows no more than the address reads on."""

    noun = "documentation"

    @extend_schema(operation_id="root", responses=RootOutput)
    def get(self, request: Request) -> Response:
        """Answer where the contract stands, for people and for programs."""
        return Response({"docs": reverse("api-docs"), "schema": reverse("api-schema")})


class SchemaView(OpenView):
    """The OpenAPI 3.1 document."""

    noun = "documentation"

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponse:
        """Answer the document as JSON."""
        return HttpResponse(openapi_document(), content_type="application/json")


@method_decorator(csp_update({"style-src": [csp.UNSAFE_INLINE]}), name="dispatch")  # Swagger UI writes its own
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
