"""One line for each tag or preference, as models read it: names, not keys."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from memory_platform.kernel.text import HAN, comparable
from profiles.models import TagKind
from profiles.services.tags.lookup import synonyms_of
from profiles.values import in_words

# How many names beside the label a line shows.
MOST_NAMES = 3
# Preferences about other people and pets: their keys begin with the owner, as in ``wife_employer``.
OF_OTHERS = frozenset({"people", "pets"})
# Keys that several categories share, so that a line names the category, too.
OF_MANY = frozenset({"likes", "dislikes", "avoid"})
_HAN = re.compile(f"[{HAN}]")
_CHINESE = {
    "age": "年龄",
    "age_range": "年龄段",
    "allergies": "过敏",
    "avoid": "避免",
    "birthday": "生日",
    "blood_type": "血型",
    "car": "车",
    "city": "所在城市",
    "conditions": "健康状况",
    "country": "所在国家",
    "earliest_time": "最早时间",
    "form_of_address": "称呼",
    "format": "格式",
    "diet": "饮食习惯",
    "dislikes": "不喜欢",
    "employer": "工作单位",
    "hometown": "老家",
    "interests": "爱好",
    "language": "语言",
    "languages": "语言",
    "latest_time": "最晚时间",
    "length": "篇幅",
    "likes": "喜欢",
    "locale": "语言地区",
    "mbti": "MBTI",
    "medication": "用药",
    "name": "姓名",
    "occupation": "职业",
    "pets": "宠物",
    "quiet_hours": "免打扰时段",
    "route": "路线",
    "seat_heating": "座椅加热",
    "shoe_size": "鞋码",
    "speed_limit": "限速",
    "studies": "专业",
    "temperature": "温度",
    "timezone": "时区",
    "tone": "语气",
    "tools": "工具",
    "units": "单位",
    "volume": "音量",
    "volume_limit": "音量上限",
    "workplace": "工作地点",
    "zodiac": "星座",
}
_CATEGORIES = {
    "books": "书籍",
    "climate": "温度",
    "drink": "饮品",
    "drinks": "饮品",
    "film": "影视",
    "films": "影视",
    "food": "饮食",
    "health": "健康",
    "home": "家居",
    "movies": "影视",
    "music": "音乐",
    "navigation": "导航",
    "seat": "座位",
    "seating": "座位",
    "shopping": "购物",
    "sports": "运动",
    "style": "风格",
    "travel": "出行",
    "vehicle": "车辆",
}


class Place(NamedTuple):
    """The parts of a tag that its line shows; None where the tag has none."""

    label: str
    kind: str
    address: str | None = None
    phone: str | None = None
    relation: str | None = None
    aliases: Sequence[str] = ()


def tag_words(place: Place) -> str:
    """Return a tag as a line: "wife Sarah: 510-555-0133", "ex-spouse: Tom", "家: 世纪大道100号".

    A relation that contains the label ("ex-spouse", 前女友) takes the label's place.
    """
    relation = place.relation or ""
    is_role = bool(relation) and place.label.casefold() in relation.casefold()
    title = relation if is_role else place.label
    names = list(_names_of(place)) if place.kind != TagKind.PLACE else []
    told = ", ".join(filter(None, ("" if is_role else relation, place.address, place.phone)))
    if not names:
        return f"{title}: {told}" if told else title
    called = ", ".join(names)
    if not told:
        return f"{title}: {called}"
    between = "" if _HAN.match(title[-1:]) and _HAN.match(called) else " "
    return f"{title}{between}{called}: {told}" if is_role else f"{title} ({called}): {told}"


def preference_words(category: str, key: str, value: object) -> str:
    """Return a preference as a line: "wife's employer: Google", "likes (music): jazz", "avoid highway: yes".

    The line is Chinese when the owner or the value is.
    """
    told = in_words(value)
    owner, field = owner_in(category, key)
    is_chinese = _HAN.search(owner or told) is not None
    name = _CHINESE.get(field, field) if is_chinese else field
    if owner:
        whose = owner.replace("_", " ")
        name = f"{whose}的{name}" if is_chinese else f"{whose}'s {name}"
    elif key in OF_MANY and category != "general":
        within = _CATEGORIES.get(category, category) if is_chinese else category
        name = f"{name} ({within})"
    return f"{name.replace('_', ' ')}: {told}"


def owner_in(category: str, key: str) -> tuple[str, str]:
    """Return the owner and the field of a preference key: ``wife`` and ``employer``; the owner "" is the user."""
    if category not in OF_OTHERS:
        return "", key
    known = next((one for one in _CHINESE if key.endswith(f"_{one}")), "")
    owner, _, field = (key.removesuffix(f"_{known}"), "", known) if known else key.rpartition("_")
    return owner, field


def in_chinese(label: str) -> str:
    """Return the label of a slot in Chinese as far as it is known: "likes (music)" is 喜欢 (音乐)."""
    name, _, within = label.removesuffix(")").partition(" (")
    told = _CHINESE.get(name.replace(" ", "_"), _CATEGORIES.get(name, name))
    return f"{told} ({_CATEGORIES.get(within, within)})" if within else told


def _names_of(place: Place) -> Iterable[str]:
    known = {comparable(place.label), comparable(place.relation or ""), *synonyms_of(place.label)}
    known |= synonyms_of(place.relation or "")
    return islice((one for one in place.aliases if comparable(one) not in known), MOST_NAMES)
