"""What staff did to memories keeps no word of what was erased since. Rows: E8, D2, P6."""

from collections.abc import Callable
from typing import Any

import pytest

from profiles.models import Preference, ProfileFact, Tag
from snapshots.erasure.learned.forget_whole_belief import forget_tag
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, correct_belief, correct_tag, retire_memory
from snapshots.lifecycle.staff_actions.merge_memories import merge_memories
from snapshots.lifecycle.staff_actions.undo_act import find_last_act, undo_act
from snapshots.models import SOURCES, MemoryAct, Message, TagSource
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.snapshots.erasure.everywhere import tables_with
from tests.snapshots.erasure.learned.test_unlearn_messages import delete, forget, teach
from tests.snapshots.held import know, label, prefer

DOING = ActContext(COMMAND_LINE, "asked for it")
SAID = {
    "en": ("kestrel4711", "I love Kestrel4711. My name is Fay Kestrel4711. My home address is 12 Kestrel4711 Street."),
    "zh": ("李红梅", "我喜欢李红梅冰淇淋。我叫李红梅。我家住在上海市李红梅路1266号。"),
}


def load_learned(model: type[Any]) -> Any:
    """Return the memory of a kind that the message taught, not the product."""
    taught = SOURCES[model]._default_manager.order_by().values("memory_id")
    return model.objects.select_related("subject").filter(id__in=taught).first()


def correct_all(house: House) -> None:
    correct_tag(load_learned(Tag), {"address": "99 Oak Avenue", "label": "外滩"}, DOING)
    for model in (Preference, ProfileFact):
        correct_belief(load_learned(model), "另一个", DOING)


def retire_all(house: House) -> None:
    correct_tag(load_learned(Tag), {"address": "99 Oak Avenue"}, DOING)
    for model in (Tag, Preference, ProfileFact):
        retire_memory(load_learned(model), DOING)


def merge_all(house: House, *, stays: bool = False) -> None:
    others: dict[type[Any], Any] = {
        Tag: Tag.objects.select_related("subject").get(label="mews"),
        Preference: Preference.objects.select_related("subject").get(key="tea"),
        ProfileFact: ProfileFact.objects.select_related("subject").get(field="occupation"),
    }
    for model, other in others.items():
        one, ended = (load_learned(model), other) if stays else (other, load_learned(model))
        merge_memories(one, ended, DOING)


def merge_into_learned(house: House) -> None:
    merge_all(house, stays=True)


def merge_and_take_back(house: House) -> None:
    merge_all(house)
    for tag in Tag.objects.select_related("subject").filter(label="mews"):
        act = find_last_act(tag)
        assert act is not None
        undo_act(tag.subject, act.id, DOING)


def merge_twice(house: House) -> None:
    merge_all(house)
    by_label = {tag.label: tag for tag in Tag.objects.select_related("subject")}
    merge_memories(by_label["码头"], by_label["mews"], DOING)


SCENES: dict[str, Callable[[House], None]] = {
    "corrected": correct_all,
    "merged": merge_all,
    "merged into it": merge_into_learned,
    "merged twice": merge_twice,
    "merged, taken back": merge_and_take_back,
    "retired": retire_all,
}


@pytest.mark.parametrize("scene", sorted(SCENES))
@pytest.mark.parametrize("remove", ["conversation", "memory"])
@pytest.mark.parametrize("language", sorted(SAID))
def test_no_word_of_the_message_is_left(world: World, scene: str, remove: str, language: str) -> None:
    house = world.acme
    word, said = SAID[language]
    label(house, "mews")
    label(house, "码头")
    prefer(house, "drinks", "tea", "乌龙")
    know(house, occupation="pilot")
    teach(house, "trip", said)
    with tenant_tx(house.tenant.id):
        assert all(load_learned(model) for model in (Tag, Preference, ProfileFact))
        SCENES[scene](house)
    assert tables_with(word)

    delete(house) if remove == "conversation" else forget(house, said)

    assert tables_with(word) == {}


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        ("We met at Kestrel4711.", "My home address is 99 Oak Avenue.", "Kestrel4711"),
        ("我们在红隼四七一一见面。", "我家住在南京西路1266号。", "红隼四七一一"),
    ],
)
def test_an_alias_takes_the_place_of_a_label_that_goes(world: World, first: str, second: str, word: str) -> None:
    house = world.acme
    teach(house, "trip", first)
    teach(house, "dinner", second)
    with tenant_tx(house.tenant.id):
        kept = Tag.objects.select_related("subject").get()
        said = Message.objects.get(content=first)
        named = Tag.objects.create(subject=kept.subject, label=word)
        TagSource.objects.create(subject=kept.subject, memory=named, message=said)
        merge_memories(Tag.objects.select_related("subject").get(id=named.id), kept, DOING)

    delete(house)

    assert tables_with(word) == {}
    with tenant_tx(house.tenant.id):
        assert Tag.objects.get().label == kept.label


def test_acts_on_other_tags_can_still_be_taken_back(world: World) -> None:
    house = world.acme
    label(house, "码头", address="外滩1号")
    teach(house, "trip", SAID["en"][1])
    with tenant_tx(house.tenant.id):
        tag = Tag.objects.select_related("subject").get(label="码头")
        correct_tag(tag, {"address": "衡山路10号"}, DOING)
    delete(house)
    with tenant_tx(house.tenant.id):
        act = find_last_act(tag)
        assert act is not None
        undo_act(tag.subject, act.id, DOING)
        assert Tag.objects.get().address == "外滩1号"


@pytest.mark.parametrize("word", ["kestrel4711", "红隼四七一一"])
def test_a_tag_that_is_forgotten_takes_what_was_merged_into_it_before(world: World, word: str) -> None:
    house = world.acme
    for name in (word, "dock", "码头"):
        label(house, name, address=f"{word} {name}")
    with tenant_tx(house.tenant.id):
        by_label = {tag.label: tag for tag in Tag.objects.select_related("subject")}
        merge_memories(by_label["dock"], by_label[word], DOING)
        merge_memories(by_label["码头"], by_label["dock"], DOING)
        assert MemoryAct.objects.count() == 2
        forget_tag(house.subject, Tag.objects.get(), by=COMMAND_LINE)
    assert tables_with(word) == {}
