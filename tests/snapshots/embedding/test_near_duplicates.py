"""Which texts say the same thing, whatever their length and language, and which only look alike. Rows: R2, R3."""

import pytest

from snapshots.embedding.config import SayingConfig
from snapshots.embedding.near_duplicates import REPEATS_NOTHING, hash_saying, normalise_saying
from tests.growth import assert_linear

LONG = "I work as a carpenter at the harbour, and my brother Tom repairs the boats that the storms break"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I love jazz", "i love JAZZ!"),
        ("I love jazz.", "Well, actually, I love jazz ..."),
        ("Actually I love jazz", "Oh, well, you know, I love jazz"),
        (LONG, f"  So, {LONG.replace(' ', chr(10))}!!"),
        ("I don’t eat meat", "I don't eat meat"),
        ("It is −5 outside", "It is -5 outside"),
        ("She is allergic to nuts, not to fish", "She is allergic to nuts; not to fish"),
        ("I wrote “Blue Train”", 'I wrote "Blue Train"'),
        ("我喜欢听爵士乐", "我喜歡聽爵士樂。"),
        ("我喜欢听爵士乐，也喜欢弹钢琴", "其实，我喜欢听爵士乐,也喜欢弹钢琴！"),
        ("我喜欢听爵士乐", "嗯……其实我喜欢听爵士乐~"),
        ("我喜欢听 jazz", "我喜欢听jazz"),
        ("我跑了５公里", "我跑了5公里"),
        ("毎日ジャズを聴きます。", "毎日ジャズを聴きます"),
        ("나는 재즈를 정말 좋아해요", "나는  재즈를 정말 좋아해요!"),
        ("Я очень люблю джаз", "я ОЧЕНЬ люблю джаз."),
        ("ฉันชอบดนตรีแจ๊สมาก", "ฉันชอบดนตรีแจ๊สมาก "),
    ],
)
def test_what_differs_in_form_alone_is_one_saying(one: str, other: str) -> None:
    assert hash_saying(one, None) == hash_saying(other, None) != REPEATS_NOTHING


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I moved from Lisbon to Porto", "I moved from Porto to Lisbon"),
        ("I drink tea before coffee", "I drink coffee before tea"),
        ("Ann called my brother Tom", "My brother Tom called Ann"),
        ("I can swim very well", "I can't swim very well"),
        ("I love jazz music", "I loved jazz music"),
        ("I love jazz music", "I love jazz music?"),
        ("I like my tea with sugar", "I like my tea without sugar"),
        ("I eat fish, never meat", "I eat fish never, meat"),
        ("I ran 5 miles", "I ran 6 miles"),
        ("I ran 5.5 miles", "I ran 55 miles"),
        ("I ran .5 miles", "I ran 5 miles"),
        ("My flat is on floor -1", "My flat is on floor 1"),
        ("Ann paid £20", "Ann paid $20"),
        ("Ann pays 20% of all", "Ann pays 20 of all"),
        ("The area is 10² metres", "The area is 102 metres"),
        ("I write in C# a lot", "I write in C++ a lot"),
        ("Well paid jobs are rare", "Paid jobs are rare"),
        ("So. Korea is a cold place", "Korea is a cold place"),
        ("The song got a 👍 from me", "The song got a 👎 from me"),
        ("Actuary work is my job", "Work is my job"),
        ("No, my brother eats sugar", "No my brother eats sugar"),
        ("我从上海搬到北京", "我从北京搬到上海"),
        ("我会说法语", "我不会说法语"),
        ("我去北京", "我没有去北京"),
        ("妈妈喜欢李雷", "李雷喜欢妈妈"),
        ("他去上海工作", "她去上海工作"),
        ("我不，要吃糖", "我不要吃糖"),
        ("我不 要吃糖", "我不要吃糖"),
        ("我喜欢听爵士乐", "我喜欢听爵士乐吗"),
        ("我喜欢听爵士乐", "我喜欢听爵士乐？"),
        ("其实力很强大", "力很强大啊哈"),
        ("那个我不喜欢吃", "我不喜欢吃鱼"),
        ("我跑了5公里", "我跑了6公里"),
        ("我吃了两碗面", "我吃了三碗面"),
    ],
)
def test_what_says_something_else_is_another_saying(one: str, other: str) -> None:
    assert normalise_saying(one) != normalise_saying(other)
    assert hash_saying(one, None) != hash_saying(other, None) or not hash_saying(one, None)


@pytest.mark.parametrize(
    "text",
    [
        "I saw my sister Ann yesterday",
        "I left my keys at work again",
        "I am in Paris with Ann now",
        "We drive to Rome in May",
        "My brother's exam is on the 5th",
        "The meeting starts at 17:30",
        "The meeting starts at 5 p.m.",
        "这次我带了妈妈做的蛋糕",
        "昨天我去公园跑步了",
        "我又把钥匙弄丢了",
        "我现在住在北京",
        f"{LONG}. " * 60 + "Ann called yesterday.",
    ],
)
def test_what_names_a_time_repeats_nothing(text: str) -> None:
    assert hash_saying(text, None) == REPEATS_NOTHING


@pytest.mark.parametrize(
    "text",
    [
        "Yes, really",
        "I love it",
        "He called me",
        "No, not at all",
        "Me too",
        "是的，好的",
        "我喜欢他",
        "他喜欢我",
        "那是我的",
    ],
)
def test_what_says_too_little_without_the_turn_before_repeats_nothing(text: str) -> None:
    assert hash_saying(text, None) == REPEATS_NOTHING


@pytest.mark.parametrize("text", ["", "   ", "?!", "🎉🎉🎉", "……", "My card is [masked card number] at Example Bank"])
def test_what_says_nothing_or_hides_a_part_repeats_nothing(text: str) -> None:
    assert hash_saying(text, None) == REPEATS_NOTHING


def test_who_says_it_belongs_to_the_saying() -> None:
    said = [hash_saying("I love jazz", speaker) for speaker in (None, "Ada", "ada ", "Lin", "林", "")]
    assert said[1] == said[2]
    assert said[0] == said[5]
    assert len(set(said)) == 4


def test_how_much_a_text_has_to_say_is_policy() -> None:
    assert hash_saying("Good jazz", None) == REPEATS_NOTHING
    assert hash_saying("Good jazz", None, SayingConfig(least_words=2)) != REPEATS_NOTHING
    assert hash_saying("爱爵士", None) == REPEATS_NOTHING
    assert hash_saying("爱爵士", None, SayingConfig(least_characters=3)) != REPEATS_NOTHING


def test_a_lone_surrogate_is_no_error() -> None:
    assert hash_saying("I love jazz \ud800", "\udfff") != REPEATS_NOTHING


@pytest.mark.parametrize(
    "unit", [",", "嗯", "嗯,", "um", "well, ", "actually ", "我 ", "他", "其实", "[masked ", "\u0301"]
)
def test_a_hostile_page_is_read_in_linear_time(unit: str) -> None:
    assert_linear(lambda text: hash_saying(text + "a", None), unit * (65_536 // len(unit.encode())))
