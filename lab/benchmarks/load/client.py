"""One client of the load generator, a program of its own: HTTP over one kept connection, or ``SELECT 1``.

``http.client``, because it costs the machine that it shares with the server the least: see docs/benchmarks.md.
"""

import http.client
import json
from time import perf_counter
from typing import Any

from lab.benchmarks.load.protocol import AskFailed, JsonObject, Stages, repeat_requests, serve_orders

OK = range(200, 300)
TIMINGS = b'"timings_ms":'
WAIT_S = 60


class HttpClient:
    """Asks over one kept connection; one that the server closed is opened again, at the cost of that answer."""

    def __init__(self, host: str, port: int, key: str) -> None:
        self._connection = http.client.HTTPConnection(host, port, timeout=WAIT_S)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def send_request(self, method: str, path: str, body: bytes | None) -> tuple[float, Stages]:
        """Return seconds from the first byte sent to the last one read, and the stages the answer tells."""
        began = perf_counter()
        try:
            self._connection.request(method, path, body=body, headers=self._headers)
            answer = self._connection.getresponse()
            said = answer.read()
        except (OSError, http.client.HTTPException) as gone:
            self._connection.close()
            raise AskFailed from gone
        spent = perf_counter() - began
        if answer.status not in OK:
            raise AskFailed
        return spent, parse_stages(said)


def parse_stages(body: bytes) -> Stages:
    """Return the milliseconds by stage that an answer's body holds, without reading the rest of it."""
    _, found, after = body.rpartition(TIMINGS)
    if not found:
        return {}
    stages: Stages = json.loads(after[: after.index(b"}") + 1])
    return stages


class Client:
    """Obeys orders; connections are kept from one to the next."""

    def __init__(self) -> None:
        self._http: dict[tuple[str, int, str], HttpClient] = {}
        self._sql: dict[str, Any] = {}

    def execute_order(self, order: JsonObject) -> JsonObject:
        if order["kind"] == "select":
            return self._measure_select(order)
        where = (order["host"], order["port"], order["key"])
        client = self._http.setdefault(where, HttpClient(*where))
        asks = [(method, path, json.dumps(body).encode() if body else None) for method, path, body in order["asks"]]
        return repeat_requests(lambda number: client.send_request(*asks[number]), len(asks), order["seconds"])

    def _measure_select(self, order: JsonObject) -> JsonObject:
        import psycopg  # noqa: PLC0415 - 80 ms that clients over HTTP need not wait for

        address = order["address"]
        if address not in self._sql:
            self._sql[address] = psycopg.connect(address, autocommit=True)
        cursor = self._sql[address].cursor()

        def ask(_: int) -> tuple[float, Stages]:
            began = perf_counter()
            cursor.execute("SELECT 1", prepare=True).fetchone()
            return perf_counter() - began, {}

        return repeat_requests(ask, 1, order["seconds"])


if __name__ == "__main__":
    serve_orders(Client().execute_order)
