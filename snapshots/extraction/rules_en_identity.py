"""Who the subject is, in English: name, occupation, employer, age, type, place of living, time zone."""

import re
from collections.abc import Iterator

from snapshots.extraction.ages import age_range_of, years_of
from snapshots.extraction.categories import known_category
from snapshots.extraction.everyday_words_en import MOVED_THEN
from snapshots.extraction.lexicon_en import OCCUPATIONS
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import Rule, as_fact, fact, preference, rule
from snapshots.extraction.values import Candidate

_IM = r"(?:I'm|I am|im)"
_ADV = r"(?:(?:currently|now|also|actually|just|originally|really|basically|still|already|both|only) ){0,2}"
_NAME = (
    r"(?P<v>(?-i:[A-Z][\w'-]{0,30}(?: (?:(?:van|von|de|der|da|bin|"
    r"al) )?[A-Z][\w'-]{0,30}){0,3})|[a-z][\w'-]{1,20}(?=\W*$))"
)
_PLACE = r"(?P<v>(?:the )?(?-i:[A-Z])[\w'.-]{1,30}(?:(?:,? | )(?-i:[A-Z])[\w'.-]{1,30}){0,3})"
_NO_NAME = re.compile(
    r"(?:back|later|again|when|if|not|at|on|in|a|an|the|now|today|tomorrow|crazy|asap|please|"
    r"anytime|it|that|old|whatever|names?|"
    r"spelled|called|irrelevant|important|unique|common|hard|maybe|soon|there|here|for|wrong|right|ignore)\b",
    re.IGNORECASE,
)
_GREETED = re.compile(r"\W{0,3}(?:hi|hello|hey|good (?:morning|afternoon|evening))\b", re.IGNORECASE)
_NATIONAL = re.compile(
    r"(?:ian|can|ish|ese|ench|utch|man|ine|eek|swiss|thai|ing|here|back|new|late|sorry|fine|" r"good|lost|ready)$",
    re.IGNORECASE,
)
_STOP = (
    r"(?= (?:at|for|in|from|and|but|who|so|with|by|of|on|now|here|these|based|working|living|"
    r"because|since|myself|too|btw|lol|though|here|please|which|that|when|during|while|full|"
    r"part|right|by|for)\b|\W*$|[,(;:])"
)
_ROLE = re.compile(rf"(?P<v>[A-Za-z][\w'/-]*(?: [A-Za-z][\w'/-]*){{0,4}}?){_STOP}", re.IGNORECASE)
_EMPLOYER = re.compile(
    r"(?:at|for) (?P<v>(?:the )?(?-i:[A-Z0-9])[\w&'.-]{0,30}(?: (?:(?:of|and|&|"
    r"for) )?(?-i:[A-Z])[\w&'.-]{0,30}){0,4})",
    re.IGNORECASE,
)
_FROM = re.compile(rf"from {_PLACE}", re.IGNORECASE)
_FIELDS = (
    r"(?P<v>marketing|sales|finance|it|tech|software|healthcare|education|retail|construction|"
    r"hr|hospitality|advertising|"
    r"banking|insurance|logistics|publishing|film|media|law|real estate|consulting|research|logistics|fashion|tourism)"
)
_SHORTEST_ROLE = 2
_NO_ROLE = re.compile(
    r"(?:well|if|usual|long|much|hard|always|to|not|my|fun|boring|stress\w*|great|so|very|" r"really|going|done)\b",
    re.IGNORECASE,
)
_MBTI = r"(?P<v>[EI][NS][FT][JP])\b"


def _named(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    name = clause.group(match).strip(" .,!")
    if name and not _NO_NAME.match(name):
        yield fact("name", clause, name)


def _introduced(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "I'm Hiroshi" is a name after a greeting, unless it ends like a nationality."""
    if _GREETED.match(clause.sentence) and not _NATIONAL.search(match["v"]):
        yield fact("name", clause, clause.group(match))


def _called(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "Call me Al" is a form of address, and the name too unless the same sentence says another."""
    name = clause.group(match).strip(" .,!")
    if not name or _NO_NAME.match(name):
        return
    yield preference(clause, "explicit", ("answer", "form_of_address"), "set", name)
    if not re.search(r"\bmy name(?:'s| is)", clause.sentence, re.IGNORECASE):
        yield fact("name", clause, name)


def _is_occupation(role: str) -> bool:
    head = re.split(r"[\s/]", role.lower())[-1]
    return head in OCCUPATIONS or (head.endswith("s") and head[:-1] in OCCUPATIONS)


def _occupied(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "I'm a ..." names an occupation only where the head of the phrase is a known one."""
    role = _ROLE.match(clause.text, match.end())
    if role and _is_occupation(role["v"]):
        yield from _role_and_place(clause, role)


def _any_role(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "I work as ..." and "my job is ..." name an occupation whatever the word."""
    role = _ROLE.match(clause.text, match.end())
    if role and len(role["v"]) > _SHORTEST_ROLE and not _NO_ROLE.match(role["v"]):
        yield from _role_and_place(clause, role)


def _role_and_place(clause: Clause, role: re.Match[str]) -> Iterator[Candidate]:
    yield fact("occupation", clause, clause.group(role))
    employer, origin = _EMPLOYER.search(clause.text, role.end()), _FROM.search(clause.text, role.end())
    if employer:
        yield fact("employer", clause, clause.group(employer).rstrip("."))
    if origin:
        yield fact("hometown", clause, clause.group(origin).rstrip("."))


def _situated(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield fact("occupation", clause, re.sub(r"^(?:an?|the) ", "", clause.group(match)))


def _hired(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield from _employed(clause, match)
    if match["role"]:
        yield fact("occupation", clause, clause.group(match, "role").strip(" .,"))


def _employed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not is_address(match["v"]):
        yield fact("employer", clause, clause.group(match).rstrip("."))


def _aged(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    years = years_of(match["v"])
    if years is not None:
        yield fact("age", clause, clause.group(match))
        yield fact("age_range", clause, age_range_of(years))


def _living(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not is_address(clause.text[match.start("v") :]):
        yield fact("city", clause, clause.group(match).rstrip("."))


def _moved(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "I moved to Lisbon" tells where one lives; to Sales or Spotify one moves otherwise."""
    elsewhere = known_category(match["v"]) or re.fullmatch(_FIELDS, match["v"], re.IGNORECASE)
    if not (elsewhere or MOVED_THEN.search(clause.sentence)):
        yield from _living(clause, match)


def _typed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield fact("mbti", clause, clause.group(match).upper())


RULES_NAME: tuple[Rule, ...] = (
    rule(r"(?:I'm|I am) (?P<v>(?-i:[A-Z])[a-z]{2,15})(?=\W*$)", _introduced),
    rule(rf"(?:(?:my|the) )?(?:full |first )?name(?:'s| is) {_NAME}", _named),
    rule(r"(?:this is|it's) (?P<v>(?-i:[A-Z])[\w'-]+) (?:speaking|here)\b", _named),
    rule(rf"{_IM} (?:called|named) {_NAME}", _named),
    rule(
        r"(?:you can |just |everyone |everybody |people |friends |my friends |from now on |"
        rf"please ){{0,3}}(?:call|calls) me {_NAME}(?=\W*(?:$|from now|please))",
        _called,
    ),
    rule(rf"I go by {_NAME}", _called),
)
RULES_WORK: tuple[Rule, ...] = (
    rule(r"(?:I've|I have) been (?:working as )?an? (?=[\w -]{3,40} (?:for|since)\b)", _occupied),
    rule(
        r"(?:I'm|I am) (?P<v>studying (?!for|hard|at|a |the |to )[a-z]+(?: [a-z]+)?)(?= (?:at|" r"in)\b|\W*$)",
        as_fact("occupation"),
    ),
    rule(rf"I work in {_FIELDS}(?= (?:at|for|in)\b|\W*$)", as_fact("occupation")),
    rule(r"I work (?!as)[\w' ]{2,40}? as an? ", _occupied),
    rule(rf"(?:{_IM} {_ADV}(?:working|employed)|I(?: {_ADV})? ?(?:currently )?work) as (?:an? |the )?", _any_role),
    rule(
        r"(?:my (?:job|occupation|profession)(?: title)? is|by (?:trade|profession),? i'm|"
        r"for a living,? i'm) (?:being )?(?:an? )?",
        _any_role,
    ),
    rule(rf"{_IM} {_ADV}(?:an? |the )", _occupied),
    rule(
        rf"(?:{_IM} {_ADV})(?P<v>(?:an? |the )?(?:retired|unemployed|self-employed|freelancing|"
        r"stay-at-home (?:mum|mom|dad|parent)))(?=\W*$| (?:and|but|now|so|with)\b)",
        _situated,
    ),
    rule(r"I (?P<v>teach (?:[a-z]+ ){0,2}?[a-z]+)(?= (?:at|in|to|for)\b|\W*$)", as_fact("occupation")),
    rule(
        r"I (?P<v>(?:run|own|manage) (?:a|my own|an) (?:[\w-]+ ){0,2}?(?:bakery|shop|store|"
        r"company|restaurant|studio|farm|caf[eé]|salon|agency|business|clinic|gym|bar|startup|"
        r"hotel|school))\b",
        as_fact("occupation"),
    ),
    rule(
        r"I(?:'ve)? (?:just |recently )?(?:started (?:working|a (?:new )?job)|"
        rf"got a (?:new )?job) {_EMPLOYER.pattern}(?: as (?:an? )?(?P<role>[\w -]{{3,40}}))?",
        _hired,
    ),
    rule(rf"(?:I|we) {_ADV}work {_EMPLOYER.pattern}", _employed),
    rule(rf"{_IM} {_ADV}(?:employed|working) {_EMPLOYER.pattern}", _employed),
    rule(r"my (?:employer|company) is (?:called )?(?P<v>(?-i:[A-Z0-9])[\w&' .-]{0,40})", _employed),
)
RULES_SELF: tuple[Rule, ...] = (
    rule(rf"{_IM} {_ADV}(?P<v>\d{{1,3}})(?: ?(?:years? old|yrs? old|yo|y/o|years of age)\b|(?=\W*$))", _aged),
    rule(
        r"I (?:just |recently )?turned (?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?= (?:today|yesterday|"
        r"last|this|in)|\W*$)",
        _aged,
    ),
    rule(r"my age is (?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?)", _aged),
    rule(rf"{_IM} {_ADV}(?:an? )?{_MBTI}", _typed),
    rule(r"(?:I'm|I am) .{0,30}?\b(?P<v>(?-i:[EI][NS][FT][JP]))\b", _typed),
    rule(rf"my (?:mbti|personality)(?: type)? is (?:an? )?{_MBTI}", _typed),
    rule(rf"(?:I|we) {_ADV}(?:live|reside) {_ADV}in {_PLACE}", _living),
    rule(rf"{_IM} (?:currently )?(?:based|living) in {_PLACE}", _living),
    rule(rf"(?:.{{0,40}}?\b)?(?:I|we)(?:'ve| have) (?:been living|lived) in {_PLACE}", _living),
    rule(
        rf"(?:I|we)(?:'ve| have)? (?:(?:just|recently|finally|now|actually) )?(?:moved|relocated) "
        rf"(?:(?:here|back|over) )?to {_PLACE}(?! from)(?!.*\b(?:live|living)\b)",
        _moved,
    ),
    rule(rf"my (?:city|home ?town|hometown) is {_PLACE}", as_fact("city")),
    rule(rf"{_IM} {_ADV}from {_PLACE}(?=\W*$|,)", as_fact("hometown")),
    rule(rf"I was (?:born(?: and raised)?|raised) in {_PLACE}", as_fact("hometown")),
    rule(rf"I grew up in {_PLACE}", as_fact("hometown")),
    rule(r"my (?:timezone|time zone) is (?P<v>[\w/+:-]{2,40}(?: time)?)", as_fact("timezone")),
    rule(
        rf"{_IM} (?:in|on) (?:the )?(?P<v>(?:UTC|GMT)(?:[+-]\d{{1,2}}(?::\d\d)?)?|[PMCE][SD]?T|CET|"
        r"CEST|[A-Z]\w+/[A-Z]\w+)(?: time ?zone| time)?\b",
        as_fact("timezone"),
    ),
    rule(r"my locale is (?P<v>[a-z]{2}(?:[-_][A-Za-z]{2,4})?)\b", as_fact("locale")),
)
TABLES = (RULES_NAME, RULES_WORK, RULES_SELF)
