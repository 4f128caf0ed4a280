"""What is otherwise now, in Chinese, said over a whole sentence: 从X改成Y, 别X了以后Y, 以前X现在Y."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, category_of
from snapshots.extraction.changes import swap
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, Rule, preference, rule
from snapshots.extraction.things import things_zh
from snapshots.extraction.values import Candidate

_END = r"(?=[吧啊呀呢哦哈啦了的嘛噢呗]*(?:才对|就行|就好|就可以|来着)?(?:[\s!。.~,]|$))"
_SOME = r"[^,。]{1,12}?"
_OLD, _NEW = rf"(?P<old>{_SOME})", rf"(?P<new>{_SOME})"
_NOW = r"(?:现在|如今|后来|以后|今年|最近|目前|都|就|已经|早|其实|我|我们|咱|应该|应当|请|那|又|改|还是|,|直接)*"
_DO = r"(?:吃|喝|听|看|用|走|坐|住|开|穿|买|去|做|当|叫|发|打|是|在|要|玩|读|订|选|说|记|点|信|练|跑)"
_TURN = r"(?:换|改|转|变|调|搬|切)(?:用|成|为|到|去|做|吃|喝|听|看|坐|走|开|发|订|穿|行|当|叫|回)*(?:了)?"
_LEADING = r"(?:(?!.{0,14}(?:邻居|同事|朋友|公司把|单位把|学校把|他|她|老板|室友|我姐|我哥|我妈|我爸)).{0,14}?)"
_NO_VALUE = re.compile(
    r"^(?:$|很|太|说|因为|所有|每|特别|非常|真的?|为了|故意|完全|单纯|钱|问题|没|有|想|谁|什么|就|"
    r"一定|人|个台|一下|怎么|这个|那个|这样|那样|开玩笑|时候|哪|多少|几|都|吧|吗|呢|"
    r"啊|行|好|对|可以|能|会)|不[完了动到]|.{1,4}(?:不行|不好|受不了)$"
)
_HEAD = re.compile(
    rf"^(?:{_DO}(?=.)|成|为|到|了|的|那[辆台家个只]|这[辆台家个只]|台|辆|把|将|再|给我|帮我|我|还|"
    r"也|更|比较|爱|喜欢|最|行|一?[个杯])+"
)
_TAIL = re.compile(r"(?:了|的|吧|啊|呀|才对|模式|那种|,)+$")


def _swap(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    old, new = _value(clause.group(match, "old")), _value(clause.group(match, "new"))
    if clause.one_off or old == new or _NO_VALUE.match(old) or _NO_VALUE.match(new):
        return
    yield from swap(clause, old, new)


def _to(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    new = _value(clause.group(match, "new"))
    if not (clause.one_off or _NO_VALUE.match(new)):
        yield preference(clause, "change", (None, None), "replace", new)


def _over(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if clause.one_off:
        return
    for thing, hint in things_zh(clause.group(match, "old")):
        known = category_of(thing)
        yield preference(clause, "change", (hint if hint and known == GENERAL else known, "likes"), "remove", (thing,))


def _value(words: str) -> str:
    return _TAIL.sub("", _HEAD.sub("", words.strip(" ,。")))


def _either(*patterns: str, build: Builder, of_anyone: bool = False) -> tuple[Rule, ...]:
    return tuple(rule(pattern, build, of_anyone=of_anyone) for pattern in patterns)


WHOLE: tuple[Rule, ...] = (
    *_either(
        rf"{_LEADING}(?:从|由){_OLD}{_TURN}{_NEW}{_END}",
        rf"{_LEADING}(?:以前|之前|原来|过去|曾经|本来|原本|那会儿|去年)(?:说|是|我|都|的|一直|爱|最|"
        rf"预算是)*{_OLD},.{{0,10}}?(?:但|不过)?{_NOW}(?:完全|"
        rf"可以|要|得)*(?:{_TURN}|放宽到|涨到|降到|{_DO}|更?喜欢|爱){_NEW}{_END}",
        rf"{_LEADING}(?:(?<![特分区性个级离告])别(?![的人扭墅致名])|不用|不要|甭)(?:再)?(?:给我)?{_DO}?"
        rf"{_OLD}了?,(?:以后|都|改|换|转|还是|直接|就|"
        rf"用)+(?:{_TURN}|{_DO})*{_NEW}{_END}",
        rf"{_LEADING}(?:已经|早就|再也)?不(?:再)?{_DO}?{_OLD}了,{_NOW}(?:(?:年纪|胃|身体|"
        rf"工作)[^,]{{1,6}},)?{_NOW}(?:{_TURN}|转行|"
        rf"{_DO})+{_NEW}{_END}",
        rf"{_LEADING}(?:是|叫|在|用|有|剩)了?{_NEW}(?:了)?(?:,(?:而)?|而|(?=不是|不在))(?:不|没)(?:是|"
        rf"叫|在|用|要|有|说)+{_OLD}{_END}",
        rf"(?:我)?{_NEW},(?:可)?不是{_OLD}{_END}(?! ?,(?:而)?是)",
        rf"{_LEADING}{_OLD}不对,{_NOW}(?:是|叫|在|用)?{_NEW}{_END}",
        rf"{_LEADING}(?:把|将)?{_OLD}(?:卖|扔|退|辞|停|送人)(?:掉)?了,{_NOW}(?:{_TURN}|买|入手|"
        rf"提|新[买提换订]的是?)(?:了)?(?:一?[台辆部个])?{_NEW}{_END}",
        rf"{_LEADING}{_OLD}(?:受不了|不好使|不行|不合适|太[^,]{{1,4}})了?,{_NOW}(?:{_TURN}|用){_NEW}{_END}",
        rf"(?:请|帮我|把|将|以后|我的)*(?:[^,]{{0,8}}?(?:偏好|设置|默认))?{_OLD}(?:换|改|切)(?:成|为|"
        rf"到|回){_NEW}{_END}",
        build=_swap,
    ),
    # That a thing is held wrongly is the speaker's word, of whomever it is said.
    *_either(
        rf"{_LEADING}不(?:是|叫|在|姓){_OLD}了?,{_NOW}(?:而)?(?:是|叫|在|搬到?了?|到|姓)了?{_NEW}{_END}",
        rf"{_LEADING}(?:是|叫|在|用的是|用)(?:的是)?{_NEW},你(?:还|又|老|怎么)?(?:给我)?(?:记|写|说|弄|"
        rf"当|搞|认)(?:成|作|错成|做)(?:了)?{_OLD}{_END}",
        rf"{_LEADING}你(?:还|一直|老)*(?:当|以为|记着|记得|说|写|觉得)(?:我|的)*(?:在|是|用|叫|"
        rf"住)?{_OLD}(?:呢|啊|吧)?,{_NOW}(?:早)?(?:搬到?了?|"
        rf"换了?|是|在|到|用|{_TURN}){_NEW}{_END}",
        build=_swap,
        of_anyone=True,
    ),
)
CLAUSES: tuple[Rule, ...] = (
    *_either(
        rf"{_LEADING}(?:应该|应当|得)是{_NEW}(?:才对|,|$)",
        rf"{_LEADING}(?:你就)?(?:改|更新|修改)(?:记|写|成|为|一下|到)+{_NEW}{_END}",
        build=_to,
    ),
    *_either(
        r"我?(?:现在|已经|早就|早|真的|也|都)*(?:再也)?不(?:再)?(?:怎么|太)?(?:去|吃|喝|听|看|用|玩|"
        rf"买|坐|走|开|追|练|打){_OLD}了[吧啊呀呢哦啦]*\W*$",
        build=_over,
    ),
)
"""Read clause by clause, after what the older tables say: only the new side is named, or only the old one."""
