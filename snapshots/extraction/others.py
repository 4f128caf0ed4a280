"""Whether a clause tells of somebody beside the speaker, in English and in Chinese."""

import re

from snapshots.extraction.marks import ADVISED_ZH, KIN_ZH
from snapshots.extraction.observe import Clause

_OTHERS = re.compile(
    r"\b(?:he|she|they|(?:my|our|the) (?:\w+ )?(?:wife|husband|son|daughter|boss|sister|brother|mom|mum|dad|kids?|"
    r"neighbou?rs?|colleagues?|friends?|flatmates?|roommates?|uncle|aunt|ex|partner|girlfriend|boyfriend|gf|bf|"
    r"manager|"
    r"teacher|landlord|toddler|baby|cousin|nan|gran|grandma|grandad|mate|people|everyone|everybody))(?:'s)? "
    r"(?:\w+ )?(?:always|usually|keeps?|every|tends?|orders?|likes?|loves?|hates?|can'?t|won'?t|never|eats?|"
    r"drinks?|only|prefers?|just)\b",
    re.IGNORECASE,
)
_SOLO = re.compile(rf"(?:我们?家?的?)?{KIN_ZH}(?!.{{0,6}}我)")
_SOME_PEOPLE = re.compile(
    r"(?:有的人|有些人|很多人|好多人|某些人|所有人|人人|大家|别人|谁|客服|店[里家员]|公司(?!地址|在|是|离|楼下)|"
    r"医院(?!让我)|学校|老师|幼儿园|护士长|领导|导游|司机|网上|新闻|广告|小说|歌里|剧里|书里|专家|现在的人|年轻人|"
    r"小孩|英国人|外国人|北方人|南方人|房东|物业)"
)
_CHILD = re.compile(r"^(?:我们?家?的?)?(?:娃|孩子|宝宝|儿子|女儿|闺女|小孩|孩子们|小朋友)")
_HOUSE_RULE = re.compile(r"最多|不超过|不能超过|不许|不准|只能|别超过|不要超过|上限|控制在")


def is_of_others(clause: Clause) -> bool:
    """Return whether a clause tells of somebody else's ways and none of the speaker's."""
    told = _OTHERS.search(clause.text)
    return told is not None and not re.search(r"\b(?:I|me|my)\b", clause.text[told.end() :])


def is_of_others_zh(clause: Clause) -> bool:
    """Return whether somebody beside the speaker is told of."""
    if ADVISED_ZH.match(clause.text):
        return False
    if re.search(r"[他她]", clause.text) or _SOME_PEOPLE.match(clause.text):
        return True
    if _CHILD.match(clause.text) and _HOUSE_RULE.search(clause.text):
        return False  # what children may is their parents' rule
    if _SOLO.match(clause.text):
        return "我" not in clause.text.lstrip("我咱")
    return (
        clause.before is not None
        and "我" not in clause.text
        and (clause.before.subject == "other" or is_of_others_zh(clause.before))
    )
