"""An answer by its question: the turn at which it was made, its reply, and how many memories it used. Rows: D2, T3."""

from typing import Any

import pytest

from memory_platform.console.transcript.answers import load_reply, read_question
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import say


def read_reply(house: House, receipt: Receipt) -> Any:
    with tenant_tx(house.tenant.id):
        return load_reply(Receipt.objects.get(pk=receipt.pk))


@pytest.mark.parametrize("is_turn_first", [True, False])
def test_the_reply_is_what_the_assistant_said_until_the_next_turn(acme: House, is_turn_first: bool) -> None:
    say(acme, "Hello")
    say(acme, "Hello, Ada.", role="assistant")
    if is_turn_first:
        say(acme, "Are peanuts fine?")
    receipt = ask(acme, "Are peanuts fine?")
    if not is_turn_first:
        say(acme, "Are peanuts fine?")
    first, _second = say(acme, "No.", "Really not.", role="assistant")
    say(acme, "And tea?")
    say(acme, "Tea is fine.", role="assistant")
    reply = read_reply(acme, receipt)
    assert reply.text == "No.\nReally not."
    assert str(first.pk) in reply.address


def test_the_first_turn_may_be_posted_after_its_context(acme: House) -> None:
    receipt = ask(acme, "Are peanuts fine?")
    assert receipt.conversation_id is None
    say(acme, "Are peanuts fine?")
    say(acme, "No.", role="assistant")
    assert read_reply(acme, receipt).text == "No."


def test_a_request_without_a_conversation_is_found_by_its_words(acme: House) -> None:
    say(acme, "Are peanuts fine?", conversation="old")
    say(acme, "Are peanuts fine?")
    receipt = ask(acme, "Are peanuts fine?", None)
    say(acme, "No.", role="assistant")
    assert read_reply(acme, receipt).text == "No."
    with tenant_tx(acme.tenant.id):
        Receipt.objects.update(rendered=None)
    assert read_reply(acme, receipt) is None, "its words are gone"


def test_without_a_posted_reply_there_is_none(acme: House) -> None:
    say(acme, "Are peanuts fine?")
    receipt = ask(acme, "Are peanuts fine?")
    assert read_reply(acme, receipt) is None
    say(acme, "And tea?")
    say(acme, "Tea is fine.", role="assistant")
    assert read_reply(acme, receipt) is None, "the words answer another question"
    assert read_reply(acme, ask(acme, "Is soy fine?", None)) is None, "nobody asked that in a conversation"


def test_a_question_is_read_while_it_is_kept(acme: House) -> None:
    receipt = ask(acme, "可以吃花生吗？")
    assert read_question(receipt) == "可以吃花生吗？"
    receipt.rendered = None
    assert read_question(receipt) is None
