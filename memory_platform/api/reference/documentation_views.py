"""``/v1/schema`` and ``/v1/docs``: the OpenAPI document, and a page that shows it without the network."""

from typing import Any

from csp import constants as csp
from csp.decorators import csp_update
from django.http import HttpResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.decorators import method_decorator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.errors.handler import exception_handler
from memory_platform.api.reference.openapi_settings import SPECTACULAR_SETTINGS
from memory_platform.api.reference.schema import openapi_document
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.base_views import OpenView
from memory_platform.api.views.json_rendering import AlwaysJson, JsonRenderer
from memory_platform.api.views.operation_description import operation


class RootOutput(Output):
    """Paths of the documentation."""

    docs = serializers.CharField(help_text="Path of the page for people.")
    schema = serializers.CharField(help_text="Path of the OpenAPI document.")


class RootView(OpenView):
    """``/v1``: points to the documentation."""

    noun = "documentation"

    @operation("get_root", answer=RootOutput)
    def get(self, request: Request) -> Response:
        """Get the paths of the documentation."""
        return Response({"docs": reverse("api-docs"), "schema": reverse("api-schema")})


class SchemaView(OpenView):
    """The OpenAPI 3.1 document."""

    noun = "documentation"

    @operation("get_schema", answers={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> HttpResponse:
        """Get the OpenAPI document."""
        return HttpResponse(openapi_document(), content_type="application/json")


@method_decorator(csp_update({"style-src": [csp.UNSAFE_INLINE]}), name="dispatch")  # Swagger UI writes its own
class DocsView(SpectacularSwaggerSplitView):
    """The document as a page; its script comes separately, so that no inline script has to be allowed."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    content_negotiation_class = AlwaysJson
    schema = None  # not in the document
    title = SPECTACULAR_SETTINGS["TITLE"]
    url_name = "api-schema"

    @staticmethod
    def _swagger_ui_resource(filename: str) -> str:
        """Return the address of a file that comes with the service, whatever the project's own settings say."""
        return static(f"drf_spectacular_sidecar/swagger-ui-dist/{filename}")

    @staticmethod
    def _swagger_ui_favicon() -> str:
        return static("drf_spectacular_sidecar/swagger-ui-dist/favicon-32x32.png")

    def get_exception_handler(self) -> Any:
        return exception_handler

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Write errors as JSON: this view's own renderer is for pages."""
        response = super().finalize_response(request, response, *args, **kwargs)
        if response.exception:
            response.accepted_renderer = JsonRenderer()
        return response
