"""Who the subject is, in Chinese: name, occupation, employer, age, place of living, family, pets, hobbies."""

import re
from collections.abc import Iterator

from snapshots.extraction.ages import age_range_of, years_of
from snapshots.extraction.lexicon_zh import OCCUPATION_ENDINGS
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import Rule, as_fact, fact, preference, rule
from snapshots.extraction.things import things_zh
from snapshots.extraction.values import Candidate

_END = r"(?=[吧啊呀呢哦哈啦了的]*[\s!。.~]*$)"
_ME = r"(?:我|本人|咱)"
_ADV = r"(?:也|就|现在|目前|今年|其实|还|一直|是|已经|刚刚?|平时|主要|就是|只|常年){0,3}"
_NAME = r"(?P<v>[\u3400-\u9fff·]{1,6}?|[A-Za-z][\w' -]{0,30}?)"
_NO_NAME = re.compile(r"[了过个你他她它不什谁车餐外份啥醒住我好号来去到上一]|什么|外卖|名字")
_SURE_JOB = r"[\u3400-\u9fffA-Za-z]{1,12}?"
_COUNT = r"(?:[一二两三四五六七八九十几俩仨]|\d{1,2})"
_ENDINGS = tuple(sorted(OCCUPATION_ENDINGS, key=len, reverse=True))
_NO_JOB = re.compile(
    r"^[王李张刘陈杨赵黄周吴徐孙马朱胡林郭何高罗](?:医生|老师|经理|教授|律师|总监)$|^(?:个|"
    r"一个|说|来|想|第|在|不|因|为|跟|和|从|被|要|真|很|有|去|谁|你|他|她|好|新|老?客|"
    r"会员|用户|人)|[了吗呢吧着过]$|工作$|饭$"
)
_MOVED_THEN = re.compile(r"\d\d年|当年|那年|小时候|曾经|又[^,]{0,2}回[来去到了]|搬回[来去]")
"""A move of another time, or one that is over."""


def _named(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not _NO_NAME.search(match["v"]):
        yield fact("name", clause, clause.group(match))


def _called(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A form of address, and the name too unless the same sentence says another."""
    if _NO_NAME.search(match["v"]) or clause.one_off:
        return
    yield preference(clause, "explicit", ("answer", "form_of_address"), "set", clause.group(match))
    if not re.search(r"我叫(?!我)|名字是", clause.sentence):
        yield fact("name", clause, clause.group(match))


def _occupied(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "我是..." names an occupation only where it ends like one."""
    role = match["v"]
    if role.endswith(_ENDINGS) and not _NO_JOB.search(role) and "的" not in role:
        yield fact("occupation", clause, clause.group(match))


def _any_role(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not _NO_JOB.search(match["v"]):
        yield fact("occupation", clause, clause.group(match))


def _employed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "我在华为做产品经理" tells the employer (unless it is a place or a kind of place) and the role."""
    employer = match["where"]
    named = not re.search(
        r"^[一这那某]?家|^一[个所间]|家$|家里|公司$|单位|外地|这|那|路上|上班|医院$|学校$|工厂$|"
        r"银行$|国外|附近|[省市区县镇]$|北京|上海|广州|深圳|杭州",
        employer,
    )
    if named and not is_address(employer):
        yield fact("employer", clause, clause.group(match, "where"))
    role = match.groupdict().get("v")
    if role and role.endswith(_ENDINGS) and not _NO_JOB.search(role):
        yield fact("occupation", clause, clause.group(match))


_YOUNGER = re.compile(r"[猫狗犬鸟龟兔]|孩子|儿子|女儿|闺女|娃|宝宝|鹦鹉|仓鼠")
"""Told of right before, an age without a person of its own is theirs (我家猫叫芝麻糊,三岁了)."""


def _aged(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    years = years_of(match["v"])
    of_another = clause.before is not None and _YOUNGER.search(clause.before.text) and not match[0].startswith("我")
    if years is not None and not of_another:
        yield fact("age", clause, clause.group(match))
        yield fact("age_range", clause, age_range_of(years))


def _living(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not is_address(match["v"]) and not re.search(
        r"[院这那里哪边]|学校|宿舍|酒店|家|[几\d一二两三]|下|上$|一起|朋友", match["v"]
    ):
        yield fact("city", clause, clause.group(match))


def _moved(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not _MOVED_THEN.search(clause.sentence):
        yield from _living(clause, match)


def _from(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not re.search(r"[好坏老年男女客本个别新熟病证路外主爱懒狠普名怕俗文直粗一机急]|什么|自己|内部|有", match["v"]):
        yield fact("hometown", clause, clause.group(match))


def _typed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield fact("mbti", clause, clause.group(match).upper())


def _interested(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing, _ in things_zh(clause.group(match)):
        yield fact("interests", clause, thing, mode="append")


RULES_NAME: tuple[Rule, ...] = (
    rule(rf"(?:名字)?叫(?!一?[碟份碗杯客个辆台车]){_NAME}{_END}", lambda c, m: _named(c, m) if c.position else ()),
    rule(
        rf"{_ME}(?:的名字)?(?:就叫|网名叫|小名叫|英文名叫|叫|名叫|叫做|名字叫|名字是|的名字是|"
        rf"姓名是){_NAME}{_END}",
        _named,
    ),
    rule(
        rf"(?:以后|今后)?(?:你|您|大家|就|可以|都)*(?:叫|称呼|喊)我(?:为|做|作)?{_NAME}(?:就行|"
        rf"就好|吧|即可|就可以|好了)*{_END}",
        _called,
    ),
    rule(rf"(?:别人|大家|朋友|朋友们)都?叫我{_NAME}{_END}", _called, of_anyone=True),
)
RULES_WORK: tuple[Rule, ...] = (
    rule(rf"{_ME}的?(?:职业|工作|本职工作|本职)是(?:一?[名个位])?(?P<v>{_SURE_JOB}){_END}", _any_role),
    rule(rf"{_ME}{_ADV}(?:是做|从事|做)(?P<v>{_SURE_JOB})(?:的|工作|行业|这一?行|相关的?工作)+{_END}", _any_role),
    rule(
        rf"{_ME}(?:自己)?(?:在[^,]{{1,6}})?开了?(?:一?[间家个])(?P<v>[\u3400-\u9fff]{{1,6}}?(?:店|馆|公司|厅|工作室|厂|诊所|铺|民宿|吧))",
        as_fact("occupation"),
    ),
    rule(
        rf"(?:{_ME}|现在|目前|如今){_ADV}(?:是|当|做|干|作为)(?:一?[名个位])?(?P<v>{_SURE_JOB})(?:这一?行(?:已经)?(?:["
        rf"\d一二三四五六七八九十]{{1,3}}年)?)?{_END}",
        _occupied,
    ),
    rule(
        rf"{_ME}{_ADV}在(?P<where>[\u3400-\u9fffA-Za-z0-9]{{1,14}}?)(?:公司)?(?:里面?)?(?:做|当|"
        rf"担任|任)(?:一?[名个位])?(?P<v>{_SURE_JOB}){_END}",
        _employed,
    ),
    rule(
        rf"{_ME}{_ADV}在(?P<where>[\u3400-\u9fffA-Za-z0-9]{{2,14}}?)(?:公司)?(?:工作|上班|任职|" rf"就职|供职){_END}",
        _employed,
    ),
    rule(rf"{_ME}{_ADV}(?:就职|任职|供职)于(?P<where>[\u3400-\u9fffA-Za-z0-9]{{2,20}}?){_END}", _employed),
)
RULES_SITUATION: tuple[Rule, ...] = (rule(rf"{_ME}{_ADV}(?P<v>退休|待业|失业|全职在家){_END}", as_fact("occupation")),)
RULES_SELF: tuple[Rule, ...] = (
    rule(rf"{_ME}?{_ADV}(?:满)?(?P<v>\d{{1,3}}岁|[一二三四五六七八九十两]{{1,4}}岁)(?:多|半|整)?{_END}", _aged),
    rule(rf"{_ME}的?年龄是?(?P<v>\d{{1,3}}岁?){_END}", _aged),
    rule(
        rf"{_ME}?(?:的)?(?:MBTI|人格类型)?{_ADV}(?:是|类型是)? ?(?:一?个)? ?(?P<v>[EI][NS][FT][JP])(?:"
        rf"型|人格|的人)*{_END}",
        _typed,
    ),
    rule(rf"{_ME}?{_ADV}(?:居住|定居|常住|住)(?:在|于)?(?P<v>[\u3400-\u9fff]{{2,8}}?){_END}", _living),
    rule(
        r"(?:.{0,10}?)(?:我们?|咱们?)(?:家)?(?:就|刚刚?|最近|已经|去年|上个月|今年)*搬(?:家)?(?:到|去|"
        rf"来)了?(?P<v>[\u3400-\u9fff]{{2,6}}?){_END}",
        _moved,
    ),
    rule(rf"{_ME}家(?:就|现在)?(?:住)?在(?P<v>[\u3400-\u9fff]{{2,6}}?){_END}", _living),
    rule(rf"{_ME}(?:也|就|其实|本来|一直){{0,2}}是(?P<v>[\u3400-\u9fff]{{2,4}}?)人{_END}", _from),
    rule(rf"{_ME}?的?(?:老家|家乡|籍贯)(?:就)?(?:在|是)(?P<v>[\u3400-\u9fff]{{2,8}}?){_END}", as_fact("hometown")),
    rule(rf"{_ME}(?:出生|生)(?:在|于)(?P<v>[\u3400-\u9fff]{{2,8}}?){_END}", as_fact("hometown")),
    rule(rf"{_ME}?的?时区是(?P<v>[\w+:/\u3400-\u9fff-]{{2,30}}?){_END}", as_fact("timezone")),
    rule(rf"{_ME}在(?P<v>[\w+:/\u3400-\u9fff-]{{2,12}}?)时区{_END}", as_fact("timezone")),
)
_PET = (
    r"(?:[\u3400-\u9fff]{0,6}?(?:猫咪?|狗狗?|犬|兔子?|仓鼠|乌龟|鹦鹉|金鱼|鱼|鸟|柯基|泰迪|"
    r"金毛|拉布拉多|布偶|橘猫|哈士奇|柴犬|龙猫|蜥蜴))"
)
RULES_HOUSEHOLD: tuple[Rule, ...] = (
    rule(
        rf"(?:{_ME}(?:家里?)?|家里?)(?:现在|一共|还|也)?(?:养了?|有)(?:着)?(?P<v>{_COUNT}[只条个匹头]{_PET}"
        rf"(?:叫[\u3400-\u9fffA-Za-z]{{1,8}})?){_END}",
        as_fact("pets"),
    ),
    rule(
        r"我家的?(?P<v>(?:猫|狗|狗狗|猫咪|兔子|鹦鹉)(?:的名字)?叫[\u3400-\u9fffA-Za-z]{1,8}?)(?=["
        r"吧啊呀呢哦哈啦]*\W*$)",
        as_fact("pets"),
    ),
    rule(
        rf"{_ME}(?:家里?)?{_ADV}有(?P<v>{_COUNT}?个?(?:可爱的)?(?:孩子|儿子|女儿|娃|宝宝|小孩|闺女)|"
        rf"一儿一女|双胞胎){_END}",
        as_fact("children"),
    ),
    rule(rf"{_ME}?{_ADV}(?P<v>结婚|离婚|单身|未婚|已婚|离异){_END}", as_fact("marital_status")),
    rule(
        rf"{_ME}的?生日是?(?:在)?(?:农历|阴历|阳历)?(?P<v>(?:\d{{4}}年)?[\d一二三四五六七八九十]"
        rf"{{1,2}}月[\d一二三四五六七八九十廿]{{1,3}}[日号]?){_END}",
        as_fact("birthday"),
    ),
    rule(
        rf"{_ME}{_ADV}会(?:说|讲)(?P<v>[\u3400-\u9fff、]{{2,20}}?(?:语|话|"
        rf"文)(?:[和、跟][\u3400-\u9fff]{{1,6}}?(?:语|话|文)){{0,4}}){_END}",
        as_fact("languages"),
    ),
    rule(
        rf"{_ME}{_ADV}(?:开的(?:车)?是|的车是|开)(?:一?辆)?(?P<v>(?:比亚迪|特斯拉|宝马|奔驰|奥迪|"
        r"大众|丰田|本田|日产|吉利|长安|小鹏|蔚来|理想|小米|问界|五菱|别克|福特|沃尔沃|雷克萨斯|"
        rf"保时捷|极氪|哈弗)[\w\u3400-\u9fff]{{0,8}}?){_END}",
        as_fact("vehicle"),
    ),
)
RULES_HOBBY: tuple[Rule, ...] = (
    rule(rf"{_ME}?的?(?:业余)?(?:爱好|兴趣爱好|兴趣)(?:就)?(?:是|有|包括)(?P<v>.{{2,60}})$", _interested),
    rule(
        rf"{_ME}{_ADV}对(?P<v>.{{1,16}}?)(?:一直|也|都)?(?:很|非常|特别|比较|挺|超|最|十分|" rf"蛮)?感兴趣{_END}",
        _interested,
    ),
    rule(rf"{_ME}(?:一直|也|还)?(?:热衷于|沉迷于?|痴迷于?)(?P<v>.{{1,20}})$", _interested),
)

TABLES = (RULES_NAME, RULES_WORK, RULES_SITUATION, RULES_SELF, RULES_HOUSEHOLD, RULES_HOBBY)
