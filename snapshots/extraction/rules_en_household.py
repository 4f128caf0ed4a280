"""Whom and what the subject lives with, in English: pets, children, partner, birthday, languages, car, hobbies."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import INTEREST_CATEGORIES, category_of
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Rule, as_fact, entries, fact, preference, rule
from snapshots.extraction.things import things_en
from snapshots.extraction.values import Candidate

_IM = r"(?:I'm|I am|im)"
_ADV = r"(?:(?:currently|now|also|actually|just|really|still|already) ){0,2}"
_PETS = (
    r"cats?|dogs?|kittens?|pupp(?:y|ies)|rabbits?|bunn(?:y|ies)|hamsters?|parrots?|birds?|"
    r"turtles?|tortoises?|goldfish|fish|snakes?|"
    r"horses?|guinea pigs?|ferrets?|lizards?|geckos?|retrievers?|labradors?|poodles?|beagles?|"
    r"corgis?|huskies|husky|terriers?|pugs?|"
    r"chihuahuas?|dachshunds?|bulldogs?|shepherds?|pets?(?! \w)|chickens|ponies|pony|spaniels?|"
    r"collies?|budgies?|canary|cockatiels?"
)
_COUNT = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|twin|several|some|lots of|many)"


def _interested(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing in things_en(match["v"]):
        start = match.start("v") + match["v"].find(thing)
        yield fact("interests", clause, clause.words(start, start + len(thing)), mode="append")


def _practised(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    things = [(t, None) for t in things_en(match["v"]) if category_of(t) in INTEREST_CATEGORIES]
    yield from entries(clause, "implicit", "likes", things)
    yield from (fact("interests", clause, thing, mode="append") for thing, _ in things)


RULES_HOUSEHOLD: tuple[Rule, ...] = (
    rule(
        r"(?:I|we)(?:'ve got| have| own| just got| have just got) (?!a few|"
        rf"a lot)(?P<v>{_COUNT} (?:[\w-]+ ){{0,3}}?(?:{_PETS})\b(?!-)(?: (?:named|"
        r"called) (?-i:[A-Z])\w+(?: and (?-i:[A-Z])\w+)?)?)(?!\s(?:allergy|person|food|show|"
        r"sitter|video|tattoo|toys?))",
        as_fact("pets"),
    ),
    rule(
        r"my (?P<v>(?:cat|dog|rabbit|parrot|hamster)(?:'s name is|(?: is|'s) (?:called|" r"named)) (?-i:[A-Z])\w+)",
        as_fact("pets"),
    ),
    rule(r"my (?P<v>(?:cat|dog|puppy|kitten|rabbit|parrot|hamster|horse) (?-i:[A-Z])[a-z]+)\b", as_fact("pets")),
    rule(
        rf"{_IM} {_ADV}(?:happily )?(?P<v>married|divorced|widowed|single|engaged)(?=\W*$| (?:with|" r"to|and|for)\b)",
        as_fact("marital_status"),
    ),
    rule(
        r"my birthday(?:'s| is)(?: on)? (?:the )?(?P<v>(?-i:[A-Z])[a-z]{2,8}\.? \d{1,2}(?:st|nd|"
        r"rd|th)?|\d{1,2}(?:st|nd|rd|th)?(?: of)? (?-i:[A-Z])[a-z]{2,8}|\d{4}-\d\d-\d\d|"
        r"\d{1,2}[/.]\d{1,2}(?:[/.]\d{2,4})?)",
        as_fact("birthday"),
    ),
    rule(
        r"I (?:can |also |usually |mostly )?speak (?:fluent |a bit of |some |"
        r"only )?(?P<v>(?-i:[A-Z])[a-z]+(?:(?:,| and|, and) (?:a (?:bit|little)(?: of)? |some |"
        r"fluent |basic )?(?-i:[A-Z])[a-z]+){0,4})(?!\w)",
        as_fact("languages"),
    ),
    rule(
        r"I (?:drive|own) (?:an? |my )?(?P<v>(?:\d{4} )?(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z0-9])[\w-]"
        r"*){0,3})(?=\W*$|[,;]| (?:and|to|for|since|now)\b)",
        as_fact("vehicle"),
    ),
    rule(r"my car is (?:an? )(?P<v>(?:\d{4} )?(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z0-9])[\w-]*){0,3})", as_fact("vehicle")),
)
RULES_CHILDREN: tuple[Rule, ...] = (
    rule(
        rf"(?:I|we)(?:'ve got| have)(?: got)? (?:.{{1,50}}? and )?(?P<v>{_COUNT} (?:(?:young|"
        rf"little|small|grown|adult|teenage|beautiful|wonderful) ){{0,2}}(?:kids?|child|children|"
        r"sons?|daughters?|boys|girls|twins|toddlers?|bab(?:y|ies)))\b(?!'| (?:book|toy|cloth|"
        r"show|menu|party|meal))",
        as_fact("children"),
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


_WORN = r"(?P<v>\d{1,2}(?:\.5)?|x{0,3}[sl]|m|small|medium|large|extra large)"


def _size(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    shoes = re.search(r"\b(?:shoes?|boots?|trainers|sneakers|feet|foot)\b", clause.sentence, re.IGNORECASE)
    yield preference(
        clause, "explicit", ("shopping", "shoe_size" if shoes else "clothing_size"), "set", clause.group(match)
    )


RULES_SIZE: tuple[Rule, ...] = (
    rule(
        rf"(?:I (?:wear|take)|I'm (?:an? )?size)(?: an?)?(?: (?:UK|US|EU|size|women's|men's))* {_WORN}(?= in\b|"
        rf"\W*$| (?:shoes?|shirts?|boots?|jeans))",
        _size,
    ),
    rule(
        rf"my (?:shoe|shirt|jacket|dress|trouser|clothes|clothing|ring) size(?:'s| is) (?:an? )?(?:UK |US |EU "
        rf")?{_WORN}\b",
        _size,
    ),
)


TABLES = (RULES_SIZE, RULES_HOUSEHOLD, RULES_CHILDREN, RULES_HOBBY)
