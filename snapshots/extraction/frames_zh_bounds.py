"""Limits said of something that was named before, in Chinese: 海鲜一吃就起疹子, 周日要去教会,别给我排班."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import allergen_category, known_category
from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.frames_zh import ironic, others_zh, own
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_zh import phrases_zh
from snapshots.extraction.rules import Builder, preference
from snapshots.extraction.rules_en_constraints import NOUNS
from snapshots.extraction.rules_zh_limits import field_of
from snapshots.extraction.values import Candidate

_TAKE = r"(?:吃|喝|碰|闻|沾|摸|食|饮|穿|用|打|晒|抹|涂|坐|熬)"
_ILL = (
    r"(?:拉肚子|过敏|起疹子?|起红疹|出疹|发?痒|喘|想?吐|难受|胃[疼痛酸胀]|头[疼痛晕]|肿|不舒服|"
    r"反酸|胀气|睡不着|心慌|进医院|长痘|"
    r"拉稀|肚[子]?[疼痛屙]|屙|发作|发炎|起包|掉皮|上火|失眠|晕|肠胃炎|犯病|痛风|中招|呼吸困难|要命|喉咙[疼痛肿紧])"
)
_NOT = r"(?:不能|不可以?|不许|不准|不让|不得|不敢|不宜|别|不要|禁|忌|戒|唔好|唔可以|唔得|甭|少)"
_DOCTOR = r"(?:(?:医生|大夫|牙医|营养师)(?:说了?|讲|让|叮嘱|嘱咐|要求|建议|规定|交代)(?:我|了)?,?)?"
_REASON = re.compile(
    r"我|过敏|医生|大夫|病|血[糖压脂]|胃|孕|娃|孩子|老人|家里|怕|丢|晕|疼|痛|一律|千万|绝对|都|"
    r"永远|从来|教|信|宗教|规矩|每"
)
_ORDER = re.compile(r"这[次单顿回]|今[天晚]|明天|刚|待会")
_DAY = (
    r"(?:每个?)?(?:周|礼拜|星期)[一二三四五六日天末](?:到(?:周|礼拜|"
    r"星期)?[一二三四五六日天])?(?:一?整天|早上|上午|中午|下午|晚上|晚)?|"
    r"(?:每天)?(?:早上|上午|中午|下午|晚上|午休|夜里|凌晨)(?:[\d一二三四五六七八九十]+点半?)?(?:到"
    r"[\d一二三四五六七八九十]+点半?|以?[前后]|"
    r"之[前后])?|工作日|节假日|周末"
)
_LENGTHS = r"(?:米|厘米|公分|吨|公斤|斤|cm|m|t|kg)"
_HAN = r"[一二两三四五六七八九十百千万半]"


def _harmful(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing in own(clause, match):
        yield preference(clause, "constraint", (allergen_category(thing), "allergies"), "add", (thing,))


def _avoid(clause: Clause, things: list[str]) -> Iterator[Candidate]:
    for thing in things:
        category = known_category(thing) or field_of(clause.sentence)
        key = f"avoid_{NOUNS[category]}" if category in NOUNS else "avoid"
        yield preference(clause, "constraint", (category, key), "add", (thing,))


def _shunned(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if _REASON.search(clause.sentence) and not _ORDER.search(clause.sentence):
        yield from _avoid(clause, own(clause, match))


def _topic(build_of: str) -> Builder:
    """What the clause before names is harmful or shunned: 酒,医生说一滴都不能沾."""

    def build(clause: Clause, _: re.Match[str]) -> Iterator[Candidate]:
        topic = clause.before
        if topic is None or len(topic.text) > _TOPIC or re.search(r"[我你他她是有在]", topic.text):
            return
        things = []
        for thing in phrases_zh(topic.text):
            at = topic.text.find(thing)
            things.append(topic.words(at, at + len(thing)) if at >= 0 else thing)
        if build_of == "harm":
            for thing in things:
                yield preference(clause, "constraint", (allergen_category(thing), "allergies"), "add", (thing,))
        else:
            yield from _avoid(clause, things)

    return build


_TOPIC = 12
"""Characters of a clause that only names something."""


def _free(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "constraint", (field_of(clause.sentence), "quiet_hours"), "set", clause.group(match))


def _free_before(clause: Clause, _: re.Match[str]) -> Iterator[Candidate]:
    """The time stands in the clause before: 周日要去教会,别给我排班."""
    when = re.search(_DAY, clause.before.text) if clause.before else None
    if clause.before and when and not _ORDER.search(clause.sentence):
        value = clause.before.words(*when.span())
        yield preference(clause, "constraint", (field_of(clause.sentence), "quiet_hours"), "set", value)


def _measure(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "constraint", ("vehicle", "limit"), "set", clause.group(match))


def _limit(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "constraint", (field_of(clause.sentence), "budget_limit"), "set", clause.group(match))


def _less(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "constraint", ("food", "requirements"), "add", (clause.group(match),))


_X = r"(?P<v>[^,我你您他她一不]{1,12}?)"
BOUNDS: tuple[Frame, ...] = (
    frame(
        "就 必",
        rf"^{_X}我?(?:(?:一|只要一?|稍微一?|多){_TAKE}|{_TAKE}(?=[了完到多]))(?:多|点|口|了|完|"
        r"到)?(?:我)?(?:就|必|准|马上|保准)+(?:会|"
        rf"要|得|全身|浑身|犯|给我)*{_ILL}",
        _harmful,
    ),
    frame(
        "过敏 敏感",
        r"^(?P<v>[^,我你他她不]{1,8}?)(?:也|还有?)?(?:是|会|都|一样|照样)+(?:过敏)?$",
        lambda c, m: _harmful(c, m) if c.before and "过敏" in c.before.text else (),
    ),
    frame(
        "也是 也不 也会 还有",
        r"^(?:还有)?(?P<v>[^,我你他她不]{1,8}?)也(?:是|一样|会|不行)(?:的|了|哦|啊)*$",
        lambda c, m: _harmful(c, m) if c.before and "过敏" in c.before.text else (),
    ),
    frame(
        "会 能 容易",
        r"^(?P<v>[^,我你他她不对]{1,10}?)(?:会|能|可以|容易)+(?:让|令|害)我(?:过敏|起疹子?|头[疼痛]|"
        r"拉肚子|胃[疼痛]|难受|喘)",
        _harmful,
    ),
    frame(
        "能 可 许 准 让 得 敢 宜 别 要 禁 忌 戒 好 碰 少",
        rf"^{_DOCTOR}{_X}(?:我|俺|咱)?(?:现在|是|这种|那种|之类的?|什么的)*(?:一律|一概|一滴|一口|"
        r"一点儿?|统统|通通|绝对|千万|都|也|全|真的?|得|必须|半点|"
        rf"要)*{_NOT}(?:再|给我|帮我|让我|往我)*(?:{_TAKE}|放|加|买|点|沾|进|带|推荐?|安排|来|"
        r"上)*(?:的|了|啊|呀|哦|着|哈)*$",
        _shunned,
    ),
    frame(
        "能 许 准 让 敢 别 要 碰 沾 行",
        rf"^{_DOCTOR}(?:这[些俩两种]?[样个]?|那些|它们?|一(?:律|概|滴|口|点儿?)|统统|通通|都|"
        rf"全)(?:我)?(?:一律|一概|一滴|一口|一点儿?|统统|通通|都|也|全|现在)*{_NOT}(?:再|"
        rf"给我)*(?:{_TAKE}|放|加|沾|进)*(?:的|了|啊|呀)*$",
        _topic("shun"),
        of_anyone=True,
    ),
    frame(
        "导 往 带 走 过 放 停",
        rf"{_NOT}(?:再|给我|帮我|把我|带我|让我|老|往)*(?:导|往|带|走|绕|经过|过|放|停|送|搁|丢|"
        rf"靠)(?:我|到|去|进|在|往|上)*(?!我|了|完|心|手|一|吧)(?P<v>[^,]{{2,12}})",
        _shunned,
    ),
    frame(
        "周 礼拜 星期 早 午 晚 夜 工作日 节假",
        rf"(?:^|我|们)(?P<v>{_DAY})[^,]{{0,8}}?(?:不(?:上班|工作|干活|接单|接活|接电话|开会|营业|出车|"
        r"见客|安排|排|在(?!乎|意)|方便|出门)|别|不要|唔好|勿|没空|休息(?!日)|陪|有课|要接|留给|得去)",
        _free,
    ),
    frame(
        "排 订 安 约 打 找 叫",
        rf"^(?:所以|就|都|那天?|千万|那会儿|这个点儿?)*{_NOT}(?:再|给我|帮我|跟我|替我)*(?:排|订|安排|"
        r"约|打电话|打给我|打扰|找我|叫我|吵我|开会|定)",
        _free_before,
    ),
    frame(
        "高 长 宽 重 载",
        r"(?:车|车子|货车|房车|我)?(?:车?高|车?长|车?宽|车?重|总重|载重|净高)(?:是|有|大概|差不多|"
        rf"一共|到)?(?P<v>(?:\d[\d.]*|{_HAN}+点?{_HAN}*){_LENGTHS}(?:\d|{_HAN})?)",
        lambda c, m: _measure(c, m) if re.search(r"车|桥|限[高宽重]|路|库", c.sentence) else (),
    ),
    frame(
        "预算 上限 封顶 最多 顶多",
        rf"(?:预算|上限|封顶|最多|顶多|花费|房租|租金)[^,]{{0,4}}?(?:一向|一直|都|就|也|大概|差不多|是|"
        rf"在|只有|只能|只给|控制在|定在)+(?P<v>(?:\d[\d,.]*|{_HAN}+)(?:块|元|万|千|蚊|"
        r"百)?(?:以?内)?)(?=$|,|[吧啊呀左])",
        _limit,
    ),
    frame(
        "盐 油 糖 辣 甜 减",
        r"(?P<v>(?:盐|油|糖|辣|冰|碳水|主食|淀粉)(?:和(?:盐|油|糖))?(?:要|得|必须|都|尽量|"
        r"记得)*(?:减半|减少?|少放|少一?点|控制|放一半|别放多))",
        _less,
    ),
)
_BOUNDS = Frames(BOUNDS, cues_in=cues_of(cue for each in BOUNDS for cue in each.cues))


def bounds(clause: Clause) -> Iterator[Candidate]:
    """Yield the limit that ``clause`` sets to what was named before it."""
    yield from _BOUNDS.read(clause, unless=[others_zh, ironic])
