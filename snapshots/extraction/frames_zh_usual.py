"""What the speaker is used to, in Chinese, said by what comes back: 回回都是单田芳, 还是上次那家, 第四回去天坛."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, known_category
from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.frames_zh import HINTS, ironic, others_zh, own
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import entries
from snapshots.extraction.values import Candidate

_COUNT = r"(?:[一二两三四五六七八九十几好多]+|\d{1,3})"
_MEASURE = r"(?:大?[杯份碗壶包盒箱打袋瓶条罐桶块笼屉串斤]|个|份儿)"
_ACT = (
    r"(?:吃|喝|饮|食|嗦|啃|泡|冲|炖|煮|煲|蒸|做|点|叫|来|买|囤|穿|听|放|播|看|追|读|刷|玩|打|练|"
    r"跑|游|骑|爬|去|上|逛|坐|搭|住|订|选|走|"
    r"绕|遛|钓|唱|跳|下|约)"
)
_ALWAYS = (
    r"(?:回回|次次|每次|每回|每天|天天|顿顿|晚晚|朝朝|日日|年年|周周|一直|从来|向来|永远|每晚|"
    r"每早|每周|每到.{1,4}|一到.{1,4}|每逢.{1,4}|逢.{1,2})"
)


def _used_to(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    act = match.groupdict().get("act") or ""
    for thing in own(clause, match)[:3]:
        if thing not in _WIDE:
            yield from entries(
                clause, "implicit", "likes", [(thing, known_category(thing) or HINTS.get(act[:1], GENERAL))]
            )


_WIDE_WORDS = """
位子 位置 座位 房间 票 场地 车 外卖 时间 那家 那个 一样 电话 闹钟 单 东西 水 饭 菜 书 家 人
"""
_WIDE = frozenset(_WIDE_WORDS.split())
"""Kinds of things: that somebody asks for a seat tells no taste."""
USUAL: tuple[Frame, ...] = (
    frame(
        "回回 次次 每次 每回 天天 每天 顿顿 晚晚 永远 每晚 一到 每到 逢 年年",
        rf"{_ALWAYS}(?:我|我们|也|基本|几乎|必|,)*(?:都|总|全)?(?:是|得|要|会|离不开|少不了|"
        rf"必须)(?P<act>{_ACT})?(?:会儿?|着|上|个|点儿?|一?{_MEASURE})*(?P<v>[^,]{{2,12}}?)(?:陪着?|"
        r"伴着?|开场|打底|垫底|收尾|起步)?(?:的|了|啊)?$",
        _used_to,
    ),
    frame(
        "第",
        rf"第{_COUNT}(?:次|回|趟|遍)(?:了)?(?P<act>{_ACT}{{1,2}})(?:了|过|个)?(?P<v>[^,了]{{2,12}}?)(?:"
        r"了|喇|啦|,|$)",
        _used_to,
    ),
    frame(
        "第",
        rf"第{_COUNT}(?:双|件|杯|瓶|碗|盒|本|张|只|支|把|套|份|包|箱|台|部|顿|场|"
        rf"集)(?P<v>[^,了的]{{2,12}}?)(?:了|喇|啦|,|$)",
        _used_to,
    ),
    frame(
        "还是 照旧 照例 照样 依旧 照常 老样 老规 例牌",
        r"(?:^|我|就|请|今[天晚]|老板|,)(?:还是|照旧|照例|照样|依旧|照常|老样子|老规矩|例牌)(?:给我|"
        rf"帮我|来|要|点|放|听|订|买|用|去|打|走|在|老板|是|,)*(?P<act>{_ACT})?(?:一?{_MEASURE})?(?:上"
        r"次|上回|老|原来|以前)?(?:的)?(?:那(?:家|个|款|种|套|间|条|位|首|部|本)|嗰(?:间|个|款|"
        rf"种))?(?P<v>(?!那|这|不|没|有|在|得|会|算|你|他|我|很|太|挺|先|今|明|老)[^,]{{2,14}})",
        _used_to,
    ),
    frame(
        "上次 上回 上一",
        r"^(?:还是|再|就|给我|来|要|买|订)*(?:买|要|订|来|点|用)?(?:跟)?上(?:次|回|一次)(?:买|点|订|"
        r"喝|吃)?(?:的)?那(?:个|家|款|种|间|瓶|箱)(?P<v>[^,]{2,12})",
        _used_to,
    ),
    frame(
        "再来 再给 再买 再订 再囤 续",
        rf"^(?:给我|帮我|老板)?(?:再(?:给我)?(?:来|买|订|囤|下单|叫|点)|续)(?:上|个)?{_COUNT}?"
        rf"{_MEASURE}(?P<v>[^,]{{2,10}})",
        lambda c, m: _used_to(c, m) if re.search(r"又|上[次个周回]|见底|没了|完了|快没|每|老|总", c.sentence) else (),
    ),
    frame(
        "一般 平时 通常 习惯 向来",
        r"^(?:我|我们)(?:一般|平时|平常|通常|习惯|向来|基本上?|多半)(?:都|就|是|会|只|也)*(?P<act>走|"
        r"坐|搭|去|点|喝|吃|听|看|住|买|用|穿|停|订|骑)(?!了|完|过|着|路|到)(?P<v>[^,]{2,10})",
        _used_to,
    ),
    frame(
        "又要 又得 又该 又去",
        rf"又(?:要|得|该|可以|准备)?(?:去)?(?P<act>{_ACT})(?P<v>[^,了]{{2,10}}?)了",
        lambda c, m: _used_to(c, m) if re.search(r"常客|熟客|第.{1,3}[次回]|每|天天|老|都.{1,4}次", c.sentence) else (),
    ),
    frame(
        "一场 一集 一期 一节 一次 一回 没落 没断 没缺",
        r"^(?:我)?(?P<v>[^,我你他]{2,10}?)(?:我)?(?:可|是|从来|真|,)*(?:一[场集期节次回天顿])?(?:都|"
        r"也|可)*没(?:有)?(?:落|缺|断|错过|拉|漏)(?:下|过|席)?",
        _used_to,
    ),
    frame(
        "断 少 缺 离",
        r"(?:^|家里|冰箱里|车上|包里|桌上|办公室)(?:的|里|我)*(?P<v>[^,我你他不]{2,8}?)(?:是)?(?:永远|"
        r"从来|一天|绝对|常年|一直)(?:都|也|就)?(?:不能|不可以?|没|不)(?:断|少|缺|离)",
        _used_to,
    ),
    frame(
        "不 没",
        rf"^不(?P<act>{_ACT})(?:上|点儿?|个|口|一?{_MEASURE})*(?P<v>[^,我你]{{1,8}}?)我?(?:早上|晚上|"
        r"一天|整天|这一天|今天|就|都|会|人|总觉得|浑身|根本)*(?:睡不着|不行|难受|不舒服|起不来|"
        rf"没精神|不得劲|不踏实|没劲|醒不过来|醒不了|缺点什么|没法.{{1,3}}|不自在)",
        _used_to,
    ),
)
_USUAL = Frames(USUAL, cues_in=cues_of(cue for each in USUAL for cue in each.cues))


def usual(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste that ``clause`` shows by what comes back."""
    yield from _USUAL.read(clause, unless=[others_zh, ironic], momentary=True)
