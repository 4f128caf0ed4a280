"""Many people who have nothing to do with each other, one memory each."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from profiles.models import Subject
from tenants.isolation import tenant_tx
from tests.conftest import House
from tests.snapshots.held import remember

LONG_AGO = datetime(2025, 5, 8, 9, 0, tzinfo=UTC)
"""Said on a fixed day: dates are embedded with what was said on them."""

ENGLISH = (
    "My sister plays the cello in a string quartet",
    "The roof of the barn leaks whenever it rains",
    "I am allergic to peanuts and carry an injector",
    "We fly to Lisbon on Friday evening",
    "He repaired the brakes of his old motorcycle",
    "Her thesis deals with medieval land taxes",
    "The bakery around the corner sells sourdough",
    "Our cat sleeps on top of the fridge",
    "She sold all her shares before the crash",
    "The dentist found two holes in my teeth",
    "They planted forty apple trees last autumn",
    "I prefer the window seat on long trains",
    "The printer in the office is out of ink again",
    "My grandfather was a lighthouse keeper",
    "Swimming every morning helped my back",
    "The court moved the hearing to November",
    "We painted the nursery bright yellow",
    "His favourite novel is about whales",
    "The volcano had been silent for a century",
    "I never drink coffee after noon",
    "The children built a snowman behind the school",
    "Our landlord wants to raise the rent",
    "She speaks Finnish with her mother",
    "The vaccine has to be kept frozen",
    "He lost his wallet at the stadium",
    "The recipe needs three eggs and some butter",
    "My password manager locked me out",
    "The telescope shows the rings of Saturn",
    "They got married in a tiny chapel",
    "The strike closed every airport in the country",
    "I knit scarves while watching detective films",
    "The river flooded the cellar twice",
    "Her startup makes sensors for beehives",
    "We adopted a greyhound from the shelter",
    "The museum shows Roman glass until March",
    "He runs the marathon in under three hours",
    "My new boss answers mails at midnight",
    "The sofa did not fit through the door",
    "She collects stamps from countries that are gone",
    "The electrician comes on Tuesday at nine",
)
CHINESE = (
    "我每个周末都去爬山",
    "他对花生过敏",
    "奶奶住在苏州的老房子里",
    "公司明年要搬到浦东",
    "她正在学习弹古筝",
    "这台冰箱声音太大了",
    "我们养了两只乌龟",
    "高铁票已经卖完了",
)


def person(house: House, name: str) -> House:
    """Return the house with another subject, who is new."""
    with tenant_tx(house.tenant.id):
        return replace(house, subject=Subject.objects.create(external_id=name))


def strangers(house: House, *texts: str) -> list[UUID]:
    """Store each text as the only memory of a person of its own; return their ids."""
    people = [person(house, f"stranger-{number}") for number in range(len(texts))]
    return [remember(one, text, said_at=LONG_AGO)[0] for one, text in zip(people, texts, strict=True)]
