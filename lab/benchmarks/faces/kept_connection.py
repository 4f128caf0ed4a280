"""A connection to the measured stack that stays open, with the least client there is around it."""

import http.client
import json
from collections.abc import Mapping
from typing import Any

from lab.benchmarks.load.client import OK, WAIT_S
from lab.benchmarks.load.load_target import MeasuredStack, MeasurementRefused, describe_refusal


class KeptConnection:
    def __init__(self, target: MeasuredStack) -> None:
        self._connection = http.client.HTTPConnection(target.host, target.port, timeout=WAIT_S)
        self._headers = {"Authorization": f"Bearer {target.key}", "Content-Type": "application/json"}

    def send(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Return the body of the answer. Raises MeasurementRefused."""
        content = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self._connection.request(method, path, content, {**self._headers, **(headers or {})})
        answer = self._connection.getresponse()
        told = answer.read()
        if answer.status not in OK:
            raise MeasurementRefused(describe_refusal(method, path, answer.status, told))
        return json.loads(told) if told else None

    def close(self) -> None:
        self._connection.close()
