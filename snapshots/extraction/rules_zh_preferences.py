"""What the subject likes, in Chinese: likes, dislikes, favourites, diet, allergies, habits, style of answer."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, allergen_category, category_of
from snapshots.extraction.lexicon_zh import THINGS
from snapshots.extraction.marks import KIN_ZH
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, Rule, entries, preference, rule
from snapshots.extraction.things import things_zh
from snapshots.extraction.values import Candidate, Sort

_ME = r"(?:我|本人|咱)?"
_ADV = (
    r"(?:个人|没事|闲着|一直|从小|就|也|还|都|真的?|平时|特别|非常|超级?|很|最|挺|比较|更|蛮|"
    r"尤其|其实|一向|向来|可|好|是|还是|越来越|现在|比较){0,4}"
)
_OBJECT = r"(?P<v>.{1,60})$"
_END = r"(?=[吧啊呀呢哦哈啦了的]*[\s!。.~]*$)"
_DEGREES = r"(?P<v>\d{2}(?:\.\d)?(?:度|℃|摄氏度)?)"
_USUALLY = r"(?:一般都?|通常都?|平时都?|经常|常常?|每天(?:早上|晚上|中午)?都?|习惯|总是|老是|每次都?|只)"
_COOL = r"(?:车里的?|车内的?|家里的?|卧室的?|房间的?|客厅的?)?(?:空调|温度|暖气|冷气|室温|车内温度)(?:的?温度)?"


def _liked(key: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not clause.one_off:
            yield from entries(clause, "explicit", key, things_zh(clause.group(match)))

    return build


def _habit(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A habit shows a liking without saying so. Only things of a known category: habits of life are no taste."""
    things = things_zh(clause.group(match)) if not clause.one_off else []
    yield from entries(
        clause, "implicit", "likes", [(t, _hint(t, h)) for t, h in things if category_of(t) != GENERAL or h == "food"]
    )


def _hint(thing: str, hint: str | None) -> str | None:
    found = category_of(thing)
    return found if found != GENERAL else hint


def _favourite(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    values = [thing for thing, _ in things_zh(clause.group(match))] if not clause.one_off else []
    thing = match["thing"]
    if values and thing not in {"事", "人", "时候", "东西", "一件事", "地方"}:
        category, word = THINGS.get(thing) or (category_of(thing), clause.group(match, "thing"))
        category = category if category != GENERAL or thing in THINGS else category_of(values[0])
        yield preference(
            clause, "explicit", (category, f"favourite_{word}"), "set", values[0] if len(values) == 1 else tuple(values)
        )


def _diet(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "explicit", ("food", "diet"), "set", clause.group(match))


def _allergic(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    by_category: dict[str, list[str]] = {}
    for thing, _ in things_zh(clause.group(match)):
        by_category.setdefault(allergen_category(thing), []).append(thing)
    for category, names in by_category.items():
        yield preference(clause, "constraint", (category, "allergies"), "add", tuple(names))


def _temperature(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A setting asked for once is a habit seen; one asked for from now on, or called liked, is a statement."""
    if clause.one_off:
        return
    liked = re.match(r"(?:[春夏秋冬]天)?我.{0,6}(?:喜欢|习惯|偏好|爱)|.{0,12}舒服", clause.text)
    sort: Sort = "explicit" if liked else "constraint" if clause.lasting else "implicit"
    yield preference(clause, sort, ("climate", "temperature"), "set", clause.group(match))


def _style(key: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not clause.one_off:
            yield preference(clause, "explicit", ("answer", key), "set", clause.group(match))

    return build


_FROM_NOW = (
    r"(?:从?(?:今天起|今以后|现在开始|今往后)|以后|今后|往后|请|都|就|要|你|一律|始终|尽量|"
    r"最好|每次|跟我|对我|我希望你?|我喜欢你?|,)*"
)
_ANSWER = r"(?:回答|回复|说话|答案|说|讲话|解释|输出|语气|表达)(?:我|问题|时|的时候|得|要|都|请|,)*"
RULES_STYLE: tuple[Rule, ...] = (
    rule(
        rf"{_FROM_NOW}{_ANSWER}(?:尽量|更|再|能|可以|最好|比较|稍微|用)*(?P<v>简短|简洁|简单|精简|"
        rf"详细|短|长|具体|言简意赅)(?:一?点|一?些|点儿|明了)*{_END}",
        _style("length"),
    ),
    rule(rf"{_FROM_NOW}{_ANSWER}(?P<v>(?:别|不要)(?:那么|这么|太)?(?:啰嗦|长|罗嗦|冗长)){_END}", _style("length")),
    rule(rf"{_FROM_NOW}(?:说|讲)(?P<v>普通话|粤语|英语|英文|中文|四川话|上海话){_END}", _style("language")),
    rule(
        rf"{_FROM_NOW}(?:用|使用|说|讲)(?P<v>中文|英文|英语|普通话|粤语|日语|日文|韩语|法语|德语|"
        r"西班牙语|繁体字?|繁体中文|简体中文)(?:来|跟我|和我|给我)*(?:回答|回复|说|交流|沟通|聊|"
        rf"讲话|对话|解释)(?:我|就行)*{_END}",
        _style("language"),
    ),
    rule(
        rf"{_FROM_NOW}{_ANSWER}(?:尽量|更|再|最好|比较|稍微|用)*(?P<v>正式|随意|轻松|幽默|亲切|"
        rf"专业|直接|严肃|礼貌|活泼|温柔|口语化)(?:一?点|一?些|点儿)*{_END}",
        _style("tone"),
    ),
)
_SIZED = {"鞋": "shoe_size", "衣": "clothing_size", "裤": "trouser_size"}


def _size(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "explicit", ("shopping", _SIZED[match["what"]]), "set", clause.group(match))


RULES_SIZE: tuple[Rule, ...] = (
    rule(
        rf"{_ME}(?:的)?(?P<what>[鞋衣裤])(?:服|子|码|号|的尺码|尺码)*(?:一般|都|平时)?(?:穿|是|要)?(?P<v>\d{{2}}(?:\.5)?码?|"
        rf"[XSML]{{1,4}}码?){_END}",
        _size,
    ),
)
RULES_FAVOURITE: tuple[Rule, ...] = (
    rule(
        rf"{_ME}(?:平时|一直)?最(?:喜欢|爱|喜爱)(?:吃|喝|听|看|用|去|玩|"
        rf"开)?的(?P<thing>[\u3400-\u9fff]{{1,4}}?)(?:就)?是{_OBJECT}",
        _favourite,
    ),
    rule(
        r"(?P<v>[\u3400-\u9fffA-Za-z ]{1,12}?)是我最(?:喜欢|爱|喜爱)(?:吃|喝|听|看|用|去|玩|"
        r"开)?的(?P<thing>[\u3400-\u9fff]{1,4}?)(?=[吧啊呀呢哦哈啦了]*\W*$)",
        _favourite,
    ),
)
_PRIOR = r"(?:现在|一直|从小|也|都|平时|常年|长期|只|是|已经|严格|开始){0,3}"
RULES_DIET: tuple[Rule, ...] = (
    rule(
        rf"{_ME}{_PRIOR}(?:是)?(?:一?个)?(?P<v>素食|纯素|蛋奶素|全素|弹性素食|清真|生酮|低碳水?|"
        rf"无麸质|低糖|低盐|低脂)(?:主义者|主义|饮食|者)+{_END}",
        _diet,
    ),
    rule(rf"{_ME}{_PRIOR}(?:吃(?=清真))?(?P<v>吃素|吃全素|吃斋|(?<=吃)清真|戒糖)(?:的)?{_END}", _diet),
    rule(rf"{_ME}{_PRIOR}对(?P<v>.{{1,20}}?)(?:都|也|有点|有些|会|严重|很|非常|是|特别)*过敏(?:的)?{_END}", _allergic),
    rule(rf"我{_PRIOR}(?!不|没)(?P<v>[\u3400-\u9fff]{{1,4}}?)(?:严重)?过敏{_END}", _allergic),
    rule(rf"{_ME}{_PRIOR}(?P<v>乳糖|麸质|酒精|果糖)不耐受?{_END}", _allergic),
)
RULES_CLIMATE: tuple[Rule, ...] = (
    rule(
        r"(?P<v>\d{2}(?:\.\d)?(?:度|℃))(?:左右)?(?:对我来说)?(?:是)?(?:最|比较|刚好|正好)+(?:舒服|" r"合适|舒适)",
        _temperature,
    ),
    rule(
        rf"{_ME}(?:以后|今后|从现在开始|,)*(?:车里|车内|家里|室内|卧室|客厅|房间)(?:里)?(?:以后|都|"
        rf"要|就|一直)*(?:保持|维持|开)(?:在|到)?(?P<v>\d{{2}}(?:\.\d)?(?:度|℃)){_END}",
        _temperature,
    ),
    rule(
        rf"(?:[春夏秋冬]天(?:的时候)?)?{_ME}(?:[春夏秋冬]天|以后|今后|从今以后|从现在开始|,|每次|"
        rf"一直|比较|最|都|就|更)*(?:喜欢|习惯|偏好|爱)?(?:把|将)?{_COOL}(?:以后|今后|都|就|给我|"
        r"一律|每次|默认|始终|要|最好|帮我)*(?:开到?|调到?|调成|调至|设到?|设置?(?:成|为|到)|"
        rf"设定(?:成|为|到)?|保持在?|在|是)?(?:在)?{_DEGREES}(?:左右)?(?:最舒服|就好|就行|吧|"
        rf"比较舒服|最合适|的|刚好)*{_END}",
        _temperature,
    ),
)
TASTE = (
    r"(?:喜欢上了|喜欢上|喜欢|喜爱|热爱|酷爱|钟爱|偏爱|偏好|"
    r"爱(?=[吃喝听看玩逛去用走坐穿钓打跑爬唱跳画写做骑游旅摄读追])|迷上了?)"
)
_OCCASION = (
    r"(?:坐(?:飞机|高铁|火车|车|船|地铁)|乘(?:飞机|高铁|火车|车|船)|开车|出差|旅游|旅行|出门|出国|住(?:酒店|民宿)|上班|下班|吃饭|"
    r"早餐|早饭|午餐|午饭|晚餐|晚饭|睡前|周末|看电影|点餐|点外卖)"
)
"""When something is liked: the person is left out in Chinese, and is the speaker."""
RULES_LIKES: tuple[Rule, ...] = (
    rule(
        rf"{_ME}{_ADV}(?:不太?|不怎么|不大|并不|从来不|从不|不是很|不是特别|没那么){TASTE}{_OBJECT}", _liked("dislikes")
    ),
    rule(
        rf"{_ME}{_ADV}(?:讨厌|厌恶|反感|受不了|忍受不了|吃不惯|喝不惯|听不惯|不能忍受|接受不了|" rf"怕(?=吃)){_OBJECT}",
        _liked("dislikes"),
    ),
    rule(rf"{_ME}{_ADV}(?:比起|跟|和|与)?(?:[^我,]{{1,10}}?)?(?:相比)?,?我{_ADV}{TASTE}{_OBJECT}", _liked("likes")),
    rule(rf"{_ME}{_ADV}{TASTE}{_OBJECT}", _liked("likes")),
    rule(rf"{_OCCASION}(?:的时候|的话|时)?{_ADV}{TASTE}{_OBJECT}", _liked("likes")),
    rule(
        rf"我(?!们?家|的?{KIN_ZH})[^,不没你他她它谁觉知]{{2,8}}?(?:只|就|都|最|更|特别|还是)?{TASTE}{_OBJECT}",
        _liked("likes"),
    ),
    rule(r"(?:.{0,8}?)(?:给我|帮我|我)?(?:都)?默认(?:要|喝|用|选|点|是)?(?P<v>[^,]{2,16})$", _liked("likes")),
    rule(r"我(?:真的|是|可是)?无(?P<v>[\u3400-\u9fff]{1,3})不欢", _liked("likes")),
    rule(
        rf"{_ME}{_ADV}对(?P<v>.{{1,16}}?)(?:一直|也|都|真的|完全|实在)*(?:无感|没兴趣|没什么兴趣|"
        rf"不感兴趣|不感冒){_END}",
        _liked("dislikes"),
    ),
    rule(
        rf"{_ME}{_ADV}(?:是|算是)(?P<v>[\u3400-\u9fffA-Za-z ]{{1,10}}?)的?(?:铁杆|忠实|老|超级|"
        rf"资深)?(?:粉丝|粉|迷|爱好者|铁粉|歌迷|影迷|球迷|控){_END}",
        _liked("likes"),
    ),
)
RULES_HABIT: tuple[Rule, ...] = (
    rule(
        rf"(?:[\u3400-\u9fff]{{1,3}}?(?=我))?{_ME}(?:早上|晚上|中午|上班|下班|开车|早餐|午饭|睡前|"
        rf"周末)?(?:的?时候)?(?:也|还|都)?{_USUALLY}(?:都|会|只|就|要)*(?P<v>(?:吃|喝|听|看|点|走|"
        rf"坐|住|开|买).{{1,30}})$",
        _habit,
    ),
)

TABLES = ((*RULES_STYLE, *RULES_SIZE, *RULES_FAVOURITE, *RULES_DIET, *RULES_CLIMATE, *RULES_LIKES, *RULES_HABIT),)
"""One table: a clause that sets the temperature or names a favourite says no second liking by the same words."""
