"""A message says what the memories made of it carry: metadata to filter by, and when they end. Rows: A1, R2."""

from typing import Any

import pytest

from snapshots.understanding.statements.statements import NOTHING_CARRIED, read_carried
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.understanding.making import settle

ADA = "/v1/subjects/ada"
SAID = "I am allergic to hazelnuts."
CARRIED = {"memory": {"metadata": {"channel": "phone"}, "expires_at": "2099-01-31T00:00:00+00:00"}, "mine": 1}


@pytest.fixture
def acme(world: World) -> Caller:
    return Caller(world.acme)


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"memory": "x"},
        {"memory": {"metadata": [1], "expires_at": 5}},
        {"memory": {"expires_at": "2099-01-31T00:00"}},
    ],
)
def test_anything_else_carries_nothing(metadata: dict[str, Any]) -> None:
    assert read_carried(metadata) == NOTHING_CARRIED


def test_statement_and_note_carry_it_and_recall_filters_by_it(acme: Caller, world: World) -> None:
    message = {"role": "user", "content": SAID, "metadata": CARRIED}
    acme("POST", f"{ADA}/conversations/c1/messages", {"messages": [message]})
    settle(world.acme)
    kept = [body_of(acme("GET", f"{ADA}/snapshots?kind={kind}"))["data"][0] for kind in ("statement", "note")]
    assert [one["metadata"] for one in kept] == [{"channel": "phone"}] * 2
    assert [one["expires_at"][:10] for one in kept] == ["2099-01-31"] * 2
    for channel, found in (("phone", 1), ("mail", 0)):
        asked = {"query": "nuts", "filter": {"metadata.channel": {"eq": channel}}, "lanes": ["notes"]}
        assert len(body_of(acme("POST", f"{ADA}/recall", asked))["notes"]) == found
