"""A context as one call: two round trips to Postgres, and what it does without a part. Rows: X1, X8, X9, G1, R6,
C2."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.kernel.clock import utc_now
from profiles.models import Subject
from snapshots.context.config import ContextPolicy
from snapshots.context.pipeline import (
    ContextAnswer,
    ContextCall,
    build_context,
    draft_context,
    record_receipt,
    record_receipt_alone,
)
from snapshots.context.token_budget import BudgetTooSmall
from snapshots.context.turn.model_tier import TierRoute
from snapshots.context.values import BudgetRequest, ContextRequest
from snapshots.episodes.agent_tasks import begin_task
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.subjects import erase_subject
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import drain_work_job
from snapshots.lifecycle.retention.message_archive import archive_tenant
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Conversation, Receipt, ReceiptMemory, Snapshot, Work, WorkState
from snapshots.receipts.candidate_packing import unpack_candidates
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_tenant
from snapshots.receipts.values import ContextOutdated
from snapshots.window.config import WINDOW_CONFIG
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.context.world import all_content, elements, words_in
from tests.snapshots.held import know, label, prefer, remember, say
from tests.snapshots.lifecycle.world import edit

PEANUTS = "I am allergic to peanuts"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def build(
    house: House, query: str, conversation_id: str | None = None, subject: str = "", **request: Any
) -> ContextAnswer:
    asked = ContextCall(ContextRequest(query, **request), "3", conversation_id)
    return build_context(house.tenant.id, subject or house.subject.external_id, asked, ContextPolicy(detect_phase=True))


def memory_lines(built: ContextAnswer) -> list[str]:
    return words_in(all_content(built.context.messages))


def test_notes_stand_in_contexts_in_place_of_their_message(world: World) -> None:
    say(world.acme, "My son Theo is allergic to cashews. I never drive after dark.")
    say(world.globex, "I breed alpacas")
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    told = memory_lines(build(world.acme, "Suggest a dinner for the family"))
    notes = ["I never drive after dark", "My son Theo is allergic to cashews"]
    assert sorted(told) == [*notes, "Theo: son"]
    held = [one for one in unpack_candidates(build(world.acme, "dinner").receipt) if one["context_position"]]
    assert [one["kind"] for one in held] == ["note", "note", "tag"]


def test_two_round_trips_read_and_one_writes(world: World) -> None:
    say(world.acme, "Hello there", conversation="now")
    remember(world.acme, PEANUTS)
    know(world.acme, name="Ada")
    prefer(world.acme, "food", "diet", "vegetarian")
    label(world.acme, "home", address="1 High Street")
    build(world.acme, "What may I eat?", "now")
    with CaptureQueriesContext(connection) as queries:
        build(world.acme, "What may I eat?", "now")
    statements = [query["sql"] for query in queries.captured_queries]
    openings = [number for number, sql in enumerate(statements) if "set_config('app.tenant_id'" in sql]
    read = (
        "what is new in the memory; state, clock, beliefs, tags, texts of both lanes; history, notes, changes, repeats,"
        " talk, turns, route; the receipt"
    )
    assert openings == [0, 2, 17], (read, [sql[:90] for sql in statements])
    assert len(statements) == 19, statements


def edits(house: House) -> None:
    with tenant_tx(house.tenant.id):
        memory = Snapshot.objects.get(text=PEANUTS)
    edit(house, SnapshotAddress("ada", memory.id), text="I am allergic to nuts")


def deletes(house: House) -> None:
    with tenant_tx(house.tenant.id):
        delete_conversation(Conversation.objects.get())


def erases(house: House) -> None:
    erase_subject(house.tenant.id, "ada", by=COMMAND_LINE)


@pytest.mark.parametrize("change", [edits, deletes, erases])
def test_what_changed_since_it_was_read_is_not_kept(world: World, change: Callable[[House], None]) -> None:
    house = world.acme
    say(house, "Hello there", conversation="now")
    remember(house, PEANUTS)
    draft = draft_context(house.tenant.id, "ada", ContextCall(ContextRequest("peanuts"), "1", "now"))
    change(house)
    with pytest.raises(ContextOutdated):
        record_receipt_alone(house.tenant.id, draft)
    with pytest.raises(ContextOutdated), tenant_tx(house.tenant.id):
        record_receipt(draft)
    with tenant_tx(house.tenant.id):
        assert not Receipt.objects.exists()


def test_what_was_added_since_does_not_hinder(world: World) -> None:
    draft = draft_context(world.acme.tenant.id, "ada", ContextCall(ContextRequest("peanuts"), "1"))
    remember(world.acme, PEANUTS)
    assert record_receipt_alone(world.acme.tenant.id, draft).receipt.subject_id == world.acme.subject.id


def test_tasks_in_progress_come_when_they_are_asked_for(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        plan = [{"text": "看\n机票"}, {"text": "book", "status": "failed", "error": "sold out\n- [completed] pay"}]
        task = begin_task(world.acme.subject, "去上海 trip", plan, scratchpad="window </task> seat")
    request = ContextRequest("What is next?")
    asked = ContextCall(request, "1", tasks=True)
    built = build_context(world.acme.tenant.id, "ada", asked)
    (shown_task,) = elements(all_content(built.context.messages), "task")
    assert (shown_task.text or "").splitlines() == [
        "去上海 trip",
        "- [pending] 看 机票",
        "- [failed] book; error: sold out - [completed] pay",
        "notes: window </task> seat",
    ]
    assert [(one["lane"], one["memory_id"]) for one in unpack_candidates(built.receipt)] == [("tasks", str(task.id))]
    assert elements(all_content(build(world.acme, "What is next?").context.messages), "task") == []


def test_the_beginning_of_an_archived_conversation_is_read_where_it_stands(world: World) -> None:
    say(world.acme, "导航回家", *["👍"] * WINDOW_CONFIG.messages, conversation="now")
    with tenant_tx(world.acme.tenant.id):
        Work.objects.update(state=WorkState.DONE, done_at=utc_now())
        Conversation.objects.update(status="ended", ended_at=LONG_AGO, last_accepted_at=LONG_AGO)
    assert archive_tenant(world.acme.tenant.id) == 1 + WINDOW_CONFIG.messages
    assert build(world.acme, "Say that again", "now").context.language == "zh"


def test_the_receipt_counts_what_the_context_holds(world: World) -> None:
    (memory,) = remember(world.acme, PEANUTS)
    prefer(world.acme, "food", "diet", "vegetarian")
    built = build(world.acme, "What may I eat? peanuts")
    assert memory_lines(built) == ["diet: vegetarian", PEANUTS]
    write_memory_rows_of_tenant(world.acme.tenant.id)
    with tenant_tx(world.acme.tenant.id):
        rows = {row.lane: row.memory_ref for row in ReceiptMemory.objects.filter(subject=world.acme.subject)}
        receipt = Receipt.objects.get()
    assert rows.keys() == {"preferences", "snapshots"}
    assert rows["snapshots"] == memory
    assert (receipt.policy_version, receipt.prefix_hash) == ("3", built.context.prefix.hash)
    assert {UUID(one["memory_id"]) for one in unpack_candidates(receipt)} == set(rows.values())


def test_a_fact_meant_by_the_question_and_in_the_profile_is_one_candidate(world: World) -> None:
    prefer(world.acme, "food", "diet", "vegetarian")
    built = build(world.acme, "vegetarian diet food")
    assert [one["decision_reason"] for one in unpack_candidates(built.receipt)] == ["kept"]


def test_a_context_that_cannot_be_leaves_nothing(world: World) -> None:
    with pytest.raises(BudgetTooSmall):
        build(world.acme, "word " * 50, subject="new", budget=BudgetRequest(total=10))
    with tenant_tx(world.acme.tenant.id):
        assert (Subject.objects.count(), Receipt.objects.count()) == (1, 0)


def test_without_redis_the_window_comes_from_postgres_and_the_answer_says_so(
    redis_server: EmbeddedRedis, world: World
) -> None:
    say(world.acme, "今天有点累", conversation="now")
    assert build(world.acme, "你好", "now").receipt.degraded_reason == ""
    redis_server.stop()
    built = build(world.acme, "你好", "now")
    assert built.receipt.degraded_reason == "redis_unavailable"
    assert [one["content"] for one in built.context.messages if one["role"] == "user"] == ["今天有点累", "你好"]
    assert build(world.acme, "你好").receipt.degraded_reason == ""


def test_the_full_history_is_that_of_all_conversations(world: World) -> None:
    messages = [*say(world.acme, "word " * 300, conversation="one"), *say(world.acme, "字" * 900, conversation="two")]
    tokens = build(world.acme, "hello").context.tokens
    assert tokens.full_history == sum(message.tokens for message in messages) > 1_000
    assert tokens.saved_ratio == pytest.approx(1 - tokens.total / tokens.full_history, abs=0.001)


def test_a_named_speaker_stands_before_the_words(world: World) -> None:
    remember(world.acme, "I moved to Berlin", name="Bob")
    assert memory_lines(build(world.acme, "Who moved to Berlin?")) == ["Bob: I moved to Berlin"]


CALLS = [
    {"id": call_id, "type": "function", "function": {"name": "book", "arguments": "{}"}} for call_id in ("c1", "c2")
]


@pytest.mark.parametrize(("answered", "executing"), [([], True), (["c2"], True), (["c1", "c2"], False)])
def test_a_task_is_executed_until_its_tools_have_answered(world: World, answered: list[str], executing: bool) -> None:
    turns = [
        IncomingMessage(role="user", content="Tell me about the weather"),
        IncomingMessage(role="assistant", tool_calls=CALLS),
        *[IncomingMessage(role="tool", content="rain", tool_call_id=call_id) for call_id in answered],
    ]
    with tenant_tx(world.acme.tenant.id):
        accept_messages(world.acme.subject, "now", turns)
    assert (build(world.acme, "Hm, I see", "now").context.phase == "task_execution") is executing


def test_a_turn_that_only_calls_tools_has_no_content(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        calls = CALLS[:1]
        turns = [
            IncomingMessage(role="user", content="Book a table"),
            IncomingMessage(role="assistant", tool_calls=calls),
            IncomingMessage(role="tool", content="done", tool_call_id="c1"),
        ]
        accept_messages(world.acme.subject, "now", turns)
    built = build(world.acme, "And now?", "now")
    assistant = next(one for one in built.context.messages if one["role"] == "assistant")
    assert assistant == {"role": "assistant", "content": None, "tool_calls": calls}


SAID = {"zh": ("导航回家", "再说一遍吧"), "en": ("Navigate home", "Say that again")}


@pytest.mark.parametrize(("language", "other"), [("zh", "en"), ("en", "zh")])
def test_a_conversation_keeps_the_language_that_it_began_with(world: World, language: str, other: str) -> None:
    first = build(world.acme, SAID[language][0], "now")
    assert first.context.language == language
    for said in (SAID[language][0], *["👍", SAID[other][0]] * WINDOW_CONFIG.messages):
        say(world.acme, said, conversation="now")
    later = build(world.acme, SAID[other][1], "now")
    assert later.context.prefix.hash == first.context.prefix.hash
    assert build(world.acme, SAID[other][1], "later").context.language == other


def test_a_locale_and_a_system_prompt_count_more_than_the_beginning(world: World) -> None:
    say(world.acme, "导航回家", conversation="now")
    told = build(world.acme, "导航回家", "now", system_prompt="You are a car assistant.")
    assert told.context.language == "en"
    know(world.acme, locale="en-GB")
    assert build(world.acme, "导航回家", "now").context.language == "en"


SEATS = {
    "en": (
        "I like window seats.",
        "Book me a seat",
        "An aisle seat.",
        "No, not aisle, window.",
        "Play some music",
    ),
    "zh": ("我喜欢靠窗的座位。", "帮我订个座位", "好的，过道座位。", "不是过道，是靠窗。", "放点音乐"),
}
AGAIN = {"en": "Which window seats do I like?", "zh": "我喜欢哪种靠窗的座位？"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_correction_raises_the_model_until_memory_answers(world: World, language: str) -> None:
    known, asked, replied, corrected, other = SEATS[language]
    remember(world.acme, known, confidence=0.9)
    say(world.acme, asked, conversation="now")
    assert build(world.acme, asked, "now").route == TierRoute("middle", "intent")
    with tenant_tx(world.acme.tenant.id):
        accept_messages(world.acme.subject, "now", [IncomingMessage(role="assistant", content=replied)])
    raised = build(world.acme, corrected, "now")
    assert raised.route == TierRoute("strong", "corrected", 1)
    assert raised.receipt.model_route == {"tier": "strong", "reason": "corrected", "raised": 1}
    assert build(world.acme, other, "elsewhere").route == TierRoute("middle", "intent")
    assert build(world.acme, other, "now").route == TierRoute("strong", "unsettled", 2)
    assert build(world.acme, AGAIN[language], "now").route.reason == "settled"
    assert build(world.acme, other, "now").route == TierRoute("middle", "intent")
