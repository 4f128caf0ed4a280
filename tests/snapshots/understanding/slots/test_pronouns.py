"""Whose number "her number" is: that of the one contact just named whom it may mean, else nobody's. Row: P10."""

import pytest

from snapshots.understanding.slots.slot_reading import read_slots
from snapshots.understanding.values import Evidence, ExtractionContext, NearbyPeople, TagCandidate
from tests.snapshots.understanding.slots.describing import describe

NOWHERE = Evidence("before", "before", 0)


def contact(label: str, relation: str, *aliases: str) -> TagCandidate:
    return TagCandidate(label, "contact", NOWHERE, relation=relation, aliases=aliases)


SARAH, TOM, PRIYA = contact("wife", "wife", "Sarah"), contact("Tom", "brother"), contact("Priya", "colleague")
WANG, LI, ZHANG = contact("老婆", "老婆", "王敏"), contact("李强", "弟弟"), contact("张三", "朋友")


def details(message: str, nearby: NearbyPeople | None = None) -> dict[str, tuple[str, str]]:
    """Return phone and address by label of what a message says of contacts that it tells more about than a name."""
    told = describe(read_slots(message, ExtractionContext(nearby=nearby or NearbyPeople()), message_key="m"))
    found = {place: (str(one.get("phone", "")), str(one.get("address", ""))) for place, one in told.items()}
    return {place.removeprefix("tag/"): said for place, said in found.items() if any(said)}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("My wife is Sarah. Her number is 555-0101.", {"wife": ("555-0101", "")}),
        ("My wife is Sarah, her cell is 555-010-1234", {"wife": ("555-010-1234", "")}),
        ("My brother is Tom. My wife is Sarah. Her number is 555-0101.", {"wife": ("555-0101", "")}),
        ("My dad is Bob. Our landlady is strict. Her address is 5 Mill Rd.", {"landlady": ("", "5 Mill Rd")}),
        ("My friend Tom lives at 5 Mill Rd but I never go there", {"Tom": ("", "5 Mill Rd")}),
        ("My dad is Bob and he lives at 14 Calloway Rise.", {"dad": ("", "14 Calloway Rise")}),
        ("My son is Theo. His address is 14 Calloway Rise.", {"Theo": ("", "14 Calloway Rise")}),
        ("我老婆叫王敏,她的电话是13900001234", {"老婆": ("13900001234", "")}),
        ("我弟弟叫李强。我老婆叫王敏。她的手机号是13900001234", {"老婆": ("13900001234", "")}),
        ("我姐叫李静。她的地址是幸福路3号", {"李静": ("", "幸福路3号")}),
        ("我朋友张三住长阳路1900弄,不过我从来不去", {"张三": ("", "长阳路1900弄")}),
    ],
)
def test_a_pronoun_means_the_contact_named_before_it(message: str, told: dict[str, tuple[str, str]]) -> None:
    assert details(message) == told


@pytest.mark.parametrize(
    ("contacts", "message", "told"),
    [
        ((SARAH,), "Her number is 555-0101", {"wife": ("555-0101", "")}),
        ((SARAH, TOM), "Her number is 555-0101", {"wife": ("555-0101", "")}),
        ((SARAH, TOM), "His address is 5 Mill Rd", {"Tom": ("", "5 Mill Rd")}),
        ((PRIYA,), "You can reach them on 020 7946 0018", {"Priya": ("020 7946 0018", "")}),
        ((SARAH,), "Our cleaner starts on Monday. Her number is 555-0101.", {"cleaner": ("555-0101", "")}),
        ((WANG,), "她的电话是13900001234", {"老婆": ("13900001234", "")}),
        ((WANG, LI), "他住幸福路3号", {"李强": ("", "幸福路3号")}),
        ((ZHANG,), "他的电话是13900001234", {"张三": ("13900001234", "")}),
    ],
)
def test_a_pronoun_means_the_contact_of_the_turn_before(
    contacts: tuple[TagCandidate, ...], message: str, told: dict[str, tuple[str, str]]
) -> None:
    assert details(message, NearbyPeople(contacts, "")) == told


@pytest.mark.parametrize(
    "message",
    [
        "Her number is 555-0101",
        "My husband is Tom. Her number is 555-0101.",
        "My sister is Ana. My mum is Rosa. Her number is 555-0101.",
        "My friend is Sam. My colleague is Alex. His number is 555-0101.",
        "My wife is Sarah. The plumber came today. Her number is 555-0101.",
        "My wife is Sarah. Dana is the new nurse. Her number is 555-0101.",
        "My wife is Sarah. Is her number 555-0101?",
        "My wife is Sarah. If her number is 555-0101, tell me.",
        "My wife is Sarah. Call her at 5.",
        "My wife is Sarah. Her order number is 5550101.",
        "My wife is Sarah. Her flight is at 9.",
        "My wife is Sarah. She lives at a fast pace.",
        "My wife is Sarah. Its number is 555-0101.",
        "My daughter is Mia. His address is 14 Calloway Rise.",
        "My brother is Leo and she lives at 5 Poplar Court.",
        "The nurse is kind and she lives at 5 Poplar Court",
        "My mum is Rosa. The courier said her number is 555-0101.",
        "Write a story: my wife is Sarah. Her number is 555-0101.",
        "Her birthday is 3 May",
    ],
)
def test_where_a_pronoun_may_mean_another_nothing_is_believed(message: str) -> None:
    assert details(message) == {}


@pytest.mark.parametrize(
    "message",
    [
        "她电话是13900001234",
        "我老公叫陈涛。她电话是13900001234",
        "我姐叫李静。我妈叫张兰。她电话是13900001234",
        "我朋友叫张三。我同事叫李强。他电话是13900001234",
        "我老婆叫王敏。我同事来了。她电话是13900001234",
        "我老婆叫王敏。她电话是13900001234吗?",
        "我老婆叫王敏。她电话多少?",
        "我老婆叫王敏。如果她电话是13900001234就告诉我",
        "我姐叫李静。他住幸福路3号",
        "我弟叫李明。她的地址是幸福路3号",
        "她的地址是幸福路3号",
        "他住幸福路3号",
        "我老婆叫王敏。它的电话是13900001234",
        "我老婆叫王敏。她住三楼",
        "我老婆叫王敏。她住不惯这里",
        "我老婆叫王敏。她的订单号是13900001234",
        "我老婆叫王敏。她5点到",
        "我妈叫张兰。房东说她电话是13900001234",
        "他老婆叫王敏。她电话是13900001234",
        "我女儿叫朵朵。老师今天来了,她电话是13900001234",
    ],
)
def test_where_a_chinese_pronoun_may_mean_another_nothing_is_believed(message: str) -> None:
    assert details(message) == {}


@pytest.mark.parametrize(
    ("contacts", "said", "message"),
    [
        ((SARAH, contact("Ana", "sister")), "", "Her number is 555-0101"),
        ((TOM,), "", "Her number is 555-0101"),
        ((SARAH,), "My wife is Sarah\nAnd who is your dentist?", "Her number is 555-0101"),
        ((WANG,), "我老婆叫王敏\n那你的房东呢?", "她的电话是13900001234"),
        ((WANG, contact("妈", "妈")), "", "她的电话是13900001234"),
    ],
)
def test_where_somebody_else_was_spoken_of_since_nothing_is_believed(
    contacts: tuple[TagCandidate, ...], said: str, message: str
) -> None:
    assert details(message, NearbyPeople(contacts, said)) == {}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Tom moved to 9 Pine Lane, Austin", {"Tom": ("", "9 Pine Lane, Austin")}),
        ("Aunt May lives at 20 Ingram Street", {}),
        ("张三搬到长阳路1900弄3号楼了", {"张三": ("", "长阳路1900弄3号楼")}),
        ("李总住在虹桥路1829号", {}),
    ],
)
def test_where_somebody_known_lives_is_their_address_and_nobody_else_s(
    message: str, told: dict[str, tuple[str, str]]
) -> None:
    assert details(message, NearbyPeople(known_tags=(TOM, ZHANG))) == told


@pytest.mark.parametrize(
    ("said", "value"), [("I'm allergic to \u202epenicillin", "penicillin"), ("我对\u202e花生过敏", "花生")]
)
def test_a_value_holds_no_sign_that_turns_what_is_read_around(said: str, value: str) -> None:
    (entries,) = describe(read_slots(said, message_key="m")).values()
    assert entries == [value]
