"""Which tag a text means: labelled lookups in English and Chinese, as drivers and callers say it. Rows: P6, P10."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profiles.models import Tag
from profiles.services.tags.lookup import lookup_tags
from tests.growth import assert_linear


def tag(**columns: Any) -> Tag:
    """A tag outside of the database: looking up reads no row."""
    return Tag(tenant_id=UUID(int=1), **columns)


CHINESE = {
    "家": tag(label="家", kind="place", address="上海市浦东新区世纪大道 1 号"),
    "公司": tag(label="公司", kind="place", address="张江路 88 号"),
    "妈妈": tag(label="妈妈", kind="contact", phone="13800138000"),
    "老婆": tag(label="老婆", kind="contact", relation="妻子"),
    "健身房": tag(label="健身房", kind="place"),
    "张伟": tag(label="张伟", kind="contact", relation="同事", aliases=["老张"]),
}
ENGLISH = {
    "Home": tag(label="Home", kind="place", address="1 Abbey Road"),
    "Work": tag(label="Work", kind="place", address="30 St Mary Axe"),
    "Mum": tag(label="Mum", kind="contact", phone="+44 20 7946 0000"),
    "Linda": tag(label="Linda", kind="contact", relation="sister", aliases=["Lindy"]),
    "Golden Gym": tag(label="Golden Gym", kind="place"),
    "Kindergarten": tag(label="Kindergarten", kind="place"),
}

CHINESE_LOOKUPS = [
    ("导航回家", "家"),
    ("導航回家", "家"),
    ("家", "家"),
    ("回家", "家"),
    ("我要回家吃饭", "家"),
    ("送我到家", "家"),
    ("离家最近的加油站", "家"),
    ("从公司到家要多久", "家"),
    ("家里没盐了", "家"),
    ("把包裹寄到我家", "家"),
    ("navigate home", "家"),
    ("take me home please", "家"),
    ("回我住处", "家"),
    ("去公司", "公司"),
    ("导航到单位", "公司"),
    ("drive to work", "公司"),
    ("to the office", "公司"),
    ("送我去上班", "公司"),
    ("公司附近有什么吃的", "公司"),
    ("我们公司楼下", "公司"),
    ("回我妈妈那", "妈妈"),
    ("打电话给我妈", "妈妈"),
    ("给老妈打电话", "妈妈"),
    ("去妈妈家", "妈妈"),
    ("call mum", "妈妈"),
    ("ring my mother", "妈妈"),
    ("媽媽的電話", "妈妈"),
    ("给我老婆发消息", "老婆"),
    ("text my wife", "老婆"),
    ("联系我妻子", "老婆"),
    ("去健身房", "健身房"),
    ("健身坊怎么走", "健身房"),
    ("take me to the gym", "健身房"),
    ("打给张伟", "张伟"),
    ("约老张吃饭", "张伟"),
]
CHINESE_FALSE_FRIENDS = [
    "大家好",
    "国家",
    "我爱我的国家",
    "专家号怎么挂",
    "去家乐福",
    "到家具城",
    "回家乡看看",
    "宜家几点关门",
    "附近有家咖啡馆",
    "去家餐厅吃饭",
    "这家店不错",
    "去朋友家",
    "去张三家",
    "他家在哪里",
    "离家出走",
    "作家协会",
    "家电维修",
    "人家说的",
    "搬家公司",
    "航空公司的电话",
    "苹果公司的股票",
    "上班好累",
    "单位换算",
    "他妈的",
    "她妈妈是老师",
    "大妈跳舞",
    "homework",
    "今天天气怎么样",
    "张伟明是谁",
    "回老家过年",
    "小王家在哪",
    "分公司在哪",
    "你妈妈好吗",
    "",
    "???",
]
ENGLISH_LOOKUPS = [
    ("navigate home", "Home"),
    ("HOME", "Home"),
    ("how long to get home?", "Home"),
    ("directions to my house", "Home"),
    ("take me to my place", "Home"),
    ("导航回家", "Home"),
    ("回家", "Home"),
    ("drive to work", "Work"),
    ("how's traffic to the office", "Work"),
    ("leave work at six", "Work"),
    ("去公司", "Work"),
    ("I go to work by bus", "Work"),
    ("call mum", "Mum"),
    ("call mom", "Mum"),
    ("Mum's phone number", "Mum"),
    ("phone my mother", "Mum"),
    ("打电话给我妈", "Mum"),
    ("给妈妈打电话", "Mum"),
    ("mum's house", "Mum"),
    ("message Linda", "Linda"),
    ("call Lindy", "Linda"),
    ("ring my sister", "Linda"),
    ("to Golden Gym", "Golden Gym"),
    ("navigate to goldn gym", "Golden Gym"),
    ("the golden one", None),
    ("go to the golden", "Golden Gym"),
    ("pick up from kindergarden", "Kindergarten"),
    ("去幼儿园接孩子", "Kindergarten"),
]
ENGLISH_FALSE_FRIENDS = [
    "homework",
    "do my homework",
    "homepage",
    "set the home screen",
    "home improvement store",
    "the white house",
    "house music",
    "does this work?",
    "work is hard",
    "go work out",
    "work on my essay",
    "post office",
    "microsoft office",
    "motherboard",
    "mother's day",
    "my mother in law",
    "John's house",
    "call his mum",
    "at your house",
    "keep me company",
    "how do I get this to work",
    "find work",
    "clothes for work",
    "the office party",
    "hope",
    "大家好",
    "国家大剧院",
    "what is the weather",
]


CLOSE_ONES = {
    "家": tag(label="家", kind="place"),
    "对象家": tag(label="对象家", kind="place"),
    "mum": tag(label="mum", kind="contact"),
    "Sarah": tag(label="Sarah", kind="contact", relation="wife"),
    "wife's place": tag(label="wife's place", kind="place"),
    "Gym": tag(label="Gym", kind="place"),
}
CLOSE_ONES_LOOKUPS = [
    ("带我回家吧", "家"),
    ("咱们回家吧", "家"),
    ("送我到家吧", "家"),
    ("去女朋友家", "对象家"),
    ("导航到男友家", "对象家"),
    ("女朋友家怎么走", "对象家"),
    ("call mumm", "mum"),
    ("mumm", "mum"),
    ("ring my mmum", None),
    ("call my mother", "mum"),
    ("打给老妈", "mum"),
    ("call mummy", "mum"),
    ("送我去娘家", "mum"),
    ("text my spouse", "Sarah"),
    ("打给我媳妇", "Sarah"),
    ("给太太打电话", "Sarah"),
    ("ring my partner", "Sarah"),
    ("drive to my spouse's place", "wife's place"),
    ("to the gmy", "Gym"),
]
CLOSE_ONES_FALSE_FRIENDS = [
    "回家作业",
    "帮我检查儿子的回家作业",
    "国家",
    "国家队的比赛",
    "大家",
    "大家都到了吗",
    "专家",
    "买家具",
    "家具城几点开门",
    "去家酒吧",
    "找家安静的酒吧",
    "面向对象编程",
    "研究对象有哪些",
    "怎么找对象",
    "mummy museum",
    "the mummy returns",
    "egyptian mummy exhibition",
    "a business partner",
    "partner with us",
    "chewing gum",
    "mumbai",
    "the sum of it",
    "gmy is no word on its own here",
    "王先生您好",
    "娘家人来了",
]


def find_label(query: str, tags: dict[str, Tag]) -> str | None:
    matches = lookup_tags(query, list(tags.values()))
    return matches[0].tag.label if matches else None


@pytest.mark.parametrize(("query", "label"), CHINESE_LOOKUPS)
def test_a_chinese_label_is_found(query: str, label: str) -> None:
    assert find_label(query, CHINESE) == label


@pytest.mark.parametrize("query", CHINESE_FALSE_FRIENDS)
def test_a_false_friend_of_a_chinese_label_finds_nothing(query: str) -> None:
    assert find_label(query, CHINESE) is None


@pytest.mark.parametrize(("query", "label"), ENGLISH_LOOKUPS)
def test_an_english_label_is_found(query: str, label: str | None) -> None:
    assert find_label(query, ENGLISH) == label


@pytest.mark.parametrize("query", ENGLISH_FALSE_FRIENDS)
def test_a_false_friend_of_an_english_label_finds_nothing(query: str) -> None:
    assert find_label(query, ENGLISH) is None


@pytest.mark.parametrize(("query", "label"), CLOSE_ONES_LOOKUPS)
def test_close_ones_and_their_homes_are_found_by_other_words(query: str, label: str | None) -> None:
    assert find_label(query, CLOSE_ONES) == label


@pytest.mark.parametrize("query", CLOSE_ONES_FALSE_FRIENDS)
def test_a_false_friend_of_close_ones_finds_nothing(query: str) -> None:
    assert find_label(query, CLOSE_ONES) is None


def test_a_longer_name_hides_the_shorter_one_inside_it() -> None:
    tags = [tag(label="家", kind="place"), tag(label="奶奶家", kind="place")]
    assert [match.tag.label for match in lookup_tags("去奶奶家", tags)] == ["奶奶家"]


def test_two_places_in_one_text_are_both_found() -> None:
    matches = lookup_tags("从公司到家要多久", list(CHINESE.values()))
    assert {match.tag.label for match in matches} == {"家", "公司"}


def test_a_match_says_by_what_it_was_found_and_the_label_scores_best() -> None:
    home = [tag(label="Home", kind="place", aliases=["the nest"])]
    kinds = [(lookup_tags(query, home)[0].match, lookup_tags(query, home)[0].score) for query in QUERIES]
    assert [kind for kind, _ in kinds] == ["exact", "exact", "alias", "alias", "alias"]
    scores = [score for _, score in kinds]
    assert scores == sorted(scores, reverse=True) and all(0 < score <= 1 for score in scores)


QUERIES = ["home", "navigate home", "住处", "to the nest", "回家"]


def test_a_near_miss_is_fuzzy_and_scores_below_every_other_match() -> None:
    match = lookup_tags("navigate to goldn gym", list(ENGLISH.values()))[0]
    assert match.match == "fuzzy" and match.score < 0.75


def test_words_of_the_same_length_are_no_typing_errors_of_each_other() -> None:
    tags = [
        tag(label="grandma", kind="contact"),
        tag(label="第一小学", kind="place"),
        tag(label="火车站", kind="place"),
    ]
    assert [m.tag.label for m in lookup_tags("call grandpa", tags)] == []
    assert lookup_tags("去第二小学", tags) == []
    assert lookup_tags("去汽车站", tags) == []


def test_of_equal_matches_the_tag_used_more_often_comes_first() -> None:
    tags = [tag(label="家", kind="place"), tag(label="家里", kind="place", use_count=9)]
    assert lookup_tags("住处", tags)[0].tag.label == "家里"


def test_no_more_than_the_limit_are_returned() -> None:
    tags = [tag(label=f"gym {number}", kind="place", aliases=["gym"]) for number in range(9)]
    assert len(lookup_tags("gym", tags, limit=3)) == 3


@settings(max_examples=200, deadline=None)
@given(query=st.text(max_size=60))
def test_any_text_can_be_looked_up(query: str) -> None:
    for match in lookup_tags(query, [*CHINESE.values(), *ENGLISH.values()]):
        assert 0 < match.score <= 1


def test_looking_up_takes_time_by_the_number_of_tags() -> None:
    tags = [tag(label=f"place number {number}", kind="place", aliases=[f"地点{number}"]) for number in range(500)]
    assert lookup_tags("导航到地点 77 然后回家", tags)
    assert_linear(lambda some: lookup_tags("导航到地点 77 然后回家", some), tags)


@pytest.mark.parametrize(
    ("label", "query"),
    [
        ("张三", "张三家"),
        ("张三", "导航去张三家"),
        ("女朋友", "对象家"),
        ("mum", "mum's place"),
        ("Ben", "drive to Ben's house"),
    ],
)
def test_the_home_of_a_contact_is_found_where_its_address_is_known(label: str, query: str) -> None:
    lives = tag(label=label, kind="contact", address="9 Pine Lane", aliases=[])
    assert [match.tag.label for match in lookup_tags(query, [lives])] == [label]


@pytest.mark.parametrize("query", ["幼稚园", "去幼稚园", "導航到幼稚園", "to the kindergarten", "送我到幼稚园门口"])
def test_a_kindergarten_is_found_by_every_word_for_it(query: str) -> None:
    school = tag(label="幼儿园", kind="place", address="文一路 5 号")
    assert [match.tag.label for match in lookup_tags(query, [school, CHINESE["公司"]])] == ["幼儿园"]


@pytest.mark.parametrize("query", ["my folks", "drive to my folks", "take me to the folks place", "folks' place"])
def test_the_place_of_several_is_found_by_whose_it_is(query: str) -> None:
    away = tag(label="Brookside", kind="place", address="9 Pine Lane", aliases=["folks' place"])
    assert [match.tag.label for match in lookup_tags(query, [away, ENGLISH["Home"]])] == ["Brookside"]


@pytest.mark.parametrize(
    "query", ["folk music", "what do folks eat in Spain", "that's all folks, good night", "a place to eat"]
)
def test_other_folks_have_no_place(query: str) -> None:
    away = tag(label="Brookside", kind="place", address="9 Pine Lane", aliases=["folks' place"])
    assert lookup_tags(query, [away]) == []
