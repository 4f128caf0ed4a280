"""Each change of memory is told once, in its own transaction, to webhooks of its tenant alone. Rows: D3, T1, C3."""

from typing import Any

import pytest

from profiles.models import Preference, ProfileFact, Subject
from snapshots.models import Conversation, Job, JobKind, WebhookDelivery, Work
from snapshots.webhooks.deliveries import DeliveryNotEnded, WebhookOff, add_test, replay_delivery
from snapshots.webhooks.webhooks import change_webhook
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.webhooks.receiver import Ear, open_ear

ADA = "/v1/subjects/ada"


def call(caller: Caller, method: str, path: str, body: Any = None) -> Any:
    answer = caller(method, path, body)
    assert answer.status_code < 300, answer.content
    return body_of(answer) if answer.content else None


def list_told(ear: Ear) -> list[tuple[str, str, str]]:
    return [(one.event, one.object_kind, str(one.object_id)) for one in ear.list_deliveries()]


def test_memories_that_begin_end_and_go_are_told_without_their_words(acme: Caller, world: World) -> None:
    with open_ear(world.acme) as ear:
        note = call(acme, "POST", f"{ADA}/notes", {"text": "I am allergic to peanuts. 我对花生过敏。"})
        liked = call(acme, "PUT", f"{ADA}/preferences/drinks/tea", {"value": "green"})
        call(acme, "PUT", f"{ADA}/preferences/drinks/tea", {"value": "乌龙"})
        call(acme, "PATCH", f"{ADA}/profile", {"occupation": "nurse"})
        tag = call(acme, "POST", f"{ADA}/tags", {"label": "家", "address": "世纪大道100号"})
        call(acme, "POST", f"{ADA}/notes/{note['id']}/forget", {})
        heard = ear.hear()
        with tenant_tx(world.acme.tenant.id):
            held = {str(row.value): str(row.id) for row in Preference.objects.filter(version_of=None)}
            fact = str(ProfileFact.objects.get(version_of=None).id)
    told = [(one["type"], one["data"]["kind"], one["data"]["memory_id"]) for one in heard]
    assert sorted(told) == sorted(
        [
            ("memory.created", "note", note["id"]),
            ("memory.created", "preference", held["green"]),
            ("memory.created", "preference", held["乌龙"]),
            ("memory.superseded", "preference", held["green"]),
            ("memory.created", "profile", fact),
            ("memory.created", "tag", tag["id"]),
            ("memory.erased", "note", note["id"]),
        ]
    )
    [ended] = [one["data"] for one in heard if one["type"] == "memory.superseded"]
    assert ended["superseded_by"] == held["乌龙"]
    assert {one["data"]["subject_id"] for one in heard} == {"ada"}
    assert all(word not in ear.server.heard[0].raw.decode() for word in ("peanuts", "花生"))
    assert liked["value"] == "green"


def test_what_is_rolled_back_is_not_told(world: World) -> None:
    with open_ear(world.acme) as ear:
        with pytest.raises(ZeroDivisionError), tenant_tx(world.acme.tenant.id):
            add_row(world)
            assert WebhookDelivery.objects.count() == 1
            raise ZeroDivisionError
        assert ear.hear() == []


def test_another_tenant_hears_nothing_and_the_talk_itself_is_no_event(
    acme: Caller, globex: Caller, world: World
) -> None:
    with open_ear(world.globex) as other, open_ear(world.acme) as ear:
        call(acme, "POST", f"{ADA}/notes", {"text": "I live in Lyon."})
        said = {"message_id": "m1", "role": "user", "content": "What a day. 今天好累。"}
        call(acme, "POST", f"{ADA}/conversations/c1/messages", {"messages": [said]})
        assert [one["type"] for one in ear.hear()] == ["memory.created"]
        assert other.hear() == []
        call(globex, "PUT", "/v1/subjects/gil/preferences/a/b", {"value": "x"})
        assert [one["data"]["subject_id"] for one in other.hear()] == ["gil"]


def test_only_subscribed_events_are_written_and_each_webhook_hears_the_same_one(acme: Caller, world: World) -> None:
    with (
        open_ear(world.acme, events=["memory.erased"]) as few,
        open_ear(world.acme) as one,
        open_ear(world.acme, include=["text"]) as two,
    ):
        call(acme, "PUT", f"{ADA}/preferences/drinks/tea", {"value": "green"})
        one.deliver()
        assert few.server.heard == []
        [first], [second] = one.server.heard, two.server.heard
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        assert b"green" not in first.raw
        assert b'"text":"tea: green"' in second.raw


def test_a_retracted_value_ends_and_comes_back(acme: Caller, world: World) -> None:
    with open_ear(world.acme) as ear:
        call(acme, "PUT", f"{ADA}/preferences/drinks/tea", {"value": "green"})
        call(acme, "DELETE", f"{ADA}/preferences/drinks/tea")
        heard = ear.hear()
    told = {one["type"]: one["data"] for one in heard}
    assert sorted(told) == ["memory.created", "memory.superseded"]
    assert told["memory.superseded"]["superseded_by"] is None


def test_of_an_erased_person_only_the_erasure_is_told(acme: Caller, world: World) -> None:
    with open_ear(world.acme, include=["text"]) as ear:
        call(acme, "POST", f"{ADA}/notes", {"text": "I am allergic to peanuts."})
        call(acme, "PUT", f"{ADA}/preferences/drinks/tea", {"value": "green"})
        assert len(ear.list_deliveries()) == 2
        call(acme, "DELETE", ADA)
        heard = ear.hear()
    assert [(one["type"], one["data"]) for one in heard] == [
        ("memory.erased", {"subject_id": "ada", "memory_id": None, "kind": "subject"})
    ]


def test_words_are_read_when_they_are_sent_so_erased_ones_are_not(acme: Caller, world: World) -> None:
    with open_ear(world.acme, include=["text"]) as ear:
        note = call(acme, "POST", f"{ADA}/notes", {"text": "我对花生过敏。"})
        call(acme, "POST", f"{ADA}/notes/{note['id']}/forget", {})
        heard = ear.hear()
    assert sorted((one["type"], one["data"].get("text")) for one in heard) == [
        ("memory.created", None),
        ("memory.erased", None),
    ]


def test_summaries_and_dead_jobs_are_told(world: World) -> None:
    with open_ear(world.acme, include=["text"]) as ear:
        with tenant_tx(world.acme.tenant.id):
            talk = Conversation.objects.create(subject=world.acme.subject, external_id="c-会话")
            Conversation.objects.filter(id=talk.id).update(summary="They planned a trip. 他们计划了一次旅行。")
            Conversation.objects.filter(id=talk.id).update(status="ended")
            job = Job.objects.create(kind=JobKind.IMPORT)
            Job.objects.filter(id=job.id).update(status="dead")
            Job.objects.filter(id=job.id).update(status="dead", error_code="again")
            end = Work.objects.create(subject=world.acme.subject, kind="conversation", conversation=talk)
            Work.objects.filter(id=end.id).update(state="dead")
        by_type = sorted(((one["type"], one["data"]) for one in ear.hear()), key=str)
    assert by_type == [
        (
            "conversation.summarised",
            {"subject_id": "ada", "conversation_id": "c-会话", "text": "They planned a trip. 他们计划了一次旅行。"},
        ),
        ("job.dead", {"job_id": str(job.id), "kind": "import"}),
        ("job.dead", {"job_id": str(end.id), "kind": "conversation_end"}),
    ]


def test_a_tenant_with_memories_and_webhooks_can_be_deleted(acme: Caller, world: World) -> None:
    with open_ear(world.acme) as ear:
        call(acme, "POST", f"{ADA}/notes", {"text": "I live in Lyon."})
        assert ear.list_deliveries()
    # The end of this test deletes the tenant with all of its rows at once: a trigger that told of it would fail.


def test_an_ended_delivery_is_replayed_under_the_same_id(world: World) -> None:
    with open_ear(world.acme) as ear:
        with tenant_tx(world.acme.tenant.id):
            row = add_test(ear.webhook_id, by=COMMAND_LINE)
        with pytest.raises(DeliveryNotEnded), tenant_tx(world.acme.tenant.id):
            replay_delivery(ear.webhook_id, row.id, by=COMMAND_LINE)
        ear.hear()
        with tenant_tx(world.acme.tenant.id):
            replay_delivery(ear.webhook_id, row.id, by=COMMAND_LINE)
        ear.hear()
        first, second = ear.server.heard
        assert first.headers["webhook-id"] == second.headers["webhook-id"] == f"msg_{row.event_id}"
        with tenant_tx(world.acme.tenant.id):
            change_webhook(ear.webhook_id, {"enabled": False}, by=COMMAND_LINE)
        with pytest.raises(WebhookOff), tenant_tx(world.acme.tenant.id):
            add_test(ear.webhook_id, by=COMMAND_LINE)


def test_a_webhook_that_is_off_hears_of_nothing_but_what_waited(world: World) -> None:
    with open_ear(world.acme) as ear:
        with tenant_tx(world.acme.tenant.id):
            add_row(world)
            change_webhook(ear.webhook_id, {"enabled": False}, by=COMMAND_LINE)
            add_row(world)
        assert ear.hear() == []
        with tenant_tx(world.acme.tenant.id):
            change_webhook(ear.webhook_id, {"enabled": True}, by=COMMAND_LINE)
        assert len(ear.hear()) == 1


def add_row(world: World) -> None:
    Preference.objects.create(
        subject=Subject.objects.get(id=world.acme.subject.id),
        category="drinks",
        key=str(Preference.objects.count()),
        value="green",
        confidence=1.0,
        provenance="observation",
        valid_at="2026-01-01T00:00:00Z",
    )
