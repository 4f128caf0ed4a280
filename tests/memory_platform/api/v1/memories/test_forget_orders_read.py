"""Orders to forget in other words: ahead of the secret, turns after it, and answers that repeat it.

Rows: A4, E8, T1.
"""

import pytest
from pytest_django.fixtures import Settings

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.test_forget_orders import (
    ADA,
    ASKED,
    TALK,
    everything,
    notes,
    orders,
    post,
    teach,
    work,
)


@pytest.mark.parametrize(
    ("secret", "word"),
    [
        ("Off the record: my brother Boris is bankrupt", "Boris"),
        ("Don't save this, but I owe Boris four thousand", "Boris"),
        ("这句别记:我跟老婆分房睡两年了", "分房"),
        ("我查出来胆结石,这个不要给我记起", "胆结石"),
        ("Forget that I take Xanax", "Xanax"),
    ],
)
def test_what_is_said_not_to_be_kept_is_never_kept(acme: Caller, world: World, secret: str, word: str) -> None:
    teach(acme, world, "I have two sons")
    told = post(acme, secret)
    assert {one["verdict"] for one in told} == {"forgotten"}
    work(world)
    assert word not in everything(acme, ASKED)
    assert notes(acme) == ["I have two sons"]


LATER = [
    (
        "My sister Ruth had a hysterectomy on Friday.",
        ("assistant", "A hysterectomy takes weeks to heal. How is she?"),
        "I'll walk her greyhounds this week, what should I pack for the coast?",
        "that thing with my sister's operation, drop it please",
        "hysterectomy",
    ),
    (
        "我妈确诊了早期乳腺癌,下周手术。",
        ("assistant", "乳腺癌早期的治疗效果通常很好。"),
        "我想买双上班穿的鞋,脚宽",
        "我妈生病那件事,你帮我抹掉吧",
        "乳腺癌",
    ),
]


@pytest.mark.parametrize("story", LATER, ids=["en", "zh"])
@pytest.mark.parametrize("is_read", [True, False], ids=["read", "unread"])
def test_what_is_named_turns_later_goes_with_its_answer(
    acme: Caller, world: World, story: tuple[str, tuple[str, str], str, str, str], *, is_read: bool
) -> None:
    said, answer, between, order, word = story
    post(acme, said, answer, between)
    if is_read:
        work(world)
        assert word in everything(acme, ASKED)
    assert {one["verdict"] for one in post(acme, order)} == {"forgotten"}
    work(world)
    assert word not in everything(acme, ASKED)
    assert between in acme("GET", TALK).content.decode()
    (row,) = orders(acme)
    acme("POST", f"{ADA}/forget-orders/{row['forget_order_id']}/undo", {})
    work(world)
    assert word in acme("GET", TALK).content.decode()


IN_REQUESTS = [
    (
        "write a note for Callum, the alarm of the bakery is 4471, stopcock under the stairs",
        ("assistant", "Here is the note for Callum."),
        "thanks. get that alarm number out of your head, she asked me not to leave it about",
        "4471",
    ),
    (
        "put Leo's library card on the form, it's 880 212 VX",
        ("assistant", "It's on the form. A card number is better written in by hand."),
        "ugh true. lose that card number please, I should not have pasted it",
        "880 212",
    ),
    ("我股票今年亏了八万,都是听阿水的。", ("assistant", "先别急着补仓。"), "刚才我说买股票那段,你帮我删掉", "八万"),
    ("帮我写张条子给物业:门禁密码是 3305,钥匙在门垫下面", ("assistant", "写好了。"), "那个密码从你脑子里删掉", "3305"),
]


@pytest.mark.parametrize(("said", "answer", "order", "word"), IN_REQUESTS, ids=["alarm", "card", "shares", "door"])
def test_what_a_request_told_goes_by_one_of_its_words(
    acme: Caller, world: World, said: str, answer: tuple[str, str], order: str, word: str
) -> None:
    teach(acme, world, "I have two sons")
    post(acme, said, answer)
    work(world)
    assert {one["verdict"] for one in post(acme, order)} == {"forgotten"}
    work(world)
    assert word not in everything(acme, ASKED)
    assert notes(acme) == ["I have two sons"]


def test_an_answer_that_repeats_what_was_hidden_goes_as_well(acme: Caller, world: World) -> None:
    post(acme, "My locker code is 4471, delete that from your memory")
    (told,) = post(acme, ("assistant", "Done, 4471 is gone."))
    assert told["verdict"] == "forgotten"
    work(world)
    assert "4471" not in everything(acme, ASKED)
    assert post(acme, ("assistant", "Anything else for your trip?")) == []
    turns = body_of(acme("GET", f"{ADA}/conversations/talk/window"))["messages"]
    assert turns == []  # it answers what is gone
    post(acme, "A map of Lyon, please")
    turns = body_of(acme("GET", f"{ADA}/conversations/talk/window"))["messages"]
    assert [turn["content"] for turn in turns] == ["A map of Lyon, please"]


@pytest.mark.parametrize(
    "order", ["what I told you about the archive interviews stays out of there, ok", "之前说的阿龙的那个债,别再存着"]
)
def test_what_names_nothing_that_is_known_hides_nothing(acme: Caller, world: World, order: str) -> None:
    teach(acme, world, "I have two sons")
    (told,) = post(acme, order)
    assert told["verdict"] == "nothing_to_forget"
    assert notes(acme) == ["I have two sons"]
    assert orders(acme) == []


@pytest.mark.parametrize("is_posted", [False, True], ids=["told", "posted as well"])
def test_an_order_in_the_next_message_of_an_outcome_is_carried_out_once(
    acme: Caller, world: World, *, is_posted: bool
) -> None:
    teach(acme, world, "I have two sons", "I work as a nurse at Brightwater Clinic")
    body = {"query": "Where do I work?", "conversation_id": "talk"}
    receipt = body_of(acme("POST", f"{ADA}/context", body))["receipt_id"]
    if is_posted:
        post(acme, "forget what I just said")
    told = body_of(acme("POST", f"/v1/receipts/{receipt}/outcome", {"next_user_message": "forget what I just said"}))
    assert [one["verdict"] for one in told["fast_lane"]] == [] if is_posted else ["forgotten"] * len(told["fast_lane"])
    assert bool(told["fast_lane"]) is not is_posted
    assert "Brightwater" not in everything(acme, ASKED)
    assert notes(acme) == ["I have two sons"]
    assert len(orders(acme)) == 1


DOUBTFUL = "I failed the pilot medical on Friday. I'd sooner it went no further."


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "stays"), [("Of course, I'll drop it.", False), ("How did it go?", True)])
def test_the_assistants_answer_makes_a_doubtful_order_sure(
    acme: Caller, world: World, settings: Settings, answer: str, stays: bool
) -> None:
    settings.EMBEDDER = "wordllama,use"
    teach(acme, world, "I fly a Cessna 172 at weekends.", DOUBTFUL)
    assert "pilot medical" in everything(acme, "What happened on Friday?")
    told = post(acme, ("assistant", answer))
    work(world)
    assert [one["verdict"] for one in told] == ([] if stays else ["forgotten"] * len(told))
    assert ("pilot medical" in everything(acme, "What happened on Friday?")) is stays
    assert "Cessna" in everything(acme, "What do I fly?")
    post(acme, ("assistant", answer))  # said once more, it means nothing else
    assert "Cessna" in everything(acme, "What do I fly?")


def test_an_acknowledgement_alone_hides_nothing(acme: Caller, world: World) -> None:
    teach(acme, world, "I fly a Cessna 172 at weekends.", ("assistant", "Deleted. I won't keep that."))
    assert "Cessna" in everything(acme, "What do I fly?")


def test_what_a_chinese_order_names_is_found_by_a_part_of_its_name(acme: Caller, world: World) -> None:
    teach(acme, world, "我基金今年亏了六万，都怪听了同事的。", "我养了一只叫豆包的猫。")
    post(acme, "上次跟你讲我买基金那段，你帮我删掉，别留着。", talk=f"{ADA}/conversations/later/messages")
    work(world)
    assert "亏了六万" not in everything(acme, "基金怎么样？")
    assert "豆包" in everything(acme, "我的猫叫什么？")


POINTED = [
    ("we have 31,400 put by for the flat", "ok. dont keep that figure anywhere please", "Gone.", "31,400"),
    (
        "A note for the furnace man: the keypad is 6627, the filter is on the shelf.",
        "I have copied it out. Be so good as to forget that number now, I do not like it lying about.",
        "I have let it go.",
        "6627",
    ),
    ("between you and me gavin gets the sack on friday", "forget I said that about gav", "Forgotten.", "sack"),
    ("bec is on zoloft since monday", "yeah okay, don't keep that about the tablets", "It's not kept.", "zoloft"),
    ("first interview at kestrel on friday", "delete that whole thing about the other job", "Deleted.", "kestrel"),
    ("跟你说个烦心事,我还欠信用社十二万没还", "那个欠款的事你别给我存,删了", "好的，已经删掉。", "十二万"),
    ("我又偷着抽上了 一天三根 在楼道里", "嗨 抽烟的事你给我抹了啊 别记着", "好，已经抹掉。", "三根"),
]
"""What was told, an order in other words, how the assistant acknowledges it, and a word of what was told."""


@pytest.mark.parametrize("story", POINTED, ids=[one[3] for one in POINTED])
def test_what_an_order_points_at_is_what_was_told_last(
    acme: Caller, world: World, settings: Settings, story: tuple[str, str, str, str]
) -> None:
    settings.EMBEDDER = "wordllama,use"
    said, order, done, word = story
    teach(acme, world, "I have two sons")
    post(acme, said, ("assistant", "Hm."))
    work(world)
    told = [*post(acme, order), *post(acme, ("assistant", done))]
    assert "forgotten" in {one["verdict"] for one in told}
    work(world)
    assert word not in everything(acme, ASKED)
    assert "I have two sons" in notes(acme)


ELSEWHERE = [
    ("gate down there is 4471 in case it slips my mind", "and that number for the gate, get rid of it", "4471"),
    (
        "new work phone PIN is 8052 in case my brain falls out",
        "oh, the PIN. wipe it please, IT would have my head",
        "8052",
    ),
    ("my sister's left Rohan, nobody knows, not even mum", "that stuff about my sister and her fella, bin it", "Rohan"),
    ("跟你讲个事 我问表姐借了三万 一直没敢跟他说", "上回讲的跟亲戚拿钱那事 你就当没听过 别记着", "三万"),
    ("唉,我娃其实离过一回婚,新媳妇娘家还不知道", "上回我说娃以前那档子事,你甭记,我这嘴没个把门的", "离过"),
    ("我攒了两万块私房钱,在工具箱底下压着", "算咧,刚才那钱的事你给我抹了,甭留", "私房钱"),
]
"""What was told, an order days later that describes it in other words, and a word of what was told."""
BETWEEN = [
    "I take the 8:15 train to work",
    "My daughter Anna plays the cello",
    "我周三晚上打羽毛球",
    "我家的猫叫年糕",
]


@pytest.mark.slow
@pytest.mark.parametrize("story", ELSEWHERE, ids=[one[2] for one in ELSEWHERE])
def test_an_order_means_what_was_told_days_before_in_other_words(
    acme: Caller, world: World, settings: Settings, story: tuple[str, str, str]
) -> None:
    settings.EMBEDDER = "wordllama,use"
    said, order, word = story
    teach(acme, world, *BETWEEN[:2])
    post(acme, said, talk=f"{ADA}/conversations/earlier/messages")
    teach(acme, world, *BETWEEN[2:])
    told = post(acme, order, talk=f"{ADA}/conversations/later/messages")
    told += post(acme, ("assistant", "Done."), talk=f"{ADA}/conversations/later/messages")
    assert "forgotten" in {one["verdict"] for one in told}
    work(world)
    assert word not in everything(acme, ASKED)
    assert len(notes(acme)) == len(BETWEEN)


def test_an_order_that_the_assistant_does_not_acknowledge_takes_no_other_thing(acme: Caller, world: World) -> None:
    teach(acme, world, "I have two sons")
    (told,) = post(acme, "Forget what I said about my ex-wife")
    assert told["verdict"] == "nothing_to_forget"
    assert post(acme, ("assistant", "What would you like to talk about?")) == []
    assert notes(acme) == ["I have two sons"]


@pytest.mark.slow
def test_all_that_says_a_name_goes_with_an_order_that_calls_it(acme: Caller, world: World) -> None:
    homes = ("I live in Quimper", "I live in Brest now", "I live in Quimper again", "I live in Lyon now")
    for number, said in enumerate(homes):
        post(acme, said, talk=f"{ADA}/conversations/x{number}/messages")
        work(world)
    post(acme, "Forget what I said about Quimper", talk=f"{ADA}/conversations/x9/messages")
    work(world)
    held = everything(acme, "Where did I live before?")
    assert "Quimper" not in held
    assert "Lyon" in held


@pytest.mark.slow
def test_what_many_turns_name_is_not_all_forgotten(acme: Caller, world: World) -> None:
    for said in ("Boris is my brother", "Boris is allergic to nuts", "Boris lives in York", "Boris owes me 40 pounds"):
        teach(acme, world, said)
    post(acme, "Forget what I said about Boris owing me")
    work(world)
    assert "allergic" in everything(acme, ASKED)
