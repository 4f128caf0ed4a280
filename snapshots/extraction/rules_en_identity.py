"""Who the subject is, in English: name, occupation, employer, age, place of living, family, pets, hobbies."""

import re
from collections.abc import Iterator

from snapshots.extraction.ages import age_range_of, years_of
from snapshots.extraction.categories import INTEREST_CATEGORIES, category_of
from snapshots.extraction.lexicon_en import OCCUPATIONS
from snapshots.extraction.observe import Clause
from snapshots.extraction.places import is_address
from snapshots.extraction.rules import Builder, Rule, entries, fact, preference, rule
from snapshots.extraction.things import things_en
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
_SHORTEST_ROLE = 2
_NO_ROLE = re.compile(
    r"(?:well|if|usual|long|much|hard|always|to|not|my|fun|boring|stress\w*|great|so|very|" r"really|going|done)\b",
    re.IGNORECASE,
)
_MBTI = r"(?P<v>[EI][NS][FT][JP])\b"
_PETS = (
    r"cats?|dogs?|kittens?|pupp(?:y|ies)|rabbits?|bunn(?:y|ies)|hamsters?|parrots?|birds?|"
    r"turtles?|tortoises?|goldfish|fish|snakes?|"
    r"horses?|guinea pigs?|ferrets?|lizards?|geckos?|retrievers?|labradors?|poodles?|beagles?|"
    r"corgis?|huskies|husky|terriers?|pugs?|"
    r"chihuahuas?|dachshunds?|bulldogs?|shepherds?|pets?|chickens|ponies|pony|spaniels?|"
    r"collies?|budgies?|canary|cockatiels?"
)
_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|twin|several|some|lots of|many)"


def _plain(field: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        value = clause.group(match).strip(" .,!")
        if value:
            yield fact(field, clause, value)

    return build


def _named(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    name = clause.group(match).strip(" .,!")
    if name and not _NO_NAME.match(name):
        yield fact("name", clause, name)


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


def _typed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield fact("mbti", clause, clause.group(match).upper())


def _interested(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing in things_en(match["v"]):
        start = match.start("v") + match["v"].find(thing)
        yield fact("interests", clause, clause.words(start, start + len(thing)), mode="append")


def _practised(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    things = [(t, None) for t in things_en(match["v"]) if category_of(t) in INTEREST_CATEGORIES]
    yield from entries(clause, "implicit", "likes", things)
    yield from (fact("interests", clause, thing, mode="append") for thing, _ in things)


RULES_NAME: tuple[Rule, ...] = (
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
    rule(r"I (?P<v>teach (?:[a-z]+ ){0,2}?[a-z]+)(?= (?:at|in|to|for)\b|\W*$)", _plain("occupation")),
    rule(
        r"I (?P<v>(?:run|own|manage) (?:a|my own|an) (?:[\w-]+ ){0,2}?(?:bakery|shop|store|"
        r"company|restaurant|studio|farm|caf[eé]|salon|agency|business|clinic|gym|bar|startup|"
        r"hotel|school))\b",
        _plain("occupation"),
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
    rule(rf"(?:I|we)(?:'ve| have) (?:been living|lived) in {_PLACE} (?:for|since)\b", _living),
    rule(rf"(?:I|we)(?:'ve| have)? (?:just|recently|finally) moved (?:here )?to {_PLACE}(?! from)", _living),
    rule(rf"my (?:city|home ?town|hometown) is {_PLACE}", _plain("city")),
    rule(rf"{_IM} {_ADV}from {_PLACE}(?=\W*$|,)", _plain("hometown")),
    rule(rf"I was (?:born(?: and raised)?|raised) in {_PLACE}", _plain("hometown")),
    rule(rf"I grew up in {_PLACE}", _plain("hometown")),
    rule(r"my (?:timezone|time zone) is (?P<v>[\w/+:-]{2,40}(?: time)?)", _plain("timezone")),
    rule(
        rf"{_IM} (?:in|on) (?:the )?(?P<v>(?:UTC|GMT)(?:[+-]\d{{1,2}}(?::\d\d)?)?|[PMCE][SD]?T|CET|"
        r"CEST|[A-Z]\w+/[A-Z]\w+)(?: time ?zone| time)?\b",
        _plain("timezone"),
    ),
    rule(r"my locale is (?P<v>[a-z]{2}(?:[-_][A-Za-z]{2,4})?)\b", _plain("locale")),
)
RULES_HOUSEHOLD: tuple[Rule, ...] = (
    rule(
        r"(?:I|we)(?:'ve got| have| own| just got| have just got) (?!a few|"
        rf"a lot)(?P<v>{_COUNT} (?:[\w-]+ ){{0,3}}?(?:{_PETS})\b(?!-)(?: (?:named|"
        r"called) (?-i:[A-Z])\w+(?: and (?-i:[A-Z])\w+)?)?)(?!\s(?:allergy|person|food|show|"
        r"sitter|video|tattoo|toys?))",
        _plain("pets"),
    ),
    rule(
        r"my (?P<v>(?:cat|dog|rabbit|parrot|hamster)(?:'s name is|(?: is|'s) (?:called|" r"named)) (?-i:[A-Z])\w+)",
        _plain("pets"),
    ),
    rule(r"my (?P<v>(?:cat|dog|puppy|kitten|rabbit|parrot|hamster|horse) (?-i:[A-Z])[a-z]+)\b", _plain("pets")),
    rule(
        rf"{_IM} {_ADV}(?:happily )?(?P<v>married|divorced|widowed|single|engaged)(?=\W*$| (?:with|" r"to|and|for)\b)",
        _plain("marital_status"),
    ),
    rule(
        r"my birthday(?:'s| is)(?: on)? (?:the )?(?P<v>(?-i:[A-Z])[a-z]{2,8}\.? \d{1,2}(?:st|nd|"
        r"rd|th)?|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?-i:[A-Z])[a-z]{2,8}|\d{4}-\d\d-\d\d|"
        r"\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?)",
        _plain("birthday"),
    ),
    rule(
        r"I (?:can |also |usually |mostly )?speak (?:fluent |a bit of |some |"
        r"only )?(?P<v>(?-i:[A-Z])[a-z]+(?:(?:,| and|, and) (?:a (?:bit|little)(?: of)? |some |"
        r"fluent |basic )?(?-i:[A-Z])[a-z]+){0,4})(?!\w)",
        _plain("languages"),
    ),
    rule(
        r"I (?:drive|own) (?:an? |my )?(?P<v>(?:\d{4} )?(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z0-9])[\w-]"
        r"*){0,3})(?=\W*$|[,;]| (?:and|to|for|since|now)\b)",
        _plain("vehicle"),
    ),
    rule(r"my car is (?:an? )(?P<v>(?:\d{4} )?(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z0-9])[\w-]*){0,3})", _plain("vehicle")),
)
RULES_CHILDREN: tuple[Rule, ...] = (
    rule(
        rf"(?:I|we)(?:'ve got| have)(?: got)? (?:.{{1,50}}? and )?(?P<v>{_COUNT} (?:(?:young|"
        rf"little|small|grown|adult|teenage|beautiful|wonderful) ){{0,2}}(?:kids?|child|children|"
        r"sons?|daughters?|boys|girls|twins|toddlers?|bab(?:y|ies)))\b(?!'| (?:book|toy|cloth|"
        r"show|menu|party|meal))",
        _plain("children"),
    ),
)
RULES_HOBBY: tuple[Rule, ...] = (
    rule(
        r"my (?:main |favou?rite |biggest |other )?(?:hobb(?:y|ies)|interests?|pastimes?|"
        r"passions?)(?: (?:are|is|include)|'s) (?P<v>.{2,120})$",
        _interested,
    ),
    rule(
        r"(?:I'm|I am|I've been|I've got) (?:really |very |pretty |super |quite |so |big |"
        r"totally )*(?:into|interested in|passionate about|keen on) (?P<v>.{2,120})$",
        _interested,
    ),
    rule(
        r"(?P<v>.{2,60}?) (?:is|are) my (?:main |favou?rite |biggest )?(?:hobb(?:y|ies)|pastimes?|" r"passions?)\b",
        _interested,
    ),
    rule(
        r"I (?:go|do|play) (?P<v>[a-z]+(?: and [a-z]+)?) (?:every|on (?:week|sun|satur|fri|mon)|"
        r"regularly|twice|once a|three times|a lot|all the time|most)",
        _practised,
    ),
    rule(
        r"in my (?:free|spare) time,? I (?:like to |love to |enjoy |love |like |usually |" r"mostly )?(?P<v>.{2,80})$",
        _interested,
    ),
)


TABLES = (RULES_NAME, RULES_WORK, RULES_SELF, RULES_HOUSEHOLD, RULES_CHILDREN, RULES_HOBBY)
