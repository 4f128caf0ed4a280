"""Every route of the API as the resolver holds it, so that a new noun is tested without being listed anywhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
OPEN_ROUTES = frozenset({"v1", "v1/schema", "v1/docs", "health/live", "health/ready"})
NEEDED_QUERY = {
    "v1/subjects/<product_id:subject_id>/tags/lookup": "?q=home",
    "v1/policies/diff": "?from=1&to=1",
    "v1/policies/replay": "?from=1&to=1",
}
"""What a route cannot do without."""
_PART = re.compile(r"<(?P<kind>\w+):(?P<name>\w+)>")


@dataclass(frozen=True, slots=True)
class Route:
    """One pattern and the view behind it."""

    pattern: str
    view: Any

    @property
    def names(self) -> list[str]:
        """The named parts of the path."""
        return [match["name"] for match in _PART.finditer(self.pattern)]

    @property
    def methods(self) -> list[str]:
        """The methods that the view answers."""
        return [method for method in METHODS if hasattr(self.view, method.lower())]

    @property
    def query(self) -> str:
        """The least query string that the route understands."""
        return NEEDED_QUERY.get(self.pattern, "")

    def path(self, subject: str, other: str = "x") -> str:
        """Return an address: ``subject`` for the subject's id, ``other`` for each further part."""
        return "/" + _PART.sub(lambda part: subject if part["name"] == "subject_id" else other, self.pattern)


def routes() -> list[Route]:
    """Return everything below /v1 and /health."""
    return list(_walk(get_resolver("memory_platform.urls").url_patterns, ""))


def tenant_calls() -> list[tuple[str, Route]]:
    """Return every method of every route that needs a key."""
    return [(method, route) for route in routes() if route.pattern not in OPEN_ROUTES for method in route.methods]


def documented_path(pattern: str) -> str:
    """Return how the OpenAPI document writes a pattern."""
    return "/" + _PART.sub(lambda part: f"{{{part['name']}}}", pattern)


def call_id(value: object) -> str:
    """Return the name of a parametrised call."""
    return value.pattern if isinstance(value, Route) else str(value)


def _walk(patterns: list[URLPattern | URLResolver], prefix: str) -> Iterator[Route]:
    for pattern in patterns:
        route = f"{prefix}{pattern.pattern}"
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route)
        elif route == "v1" or route.startswith(("v1/", "health/")):
            yield Route(route, getattr(pattern.callback, "cls", None))
