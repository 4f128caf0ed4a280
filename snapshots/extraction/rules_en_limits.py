"""Limits to be kept, in English: hours, amounts, things refused, things required."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, allergen_category, known_category
from snapshots.extraction.lexicon_en import THINGS
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import MEASURED
from snapshots.extraction.rules import Builder, Rule, apply, preference, rule
from snapshots.extraction.rules_en_constraints import NOUNS, avoided
from snapshots.extraction.rules_en_preferences import DIETS
from snapshots.extraction.things import things_en
from snapshots.extraction.values import Candidate

_NUMBER_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|"
    r"(?:a|one|two|three|five) hundred|(?:a|one|two) thousand)"
)
_CLOCK = (
    rf"(?:\d{{1,2}}(?:[:.]\d\d)?(?: ?[ap]\.?m\.?\b)?|noon|midnight|dark|sunset|sunrise|lunch(?:time)?|dinner|"
    rf"breakfast|bedtime|{_NUMBER_WORDS})(?: o'clock)?(?: (?:in the|at) (?:morning|evening|night|afternoon))?"
)
_WHEN = rf"(?P<v>(?:before|after|until|till|past|later than|earlier than|between) {_CLOCK}(?: (?:and|to) {_CLOCK})?)"
_UNIT = (
    r"(?:dollars?|euros?|pounds?|quid|bucks|yuan|rmb|usd|eur|gbp|k\b|grand|percent|%|degrees|minutes?|mins?|"
    r"hours?|hrs?|"
    r"km|kilomet(?:er|re)s|miles|mph|km/h|kg|grams?|calories|kcal|cups?|people|guests|times|flights?|"
    r"stops?|layovers?|drinks?|spoons?|sugars?)"
)
_AMOUNT = (
    rf"(?P<v>(?:[$€£¥]\s?\d[\d,.]*k?|(?:\d[\d,.]*\d?k?|{_NUMBER_WORDS})(?:[ -]?{_UNIT})?)"
    r"(?:(?: an?| per|/) ?(?:night|day|week|month|person|head|year|hour|meal|trip|kilo|bottle))?)"
)
_FIELD_OF = (
    (
        "communication",
        re.compile(r"\b(?:notif\w+|ping|pings|messages?|texts?|ring|buzz|alerts?|disturb|emails?)\b", re.I),
    ),
    (
        "work",
        re.compile(r"\b(?:meetings?|calls?|calendar|appointments?|schedule|shifts?|stand-?ups?|work|book me)\b", re.I),
    ),
    ("travel", re.compile(r"\b(?:flights?|fly|hotels?|airbnb|trains?|trips?|layovers?|seats?|rooms?|nights?)\b", re.I)),
    ("housing", re.compile(r"\b(?:rent|flats?|apartments?|house|mortgage|ground floor|lease)\b", re.I)),
    ("climate", re.compile(r"\b(?:heating|temperature|ac|thermostat|degrees|aircon|air con)\b", re.I)),
    ("music", re.compile(r"\b(?:volume|loud(?:er)?|music|speakers?)\b", re.I)),
    ("navigation", re.compile(r"\b(?:roads?|routes?|detours?|drive|driving|walk)\b", re.I)),
    ("vehicle", re.compile(r"\b(?:km/h|mph|speed|battery|charge|car)\b", re.I)),
    (
        "food",
        re.compile(
            r"\b(?:lunch|dinner|meals?|restaurants?|takeaway|eat|eating|drinks?|coffees?|sugar|calories)\b", re.I
        ),
    ),
    ("shopping", re.compile(r"\b(?:gifts?|presents?|shoes|clothes|phone|laptop|spend|groceries|shopping)\b", re.I)),
)

_LONGEST = 5
"""Words of a thing refused or required; longer ones are clauses."""
_CUE = re.compile(
    r"\b(?:no|never|nothing|none|not|zero|only|always|max\w*|most|limit|cap(?:ped)?|tops|keep|leave|stay|must|has "
    r"to|have to|needs? to|"
    r"refuse|allerg\w+|intoleran\w+|gives? me|makes? me|sets? off|kill|closes?|or (?:less|under)|ceiling|under|"
    r"below)\b|n't\b|can't",
    re.IGNORECASE,
)


def field_of(text: str) -> str:
    return next((name for name, words in _FIELD_OF if words.search(text)), GENERAL)


def _hours(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "No calls after six": when not to, as said; the key tells whether it is about peace or about the calendar."""
    if clause.one_off:
        return
    field = field_of(clause.sentence)
    early = re.match(r"before|earlier|until|till", match["v"], re.IGNORECASE)
    key = "quiet_hours" if field == "communication" else "earliest_time" if early else "latest_time"
    yield preference(clause, "constraint", (field, key), "set", clause.group(match).rstrip(" .,"))


def _amount(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    amount = clause.group(match).rstrip(" .,")
    if clause.one_off or amount.lower() in {"one", "a hundred"}:
        return
    words = re.findall(r"[a-z]+", clause.sentence.lower())
    thing = next((word.removesuffix("s") for word in words if word.removesuffix("s") in THINGS), "")
    field = THINGS.get(thing) or field_of(clause.sentence)
    name = thing or {"work": "meeting", "housing": "rent", "music": "volume", "climate": "temperature"}.get(field, "")
    money = re.search(
        r"[$€£¥]|dollar|euro|pound|quid|buck|yuan|grand|\d\d\d|spend|pay|budget|cost", clause.sentence, re.I
    )
    yield preference(
        clause, "constraint", (field, f"{name}_limit" if name else "budget_limit" if money else "limit"), "set", amount
    )


def _refused(hint: str | None) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if clause.one_off:
            return
        phrase = re.sub(r"^(?:the|any|another|in|on|at|with|by) ", "", _cut(clause.group(match)), flags=re.IGNORECASE)
        if MEASURED.match(phrase):
            return
        for thing in things_en(phrase) or ([phrase] if phrase and len(phrase.split()) <= _LONGEST else []):
            category = known_category(thing) or hint
            if category is None:
                continue
            if category in NOUNS:
                yield from avoided(clause, thing, category, sure=True)
            else:
                yield preference(clause, "constraint", (category, "avoid"), "add", (thing,))

    return build


_CUT = re.compile(
    r"\s*(?:[,;(]|\b(?:please|thanks|ever|again|any ?more|at all|whatsoever|for me|for us|because|since|unless|if|so|"
    r"when|while|under any|no matter|i (?:just|really)|it|they|not even|even|full stop|period|no exceptions|anyway|"
    r"in any|from now on|thank you|of any kind|you know)\b).*$",
    re.IGNORECASE,
)


def _cut(phrase: str) -> str:
    return _CUT.sub("", phrase).strip(" .,!")


def _harmful(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing in things_en(_cut(clause.group(match))):
        yield preference(clause, "constraint", (allergen_category(thing), "allergies"), "add", (thing,))


def _required(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if clause.one_off:
        return
    value = _cut(clause.group(match))
    diet = re.match(DIETS + r"\b", value, re.IGNORECASE)
    if diet:
        yield preference(clause, "constraint", ("food", "diet"), "set", diet["v"])
    elif value and len(value.split()) <= _LONGEST:
        field = known_category(value) or field_of(clause.sentence)
        yield preference(clause, "constraint", (field, "requirements"), "add", (value,))


def _available(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not clause.one_off:
        yield preference(clause, "constraint", ("work", "availability"), "set", _cut(clause.group(match)))


def _nothing_with(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if clause.one_off:
        return
    thing = re.sub(
        r"^(?:on|in|with|from|near) (?:the |a |an |any )?", "", _cut(clause.group(match)), flags=re.IGNORECASE
    )
    category = known_category(thing) or field_of(clause.sentence)
    if category in NOUNS:
        yield from avoided(clause, thing, category, sure=True)
    elif thing:
        yield preference(clause, "constraint", (category, "avoid"), "add", (thing,))


_NO = r"(?:no|never|nothing|don't|do not|not|can't|cannot|won't|please don't|none)\b"
_OBJECT = r"(?P<v>\S.{0,80})$"
_WONT = (
    r"(?:won't|will not|refuse to|never|can't|cannot|don't|do not|mustn't|must not|am not allowed to|'m not "
    r"allowed to)(?: ever| even)?"
)
RULES_HOURS: tuple[Rule, ...] = (
    rule(rf"(?:.{{0,40}}?\b)?{_NO} .{{0,40}}?\b{_WHEN}", _hours),
    rule(rf"(?:.{{0,40}}?\b)?(?:keep|leave) .{{2,40}}? (?:free|clear|quiet) {_WHEN}", _hours),
    rule(
        r"(?:.{0,30}?\b)?I (?:can )?only (?:do|take|make|meet|attend|have|schedule|work|be reached|am free|can "
        r"do)[^,]{0,30}? "
        r"(?P<v>(?:(?:on|at|before|after|between) )?(?:mon|tues|wednes|thurs|fri|satur|sun|week|morning|afternoon|"
        r"evening)[^,]{2,50})",
        _available,
    ),
)
RULES_AMOUNT: tuple[Rule, ...] = (
    rule(
        r"(?:.{0,60}?\b)?(?:never|don't|do not|nothing|no|not|can't|cannot|won't|shouldn't|mustn't)\b[^.]{0,50}?\b"
        r"(?:more than|"
        rf"over|above|longer than|exceed(?:ing)?|higher than|past|beyond|louder than) {_AMOUNT}",
        _amount,
    ),
    rule(
        r"(?:.{0,60}?\b)?(?:at most|no more than|not more than|a max(?:imum)? of|max(?:imum)?(?: is)?|capped? "
        r"(?:it )?at|limited to|my limit is"
        rf"|tops out at|ceiling is|my limit is) (?:about |around )?{_AMOUNT}",
        _amount,
    ),
    rule(
        rf"(?:.{{0,60}}?\b)?(?:keep|stay|stays|must (?:be|stay)|has to (?:be|stay))\b[^,]{{0,40}}? (?:under|below|"
        rf"within) {_AMOUNT}",
        _amount,
    ),
    rule(
        rf"(?:.{{0,60}}?\b)?{_AMOUNT} (?:max(?:imum)?|tops|at most|at the most|is my (?:limit|max|ceiling|cap)|or "
        rf"(?:less|under)|and not a \w+ more)\b",
        _amount,
    ),
)
RULES_HARM: tuple[Rule, ...] = (
    rule(rf"(?:.{{0,60}}?\b)?(?:I'm|I am|we're) (?!not |never |no )(?:\w+ )?allergic to {_OBJECT}", _harmful),
    rule(
        r"(?P<v>[\w' -]{2,30}?) (?:gives? me (?:hives|a rash|migraines?|headaches?|cramps|heartburn)|makes? me "
        r"(?:sick|ill|break out|"
        r"swell)|sets? off my (?:asthma|allerg\w+)|could kill me|closes? my throat|makes? my throat)",
        _harmful,
    ),
    rule(
        r"(?:.{0,30}?\b)?(?:I've got|I have|got|with) (?:a |an )?(?:bad |severe |serious |mild )?(?P<v>[a-z]+) "
        r"(?:allergy|intolerance)\b",
        _harmful,
    ),
)
RULES_REFUSED: tuple[Rule, ...] = (
    rule(rf"(?:.{{0,40}}?\b)?(?:I|we)(?:'m| am)? ?{_WONT} (?:fly|travel)(?: with| on)? {_OBJECT}", _refused("travel")),
    rule(rf"(?:.{{0,40}}?\b)?(?:I|we)(?:'m| am)? ?{_WONT} (?:stay|sleep) (?:in|at|with) {_OBJECT}", _refused("travel")),
    rule(
        rf"(?:.{{0,40}}?\b)?(?:I|we)(?:'m| am)? ?{_WONT} (?:eat|drink) (?:any )?{_OBJECT}",
        _refused("food"),
    ),
    rule(
        rf"(?:.{{0,40}}?\b)?(?:I|we)(?:'m| am)? ?{_WONT} (?:have|touch|do|get) (?:any )?{_OBJECT}",
        _refused(None),
    ),
    rule(
        rf"(?:.{{0,40}}?\b)?(?:I|we)(?:'m| am)? ?{_WONT} (?:buy|wear|shop at|order from) {_OBJECT}",
        _refused("shopping"),
    ),
    rule(
        r"(?:please )?(?:never(?: ever)?|don't ever|do not ever) (?:book|put|seat|send|route|take|suggest|"
        r"recommend|show|order|buy|"
        r"add|give|play|pick|choose|serve|use)(?: me| us)?(?: any(?:thing)?)?(?: (?:on|in|at|with|through|via|"
        r"into|by|from))? "
        r"(?P<v>(?!me |it\b|that\b|this\b|again)\S.{1,60})$",
        _refused(GENERAL),
    ),
    rule(r"(?:.{0,60}?\b)?nothing (?P<v>(?:on|in|with|from|near) [^,.]{3,40})", _nothing_with),
    rule(
        r"(?:.{0,30}?\b)?(?:no|zero) (?P<v>[\w -]{3,30}?)(?:,? (?:ever|please,? ever|for me|for us|whatsoever|at "
        r"all|under any|of any kind|"
        r"no exceptions|full stop|thanks,? (?:ever|I'm)|in my (?:car|house|food|room|calendar))\b)",
        _refused(GENERAL),
    ),
)
RULES_REQUIRED: tuple[Rule, ...] = (
    rule(
        rf"(?:.{{0,30}}?\b)?only (?P<v>{DIETS.replace('?P<v>', '?:')}[\w ]{{0,20}}|[\w' -]{{3,30}}?) (?:for (?:me|"
        rf"us)\b|please\b)",
        _required,
    ),
    rule(
        r"(?:.{0,40}?\b)?(?:hotels?|rooms?|restaurants?|places?|flights?|seats?|cars?|flats?|apartments?|it|food|"
        r"everything|anything)(?: "
        r"(?:\w+ ){0,4}?)?(?:must|has to|have to|needs? to|should always|always has to) (?:be|have|come with) "
        r"(?:an? )?(?P<v>[^,.]{3,40})",
        _required,
    ),
    rule(
        r"(?:(?:please|so|and|just|but|for me|hey),? )*(?:always|only) (?:book|get|pick|choose|find)(?: me| us)? "
        r"(?:an? |the )?(?P<v>[^,.]{3,40})",
        _required,
    ),
)


_RULES = (*RULES_HARM, *RULES_HOURS, *RULES_AMOUNT, *RULES_REFUSED, *RULES_REQUIRED)


def limits(clause: Clause) -> Iterator[Candidate]:
    """Yield the limit that ``clause`` sets; nothing where no word of it forbids, bounds or requires."""
    if _CUE.search(clause.text):
        yield from apply(_RULES, clause)
