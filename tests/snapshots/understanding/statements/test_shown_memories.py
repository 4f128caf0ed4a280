"""What a user says by themselves: neither what a prompt showed nor an order to forget. Rows: S6, A4. Matrix: 17."""

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.models import Message, MessageRole
from snapshots.understanding.statements.shown_memories import NOTHING_SHOWN


def say(text: str, role: MessageRole = MessageRole.USER) -> Message:
    return Message(tenant_id=new_id(), subject_id=new_id(), role=role, content=text, accepted_at=utc_now())


def test_words_beside_an_order_stay_and_the_order_goes() -> None:
    own = NOTHING_SHOWN.find_own_words(say("I have two sons and a dog. Forget what I just said."))
    assert "two sons" in own
    assert "Forget" not in own


def test_a_few_words_beside_an_order_say_nothing() -> None:
    assert NOTHING_SHOWN.find_own_words(say("Oh dear. Forget what I just said.")).strip() == ""


def test_an_assistants_turn_gives_no_orders() -> None:
    text = "I have noted that. Forget what I just said."
    assert NOTHING_SHOWN.find_own_words(say(text, MessageRole.ASSISTANT)) == text
