"""Find the people and things that a clause is about, by name and relation."""

import re
from dataclasses import dataclass
from functools import cache

from profiles.services.tags.query_words import split_words
from snapshots.understanding.reading.kin_words import KIN_EN, KIN_ZH
from snapshots.understanding.slots.lexicon import LanguageWords, load_language
from snapshots.understanding.slots.value_checks import is_name

_THING_EN = (
    r"(?:dog|cat|puppy|kitten|horse|pony|rabbit|parrot|hamster|tortoise|goldfish|car|van|truck|bike|motorbike|boat|caravan|"
    r"house|flat|laptop|phone|printer|fridge|oven|boiler|server|company|shop|restaurant)s?"
)
_NAME = r"[A-Z][\w'’-]*[a-z](?:\s[A-Z][\w'’-]*[a-z])?"
_OWNED_EN = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur)\s+(?:[\w-]+\s){{0,2}}?(?P<what>{KIN_EN}|{_THING_EN})\b(?!['’]s?\s(?:day|care|office)\b)"
    rf"(?:,?\s+(?:(?:is|was|called|named)\s+)?(?P<name>{_NAME}))?"
)
_NO_NAME = (
    r"(?:I|She|He|They|It|We|You|This|That|There|These|Those|Here|What|Who|Which|When|Where|How|Why|Everyone|Everything|Nobody|"
    r"Nothing|Somebody|Someone|Something|The|And|But|So|Also|Please|Yes|No|Not|Because|If|Then|From|With|Of|On|At|In|For|"
    r"Written|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|"
    r"October|November|December)"
)
_NAMED_EN = re.compile(
    rf"\b(?!{_NO_NAME}\b)(?P<name>{_NAME})(?:['’]s\b|\s(?:is|was|has|had|can|can't|cannot|won't|does|doesn't|needs|wants|likes|loves|hates|"
    r"lives|works|goes|gets|takes|eats|drinks|plays|turns|starts|started|moved|got|still|also|never|always|and)\b)"
)
# "My husband's mother", 我丈夫的妈妈: the last of a chain is meant, and nobody nearer.
_CHAIN_EN = re.compile(
    rf"(?P<owner>\b(?:(?:[Mm]y|[Oo]ur)\s(?:[\w-]+\s){{0,2}}?{KIN_EN}|(?!{_NO_NAME}\b){_NAME}))(?P<rest>(?:['’]s?\s(?!my\b|our\b)(?:[\w-]+\s){{0,2}}?{KIN_EN}\b){{1,3}})"
)
_CHAIN_ZH = re.compile(rf"{KIN_ZH}(?:家?的(?:{KIN_ZH})){{1,3}}")
_TELLS_ZH = re.compile(rf"{KIN_ZH}(?:跟我|对我|和我)?(?:说|告诉我|讲)(?=我们?家?的?{KIN_ZH}|[^,。:我]{{2}})")
_THING = re.compile(rf"{_THING_EN}\Z")
_THING_ZH = r"(?:猫|狗|车|货车|电动车|兔子|鹦鹉|仓鼠|乌龟|店|民宿|公司|房子|电脑|手机|冰箱|洗衣机|打印机)"
_OWNED_ZH = re.compile(
    rf"(?:我们?家?的?|咱们?家?的?|俺家?的?)?(?P<what>{KIN_ZH}|(?<=我)妈|(?<=我)爸|闺女|娃|{_THING_ZH})"
    r"(?:叫|是|,叫)?(?P<name>(?:小|老|阿)[\u4e00-\u9fff]{1,2}?(?=[,是有在住上下今每的过对不])|[A-Z][a-z]+)?"
)
_NAMED_POSSESSIVE = re.compile(rf"(?!{_NO_NAME}\b){_NAME}['’]s\s\w+\s(?:is|are|was|has|starts|ends|closes|opens)\b")
_BOTH = re.compile(r"\s(?:and|or)\s|[和跟与、]")


@dataclass(frozen=True, slots=True)
class NamedPerson:
    """Somebody or something that a clause names. ``relation`` is "" where it gives none."""

    label: str
    relation: str = ""
    is_thing: bool = False


def find_introduced_person(text: str, language: str) -> NamedPerson | None:
    """Return somebody or something that ``text`` introduces by name and relation: "my son Theo", 我朋友张三, "our cat
    Miso"; None for "my wife" alone, which tells nothing that a contact could hold."""
    person = find_person(text, language)
    words = load_language(language).words
    if person is None or person.label in ("", person.relation) or not person.relation:
        return None
    return person if is_name(person.label, words) else None


def find_person(text: str, language: str) -> NamedPerson | None:
    """Return the first person or thing of the user's that ``text`` names; None where it names nobody."""
    if chain := (_CHAIN_ZH if language == "zh" else _CHAIN_EN).search(text):
        label = re.sub(r"^(?:[Mm]y|[Oo]ur)\s", "", chain.group())
        return NamedPerson(label, label)
    if language == "zh":
        if told := _TELLS_ZH.search(text):
            return find_person(text[told.end() :], language)
        found = _OWNED_ZH.search(text)
        if found is None:
            return None
        name = found["name"] or _chinese_name_at(text, found.end("what")) or found["what"]
        return NamedPerson(name, found["what"], re.fullmatch(_THING_ZH, found["what"]) is not None)
    owned = _OWNED_EN.search(text)
    if owned is not None:
        what = owned["what"].lower()
        name = re.sub(r"['’]s$", "", owned["name"] or what)
        return NamedPerson(name, what, _THING.match(what) is not None)
    named = _NAMED_EN.search(text)
    return NamedPerson(named["name"]) if named is not None else None


def opens_with_person(text: str, language: str) -> bool:
    """Return whether a clause begins with somebody of the user's: "my sister got a job", 我妈住在徐汇; not with both:
    "my wife and I"."""
    if language == "zh":
        owned = _OWNED_ZH.match(text) if text[:1] in "我咱俺" else None
        return owned is not None and not re.fullmatch(_THING_ZH, owned["what"]) and not _BOTH.match(text, owned.end())
    owned = _OWNED_EN.match(text)
    if owned is None:
        return _NAMED_POSSESSIVE.match(text) is not None
    return not _THING.match(owned["what"].lower()) and not _BOTH.match(text, owned.end())


def _chinese_name_at(text: str, start: int) -> str:
    words = load_language("zh").words
    found = _name_pattern(words).match(text, start)
    if found is None or not is_name(found["name"], words):
        return ""
    told = split_words(found["name"])
    return found["name"] if len(told) == 1 and told[0].name else ""


@cache
def _name_pattern(words: LanguageWords) -> re.Pattern[str]:
    ends = "[,。!;:是有在住上下今每的过对不喜爱会能最特也都很从做养]|$"
    return re.compile(words.expand(f"叫?(?P<name>{{surname}}{{given}}{{1,2}}?)(?={ends})"))
