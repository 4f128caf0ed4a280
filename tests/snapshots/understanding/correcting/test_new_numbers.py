"""Somebody's new number replaces the old one wherever it stands, and nobody else's. Rows: P4, P9, P10."""

import pytest

from profiles.models import Tag
from snapshots.understanding.changes.sentence_note_features import NoteText, SaidSentence
from snapshots.understanding.correcting.note_corrections import correct_matching_notes
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.correcting.test_note_corrections import TUESDAY, list_notes
from tests.snapshots.understanding.making import say, settle

OLD, NEW, OTHER = "07700 900123", "07700 900456", "07700 900777"
OLD_ZH, NEW_ZH, OTHER_ZH = "13800001111", "13900003333", "13800007777"
HELD = [
    NoteText(f"Mum's number is {OLD}, ring her in an emergency", "Mum", vital_class="emergency"),
    NoteText(f"My dad's number is {OTHER}", "dad"),
]
HELD_ZH = [
    NoteText(f"我爸爸电话{OLD_ZH},有急事找他", "爸爸", vital_class="emergency"),
    NoteText(f"我妈电话{OTHER_ZH}", "妈"),
]
TOLD = [
    f"Mum's got a new number by the way, it's {NEW}",
    f"My mother has a new phone number: {NEW}",
    f"Mum changed her number, it's {NEW} now",
    f"mum's number has changed to {NEW}",
    f"My mum's new number is {NEW}",
    f"new mobile for mum, {NEW}",
    f"Mom got a different number: {NEW}",
    f"Please note my mother's new mobile number, {NEW}",
    f"mum's on a new sim, new number {NEW}",
    f"Mummy has changed her mobile: new phone {NEW}",
]
TOLD_ZH = [
    f"老爸换号码了,现在是{NEW_ZH}",
    f"我爸换号了,新号{NEW_ZH}",
    f"爸爸的新号码是{NEW_ZH}",
    f"我父亲换了手机号,{NEW_ZH}",
    f"爸换了个新号{NEW_ZH}",
    f"我爸电话换了,打{NEW_ZH}",
    f"老爸新手机号{NEW_ZH}",
    f"爸爸手机号换成{NEW_ZH}了,新号记一下",
    f"我爸上周换了号,{NEW_ZH}",
    f"记一下我爸的新电话{NEW_ZH}",
]
NEIGHBOURS = [
    f"My aunt's got a new number, it's {NEW}",
    f"Dave's got a new number, it's {NEW}",
    f"I've got a new number, it's {NEW}",
    f"The plumber's new number is {NEW}",
    f"Mum's new number was {NEW} and her old one {OTHER}",
    f"If mum got a new number like {NEW} I'd forget it",
    f"Is {NEW} mum's new number?",
    "Mum's got a new number, I'll find it",
    f"Mum's friend has a new number, it's {NEW}, my cousin says",
    f"My mother-in-law's new number is {NEW}",
]
NEIGHBOURS_ZH = [
    f"我姑姑换号了,新号{NEW_ZH}",
    f"老王换号了,新号{NEW_ZH}",
    f"我换号了,新号{NEW_ZH}",
    f"快递员新号码{NEW_ZH}",
    "我爸换号了,新号回头给你",
    f"{NEW_ZH}是我爸的新号吗?",
    f"要是我爸换号,比如{NEW_ZH},我就记不住",
    f"我爸和我姑姑的新号是{NEW_ZH}",
    f"我爷爷换号了,{NEW_ZH}",
    f"公司换号了,新号{NEW_ZH}",
]


def list_phones(house: House) -> dict[str, str]:
    """Return the number of each contact."""
    with tenant_tx(house.tenant.id):
        return dict(Tag.objects.filter(subject_id=house.subject.id).values_list("label", "phone"))


@pytest.mark.parametrize("said", TOLD)
def test_a_new_number_stands_in_the_note_of_its_owner(said: str) -> None:
    assert [(one.place, one.text) for one in correct_matching_notes(SaidSentence(said), HELD, [])] == [
        (0, f"Mum's number is {NEW}, ring her in an emergency")
    ]


@pytest.mark.parametrize("said", TOLD_ZH)
def test_a_new_number_stands_in_the_note_of_its_owner_in_chinese(said: str) -> None:
    assert [(one.place, one.text) for one in correct_matching_notes(SaidSentence(said), HELD_ZH, [])] == [
        (0, f"我爸爸电话{NEW_ZH},有急事找他")
    ]


@pytest.mark.parametrize("said", NEIGHBOURS)
def test_a_number_of_somebody_else_changes_none(said: str) -> None:
    assert correct_matching_notes(SaidSentence(said), HELD, []) == []


@pytest.mark.parametrize("said", NEIGHBOURS_ZH)
def test_a_number_of_somebody_else_changes_none_in_chinese(said: str) -> None:
    assert correct_matching_notes(SaidSentence(said), HELD_ZH, []) == []


def test_of_two_numbers_neither_is_put_right() -> None:
    held = [*HELD, NoteText(f"Mum's landline is {OTHER}", "Mum")]
    assert correct_matching_notes(SaidSentence(TOLD[0]), held, []) == []


@pytest.mark.parametrize(
    ("before", "said", "phones"),
    [
        (
            [f"My dad's number is {OTHER}", f"My emergency contact is my mum, {OLD}"],
            f"Mum's got a new number by the way, it's {NEW}",
            {"dad": OTHER, "emergency contact": NEW, "mum": NEW},
        ),
        (
            [f"我妈电话{OTHER_ZH}", f"紧急联系人是我爸,电话{OLD_ZH}", f"我爸爸电话{OLD_ZH}"],
            f"老爸换号码了,现在是{NEW_ZH}",
            {"妈": OTHER_ZH, "紧急联系人": NEW_ZH, "爸爸": NEW_ZH},
        ),
        (
            [f"My sister Anna's number is {OLD}", f"My emergency contact is my brother Tom, {OTHER}"],
            f"Anna has changed her number, it's {NEW}",
            {"Anna": NEW, "emergency contact": OTHER},
        ),
    ],
)
def test_contacts_have_the_new_number_and_nobody_has_two_tags(
    world: World, before: list[str], said: str, phones: dict[str, str]
) -> None:
    acme = world.acme
    say(acme, *before)
    settle(acme)
    say(acme, said, at=TUESDAY)
    settle(acme)
    assert list_phones(acme) == phones
    assert not [text for text in list_notes(acme) if OLD in text or OLD_ZH in text]
    assert list_phones(world.globex) == {}
