"""The fast lane in Chinese: 不是X是Y, 我说的是Y, 现在喜欢, 不再, 换成, 可以走高速了."""

import re
from collections.abc import Iterable, Iterator

from snapshots.extraction.categories import INTEREST_CATEGORIES, allergen_category, category_of
from snapshots.extraction.corrections_phrases_zh import KIN
from snapshots.extraction.lexicon_zh import OCCUPATION_ENDINGS
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import AVOID, Rule, fact, preference, rule
from snapshots.extraction.things import things_zh
from snapshots.extraction.values import Candidate

_TASTE = (
    r"(?:喜欢上了|喜欢上|喜欢|喜爱|热爱|酷爱|钟爱|偏爱|偏好|"
    r"爱(?=[吃喝听看玩逛去用走坐穿钓打跑爬唱跳画写做骑游旅摄读追])|迷上了?)"
)
_END = r"(?=[吧啊呀呢哦哈啦了的]*(?:,?(?:谢谢|好吗|可以吗|就行))?[\s!。.~]*$)"
_SOME = r"[^,。,不我你他她这那]{1,12}?"
_WHO = r"[\u3400-\u9fffA-Za-z·]{1,8}?"
_NOT_OLD = re.compile(
    r"(?:很|太|说|因为|所有|每|特别|非常|真的?|为了|故意|一般|完全|单纯|钱|问题|没|有|想|要|"
    r"时候|开玩笑|吧|吗|应该|人|谁|什么|就是|一定)"
)
_NOT_NEW = re.compile(
    r"(?:真的?|太|因为|吧|有|怎么|说|为了|没|很|想|要|什么|谁|时候|问题|的|吗|啊|应该|就|一种|" r"都|人|自己)"
)
_CORRECTING = re.compile(r"\W*(?:不对|不是的?,|错了|说错|记错|搞错|弄错|更正|算了|其实|没有?,)")
_MISTAKEN = r"(?:不对?,|不是的?,|错了,|[搞弄记]错了?,|其实,?)*"
_ADV = r"(?:更|最|比较|特别|非常|很|也|还|就|都|真的|又|倒是|反而|越来越){0,3}"


def _swapped(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    old, new = clause.group(match, "old"), clause.group(match, "new")
    if not (_NOT_OLD.match(match["old"]) or _NOT_NEW.match(match["new"]) or old == new or clause.one_off):
        yield preference(clause, "change", (None, None), "replace", new, replaces=old)


def _new(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    if not _NOT_NEW.match(match["new"]) and not clause.one_off:
        yield preference(clause, "change", (None, None), "replace", clause.group(match, "new"))


def _reset(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    if not clause.one_off:
        yield preference(clause, "change", ("climate", "temperature"), "set", clause.group(match, "new"))


def _renamed(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    yield fact("name", clause, clause.group(match, "new"), replaces=clause.group(match, "old"))


def _reemployed(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    if match["new"].endswith(tuple(OCCUPATION_ENDINGS)):
        yield fact("occupation", clause, clause.group(match, "new"), replaces=clause.group(match, "old"))


def _moved(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    if not is_address(match["new"]):
        yield fact("city", clause, clause.group(match, "new"), replaces=clause.group(match, "old"))


def _now_liked(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not clause.one_off:
        for thing, hint in things_zh(clause.group(match)):
            category = _place(thing, hint)
            yield preference(clause, "change", (category, "likes"), "add", (thing,))
            if category in INTEREST_CATEGORIES:
                yield fact("interests", clause, thing, mode="append")


def _unliked(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not clause.one_off:
        for thing, hint in things_zh(clause.group(match)):
            yield preference(clause, "change", (_place(thing, hint), "likes"), "remove", (thing,))


def _not_consumed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield from _unliked(clause, match)
    for thing, _ in things_zh(clause.group(match)):
        yield preference(clause, "constraint", ("food", AVOID), "add", (thing,))


def _turned(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    olds, news = things_zh(clause.group(match, "old")), things_zh(clause.group(match, "new"))
    if len(olds) == len(news) == 1:
        place = (_place(*news[0]), "likes")
        yield preference(clause, "change", place, "replace", news[0][0], replaces=olds[0][0])


def _diet_over(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    yield preference(clause, "change", ("food", "diet"), "remove", (clause.group(match),))


def _allergy_over(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing, _ in things_zh(clause.group(match)):
        yield preference(clause, "change", (allergen_category(thing), "allergies"), "remove", (thing,))


def _denied_allergy(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if _CORRECTING.match(clause.sentence):
        yield from _allergy_over(clause, match)


def _road_open(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    road = clause.group(match)
    if category_of(road) == "navigation" or re.search(r"[路街桥环线速道渡]$", match["v"]):
        yield preference(clause, "change", ("navigation", AVOID), "remove", (road,))


def _open_after_all(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if _CORRECTING.match(clause.sentence) and not clause.one_off:
        yield from _road_open(clause, match)


def _eaten(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """不对,我吃香菜: what was to be avoided no longer is."""
    if _CORRECTING.match(clause.sentence) and not clause.one_off:
        for thing, _ in things_zh(clause.group(match)):
            yield preference(clause, "change", ("food", AVOID), "remove", (thing,))


def _place(thing: str, hint: str | None) -> str:
    found = category_of(thing)
    return hint if hint and found == "general" else found


_THEIRS = rf"(?:那|这)?(?:人|个)?(?:而)?(?:是|说的是)(?:我|她|他)?们?家?的?{KIN}(?:过敏)?"
WHOLE: tuple[Rule, ...] = (
    rule(rf"{_MISTAKEN}(?:我|其实)*对(?P<v>[^,]{{1,20}}?)(?:其实|并|根本|,)?不过敏,?{_THEIRS}{_END}", _allergy_over),
    rule(rf"{_MISTAKEN}对?(?P<v>[^,]{{1,20}}?)过敏的人?(?:又|并|可|其实)?不是我(?:,{_THEIRS})?{_END}", _allergy_over),
    rule(rf"我不叫(?P<old>{_WHO}),?我?(?:叫|是|的名字是)(?P<new>{_WHO}){_END}", _renamed),
    rule(
        rf"(?:以后|你|就|都)*(?:别|不要|不用)(?:再|老|总)?(?:叫|喊|称呼)我(?P<old>{_WHO})了?,.{{0,24}}?(?:叫|喊|称呼)我(?P<new>{_WHO})"
        rf"(?:就行|就好|就可以)?{_END}",
        _renamed,
    ),
    rule(rf"我叫(?P<new>{_WHO}),?不(?:叫|是)(?P<old>{_WHO}){_END}", _renamed),
    rule(rf"我不是(?P<old>{_WHO}),?(?:我|而)?是(?:一?[名个位])?(?P<new>{_WHO}){_END}", _reemployed),
    rule(
        rf"(?:我|我们)?(?:搬家了?,?)?(?:已经)?不住在?(?P<old>{_WHO})了,?(?:我|已经|现在|"
        rf"目前)*(?:住在?|搬到了?|在)(?P<new>{_WHO}){_END}",
        _moved,
    ),
    rule(rf"(?:我|我们)?(?:已经|刚|刚刚|最近)*从(?P<old>{_WHO})搬(?:家)?(?:到|去)了?(?P<new>{_WHO}){_END}", _moved),
    rule(
        rf"我?(?:以前|之前|过去|原来|曾经){_ADV}{_TASTE}(?P<old>[^,]{{1,14}}),?(?:但|但是|"
        rf"不过)?我?现在{_ADV}{_TASTE}(?P<new>[^,]{{1,14}}?){_END}",
        _turned,
    ),
    rule(
        r"(?:不对?,|错了,)?(?:我说的|我要的|我想要的|我指的|它|他的|那个|其实|应该|"
        rf",)*不是(?P<old>{_SOME}),?(?:而是|是|应该是|我说的是|我要的是)(?P<new>{_SOME}){_END}",
        _swapped,
    ),
    rule(
        r"(?:不对?,|错了,)?(?:我说的是|我要的是|我想要的是|我指的是|应该是|我是说|其实是|"
        rf"是)(?P<new>{_SOME}),?(?:而)?不是(?P<old>{_SOME}){_END}",
        _swapped,
    ),
    rule(
        rf"(?:不对?,|错了,|算了,)*(?:我|以后)?不要(?P<old>{_SOME}),(?:我|以后)?(?:而是)?(?:想|就)?要(?P<new>{_SOME}){_END}",
        _swapped,
    ),
    rule(
        r"(?:把|将)(?:家里|车里)?(?:的)?(?:空调|温度|暖气)(?:温度)?(?:再)?(?:换|改)(?:成|为|"
        rf"到)(?P<new>\d{{2}}(?:\.\d)?(?:度|℃)?){_END}",
        _reset,
    ),
    rule(rf"(?:以后|都|请)*(?:把|将)(?P<old>{_SOME})(?:都|全)?(?:换|改|替换)(?:成|为)(?P<new>{_SOME}){_END}", _swapped),
    rule(rf"(?:还是|那就?|都|请|再|就|以后|不对?,)*(?:换成|改成|改为|换为|改到)(?P<new>{_SOME}){_END}", _new),
)
_OBJECT = r"(?P<v>[^,]{1,20}?)"
CLAUSES: tuple[Rule, ...] = (
    rule(rf"我?(?:现在|最近|如今){_ADV}{_TASTE}(?P<v>.{{1,40}})$", _now_liked),
    rule(rf"我?(?:现在|已经|早就|真的|也|都)*不(?:太|怎么|那么)?{_TASTE}{_OBJECT}了[吧啊呀呢哦]*\W*$", _unliked),
    rule(rf"我?(?:已经|早就|最近)*戒(?:掉)?了?{_OBJECT}了?\W*$", _unliked),
    rule(r"我?(?:已经|现在|早就|也)*不再?(?P<v>吃素|吃斋|吃全素)了?", _diet_over),
    rule(rf"我?(?:(?:以后)?再也不|(?:已经|以后|现在|早就)不再?|不再)(?:吃|喝){_OBJECT}了?\W*$", _not_consumed),
    rule(rf"我?(?:已经|现在|早就)*(?:不再|不)对{_OBJECT}过敏了?", _allergy_over),
    rule(rf"我?(?:现在|其实)*对{_OBJECT}(?:已经|早就|现在)*不(?:再)?过敏了", _allergy_over),
    rule(rf"(?:其实|我)*对{_OBJECT}(?:其实|并|根本|真的)?不过敏{_END}", _denied_allergy),
    rule(rf"(?:以后|现在|又|你|都|从现在开始|导航)*可以(?:再)?(?:走|上){_OBJECT}了\W*$", _road_open),
    rule(rf"(?:以后|现在|又|你|都|还是|导航)*可以(?:再)?(?:走|上){_OBJECT}{_END}", _open_after_all),
    rule(rf"我?(?:其实|还是|是)?(?:可以|能|也)?[吃喝](?![了过饭完不惯到])(?P<v>[^,不]{{1,10}}?){_END}", _eaten),
)
