"""Labelled places and contacts, in Chinese: 家, 公司, 健身房; 妈, 老婆, 紧急联系人."""

import re
from collections.abc import Iterator

from snapshots.extraction.marks import KIN_ZH
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import Rule, rule
from snapshots.extraction.rules_en_tags import PHONE
from snapshots.extraction.values import Candidate, TagCandidate

_PLACES = (
    r"(?:家里?|公司|单位|办公室|学校|幼儿园|小学|中学|大学|健身房|医院|诊所|工作室|店里?|店铺|"
    r"工厂|宿舍|老家|父母家|爸妈家|"
    r"停车位|车库|教室|培训班|超市|菜市场|咖啡馆|咖啡店|银行|瑜伽馆|游泳馆)"
)
_ADDRESS = (
    r"(?P<v>[\u3400-\u9fffA-Za-z0-9][\u3400-\u9fffA-Za-z0-9\-#()（）·.]{1,50}?)(?=[吧啊呀呢哦" r"哈啦了的]*[\s!。~]*$)"
)
_PLACE_NAME_LENGTHS = range(2, 21)
_DOING = re.compile(
    r"^(?:[裁放招开搞做办装搬等加休忙停催闹考涨打赶准变发转卖减改扩运筹跟和为这那哪团排上]|我)|[着了过]"
)
_HOMES = frozenset({"家", "家里", "家庭", "住址", "家庭住址", "住处", ""})
_NAME = r"(?P<name>[\u3400-\u9fff·]{2,4}|[A-Za-z][\w ]{1,20})"
_NO_NAME = re.compile(r"我|你|他|她|了|什么|不|的|去|来")


def _placed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    label = match["label"] or ""
    home = label in _HOMES
    address = clause.group(match)
    if is_address(match["v"]) or (not home and label != "老家" and _named_place(match["v"])):
        shown = "家" if home else clause.group(match, "label")
        yield TagCandidate(shown, "place", clause.evidence(), address=address)


def _named_place(words: str) -> bool:
    """ "公司在张江" names a place without a street; "公司在裁员" tells what it is doing."""
    return len(words) in _PLACE_NAME_LENGTHS and not _DOING.search(words)


def _phoned(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    name = clause.group(match, "name") if "name" in match.groupdict() else ""
    label = clause.group(match, "label")
    yield TagCandidate(
        label,
        "contact",
        clause.evidence(),
        phone=clause.group(match, "phone"),
        relation=label,
        aliases=(name,) if name else (),
    )


def _known_as(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not _NO_NAME.search(match["name"]):
        label = clause.group(match, "label")
        yield TagCandidate(label, "contact", clause.evidence(), relation=label, aliases=(clause.group(match, "name"),))


_AT = r"(?:的?(?:家庭)?(?:地址|住址|位置)(?:就)?(?:是|在|:)?|(?:就)?(?:住在|住|在|位于|地址是|搬到了?)(?:了)?)"
_MY = r"(?:我们?的?|咱们?的?)"
_OFTEN = r"(?:常去的|经常去的|平时去的|上班的|附近的|办的)?"
RULES_PLACE: tuple[Rule, ...] = (
    rule(rf"{_MY}?{_OFTEN}(?P<label>(?:{KIN_ZH}的?)?{_PLACES}){_AT}{_ADDRESS}", _placed, of_anyone=True),
    rule(rf"{_MY}?(?P<label>家庭|)(?:住址|地址)(?:是|在|:){_ADDRESS}", _placed),
    rule(rf"{_MY}?(?:现在|目前|就)?(?P<label>家?)(?:住在|住){_ADDRESS}", _placed),
    rule(
        rf"{_MY}(?:现在|目前|就)?在{_ADDRESS}(?<=[路街号楼厦场园区座])(?:上班|工作)(?P<label>)",
        lambda c, m: [TagCandidate("公司", "place", c.evidence(), address=c.group(m))],
    ),
)
RULES_CONTACT: tuple[Rule, ...] = (
    rule(
        rf"{_MY}?(?P<label>{KIN_ZH})(?P<name>(?!的)[\u3400-\u9fff]{{2,3}}?)?的?(?:手机|联系|电话|"
        rf"手机号码?|联系方式|号码|联系电话|电话号码){{1,2}}(?:号码?)?(?:就)?(?:是|为|:)? ?{PHONE}",
        _phoned,
        of_anyone=True,
    ),
    rule(rf"(?:打|联系)(?:给)?{_MY}(?P<label>{KIN_ZH})(?:的?电话)?(?:就)?(?:打|拨|用) ?{PHONE}", _phoned),
    rule(
        rf"{_MY}(?P<label>{KIN_ZH})(?:的?名字)?(?:叫|是叫|名字是|" rf"名叫){_NAME}(?=[吧啊呀呢哦哈啦]*\W*$)",
        _known_as,
        of_anyone=True,
    ),
)

WHOLE: tuple[Rule, ...] = (
    rule(
        rf"{_MY}?紧急联系人(?:就)?是(?:{_MY})?(?P<label>{KIN_ZH})(?P<name>[\u3400-\u9fff]{{2,3}})?,"
        rf"? ?(?:的?(?:电话|手机号?|号码|联系方式)(?:是|:)?)? ?{PHONE}",
        _phoned,
        of_anyone=True,
    ),
)

TABLES = (RULES_PLACE, RULES_CONTACT)
