"""What the speaker is used to, in Chinese: frames of habits, which show a taste without stating it."""

import re
from collections.abc import Iterator
from dataclasses import replace

from snapshots.extraction.categories import GENERAL, INTEREST_CATEGORIES, category_of, known_category
from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.frames_zh import HINTS, NOW_ONLY, ironic, others_zh, own
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_zh import phrases_zh
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.rules import Builder, entries, fact
from snapshots.extraction.values import Candidate

_ACT = (
    r"(?:吃|喝|饮|食|嗦|啃|泡|冲|炖|煮|蒸|做|点|叫|来|买|囤|穿|戴|用|使|听|放|播|看|追|读|刷|翻|玩|打|练|跑|游|骑|"
    r"爬|去|逛|坐|搭|乘|住|订|选|挑|走|绕|停|开|带|要|养|种|写|弹|拍|涂|喷|抽|睡|背|揸|行|拎|拿|抓|捞|抢|携|约|加|"
    r"配|拼|租|办|存|入手|回购|入|收|订阅|浏览|光顾|帮衬|拣)"
)
_COUNT = r"(?:[一二两三四五六七八九十几好多]+|\d{1,3})"
HABIT = re.compile(
    r"我(?:一直|每次)?都是|每天|每晚|每早|每次|每周|每到|每回|每趟|每个?(?:周[一二三四五六日末天]|星期|礼拜|月|"
    r"早上|晚上|夜班|假期)|每逢|逢(?:年|周|假)|天天|顿顿|回回|夜夜|周周|年年|总(?!共|之|部|经理|监|结|算|的来说)|"
    r"老是|成日|日日|晚晚|朝朝"
    r"|一般(?!般)|通常|平时|平日|经常|常常|常年|常(?=[吃喝听看点走去买坐用穿])|习惯|照旧|照例|老样子|老规矩|老三样|"
    r"惯例|一直|向来|永远|从来都?|固定|雷打不动|例牌|照样"
    r"|还是(?:老|那|要|点|去|来|听|走|用|上次)|又(?:来|点|买|是|去|听|喝|吃|看|刷|订|囤|入手|堵|放|开|打|跑|回购|"
    rf"续|双叒)|第{_COUNT}(?:次|回|趟|[个杯份碗壶包盒把本部首双瓶条遍])|{_COUNT}次有{_COUNT}次|十有八九|十回有"
    r"|单曲循环|循环播放|循环|离不开|少不了|隔三差五|三天两头|没断过|停不下来|基本(?:上)?|"
    r"都是?(?=[去点买喝吃听看坐订住走用选挑放开搭带穿睡停要只会先得])|清一色|全是|几乎|多半|大多|差不多都"
    r"|必(?:点|喝|吃|听|看|去|买|备|带|放)|不.{1,6}(?:睡不着|不行|难受|不舒服|起不来|没精神)|睡前|才睡得着|"
    r"百听不厌|百看不厌|一到.{1,6}就|一有空就|一.{1,3}就想|只要.{1,8}就|.{1,4}的时候都|回购|续(?:了|订)|老地方|"
    r"老位置|老位子|老三样|常客|熟客|包月|年卡|月卡|连(?:着|续)|日常|标配"
)


_FOR_ONCE = re.compile(r"(?:今天|今晚|今日|今儿|这次|这回)(?:我)?(?:就|想|换|改|不(?!堵)|先|破例|例外|试|来点|走)")
"""Today is not as ever."""


def is_habit_zh(clause: Clause) -> bool:
    """Return whether a word of the sentence makes its doing a habit."""
    near = clause.text if clause.before is None else f"{clause.before.text},{clause.text}"
    return (
        HABIT.search(near) is not None
        and NOW_ONLY.search(clause.text) is None
        and not _FOR_ONCE.search(clause.sentence)
    )


_TOO_WIDE = frozenset(
    [
        "水果",
        "菜",
        "饭",
        "外卖",
        "东西",
        "衣服",
        "电影",
        "视频",
        "手机",
        "书",
        "歌",
        "音乐",
        "新闻",
        "车",
        "酒店",
        "机票",
        "早餐",
        "午饭",
        "晚饭",
        "早饭",
        "午餐",
        "晚餐",
        "单",
        "班",
        "水",
        "家",
        "路",
        "菜单",
        "床",
        "店",
        "事",
        "娃",
        "孩子",
        "人",
        "门",
        "时候",
        "钱",
        "班车",
        "票",
        "位子",
        "位置",
        "座位",
        "房间",
        "场地",
        "电话",
        "长途",
    ]
)
"""Kinds of things: that somebody buys fruit tells no taste."""


def _habit(hint: str | None = None) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not is_habit_zh(clause):
            return
        act = match.groupdict().get("act") or ""
        for thing in own(clause, match)[:3]:
            if thing in _TOO_WIDE:
                continue
            known = known_category(thing)
            yield from entries(clause, "implicit", "likes", [(thing, known or hint or HINTS.get(act[:1], GENERAL))])
            if known in INTEREST_CATEGORIES or category_of(act[:1] + thing) in INTEREST_CATEGORIES:
                interest = fact("interests", clause, thing, mode="append")
                yield replace(interest, provenance="observation", confidence=EXTRACTION.implicit_confidence)

    return build


_SKIP = (
    r"(?!了?我|你|他|她|它|人|完|到了?$|起|电话|工|扰|开|算|车$|扫|包$|不|得|出|下|说|一下|什么|个不停|啥|死|得|在|"
    r"班|手机|个|过来|回来|头|着|给)"
)
_BY = r"(?:走路|步行|骑车|骑单车|骑共享单车|打车|坐地铁|坐公交|开车|跑步|搭地铁|坐高铁|坐火车)"


def _moving(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if is_habit_zh(clause):
        yield from entries(clause, "implicit", "likes", [(clause.group(match), "travel")])


def _at_once(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A taste that needs no other word to be a habit: what is used up again."""
    yield from entries(
        clause, "implicit", "likes", [(thing, None) for thing in own(clause, match) if thing not in _TOO_WIDE]
    )


HABITS: tuple[Frame, ...] = (
    frame(
        "点 半",
        r"(?:一般|通常|每天|平时|习惯|总是|基本|固定|向来|都|雷打不动|准时)[^,]{0,6}?(?P<v>(?:早上|上午|中午|下午|"
        r"晚上|凌晨|半夜)?(?:\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:半|一刻|[一二三四五]十|\d\d)?)(?:就|才|"
        r"准时|左右|多|钟|前|后)*(?:睡|起|出门|上班|下班|到家|吃|去|叫|开始|出发|关|回)",
        lambda c, m: (
            entries(c, "implicit", "habits", [(c.group(m), GENERAL)])
            if is_habit_zh(c) and not NOW_ONLY.search(c.sentence)
            else ()
        ),
    ),
    frame(
        "在",
        r"(?:买|加|剪|吃|健身|遛|修|洗|订|逛|取|存|看病|理)[^,我]{0,3}?(?:我)?(?:基本上?|都|一般|总|一直|只|固定|"
        r"从来都?|通常)+(?:是|就)?在(?P<v>[^,]{2,10}?)(?:买|加|剪|吃|练|做|修|洗|订|$|的|,)",
        _at_once,
    ),
    frame(
        "在",
        r"(?:只|总是?|都|一般|固定|一直|从来都?)(?:会|是)?在(?P<v>[^,在]{2,8}?)(?:买|加|剪|修|洗|订|取|看病|理发)",
        _at_once,
    ),
    frame(
        "走 步 骑 打 坐 开 跑 搭",
        rf"(?P<v>{_BY}(?:回家|上班|下班|去上班|过去|通勤|来回|出门|接娃|去公司)?)(?!我|都|会|只|总)",
        _moving,
    ),
    frame(
        "见底 没了 喝完 吃完 用完 断货 空了 没货",
        r"^(?:家里的?|我的?|那个?)?(?P<v>[^,我你他]{2,12}?)(?:又|怎么又|又快|又要)(?:见底|没了|没有了|喝完|吃完|"
        r"用完|断货|空了|没货|卖完)",
        _at_once,
    ),
    frame(
        "翻烂 看烂 听烂 刷烂 遍",
        r"(?:那[本部首张]|这[本部首张])?(?P<v>[^,]{2,16}?)(?:我)?(?:都|快|已经|被我)*(?:翻烂|看烂|听烂|刷烂|看了|"
        r"听了|刷了|读了|翻了)(?:了)?(?:[\d几好十八N多上百一二两三四五六七九]+遍|(?<=烂).?)",
        _at_once,
    ),
    frame(
        "该",
        r"(?:又到|又是)?[^,]{0,6}?该(?:给[^,]{1,3}?)?(?:点|买|订|囤|去|吃|喝)(?P<v>[^,]{2,12}?)(?:了|啦|是吧)",
        _habit(),
    ),
    frame(
        "一样",
        r"(?:跟|和|像|同)?(?:平时|往常|以往|之前|昨天|上次|往日)一样,?(?:给我|帮我|在|"
        r"还是)*(?P<v>[^,]{2,14}?)(?:叫我|给我|提醒|就|$|,)",
        _habit(),
    ),
    frame(
        "次有 八九 回有",
        rf"(?:{_COUNT}次有{_COUNT}次|十有八九|十回有[六七八九]回)(?:都|是|点|吃|喝|选|去|会)*(?P<v>.{{2,14}})",
        _habit(),
    ),
    frame("离不 少不 必备 标配", r"(?:离不开|少不了|必备|标配是?|不能没有|必须有|断不了)(?P<v>.{1,12})", _habit()),
    frame(
        "必",
        r"(?:我|都|每次|每|晚|天|年|周|次|回|上|后|前|时|,|^)(?P<x>)必(?P<act>[点喝吃听看去买备带放])(?P<v>.{1,12})",
        _habit(),
    ),
    frame(
        "不 睡 没 难",
        rf"不(?P<act>{_ACT})(?P<v>.{{1,8}}?)(?:就|都|我|根本|真|浑身|是)*(?:睡不着|不行|难受|不舒服|起不来|没精神|"
        r"不踏实|没法|睡唔着|静不下心|浑身)",
        _habit(),
    ),
    frame("循环", r"(?:单曲循环|循环播放|循环)(?:播放|着|的)?(?P<v>.{2,14})", _habit("music")),
    frame(
        "老样 还是 照旧 老规 老地 老位 照例 例牌 又是 照样",
        r"(?:老样子|还是(?:老规矩)?|照旧|老规矩|老地方|照例|例牌|照样|又是)[,,]?\s?(?:给我|帮我|来|要|点|放|去|走|"
        r"听|播|导航|订|买|用|那|一?[个杯份碗家首]|那[个杯份碗家首条部集]|老样子)*(?P<v>(?!不|没|有|老样子|在|要|"
        r"算|会|得|先|挺|很|太|我|你|他|她|上班|周|今|明|下|那个|这|一样).{2,14})",
        _habit(),
    ),
    frame(
        "清一 全是",
        r"(?:清一色|全是|全都是|基本都是|几乎都是|大多是|多半是|永远都?是|一直都?是|总是|每次都?是|"
        r"都是)(?:的)?(?P<v>(?!我|你|他|这|因为|为了|在|一样|被|不|没|"
        r"[去点买喝吃听看坐订住走用选挑放开搭带穿睡停先]).{2,12})",
        _habit(),
    ),
    frame(
        "第",
        rf"第{_COUNT}(?P<x>)(?:次|回|趟)(?:了)?(?:来|去|点|吃|喝|买|看|听|住|坐|刷|回购|订|用|跑|光顾|走|开|叫|约|"
        rf"打|放|搭|饮|食)+(?:了)?(?P<v>[^,了]{{2,14}})",
        _habit(),
    ),
    frame(
        " ".join(
            "吃喝饮食嗦啃泡冲炖煮蒸做点叫来买囤穿戴用听放播看追读刷玩打练跑游骑爬去逛坐搭乘住订选挑走绕停开带要养弹"
            "拍睡背揸行约加回购"
        ),
        rf"(?P<act>(?:{_ACT}))(?:了|着|过|上|回|到|的)?{_SKIP}(?=(?P<v>[^,]{{1,20}}))",
        _habit(),
        last=True,
    ),
    frame("连着 连续", r"(?:又是|怎么又是|都是|全是)(?P<v>[^,]{2,10})", _habit()),
)
_HABITS = Frames(HABITS, cues_in=cues_of(cue for each in HABITS for cue in each.cues))


_AS_EVER = re.compile(r"(?:还是)?(?:老规矩|老样子|照旧|一切照旧|老三样)|(?:跟|和|像)?(?:平时|往常|上次|以往)一样")
_ORDER = re.compile(r"^(?:给我|帮我|再|来|要|点|我要|就|一?[份杯碗个])+")


def habits(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste that ``clause`` shows by a habit."""
    if clause.before is not None and _AS_EVER.fullmatch(clause.before.text) and clause.asserted:
        thing = _ORDER.sub("", clause.text)
        yield from entries(clause, "implicit", "likes", [(one, None) for one in phrases_zh(thing)])
        return
    yield from _HABITS.read(clause, unless=[others_zh, ironic], momentary=True)
