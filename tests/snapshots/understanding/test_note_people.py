"""What is said of others lands at their contact or thing, never at the user. Rows: P10, P9, P6, E8, T1."""

import pytest

from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.services.tags.tags import TagDraft, delete_tag, upsert_tag
from snapshots.lifecycle.staff_actions.memory_actions import ActContext
from snapshots.lifecycle.staff_actions.merge_memories import merge_memories
from snapshots.lifecycle.staff_actions.undo_act import find_last_act, undo_act
from snapshots.models import AboutKind, Note
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.erasure.learned.test_unlearn_messages import delete
from tests.snapshots.understanding.making import say, settle

DOING = ActContext(COMMAND_LINE, "test")
Told = dict[str, tuple[str, str, str, str]]


def tags(house: House) -> Told:
    """Return kind, relation, phone and address of each tag by its label."""
    with tenant_tx(house.tenant.id):
        rows = Tag.objects.filter(subject_id=house.subject.id).order_by("label")
        return {tag.label: (tag.kind, tag.relation, tag.phone, tag.address) for tag in rows}


def belonging(house: House) -> dict[str, str | None]:
    """Return the label of the tag that each note about somebody else belongs to."""
    with tenant_tx(house.tenant.id):
        rows = Note.objects.filter(subject_id=house.subject.id).exclude(about_kind=AboutKind.SELF)
        return {
            row.snapshot.text: row.about_tag.label if row.about_tag else None
            for row in rows.select_related("snapshot", "about_tag").order_by("snapshot__position")
        }


@pytest.mark.parametrize(
    ("said", "label", "tag"),
    [
        ("My son Theo is allergic to cashews", "Theo", ("contact", "son", "", "")),
        ("Our cat Miso is allergic to chicken", "Miso", ("thing", "cat", "", "")),
        ("My colleague Priya is allergic to peanuts", "Priya", ("contact", "colleague", "", "")),
        ("我朋友张三对花生过敏", "张三", ("contact", "朋友", "", "")),
    ],
)
def test_a_note_belongs_to_whom_it_introduces(
    world: World, said: str, label: str, tag: tuple[str, str, str, str]
) -> None:
    say(world.acme, said)
    settle(world.acme)
    assert tags(world.acme) == {label: tag}
    assert set(belonging(world.acme).values()) == {label}
    assert tags(world.globex) == {}
    with tenant_tx(world.acme.tenant.id):
        assert not Preference.objects.exclude(category__in=("people", "pets")).exists()
        assert not ProfileFact.objects.exclude(field="pets").exists()


@pytest.mark.parametrize("said", ["My wife is allergic to penicillin", "我老婆对海鲜过敏"])
def test_a_relation_alone_makes_no_contact(world: World, said: str) -> None:
    say(world.acme, said)
    settle(world.acme)
    assert tags(world.acme) == {}
    assert belonging(world.acme) == {said: None}


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("My wife is Sarah", "Her number is 555-0101", {"wife": ("contact", "wife", "555-0101", "")}),
        ("My brother is Tom.", "He lives at 5 Mill Rd.", {"Tom": ("contact", "brother", "", "5 Mill Rd")}),
        ("我老婆叫王敏", "她的电话是13900001234", {"老婆": ("contact", "老婆", "13900001234", "")}),
        ("我弟弟叫李强", "他住幸福路3号", {"李强": ("contact", "弟弟", "", "幸福路3号")}),
    ],
)
@pytest.mark.parametrize("apart", [True, False])
def test_her_number_is_hers(world: World, first: str, second: str, told: Told, apart: bool) -> None:
    say(world.acme, first)
    if apart:
        settle(world.acme)
    say(world.acme, second)
    settle(world.acme)
    assert tags(world.acme) == told


@pytest.mark.parametrize(
    ("turns", "label"),
    [
        (["My husband is Tom.", "Her number is 555-0101"], "husband"),
        (["My wife is Sarah.", "What a lovely day it is.", "Her number is 555-0101"], "wife"),
        (["我老公叫陈涛。", "她的电话是13900001234"], "老公"),
        (["我老婆叫王敏。", "今天天气真不错。", "她的电话是13900001234"], "老婆"),
    ],
)
def test_a_number_of_nobody_just_named_is_nobodys(world: World, turns: list[str], label: str) -> None:
    say(world.acme, *turns)
    settle(world.acme)
    assert [(name, phone) for name, (_, _, phone, _) in tags(world.acme).items()] == [(label, "")]


@pytest.mark.parametrize(
    ("said", "label"),
    [("My friend Tom lives at 5 Mill Rd but I never go there", "Tom"), ("我朋友张三住长阳路1900弄", "张三")],
)
def test_the_address_of_a_friend_is_no_home(world: World, said: str, label: str) -> None:
    say(world.acme, said)
    settle(world.acme)
    assert list(tags(world.acme)) == [label]
    assert tags(world.acme)[label][0] == "contact"
    with tenant_tx(world.acme.tenant.id):
        assert not ProfileFact.objects.exists()


def test_a_note_with_she_belongs_to_the_contact_just_named(world: World) -> None:
    say(world.acme, "My wife is Sarah.")
    settle(world.acme)
    say(world.acme, "She is allergic to penicillin")
    settle(world.acme)
    assert belonging(world.acme)["She is allergic to penicillin"] == "wife"


def test_of_two_who_may_be_meant_a_note_belongs_to_neither(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        for name in ("Theo", "Max"):
            upsert_tag(world.acme.subject, TagDraft(name, {"kind": "contact", "relation": "son"}))
    say(world.acme, "My son is allergic to cashews")
    settle(world.acme)
    assert belonging(world.acme) == {"My son is allergic to cashews": None}


def test_a_note_finds_the_contact_by_another_word_for_it(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        upsert_tag(world.acme.subject, TagDraft("Sarah", {"kind": "contact", "relation": "wife"}))
    say(world.acme, "我老婆对海鲜过敏")
    settle(world.acme)
    assert belonging(world.acme) == {"我老婆对海鲜过敏": "Sarah"}
    assert list(tags(world.acme)) == ["Sarah"]


def test_notes_go_with_a_merge_and_come_back_and_outlive_their_tag(world: World) -> None:
    say(world.acme, "My son Theo is allergic to cashews")
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        subject = Subject.objects.get(id=world.acme.subject.id)
        boy = upsert_tag(subject, TagDraft("the boy", {"kind": "contact"})).tag
        theo = Tag.objects.select_related("subject").get(label="Theo")
        merge_memories(boy, theo, DOING)
    assert set(belonging(world.acme).values()) == {"the boy"}
    with tenant_tx(world.acme.tenant.id):
        act = find_last_act(boy)
        assert act is not None
        undo_act(subject, act.id, DOING)
    assert set(belonging(world.acme).values()) == {"Theo"}
    with tenant_tx(world.acme.tenant.id):
        delete_tag(subject, Tag.objects.get(label="Theo"))
        note = Note.objects.exclude(about_kind=AboutKind.SELF).get()
        assert (note.about_tag_id, note.about_label, note.relation) == (None, "Theo", "son")


def test_whom_only_forgotten_words_introduced_is_forgotten_with_them(world: World) -> None:
    say(world.acme, "My son Theo is allergic to cashews", conversation="trip")
    settle(world.acme)
    delete(world.acme, "trip")
    assert tags(world.acme) == {}
    assert belonging(world.acme) == {}


def test_the_notes_of_a_contact_are_listed_and_another_tenant_sees_none(world: World) -> None:
    acme, globex = Caller(world.acme), Caller(world.globex)
    say(world.acme, "My son Theo is allergic to cashews. I work as a midwife in Ghent.")
    settle(world.acme)
    globex("PUT", "/v1/subjects/ada", {})
    [theo] = body_of(acme("GET", "/v1/subjects/ada/tags"))["data"]
    [note] = body_of(acme("GET", f"/v1/subjects/ada/notes?about={theo['id']}"))["data"]
    assert (note["text"], note["about"]["id"]) == ("My son Theo is allergic to cashews", theo["id"])
    assert note["about"]["relation"] == "son"
    shown = body_of(acme("GET", f"/v1/subjects/ada/tags/{theo['id']}"))["notes"]
    assert [(one["id"], one["text"], one["grade"]) for one in shown] == [(note["id"], note["text"], note["grade"])]
    assert body_of(globex("GET", f"/v1/subjects/ada/notes?about={theo['id']}"))["data"] == []
