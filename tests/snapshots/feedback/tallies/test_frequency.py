"""What users made of a memory reaches its rank; silence does not. Rows: R3, G3."""

from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.memory_tallies import roll_up_tallies
from snapshots.recall.pipeline import recall_in_scope
from snapshots.recall.question import prepare_question
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.feedback.telling import ask, tell
from tests.snapshots.held import remember


def frequency(house: House) -> float:
    roll_up_tallies(house.tenant.id)
    question = prepare_question("peanuts")
    with tenant_tx(house.tenant.id):
        found = recall_in_scope(house.subject.id, RecallQuery("peanuts", asked_at=utc_now(), explain=True), question)
    explain = found.memories[0].explain
    assert explain is not None
    assert explain.factors is not None
    return explain.factors.frequency


def test_only_judged_injections_move_the_factor(world: World) -> None:
    remember(world.acme, "Ada is allergic to peanuts")
    receipts = [ask(world.acme, "peanuts?") for _ in range(6)]
    assert frequency(world.acme) == 1.0  # injected six times, and nothing was heard
    for receipt in receipts:
        tell(world.acme, receipt, reply="No allergic reaction, no peanuts.", next="Perfect!")
    assert frequency(world.acme) == 1.1


def test_a_memory_that_is_corrected_again_and_again_falls(world: World) -> None:
    remember(world.acme, "Ada is allergic to peanuts")
    for _ in range(5):
        tell(world.acme, ask(world.acme, "peanuts?"), next="That's wrong.")
    assert frequency(world.acme) == 0.7
