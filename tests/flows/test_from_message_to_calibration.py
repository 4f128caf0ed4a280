"""One preference, from the message that said it to the confidence that it earned. Rows: C3, E4, G1, G2, G3, X1.

Over HTTP, with the platform's own worker; nothing is told but what products post anyway. docs/one-memory.md shows it.
"""

from typing import Any

import httpx
import pytest
from django.core.management import call_command

from snapshots.feedback.tallies.memory_tallies import roll_up_tallies
from snapshots.models import Calibration
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.flows.stage import PLATFORM, Stage, wait_until

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]

SAID = "I love aisle seats."
TURNS = [
    (f"Book me a seat to {place}, please. Which one?", "An aisle seat, as you love aisle seats.", "Perfect, thank you!")
    for place in ("Oslo", "Bergen", "Paris", "Lyon", "Graz", "Vienna", "Prague", "Rome", "Naples", "Turin")
]


class Product:
    """What a product does: it asks for a context, lets its model answer, and posts the turn."""

    def __init__(self, client: httpx.Client, subject: str) -> None:
        self._client, self._subject = client, f"/v1/subjects/{subject}"

    def post(self, *said: tuple[str, str]) -> None:
        """Post messages (role, content), and wait until they are worked on."""
        messages = [{"role": role, "content": content} for role, content in said]
        answer = self._client.post(f"{self._subject}/conversations/trip/messages", json={"messages": messages})
        assert answer.status_code == httpx.codes.ACCEPTED, answer.text
        wait_until(lambda: self.get("/pending")["pending"] == 0)

    def get(self, path: str) -> Any:
        """Return what stands under a path of the subject."""
        return self._client.get(self._subject + path).raise_for_status().json()

    def turn(self, question: str, reply: str, thanks: str) -> dict[str, Any]:
        """Go through one turn; return the receipt of its context, as it stands afterwards."""
        asked = {"query": question, "conversation_id": "trip"}
        context = self._client.post(f"{self._subject}/context", json=asked).raise_for_status().json()
        self.post(("user", question), ("assistant", reply), ("user", thanks))
        return self._client.get(f"/v1/receipts/{context['receipt_id']}").raise_for_status().json()  # type: ignore[no-any-return]

    def preference(self) -> dict[str, Any]:
        """Return the only preference."""
        (found,) = self.get("/preferences")["data"]
        return found  # type: ignore[no-any-return]


def calibrations(house: House) -> list[tuple[float, float, int, int, str]]:
    """Return what calibration did to the house's preferences."""
    with tenant_tx(house.tenant.id):
        rows = Calibration.objects.filter(lane="preferences")
        return list(rows.values_list("before", "after", "injected", "positive", "rule"))


@pytest.mark.slow
def test_a_preference_that_serves_ten_answers_gains_confidence(
    world: World, stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    acme = world.acme
    stage.web()
    stage.worker(app=PLATFORM)
    with stage.client(**acme.headers) as client:
        product = Product(client, acme.subject.external_id)
        product.post(("user", SAID))
        believed = product.preference()
        assert (believed["value"], believed["confidence"]) == (["aisle seats"], 0.9)
        assert believed["provenance"] == "confirmed_by_user"

        for turn in TURNS:
            receipt = product.turn(*turn)
            (injected,) = [one for one in receipt["candidates"] if one["lane"] == "preferences"]
            assert (injected["memory_id"], injected["utilized"]) == (believed["id"], True)
            assert injected["user_feedback_signal"] == "positive"

        roll_up_tallies(acme.tenant.id)
        call_command("care", "calibrate-confidence", "--tenant", "acme", "--preview")
        assert "acme: would do 1 liked, 0 corrected, 0 disliked" in capsys.readouterr().out
        assert product.preference()["confidence"] == 0.9, "a preview changes nothing"
        for _ in range(2):  # the second run finds nothing left to do
            call_command("care", "calibrate-confidence", "--tenant", "acme")
        assert calibrations(acme) == [(0.9, 1.0, len(TURNS), len(TURNS), "liked")]

        after = product.preference()
        assert (after["id"], after["value"]) == (believed["id"], believed["value"])
        assert after["confidence"] == 1.0
        asked = {"query": "Which seat?", "style": "full"}
        context = client.post(f"/v1/subjects/{acme.subject.external_id}/context", json=asked).json()
        assert 'confidence="1"' in "".join(one["content"] for one in context["messages"])
    assert calibrations(world.globex) == []
