"""Who the speaker is, in Chinese, said without the word for it: 坐标成都, 开了二十年出租, 教美术, 两个娃的妈."""

import re
from collections.abc import Iterator

from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.marks import KIN_ZH
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import Builder, as_fact, fact
from snapshots.extraction.values import Candidate, TagCandidate

_COUNT = r"(?:[一二两三四五六七八九十几好多]+|\d{1,2})"
_END = r"(?=[吧啊呀呢哦哈啦了的嘛嘅,、]|$)"
_ABOUT_SELF = re.compile(r"我|本人|咱|俺")


def _of_self(clause: Clause, upto: int) -> bool:
    """Return whether a clause without a subject goes on about the speaker."""
    if clause.subject == "other" or re.search(rf"[他她你您]|{KIN_ZH}", clause.text[:upto]):
        return False
    near = f"{clause.before.text if clause.before else ''}{clause.text}"
    return _ABOUT_SELF.search(near) is not None


def _fact(field: str, least: int = 1) -> Builder:
    """Return the builder of one field, only of what the speaker says of himself."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        value = clause.group(match)
        if _of_self(clause, match.start("v")) and len(value) >= least and not _NO_FACT.search(match["v"]):
            yield fact(field, clause, value)

    return build


_NO_FACT = re.compile(
    r"[你您他她我这那哪谁]|什么|怎么|东西|事情|一下|时候|半天|今天|工作$|班$|饭$|梦|好事|错|回家|"
    r"朋友"
)


def _saved(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    address = clause.group(match).strip()
    if is_address(match["v"]) and re.search(r"[\d一二三四五六七八九十]", match["v"]):
        label = (clause.group(match, "label") or clause.group(match, "label2")).strip('"「」『』 ')
        yield TagCandidate(label, "place", clause.evidence(), address=address)


_DIGITS = r"(?:\+?\d[\d -]{6,14}\d(?![\dXx])|[一二三四五六七八九零幺〇]{11}(?![一二三四五六七八九零幺〇]))"


def _reached(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    label = re.sub(r"^(?:我们?|咱们?)的?", "", clause.group(match, "label"))
    yield TagCandidate(label, "contact", clause.evidence(), phone=clause.group(match), relation=label)


SELF: tuple[Frame, ...] = (
    frame("坐标", rf"坐标(?:在|是|:)?(?P<v>[\u3400-\u9fff]{{2,6}}?){_END}", _fact("city", 2)),
    frame("来的 人", rf"^(?:我是?)?(?P<v>[\u3400-\u9fff]{{2,4}}?)来的{_END}", _fact("hometown", 2)),
    frame(
        "人",
        r"^(?:我|我是|我係|本人)(?:是|个|一个|地道的?|土生土长的?|老|正宗)*(?P<v>[\u3400-\u9fff]"
        rf"{{2,3}}(?<![人女男老大小年客病工商军路]))人{_END}",
        lambda c, m: (
            _fact("hometown", 2)(c, m)
            if not re.search(
                r"[一个种类有的本好坏穷富名]|负责|经手|当事|代理|主持|介绍|合伙|联系|投资|创始|候选|中间|年轻|"
                r"上班|打工|生意|手艺|过来|普通",
                m["v"],
            )
            else ()
        ),
    ),
    frame(
        "年 年多",
        r"^(?:我|我是|本人)?(?:都|已经)?(?:开|干|做|当|教|跑|修|卖|送|画|写|拉|搞|揸|做咗|"
        rf"揸咗)了?(?P<x>{_COUNT}几?)(?:来|多)?年(?:多)?的?(?P<v>[\u3400-\u9fffA-Za-z]{{2,8}}?)(?:了|"
        r"啦|的)?$",
        _fact("occupation", 2),
    ),
    frame(
        "做 搞 干 写 画 拍 教",
        r"^(?:是|在)?(?:做|搞|干)(?P<v>[\u3400-\u9fffA-Za-z]{2,8}?)(?:的|这行|这一行|工作)(?:[吧啊呀呢哦哈啦嘛]|$)",
        _fact("occupation", 2),
    ),
    frame(
        "教",
        r"(?:^|我|在[^,]{2,8}?)(?:在|是|一直)?(?P<v>教(?:[\u3400-\u9fff]{0,4}?(?:语文|数学|英语|物理|"
        r"化学|生物|历史|地理|政治|美术|音乐|体育|舞蹈|"
        r"钢琴|书法|编程|瑜伽|游泳|幼儿|小学|初中|高中|大学|日语|法语|中文|书)|"
        r"[一二三四五六初高][一二三年]级?))(?=的|[,了啊呢吧]|$)",
        _fact("occupation", 2),
    ),
    frame(
        "开 跑 揸 出租 的士 网约 货车 大车 公交 滴滴",
        r"(?:^|我(?:是|係)?)(?P<v>(?:开|跑|揸|開)(?:出租车?|的士|网约车|滴滴|大?货车|大车|大巴|"
        r"公交车?|专车|货拉拉|冷链|长途))(?:的|嘅|为生|,|$|了)",
        _fact("occupation", 2),
    ),
    frame(
        "读 学 念 专业",
        r"(?:^|我|在|现在)(?:读|念|学|修)(?:的是|的|着)?(?P<v>[\u3400-\u9fffA-Za-z]{2,10}?)(?:专业|系|"
        r"方向)(?:的|,|$|了|研|大|博|硕)",
        _fact("education", 2),
    ),
    frame(
        "学的 读的 念的 专业",
        r"(?:学|读|念|修)的(?:专业)?是(?P<v>[\u3400-\u9fffA-Za-z]{2,10})(?=[,了啊呢吧]|$)|"
        r"专业是(?P<w>[\u3400-\u9fffA-Za-z]{2,10})(?=[,了啊呢吧]|$)",
        lambda c, m: [fact("education", c, c.group(m) or c.group(m, "w"))] if _of_self(c, m.start()) else (),
    ),
    frame(
        "读 念 研 博",
        r"(?:^|我|在|现在|正)(?:在)?(?:读|念)(?P<v>研[一二三究]?生?|博[一二三士]?|大[一二三四]|本科|"
        r"硕士|MBA|[\u3400-\u9fff]{2,3}(?:工程|科学|文学|设计|管理|医学|经济|金融|会计|法律|"
        r"心理))(?=[,了啊呢吧的]|$)",
        lambda c, m: _fact("grade" if re.match(r"[研博大].$", m["v"]) else "education", 2)(c, m),
    ),
    frame(
        "娃的 孩子的 宝妈 宝爸 奶爸 妈 爸",
        rf"(?:^|我是?|,)(?P<v>(?:{_COUNT}个?(?:娃|孩子|小孩|宝|孩))的?(?:妈妈?|爸爸?|娘|爹|宝妈|奶爸)|"
        r"[二三]孩(?:妈妈?|爸爸?)|(?:单亲)?宝妈|奶爸)(?=[,了啊呢吧的]|$)",
        lambda c, m: (
            as_fact("children")(c, m) if c.subject != "other" and not re.search(KIN_ZH, c.text[: m.start("v")]) else ()
        ),
    ),
    frame(
        "粤 师傅 老师 店",
        r"(?:^|我)(?:是|係|系)(?:个|一个|一名|做)?(?P<v>[\u3400-\u9fff]{1,4}(?:师傅|師傅|店主|店长|"
        r"掌柜|站长|主任|校长|队长|船长|车长|乘务|空乘|民警|交警|辅警|法官|会计|出纳|文员|前台|客服|"
        r"主播|博主|猎头|中医|兽医|牙医|药师|社工|义工))(?=[,了啊呢吧]|$)",
        _fact("occupation", 2),
    ),
    frame(
        "养 只 条 叫",
        r"(?:家里?|我|我们)(?:现在|也|还)?养(?:了|着)?(?P<v>(?:[一二两三四五俩几]|"
        r"\d)?[只条个][\u3400-\u9fff]{2,6}?)(?=,|叫|$|[和跟])",
        _fact("pets", 2),
    ),
)
KEPT: tuple[Frame, ...] = (
    frame(
        "存 保存 记 设 收藏",
        r"(?P<label2>[\u3400-\u9fff]{1,6}?)?地址[^,]{0,6}?(?:存|记|设|保存|收藏)(?:成|为|作|做|"
        r"到)[\"「『]?(?P<label>[\u3400-\u9fffA-Za-z]{1,6})[\"」』]?[,:]\s?(?P<v>[\u3400-\u9fffA-Za-z0"
        r"-9]{4,40})",
        _saved,
        of_anyone=True,
    ),
    frame(
        "存 保存 记 设 收藏",
        r"(?:^|地址|在|是|,)(?:是|在|:)?(?P<v>[\u3400-\u9fffA-Za-z0-9]{4,40}),?(?:你)?(?:帮我|"
        r"给我)?(?:存|记|设|保存|收藏)(?:一下)?(?:成|为|作|做)[\"「『]?(?P<label>[\u3400-\u9fffA-Za-z]"
        r"{1,6})(?P<label2>)",
        _saved,
        of_anyone=True,
    ),
    frame(
        "电话 手机 号 换号",
        rf"(?P<label>(?:我|我们)?(?:的)?{KIN_ZH}|房东|物业|中介|教练|师傅|班主任|[\u3400-\u9fff]老师|"
        r"[\u3400-\u9fff]师傅)(?:的)?(?:换号了,?|新?(?:电话|手机|号码?|微信))(?:号码?|了|换了|改了|,|"
        rf"是|新的?是?|:|现在|换成|变成)*\s?(?P<v>{_DIGITS})",
        _reached,
        of_anyone=True,
    ),
)
_SELF = Frames(SELF, cues_in=cues_of(cue for each in SELF for cue in each.cues))
_KEPT = Frames(KEPT, cues_in=cues_of(cue for each in KEPT for cue in each.cues))


def self_told(clause: Clause) -> Iterator[Candidate]:
    """Yield everything that ``clause`` tells of who the speaker is."""
    yield from _SELF.read_all(clause)


def kept(sentence: Clause) -> Iterator[Candidate]:
    """Yield the addresses and numbers that a whole sentence asks to keep."""
    yield from _KEPT.read_all(sentence)
