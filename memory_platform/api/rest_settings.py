"""Settings of Django REST framework, and the API's middleware.

REST framework is not imported here: Django's settings read this module before Django is ready. The views name their own
authentication, parser and renderer (``memory_platform.api.views.base_views.ApiView``).
"""

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

# First in Django's list, so that every answer gets its request id and no HTML error page leaves the API.
MIDDLEWARE: list[str] = [
    "memory_platform.observability.request_logging.RequestMiddleware",
    "memory_platform.api.server.error_pages_and_slashes.ApiMiddleware",
]
