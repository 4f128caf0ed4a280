"""Tastes said of what was named before (香菜、芹菜,这俩我都不爱), and wishes of manner, in Chinese."""

import re
from collections.abc import Iterator

from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.frames_zh import ADV, HINTS, ironic, others_zh, own
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_zh import phrases_zh
from snapshots.extraction.rules import Builder, entries, preference
from snapshots.extraction.rules_zh_limits import field_of
from snapshots.extraction.values import Candidate

_V = r"(?:吃|喝|饮|食|听|看|玩|去|用|走|坐|穿|逛|读|追|住|打|养|买|闻|碰)"
_SO = rf"(?:{ADV.removesuffix('*')}|真心|打心眼里|从来|一概|通通|统统|全)*"
_GOOD = (
    rf"(?:(?:超|最|特别|很|挺|蛮|真|好|够|死|太|都)*(?:爱|喜欢|中意|钟意|鍾意|鐘意|馋|迷|好){_V}?|百{_V}不(?:厌|腻)|"
    rf"怎么{_V}都(?:{_V})?不(?:够|腻|厌)|{_V}(?:不够|不腻|不厌)|来者不拒|(?:没有?|毫无|"
    rf"完全没)(?:任何)?抵抗力|可以天天{_V}|"
    rf"能{_V}(?:一辈子|到天荒地老|一天|十[个碗遍])|离不开|的最爱|的心头好|的本命|心头好)"
)
_BAD = (
    rf"(?:(?:是|真|实在|完全|根本|一点儿?都?|真心|压根|都)*(?:{_V}不(?:了|来|惯|下去?|进去)|看不上|"
    r"提不起劲|没兴趣|没感觉|"
    rf"不(?:太|大|怎么|是很)?(?:爱|喜欢|感冒|中意|钟意|鍾意){_V}?|受不了|忍不了|接受不了|无感|反感|"
    rf"嫌弃|闻着?(?:味儿?)?就.{{1,5}}|"
    rf"一{_V}就(?:想吐|恶心|犯恶心|头[疼大]|烦|困)|看(?:见|到)就(?:烦|恶心|怕|躲|绕道)|犯恶心|害怕|"
    rf"怵|不敢{_V}|顶唔顺|顶不顺|免了|pass|敬而远之|有阴影))"
)
_TAIL = r"(?:的|得很|得不行|得要死|死了|到不行|啊|呀|呢|哈|啦|了|嘅|㗎|耶|喔|哦|吧)*"
_IT = r"(?:这[俩两三]?[样个种些类]?|这玩意儿?|那玩意儿?|那些|那种|这东西|那东西|它们?|通通|统统|样样|全|两样|俩)"


def _valued(key: str) -> Builder:
    """A taste whose thing stands before the words that tell it."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        yield from _told(clause, key, own(clause, match))

    return build


def _told(clause: Clause, key: str, things: list[str]) -> Iterator[Candidate]:
    for thing in things:
        bare = thing[1:] if len(thing) > _SHORTEST and thing[0] in HINTS and thing[1] != "的" else thing
        yield from entries(clause, "explicit", key, [(bare, HINTS.get(thing[0]) if bare != thing else None)])


_SHORTEST = 2


def _before(key: str) -> Builder:
    """A taste of what the clause before it names: 香菜、芹菜,这俩我都不爱."""

    def build(clause: Clause, _: re.Match[str]) -> Iterator[Candidate]:
        topic = clause.before
        if topic is None or len(topic.text) > _TOPIC or re.search(r"[我你他她是有在]", topic.text):
            return
        things = []
        for thing in phrases_zh(topic.text):
            at = topic.text.find(thing)
            things.append(topic.words(at, at + len(thing)) if at >= 0 else thing)
        yield from _told(clause, key, things)

    return build


_TOPIC = 16
"""Characters of a clause that only names something."""


def _manner(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "explicit", ("communication", "style"), "set", clause.group(match))


def _wanted(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for value in own(clause, match)[:1]:
        yield preference(clause, "explicit", (field_of(clause.sentence), "wishes"), "add", (value,))


_X = r"(?P<v>[^,我你您他她]{1,14}?)"
_KIND = r"(?:什么的|之类的?|这种(?:东西)?|那种(?:东西)?|这类|那类|这些|那些|这玩意儿?|那玩意儿?|这东西|啊|嘛)?"
SAID: tuple[Frame, ...] = (
    frame(
        "爱 欢 中 钟 鍾 鐘 馋 迷 好 百 够 腻 厌 来 抵 离 能",
        rf"^{_X}{_KIND}(?:我|咱|俺|本人){_SO}{_GOOD}{_TAIL}$",
        _valued("likes"),
    ),
    frame(
        "不 忍 反 嫌 闻 一 犯 顶 免 p P 敬 无 没 看 有 害 怵",
        rf"^{_X}{_KIND}(?:我|咱|俺|本人){_SO}{_BAD}{_TAIL}$",
        _valued("dislikes"),
    ),
    frame(
        "爱 欢 中 钟 鍾 鐘 馋 迷 好 百 够 腻 厌 来 抵 离",
        rf"^(?:{_IT}|我)(?:我|咱|俺)?{_SO}{_GOOD}{_TAIL}$",
        _before("likes"),
        of_anyone=True,
    ),
    frame(
        "不 忍 反 嫌 闻 一 犯 顶 免 敬 无 没 看 有",
        rf"^{_IT}(?:我|咱|俺)?{_SO}{_BAD}{_TAIL}$",
        _before("dislikes"),
        of_anyone=True,
    ),
    frame(
        "偏 站 倾",
        rf"(?:^|我|本人|咱){_SO}(?:偏向于?|更偏向|站|倾向于?)(?!在|起|着|你|他|哪|谁)(?P<v>[^,]{{1,14}}"
        r")",
        _valued("likes"),
    ),
    frame(
        "粉 奴 迷 狂 控 党",
        r"(?:^|我|本人|咱)(?:是|属于|算是?|可是|妥妥的?|就是|个|一个|多年的?|十[几多]?年的?|"
        r",)*(?P<v>[\u3400-\u9fffA-Za-z]{1,8}?)"
        r"(?:的)?(?:死忠粉?|忠实(?:粉丝|观众|听众|拥趸)|脑残粉|老?粉丝|老粉|铁粉|球迷|奴|狂魔?|"
        r"骨灰级.{0,2}|重度爱好者)"
        r"(?=[,的了啊呢吧]|$)",
        _valued("likes"),
    ),
    frame(
        "最 讨 烦 恨 怕",
        r"最(?:讨厌|烦|恨|怕|受不了|看不惯|不喜欢|不爱|头疼|反感)(?:的)?(?:就|当然|肯定)?(?:是|数|"
        r"要数|莫过于)(?P<v>.{2,16})",
        _valued("dislikes"),
    ),
    frame(
        "最 爱 喜",
        r"最(?:喜欢|爱|享受|期待|惦记|馋|常|离不开)(?:的|吃的|喝的|听的|看的|去的|玩的|穿的|"
        r"做的事)+(?:就|还|当然|肯定|永远)?(?:是|数|要数|"
        r"莫过于)(?P<v>.{2,16})",
        _valued("likes"),
    ),
    frame(
        "一般 平常 平时 不怎 不太 很少 少",
        rf"(?:^|我)(?:平常|平时|一般|基本)*(?:不怎么|不太|不大|很少|极少){_V}(?!到|过|了|完|懂|见|"
        rf"清)(?P<v>[^,]{{1,8}})",
        _valued("dislikes"),
    ),
    frame(
        "慢 快 大 小 直 简 短 详 温 正 随 口 客",
        r"(?:^|跟我|和我|对我|给我)(?:以后|尽量|请|麻烦|都|就|能不能|可以)*(?:说话|讲话|讲嘢|回答|"
        r"回复|回我|聊天|说|讲|声音?儿?|语速|语气|"
        r"报路)(?:的时候|时)?(?:请|尽量|要|都|就|给我|能|稍微|再|得|,)*(?P<v>(?:慢|快|大|小|大声|小声|"
        r"直接|简短|简洁|简单|详细|温柔|"
        r"正式|随意|随便|口语化?|客气|短)(?:一?点儿?|些)?)",
        lambda c, m: (
            _manner(c, m)
            if c.lasting or re.search(r"我.{0,4}(?:耳|听|老|开车|赶|懒)|跟我|对我|回我|你说话|以后|尽量", c.sentence)
            else ()
        ),
    ),
    frame(
        "直 简 慢 大",
        r"^(?P<v>(?:直接|简短|简洁|慢|大声|直白)一?点儿?)(?:就行|就好|吧)?$",
        lambda c, m: _manner(c, m) if c.before and re.search(r"你(?:说话|讲话|回答)|跟我|回我", c.before.text) else (),
    ),
    frame(
        "一律 统一 都 全",
        r"^(?P<x>[^,我你]{1,8}?)(?:一律|统一|全部?|都|永远|以后)+(?:请|给我|帮我|麻烦)*(?:换|改|用|要|"
        r"选|做)(?:成|为|用)?(?P<v>[^,]{2,10})",
        lambda c, m: () if re.search(r"[不别没]", m.group()) else _wanted(c, m),
    ),
)
_SAID = Frames(SAID, cues_in=cues_of(cue for each in SAID for cue in each.cues))


def said_of(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste or the wish of manner that ``clause`` tells of what was named before it."""
    yield from _SAID.read(clause, unless=[others_zh, ironic])
