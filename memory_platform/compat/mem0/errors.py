"""Errors as mem0's clients read them: JSON with ``detail`` and ``error``, whatever else the answer says."""

import math
from typing import Any

from rest_framework.response import Response

from memory_platform.api.errors.handler import exception_handler
from memory_platform.kernel.errors import InvalidInput

RETRY = "Retry-After"


class NotServed(InvalidInput):
    """A call of mem0's clients that the platform does not serve. HTTP 400."""

    code = "not_served"


def answer_error(error: Exception, context: Any = None) -> Response:
    response = exception_handler(error, context)
    response.data = {**response.data, "error": response.data["detail"]}
    response.content_type = "application/json"
    if RETRY in response:
        response[RETRY] = str(math.ceil(float(response[RETRY])))
    return response
