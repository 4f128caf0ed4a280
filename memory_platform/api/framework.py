"""What the API asks of Django REST framework and of drf-spectacular; ``settings.py`` takes both as they stand.

Names only: nothing of either library is imported here, so settings can read this file before Django is ready.
"""

from typing import Any

from memory_platform.api.reference.introduction import DESCRIPTION, TAGS

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memory_platform.api.access.authentication.ApiKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["memory_platform.api.access.permissions.ScopePermission"],
    "DEFAULT_PARSER_CLASSES": ["memory_platform.api.requests.parsing.JsonParser"],
    "DEFAULT_RENDERER_CLASSES": ["memory_platform.api.views.rendering.JsonRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "memory_platform.api.views.rendering.AlwaysJson",
    "DEFAULT_THROTTLE_CLASSES": [],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "memory_platform.api.reference.schema.ApiSchema",
    "EXCEPTION_HANDLER": "memory_platform.api.errors.handler.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

PRODUCT_ID_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 200}
OWN_ID_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1}
VERSION_SCHEMA: dict[str, Any] = {"type": "integer", "minimum": 1}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Memory platform",
    "DESCRIPTION": DESCRIPTION,
    "TAGS": TAGS,
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": r"/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "PATH_CONVERTER_OVERRIDES": {
        "product_id": PRODUCT_ID_SCHEMA,
        "own_id": OWN_ID_SCHEMA,
        "version": VERSION_SCHEMA,
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "POSTPROCESSING_HOOKS": [
        "memory_platform.api.reference.schema.add_problem_answers",
    ],
    "APPEND_COMPONENTS": {
        "securitySchemes": {"ApiKey": {"type": "http", "scheme": "bearer", "description": "An API key of one tenant."}}
    },
    "AUTHENTICATION_WHITELIST": [],
}

MIDDLEWARE: list[str] = [
    "memory_platform.observability.middleware.RequestMiddleware",
    "memory_platform.api.server.middleware.ApiMiddleware",
]
"""First in Django's list: every answer gets its request id, and no HTML error page leaves from under the API."""
