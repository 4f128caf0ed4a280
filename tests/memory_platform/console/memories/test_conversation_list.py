"""A list of conversations reads the messages of its page only, and is in the order of an index. Rows: D2."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.console.memories.conversations_and_snapshots import ConversationScreen
from tests.conftest import House
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.held import say

LIST = "/console/snapshots/conversation/"


def list_ids(page: str) -> list[str]:
    """Return the ids of the conversations on a page, in its order."""
    return re.findall(r'field-external_id">(?:<a [^>]+>)?<bdi>([^<]+)', page)


def test_first_words_and_counts_are_read_for_the_page_only(
    acme: House, staff: Staff, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ConversationScreen, "list_per_page", 2)
    said = {"a": ("Take me home", "now"), "b": ("今天天气怎么样？",), "c": ("Play jazz", "louder", "stop")}
    for talk, words in said.items():
        say(acme, *words, conversation=talk)
    say(acme, "again", conversation="a")
    with CaptureQueriesContext(connection) as asked:
        page = staff.sam.get(LIST).content.decode()
    assert list_ids(page) == ["a", "c"], "the last heard first"
    assert "Take me home" in page and "Play jazz" in page and "今天天气" not in page
    assert re.findall(r'field-number_of_messages">(\d+)', page) == ["3", "3"]
    readers = [one["sql"] for one in asked.captured_queries if 'FROM "message"' in one["sql"]]
    assert len(readers) == 1 and "OFFSET" not in readers[0] and 'ORDER BY "conversation"' not in readers[0]
    assert list_ids(staff.sam.get(LIST, {"p": 2}).content.decode()) == ["b"]


def test_only_the_conversations_of_a_person_are_put_in_another_order(acme: House, staff: Staff) -> None:
    for talk in ("b", "a"):
        say(acme, "hello", conversation=talk)
    assert staff.sam.get(LIST, {"o": "1"}).headers["Location"] == LIST
    own = {"subject": str(acme.subject.pk), "o": "1"}
    assert list_ids(staff.sam.get(LIST, own).content.decode()) == ["a", "b"]
    assert list_ids(staff.gus.get(LIST, own).content.decode()) == []
