"""A tag or preference as one line, in both languages: names and words, no keys. Rows: P3, P6, P10."""

import pytest

from profiles.prompt_lines import TagParts, render_preference, render_tag


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (TagParts("wife", "contact", None, "510-555-0133", "wife", ("Sarah",)), "wife Sarah: 510-555-0133"),
        (TagParts("wife", "contact", None, None, "wife", ("Sarah", "spouse")), "wife: Sarah"),
        (TagParts("spouse", "contact", None, None, "ex-spouse", ("Tom",)), "ex-spouse: Tom"),
        (TagParts("Ruth", "contact", None, "555-0133", "sister", ("Ruthie",)), "Ruth (Ruthie): sister, 555-0133"),
        (TagParts("Ben", "contact", "9 Pine Lane", None, "brother"), "Ben: brother, 9 Pine Lane"),
        (TagParts("cat", "thing", None, None, "cat", ("Miso",)), "cat: Miso"),
        (TagParts("home", "place", "12 Elm Street", aliases=("my place",)), "home: 12 Elm Street"),
        (TagParts("女朋友", "contact", "建国路88号", None, "女朋友", ("小雨", "对象")), "女朋友小雨: 建国路88号"),
        (TagParts("女朋友", "contact", None, "13900001234", "前女朋友", ("小雨",)), "前女朋友小雨: 13900001234"),
        (TagParts("老公", "contact", None, None, "前老公", ("陈涛",)), "前老公: 陈涛"),
        (TagParts("张三", "contact", "长阳路1900弄", None, "朋友", ("小三",)), "张三 (小三): 朋友, 长阳路1900弄"),
        (TagParts("家", "place", "世纪大道100号"), "家: 世纪大道100号"),
    ],
)
def test_a_tag_says_who_it_is_and_what_it_points_at(place: TagParts, words: str) -> None:
    assert render_tag(place) == words


@pytest.mark.parametrize(
    ("category", "key", "value", "words"),
    [
        ("people", "wife_employer", "Google", "wife's employer: Google"),
        ("people", "sous_chef_blood_type", "A", "sous chef's blood type: A"),
        ("pets", "miso_age", "3", "miso's age: 3"),
        ("people", "ruth_likes", ["jazz"], "ruth's likes: jazz"),
        ("music", "likes", ["jazz"], "likes (music): jazz"),
        ("general", "likes", ["trams"], "likes: trams"),
        ("navigation", "avoid_highway", True, "avoid highway: yes"),
        ("food", "allergies", ["figs"], "allergies: figs"),
        ("people", "妈_age", "七十九", "妈的年龄: 七十九"),
        ("people", "老婆_employer", "谷歌", "老婆的工作单位: 谷歌"),
        ("music", "likes", ["爵士"], "喜欢 (音乐): 爵士"),
        ("food", "allergies", ["花生"], "过敏: 花生"),
        ("climate", "temperature", {"value": 23, "unit": "°C"}, "temperature: 23 °C"),
    ],
)
def test_a_preference_is_written_in_words(category: str, key: str, value: object, words: str) -> None:
    assert render_preference(category, key, value) == words
