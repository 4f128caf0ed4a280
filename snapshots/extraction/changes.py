"""What a swap is of, where its own words tell: a name, a job, an employer, a town, an address, a number, a car."""

import re
from collections.abc import Iterator

from snapshots.extraction.lexicon_en import OCCUPATIONS
from snapshots.extraction.lexicon_zh import OCCUPATION_ENDINGS
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import fact, preference
from snapshots.extraction.values import Candidate, TagCandidate

_NAMING = re.compile(r"\b(?:call(?:ing|ed)? me|my name)\b|我不?叫|叫我|喊我|称呼我", re.IGNORECASE)
_WORKING = re.compile(r"\b(?:job|work(?:ing|ed)? (?:at|for)|employer|company)\b|跳槽|公司|入职", re.IGNORECASE)
_DRIVING = re.compile(r"\b(?:drive|driving|car|lease)\b|[辆台].{0,12}卖|开车|换车", re.IGNORECASE)
_MOVING = re.compile(r"\b(?:moved|live|living|based)\b|搬|住", re.IGNORECASE)
_HOME = re.compile(
    r"(?:my |our |the )?(?P<label>home|house|flat|place|office|work|gym|studio|school) is (?:at |on )?(?P<at>.+)",
    re.IGNORECASE,
)
_PHONE = re.compile(r"\+?\d[\d ().-]{5,20}\d")
_WHOSE = re.compile(
    r"\b(mom|mum|mother|dad|father|wife|husband|partner|sister|brother|boss|doctor|dentist|son|daughter|landlord)\b"
    r"|(妈妈?|爸爸?|老婆|老公|姐姐?|妹妹?|哥哥?|弟弟?|儿子|女儿|老板|医生|房东)",
    re.IGNORECASE,
)
_MBTI = re.compile(r"[EI][NS][FT][JP]")
_CAPITAL = re.compile(r"[A-Z0-9\u3400-\u9fff]")


def swap(clause: Clause, old: str, new: str) -> Iterator[Candidate]:
    """Yield the change from ``old`` to ``new``: of what its words name, else of whatever held ``old`` so far."""
    yield (
        _tag(clause, new)
        or _profile(clause, old, new)
        or preference(clause, "change", (None, None), "replace", new, replaces=old)
    )


def _tag(clause: Clause, new: str) -> Candidate | None:
    home, phone = _HOME.match(new), _PHONE.fullmatch(new)
    if home and is_address(home["at"]):
        label = home["label"].lower()
        label = "home" if label in {"house", "flat", "place"} else label
        return TagCandidate(label, "place", clause.evidence(), address=home["at"])
    if clause.language == "zh" and re.search(r"搬|我家|我们家", clause.sentence) and re.search(r"[路街巷弄号栋]", new):
        return TagCandidate("家", "place", clause.evidence(), address=new)
    whose = _WHOSE.search(clause.sentence) if phone else None
    if whose:
        return TagCandidate(
            whose.group().lower(), "contact", clause.evidence(), phone=new, relation=whose.group().lower()
        )
    return None


def _profile(clause: Clause, old: str, new: str) -> Candidate | None:
    said = clause.sentence
    if new.lower().split()[-1] in OCCUPATIONS or new.endswith(OCCUPATION_ENDINGS):
        return fact("occupation", clause, new, replaces=old)
    if _MBTI.fullmatch(old) and _MBTI.fullmatch(new):
        return fact("mbti", clause, new, replaces=old)
    if not _CAPITAL.match(new) or is_address(new):
        return None
    for field, cue in (("name", _NAMING), ("employer", _WORKING), ("vehicle", _DRIVING)):
        if cue.search(said):
            return fact(field, clause, new, replaces=old)
    if _MOVING.search(said) and re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?|[\u3400-\u9fff]{2,4}", new):
        return (
            fact("city", clause, new, replaces=old)
            if re.search(r"\b(?:live|living|based|moved to)\b|搬|住", said)
            else None
        )
    return None
