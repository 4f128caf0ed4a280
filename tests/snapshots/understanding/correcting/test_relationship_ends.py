"""Who is to the user no more what they were: the contact stays, with a past. Rows: P10, G4."""

import tomllib
from collections.abc import Iterator

import pytest

from profiles.models import Tag, TagDetail
from snapshots.understanding.correcting.relationship_ends import (
    DIED,
    FILE,
    GONE,
    PARTED,
    find_parted_contacts,
    is_pet_gone,
)
from snapshots.understanding.reading.own_sentences import OwnSentence
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.values import Evidence, TagCandidate, Utterance
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.erasure.learned.test_unlearn_messages import delete
from tests.snapshots.understanding.changes.test_ends import TUESDAY, list_texts
from tests.snapshots.understanding.making import profile, say, settle


def examples(*ends: str) -> Iterator[tuple[str, str, str, str]]:
    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))
    for end in ends:
        for language in ("en", "zh"):
            for text, who in rows[end][language]["examples"]:
                yield end, language, text, who


def make_candidate(label: str, relation: str) -> TagCandidate:
    return TagCandidate(label, "contact", Evidence("m", label, 0), relation=relation)


def find_partings(text: str, language: str, *among: TagCandidate) -> list[tuple[str, str | None]]:
    sentence = OwnSentence(Utterance("m", "user", None, text, TUESDAY, 1), text, 0, language)
    return [(one.label, one.relation) for one in find_parted_contacts(sentence, among)]


@pytest.mark.parametrize(("end", "language", "text", "who"), list(examples(PARTED, DIED)))
def test_a_way_names_whom_its_examples_name(end: str, language: str, text: str, who: str) -> None:
    partner = "girlfriend" if language == "en" else "女朋友"
    others = (make_candidate("Gil", "colleague"), make_candidate("老秦", "同事"))
    label = who or "Inès"
    relation = label if label in ("wife", "老婆", "grandmother", "奶奶") else partner
    (found,) = find_partings(text, language, *others, make_candidate(label, relation))
    assert found[0] == label
    assert found[1] in {"ex-girlfriend", "ex-wife", "前女朋友", "前妻", f"late {relation}", f"已故{relation}"}
    assert (end == "died") == (found[1] or "").startswith(("late ", "已故"))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("If Rahel and I broke up I'd move to Ghent", "en"),
        ("Did Rahel and I break up?", "en"),
        ("Rahel and I almost broke up", "en"),
        ("Rahel and I are not divorced", "en"),
        ("Rahel wants to split up", "en"),
        ("Gil says Rahel and I broke up", "en"),
        ("Rahel left me a note", "en"),
        ("I left Rahel at the station", "en"),
        ("Rahel and Gil broke up", "en"),
        ("My sister and her husband are divorced", "en"),
        ("Rahel died her hair red", "en"),
        ("Rahel's phone died", "en"),
        ("We broke up the fight", "en"),
        ("Gil left me", "en"),
        ("小满差点跟我分手", "zh"),
        ("要是和小满分手了怎么办", "zh"),
        ("我和小满没分手", "zh"),
        ("我姐离婚了", "zh"),
        ("听说小满去世了", "zh"),
        ("小满想分手", "zh"),
        ("我和小满分手了吗?", "zh"),
        ("我和小满分开坐", "zh"),
    ],
)
def test_nobody_parts_by_what_is_not_said_to_be_so(text: str, language: str) -> None:
    among = make_candidate("Rahel", "girlfriend"), make_candidate("小满", "女朋友"), make_candidate("Gil", "colleague")
    assert find_partings(text, language, *among) == []


def test_without_a_name_it_is_the_only_partner() -> None:
    one, other = make_candidate("Rahel", "girlfriend"), make_candidate("Enzo", "husband")
    assert find_partings("we broke up in May", "en", one, make_candidate("Gil", "friend")) == [
        ("Rahel", "ex-girlfriend")
    ]
    assert find_partings("we broke up in May", "en", one, other) == []
    assert find_partings("we broke up with that shop, the fees got stupid", "en", one) == []
    assert find_partings("We broke up the fight", "en", one) == []
    assert find_partings("we broke up in May", "en", make_candidate("Rahel", "ex-girlfriend")) == []


@pytest.mark.parametrize(
    ("first", "change", "label", "before", "after"),
    [
        (
            "My girlfriend Rahel is allergic to wool",
            "Rahel and I broke up",
            "girlfriend",
            "girlfriend",
            "ex-girlfriend",
        ),
        ("我女朋友小满是护士", "我和小满分手了", "女朋友", "女朋友", "前女朋友"),
        ("Our cat Miso is allergic to chicken", "Miso passed away yesterday", "Miso", "cat", "late cat"),
    ],
)
def test_a_contact_stays_with_what_it_was_as_its_past(
    world: World, first: str, change: str, label: str, before: str, after: str
) -> None:
    acme = world.acme
    say(acme, first)
    settle(acme)
    kind, relation, _ = told_of(acme, label)
    assert relation == before
    say(acme, change, at=TUESDAY, conversation="later")
    settle(acme)
    assert told_of(acme, label) == (kind, after, [before, after])
    with tenant_tx(world.globex.tenant.id):
        assert not Tag.objects.exists()
    delete(acme, "later")
    settle(acme)
    assert told_of(acme, label)[:2] == (kind, before)


def told_of(house: House, label: str) -> tuple[str, str, list[str]]:
    """Return the kind of a tag, its relation, and what that has been."""
    with tenant_tx(house.tenant.id):
        tag = Tag.objects.get(subject_id=house.subject.id, label=label)
        past = TagDetail.objects.filter(tag=tag, detail="relation", retired_at__isnull=True, version_of__isnull=True)
        return tag.kind, tag.relation, list(past.order_by("valid_at").values_list("value", flat=True))


@pytest.mark.parametrize(("end", "language", "text", "who"), list(examples(GONE)))
def test_a_way_names_the_pet_that_is_gone(end: str, language: str, text: str, who: str) -> None:
    pet = {"dog": "dog Pip", "狗": "狗旺财"}.get(who, f"dog {who}" if language == "en" else f"狗{who}")
    assert is_pet_gone(pet, fold_for_matching(text), language)
    assert not is_pet_gone("cat Miso" if language == "en" else "猫花卷", fold_for_matching(text), language)


@pytest.mark.parametrize(
    "text",
    [
        "My neighbour's dog died",
        "Did Biscuit die?",
        "If Biscuit died I'd be lost",
        "Biscuit nearly died last year",
        "Biscuit went to the vet",
        "I lost Biscuit's lead",
        "We put Biscuit in the kitchen",
        "I gave Biscuit a bath",
        "I gave Biscuit to the sitter for the weekend",
        "Biscuit ran in the park",
        "Her dog ran away",
        "邻居的狗死了",
        "豆豆走了一小时",
        "豆豆吃了一整碗",
        "豆豆差点走丢了",
        "别人的狗送人了",
        "要是豆豆走丢了我会疯",
        "豆豆的球丢了",
    ],
)
def test_a_pet_that_is_there_stays(text: str) -> None:
    language = "en" if text.isascii() else "zh"
    assert not is_pet_gone("dog Biscuit" if language == "en" else "狗豆豆", fold_for_matching(text), language)


PETS_GONE = [
    ("My dog is called Biscuit", "Biscuit died last week"),
    ("We have a cat called Rex", "We had to put Rex down"),
    ("My dog's name is Rusty", "We gave Rusty away"),
    ("我家的狗叫豆豆", "豆豆走丢了"),
    ("我养了一只猫叫咪咪", "咪咪去世了"),
]


@pytest.mark.parametrize(("told", "gone"), PETS_GONE)
def test_a_pet_that_is_gone_leaves_the_profile_with_its_note(world: World, told: str, gone: str) -> None:
    say(world.acme, told)
    settle(world.acme)
    assert profile(world.acme)["attributes"]["pets"]
    say(world.acme, gone, at=TUESDAY)
    settle(world.acme)
    assert "pets" not in profile(world.acme)["attributes"]
    assert told not in list_texts(world.acme)
