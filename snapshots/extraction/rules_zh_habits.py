"""What the subject does again and again, in Chinese: a taste that shows without being stated (老样子, 又来一杯)."""

import re
from collections.abc import Iterator
from functools import lru_cache

from snapshots.extraction.categories import GENERAL, category_of
from snapshots.extraction.observe import Clause
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.rules import Builder, Rule, apply, entries, rule
from snapshots.extraction.things import things_zh
from snapshots.extraction.values import Candidate

_NUMBER = r"(?:[一二两三四五六七八九十几好多]+|\d{1,3})"
_MEASURE = r"(?:[个杯份碗壶包盒把本部首双瓶条遍页罐块盘顿串桶台张套件枚颗]|大杯|小杯|中杯|大份|小份)"
HABIT = re.compile(
    r"每天|每晚|每早|每次|每周|每到|每个?(?:周[一二三四五六日末天]|星期|月|早上|晚上)|每逢|天天|顿顿|回回|总(?!共|之|部|经理|监|结|算)|老是"
    r"|一般(?!般)|通常|平时|经常|常常|常(?=[吃喝听看点走去买坐])|习惯|照旧|照例|老样子|老规矩|老三样|惯例|一直|向来|永远|从来都"
    rf"|还是(?:老|那)|又(?:来|点|买|是|去|听|喝|吃|看|刷|订|囤|入手)|第{_NUMBER}(?:次|回|趟|{_MEASURE})|{_NUMBER}次有{_NUMBER}次"
    r"|单曲循环|循环播放|离不开|少不了|雷打不动|隔三差五|三天两头|没断过|停不下来|基本(?:上)?都|都是(?:去|点|买|喝|吃|听|看|坐|订)|清一色|全是"
    r"|必(?:点|喝|吃|听|看|去|买|备)|不.{1,4}睡不着|睡前|才睡得着|百听不厌|百看不厌|周周|夜夜|年年"
)
"""Words that make a doing a habit, or a count of it."""
_NOW_ONLY = re.compile(r"今天(?!又|也)|今晚(?!又|也)|这次|明天|待会|等会|一会儿|下周|下次|等哪天|哪天|将来|打算|准备")
_OTHERS = re.compile(
    r"[他她]|(?:孩子|老公|老婆|同事|室友|朋友|我妈|我爸|妈妈|爸爸|儿子|女儿|邻居|老板|客户|领导|奶奶|爷爷|弟弟|妹妹|哥哥|姐姐)(?:们)?(?:又|每|总|天天|老是|都|一直|经常)"
)
_LEADING = r"(?:.{0,18}?)"
_COUNTED = rf"(?:了|着|过|的|上)?(?:[那这]?{_NUMBER}?{_MEASURE}|一?点)?"
_OBJECT = r"(?P<v>.{1,20}?)(?=(?:的时候|才|就|都|也|了|啦|吧|哈哈|呢|啊|嘛|呀|已经|来着|我|没办法|停不下来|,|$))"
_NO_TASTE = re.compile(
    r"^(?:班|床|夜|事|话|车$|家|错|路$|完|到|死|手机|时间|问题|会|的|了|不|没|觉|哪|谁|你|我|他|"
    r"她|它|什么|自己|一下|电话|起|下|出|这|那|完了)|^(?:位子|座位|位置|房间|晚饭|午饭|早饭|票|"
    r"外卖)$"
)


def _seen(hint: str | None) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        found = []
        for thing, told in things_zh(re.sub(r"[《》“”\"']", "", clause.group(match))):
            known = category_of(thing)
            category = known if known != GENERAL else hint or told
            if category and not _NO_TASTE.match(thing):
                found.append((thing, category))
        yield from entries(clause, "implicit", "likes", found[: EXTRACTION.max_thing_words])

    return build


RULES_HABIT: tuple[Rule, ...] = (
    rule(rf"{_LEADING}(?:单曲循环|循环播放|循环|听|放着?|挂着|播){_COUNTED}{_OBJECT}", _seen("music")),
    rule(
        rf"{_LEADING}(?:吃|喝|嗦|啃|嗑|泡|冲|炖|煮|蒸|(?<![向从后原本])来(?=[一两个杯份点碗])|点|叫(?=外卖|了?[一两]?[个份]))(?!了?我|车)"
        rf"(?:外卖)?{_COUNTED}{_OBJECT}",
        _seen("food"),
    ),
    rule(
        rf"{_LEADING}(?:十次|[一二三四五六七八九]次|次)有[一二三四五六七八九十]次(?:都)?(?:是|点|吃|喝|选|去){_OBJECT}",
        _seen("food"),
    ),
    rule(rf"{_LEADING}(?:看|追|读|刷|翻|重温){_COUNTED}{_OBJECT}", _seen("entertainment")),
    rule(rf"{_LEADING}(?:买|囤|穿|入手|收|背){_COUNTED}{_OBJECT}", _seen("shopping")),
    rule(
        rf"{_LEADING}(?:习惯|总是|总|一般|通常|向来|永远|每次都|老是|都|只)(?:会|要|只|都|爱|去)*(?:挑|选|坐|住|订|带|要)(?!在){_COUNTED}{_OBJECT}",
        _seen("travel"),
    ),
    rule(rf"{_LEADING}(?:挑|选|订|坐|住)(?!在){_COUNTED}{_OBJECT}", _seen("travel")),
    rule(rf"{_LEADING}(?:停(?:在|到)|走|绕){_COUNTED}{_OBJECT}", _seen("navigation")),
    rule(rf"{_LEADING}(?:清一色|全是|全都是|都是){_OBJECT}", _seen(None)),
    rule(rf"{_LEADING}(?:离不开|少不了|必备){_OBJECT}", _seen(None)),
    rule(
        rf"{_LEADING}(?:去|打|练|玩|跑|游|骑|爬)(?!了?我|完|电话|工|扰|开|算|车|扫|包){_COUNTED}{_OBJECT}", _seen(None)
    ),
)


def habits(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste that ``clause`` shows; nothing where no word makes its doing a habit, or another's habit."""
    if _is_own_habit(clause.sentence):
        yield from apply(RULES_HABIT, clause)


@lru_cache(maxsize=16)  # asked once per clause of the same sentence
def _is_own_habit(sentence: str) -> bool:
    return bool(HABIT.search(sentence)) and not (_NOW_ONLY.search(sentence) or _OTHERS.search(sentence))
