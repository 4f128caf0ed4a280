"""What answers our own questions in plain talk, and what closes an ask. Rows: A2, A4, P7."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.completeness import NEEDS, measure_completeness
from profiles.models import Ask, Tag
from snapshots.intake.values import IncomingMessage
from snapshots.understanding.drafting.answered_asks import ASK_PATTERNS
from snapshots.understanding.slots.slot_reading import read_slots
from snapshots.understanding.values import ExtractionContext
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import post, settle
from tests.snapshots.understanding.slots.describing import describe

QUESTIONS = {need.key: (need.question_en, need.question_zh) for need in NEEDS}
NUMBER, NUMBER_ZH = "905-555-0136", "13800138000"
CONTACTS = [
    (0, NUMBER, "emergency contact", NUMBER, ""),
    (0, f"Anna {NUMBER}", "Anna", NUMBER, ""),
    (0, f"My sister Anna, {NUMBER}", "Anna", NUMBER, "sister"),
    (0, f"my mum on {NUMBER}", "mum", NUMBER, "mum"),
    (0, f"{NUMBER}, that's my wife", "wife", NUMBER, "wife"),
    (1, NUMBER_ZH, "紧急联系人", NUMBER_ZH, ""),
    (1, f"我姐姐,{NUMBER_ZH}", "姐姐", NUMBER_ZH, "姐姐"),
    (1, f"张丽 {NUMBER_ZH}", "张丽", NUMBER_ZH, ""),
    (1, f"张丽,我姐姐,{NUMBER_ZH}", "张丽", NUMBER_ZH, "姐姐"),
    (1, f"{NUMBER_ZH},我老婆", "老婆", NUMBER_ZH, "老婆"),
]
NO_ANSWERS = [
    (0, "I'd rather not say"),
    (0, "Nobody"),
    (0, "I live in Porto"),
    (0, f"Call the restaurant on {NUMBER}"),
    (1, "不想说"),
    (1, "没有这样的人"),
    (1, "我住在成都"),
]


def answer(house: House, key: str, question: str, said: str) -> Ask:
    """Give out an ask, have the assistant put it and the user say something; return the ask as it is then."""
    with tenant_tx(house.tenant.id):
        ask = Ask.objects.create(
            subject=house.subject, conversation="c1", key=key, priority="high", question=question, asked_at=utc_now()
        )
    now = utc_now()
    turns = [IncomingMessage("assistant", question, said_at=now - timedelta(seconds=9))]
    post(house, [*turns, IncomingMessage("user", said, said_at=now - timedelta(seconds=1))])
    settle(house)
    with tenant_tx(house.tenant.id):
        ask.refresh_from_db()
    return ask


def missing(house: House) -> set[str]:
    with tenant_tx(house.tenant.id):
        return {need.key for need in measure_completeness(house.subject).missing}


def test_every_question_of_ours_has_what_it_is_known_by() -> None:
    assert set(ASK_PATTERNS) == set(QUESTIONS)
    for key, asked in ASK_PATTERNS.items():
        assert [question for question in QUESTIONS[key] if not asked.asks.search(question)] == []


@pytest.mark.parametrize(("language", "said", "label", "phone", "relation"), CONTACTS)
def test_whom_to_call_is_a_contact_and_closes_the_ask(
    world: World, language: int, said: str, label: str, phone: str, relation: str
) -> None:
    ask = answer(world.acme, "emergency_contact", QUESTIONS["emergency_contact"][language], said)
    with tenant_tx(world.acme.tenant.id):
        tags = list(Tag.objects.values_list("label", "kind", "phone", "relation"))
    assert [(*told, kin or "") for *told, kin in tags] == [(label, "contact", phone, relation)]
    assert ask.accepted is True
    assert "emergency_contact" not in missing(world.acme)


@pytest.mark.parametrize(("language", "said"), NO_ANSWERS)
def test_what_tells_no_number_to_call_leaves_the_ask_open(world: World, language: int, said: str) -> None:
    ask = answer(world.acme, "emergency_contact", QUESTIONS["emergency_contact"][language], said)
    assert ask.answered_at is None
    assert "emergency_contact" in missing(world.acme)


@pytest.mark.parametrize(
    ("language", "said"), [(0, "Acme"), (0, "9 Quay Street, Auckland"), (1, "华为"), (1, "张江路88号3号楼")]
)
def test_an_employer_says_where_somebody_works_as_a_place_does(world: World, language: int, said: str) -> None:
    assert answer(world.acme, "work", QUESTIONS["work"][language], said).accepted is True
    assert "work" not in missing(world.acme)


@pytest.mark.parametrize(
    ("question", "said", "place"),
    [
        ("Where is home for you?", "48 Linden Avenue", "tag/home"),
        ("And where's home for you these days?", "48 Linden Avenue", "tag/home"),
        ("Where do you call home?", "Utrecht", "city"),
        ("Where's your home?", "Utrecht", "city"),
        ("您家在哪里?", "幸福路8号", "tag/家"),
        ("您家住哪儿?", "幸福路8号", "tag/家"),
        ("哪里是您的家?", "幸福路8号", "tag/家"),
        ("您平时住哪里?", "成都", "city"),
        ("Who is your emergency contact?", NUMBER, "tag/emergency contact"),
        ("Who should I ring if something happens to you?", NUMBER, "tag/emergency contact"),
        ("您的紧急联系人是谁?", NUMBER_ZH, "tag/紧急联系人"),
        ("万一有急事打给谁?", NUMBER_ZH, "tag/紧急联系人"),
    ],
)
def test_a_question_is_understood_in_other_words_and_without_an_ask(question: str, said: str, place: str) -> None:
    assert list(describe(read_slots(said, ExtractionContext(previous=question), message_key="m"))) == [place]
