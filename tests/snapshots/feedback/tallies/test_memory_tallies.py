"""Each injection is counted once, whatever is heard of it and when. Rows: G3, R3, E4, E9."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import connection

from profiles.models import Preference, ProfileFact
from snapshots.feedback.tallies.memory_tallies import roll_up_tallies
from snapshots.feedback.values import ProductVerdict, Signal
from snapshots.jobs import roll_up_tallies_job
from snapshots.models import Receipt, Snapshot, SubjectMemory
from snapshots.scheduled_job_registry import CARE
from tenants.isolation import tenant_tx
from tenants.models import JobRun
from tests.conftest import House, World
from tests.snapshots.feedback.telling import ask, rows, tally, tell
from tests.snapshots.held import know, prefer, remember

PEANUTS = "Ada is allergic to peanuts"


@pytest.fixture
def peanuts(world: World) -> UUID:
    """The one snapshot of Ada's."""
    return remember(world.acme, PEANUTS)[0]


def roll_up(house: House) -> int:
    return roll_up_tallies(house.tenant.id)


def epoch(house: House) -> int:
    with tenant_tx(house.tenant.id):
        return SubjectMemory.objects.get(subject=house.subject).epoch


def verdict(memory_id: UUID, signal: str) -> list[ProductVerdict]:
    return [ProductVerdict(memory_id, Signal(signal))]


def test_an_injection_is_counted_once_and_anew_when_more_is_heard(world: World, peanuts: UUID) -> None:
    receipt = ask(world.acme, "peanuts for lunch?")
    assert (roll_up(world.acme), roll_up(world.acme)) == (1, 0)
    assert tally(world.acme, peanuts) == {"injected": 1}
    tell(world.acme, receipt, reply="No allergic reaction: it is without peanuts.", next="Perfect!")
    assert (roll_up(world.acme), roll_up(world.acme)) == (1, 0)
    assert tally(world.acme, peanuts) == {"injected": 1, "utilised": 1, "judged": 1, "positive": 1}
    tell(world.acme, receipt, verdicts=verdict(peanuts, "corrected"))
    tell(world.acme, receipt, next="Perfect!")  # says nothing new
    roll_up(world.acme)
    assert tally(world.acme, peanuts) == {"injected": 1, "utilised": 1, "judged": 1, "corrected": 1}
    tell(world.acme, receipt, verdicts=verdict(peanuts, "neutral"))
    roll_up(world.acme)
    assert tally(world.acme, peanuts) == {"injected": 1, "utilised": 1}


def test_a_preview_tells_what_is_not_counted_and_the_job_counts_it_by_tenants(world: World, peanuts: UUID) -> None:
    def foreseen(house: House) -> dict[str, int]:
        return dict(CARE["roll-up-tallies"].preview(house.tenant.id).counts)

    receipt = ask(world.acme, "peanuts for lunch?")
    ask(world.acme, "午饭吃花生吗?")
    tell(world.acme, receipt, verdicts=verdict(peanuts, "positive"))
    assert foreseen(world.acme) == {"injections": 2, "of them heard of": 1}
    assert foreseen(world.globex) == {"injections": 0, "of them heard of": 0}
    assert tally(world.acme, peanuts) is None
    roll_up_tallies_job()
    assert foreseen(world.acme) == {"injections": 0, "of them heard of": 0}
    assert tally(world.acme, peanuts) == {"injected": 2, "judged": 1, "positive": 1}
    run = JobRun.objects.get(job="roll-up-tallies")
    assert (run.rows, run.errors, run.ended_at is None) == (2, 0, False)


def test_many_at_once_count_each_injection_once(world: World, peanuts: UUID) -> None:
    receipts = [ask(world.acme, f"peanuts {n}?") for n in range(12)]

    def work(number: int) -> None:
        try:
            tell(world.acme, receipts[number], verdicts=verdict(peanuts, ("positive", "negative")[number % 2]))
            roll_up(world.acme)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as crew:
        list(crew.map(work, range(12)))
    roll_up(world.acme)
    assert tally(world.acme, peanuts) == {"injected": 12, "judged": 12, "positive": 6, "negative": 6}


def test_images_are_renewed_by_what_is_heard_alone(world: World, peanuts: UUID) -> None:
    receipt, before = ask(world.acme, "peanuts?"), epoch(world.acme)
    roll_up(world.acme)
    assert epoch(world.acme) == before
    tell(world.acme, receipt, next="Perfect!")
    roll_up(world.acme)
    assert epoch(world.acme) == before + 1
    roll_up(world.acme)
    assert epoch(world.acme) == before + 1


def test_beliefs_are_counted_by_the_id_that_they_keep(world: World) -> None:
    prefer(world.acme, "food", "likes", ["tea"])
    with tenant_tx(world.acme.tenant.id):
        tea = Preference.objects.get().id
    tell(world.acme, ask(world.acme, "A drink?"), reply="Some tea?", next="Great, thanks")
    roll_up(world.acme)
    assert tally(world.acme, tea, lane="preferences") == {"injected": 1, "utilised": 1, "judged": 1, "positive": 1}


def test_what_stands_in_the_prefix_counts_only_where_it_was_used(world: World) -> None:
    prefer(world.acme, "food", "likes", ["tea"])
    know(world.acme, occupation="nurse")
    with tenant_tx(world.acme.tenant.id):
        tea, nurse = Preference.objects.get().id, ProfileFact.objects.get().id
    receipt = ask(world.acme, "A drink?")
    assert {one.context_position for one in rows(world.acme, receipt)} == {1, 2}
    for words in ({"next": "That's wrong."}, {"reply": "Some tea?"}):
        roll_up(world.acme)
        assert not tally(world.acme, tea, lane="preferences")
        tell(world.acme, receipt, **words)
    roll_up(world.acme)
    assert tally(world.acme, tea, lane="preferences") == {"injected": 1, "utilised": 1, "judged": 1, "corrected": 1}
    assert not tally(world.acme, nurse, lane="profile")
    tell(world.acme, receipt, verdicts=verdict(nurse, "negative"))
    roll_up(world.acme)
    assert tally(world.acme, nurse, lane="profile") == {"injected": 1, "judged": 1, "negative": 1}


def test_what_the_question_brought_counts_whether_it_was_used_or_not(world: World, peanuts: UUID) -> None:
    prefer(world.acme, "food", "likes", ["tea"])
    tell(world.acme, ask(world.acme, "peanuts?"), reply="Some tea?")
    roll_up(world.acme)
    assert tally(world.acme, peanuts) == {"injected": 1}


def test_a_snapshot_that_is_gone_has_no_tally(world: World, peanuts: UUID) -> None:
    ask(world.acme, "peanuts?")
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.all().delete()
    assert roll_up(world.acme) == 1
    assert tally(world.acme, peanuts) is None


def test_tenants_are_counted_apart(world: World, peanuts: UUID) -> None:
    ask(world.acme, "peanuts?")
    assert roll_up(world.globex) == 0
    with tenant_tx(world.globex.tenant.id):
        assert not Receipt.objects.exists()
    assert tally(world.acme, peanuts) is None
