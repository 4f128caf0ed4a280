"""Limits to be kept, in Chinese: hours, amounts, things refused, things required."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, allergen_category, category_of, known_category
from snapshots.extraction.lexicon_zh import THINGS
from snapshots.extraction.marks import KIN_ZH
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, Rule, apply, preference, rule
from snapshots.extraction.rules_en_constraints import NOUNS
from snapshots.extraction.rules_zh_constraints import KINDS_OF_ROAD
from snapshots.extraction.things import things_zh
from snapshots.extraction.values import Candidate

_LEADING = r"(?:.{0,20}?)"
_HAN_NUMBER = r"[一二两三四五六七八九十百千万半零]{1,8}"
_CLOCK = (
    rf"(?:早上|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜|凌晨|晚)?"
    rf"(?:\d{{1,2}}|{_HAN_NUMBER})(?:点|:\d\d|時|时)(?:半|[一二三四五]十|\d\d分?)?(?:钟)?"
)
_WHEN = (
    rf"(?P<v>{_CLOCK}(?:以后|之后|过后|以前|之前|后|前|到{_CLOCK}|至{_CLOCK})?|"
    r"(?:中午|饭点|午休|周末|睡觉|下班|天黑)(?:以后|之后|后|时候?|期间)?)"
)
_UNIT = (
    r"(?:块钱?|元|万块?|千块?|百块?|美元|欧元|人民币|港币|公里|km/h|"
    r"码|迈|%|度|℃|档|分钟|小时|个小时|公斤|斤|克|杯|个人|人|次|格|层|分贝|大卡|卡|天)"
)
_AMOUNT = (
    rf"(?P<v>(?:\d[\d,.]*\d?|{_HAN_NUMBER})(?:[kKwW])?{_UNIT}?"
    r"(?:(?:一|每|/)?(?:个)?(?:晚上?|天|月|年|次|人|位|顿|餐|小时|周))?)"
)
_DONT = r"(?:千万|绝对|一律|都|请|麻烦)*(?:别|不要|不准|不许|勿|禁止|不能|不得|不可以?|甭|少)(?:再)?"
_WONT = (
    r"(?:从来不|从不|绝不|绝对不|坚决不|坚持不|死也不|打死不|"
    r"一概不|一律不|永远不|再也不|不|不能|不可以|没法|不想|不准|禁)"
)
_END = r"(?=[吧啊呀呢哦哈啦了的嘛噢]*[\s!。.~,]*$)"
_FIELD_OF = (
    ("communication", re.compile(r"消息|通知|推送|电话|短信|提醒|微信|吵|打扰|铃|邮件|信息|念")),
    ("work", re.compile(r"会议|开会|的会|meeting|日程|约我|排班|上班|加班|面试|call", re.IGNORECASE)),
    ("housing", re.compile(r"租房|房租|租金|房子|楼层|户型|底楼|一楼")),
    ("travel", re.compile(r"酒店|住宿|机票|航班|飞机|高铁|车票|旅|民宿|转机|行程|出差")),
    ("climate", re.compile(r"空调|暖气|温度|地暖|室温")),
    ("music", re.compile(r"音量|声音|音乐|放歌|音响")),
    ("vehicle", re.compile(r"车速|时速|电量|开车|油箱|充电")),
    ("navigation", re.compile(r"绕路|走路|路线|步行|导航|停车")),
    ("food", re.compile(r"吃|喝|外卖|餐|糖|盐|油|咖啡|辣|热量|饭|奶茶")),
    ("shopping", re.compile(r"买|礼物|衣服|鞋|手机|电脑|购物")),
)

_CUE = re.compile(
    r"不|别|勿|禁|甭|免|没法|只|最[多早晚]|顶多|至多|上限|封顶|以内|以下|之内|为限|底线|控制|限制|低于|少于|过敏|必须|务必|一定要|得|要是|就"
)
_SHORTEST = 2
"""Characters of an amount: a bare digit counts too many things."""
_OTHERS = re.compile(rf"{KIN_ZH}|[猫狗犬]|[他她]")


def field_of(text: str) -> str:
    return next((name for name, words in _FIELD_OF if words.search(text)), GENERAL)


def _hours(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if clause.one_off:
        return
    field = field_of(clause.sentence)
    early = re.search(r"前$", match["v"])
    key = "quiet_hours" if field == "communication" else "earliest_time" if early else "latest_time"
    yield preference(clause, "constraint", (field, key), "set", clause.group(match))


def _amount(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if clause.one_off or len(match["v"]) < _SHORTEST:
        return
    thing = next(
        (name for name in sorted(THINGS, key=len, reverse=True) if len(name) > 1 and name in clause.sentence), ""
    )
    field, word = THINGS.get(thing) or (field_of(clause.sentence), "")
    word = word or {"work": "meeting", "housing": "rent", "music": "volume", "climate": "temperature"}.get(field, "")
    money = re.search(r"[块元万千百]|\d{3}|预算|花", clause.sentence)
    key = f"{word}_limit" if word else "budget_limit" if money else "limit"
    yield preference(clause, "constraint", (field, key), "set", clause.group(match))


def _refused(hint: str | None) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if clause.one_off:
            return
        for thing, told in things_zh(re.sub(r"^(?:任何|那种|那些|这些|带|有)", "", clause.group(match))):
            road = next((key for pattern, key in KINDS_OF_ROAD if pattern.match(re.sub(r"的?路$", "", thing))), None)
            if road:
                yield preference(clause, "constraint", ("navigation", road), "set", True)
                continue
            category = known_category(thing) or hint or told
            if category:
                key = f"avoid_{NOUNS[category]}" if category in NOUNS else "avoid"
                yield preference(clause, "constraint", (category, key), "add", (thing,))

    return build


def _harmful(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if re.search(
        r"(?:女儿|儿子|孩子|老公|老婆|妈|爸|朋友|同事|[他她])(?:也|还)?对?",
        clause.sentence[: clause.sentence.find("过敏")],
    ):
        return
    for thing, _ in things_zh(clause.group(match)):
        yield preference(clause, "constraint", (allergen_category(thing), "allergies"), "add", (thing,))


def _required(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    value = clause.group(match)
    if not clause.one_off and value:
        known = category_of(value)
        field = known if known != GENERAL else field_of(clause.sentence)
        yield preference(clause, "constraint", (field, "requirements"), "add", (value,))


_OBJECT = rf"(?P<v>[^,]{{1,14}}?){_END}"
_THING_FIRST = r"(?P<v>[^,我你]{1,12}?)(?:我|我们|咱)?(?:是)?"
RULES_HOURS: tuple[Rule, ...] = (
    rule(rf"{_LEADING}{_WHEN}[^,]{{0,8}}?{_DONT}", _hours),
    rule(rf"{_LEADING}{_DONT}[^,]{{0,8}}?(?:早于|晚于|超过|在)?{_WHEN}", _hours),
    rule(rf"{_LEADING}(?:只能|只有|只在|最早|最晚){_WHEN}", _hours),
)
RULES_AMOUNT: tuple[Rule, ...] = (
    rule(
        rf"{_LEADING}(?:最多|顶多|至多|不超过|不要超过|别超过|不能超过|不得超过|不许超过|不可以超过|别高于|不高于|不能高于|不要高于|不能多于|别多于|上限|封顶"
        rf"|控制在|限制在|不能过|别过|低于|少于)(?:就|只)?(?:是|为|到|在|能|给|花)*{_AMOUNT}",
        _amount,
    ),
    rule(rf"{_LEADING}{_AMOUNT}(?:以内|以下|之内|封顶|为限|是极限|是上限|是底线|顶天)", _amount),
)
RULES_HARM: tuple[Rule, ...] = (
    rule(
        rf"{_LEADING}对(?P<v>[^,]{{1,14}}?)(?:都|也|有点|有些|会|严重|很|非常|是|特别|重度|轻度|天生)*(?:过敏|不耐受)",
        _harmful,
    ),
    rule(r"(?P<v>[^,我你的]{1,6}?)(?:严重|重度)?过敏(?:体质)?(?=的?[吧啊呀呢哦哈啦]*(?:,|$))", _harmful),
    rule(
        r"(?:一|我)(?:吃|喝|碰|闻)(?:到|了)?(?P<v>[^,]{1,8}?)(?:我)?就(?:会)?(?:拉肚子|过敏|起疹子|痒|喘|吐|难受|胃疼|头疼|肿)",
        _harmful,
    ),
)
RULES_REFUSED: tuple[Rule, ...] = (
    rule(rf"{_LEADING}(?:我|我们|本人|咱)?(?:们)?{_WONT}(?:坐|乘|住|飞){_OBJECT}", _refused("travel")),
    rule(rf"{_LEADING}(?:我|我们|本人|咱)?{_WONT}(?:碰|沾|吃|喝)(?!过|了|到|完|下|饱|惯){_OBJECT}", _refused("food")),
    rule(
        rf"{_LEADING}(?:我|我们|本人|咱)?{_WONT}(?:买|穿|戴|用)(?!过|了|到|完|担心|管|着急|再?说|问){_OBJECT}",
        _refused("shopping"),
    ),
    rule(rf"{_LEADING}(?:我|我们|本人|咱)?{_WONT}(?:爬|上|走|开)(?!班|学|过|了|到|心|口){_OBJECT}", _refused(None)),
    rule(
        rf"{_THING_FIRST}(?:一概|一律|从来|从|绝对|坚决|统统|都|通通|永远|说什么也|死也|打死也)(?:都)?(?:不|别|不要|不能|免)(?:走|上|坐)",
        _refused("navigation"),
    ),
    rule(
        rf"{_THING_FIRST}(?:一概|一律|从来|从|绝对|坚决|统统|都|通通|永远|说什么也|死也|打死也)(?:都)?(?:不|别|不要|不能|免)(?:吃|喝|碰|沾)",
        _refused("food"),
    ),
    rule(
        rf"{_LEADING}(?:以后|永远|一律|千万|绝对){_DONT}(?:给我|帮我|再)*(?:推荐?|订|安排|放|播|买|加|点|念|读|选|显示|发|用){_OBJECT}",
        _refused(GENERAL),
    ),
)
RULES_REQUIRED: tuple[Rule, ...] = (
    rule(
        rf"{_LEADING}(?:酒店|房间|餐厅|饭店|座位|车|房子|航班|民宿|吃的|肉)(?:一定|都|也)?(?:必须|一定要|得|务必|只要|要)(?:是|有|带|能|选|找|订)"
        rf"(?P<v>[^,]{{1,10}}?){_END}",
        _required,
    ),
    rule(
        rf"{_LEADING}(?:我|我们|咱|咱们)(?:家)?(?:只|都只|一直只)(?:能)?(?:吃|喝|用|坐|住|要)(?P<v>[^,]{{1,10}}?){_END}",
        _required,
    ),
)

_RULES = (*RULES_HARM, *RULES_HOURS, *RULES_AMOUNT, *RULES_REFUSED, *RULES_REQUIRED)


OVER_THE_LIMIT = re.compile(r"超[^,]{0,6}就")
"""What is no longer wanted beyond a bound is no limit of its own (超了就不用报价)."""


def limits(clause: Clause) -> Iterator[Candidate]:
    """Yield the limit that ``clause`` sets; nothing where no word of it forbids, bounds or requires."""
    if _CUE.search(clause.text) and not _OTHERS.search(clause.text) and not OVER_THE_LIMIT.match(clause.text):
        yield from apply(_RULES, clause)
