"""What the subject does again and again, in English: a taste that shows without being stated ("the usual one")."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from snapshots.extraction.categories import GENERAL, INTEREST_CATEGORIES, category_of, known_category
from snapshots.extraction.frames_en import OTHERS
from snapshots.extraction.observe import Clause
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.rules import Builder, Rule, apply, entries, fact, rule
from snapshots.extraction.things import things_en
from snapshots.extraction.values import Candidate

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_TIME = rf"(?:time|day|morning|lunch(?:time)?|evening|night|week(?:end|day)?|month|summer|winter|year|trip|{_DAY})"
_NTH = r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|umpteenth|\d{1,3}(?:st|nd|rd|th))"
HABIT = re.compile(
    r"\b(?:usual(?:ly)?|normally|generally|typically|mostly|always|as (?:ever|per usual)|without fail|religiously|"
    rf"(?:every|each) (?:single |other |long |damn )?{_TIME}|most {_TIME}s|"
    rf"{_NTH} (?:\w+ ){{1,3}}?(?:this|in a) (?:week|row|month)|{_NTH} time|keep [a-z]+ing|go-?to|tend to|"
    r"ends? up|ended up|on repeat|on loop|"
    r"(?:once|twice|thrice|(?:three|four|five|six) times) (?:a|this) (?:day|week|month)|"
    rf"(?:on|all|all my|my) (?:my )?(?:last|past) (?:two|three|four|five|six|seven|eight|\d+)|{_DAY[:-1]}s|"
    r"for (?:years|ages)(?: now)?|again and again|like clockwork|out of habit|can't (?:start|go|live|do|get) \w+|"
    r"same (?:\w+ ){0,3}as (?:always|ever|last time|usual|before)|all the time|day in)\b",
    re.IGNORECASE,
)
"""Words that make a doing a habit; "this week" beside a count of times is one too."""
_TAIL = re.compile(
    r"\s*(?:[,;(]|\b(?:home|even|now that|on the way|on (?:all|my|the|a|repeat|loop|long|mon\w+|tues\w+|wed\w+|thu\w+|"
    r"fri\w+|sat\w+|sun\w+|week\w+)|pretty much|every|each|same|again|lol|to (?:wind|calm|fall|get|wake|unwind)|"
    r"before|after|twice|once|like clockwork|without fail|this|by now|first thing|instead of|rather than|most|"
    r"all (?:week|day|night|morning|the time)|for (?:years|ages|breakfast|lunch|dinner|the)|as (?:always|usual|ever)|"
    r"when|while|whenever|since|if|because|so|but|though|no matter|please|thanks|ha(?:ha)?)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = re.compile(r"^(?:(?:the|a|an|my|that|some|another|two|three|large|small|big|same|usual|old) )+", re.IGNORECASE)
_NO_TASTE = re.compile(
    r"(?:an? |the )?(?:shower|bath|break|nap|walk|look|lot|while|long|few|time|pills?|medication|it|this|that|you|"
    r"them|him|her|"
    r"to|up|off|there|here|late|lost|tired|headaches?|trouble|problems?|no idea|issues?|questions?|error)\b",
    re.IGNORECASE,
)
_I = r"(?:.{0,60}?\b)?(?:I|we)(?:'ve|'m|'ll|'d| have| am| will| would)?(?: been)?"
_ADV = (
    r"(?: (?:usually|normally|generally|typically|mostly|always|almost always|often|just|only|still|tend to|will|also|"
    r"(?:always )?end(?:ed)? up|keep|kept|like to|sort of|basically|actually))*"
)
_OBJECT = r" (?P<v>\S.{0,80})$"


def _seen(hint: str | None) -> Builder:
    """A taste seen in a habit. Without a hint only things of a known category: habits of life are no taste."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        found = [(thing, hint) for thing in _things(clause.group(match)) if hint or known_category(thing)]
        yield from entries(clause, "implicit", "likes", found)

    return build


def _things(phrase: str) -> list[str]:
    shown = _HEAD.sub("", _TAIL.sub("", phrase).strip(" .,!"))
    if not shown or _NO_TASTE.match(shown) or len(shown.split()) > EXTRACTION.max_thing_words:
        return []
    return things_en(shown) or [shown]


def _activity(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A pastime kept up is an interest that was seen, not told."""
    thing = _TAIL.sub("", clause.group(match)).strip(" .,!")
    if not thing or _NO_TASTE.match(thing) or len(thing.split()) > EXTRACTION.max_thing_words:
        return
    category = category_of(thing)
    yield from entries(clause, "implicit", "likes", [(thing, "leisure" if category == GENERAL else category)])
    if category in {*INTEREST_CATEGORIES, GENERAL, "travel"}:
        interest = fact("interests", clause, thing, mode="append")
        yield replace(interest, provenance="observation", confidence=EXTRACTION.implicit_confidence)


RULES_HABIT: tuple[Rule, ...] = (
    rule(
        r"(?:and )?(?:my|the|our) (?:absolute )?go-?to(?: [a-z]+)?(?: (?:on|for|in|at|after|when) [^,]{2,30}?)?"
        rf"(?: is|'s| are| has been|:) (?:still |always )?{_OBJECT[1:]}",
        lambda c, m: _seen(_named(c, m) or GENERAL)(c, m),
    ),
    rule(r"(?P<v>[^,]{2,40}?) (?:is|are) (?:still )?my (?:usual|go-?to)\b", _seen(GENERAL)),
    rule(
        r"(?:.{0,40}?\b)?(?:the|my|our) usual (?P<v>(?!place|spot|one|time|way|route|suspects|stuff|thing)[^,.]{3,40})",
        _seen(None),
    ),
    rule(
        r"(?:.{0,30}?\b)?(?:the )?same (?P<v>[^,]{3,40}?) as (?:always|ever|last time|usual|before|every time)\b",
        _seen(GENERAL),
    ),
    rule(
        rf"(?:.{{0,40}}?\b)?{_NTH} (?P<v>(?!time|day|week)[^,]{{3,30}}?) (?:this|in a) (?:week|row|month)\b",
        _seen(None),
    ),
    rule(
        r"(?:.{0,40}?\b)?can't (?:start|go|live|do|get) [^,]{0,30}?without (?:a |my |the )?(?P<v>[^,]{3,40})$",
        _seen(GENERAL),
    ),
    rule(
        rf"{_I}{_ADV} (?:eat|eating|eaten|drink|drinking|ordered|order|ordering|cook|cooking|brew|brewing|sip|sipping|"
        rf"having|grab|grabbing|snack on|snacking on|(?:go|going|went) for){_OBJECT}",
        _seen("food"),
    ),
    rule(
        rf"{_I}{_ADV} (?:listen to|listening to|listened to|put on|putting on|play|playing|played|stream|streaming|"
        rf"blast"
        rf"|blasting)(?! (?:football|soccer|tennis|golf|chess|cards|basketball|games?))(?: the same| my)?{_OBJECT}",
        _seen("music"),
    ),
    rule(
        rf"{_I}{_ADV} (?:watch|watching|watched|rewatch|rewatching|read|reading|re-?read|re-?reading|binge|bingeing|"
        rf"binging){_OBJECT}",
        _seen("entertainment"),
    ),
    rule(rf"{_I}{_ADV} (?:buy|buying|bought|wear|wearing|wore){_OBJECT}", _seen("shopping")),
    rule(
        rf"{_I}{_ADV} (?:book|booking|booked|fly|flying|flew|stay|staying|stayed|travel|travelling)(?: with| at| "
        rf"in| by| "
        rf"on)?(?! up\b| late){_OBJECT}",
        _seen("travel"),
    ),
    rule(
        rf"{_I}{_ADV} (?:drive|driving|cycle|walk|ride|commute)(?: via| along| through| down| over){_OBJECT}",
        _seen("navigation"),
    ),
    rule(
        r"(?:.{0,60}?\b)?(?:I|we)(?: usually| always| normally| mostly| often)? (?:go|went|do|play) "
        r"(?P<v>[a-z]+ing|yoga|pilates|tennis|golf|chess|football|karate|judo|squash|padel)\b",
        _activity,
    ),
    rule(
        r"(?:.{0,60}?\b)?(?:I|we)(?: usually| always| normally)? (?P<v>(?:bake|knit|sew|paint|garden|swim|jog|"
        r"climb|hike|fish|"
        r"surf)\b.{0,80})$",
        _activity,
    ),
    rule(
        rf"{_I}{_ADV} (?:get|getting|had|have|take|taking|took|use|pick|picking|choose|ask for){_OBJECT}", _seen(None)
    ),
    rule(r"(?:.{0,60}?\b)?(?:had|with|and) (?P<v>(?-i:[A-Z][\w']+(?: [A-Z][\w']+)+)) on\b", _seen("music")),
    rule(r"every (?:playlist|mix)[^,]{0,40}? (?:half|mostly|all|full of) (?P<v>[^,]{3,30})$", _seen("music")),
    rule(r"(?:(?:as per|as) usual,? )I'll be (?P<v>walking|cycling|driving|running|biking)\b", _seen("travel")),
)
"""In order: what names the taste, then doings by the kind of thing they are done to, the vaguest verbs last."""


def _named(clause: Clause, match: re.Match[str]) -> str | None:
    things = _things(clause.group(match))
    return known_category(things[0]) if things else None


def habits(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste that ``clause`` shows; nothing where no word makes its doing a habit."""
    if _is_own_habit(clause.sentence):
        yield from apply(RULES_HABIT, clause)


@lru_cache(maxsize=16)  # asked once per clause of the same sentence
def _is_own_habit(sentence: str) -> bool:
    return bool(HABIT.search(sentence)) and not OTHERS.search(sentence)
