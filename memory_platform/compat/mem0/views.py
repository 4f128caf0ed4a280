"""The base of the views for mem0's clients: keys in three headers, lenient queries, errors that the clients read."""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import READS_AND_WRITES
from memory_platform.api.views.base_views import METHODS_WITH_BODY, SubjectView
from memory_platform.compat.mem0.access import Mem0Authentication, check_project
from memory_platform.compat.mem0.errors import answer_error
from memory_platform.kernel.errors import FieldFault, InvalidInput

_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


class Mem0View(SubjectView):
    """A view of one tenant's memory in mem0's words. It is not part of the OpenAPI document."""

    schema = None
    authentication_classes = (Mem0Authentication,)
    noun = "snapshots"
    # Its calls name subjects in bodies, filters and not at all: a key of one subject is for the REST API and MCP.
    serves_bound_keys = False
    required_scope: ClassVar[str | Mapping[str, str]] = READS_AND_WRITES

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        sent: list[Mapping[str, Any]] = [request.query_params]
        for values in [*sent, read_raw_body(request)] if request.method in METHODS_WITH_BODY else sent:
            check_project(self.caller, values.get("org_id"), values.get("project_id"))

    def check_query(self, request: Request) -> None:
        """Accept any parameter: versions of the clients differ, and each view reads those that it knows."""

    def get_exception_handler(self) -> Callable[[Exception, Any], Response]:
        return answer_error


def read_raw_body(request: Request) -> dict[str, Any]:
    """Return the body; its parser has made sure that it is an object."""
    return cast(dict[str, Any], request.data)


def read_body(request: Request) -> dict[str, Any]:
    """Return the body without members that are null."""
    return {name: value for name, value in read_raw_body(request).items() if value is not None}


def read_flag(values: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = values.get(name, default)
    if isinstance(value, str):
        value = {"true": True, "1": True, "false": False, "0": False}.get(value.strip().lower(), value)
    if not isinstance(value, bool):
        raise InvalidInput(faults=[FieldFault(name, "wrong_type", "Must be true or false.")])
    return value


def read_number(values: Mapping[str, Any], name: str, *, default: int, most: int) -> int:
    """Return a whole number from 1 to ``most``; a query string holds it as text."""
    value = values.get(name, default)
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InvalidInput(faults=[FieldFault(name, "out_of_range", f"Must be a whole number from 1 to {most}.")])
    return value


def refuse_unknown_options(values: Mapping[str, Any], known: frozenset[str]) -> None:
    """Raise InvalidInput that names the options that no client of mem0 sends here, as far as they are known."""
    unknown = sorted(str(name) for name in values if name not in known)
    if unknown:
        allowed = ", ".join(sorted(known))
        faults = [FieldFault(name[:80], "unknown_option", f"Unknown option. Known: {allowed}.") for name in unknown[:1]]
        faults += [FieldFault(name[:80], "unknown_option", "Unknown option.") for name in unknown[1:10]]
        raise InvalidInput(faults=faults)
