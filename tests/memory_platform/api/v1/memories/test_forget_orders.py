"""What users tell an assistant to forget leaves every answer at once, can come back for a day, and is then erased.

Rows: A4, E8, T7, T1.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.urls import reverse

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.providers.redis.client import redis_client
from profiles.models import Erasure
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.jobs import drain_work_job
from snapshots.models import ForgetOrder
from snapshots.scheduled_job_registry import CARE, run_maintenance_job
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Role
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.wall import rows_of
from tests.memory_platform.console.conftest import log_in
from tests.snapshots.erasure.everywhere import redis_holds, tables_with

ADA = "/v1/subjects/ada"
TALK = f"{ADA}/conversations/talk/messages"


@pytest.fixture(autouse=True)
def clean_redis() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    yield


def post(caller: Caller, *turns: str | tuple[str, str], talk: str = TALK) -> list[dict[str, Any]]:
    """Post turns, the user's or ``(role, words)``; return what the answer's fast lane tells of orders."""
    said = [("user", turn) if isinstance(turn, str) else turn for turn in turns]
    response = caller("POST", talk, {"messages": [{"role": role, "content": words} for role, words in said]})
    assert response.status_code == 202, response.content
    told: list[dict[str, Any]] = body_of(response)["fast_lane"]
    return [one for one in told if one["verdict"] in ("forgotten", "nothing_to_forget")]


def work(world: World) -> None:
    drain_work_job(tenant_id=str(world.acme.tenant.id))


def teach(caller: Caller, world: World, *turns: str | tuple[str, str]) -> None:
    post(caller, *turns)
    work(world)


# Ids, times and their fractions of a second.
BY_CHANCE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|\d{4}-\d\d-\d\dT[\d:.]+|(?<=\d\.)\d{4,}"
)


def everything(caller: Caller, query: str) -> str:
    """Return all answers in which a memory could stand, now and at earlier moments, without ids, hashes and times: they
    may hold the digits of a text by chance."""
    now = utc_now().isoformat().replace("+00:00", "Z")
    paths = [
        *(f"{ADA}/{name}" for name in ("profile", "preferences", "tags", "notes", "snapshots", "export", "candidates")),
        *(f"{ADA}/{name}?known_at={now}" for name in ("notes", "preferences")),
        f"{ADA}/notes?include_history=true",
        f"{ADA}/preferences?include_history=true",
        f"{ADA}/profile/history",
        f"{ADA}/forget-orders",
        f"{ADA}/conversations",
        TALK,
        TALK.replace("messages", "window"),
    ]
    found = [caller("GET", path).content.decode() for path in paths]
    for path in ("recall", "context"):
        found.append(caller("POST", f"{ADA}/{path}", {"query": query}).content.decode())
    for row in body_of(caller("GET", "/v1/receipts?subject_id=ada"))["data"]:
        found.append(caller("GET", f"/v1/receipts/{row['receipt_id']}").content.decode())
    return BY_CHANCE.sub("", "\n".join(found))


def notes(caller: Caller) -> list[str]:
    return [one["text"] for one in body_of(caller("GET", f"{ADA}/notes"))["data"]]


def orders(caller: Caller) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = body_of(caller("GET", f"{ADA}/forget-orders"))["data"]
    return data


LAST = [
    ("I work as a nurse at Brightwater Clinic.", "Forget what I just said.", "Brightwater", "My cat is called Miso."),
    ("我在蓝湾医院当护士。", "忘掉我刚说的", "蓝湾", "我家的猫叫米娅。"),
]
ASKED = "What do you know of me? 你知道我什么?"


@pytest.mark.parametrize("story", LAST, ids=["en", "zh"])
@pytest.mark.parametrize("is_read", [True, False], ids=["read", "unread"])
def test_what_was_just_said_leaves_every_answer_at_once(
    acme: Caller, world: World, story: tuple[str, str, str, str], *, is_read: bool
) -> None:
    said, order, word, other = story
    teach(acme, world, other)
    post(acme, said, ("assistant", f"Noted: {word}."))
    if is_read:
        work(world)
        assert word in everything(acme, ASKED)
    told = post(acme, order)
    assert {one["verdict"] for one in told} == {"forgotten"}
    assert {one["forget_order_id"] for one in told} == {orders(acme)[0]["forget_order_id"]}
    if is_read:
        assert {"note", "statement"} <= {one["kind"] for one in told}
    work(world)
    assert word not in everything(acme, ASKED)
    assert tables_with(word).keys() == {"forget_order"}
    assert redis_holds(word) == []
    assert any(other.rstrip(".。") in one for one in notes(acme))
    assert not any(order.rstrip(".") in one for one in notes(acme))


@pytest.mark.parametrize("story", LAST, ids=["en", "zh"])
@pytest.mark.parametrize("is_read", [True, False], ids=["read", "unread"])
def test_it_can_be_brought_back_as_it_was(
    acme: Caller, world: World, story: tuple[str, str, str, str], *, is_read: bool
) -> None:
    said, order, word, other = story
    post(acme, said)
    if is_read:
        teach(acme, world, other)
        edited = next(one for one in body_of(acme("GET", f"{ADA}/notes"))["data"] if word in one["text"])
        acme("PATCH", f"{ADA}/notes/{edited['id']}", {"grade": "plan"})
    before = body_of(acme("GET", f"{ADA}/notes"))["data"]
    slots = body_of(acme("GET", f"{ADA}/profile"))
    post(acme, order)
    (told,) = orders(acme)
    assert told["state"] == "withheld"
    back = body_of(acme("POST", f"{ADA}/forget-orders/{told['forget_order_id']}/undo", {"reason": "seat heater"}))
    assert back["state"] == "undone"
    if is_read:
        now = body_of(acme("GET", f"{ADA}/notes"))["data"]
        assert [{**one, "version": 0} for one in now] == [{**one, "version": 0} for one in before]
        assert body_of(acme("GET", f"{ADA}/profile")).get("employer") == slots.get("employer")
    work(world)
    assert word in "".join(notes(acme))
    assert word in acme("GET", TALK).content.decode()
    assert word in acme("POST", f"{ADA}/recall", {"query": ASKED}).content.decode()
    problem = problem_of(acme("POST", f"{ADA}/forget-orders/{told['forget_order_id']}/undo", {}), 409)
    assert problem["code"] == "forget_order_decided"
    with tenant_tx(world.acme.tenant.id):
        acts = list(AuditRecord.objects.filter(object_kind="forget_order").values_list("action", "reason"))
    assert sorted(acts) == [("memory.withheld", ""), ("memory.withheld_undone", "seat heater")]


def let_a_day_pass(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        ForgetOrder.objects.update(erase_at=F("erase_at") - timedelta(hours=24))


def test_after_a_day_it_is_erased_with_a_certificate(acme: Caller, world: World) -> None:
    teach(acme, world, LAST[0][0])
    post(acme, LAST[0][1])
    preview = CARE["erase-withheld"].preview(world.acme.tenant.id)
    assert preview.counts == {"orders": 0}
    assert run_maintenance_job("erase-withheld")
    assert tables_with("Brightwater")
    let_a_day_pass(world)
    assert CARE["erase-withheld"].preview(world.acme.tenant.id).counts == {"orders": 1}
    call_command("care", "erase-withheld", tenant="acme")
    (order,) = orders(acme)
    assert order["state"] == "erased"
    assert tables_with("Brightwater") == {}
    with tenant_tx(world.acme.tenant.id):
        certificate = build_certificate(Erasure.objects.get(id=order["erasure_id"]))
    assert is_genuine(certificate)
    assert certificate["verified"]["rows_left"] == {}
    assert certificate["erased"]["note"] >= 1
    problem = problem_of(acme("POST", f"{ADA}/forget-orders/{order['forget_order_id']}/undo", {}), 409)
    assert problem["code"] == "forget_order_decided"
    teach(acme, world, LAST[0][0])
    assert "Brightwater" in "".join(notes(acme)), "who says it again wants it remembered"


NAMED = [
    (
        "I'm a vegetarian. My office is in Leeds and I have two sons.",
        "Please forget what I said about my diet",
        "vegetarian",
        "two sons",
    ),
    ("我吃素。我有两个儿子,都上小学。", "忘掉我说的关于饮食的事", "素", "两个儿子"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("said", "order", "word", "kept"), NAMED, ids=["en", "zh"])
def test_an_order_that_names_something_leaves_the_rest(
    acme: Caller, world: World, said: str, order: str, word: str, kept: str
) -> None:
    teach(acme, world, said, "Thanks!")
    assert word in everything(acme, ASKED)
    assert kept in "".join(notes(acme))
    told = post(acme, order)
    assert {one["verdict"] for one in told} == {"forgotten"}
    assert kept in "".join(notes(acme))
    assert word not in everything(acme, ASKED)
    work(world)
    assert word not in everything(acme, ASKED)
    assert kept in acme("GET", TALK).content.decode()
    assert kept in acme("POST", f"{ADA}/recall", {"query": kept}).content.decode()
    (row,) = orders(acme)
    acme("POST", f"{ADA}/forget-orders/{row['forget_order_id']}/undo", {})
    work(world)
    assert word in "".join(notes(acme))
    assert said == body_of(acme("GET", TALK))["data"][0]["content"]


def test_what_the_product_stated_and_a_hand_wrote_is_named_as_well(acme: Caller, world: World) -> None:
    post(acme, "Hello there, friend of mine")
    acme("PUT", f"{ADA}/preferences/food/diet", {"value": "pescatarian"})
    acme("POST", f"{ADA}/notes", {"text": "Pescatarian since 2019"})
    for phone in ("555 0199", "555 0100"):
        acme("POST", f"{ADA}/tags", {"label": "Zelda", "kind": "contact", "phone": phone})
    told = post(acme, "forget everything I told you about my diet")
    assert {(one["kind"], one["category"], one["key"]) for one in told} >= {("preference", "food", "diet")}
    assert "escatarian" not in everything(acme, ASKED)
    told = post(acme, "Forget what I said about Zelda")
    assert {one["kind"] for one in told} == {"tag"}
    assert "Zelda" not in acme("GET", f"{ADA}/tags").content.decode()
    for row in orders(acme):
        acme("POST", f"{ADA}/forget-orders/{row['forget_order_id']}/undo", {})
    assert body_of(acme("GET", f"{ADA}/preferences/food/diet"))["value"] == "pescatarian"
    assert notes(acme) == ["Pescatarian since 2019"]
    (tag,) = body_of(acme("GET", f"{ADA}/tags"))["data"]
    assert (tag["label"], tag["phone"]) == ("Zelda", "555 0100")
    past = body_of(acme("GET", f"{ADA}/tags/{tag['id']}/history"))["data"]
    assert [row["value"] for row in past if row["detail"] == "phone"] == ["555 0199", "555 0100"]


def test_an_older_value_holds_again_until_it_is_brought_back(acme: Caller, world: World) -> None:
    teach(acme, world, "My name is Priya.")
    teach(acme, world, "My name is Svetlana.")
    assert body_of(acme("GET", f"{ADA}/profile"))["name"] == "Svetlana"
    post(acme, "forget that I ever said that")
    assert body_of(acme("GET", f"{ADA}/profile"))["name"] == "Priya"
    acme("POST", f"{ADA}/forget-orders/{orders(acme)[0]['forget_order_id']}/undo", {})
    assert body_of(acme("GET", f"{ADA}/profile"))["name"] == "Svetlana"


@pytest.mark.parametrize(
    "secret",
    [
        "I have a drinking problem. Please don't remember that.",
        "我月薪三万,别记这个",
        "I see a therapist, that's private",
    ],
)
def test_a_message_that_forbids_to_keep_it_is_not_kept(acme: Caller, world: World, secret: str) -> None:
    teach(acme, world, "I have two sons")
    (told,) = post(acme, secret)
    assert told["verdict"] == "forgotten"
    work(world)
    assert notes(acme) == ["I have two sons"]
    assert secret not in acme("GET", TALK).content.decode()
    assert secret not in acme("GET", TALK.replace("messages", "window")).content.decode()


@pytest.mark.parametrize(
    ("before", "order"),
    [
        (["I have two sons", ("assistant", "How old are you?")], "That's private."),
        (["I have two sons", "Find me a cafe nearby", ("assistant", "None is open.")], "forget that"),
        (["I have two sons", "Thanks", "What time is it?", "And tomorrow?"], "Forget what I just said"),
        (["I have two sons"], "Forget what I said about my ex-wife"),
        (["I have two sons"], "Forget everything you know about me"),
        (["我有两个儿子", ("assistant", "你多大了?")], "这是隐私"),
        (["我有两个儿子", "帮我找家咖啡馆"], "别记了"),
    ],
)
def test_an_order_that_means_nothing_says_so_and_touches_nothing(
    acme: Caller, world: World, before: list[Any], order: str
) -> None:
    teach(acme, world, *before)
    (told,) = post(acme, order)
    assert told["verdict"] == "nothing_to_forget"
    work(world)
    assert len(notes(acme)) == 1
    assert orders(acme) == []


@pytest.mark.parametrize(
    ("secret", "asked", "order"),
    [
        ("My dad owes eighty thousand", "That sounds heavy. Want to talk about it?", "Don't keep that."),
        ("My dad owes eighty thousand", "I'm sorry. Since when?", "Please don't save it"),
        ("我爸欠了八万块钱", "听着很沉。想说说吗?", "这事你别记"),
        ("我爸欠了八万块钱", "听着很沉。想说说吗?", "别存"),
        ("今天跟我主管大吵,超想離職", "聽起來很悶,要不要聊聊?", "不用,這件事也不要記"),
    ],
)
def test_an_order_not_to_keep_it_is_one_whatever_was_asked(
    acme: Caller, world: World, secret: str, asked: str, order: str
) -> None:
    teach(acme, world, secret, ("assistant", asked))
    assert {one["verdict"] for one in post(acme, order)} == {"forgotten"}
    work(world)
    assert [one for one in notes(acme) if one in secret] == []
    assert secret not in acme("GET", TALK).content.decode()


def test_an_order_given_twice_reaches_no_further(acme: Caller, world: World) -> None:
    teach(acme, world, "I have two sons", "I work as a nurse")
    assert post(acme, "forget what I just said")[0]["verdict"] == "forgotten"
    (again,) = post(acme, "forget what I just said")
    assert again["verdict"] == "nothing_to_forget"
    assert notes(acme) == ["I have two sons"]


def test_another_conversation_is_not_reached_and_a_deleted_one_takes_its_orders_along(
    acme: Caller, world: World
) -> None:
    teach(acme, world, "I have two sons")
    (told,) = post(acme, "forget what I just said", talk=f"{ADA}/conversations/other/messages")
    assert told["verdict"] == "nothing_to_forget"
    post(acme, "forget what I just said")
    assert acme("DELETE", f"{ADA}/conversations/talk").status_code == 204
    assert tables_with("sons") == {}


def test_globex_finds_what_nobody_has_and_ada_stays_as_she_is(acme: Caller, globex: Caller, world: World) -> None:
    teach(acme, world, "I have two sons")
    post(acme, "forget what I just said")
    order = orders(acme)[0]["forget_order_id"]
    before = rows_of(world.acme.tenant.id)
    for path in (
        f"{ADA}/forget-orders",
        f"/v1/subjects/gil/forget-orders/{order}/undo",
        f"{ADA}/forget-orders/{order}/undo",
    ):
        method = "GET" if path.endswith("orders") else "POST"
        theirs = problem_of(globex(method, path, None if method == "GET" else {}), 404)
        nobody = problem_of(
            globex(method, path.replace(order, str(new_id())).replace("ada", "ida"), None if method == "GET" else {}),
            404,
        )
        assert (theirs["code"], theirs["title"]) == (nobody["code"], nobody["title"])
    assert rows_of(world.acme.tenant.id) == before


def test_support_brings_it_back_in_the_console(acme: Caller, world: World) -> None:
    teach(acme, world, "I have two sons")
    post(acme, "forget what I just said")
    order = orders(acme)[0]["forget_order_id"]
    client = log_in("sam", tenant=world.acme.tenant, role=Role.SUPPORT)
    page = reverse("admin:snapshots_forgetorder_changelist")
    assert "sons" not in client.get(page).content.decode()
    sent = {"action": "bring_back", "_selected_action": [order], "reason": "she meant the heater"}
    assert client.post(page, sent, follow=True).status_code == 200
    assert orders(acme)[0]["state"] == "undone"
    assert notes(acme) == ["I have two sons"]
