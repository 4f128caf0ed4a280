"""A conversation's page is its transcript: who said what and when, what was learned, which answers were made.

Rows: D2, T3.
"""

import re
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory_platform.console.transcript.message_links import build_turn_address, make_turn_anchor
from memory_platform.console.transcript.transcript_page import MAX_TURNS, TURNS_BEFORE
from memory_platform.kernel.clock import utc_now
from profiles.models import Preference
from snapshots.lifecycle.retention.message_archive import archive_tenant
from snapshots.models import (
    Conversation,
    ConversationStatus,
    Message,
    MessageArchive,
    PreferenceSource,
    Snapshot,
    Work,
    WorkState,
)
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import House, World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.explanation.test_receipt_explanation import receipt_address
from tests.memory_platform.console.memories.conftest import note_ids  # noqa: F401 - a fixture
from tests.memory_platform.console.memories.notes import NoteIds, note_address
from tests.memory_platform.console.transcript.asking import ask
from tests.snapshots.held import know, prefer, remember, say

HOSTILE = "</div><script>alert(1)</script>\u202eevil"
MOST_QUERIES = 30
MOST_SECONDS = 0.3
LONG = 10_000


def is_quick(open_it: Callable[[], str]) -> bool:
    """Return whether one of a few tries is quick: the machine has other things to do."""
    for _ in range(8):
        begun = time.perf_counter()
        open_it()
        if time.perf_counter() - begun <= MOST_SECONDS:
            return True
    return False


def conversation_address(conversation_id: Any, query: str = "") -> str:
    return f"/console/snapshots/conversation/{conversation_id}/change/{query}"


def open_page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def open_transcript(client: Client, house: House, query: str = "") -> str:
    with tenant_tx(house.tenant.id):
        (conversation_id,) = Conversation.objects.values_list("pk", flat=True)
    return open_page(client, conversation_address(conversation_id, query))


def list_shown_turns(page: str) -> list[str]:
    return re.findall(r'id="turn-([0-9a-f-]{36})"', page)


@pytest.fixture
def long_conversation(acme: House) -> list[Any]:
    """Ten thousand messages; their ids in order."""
    (first,) = say(acme, "It begins")
    with tenant_tx(acme.tenant.id):
        at = utc_now() - timedelta(days=2)
        rows = [
            Message(
                subject=acme.subject,
                conversation_id=first.conversation_id,
                external_id=f"more-{seq}",
                seq=seq,
                role="user" if seq % 2 else "assistant",
                content=f"Words number {seq}.",
                content_hash=b"",
                said_at=at + timedelta(seconds=seq),
                accepted_at=at + timedelta(seconds=seq),
            )
            for seq in range(2, LONG + 1)
        ]
        Message.objects.bulk_create(rows, batch_size=2_000)
        Message.objects.filter(pk=first.pk).update(accepted_at=at, said_at=at)
        Conversation.objects.update(next_seq=LONG + 1)
        return list(Message.objects.order_by("seq").values_list("pk", flat=True))


def test_turns_stand_oldest_first_with_who_and_when(acme: House, staff: Staff) -> None:
    first, second = say(acme, "I prefer quiet roads", "走小路")
    (reply,) = say(acme, "Noted.", role="assistant")
    with tenant_tx(acme.tenant.id):
        Message.objects.filter(pk=first.pk).update(said_at=utc_now() - timedelta(hours=3), name="Ada")
        said_at = Message.objects.get(pk=first.pk).said_at
    page = open_transcript(staff.vic, acme)
    assert list_shown_turns(page) == [str(one.pk) for one in (first, second, reply)]
    assert page.index("I prefer quiet roads") < page.index("走小路") < page.index("Noted.")
    assert 'class="turn by-user"' in page
    assert 'class="turn by-assistant"' in page
    assert "<strong>Assistant</strong>" in page
    assert "<bdi>Ada</bdi>" in page
    assert f'title="{said_at:%Y-%m-%d %H:%M:%S} UTC">3\xa0hours ago</time>' in page
    assert "just now" in page
    assert f"/console/snapshots/message/{first.pk}/change/" in page, "technical details are linked"


def test_hostile_names_and_words_are_shown_and_do_nothing(acme: House, staff: Staff) -> None:
    (said,) = say(acme, HOSTILE, conversation=HOSTILE)
    remember(acme, HOSTILE, messages=[said])
    prefer(acme, HOSTILE, HOSTILE, HOSTILE)
    with tenant_tx(acme.tenant.id):
        Message.objects.update(name=HOSTILE, tool_calls=[{"name": HOSTILE}])
        link_preference(acme, said)
    ask(acme, HOSTILE, HOSTILE)
    page = open_transcript(staff.sam, acme, f"?message={said.pk}&before=<script>alert(1)</script>")
    assert "<script>alert" not in page
    assert "</div><script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5


def link_preference(house: House, message: Message) -> None:
    """Make the only preference come from a message."""
    PreferenceSource.objects.create(subject=house.subject, memory=Preference.objects.get(), message=message)


def test_what_was_learned_stands_beside_its_turn(acme: House, staff: Staff) -> None:
    said, other = say(acme, "Avoid the highway, please", "Thanks")
    (repeated,) = remember(acme, "Avoid the highway, please", messages=[said])
    (statement,) = remember(acme, "Ada avoids the highway", messages=[said])
    prefer(acme, "navigation", "avoid_highway", True)
    with tenant_tx(acme.tenant.id):
        link_preference(acme, said)
    page = open_transcript(staff.vic, acme)
    turn, next_turn = page.split(f'id="turn-{said.pk}"')[1].split(f'id="turn-{other.pk}"')
    assert "navigation, avoid highway: yes" in turn
    assert '<span class="badge">preference</span>' in turn
    assert f"/console/snapshots/snapshot/{statement}/change/" in turn
    assert str(repeated) not in turn, "it says what the message says"
    assert turn.index("preference") < turn.index(">statement<")
    assert "Learned from it" not in next_turn


def test_what_is_no_longer_believed_says_so(acme: House, staff: Staff) -> None:
    (said,) = say(acme, "I live in Boston")
    remember(acme, "I live in Boston", messages=[said])
    with tenant_tx(acme.tenant.id):
        Snapshot.objects.update(retired_at=utc_now())
    assert ">Retired</span>" in open_transcript(staff.vic, acme)


def test_a_note_is_linked_by_its_own_page(acme: House, staff: Staff, note_ids: NoteIds) -> None:  # noqa: F811
    page = open_transcript(staff.vic, acme)
    assert f'<span class="badge">note</span> <a href="{note_address(note_ids.allergy)}">' in page


def test_an_answer_stands_at_the_turn_of_its_question(acme: House, staff: Staff) -> None:
    know(acme, name="Ada")
    said, other = say(acme, "Are peanuts fine?", "And tea?")
    remember(acme, "I am allergic to peanuts", messages=[said])
    elsewhere = ask(acme, "May I eat peanuts, being allergic?", None)
    receipt = ask(acme, "Are peanuts fine?")
    page = open_transcript(staff.vic, acme)
    turn, next_turn = page.split(f'id="turn-{said.pk}"')[1].split(f'id="turn-{other.pk}"')
    assert f'href="{receipt_address(receipt)}"' in turn.split("Answered here")[1]
    assert "1 memory in the prompt" in turn
    assert "Answered here" not in next_turn
    assert f'href="{receipt_address(elsewhere)}">in 1 answer</a>' in turn, "a memory leads to the answer that has it"


def test_an_answer_from_before_its_conversation_stands_at_the_first_turn(acme: House, staff: Staff) -> None:
    receipt = ask(acme, "Are peanuts fine?")
    ask(acme, "Another matter")
    (said,) = say(acme, "Are peanuts fine?")
    page = open_transcript(staff.vic, acme)
    assert receipt_address(receipt) in page.split(f'id="turn-{said.pk}"')[1]
    assert "Another matter" not in page


def test_an_answer_whose_question_is_gone_stands_at_its_turn_by_time(acme: House, staff: Staff) -> None:
    (said,) = say(acme, "Are peanuts fine?")
    receipt = ask(acme, "Are peanuts fine?")
    say(acme, "No.", role="assistant")
    with tenant_tx(acme.tenant.id):
        type(receipt).objects.update(rendered=None)
    turn = open_transcript(staff.vic, acme).split(f'id="turn-{said.pk}"')[1].split('id="turn-')[0]
    assert receipt_address(receipt) in turn
    assert "Question no longer kept" in turn


@pytest.mark.slow
def test_a_long_conversation_is_paged_from_its_newest_turns(
    acme: House, staff: Staff, long_conversation: list[Any]
) -> None:
    ids = list(map(str, long_conversation))
    newest = open_transcript(staff.vic, acme)
    assert list_shown_turns(newest) == ids[-MAX_TURNS:]
    assert "Later messages" not in newest
    older = re.search(r'href="([^"]+)" rel="prev"', newest)
    assert older is not None
    before = open_page(staff.vic, older[1])
    assert list_shown_turns(before) == ids[-2 * MAX_TURNS : -MAX_TURNS]
    later = re.search(r'href="([^"]+)" rel="next"', before)
    assert later is not None
    assert list_shown_turns(open_page(staff.vic, later[1])) == ids[-MAX_TURNS:]
    first = open_transcript(staff.vic, acme, "?before=3")
    assert list_shown_turns(first) == ids[:MAX_TURNS], "the oldest page is full"
    assert "Earlier messages" not in first
    # A link opens the page of its message, and marks it.
    named = long_conversation[5_000]
    page = open_transcript(staff.vic, acme, f"?message={named}")
    shown = list_shown_turns(page)
    assert shown.index(str(named)) == TURNS_BEFORE
    assert len(shown) == MAX_TURNS
    assert page.count("is-linked") == 1
    assert "the linked message" in page.split(f'id="{make_turn_anchor(named)}"')[1].split("<li")[0]
    assert "Earlier messages" in page
    assert "Later messages" in page


@pytest.mark.slow
def test_a_page_of_ten_thousand_messages_is_quick(acme: House, staff: Staff, long_conversation: list[Any]) -> None:
    with tenant_tx(acme.tenant.id):
        told = list(Message.objects.filter(pk__in=long_conversation[-40:]).order_by("seq"))
    remember(acme, *(f"Peanuts {number}" for number in range(len(told))), messages=told)
    for number in range(10):
        ask(acme, f"Words number {LONG - 1 - 2 * number}.")
    mia = staff.mia
    for query in ("", f"?message={long_conversation[5_000]}", "?before=51", f"?message={long_conversation[-1]}"):
        open_transcript(mia, acme, query)
        with CaptureQueriesContext(connection) as asked:
            open_transcript(mia, acme, query)
        assert len(asked) <= MOST_QUERIES, [one["sql"][:90] for one in asked.captured_queries]
        assert is_quick(partial(open_transcript, mia, acme, query)), query


@pytest.mark.parametrize(
    "query",
    ["?before=x", "?after=-1", "?before=" + "9" * 40, "?after=" + "9" * 40, "?message=x", "?before=%00"],
)
def test_an_address_that_names_no_place_shows_the_newest_turns(acme: House, staff: Staff, query: str) -> None:
    (said,) = say(acme, "Hello")
    assert list_shown_turns(open_transcript(staff.vic, acme, query)) == [str(said.pk)]


def test_archived_words_are_shown_and_say_where_they_were(acme: House, staff: Staff) -> None:
    say(acme, "我喜欢靠窗的座位")
    with tenant_tx(acme.tenant.id):
        Work.objects.update(state=WorkState.DONE, done_at=utc_now())
        Conversation.objects.update(
            status=ConversationStatus.ENDED, last_accepted_at=F("last_accepted_at") - timedelta(days=91)
        )
    assert archive_tenant(acme.tenant.id) == 1
    page = open_transcript(staff.vic, acme)
    assert "我喜欢靠窗的座位" in page
    assert "from the archive" in page
    with tenant_tx(acme.tenant.id):
        MessageArchive.objects.all().delete()
    assert "The text was moved to the archive and is no longer there." in open_transcript(staff.vic, acme)


def test_deleted_messages_leave_a_sentence(acme: House, staff: Staff) -> None:
    said = say(acme, *(f"Line {number}" for number in range(6)))
    with tenant_tx(acme.tenant.id):
        Message.objects.filter(pk__in=[one.pk for one in (said[0], said[2], said[3], said[5])]).delete()
    page = open_transcript(staff.vic, acme)
    assert page.index("1 message here is no longer stored.") < page.index("Line 1")
    assert page.index("Line 1") < page.index("2 messages here are no longer stored.") < page.index("Line 4")
    assert "1 message is no longer stored. Messages are kept for 365 days." in page
    gone = open_transcript(staff.vic, acme, f"?message={said[0].pk}")
    assert "The linked message is no longer stored in this conversation" in gone
    with tenant_tx(acme.tenant.id):
        Message.objects.all().delete()
    assert "6 messages are no longer stored." in open_transcript(staff.vic, acme)


def test_a_message_leads_to_its_place_in_the_transcript(acme: House, staff: Staff) -> None:
    (said,) = say(acme, "Hello")
    page = open_page(staff.vic, f"/console/snapshots/message/{said.pk}/change/")
    assert build_turn_address(said.conversation_id, said.pk) in page


def test_came_from_leads_into_the_transcript_wherever_it_stands(acme: House, staff: Staff) -> None:
    (said,) = say(acme, "I am allergic to peanuts")
    remember(acme, "I am allergic to peanuts", messages=[said])
    receipt = ask(acme, "Are peanuts fine?")
    with tenant_tx(acme.tenant.id):
        snapshot = Snapshot.objects.get()
    place = build_turn_address(said.conversation_id, said.pk)
    pages = (
        f"/console/profiles/subject/{acme.subject.pk}/change/",
        f"/console/snapshots/snapshot/{snapshot.pk}/change/",
        receipt_address(receipt),
    )
    for page in pages:
        assert place in open_page(staff.vic, page), page


def test_another_tenants_transcript_is_like_one_that_nobody_has(world: World, staff: Staff) -> None:
    (said,) = say(world.acme, "Ada's secret")
    (own,) = say(world.globex, "Gil's words")
    theirs = staff.gus.get(conversation_address(said.conversation_id, f"?message={said.pk}"))
    nobodys = staff.gus.get(conversation_address(uuid4(), f"?message={uuid4()}"))
    assert (theirs.status_code, theirs.headers.get("Location")) == (
        nobodys.status_code,
        nobodys.headers.get("Location"),
    )
    assert b"secret" not in theirs.content
    with_theirs = open_page(staff.gus, conversation_address(own.conversation_id, f"?message={said.pk}"))
    with_nobodys = open_page(staff.gus, conversation_address(own.conversation_id, f"?message={uuid4()}"))
    assert "secret" not in with_theirs
    for page in (with_theirs, with_nobodys):
        assert "The linked message is no longer stored in this conversation, or it never was." in page
        assert list_shown_turns(page) == [str(own.pk)]
    with tenant_tx(world.acme.tenant.id):
        assert Message.objects.get().content == "Ada's secret"


def test_opening_a_transcript_is_on_record(acme: House, staff: Staff) -> None:
    (said,) = say(acme, "Hello")
    open_transcript(staff.vic, acme)
    with tenant_tx(acme.tenant.id):
        record = AuditRecord.objects.get(action="conversation.viewed")
    assert (record.object_id, record.subject_ref) == (str(said.conversation_id), acme.subject.pk)


def test_a_transcript_speaks_chinese(acme: House, staff: Staff) -> None:
    (said,) = say(acme, "我对花生过敏")
    remember(acme, "花生过敏", messages=[said])
    ask(acme, "我对花生过敏")
    staff.sam.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    page = open_transcript(staff.sam, acme)
    for words in ("对话记录", "由此得知", "在此作出的回答", "刚刚"):
        assert words in page, words
    for words in ("Transcript", "Learned", "Answered", "just now"):
        assert words not in page, words
