"""Who the speaker is, in Chinese: frames of age, work, household, whereabouts and numbers, said by the way."""

import re
from collections.abc import Iterator

from snapshots.extraction.ages import age_range_of, years_of
from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.lexicon_zh import OCCUPATION_ENDINGS
from snapshots.extraction.marks import KIN_ZH
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import Builder, as_fact, fact
from snapshots.extraction.values import Candidate, TagCandidate

_COUNT = r"(?:[一二两三四五六俩仨几]|\d)"
_JOBS = "|".join(sorted(OCCUPATION_ENDINGS, key=len, reverse=True))
_YOUNGEST = 10
_END = r"(?=[吧啊呀呢哦哈啦了的嘛,、]|$|一枚|一个|一名)"


def _aged(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    years = years_of(match["v"])
    if years and years >= _YOUNGEST:
        yield fact("age", clause, clause.group(match))
        yield fact("age_range", clause, age_range_of(years))


def _where(field: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not is_address(match["v"]) and not re.search(
            r"预算|[你他她这那哪谁院]|什么|路上|家里|公司$|医院$|学校$|单位|外面|一起|床|车上|线|时候|下面|上面",
            match["v"],
        ):
            yield fact(field, clause, clause.group(match))

    return build


def _located(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if is_address(match["v"]) and re.search(r"[\d一二三四五六七八九十]", match["v"]):
        label = clause.group(match, "label") or "家"
        yield TagCandidate(
            re.sub(r"^(?:我们?|咱们?)的?", "", label) or "家", "place", clause.evidence(), address=clause.group(match)
        )


def _reached(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if re.search(r"[他她你]|身份|银行|护照|卡|单|的$|订", match["label"]):
        return
    label = re.sub(r"^(?:我们?|咱们?)的?", "", clause.group(match, "label"))
    yield TagCandidate(label, "contact", clause.evidence(), phone=clause.group(match), relation=label)


PROFILE: tuple[Frame, ...] = (
    frame(
        "今年 岁 年纪",
        r"(?:我|本人)?(?:今年|刚|马上|都|已经|虚岁|快)*(?:今年|满|年纪)(?:都|刚|已经|也|满|快|就)*(?P<v>\d{2}|"
        r"[二三四五六七八九]?十[一二三四五六七八九]?)(?:岁)?(?=了|岁|,|$|的)",
        _aged,
    ),
    frame(
        "岁",
        r"我(?:今年|刚|马上|都|已经|虚岁|快|是|也|就|个)*(?P<v>\d{2}|[二三四五六七八九]?十[一二三四五六七八九]?)岁",
        _aged,
    ),
    frame("属", r"我是?(?P<v>属[鼠牛虎兔龙蛇马羊猴鸡狗猪])", as_fact("zodiac")),
    frame("座", r"我是?(?P<v>(?:白羊|金牛|双子|巨蟹|狮子|处女|天秤|天蝎|射手|摩羯|水瓶|双鱼)座)", as_fact("zodiac")),
    frame(
        "娃 孩 儿 女 闺 胎 宝 仔",
        rf"(?:我|家|我们|咱)(?:家|里|们|家里)?(?:有|就|一共|现在|是)*(?P<v>{_COUNT}个?(?:娃|孩子?|小孩|宝宝|儿子|"
        rf"女儿|闺女|男孩|女孩|胎|宝|仔|小朋友)|{_COUNT}儿{_COUNT}女|双胞胎|龙凤胎|二胎)",
        as_fact("children"),
    ),
    frame(
        "猫 狗 犬 兔 鱼 鸟 鼠 龟 金毛 柯基 泰迪 布偶 橘猫 柴犬 拉布 哈士 比熊 英短 鹦鹉",
        r"(?:我|家|家里|我们|还)(?:家|里|们|家里)?(?:现在|也|还|就|一共|是)*(?:养了?|"
        r"有)(?:着)?(?P<v>(?:[一二两三四五俩几]|\d)?[只条个]?[\u3400-\u9fff]{0,4}?(?:猫咪?|狗狗?|犬|兔子?|仓鼠|"
        r"乌龟|鹦鹉|金鱼|柯基|泰迪|金毛|拉布拉多|布偶|橘猫|哈士奇|柴犬|龙猫|比熊|"
        r"英短)(?:叫[\u3400-\u9fffA-Za-z]{1,6})?)",
        as_fact("pets"),
    ),
    frame(
        "猫 狗 兔",
        r"我?家?(?P<v>(?:猫|狗|狗狗|猫咪|兔子)叫[\u3400-\u9fffA-Za-z]{1,6})",
        as_fact("pets"),
        of_anyone=True,
    ),
    frame(
        "住 定居 人在 搬",
        r"(?:我|我们|本人|咱|,|^|现|目前|常年|就|家)(?:家|人|现在|目前|就|一直|平时|常年|是)*(?:住在?(?!宿|院|处|"
        r"房|校|手|的|哪|了)|定居在?|人在|家住|居住在|长居|旅居)(?P<v>[\u3400-\u9fff]{2,8}?)(?=[吧啊呀呢哦哈啦了的"
        r"嘛,]|$|这边|那边|附近|一带|好多年|\d|[一二两三四五六七八九十几]+年)",
        _where("city"),
    ),
    frame(
        "上班 返工 工作 上学 任职 供职 搬砖",
        r"(?:去|在|到|于|我在|喺)(?P<v>[\u3400-\u9fffA-Za-z0-9]{2,12}?)(?:那边|这边|附近)?(?:上班|返工|工作|任职|"
        r"供职|搬砖|打工|教书|当差)",
        lambda c, m: _where("workplace")(c, m) if "我" in c.sentence or c.subject == "self" else (),
    ),
    frame(
        "是 做 系 当 干 程 护 老 厨 司 教",
        r"(?:^|我|本人|咱|自己)(?:是|系|就是|做|当|干|现在|目前|一直|在|个|一个|一名|名|普通|退休|搞|跑|以前是?|"
        rf"的|主业)*(?P<v>(?:[\u3400-\u9fff]{{0,6}}?)(?:{_JOBS}|护士长|司炉|店主|厨子|码农|社畜|设计|前端|后端|"
        r"月嫂|主厨|讲师|班主任|背包客|编剧|创业者|房产中介|网约车司机|外卖骑手|骑手))(?:一枚|一个|一名)?(?:的|嘅|"
        r"$|,|了|啊|呢|吧)",
        lambda c, m: (
            as_fact("occupation")(c, m)
            if ("我" in c.text or "本人" in c.text)
            and c.subject != "other"
            and not re.search(
                r"[你他她我不没]|问|找|叫|跟|给|让|的[^,]{2}$|^[王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗]..$", m["v"]
            )
            else ()
        ),
    ),
    frame(
        "做 搞 干 从事 教",
        r"(?:我|本人)(?:是|系|一直|现在|目前|在|就|以前)*(?:做|搞|干|从事|教|"
        r"学)(?P<v>[\u3400-\u9fffA-Za-z]{2,8}?)(?:的|嘅|这一?行|工作|行业)(?=[吧啊呀呢哦哈啦了嘛,]|$)",
        lambda c, m: as_fact("occupation")(c, m) if not re.search(r"什么|饭|菜|我|你", m["v"]) else (),
    ),
    frame(
        "退休 待业 失业 离婚 已婚 单身 未婚 怀孕 备孕 丁克",
        r"(?:我|本人|^|已经|刚|早)(?:就|已经|也|刚|早就|现在|正在|都|还|一直|是|早|提前)*(?P<v>退休|待业|失业|离婚|"
        r"离异|已婚|单身|未婚|怀孕|备孕|丁克)(?=了|的|中|[吧啊呀,]|$|前|在家|\d|好几年|多年)",
        lambda c, m: (
            [fact("occupation" if m["v"] in {"退休", "待业", "失业"} else "marital_status", c, c.group(m))]
            if c.subject != "other"
            else ()
        ),
    ),
    frame(
        "开的 座驾 我的车 车是 开",
        r"(?:我|我们|咱|家里?)(?:家|的|现在|平时|们)*(?:开的?(?:车)?是?|座驾是|车是|"
        r"开一?[辆台])(?:一?[辆台])?(?P<v>(?:比亚迪|特斯拉|宝马|奔驰|奥迪|大众|丰田|本田|日产|吉利|长安|小鹏|蔚来|"
        r"理想|小米|问界|五菱|别克|福特|沃尔沃|雷克萨斯|保时捷|极氪|哈弗|凯美瑞|卡罗拉|途观|帕萨特|领克|零跑|岚图|"
        r"腾势|Model)[\w\u3400-\u9fff ]{0,8}?)(?=[吧啊呀呢哦哈啦了的嘛,]|$)",
        as_fact("vehicle"),
    ),
    frame(
        "叫 名字 称呼",
        r"(?<![帮给替])(?:我|本人)(?:叫|名叫|名字是|名字叫|大名|小名叫?)(?P<v>[\u3400-\u9fff·]{2,4}|[A-Za-z]{2,12}|"
        r"阿[A-Za-z]{2,12}|阿[\u3400-\u9fff])(?=[吧啊呀呢,]|$)",
        lambda c, m: [fact("name", c, c.group(m))] if not re.search(r"[车外餐份你他她它什么了]|不", m["v"]) else (),
    ),
    frame(
        "叫我",
        r"(?:叫|喊|称呼)我(?P<v>[\u3400-\u9fffA-Za-z]{1,8}?)(?:就(?:行|好|得|可以|OK)|吧|好了|得啦|,|$)",
        lambda c, m: (
            [fact("name", c, c.group(m))]
            if not re.search(r"[起床你他她了一]|什么", m["v"])
            and not re.search(r"别(?!人)|不要|唔好|不", c.text[: m.start()])
            and not c.one_off
            and not re.search(r"\d|点", c.text)
            else ()
        ),
        of_anyone=True,
    ),
    frame(
        "码 号 穿",
        r"(?:鞋子?|鞋码|脚)(?:的?尺?[码号])?(?:我|一般|都|平时)*(?:是|穿)?(?P<v>\d{2}(?:\.5|半)?)码?",
        lambda c, m: [fact("shoe_size", c, c.group(m))],
    ),
    frame(
        "码 号 穿",
        r"(?:衣服|上衣|T恤|裤子|外套|衬衫|工服)(?:我|一般|都|平时|的?尺?[码号])*(?:是|穿|要)?(?P<v>[XSML]{1,4}|"
        r"\d{2,3})码?(?=号|码|,|$|的|左)",
        lambda c, m: [fact("clothing_size", c, c.group(m))],
    ),
    frame(
        "生日 出生",
        r"(?:我|本人)?的?(?:生日|出生日期)(?:是|在|就是|农历|阳历|阴历)*(?P<v>(?:\d{4}年)?[\d一二三四五六七八九十]{"
        r"1,2}月(?:初?[\d一二三四五六七八九十廿]{1,3}[日号]?)?)",
        lambda c, m: (
            as_fact("birthday")(c, m) if c.subject != "other" and not re.search(KIN_ZH, c.text[: m.start() + 2]) else ()
        ),
    ),
    frame(
        "老家 人 祖籍 籍贯 来自",
        r"(?:老家|祖籍|籍贯|家乡)(?:是|在|就是)*(?P<v>[\u3400-\u9fff]{2,6}?)(?=[吧啊呀呢哦哈啦了的嘛,]|$)",
        _where("hometown"),
    ),
    frame(
        "晕 痛 糖 高 低 胃 鼻 哮 心 肾 贫 关 腰 蚕 甲 脂 恐 幽 偏 血",
        r"(?:^|我|有|,)(?:我|有|得了?|是|患有?|一直|本身|个|比较|严重|最近查出)*(?P<v>痛风|糖尿病|高血压|低血糖|"
        r"高血脂|高血糖|血糖高|血压高|血脂高|尿酸高|高尿酸|三高|胃溃疡|胃炎|胃病|鼻炎|哮喘|心脏病|肾结石|贫血|"
        r"关节炎|腰椎间盘突出|腰椎病|颈椎病|蚕豆病|甲亢|甲减|脂肪肝|恐高症?|幽闭恐惧症?|偏头痛)(?=[吧啊呀呢了的,]|"
        r"$|[^人吃能])",
        lambda c, m: (
            as_fact("health")(c, m)
            if c.subject != "other" and not re.search(KIN_ZH + "|没|不", c.text[: m.start("v")])
            else ()
        ),
    ),
    frame(
        "会 母语 讲",
        r"(?:我|本人)(?:母语是?|平时讲|会说|会讲|说|讲)(?P<v>[\u3400-\u9fff]{1,4}(?:话|语|"
        r"文)(?:[和跟、][\u3400-\u9fff]{1,4}(?:话|语|文))*)",
        as_fact("languages"),
    ),
    frame(
        "0 1 2 3 4 5 6 7 8 9",
        rf"(?P<label>(?:我|我们|咱)?(?:家|的)*(?:[\u3400-\u9fff]{{0,4}}?(?:{KIN_ZH}|班主任|老师|医生|师傅|阿姨|"
        rf"物业|中介|快递|管家|房东|儿|经理|护士|牙医|兽医|教练|店)|[\u3400-\u9fff]{{2,4}}))(?:叫[\u3400-\u9fff]"
        rf"{{1,4}},?|,)?(?:的|儿)*(?:新)?(?:手机|电话|号码|联系方式|联系电话|微信|号|手機|電話)+(?:号码?|係|是|:|"
        rf"在|为|换成|改成)*\s?(?P<v>\+?\d[\d -]{{6,14}}\d)(?![\dXx])",
        _reached,
        of_anyone=True,
    ),
    frame(
        "在 是 : 住 搬",
        r"(?P<label>(?:我|我们|咱)?(?:的)?(?:家|公司|单位|办公室|健身房|学校|幼儿园|补习班|店|餐厅|医院|诊所|"
        r"我爸妈家|爸妈家|奶奶家|姥姥家|娘家|婆家|工作室|仓库|老家|[\u3400-\u9fff]{1,4}(?:家|学校|幼儿园|公司|"
        r"补习班|店|诊所|琴行)))(?:的)?(?:地址)?(?:现在|就|搬到|是|在|住|:|改成|换到|开在|"
        r"位于)+(?P<v>[\u3400-\u9fffA-Za-z0-9]{4,40})",
        _located,
        of_anyone=True,
    ),
)
_ACROSS = Frames(
    (
        frame(
            "号 号码 手机 电话",
            r"(?:我|本人)(?:的)?(?:换|改|新|了|个|手机|电话|联系)*(?:号码?|手机|电话)(?:了|换了|换成|改成|是|变了|"
            r"为|:|,|现在|新的是|新号是?)*\s?(?P<v>\+?\d[\d -]{6,14}\d)(?![\dXx])",
            lambda c, m: as_fact("phone")(c, m) if not re.search(KIN_ZH, c.text[: m.start("v")]) else (),
        ),
        frame(
            "电话 手机 号 微信 联系",
            rf"(?P<label>{KIN_ZH}|班主任|[\u3400-\u9fff]老师|医生|牙医|兽医|房东|物业|中介|管家|教练|保姆|阿姨|"
            rf"月嫂)(?:儿)?(?:换[人号]了|叫[\u3400-\u9fff]{{1,4}}|是[\u3400-\u9fff]{{1,4}}|"
            rf"新的是[\u3400-\u9fff]{{1,4}}|的)?[,]?(?:新的?是?[\u3400-\u9fff]{{0,4}},?)?(?:她|他)?(?:的)?(?:手机|"
            r"电话|号码|号|联系方式|微信|新号)+(?:号码?|是|:|在|,|换成|改成|现在)*\s?(?P<v>\+?\d[\d "
            rf"-]{{6,14}}\d)(?![\dXx])",
            _reached,
            of_anyone=True,
        ),
        frame(
            "住 搬 家",
            rf"(?P<label>{KIN_ZH})?(?:家)?(?:现在|就|已经|我|我们|们|家|刚)*(?:住在?|搬到了?|搬去了?|"
            rf"搬家?到了?)(?P<v>[\u3400-\u9fffA-Za-z0-9]{{3,30}})",
            lambda c, m: (
                _located(c, m) if not m["label"] or re.search(r"记|存|保存|收藏|备注", c.utterance.text) else ()
            ),
            of_anyone=True,
        ),
    ),
    cues_in=cues_of(["号码", "手机", "电话", "微信", "联系"]),
)
_PROFILE = Frames(PROFILE, cues_in=cues_of(cue for each in PROFILE for cue in each.cues))


def profile(clause: Clause) -> Iterator[Candidate]:
    """Yield everything that ``clause`` tells of who the speaker is."""
    yield from _PROFILE.read_all(clause)


def contacts(sentence: Clause) -> Iterator[Candidate]:
    """Yield numbers and addresses that a whole sentence tells: 我太太叫淑芬,电话..."""
    yield from _ACROSS.read_all(sentence)
