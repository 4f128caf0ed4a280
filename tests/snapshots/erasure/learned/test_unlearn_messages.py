"""What was learned from forgotten messages alone goes with them, and nothing else does. Rows: E8, P4, P6."""

from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.models import Candidate, Erasure, Preference, ProfileFact, Subject, Tag
from profiles.services.beliefs import retract_belief
from profiles.services.erasure_certificates import build_certificate, is_genuine
from profiles.services.list_values import list_entries
from profiles.services.profile import FactName, build_fact_place
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.memories import forget_memory
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.jobs import drain_work_job
from snapshots.lifecycle.selectors import link_preference_sources
from snapshots.lifecycle.write_types import MessageAddress, SnapshotAddress
from snapshots.models import PreferenceSource, Snapshot, TagSource, Work
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from snapshots.understanding import note_making
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.api.wall import rows_of
from tests.snapshots.held import know, label, prefer, say
from tests.snapshots.understanding.making import MONDAY
from tests.snapshots.understanding.making import say as say_at

CONVERSATIONS = ["trip", "dinner"]
EN = "I am allergic to peanuts. My name is Fay."
ZH = "我不喜欢走延安高架。我家住在上海市静安区南京西路1266号。我叫李雷。"
LISTS = [("I like figs.", "I like dates.", ["figs", "dates"]), ("我喜欢吃香菜", "我喜欢吃榴莲", ["香菜", "榴莲"])]


def teach(house: House, conversation: str, *texts: str) -> None:
    say(house, *texts, conversation=conversation)
    drain_work_job(tenant_id=str(house.tenant.id))


def delete(house: House, conversation: str = "trip") -> Erasure:
    with tenant_tx(house.tenant.id):
        erasure = delete_conversation(lock_conversation(house.subject.external_id, conversation))
    return load_signed_erasure(house, erasure)


def forget(house: House, text: str) -> Erasure:
    with tenant_tx(house.tenant.id):
        address = SnapshotAddress(house.subject.external_id, Snapshot.objects.get(text=text).id)
    erasure_id = forget_memory(house.tenant.id, address, active_embedders(), by=COMMAND_LINE)
    with tenant_tx(house.tenant.id):
        erasure = Erasure.objects.get(id=erasure_id)
    return load_signed_erasure(house, erasure)


def load_signed_erasure(house: House, erasure: Erasure) -> Erasure:
    with tenant_tx(house.tenant.id):
        erasure.refresh_from_db()
        assert is_genuine(build_certificate(erasure))
        assert erasure.verified["rows_left"] == {}
    return erasure


def values(house: House) -> list[Any]:
    """Return what is believed now: values of preferences and facts, lists entry by entry, and labels of tags."""
    with tenant_tx(house.tenant.id):
        rows = [*Preference.objects.filter(invalid_at=None, retired_at=None).order_by("category", "key")]
        facts = [*ProfileFact.objects.filter(invalid_at=None, retired_at=None).order_by("field")]
        held = [entry for row in (*rows, *facts) for entry in list_entries(row.value) or []]
        return [*held, *Tag.objects.values_list("label", flat=True)]


def learned_rows(house: House) -> dict[str, list[str]]:
    tables = ("preference", "profile_fact", "tag", "preference_source", "profile_fact_source", "tag_source")
    return {table: rows for table, rows in rows_of(house.tenant.id).items() if table in tables and rows}


@pytest.mark.parametrize("remove", ["conversation", "memory"])
@pytest.mark.parametrize(
    ("said", "held", "tables"),
    [
        (EN, ["peanuts", "Fay"], {"preference": 1, "profile_fact": 1}),
        (ZH, ["延安高架", "李雷", "家"], {"preference": 1, "profile_fact": 1, "tag": 1}),
    ],
)
def test_what_they_alone_taught_goes_and_is_counted(
    world: World, said: str, held: list[str], tables: dict[str, int], remove: str
) -> None:
    for house in (world.acme, world.globex):
        teach(house, "trip", said)
        assert values(house) == held
    others = rows_of(world.globex.tenant.id)

    erasure = delete(world.acme) if remove == "conversation" else forget(world.acme, said)

    assert learned_rows(world.acme) == {}
    assert {table: erasure.erased[table] for table in tables} == tables
    assert rows_of(world.globex.tenant.id) == others
    with tenant_tx(world.acme.tenant.id):
        found = Subject.objects.get(id=world.acme.subject.id).search_text
        assert not any(value.casefold() in found for value in held)
    asked = RecallQuery(text=f"{held[0]} {held[1]}", asked_at=utc_now())
    shown = str(recall(world.acme.tenant.id, "ada", asked))
    assert held[0] not in shown.replace(asked.text, "")


@pytest.mark.parametrize(("first", "second", "entries"), LISTS)
@pytest.mark.parametrize("removed", [0, 1])
def test_a_list_keeps_the_entries_of_the_other_conversation(
    world: World, first: str, second: str, entries: list[str], removed: int
) -> None:
    teach(world.acme, "trip", first)
    teach(world.acme, "dinner", second)
    assert values(world.acme) == entries

    delete(world.acme, CONVERSATIONS[removed])

    assert values(world.acme) == [entries[1 - removed]]
    assert entries[removed] not in str(learned_rows(world.acme))
    delete(world.acme, CONVERSATIONS[1 - removed])
    assert learned_rows(world.acme) == {}


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second", "entries"), LISTS)
def test_an_entry_said_in_both_conversations_stays_until_both_are_gone(
    world: World, first: str, second: str, entries: list[str]
) -> None:
    teach(world.acme, "trip", first)
    teach(world.acme, "dinner", second, first)

    delete(world.acme, "trip")
    assert sorted(values(world.acme)) == sorted(entries)
    with tenant_tx(world.acme.tenant.id):
        assert PreferenceSource.objects.exists()

    delete(world.acme, "dinner")
    assert learned_rows(world.acme) == {}


@pytest.mark.slow
@pytest.mark.parametrize("said", ["I am allergic to peanuts", "我对花生过敏"])
def test_a_value_of_two_conversations_stays_without_the_sources_that_go(world: World, said: str) -> None:
    teach(world.acme, "trip", said)
    teach(world.acme, "dinner", said)
    held = values(world.acme)

    erasure = delete(world.acme, "trip")

    assert values(world.acme) == held != []
    assert erasure.erased["preference_source"] == 1
    with tenant_tx(world.acme.tenant.id):
        assert PreferenceSource.objects.count() == 1
    delete(world.acme, "dinner")
    assert values(world.acme) == []


@pytest.mark.slow
@pytest.mark.parametrize("remove", ["conversation", "memory"])
def test_what_the_product_states_itself_stays(world: World, remove: str) -> None:
    house = world.acme
    prefer(house, "drinks", "tea", "乌龙")
    know(house, timezone="Asia/Shanghai")
    label(house, "家", address="外滩1号")
    teach(house, "trip", ZH)
    with tenant_tx(house.tenant.id):
        row = Preference.objects.get(category="navigation", retired_at=None)
    prefer(house, row.category, row.key, row.value)  # said again by the product, in its own words

    delete(house) if remove == "conversation" else forget(house, ZH)

    assert set(values(house)) == {"乌龙", "Asia/Shanghai", "家", "延安高架"}
    with tenant_tx(house.tenant.id):
        assert not PreferenceSource.objects.exists()
        assert not TagSource.objects.exists()


@pytest.mark.parametrize(
    ("before", "after", "jobs"),
    [
        ("I work as a nurse", "I am a pilot now", ["nurse", "pilot"]),
        ("我是护士", "我现在是飞行员", ["护士", "飞行员"]),
    ],
)
@pytest.mark.parametrize("removed", [0, 1])
def test_what_it_had_superseded_holds_again(
    world: World, before: str, after: str, jobs: list[str], removed: int
) -> None:
    teach(world.acme, "trip", before)
    teach(world.acme, "dinner", after)
    assert values(world.acme) == [jobs[1]]

    delete(world.acme, CONVERSATIONS[removed])

    assert values(world.acme) == [jobs[1 - removed]]
    assert jobs[removed] not in str(learned_rows(world.acme))


def test_a_value_that_was_cut_in_two_goes_with_both_parts(world: World) -> None:
    for conversation, said, hours in [
        ("trip", "I work as a nurse", 0),
        ("trip", "I work as a nurse", 2),
        ("dinner", "I am a pilot now", 1),
    ]:
        say_at(world.acme, said, conversation=conversation, at=MONDAY + timedelta(hours=hours))
        drain_work_job(tenant_id=str(world.acme.tenant.id))
    with tenant_tx(world.acme.tenant.id):
        assert ProfileFact.objects.filter(version_of=None).count() == 3

    delete(world.acme, "trip")

    assert values(world.acme) == ["pilot"]
    assert "nurse" not in str(learned_rows(world.acme))


def test_a_list_that_the_product_states_whole_keeps_what_was_learned_before(world: World) -> None:
    teach(world.acme, "trip", "I like figs.")
    prefer(world.acme, "food", "likes", ["figs", "无花果"])
    teach(world.acme, "dinner", "I like dates.")

    delete(world.acme, "trip")

    assert values(world.acme) == ["figs", "无花果", "dates"]


def test_a_value_stated_with_a_source_goes_with_it(world: World) -> None:
    (message,) = say(world.acme, "hello")
    prefer(world.acme, "drinks", "tea", "乌龙")
    with tenant_tx(world.acme.tenant.id):
        row = Preference.objects.get()
        names = MessageAddress(message.conversation.external_id, message.external_id)
        link_preference_sources(world.acme.subject, row.id, [names])

    delete(world.acme)

    assert learned_rows(world.acme) == {}


def test_what_was_retracted_is_not_brought_back(world: World) -> None:
    teach(world.acme, "trip", "I work as a nurse")
    teach(world.acme, "dinner", "I am a pilot now")
    with tenant_tx(world.acme.tenant.id):
        retract_belief(build_fact_place(world.acme.subject, FactName("occupation")))

    delete(world.acme, "dinner")

    assert values(world.acme) == []
    with tenant_tx(world.acme.tenant.id):
        ended = ProfileFact.objects.get(version_of=None)
        assert (ended.value, ended.invalid_at is None) == ("nurse", False)


@pytest.mark.parametrize(("said", "table"), [(EN, "preference"), (ZH, "tag")])
@pytest.mark.parametrize("remove", ["conversation", "memory"])
def test_a_late_worker_does_not_bring_it_back(
    world: World, monkeypatch: pytest.MonkeyPatch, said: str, table: str, remove: str
) -> None:
    house, real = world.acme, prepare_snapshots
    forgotten: list[str] = []
    teach(house, "trip", said)
    with tenant_tx(house.tenant.id):
        Candidate.objects.all().delete()
        Work.objects.filter(kind="extract").update(state="ready", attempts=0, done_at=None)

    def forgotten_meanwhile(*args: Any) -> Any:
        monkeypatch.setattr(note_making, "prepare_snapshots", real)
        forgotten.append(remove)
        delete(house) if remove == "conversation" else forget(house, said)
        return real(*args)

    assert table in learned_rows(house)
    monkeypatch.setattr(note_making, "prepare_snapshots", forgotten_meanwhile)
    drain_work_job(tenant_id=str(house.tenant.id))
    assert learned_rows(house) == {}
    teach(house, "again", said)

    assert forgotten == [remove]
    assert learned_rows(house) == {}


@pytest.mark.parametrize(
    ("first", "second", "lost"),
    [
        ("我家住在上海市静安区南京西路1266号。", "我家的住址是上海市徐汇区衡山路10号。", "衡山路"),
        ("My home address is 12 Elm Street.", "My home address is 99 Oak Avenue.", "Oak"),
    ],
)
def test_a_tag_of_two_conversations_loses_the_detail_that_one_alone_said(
    world: World, first: str, second: str, lost: str
) -> None:
    teach(world.acme, "trip", first)
    teach(world.acme, "dinner", second)
    assert lost in str(learned_rows(world.acme)["tag"])

    delete(world.acme, "dinner")

    rows = learned_rows(world.acme)
    assert (len(rows["tag"]), len(rows["tag_source"])) == (1, 1)
    assert lost not in str(rows)


@pytest.mark.parametrize(
    ("liked", "over", "entry"),
    [("I like coffee.", "I don't like coffee any more.", "coffee"), ("我喜欢喝咖啡", "我不喜欢喝咖啡了", "咖啡")],
)
def test_a_list_that_its_opposite_emptied_holds_again(world: World, liked: str, over: str, entry: str) -> None:
    acme = world.acme
    say_at(acme, liked, conversation="dinner", at=MONDAY)
    drain_work_job(tenant_id=str(acme.tenant.id))
    assert entry in values(acme)
    say_at(acme, over, conversation="trip", at=MONDAY + timedelta(days=1))
    drain_work_job(tenant_id=str(acme.tenant.id))
    assert entry not in values(acme)
    delete(acme)
    assert entry in values(acme)
