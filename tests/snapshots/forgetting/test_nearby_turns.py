"""The turns around an order: earlier ones within reach, and the answers that repeat them. Rows: A4."""

import pytest

from snapshots.forgetting.config import FORGETTING
from snapshots.forgetting.nearby_turns import (
    blank_orders,
    list_messages_with_answers,
    load_answers_after,
    load_newest_turns,
    load_remembered_turns,
    load_turns_before,
    repeats_hidden,
    tells_anything_new,
)
from snapshots.models import Message
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.forgetting.talk import CAT, ORDER, SECRET, answer, hide_messages, start_talk, tell


def test_an_order_reaches_a_few_turns_back_newest_first(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, told = start_talk(world.acme.subject, *(f"I have {number} cousins." for number in range(6)))
        noted = answer(talk, "Noted.")
        found = load_turns_before(tell(talk, ORDER))
    assert [turn.id for turn in found] == [noted.id, *(one.id for one in reversed(told[-FORGETTING.turns :]))]


def test_remembered_turns_come_from_this_conversation_first(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [cat] = start_talk(world.acme.subject, CAT)
        _, [elsewhere] = start_talk(world.acme.subject, SECRET, name="other")
        off_record = tell(talk, "My PIN is 4471.")
        Message.objects.filter(id=off_record.id).update(remember=False)
        order = tell(talk, ORDER)
        Message.objects.filter(id=order.id).update(accepted_at=elsewhere.accepted_at)
        order.refresh_from_db()
        assert [turn.id for turn in load_remembered_turns(order)] == [cat.id, elsewhere.id]
        newest = {turn.id for turn in load_newest_turns(subject_id=world.acme.subject.id)}
    assert newest == {cat.id, elsewhere.id, order.id}


def test_answers_end_at_the_users_next_turn(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [told] = start_talk(world.acme.subject, SECRET)
        first = answer(talk, "Brightwater, noted.")
        tell(talk, CAT)
        answer(talk, "A nice name.")
        assert [one.id for one in load_answers_after(told)] == [first.id]
        assert load_answers_after(first) == []


def test_an_answer_goes_with_a_message_whose_words_it_uses(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [told] = start_talk(world.acme.subject, SECRET)
        echo, other = answer(talk, "Brightwater, noted."), answer(talk, "Anything else?")
        found = list_messages_with_answers([told])
    assert found == [told.id, echo.id]
    assert other.id not in found


@pytest.mark.parametrize(("text", "tells"), [(SECRET, True), (ORDER, False), ("Thanks!", False)])
def test_an_order_alone_tells_nothing_new(world: World, text: str, *, tells: bool) -> None:
    with tenant_tx(world.acme.tenant.id):
        _, [message] = start_talk(world.acme.subject, text)
        assert tells_anything_new(message) is tells


def test_orders_are_blanked_at_their_place() -> None:
    text = "I see a therapist. Forget that. Thanks"
    rest = blank_orders(text)
    assert "Forget" not in rest
    assert (rest.index("therapist"), rest.index("Thanks")) == (text.index("therapist"), text.index("Thanks"))


def test_an_answer_that_repeats_what_was_just_hidden_is_found(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        talk, [told] = start_talk(world.acme.subject, SECRET)
        order = tell(talk, ORDER)
        repeating, harmless = answer(talk, "I forgot Brightwater Clinic."), answer(talk, "Done.")
        assert not repeats_hidden(repeating), "nothing is hidden yet"
        hide_messages(world.acme.subject, order, [told])
        assert repeats_hidden(repeating)
        assert not repeats_hidden(harmless)
