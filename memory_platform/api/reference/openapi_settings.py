"""Settings of drf-spectacular, which writes the OpenAPI document. Django's settings read this: nothing is imported."""

from typing import Any

from memory_platform.api.reference.introduction import DESCRIPTION, TAG_GROUPS, TAGS

PRODUCT_ID_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 200}
OWN_ID_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1}
VERSION_SCHEMA: dict[str, Any] = {"type": "integer", "minimum": 1}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "DEFAULT_GENERATOR_CLASS": "memory_platform.api.reference.schema.ApiGenerator",
    "TITLE": "Memory platform",
    "DESCRIPTION": DESCRIPTION,
    "TAGS": TAGS,
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "CONTACT": {"name": "The maintainers of Memory platform"},
    "LICENSE": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
    "SERVERS": [
        {"url": "/", "description": "The server that serves this document."},
        {"url": "http://localhost:8000", "description": "`make run` on your own machine."},
    ],
    "EXTENSIONS_ROOT": {"x-tagGroups": TAG_GROUPS},
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SCHEMA_PATH_PREFIX": r"/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "PATH_CONVERTER_OVERRIDES": {
        "product_id": PRODUCT_ID_SCHEMA,
        "own_id": OWN_ID_SCHEMA,
        "version": VERSION_SCHEMA,
    },
    "POSTPROCESSING_HOOKS": [
        "memory_platform.api.reference.schema.finish_document",
    ],
    "APPEND_COMPONENTS": {
        "securitySchemes": {"ApiKey": {"type": "http", "scheme": "bearer", "description": "An API key of your tenant."}}
    },
    "AUTHENTICATION_WHITELIST": [],
}
