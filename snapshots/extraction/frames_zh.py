"""What the speaker likes and shuns, in Chinese: frames of taste."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, INTEREST_CATEGORIES, category_of, known_category
from snapshots.extraction.frames import Frame, Frames, cues_of, frame
from snapshots.extraction.marks import ADVISED_ZH, KIN_ZH
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_zh import phrases_zh
from snapshots.extraction.rules import Builder, entries, fact, preference
from snapshots.extraction.values import Candidate

ADV = (
    r"(?:个人|这个?人|没事|闲着|一直|从小|就|也|还|都|真的?|平时|特别?|非常|超级?|很|最|挺|"
    r"比较|更|蛮|尤其|其实|一向|"
    r"向来|可|好|是|越来越|现在|实在|完全|根本|一般|通常|"
    r"主要|基本上?|打小|天生|有点|本来|反正|属于|算是|老|总|确实|绝对|巨|贼|爆|无敌|几|成日|系|好似)*"
)
_SOLO = re.compile(rf"(?:我们?家?的?)?{KIN_ZH}(?!.{{0,6}}我)")
_SOME_PEOPLE = re.compile(
    r"(?:有的人|有些人|很多人|好多人|某些人|所有人|人人|大家|别人|谁|客服|店[里家员]|公司(?!地址|在|是|离|楼下)|"
    r"医院(?!让我)|学校|老师|幼儿园|护士长|领导|导游|司机|网上|新闻|广告|小说|歌里|剧里|书里|专家|现在的人|年轻人|"
    r"小孩|英国人|外国人|北方人|南方人|房东|物业)"
)
NOW_ONLY = re.compile(
    r"今天(?!又|也)|今晚(?!又|也)|今日(?!又|也)|这次|明天|待会|等会|一会儿|下周|下次|哪天|将来|打算|准备|考虑|"
    r"想要不要|计划|早知|以后想|刚才"
)
_IRONY = re.compile(r"呵呵|可太|真是太|谁会|谁不|谁还|才怪|鬼才|笑死|个鬼|好个|无语")
_OBJ = r"(?P<v>.{1,30})"


def own(clause: Clause, match: re.Match[str]) -> list[str]:
    """Return the things in the speaker's own characters: the matching form is simplified."""
    shown = clause.text
    found = []
    for thing in phrases_zh(match["v"]):
        at = shown.find(thing, match.start("v"))
        found.append(clause.words(at, at + len(thing)) if at >= 0 else thing)
    return [thing for thing in found if thing]


def others_zh(clause: Clause) -> bool:
    """Return whether somebody beside the speaker is told of."""
    if ADVISED_ZH.match(clause.text):
        return False
    if re.search(r"[他她]", clause.text) or _SOME_PEOPLE.match(clause.text):
        return True
    if CHILD.match(clause.text) and _HOUSE_RULE.search(clause.text):
        return False  # what children may is their parents' rule
    if _SOLO.match(clause.text):
        return "我" not in clause.text.lstrip("我咱")
    return (
        clause.before is not None
        and "我" not in clause.text
        and (clause.before.subject == "other" or others_zh(clause.before))
    )


CHILD = re.compile(r"^(?:我们?家?的?)?(?:娃|孩子|宝宝|儿子|女儿|闺女|小孩|孩子们|小朋友)")
_HOUSE_RULE = re.compile(r"最多|不超过|不能超过|不许|不准|只能|别超过|不要超过|上限|控制在")


def ironic(clause: Clause) -> bool:
    """Return whether the sentence says the opposite of what it means."""
    return _IRONY.search(clause.sentence) is not None


def _liked(key: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        for thing in own(clause, match):
            bare = _without_act(thing)
            if key == "likes" and thing[0] in _PASTIMES and len(thing) > _SHORTEST:
                yield fact("interests", clause, thing, mode="append")
            yield from entries(clause, "explicit", key, [(bare, HINTS.get(thing[0]) if bare != thing else None)])

    return build


_PASTIMES = frozenset("拍画钓写弹唱跳爬跑骑打玩游种养做织刻滑")
HINTS = {
    **dict.fromkeys("吃喝饮食嗦啃泡煮点嚼尝", "food"),
    **dict.fromkeys("听放播", "music"),
    **dict.fromkeys("看追读刷翻", "entertainment"),
    **dict.fromkeys("坐搭乘住订", "travel"),
    **dict.fromkeys("买穿戴囤背", "shopping"),
    **dict.fromkeys("走绕停", "navigation"),
}


_SHORTEST = 2
"""Characters; a shorter word is a pastime of its own."""


def _without_act(thing: str) -> str:
    if known_category(thing) in INTEREST_CATEGORIES:
        return thing
    return thing[1:] if len(thing) > _SHORTEST and thing[0] in HINTS and thing[1] != "的" else thing


def _trait(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "explicit", (GENERAL, "traits"), "add", (clause.group(match),))


def _pastime(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing in own(clause, match):
        yield fact("interests", clause, thing, mode="append")
        category = category_of(thing)
        yield from entries(clause, "implicit", "likes", [(thing, "leisure" if category == GENERAL else category)])


_LIKE = (
    r"(?:喜欢上了?|喜欢|喜爱|热爱|酷爱|钟爱|偏爱|独爱|偏好|痴迷于?|沉迷于?|迷恋|迷上了?|"
    r"迷(?=[\u3400-\u9fff]{2})(?!路|信|糊|茫|你|失|惑)|馋(?!死|哭)|稀罕|倾向于?|享受|追捧|"
    r"爱(?=[吃喝饮食听看玩逛去用走坐穿钓打跑爬唱跳画写做骑游旅摄读追点买放住泡刷睡])|(?<=超)爱|(?<=最)爱|(?<=特)爱|"
    r"(?<=别)爱|(?<=就)爱|prefer|like|love|认准了?|只认|首选|独宠|好这?一?口)"
)
_BAD = (
    r"(?:不(?:太|大|怎么|是很|是特别|是太)?(?:喜欢|爱|好|感冒)|讨厌|厌恶|反感|嫌弃|恶心|受不了|忍不了|忍受不了|"
    r"接受不了|接受无能|吃不惯|喝不惯|住不惯|睡不惯|坐不惯|听不惯|看不惯|用不惯|穿不惯|吃不来|喝不来|欣赏不来|"
    r"听不得|闻不得|"
    r"见不得|看不得|最?烦(?!你|恼|劳|了|躁|死)|怕(?=[吃喝坐听看走开闻打虫狗猫蛇吵高黑冷热苦辣堵])|顶唔顺|顶不顺|憎|"
    r"没法接受|无法接受|最恨|抗拒|排斥|没兴趣|惊(?=[食坐]))"
)
_BAD_LATE = (
    r"(?:不(?:太|大|怎么|是很)?(?:喜欢|爱(?:吃|喝|看|听|去|用)?|感冒|感兴趣|来电|行|好这口)|受不了|忍不了|接受不了|"
    r"无法接受|接受无能|吃不惯|喝不惯|住不惯|睡不惯|坐不惯|听不惯|看不惯|用不惯|吃不来|喝不来|欣赏不来|无感|"
    r"没(?:什么|啥|有)?(?:兴趣|感觉|好感|胃口)|"
    r"提不起兴趣|敬谢不敏|看都不想看|碰都不(?:想|能|会)碰|一口都(?:不|吃不|喝不).{0,2}|下不了嘴|顶不顺|免了|就算了|"
    r"过敏似的)"
)
_GOOD_LATE = (
    r"(?:情有独钟|没有?抵抗力|毫无抵抗力|爱不释手|百吃不厌|百听不厌|百看不厌|上瘾|着迷|上头|感兴趣|欲罢不能|没得说|"
    r"有执念|很讲究|yyds|永远的神|是我的?(?:最爱|命|心头好|快乐源泉|本命|精神支柱|续命(?:水|神器)|快乐|爱好|乐趣|"
    r"解压方式|日常|标配|首选|心头肉|最大的?(?:乐趣|爱好|享受)|最爱的?.{0,4})|最(?:对我胃口|合我(?:口味|心意|"
    r"胃口))|最(?:好吃|好喝|好听|好看|香|舒服|自在|带劲|过瘾)|才是王道|甚合我意)"
)
TASTES: tuple[Frame, ...] = (
    frame(
        "怕 认 路 晕 社 夜 早 近 色 脸 手 左 内 话 体 选",
        r"(?:^|我(?:这个?人)?(?:就|是|属于|真|有点|比较|特别|很|天生|从小|典型的?|个|一个|有|的|挺|超级?|太|可|"
        r"这人|得很)*)(?P<v>怕[冷热黑吵晒高痒生疼]|认床|路痴|路盲|晕[车船机]|社恐|夜猫子|夜盲症?|早鸟|近视|色盲|"
        r"脸盲|手残|左撇子|选择困难症?|强迫症|洁癖|起床气|轻度洁癖|深度近视|急性子|慢性子|吃货|宅男|"
        r"宅女)(?=[,的,了啊呢吧]|$)",
        _trait,
    ),
    frame(
        "比 跟 和 与",
        rf"(?:比起|跟|和|与|相比)[^,我]{{1,12}}?(?:相?比|来说)?,?我{ADV}(?:更|还是|比较|宁愿|宁可|更愿意|"
        rf"愿意)*(?:{_LIKE}|想|愿意|选|会选|选择|习惯)+(?P<v>[^,]{{1,16}})",
        _liked("likes"),
    ),
    frame(
        "宁 宁愿 宁可 愿",
        r"(?:宁愿|宁可|宁肯|情愿|更愿意|比较愿意|寧願)(?:选|去|多花|多)?(?P<v>[^,]{2,14}?)(?:,?(?:也)?"
        r"(?:不|都不)|$|,)",
        _liked("likes"),
    ),
    frame(
        "不 讨 厌 反 嫌 恶 受 忍 接 吃 喝 住 睡 坐 听 看 用 穿 欣 闻 见 烦 怕 顶 憎 没 无 恨 抗 排 惊",
        rf"(?:^|我|本人|咱|俺|人家){ADV}{_BAD}(?!你|我|他|她|了$|的$|的?就?是|吗){_OBJ}",
        _liked("dislikes"),
    ),
    frame(
        "不 受 忍 接 吃 喝 住 睡 坐 听 看 用 欣 无 没 提 敬 碰 一 下 顶 免",
        rf"^(?:像|对|对于|至于)?(?P<v>[^,我你他她]{{1,14}}?)(?:这种?东西|这玩意儿?|这类|之类的?|什么的|"
        rf"这事儿?)?,?(?:我|咱|本人|俺){ADV}{_BAD_LATE}",
        _liked("dislikes"),
    ),
    frame(
        "无 没 不 提 敬",
        rf"(?:^|我|本人|咱){ADV}对(?P<v>[^,]{{1,14}}?)(?:这种?东西|这玩意儿?|这类|之类的?)?{ADV}(?:无感|没(?:什么|"
        r"啥|有)?(?:兴趣|感觉|好感|胃口)|提不起兴趣|敬谢不敏|不(?:太|怎么)?(?:感兴趣|感冒|来电))",
        _liked("dislikes"),
    ),
    frame("情 没 毫 上 着 感 有 很", rf"(?:^|我|本人|咱){ADV}对(?P<v>[^,]{{1,14}}?){ADV}{_GOOD_LATE}", _liked("likes")),
    frame(
        "情 没 爱 百 上 y Y 永 是 最 才 甚 着 欲",
        rf"^(?P<v>[^,我你他她]{{2,14}}?)(?:我)?{ADV}{_GOOD_LATE}",
        lambda c, m: () if re.match(r"(?:这|那|[你他她它]|什么|都|就|也)", m["v"]) else _liked("likes")(c, m),
    ),
    frame(
        "最 烦 恨 讨",
        r"(?:我|本人)?(?:平时|这辈子|生平|一直|就)?最(?:讨厌|烦|恨|怕|受不了|不爱|不喜欢)的?(?:就是|是|"
        r"莫过于)+(?P<v>.{2,16})",
        _liked("dislikes"),
    ),
    frame(
        "最 爱 喜",
        r"(?:我|本人)?(?:平时|这辈子|生平|一直|就)?最(?:喜欢|爱|享受|期待|想念|离不开)(?:的?(?:吃|喝|听|看|用|去|"
        r"玩|做|事|事情|东西)?)*的?(?:就是|是|莫过于)+(?P<v>.{2,16})",
        _liked("likes"),
    ),
    frame(
        "喜 热 酷 钟 偏 独 痴 沉 迷 馋 稀 倾 享 爱 prefer like love 认 只 首 好",
        rf"(?:^|我|本人|咱|俺|人)(?:[^,不没你他她它谁]{{0,8}}?)?{ADV}(?<![不没别可])(?<!不太)(?<!不怎么){_LIKE}(?!"
        rf"你|我|他|她|它|的$|上你|吗|什么|这首|这个|那个|这部){_OBJ}",
        _liked("likes"),
    ),
    frame("就好 好一口 好这口", r"(?:我|咱)(?:就|只|平时)*好(?:这|那)?一?口(?:儿)?(?P<v>.{1,8})", _liked("likes")),
    frame(
        "党 派 控 粉 迷 人 星",
        rf"(?:^|我|咱){ADV}(?:是|属于|算是|乃|系|当|妥妥的?|标准的?|铁杆的?|十足的?|资深的?|重度的?)+(?:个|一个|"
        rf"那种|一名)?(?P<v>[\u3400-\u9fffA-Za-z+]{{1,8}}?)(?:爱好者|脑残粉|铁粉|重度患者|星人|十级选手|达人|"
        r"发烧友|党|派|控|粉丝?|迷)(?=[,的了啊呢吧]|$)",
        _liked("likes"),
    ),
    frame(
        "口味 口 偏",
        rf"(?:我|咱)?(?:吃饭|吃东西|吃菜|家|们|的)*口味?(?:儿)?{ADV}(?:偏|喜|好|重|"
        r"要)(?P<v>[辣甜酸咸淡清苦重麻][淡口辣的]?)",
        _liked("likes"),
    ),
    frame(
        "以 为主 优先 首选 只",
        r"^(?:我)?(?P<w>[\u3400-\u9fff]{1,6}?)(?:我|一般|都|平时)*(?:只(?:看|听|吃|喝|要|用|买|坐|选|读|穿|认)|"
        r"首选|优先选?|就(?:看|听|吃|喝|要|用|买|坐|选|读|穿|认|爱)|认准)(?P<v>[^,]{2,12}?)(?:为主|优先)?(?:的|了|"
        r"$|,)",
        lambda c, m: (
            ()
            if NOW_ONLY.search(c.sentence) or re.search(r"[你他她它谁有这那]|医生|店", m["w"])
            else _liked("likes")(c, m)
        ),
    ),
    frame("优先", r"^(?P<v>[^,我你]{2,10}?)(?:优先|是首选|排第一)(?:哈|啊|吧|,|$)", _liked("likes")),
    frame("不欢 不香", r"无(?P<v>[\u3400-\u9fff]{1,4})不欢", _liked("likes")),
    frame(
        "爱好 兴趣 乐趣 解压 消遣 沉迷 研究 捣鼓 琢磨 上瘾",
        r"(?:(?:业余|唯一的?|最大的?|平时的?|我的?|主要)*(?:爱好|兴趣|乐趣|消遣|解压方式|休闲)(?:就|主要|"
        rf"都)*(?:是|有|就)|(?:我|平时|周末|没事|闲了|业余|空了){ADV}(?:爱|喜欢|就|会|都|在|最近|好)*(?:捣鼓|研究|"
        rf"琢磨|鼓捣|玩玩|搞搞|侍弄|折腾))(?P<v>.{{2,14}})",
        _pastime,
    ),
    frame(
        "最大 爱好 乐趣 享受",
        r"^(?P<v>[^,我你]{2,8}?)是我(?:最大的?|唯一的?|主要的?|平时的?)*(?:爱好|乐趣|享受|消遣|解压方式)",
        _pastime,
    ),
)
_TASTES = Frames(TASTES, cues_in=cues_of(cue for each in TASTES for cue in each.cues))


def tastes(clause: Clause) -> Iterator[Candidate]:
    """Yield what the speaker says to like or dislike in ``clause``."""
    yield from _TASTES.read(clause, unless=[others_zh, ironic])
