"""Which memories say a value that was wrong, and which only share a city or a word with it. Rows: D2, G1, P4, T7."""

import pytest

from profiles.models import Tag
from snapshots.lifecycle.staff_actions.belief_origins import (
    OriginChanged,
    find_mentions_of_corrected,
    list_corrected_values,
    retire_mentions,
)
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, correct_tag
from snapshots.lifecycle.staff_actions.undo_act import find_last_act, undo_act
from snapshots.lifecycle.staff_actions.value_mentions import (
    MAX_MENTIONS,
    ReplacedValue,
    find_mentions,
    holds_old_value,
    list_replaced_values,
)
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tenants.models import ActorKind
from tenants.services.audit import Actor
from tests.conftest import World
from tests.growth import assert_linear
from tests.snapshots.held import label, remember

SAM = ActContext(Actor(ActorKind.STAFF, "7"), "she said so on the phone 电话")
ADDRESS = ReplacedValue("400 Harbor Street, Portland", "88 Mill Avenue, Portland")
ENDED = ReplacedValue("my home is at 12 Willow Lane, Portland")
CHINESE = ReplacedValue("上海市徐汇区漕溪北路88号", "静安区南京西路1266号")


@pytest.mark.parametrize(
    ("text", "value", "is_held"),
    [
        ("assistant: Driving to 400 Harbor Street, Portland", ADDRESS, True),
        ("400 harbor street", ADDRESS, True),
        ("city: Portland", ADDRESS, False),
        ("1400 Harbor Streets", ADDRESS, False),
        ("助手：去徐汇区漕溪北路88号", CHINESE, True),
        ("漕溪北路188号", CHINESE, False),
        ("公司: 静安区南京西路1266号", CHINESE, False),
        ("my office is at 88 Mill Avenue, Portland now", ENDED, False),
        ("assistant: Driving slowly to 12 Willow Lane", ENDED, True),
        ("yes, go on", ReplacedValue("yes", "no"), False),
        ("diet: vegetarian", ReplacedValue("vegetarian", "vegan"), True),
        ("city: Portland, Oregon", ReplacedValue("Portland", "Portland, Oregon"), False),
    ],
)
def test_an_old_value_is_found_by_its_telling_parts(text: str, value: ReplacedValue, *, is_held: bool) -> None:
    assert holds_old_value(text, value) is is_held


@pytest.mark.parametrize("value", ["1" + "区" * 8_000, "1a" * 4_000, "区" * 8_000 + "1", "1 " * 4_000])
def test_hostile_values_are_compared_in_linear_time(value: str) -> None:
    assert_linear(lambda old: holds_old_value("Rain in Portland 下雨", ReplacedValue(str(old))), value)


HOME = ReplacedValue("12 Willow Lane, Portland", "3 Mill Road, Portland")
CHINESE_HOME = ReplacedValue("上海市浦东新区锦绣路100号", "上海市浦东新区世纪大道8号")


MORE_EXACT = ReplacedValue("12 Willow Lane, Portland", "12 Willow Lane, Portland, Oregon")
OTHER_CITY = ReplacedValue("5 Elm Street, Portland", "5 Elm Street, Seattle")
# Whether a text says the value: in all its parts, in some, or not at all (None).
SAID = (
    (HOME, "Driving slowly to 12 Willow Lane, Portland", True),
    (HOME, "driving to 12 willow lane in Portland", True),
    (HOME, "Food at Lotus Garden, close to 12 Willow Lane", False),
    (HOME, "The weather in Portland is fine", None),
    (HOME, "Driving to 112 Willow Lane, Portland", None),
    (HOME, "Not 12 Willow Lane, Portland, but 3 Mill Road, Portland", None),
    (CHINESE_HOME, "慢慢开往上海市浦东新区锦绣路100号", True),
    (CHINESE_HOME, "去浦东新区锦绣路100号，不走延安高架", False),
    (CHINESE_HOME, "锦绣路附近有一家川菜馆", None),
    (CHINESE_HOME, "上海市浦东新区今天有雨，气温100华氏度", None),
    (CHINESE_HOME, "去锦绣路1100号", None),
    (ReplacedValue("highway", "side streets"), "The highway was closed", None),
    (ReplacedValue("Portland", "Seattle"), "My sister lives in Portland", None),
    (ReplacedValue("22 degrees", "20 degrees"), "It was 22 degrees in Rome", None),
    (MORE_EXACT, "Driving slowly to 12 Willow Lane, Portland", None),
    (OTHER_CITY, "Rain in Portland", None),
    (OTHER_CITY, "At 5 Elm Street, Portland", True),
    (ReplacedValue("+1 503 555 0100"), "I called +1 503 555 0100 for you", True),
)


def test_only_what_says_the_value_is_a_mention(world: World) -> None:
    acme = world.acme
    remember(acme, *dict.fromkeys(text for _value, text, _is_whole in SAID))
    with tenant_tx(acme.tenant.id):
        found = {
            value: {one.memory.text: one.is_whole for one in find_mentions(acme.subject.id, [value])}
            for value, _text, _is_whole in SAID
        }
    assert [(value, text, found[value].get(text)) for value, text, _is_whole in SAID] == list(SAID)


def test_of_a_list_only_the_entry_that_went_is_replaced() -> None:
    old, new = {"stops": ["5 Elm Street", "7 Oak Street", 3, True]}, {"stops": ["7 Oak Street"]}
    assert list_replaced_values(old, new) == [ReplacedValue("5 Elm Street")]
    assert list_replaced_values("a", "b") == [ReplacedValue("a", "b")]
    assert list_replaced_values("a", "a") == []


def test_mentions_retire_with_a_correction_that_is_done_and_come_back_with_it(world: World) -> None:
    acme, globex = world.acme, world.globex
    for house in (acme, globex):
        label(house, "home", address=HOME.old)
        remember(house, "Driving to 12 Willow Lane, Portland", "Rain in Portland", "Near 12 Willow Lane", kind="reply")
    with tenant_tx(acme.tenant.id):
        tag = Tag.objects.select_related("subject").get()
        assert list_corrected_values(tag) == [], "nothing was corrected yet"
        made = correct_tag(tag, {"address": HOME.new}, SAM)
        mentions = find_mentions_of_corrected(made)
        assert [(one.memory.text, one.is_whole) for one in mentions] == [
            ("Near 12 Willow Lane", False),
            ("Driving to 12 Willow Lane, Portland", True),
        ]
        beside = Snapshot.objects.get(text="Rain in Portland")
        seen = {one.id: one.version for one in (beside, mentions[0].memory)}
        for versions, gone in ((seen, mentions[0].memory), ({mentions[1].memory.id: 1}, mentions[1].memory)):
            assert retire_mentions(made, versions, SAM, list_corrected_values(made)) == [gone]
        assert find_mentions_of_corrected(made) == []
        assert not Snapshot.objects.get(id=beside.id).retired_at
        act = find_last_act(made)
        assert act is not None and len(act.before["origins"]) == 2
        undo_act(acme.subject, act.id, SAM)
        assert not Snapshot.objects.filter(retired_at__isnull=False).exists()
    with tenant_tx(globex.tenant.id):
        assert not Snapshot.objects.filter(retired_at__isnull=False).exists()


def test_a_chosen_mention_retires_though_many_newer_ones_came(world: World) -> None:
    acme = world.acme
    label(acme, "home", address=HOME.old)
    remember(acme, *(f"Trip {n} to 12 Willow Lane" for n in range(MAX_MENTIONS + 1)))
    with tenant_tx(acme.tenant.id):
        made = correct_tag(Tag.objects.select_related("subject").get(), {"address": HOME.new}, SAM)
        oldest = Snapshot.objects.order_by("position")[0]
        versions = {oldest.id: oldest.version}
        assert retire_mentions(made, versions, SAM, list_corrected_values(made)) == [oldest]


def test_a_mention_that_changed_since_it_was_seen_stops_the_act(world: World) -> None:
    acme = world.acme
    label(acme, "home", address=HOME.old)
    remember(acme, "Driving to 12 Willow Lane, Portland")
    with tenant_tx(acme.tenant.id):
        made = correct_tag(Tag.objects.select_related("subject").get(), {"address": HOME.new}, SAM)
        (mention,) = find_mentions_of_corrected(made)
        with pytest.raises(OriginChanged):
            retire_mentions(made, {mention.memory.id: 9}, SAM, list_corrected_values(made))
