"""What the speaker's limits are, in Chinese: frames of harm, refusal, need, bounds and hours."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, allergen_category, known_category
from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.frames_zh import ADV, CHILD, ironic, others_zh, own
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, preference
from snapshots.extraction.rules_en_constraints import NOUNS
from snapshots.extraction.rules_zh_constraints import KINDS_OF_ROAD
from snapshots.extraction.rules_zh_limits import OVER_THE_LIMIT, field_of
from snapshots.extraction.values import Candidate

_HAN = r"[一二两三四五六七八九十百千万半零]{1,8}"
_PART = r"(?:早上|早晨|上午|中午|下午|傍晚|晚上|夜里|半夜|凌晨|夜晚|晚|朝早|朝)"
_CLOCK = (
    rf"(?:(?:每天|周[一二三四五六日末]|工作日|平日|周末)*{_PART}?(?:\d{{1,2}}|{_HAN})(?:点|:\d\d|时)(?:半|"
    r"[一二三四五]十五?|\d\d分?|一刻|三刻)?(?:钟)?)"
)
_WHEN = (
    rf"(?P<v>{_CLOCK}(?:到|至|-|~){_CLOCK}|{_CLOCK}(?:以后|之后|过后|以前|之前|后|前|起)?|"
    r"(?:周[一二三四五六日末][到至]?(?:周[一二三四五六日])?(?:上午|下午|晚上|早上|中午)?|"
    r"礼拜[一二三四五六日天](?:上午|下午|晚上)?|上午|下午|午休|中午|晚上|早上|夜里|饭点|"
    r"(?:工作日|睡觉|下班|上班|天黑|开会|上课|开车|吃饭|夜班|接送娃|接娃|早高峰|晚高峰|备餐|值班|午睡|晚饭|午饭|"
    r"孕期|吃药|服药|备孕|放学|周末)(?:的)?(?:以后|之后|后|时间段?|时候?|期间|的时候|路上)))"
)
_UNIT = (
    r"(?:块钱?|元|万块?|千块?|百块?|美元|美金|欧元|英镑|日元|台币|人民币|港币|港纸|蚊|公里|km/h|km|码|迈|%|度|℃|档|"
    r"分钟|小时|个小时|个钟头?|钟头|公斤|斤|克|毫升|杯|个人|人|次|格|层|楼|分贝|大卡|卡|天|站|个红绿灯|米|集|罐|瓶|"
    r"根|颗|片|勺|口|顿|个|晚|趟)"
)
_AMOUNT = (
    rf"(?P<v>(?:百分之{_HAN}|(?:\d[\d,.]*\d?|{_HAN})(?:多|来|几)?(?:[kKwW])?{_UNIT}{{0,2}})(?:半)?(?:以[内上下]|"
    r"左右|之内)?(?:(?:一|每|/)?(?:个)?(?:晚上?|天|月|年|次|人|位|顿|餐|小时|周|头))?)"
)
_DONT = (
    r"(?:千万|绝对|一律|都|请|麻烦|尽量|永远|以后|坚决|统统|最好|一定|通通|任何时候)*(?:别|不要|不准|不许|勿|禁止|"
    r"不能|不得|不可以?|甭|不用|避免|谢绝|拒绝|免|不想|不让|唔好|不接受|不得|少)(?:再)?(?:给我|帮我|替我|跟我|对我|"
    r"让我|带我|为我|往我|在我|向我|把|将)*"
)
_WONT = (
    r"(?:从来不|从不|绝不|绝对不|坚决不|坚持不|死也不|打死不|打死也不|一概不|一律不|永远不|再也不|都不|不能|"
    r"不可以?|不敢|没法|没办法|不想|不准|不宜|不适合|不得|不让我?|不会|不|禁|忌|戒|避免|拒绝|唔|没办法|受不得|沾不得|"
    r"碰不得)"
)
_NEVER = re.compile(
    r"从来|从不|绝|坚决|死|一概|一律|永远|再也|任何|千万|以后|始终|都|必须|一定|统统|谁|凡|只要|我|过敏|医生|病|忌|"
    r"戒|因为|孕|胃|血|痛|晕|每|给我|帮我|推荐|不管|无论|所有|平时|一直|禁|老规矩|家里|孩子|老人|怕|预算|最多|含|带"
)
_NO_OBJECT = re.compile(
    r"(?:再|帮我|给我|替我|让我|为我|把|往|能|太|敢|想|要|可以)*(?:吃|喝|碰|沾|放|买|点|要|订|"
    r"安排|走|上|去|坐|住|用|看|听|穿|考虑|接受|行|"
    r"加|进|播|有|提|出现|选|搭|饮|食|推荐?|推送|推|带我走|给我走|排|打扰|来|发|念|讲|说|开|抽|玩|"
    r"动|考慮|染|泡|熬|养|做|下|了解|谈|免|存|给我)*"
    r"(?:给我|我|进来|过来|出来|在里面|进去|任何时候)*(?:了|的|哈|啊|呀|吧|哦|嘅|㗎|着|过|到|得)*(?:$|[,。!\s])"
)
"""Behind a refusal of what stood before it: no object of its own (送货别给我导四环 refuses 四环)."""
_END = r"(?=[吧啊呀呢哦哈啦了的嘛噢]*[\s!。.~,]*$)"
_OBJ = r"(?P<v>[^,]{1,18})"


def _avoid(clause: Clause, things: list[str], hint: str | None) -> Iterator[Candidate]:
    for thing in things:
        bare = re.sub(r"(?:的)?路$", "", thing)
        road = next((key for pattern, key in KINDS_OF_ROAD if pattern.match(bare)), None)
        if road:
            yield preference(clause, "constraint", ("navigation", road), "set", True)
            continue
        category = known_category(thing) or hint or field_of(clause.sentence)
        yield preference(
            clause,
            "constraint",
            (category, f"avoid_{NOUNS[category]}" if category in NOUNS else "avoid"),
            "add",
            (thing,),
        )


_FROM_AN_HOUR = re.compile(rf"{_CLOCK}(?:以后|之后|过后|后|以前|之前|前)")


def _refused(hint: str | None = None, *, marked: bool = False) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if marked and not _NEVER.search(clause.sentence):
            return
        if _FROM_AN_HOUR.search(clause.text, 0, match.start("v")):
            return  # 十一点以后不看手机 is about an hour, and shuns no 手机
        yield from _avoid(clause, own(clause, match), hint)

    return build


def _harmful(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing in own(clause, match):
        yield preference(clause, "constraint", (allergen_category(thing), "allergies"), "add", (thing,))


def _required(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for value in own(clause, match)[:1]:
        yield preference(
            clause, "constraint", (known_category(value) or field_of(clause.sentence), "requirements"), "add", (value,)
        )


def _bounded(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if len(match["v"]) > 1 and (clause.subject != "other" or CHILD.match(clause.text)):
        money = re.search(r"[块元万千百蚊]|\d{3}|预算|花|费|钱|价|租", clause.sentence)
        yield preference(
            clause,
            "constraint",
            (field_of(clause.sentence), "budget_limit" if money else "limit"),
            "set",
            clause.group(match),
        )


def _hours(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    field = field_of(clause.sentence)
    key = (
        "quiet_hours"
        if field in {"communication", GENERAL}
        else "earliest_time"
        if match["v"].endswith("前")
        else "latest_time"
    )
    yield preference(clause, "constraint", (field, key), "set", clause.group(match))


_MAX = (
    r"(?:最多|顶多|至多|最高|最大|最晚|不(?:要|能|得|许|可以?|准|想|会)?(?:超过?|过|高于|多于|大于|贵过|长过)|"
    r"别(?:超过?|过|高于|多于|大于)|上限|封顶|控制|限制|低于|少于|至少|起码|最少|不(?:能|要|得|可以?)?(?:低于|少于|"
    r"短于)|唔好超过|唔可以超过|超过|以上|预算)(?:只|就|在|能|给|花|是|为|到|了|设|定|不要?|有|个|控制|开|放|吃|喝|"
    r"看|玩|坐|住|用|接受)*"
)
_REASON = re.compile(
    r"我(?!.{0,4}(?:吧|一下))|过敏|医生|病|怕|晕|孕|疼|痛|娃|孩子|一次都|任何|千万|绝对|所有|无论|不管|凡是|永远|"
    r"每|一律|分心|影响|吵|睡|血压|胃|安全|隐私|万|老人|家里"
)
LIMITS: tuple[Frame, ...] = (
    frame(
        "清真 素 斋 回民 信佛 穆斯林 生酮 低碳 减脂 控糖",
        r"(?:^|我|本人|家|咱)(?:们|家|是|都|的|一家|全家|属于|个|现在|一直|在|吃|最近|长期|正在|常年|平时|也|严格|"
        r"要|得|,)*(?P<v>清真|[吃食]素|素食|[吃食]斋|[吃食]全素|生酮|低碳|控糖|蛋奶素)(?=[^,]{0,2}(?:,|$|的|㗎|架|"
        r"者|饮食|主义))",
        lambda c, m: (
            [preference(c, "constraint", ("food", "diet"), "set", c.group(m))]
            if c.subject != "other" and not re.search(r"[不没]", c.text[: m.start("v")])
            else ()
        ),
    ),
    frame(
        "敏 受",
        r"对(?P<v>[^,]{1,14}?)(?:都|也|有点|有些|会|严重|很|非常|是|特别|重度|轻度|天生|比较|极度)*(?:过敏|敏感|"
        r"不耐受)",
        _harmful,
    ),
    frame(
        "过敏 敏感 不耐 不耐受",
        r"(?:^|我|有|是|患有)(?:有|是|从小|严重|重度|轻度|天生|本身|就|一直|也|还|个|的|中度|属于|"
        r"患)*(?P<v>[^,我你他她的有对]{1,6}?)(?:严重|重度|轻度)?(?:过敏|敏感|不耐受?)(?!药|的人|吗|源|科)",
        _harmful,
    ),
    frame(
        "就 会",
        r"(?:一|我|只要|碰|但凡|每次)?(?:吃|喝|碰|闻|沾|摸|食|饮|穿|用|打)(?:到|了|完|点|一点|"
        r"一口)*(?P<v>[^,]{1,8}?)(?:我)?(?:就|都|会|必)+(?:会|要|得|给|全身|浑身|马上|立马)*(?:拉肚子|过敏|起疹子?|"
        r"起红疹|出疹|痒|喘|吐|难受|胃[疼痛酸]|头[疼痛晕]|肿|不舒服|反酸|胀气|睡不着|心慌|进医院|长痘|拉稀|"
        r"肚[疼痛屙]|屙|犯|发作|发炎)",
        _harmful,
    ),
    frame(
        "最 顶 至 不 别 上 封 控 限 低 少 起 唔 超 以 预",
        rf"(?<!还){_MAX}{_AMOUNT}(?!钟?到|点[到前后以钟半])",
        lambda c, m: (
            ()
            if re.search(r"吗|多久|还要|能退", c.text)
            or (re.match(r"超过|以上", m.group()) and not re.search(r"不|别|免|才|必须|得|要|我", c.sentence))
            else _bounded(c, m)
        ),
        of_anyone=True,
    ),
    frame(
        "内 下 封 限 线 天 多 上 顶",
        rf"{_AMOUNT}(?:以内|以下|之内|封顶|为限|是极限|是上限|是底线|顶天|顶了|最多|以上的?.{{0,6}}(?:不|别|免|"
        r"必须|得|要|才))",
        _bounded,
        of_anyone=True,
    ),
    frame(
        "点 时 : 早 晚 后 前",
        rf"(?:{_DONT}[^,]{{0,8}}?(?:早于|晚于|超过|在|过)?|只能|只有|只在|最早|最晚|必须|都要?|得|一定要?|要)(?:在|"
        rf"到)?(?P<v>{_CLOCK}(?:到{_CLOCK})?(?:以后|之后|后|以前|之前|前)?)(?!.{{0,6}}(?:提醒|叫我|出发))",
        lambda c, m: _hours(c, m) if _NEVER.search(c.sentence) or c.lasting else (),
    ),
    frame(
        "碰 沾 吃 喝 坐 住 走 上 去 买 穿 戴 用 开 爬 食 饮 搭 乘 办 抽 闻 进 提 看 听 玩 熬 飞 接 加 放 行 揸 拿 "
        "搬 游 洗 涂 喷 装",
        rf"(?:^|我|本人|咱|医生|大夫|们|,|的|后|前|时|期间|是|也|都|就|真|现在|一直|平时|基本|家){ADV}("
        rf"?P<neg>{_WONT})(?:再|"
        r"怎么|太|大|让|肯|吃得|可以|随便)*(?P<act>碰|沾|吃|喝|坐|住|走|上|去|买|穿|戴|用|开|爬|食得?|饮|搭|乘|办|"
        r"抽|闻|进|看|听|玩|熬|飞|接|加|放|行|揸|拿|搬|游|洗|涂|喷|装|收|签|订)(?!过|了|到|完|下|饱|惯|起|来|得了|"
        r"担心|管|着|再?说|问|班|学|心|口|不|什么|一下|出|动|头|我|你|他|她|去|成|错|太多|多了)(?:任何|那种|那些|"
        rf"这些|带|有|含)?{_OBJ}",
        lambda c, m: _refused(
            {
                "吃": "food",
                "喝": "food",
                "食": "food",
                "饮": "food",
                "坐": "travel",
                "住": "travel",
                "飞": "travel",
                "买": "shopping",
                "穿": "shopping",
                "走": "navigation",
            }.get(m["act"][0]),
            marked=True,
        )(c, m),
    ),
    frame(
        "点 时 : 午 上 末 后 前 候 间 周 礼 路 期 晚",
        rf"{_WHEN}[^,]{{0,12}}?(?:{_DONT}|勿扰|静音|免打扰|不接电话|不看手机|不方便|没空|不回|不干活|不工作|不开会|"
        r"关机|我不|我就不|要休息|要睡觉|在睡觉|补觉|(?:必须|得)(?:到|回|睡|出门|出发|走|接|上床|熄灯))",
        lambda c, m: (
            _hours(c, m)
            if not re.search(r"提醒我|叫我|导航|去接|几点|吗$", c.text) or re.search(r"别|不要|勿|不能", c.text)
            else ()
        ),
    ),
    frame(
        "别 不 勿 禁 甭 避 谢 拒 免 唔 少",
        rf"(?<![特分区性个级离告道]){_DONT}(?:再)?(?:给我|帮我|让我|带我|在)*(?:推荐|推送|推|订|安排|放|播|买|加|"
        r"点|念|读|选|显示|发|用|开|走|上|去|碰|提|聊|讲|说|排|约|打|派|送|塞|寄|出现|含|有|带|走|经过|绕|进|坐|"
        r"住|叫|拿|吹|喷|装|存|泄露|透露|分享|问|拍|吵|关|订|上传|泊|停|俾|畀|接|弹)(?!我$|了$|完|出去|一下|起来|"
        rf"下去|错|了吧|那么|这么|太|别的|得)(?:任何|那种|那些|这些|带|有|含|我)*{_OBJ}",
        lambda c, m: _refused(None, marked=True)(c, m) if c.lasting or _REASON.search(c.sentence) else (),
    ),
    frame(
        "不 别 免 禁 忌 勿 碰 吃 统",
        r"^(?P<v>[^,我你他她]{1,14}?)(?:这种|这类|之类的?|什么的|的东西|的菜)?(?:我|我们|咱)?(?:是|真的?|现在|"
        r"也|们)*(?:一概|一律|从来|从|绝对|坚决|统统|都|通通|永远|说什么也|死也|打死也|千万|实在|完全|根本|一口|"
        r"一滴|一点|全|就|也|碰)*(?:都|也)*(?:不(?:要|能|行|可以|吃|喝|碰|沾|坐|走|去|买|用|考虑|接受|住|上|穿|看|"
        r"听|敢|想|准|加)|别|免谈?|免了|禁止|忌|勿|吃不了|喝不了|吃不得|碰不得|碰不了|沾不得|坐不了|走不了|唔食|"
        r"唔要|out|pass)",
        lambda c, m: (
            ()
            if re.match(
                r"(?:一[次点下口]|说|怎么|无论|店|规定|公司|这|那|什么|谁|有|今|明|昨|现在|以后|如果|为什么|怎么|"
                r"都|也|就|还|真|是|可|但|因|所|时间|天气|路上|手机|声音|医生|要|再|才|好|太|很)",
                m["v"],
            )
            or not _NEVER.search(c.text[m.end("v") :] + ("我" if "我" in c.sentence else ""))
            or not _NO_OBJECT.match(c.text[m.end() :])
            or re.search(r"不[^,]{1,3}了[吧啊]*$", c.text)
            else _refused(None)(c, m)
        ),
    ),
    frame(
        "必 务 一定 得 要 只",
        r"(?:酒店|房间|房子|餐厅|饭店|座位|车|航班|民宿|青旅|吃的|肉|菜|东西|路线|衣服|鞋|停车|地方|行程|租房|订房|"
        r"买房|住宿|机票|住的|餐|外卖|奶粉|零食|玩具|幼儿园|饭|水|咖啡|奶茶|床|枕头|飞机|高铁|车票|座|推荐的?|"
        r"买的?|吃的?|订的?|选的?)(?:[^,]{0,6}?)(?:一定|都|也|我)*(?:必须|一定要|一定得|"
        r"(?<![晕觉值记懒舍开走吃])得(?=有|是|带|要|能|先|给|靠|选)|务必|只要|只能|只|都要|要)(?:是|有|带|能|选|找|"
        r"订|给我|可以|配|离|含|走|买|吃|坐|住)*(?P<v>[^,]{1,12})",
        lambda c, m: _required(c, m) if not re.search(r"吗|多少|多久|几", c.text) else (),
    ),
    frame(
        "只",
        rf"(?:我|我们|咱|咱们|本人|家)(?:家|们)?{ADV}(?:只|都只|一直只|就只)(?:能|敢|肯|会|可以|想|接受|"
        rf"愿意)*(?:吃|喝|用|坐|住|要|去|买|看|听|走|穿|订|飞|食|饮|搭|选|认|接受)(?!了|过|到|有|是){_OBJ}",
        _required,
    ),
    frame("才", r"^(?P<v>[^,我你]{2,14}?)(?:的[^,]{0,4})?我才(?:坐|吃|喝|去|买|住|用|要|看|订|接受)", _required),
    frame(
        "少",
        r"(?:菜|饭|汤|吃|外卖|点餐|饮食|口味|奶茶|饮料|咖啡)[^,]{0,4}?(?:要|得|必须|都|记得|"
        r"一定)*(?P<v>少[盐油糖辣冰甜](?:少[盐油糖辣冰甜])?|去冰|无糖|微辣|免[葱辣糖蒜]|走[冰甜葱青])",
        lambda c, m: [preference(c, "constraint", ("food", "requirements"), "add", (c.group(m),))],
    ),
)
_LIMITS = Frames(LIMITS, cues_in=cues_of(cue for each in LIMITS for cue in each.cues))


def limits(clause: Clause) -> Iterator[Candidate]:
    """Yield the limit that ``clause`` sets."""
    if not OVER_THE_LIMIT.match(clause.text):
        yield from _LIMITS.read(clause, unless=[others_zh, ironic])
