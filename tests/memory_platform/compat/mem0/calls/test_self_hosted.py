"""The paths of mem0's self-hosted server, as programs call them: no slash, ``X-API-Key``. Rows: D3."""

from typing import Any

import pytest

from tests.memory_platform.compat.mem0.conftest import Mem0Site


@pytest.fixture
def key(site: Mem0Site) -> dict[str, str]:
    return {"X-API-Key": site.world.acme.token}


def test_a_life_of_memories(site: Mem0Site, key: dict[str, str]) -> None:
    def call(method: str, path: str, **more: Any) -> Any:
        answer = site.call(method, path, headers=key, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    body = {
        "messages": [{"role": "user", "content": "I am allergic to peanuts."}],
        "user_id": "ann",
        "metadata": {"n": 1},
    }
    told = site.settle(call("POST", "/memories", json=body), site.world.acme)
    memory_id = told["results"][0]["id"]
    assert [one["memory"] for one in call("GET", "/memories?user_id=ann")["results"]] == ["I am allergic to peanuts"]
    assert call("GET", f"/memories/{memory_id}")["memory"] == "I am allergic to peanuts"
    asked = {"query": "peanuts", "user_id": "ann", "filters": {"n": 1}, "threshold": 0}
    assert [one["id"] for one in call("POST", "/search", json=asked)["results"]] == [memory_id]
    assert call("POST", "/search", json=asked | {"filters": {"n": 2}})["results"] == []
    assert call("PUT", f"/memories/{memory_id}", json={"text": "I am allergic to walnuts"})["message"]
    assert [one["event"] for one in call("GET", f"/memories/{memory_id}/history")] == ["ADD", "UPDATE"]
    assert call("DELETE", f"/memories/{memory_id}")["erasure_id"]
    assert call("DELETE", "/memories?user_id=ann")["message"]
    assert call("GET", "/memories?user_id=ann")["results"] == []


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/memories"), ("DELETE", "/memories"), ("POST", "/reset"), ("POST", "/configure")]
)
def test_nothing_is_done_without_a_name(site: Mem0Site, key: dict[str, str], method: str, path: str) -> None:
    answer = site.call(method, path, headers=key, json={} if method == "POST" else None)
    assert answer.status_code == 400
    assert answer.json()["detail"] == answer.json()["error"]
