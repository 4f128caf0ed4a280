"""Which words are an order to forget, and what it names: both languages, with the neighbours that are none. Row: A4."""

import pytest

from snapshots.understanding.heard.forget_orders import find_forget_orders
from tests.growth import assert_linear

NAMELESS = """Forget what I just said
Please forget what I just told you.
scratch that, never mind, forget the last thing I said
Could you forget what I just said?
You didn't hear that from me.
Pretend I never said that.
pretend I said nothing
please don't remember what I just said
don't save that in your memory
I don't want you to remember that
Delete what I just said from your memory
I'd rather you didn't keep that
忘掉我刚说的
忘了我刚才说的话吧
把刚才说的忘了吧
刚才的话不要记录
能不能忘掉我刚说的?
把这个从记忆里删掉
我刚说的是隐私
forget that
Forget that, please.
scratch that, don't remember it
that's private
Don't keep this.
I earn 90k a year, don't remember that
I have a drinking problem. Please don't store that.
off the record
This is just between us.
keep that private
别记这个
别记住
这是隐私
这是我的隐私
不要保存这个
当我没说
就当我刚才没说过
我月薪三万,别记这个
请帮我保密""".splitlines()
NEIGHBOURS = """forget it, I'll take the bus
drop the volume a bit
你就当帮我个忙
我没听过这首歌
别告诉我结局
他嘴挺严的
forget it
forget the window
Don't forget my umbrella
I forgot my umbrella
forget that, I'll take the bus
Forget that, find a Thai place instead
I can't forget what she said about my job
She told me to forget what I said
Did you forget what I just said?
You forgot what I just said!
Don't forget what I told you
scratch that, make it 7
don't keep this window open
Don't save that draft yet
I don't remember that
Never forget that
Remember that I'm vegan
forget the seat heater
Let's forget about the heated seats
If you forget what I said, ask again
Private room please
Is that private?
That's a private beach
"Forget what I just said" is my favourite song
translate: forget what I just said
Don't keep this from my wife
Forget about dinner
I will never forget that day
forget my window seat
delete my last playlist
Don't remember the milk, buy eggs
别忘了带伞
我忘了带钥匙
把钥匙忘了
把窗户忘了关
忘了吧,我坐公交
算了,不用了
别忘了我刚说的
你忘了我刚说的吗?
你忘了我刚才说的话
你怎么忘了我刚说的
忘不掉她
别记恨我
我刚说什么了?
这是私人包间
别关窗
不要这个
不用这个了
我的隐私设置在哪
别保存文件
记住我对花生过敏
忘记密码怎么办
我忘记密码了
忘了说,我喜欢靠窗
她让我忘掉他
难忘的一天
别删我的照片
把我的闹钟删了
忘掉座椅加热
You must know that I hear nothing with my left ear
Wanda replaced the faded violin at a quiet courtyard as the fog was lifting.
Grandma's old photographs faded in the attic
苦瓜就不该存在于这个世界
我当场晕倒,医生说是蜂毒过敏
这个录音我回不去录
no strawberries anywhere near her cake, her face goes red
please no sesame in anything for Tomas
Doctor said forget the marathon, swim instead
never suggest another phone game to me
leave the lamb out, I keep halal
虾一点都别放,我儿子吃了起疹子
医生说把跑步忘了吧,改游泳
别再给我推荐手机游戏了""".splitlines()
NAMED = {
    "Actually, forget what I said about the diet": ("diet",),
    "forget what I said about my ex-wife, please": ("ex-wife",),
    "Forget everything I told you about my job.": ("job",),
    "Forget that I'm vegetarian": ("vegetarian",),
    "delete my address": ("address",),
    "Forget my phone number please": ("phone",),
    "don't remember anything about my health": ("health",),
    "请忘掉我刚才说的关于饮食的事": ("饮食",),
    "忘掉关于我前妻的事": ("前妻",),
    "把我说的关于工作的事忘掉": ("工作",),
    "忘记我的地址": ("地址",),
    "把我的电话号码删了": ("电话号码",),
    "关于我的病,别记": ("病",),
    "hm, no need to remember I have a counsellor, drop that": ("counsellor",),
    "drop the stuff about Nadia, please": ("nadia",),
    "刚说的我爸那事你就当没听过": ("爸",),
    "就当我没提过离婚的事": ("离婚",),
    "这事烂在肚子里": (),
    "上面那句当我没发": (),
    "我老公前年赌钱输了八万,别往外说啊": (),
    "你就左耳进右耳出吧": (),
    "Hm. I wet the bed till I was twelve, please let that vanish": (),
    "What I told you about my uncle's trial, I want that gone": ("uncle's trial",),
    "I mentioned something about Ewa. Take that off, please": ("ewa",),
    "That whole thing with Bob and the money, wipe it": ("bob", "money"),
    "我妈住院那件事,你帮我抹掉吧": ("妈住院",),
    "之前讲的小韩那个官司,别留着": ("小韩 官司",),
    "That loan to Pete, by the way, I'd sooner you did not keep it": ("loan pete",),
    "that garage thing i told u, delete it from ur brain pls": ("garage",),
    "also the Marta stuff, forget i said anything": ("marta",),
    "上礼拜跟你说表哥那个事儿 你给我忘了它 以后别提也别留着": ("表哥",),
    "诶 那个大衣里的信 你当我没说": (),
    "那个大衣里的东西 你当我没说 不要记 不要留": ("大衣 东西",),
}


@pytest.mark.parametrize(("text", "names"), NAMED.items())
def test_what_is_left_of_its_words_is_what_an_order_names(text: str, names: tuple[str, ...]) -> None:
    (order,) = find_forget_orders(text)
    assert order.names == names


@pytest.mark.parametrize(
    "text", ["Don't save this, but I was fired", "off the record: he drinks", "这句别记:我被开除了"]
)
def test_what_follows_an_order_is_what_it_speaks_of(text: str) -> None:
    assert find_forget_orders(text)


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        ("That thing about Jo, wipe it, don't keep it. I've dealt with it", 1),
        ("刚才说的那个,别记,不要留", 1),
        ("Forget my address. Oh and don't save this: I owe my cousin three grand", 2),
        ("忘掉我的地址,也别存我的生日", 2),
        ("No, forget that bit, what I said about rehab, it's not mine to tell", 1),
        ("忘了吧,我刚才说的贷款的事", 1),
        ("Forget what I just told you. Forget what I said about the loan, too", 2),
        ("Delete that, and also delete what I told you about my divorce", 2),
        ("忘掉刚才那句。忘掉我说过的贷款的事。", 2),
        ("把刚才那句删了,还有我说过的贷款的事也忘掉。", 2),
    ],
)
def test_an_order_that_is_said_again_is_one(text: str, orders: int) -> None:
    assert len(find_forget_orders(text)) == orders


@pytest.mark.parametrize("text", NAMELESS)
def test_words_that_speak_of_what_was_said_or_only_point_name_nothing(text: str) -> None:
    orders = find_forget_orders(text)
    assert orders
    assert not any(order.names or order.is_everything for order in orders)


@pytest.mark.parametrize("text", ["Forget what I just said", "Pretend I never said that.", "刚才的话不要记录"])
def test_words_that_speak_of_what_was_said_refer_to_it(text: str) -> None:
    (order,) = find_forget_orders(text)
    assert order.refers


@pytest.mark.parametrize("text", ["Forget everything you know about me", "把我说过的话全部忘掉"])
def test_everything_is_an_order_of_its_own(text: str) -> None:
    (order,) = find_forget_orders(text)
    assert order.is_everything


@pytest.mark.parametrize("text", NEIGHBOURS)
def test_neighbours_are_no_orders(text: str) -> None:
    assert not find_forget_orders(text)


def test_the_order_is_found_at_its_place() -> None:
    text = "I moved to Oslo. Please forget what I just said. Thanks"
    (order,) = find_forget_orders(text)
    assert text[order.start : order.end] == "Please forget what I just said"


@pytest.mark.parametrize(
    "text", ["please " * 140 + "forget", "forget what i " * 70, "请" * 900, "别记" * 450, ", " * 480 + "别"]
)
def test_hostile_messages_are_read_in_linear_time(text: str) -> None:
    assert_linear(find_forget_orders, text)
