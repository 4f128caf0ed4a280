"""Which question comes next, and when none does. Rows: A2, P7."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.elicitation.answers import AskAnswered, ValueUnclear, open_ask, read_answer, settle_ask
from profiles.elicitation.next_question import AskDecision, AskMoment, AskReason, record_next_ask
from profiles.models import Ask, Subject
from profiles.services.preferences import record_preference
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.value_claims import make_stated_claim

NOW = utc_now()
ORDER = ["name", "home", "work", "emergency_contact", "occupation", "interests", "food", "music"]


def ask(
    ada: Subject, conversation: str = "c1", *, hours: float = 0.0, quiet: bool = False, said: str = ""
) -> AskDecision:
    return record_next_ask(ada, AskMoment(conversation, quiet, said), now=NOW + timedelta(hours=hours))


def key_of(decision: AskDecision) -> str | None:
    return decision.ask.key if decision.ask else None


def know(ada: Subject, *fields: str) -> None:
    patch_profile(
        ada,
        [FactChange(FactName(field), make_stated_claim(["x"] if field == "interests" else "x")) for field in fields],
    )


def test_the_most_important_comes_first_and_each_kind_once_a_day(ada: Subject) -> None:
    asked = [key_of(ask(ada, f"c{number // 2}")) for number in range(10)]
    assert asked == [*ORDER, None, None]
    assert ask(ada, "c9").reason is AskReason.ASKED_LATELY
    assert key_of(ask(ada, "c9", hours=23.9)) is None
    assert key_of(ask(ada, "c9", hours=24.1)) == "name"
    assert [row.priority for row in Ask.objects.order_by("id")] == [*["high"] * 4, "medium", *["low"] * 3, "high"]


def test_two_in_a_conversation_and_no_third(ada: Subject) -> None:
    assert [ask(ada).reason for _ in range(3)] == [AskReason.MISSING, AskReason.MISSING, AskReason.ENOUGH]
    assert ask(ada, hours=48).reason is AskReason.ENOUGH
    assert key_of(ask(ada, "c2")) == "work"


def test_none_after_a_refusal_in_the_conversation_and_the_refused_rests(ada: Subject) -> None:
    first = ask(ada).ask
    assert first is not None
    settle_ask(ada, open_ask(ada, first.id), accepted=False)
    assert ask(ada).reason is AskReason.REFUSED
    assert ask(ada, hours=48).reason is AskReason.REFUSED
    assert key_of(ask(ada, "c2", hours=48)) == "home"
    assert key_of(ask(ada, "c3", hours=31 * 24)) == "name"


def test_what_is_known_is_not_asked(ada: Subject) -> None:
    know(ada, "name", "occupation", "interests")
    upsert_tag(ada, TagDraft("家", {"address": "人民路"}))
    upsert_tag(ada, TagDraft("office", {"address": "x"}))
    assert key_of(ask(ada)) == "emergency_contact"
    upsert_tag(ada, TagDraft("妈妈", {"phone": "110"}))
    assert key_of(ask(ada)) == "food"
    for category in ("food", "music"):
        record_preference(ada, category, "likes", make_stated_claim(["x"]))
    assert ask(ada, "c2").reason is AskReason.NOTHING_MISSING


def test_a_quiet_moment_costs_nothing(ada: Subject) -> None:
    assert [ask(ada, quiet=True).reason for _ in range(3)] == [AskReason.NOT_NOW] * 3
    assert not Ask.objects.exists()
    assert key_of(ask(ada)) == "name"


@pytest.mark.parametrize(
    ("locale", "name", "said", "chinese"),
    [
        ("zh-CN", "Ada", "hello", True),
        ("en-GB", "小明", "你好", False),
        (None, "Ada", "导航回家", True),
        (None, "小明", "navigate home", False),
        (None, "小明", "", True),
        (None, None, "", False),
    ],
)
def test_the_question_is_in_the_subject_s_language(
    ada: Subject, locale: str | None, name: str | None, said: str, chinese: bool
) -> None:
    given = {"locale": locale, "name": name}
    patch_profile(
        ada, [FactChange(FactName(field), make_stated_claim(value)) for field, value in given.items() if value]
    )
    found = record_next_ask(ada, AskMoment("c1", last_text=said)).ask
    assert found is not None
    assert any("\u4e00" <= char <= "\u9fff" for char in found.question) is chinese


def test_what_is_known_tells_the_language_where_nothing_else_does(ada: Subject) -> None:
    upsert_tag(ada, TagDraft("小安", {"phone": "110"}))
    found = record_next_ask(ada, AskMoment("c1")).ask
    assert found is not None
    assert found.question == "我该怎么称呼您?"


def test_an_ask_is_answered_once(ada: Subject) -> None:
    found = ask(ada).ask
    assert found is not None
    settle_ask(ada, open_ask(ada, found.id), accepted=True)
    with pytest.raises(AskAnswered):
        open_ask(ada, found.id)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("home", ""),
        ("home", 7),
        ("home", {}),
        ("home", {"lat": 1.0}),
        ("home", {"lat": 91, "lon": 0}),
        ("home", {"street": "x"}),
        ("name", ["Ada"]),
        ("name", "x" * 501),
        ("food", []),
        ("food", ["x", 3]),
        ("emergency_contact", "my mum"),
        ("emergency_contact", {"person": "mum"}),
        ("emergency_contact", {"phone": "none"}),
    ],
)
def test_a_value_that_is_no_answer_is_unclear(key: str, value: object) -> None:
    with pytest.raises(ValueUnclear):
        read_answer(key, value)


@pytest.mark.parametrize(
    ("value", "label", "phone"),
    [
        ("mum, +44 20 7946 0000", "mum", "+44 20 7946 0000"),
        ("妈妈 138 0013 8000", "妈妈", "138 0013 8000"),
        ("555-0147", "emergency contact", "555-0147"),
        ({"phone": "110", "relation": "sister"}, "sister", "110"),
        ({"phone": "110", "relation": "sister", "person": "Anna"}, "Anna", "110"),
    ],
)
def test_an_emergency_contact_is_read_from_words_or_an_object(value: object, label: str, phone: str) -> None:
    answer = read_answer("emergency_contact", value)
    assert answer.details is not None
    assert (answer.label, answer.details["phone"]) == (label, phone)
