"""What the subject rules out, in Chinese: roads, food and music to avoid, limits on money and speed."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, category_of, known_category
from snapshots.extraction.lexicon_zh import THINGS
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, Rule, fact, preference, rule
from snapshots.extraction.rules_en_constraints import NOUNS, weighed
from snapshots.extraction.things import things_zh
from snapshots.extraction.values import Candidate

_ME = r"(?:我|本人|咱)?"
KINDS_OF_ROAD = (
    (re.compile(r"(?:上|走)?高速(?:公路|路)?$"), "avoid_highway"),
    (re.compile(r"(?:有)?(?:收费的?(?:路段?|站|公路|道路|高速)?|过路费)$"), "avoid_toll"),
    (re.compile(r"(?:轮渡|渡轮|渡船)$"), "avoid_ferry"),
    (re.compile(r"隧道$"), "avoid_tunnel"),
    (re.compile(r"(?:堵车|拥堵)的?(?:路段?|地方|道路)?$"), "avoid_traffic"),
    (re.compile(r"掉头$"), "avoid_u_turn"),
)
_ROAD_LIKE = re.compile(
    r"[\u3400-\u9fffA-Z\d]{1,10}(?:路|街|高架|高速|大道|环|环线|隧道|大桥|桥|国道|省道|快速路|" r"线|巷)$|^[GS]\d{1,4}"
)
_FROM_NOW = (
    r"(?:从?(?:今天起|今以后|现在开始|今往后)|以后|今后|往后|永远|一律|始终|请|都|就|也|再也|"
    r"千万|绝对|导航|规划路线|路线|开车|"
    r"的时候|时|再|尽量|最好|能|给我|帮我|为我|记得|记住|,)*"
)
_DONT = r"(?:别再?|不要再?|不许再?|不准|不用再?|勿|禁止|避免)"
_OBJECT = r"(?P<v>.{1,24})$"
_PERIOD = r"(?:每晚|一晚上?|每天|每月|每个月|一个?月|每次|每顿|一顿|每餐|人均|单程|每人|每年)?"
_AMOUNT = (
    r"(?P<v>(?:大概|大约|差不多|约)?(?:\d[\d,.]*\d?|[一二两三四五六七八九十百千万]{1,8})(?:万|"
    r"千|百)?(?:块钱?|元|美元|欧元|人民币|公里|km/h|码|迈|%)?(?:左右|以内|以下|上下)?)"
)
_END = r"(?=[吧啊呀呢哦哈啦了的]*[\s!。.~]*$)"


def _avoid(hint: str | None = None, *, habit: bool = False) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if clause.one_off:
            return
        things = things_zh(clause.group(match))
        for thing, told in things:
            yield from _avoided(clause, thing, hint or told, sure=habit or clause.lasting)

    return build


def _avoided(clause: Clause, thing: str, hint: str | None, *, sure: bool) -> Iterator[Candidate]:
    for pattern, key in KINDS_OF_ROAD:
        if pattern.match(thing):
            yield weighed(preference(clause, "constraint", ("navigation", key), "set", True), sure)
            return
    category = "navigation" if _ROAD_LIKE.search(thing) else known_category(thing)
    if category is None and hint != "navigation":
        category = hint if sure else None
    if hint == "navigation" and category != "navigation":
        return  # "别走神": walking is not always about roads
    category = hint if hint in {"food", "music"} else category
    if category or (sure and hint):
        place = (category or GENERAL, f"avoid_{NOUNS.get(category or '', 'thing')}")
        yield weighed(preference(clause, "constraint", place, "add", (thing,)), sure)


def _limited(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    thing = match["thing"]
    if not clause.one_off and thing:
        category, word = THINGS.get(thing) or (category_of(thing), thing)
        yield preference(clause, "constraint", (category, f"{word}_limit"), "set", clause.group(match))


def _budget(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if re.search(r"[元块万千百]|\d{3}", match["v"]):
        yield fact("budget", clause, clause.group(match))


RULES_LIMIT: tuple[Rule, ...] = (
    rule(rf"{_ME}的?(?:总)?预算(?:就|只有|最多|上限|控制)*(?:是|在|为|有)?{_AMOUNT}{_END}", _budget),
    rule(
        rf"{_FROM_NOW}(?:订|选|找|"
        rf"买)?(?:的)?(?P<thing>{'|'.join(sorted(THINGS, key=len, reverse=True))})(?:的?(?:价格|"
        rf"价钱|预算|费用))?{_PERIOD}"
        rf"(?:的?预算)?(?:最好|都|请|尽量)?(?:{_DONT}|不|不能|不得|不可以?)(?:超过|高于|大于|超出|超){_AMOUNT}{_END}",
        _limited,
    ),
    rule(
        rf"{_FROM_NOW}(?P<thing>{'|'.join(sorted(THINGS, key=len, reverse=True))})(?:的?预算)"
        rf"{_PERIOD}(?:是|在|为|控制在|最多)*{_AMOUNT}{_END}",
        _limited,
    ),
)
RULES_AVOID: tuple[Rule, ...] = (
    rule(rf"{_ME}{_FROM_NOW}{_DONT}(?:给我|帮我|让我|带我)?(?:走|上|经过|开上|路过){_OBJECT}", _avoid("navigation")),
    rule(rf"{_ME}{_FROM_NOW}(?:{_DONT}|给我)?(?:避开|绕开|绕过|躲开|避让){_OBJECT}", _avoid("navigation")),
    rule(
        rf"{_ME}{_FROM_NOW}{_DONT}(?:给我|帮我|再给我|再|为我)*(?:播放?|"
        rf"放(?![弃心手松过在学假下开屁肆纵大慢着]|一[边下])){_OBJECT}",
        _avoid("music"),
    ),
    rule(rf"{_ME}{_FROM_NOW}{_DONT}(?:给我|帮我|再给我|再|向我|跟我)*(?:推荐|推送|点){_OBJECT}", _avoid()),
    rule(
        rf"{_ME}(?:从来|从|一直|一向|平时|坚决|基本|都|现在|也|是){{0,3}}(?:不走|不上){_OBJECT}",
        _avoid("navigation", habit=True),
    ),
    rule(
        rf"{_ME}(?:从来|从|一直|一向|平时|坚决|基本|都|也|是|因为过敏|,){{0,3}}(?:不吃|不喝|吃不了|"
        rf"喝不了|吃不得|不能吃|不能喝|不可以吃|忌)(?!口|了|饱|下|完|惯|起|到){_OBJECT}",
        _avoid("food", habit=True),
    ),
)

TABLES = (RULES_LIMIT, RULES_AVOID)
