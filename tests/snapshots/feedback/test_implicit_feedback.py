"""Posted turns close the loop without the endpoint. Rows: G2, G3, C1, C3."""

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Preference
from snapshots.feedback.implicit_feedback import record_next_turns
from snapshots.jobs import HANDLERS
from snapshots.models import Conversation, Receipt, WorkKind
from snapshots.queue.draining.drain import drain_work
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.feedback.telling import ask, known_parts, rows, signals
from tests.snapshots.held import prefer, remember, say
from tests.snapshots.queue.world import make_due

PEANUTS = "Ada is allergic to peanuts"
LUNCH = "What could I have for lunch?"
ANSWER = "The Thai place cooks without peanuts."


@pytest.fixture
def acme(world: World) -> House:
    """acme, which remembers two things of Ada."""
    remember(world.acme, PEANUTS, "Ada lives in Bristol")
    return world.acme


def work(house: House) -> None:
    drain_work(house.tenant.id, {WorkKind.EXTRACT: HANDLERS[WorkKind.EXTRACT]})


@pytest.mark.parametrize("order", ["posted, asked, replied", "asked, posted", "asked, then all posted"])
def test_the_next_turn_answers_the_context_before_it(acme: House, order: str) -> None:
    say(acme, "Hello, it is me again")
    if order == "posted, asked, replied":
        say(acme, LUNCH)
        receipt = ask(acme, LUNCH, conversation="trip")
        say(acme, ANSWER, role="assistant")
    else:
        receipt = ask(acme, LUNCH, conversation="trip")
        say(acme, LUNCH)
        say(acme, ANSWER, role="assistant")
    if order == "asked, posted":
        work(acme)
        assert known_parts(acme, receipt) == (False, False)  # the question is no answer to itself
    next_receipt = ask(acme, "Perfect, thanks!", conversation="trip")
    say(acme, "Perfect, thanks!")
    work(acme)
    assert known_parts(acme, receipt) == (True, True)
    heard = {(row.utilised, row.signal, row.signal_reason) for row in rows(acme, receipt)}
    assert heard == {(True, "positive", "confirm"), (False, "", "")}
    assert known_parts(acme, next_receipt) == (False, False)


def test_without_a_reply_all_that_was_injected_is_concerned(acme: House) -> None:
    say(acme, LUNCH)
    receipt = ask(acme, LUNCH, conversation="trip")
    say(acme, "You mixed that up.")
    work(acme)
    assert (known_parts(acme, receipt), signals(acme, receipt)) == ((False, True), {"corrected"})


def test_a_context_that_began_a_conversation_is_answered_too(acme: House) -> None:
    receipt = ask(acme, LUNCH, conversation="new")
    say(acme, LUNCH, conversation="new")
    say(acme, ANSWER, role="assistant", conversation="new")
    say(acme, "Perfect, thanks!", conversation="new")
    work(acme)
    assert known_parts(acme, receipt) == (True, True)


@pytest.mark.parametrize("asked_first", [False, True])
def test_the_same_question_in_the_same_words_is_asked_again(acme: House, *, asked_first: bool) -> None:
    say(acme, LUNCH)
    receipt = ask(acme, LUNCH, conversation="trip")
    say(acme, "Lunch is a meal at noon.", role="assistant")
    again = ask(acme, LUNCH, conversation="trip") if asked_first else None
    say(acme, LUNCH)
    again = again or ask(acme, LUNCH, conversation="trip")
    work(acme)
    assert (known_parts(acme, receipt), known_parts(acme, again)) == ((True, True), (False, False))


def test_only_the_first_turn_after_a_context_answers_it(acme: House) -> None:
    say(acme, LUNCH)
    receipt = ask(acme, LUNCH, conversation="trip")
    say(acme, ANSWER, role="assistant")
    say(acme, "Perfect, thanks!", "That is wrong, you mixed it up.")
    work(acme)
    assert signals(acme, receipt) == {"positive", ""}


def test_a_failed_run_comes_again_and_changes_nothing_more(acme: House) -> None:
    say(acme, LUNCH)
    receipt = ask(acme, LUNCH, conversation="trip")
    say(acme, "Perfect, thanks!")

    def fail(tenant_id: object, items: object) -> None:
        record_next_turns(tenant_id, items)  # type: ignore[arg-type]  # as the queue gives them
        raise RuntimeError("a worker dies between the two")

    drain_work(acme.tenant.id, {WorkKind.EXTRACT: fail})
    with tenant_tx(acme.tenant.id):
        make_due()
    before = [(row.signal, row.told_at) for row in rows(acme, receipt)]
    work(acme)
    assert [(row.signal, row.told_at) for row in rows(acme, receipt)] == before
    assert signals(acme, receipt) == {"positive"}


def test_nothing_is_heard_where_nothing_is_remembered(acme: House) -> None:
    say(acme, LUNCH)
    receipt = ask(acme, LUNCH, conversation="trip")
    with tenant_tx(acme.tenant.id):
        Conversation.objects.update(remember=False)
    say(acme, "Perfect, thanks!")
    work(acme)
    assert known_parts(acme, receipt) == (False, False)


def test_other_conversations_and_old_contexts_are_left_alone(acme: House) -> None:
    for conversation in ("elsewhere", "trip"):
        say(acme, LUNCH, conversation=conversation)
    other, old = (ask(acme, LUNCH, conversation=name) for name in ("elsewhere", "trip"))
    with tenant_tx(acme.tenant.id):
        Receipt.objects.filter(id=old.id).update(created_at=utc_now().replace(year=2020))
    say(acme, "Perfect, thanks!")
    work(acme)
    assert (known_parts(acme, other), known_parts(acme, old)) == ((False, False), (False, False))


def test_a_correction_in_a_new_conversation_reaches_what_its_prompt_showed(acme: House) -> None:
    prefer(acme, "travel", "favourite_seat", "aisle", provenance="confirmed_by_user")
    say(acme, "Book my flight", conversation="new")
    ask(acme, "Book my flight", conversation="new")
    say(acme, "No, window, not aisle", conversation="new")
    with tenant_tx(acme.tenant.id):
        held = Preference.objects.filter(invalid_at=None, retired_at=None)
        assert list(held.values_list("value", flat=True)) == ["window"]
