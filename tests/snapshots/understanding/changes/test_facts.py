"""Of a note that says several things, what a sentence ends goes and the rest stays, in both languages. Rows: P4, P9."""

from datetime import timedelta

import pytest

from profiles.models import Preference, ProfileFact
from snapshots.models import Snapshot
from snapshots.understanding.changes.sentence_note_features import NoteText, SaidSentence
from snapshots.understanding.changes.unchanged_notes import has_other_facts
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, say, settle

TUESDAY = MONDAY + timedelta(days=1)
SEVERAL = [
    ("I take metformin 500 twice a day for my type 2 diabetes", "I no longer take metformin", "diabetes"),
    ("I have type 2 diabetes and take insulin every morning", "I stopped taking insulin", "diabetes"),
    ("My daughter Mia, 6, is allergic to eggs and plays the violin", "Mia quit the violin", "eggs"),
    ("My wife Ana is allergic to latex and works at Bosch", "Ana left Bosch", "latex"),
    ("I have asthma and use a blue inhaler", "I don't use the blue inhaler anymore", "asthma"),
    ("I'm Omar, I'm diabetic and I work nights at Mercy Hospital", "I don't work nights anymore", "Omar"),
    ("My name is Lena and I work at Siemens in Munich", "I left Siemens", "Lena"),
    ("I'm Jon, I live in Porto and drive a Golf", "I sold the Golf", "Porto"),
    ("我有高血压,每天吃氨氯地平", "氨氯地平停了", "高血压"),
    ("我住在杭州,对芒果过敏,开比亚迪", "比亚迪卖了", "芒果"),
    ("我叫王芳,在北京做会计,养了一只狗", "我不做会计了", "王芳"),
]
ONE = [
    ("I'm allergic to peanuts", "I'm not allergic to peanuts anymore", True),
    ("My sister lives in Leeds", "My sister moved to Cork", False),
    ("I have a gym membership at Ironworks", "I cancelled the gym membership at Ironworks", False),
    ("我对花生过敏", "我不再对花生过敏了", True),
    ("我在银行做柜员", "我从银行辞职了", False),
]


def list_held(house: House) -> list[str]:
    """Return what holds: the words of memories, and the values of slots."""
    now = {"invalid_at__isnull": True, "retired_at__isnull": True}
    with tenant_tx(house.tenant.id):
        texts = list(
            Snapshot.objects.filter(subject_id=house.subject.id, kind="note", **now).values_list("text", flat=True)
        )
        values = [
            str(row.value)
            for model in (Preference, ProfileFact)
            for row in model.objects.filter(subject_id=house.subject.id, version_of__isnull=True, **now)
        ]
    return [*texts, *values]


@pytest.mark.parametrize(("said", "change", "stays"), SEVERAL)
def test_what_a_change_does_not_name_stays(world: World, said: str, change: str, stays: str) -> None:
    acme = world.acme
    say(acme, said)
    settle(acme)
    before = list_held(acme)
    say(acme, change, at=TUESDAY)
    settle(acme)
    kept = [one for one in list_held(acme) if stays in one]
    assert kept == [one for one in before if stays in one]
    assert kept


@pytest.mark.parametrize(("said", "change", "_stays"), SEVERAL)
def test_a_note_of_several_facts_says_more_than_what_ends(said: str, change: str, _stays: str) -> None:
    assert has_other_facts(SaidSentence(change), NoteText(said))


@pytest.mark.parametrize(("said", "change", "is_vital"), ONE)
def test_a_note_of_one_fact_does_not(said: str, change: str, is_vital: bool) -> None:
    assert not has_other_facts(SaidSentence(change), NoteText(said, vital_class="illness" if is_vital else ""))
