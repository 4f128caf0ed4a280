"""What the subject rules out, in English: roads, food and music to avoid, limits on money and speed."""

import re
from collections.abc import Iterator
from dataclasses import replace

from snapshots.extraction.categories import GENERAL, known_category
from snapshots.extraction.lexicon_en import THINGS
from snapshots.extraction.observe import Clause
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.rules import Builder, Rule, fact, preference, rule
from snapshots.extraction.things import things_en
from snapshots.extraction.values import Candidate, PreferenceCandidate

KINDS_OF_ROAD = (
    (re.compile(r"(?:the |any |all )?(?:highways?|motorways?|freeways?|expressways?)$", re.I), "avoid_highway"),
    (re.compile(r"(?:the |any |all )?(?:toll(?:s| roads?| ways?|ways?| booths?)?|paid roads?)$", re.I), "avoid_toll"),
    (re.compile(r"(?:the |any |all )?(?:ferry|ferries)$", re.I), "avoid_ferry"),
    (re.compile(r"(?:the |any |all )?tunnels?$", re.I), "avoid_tunnel"),
    (re.compile(r"(?:the |any |all |heavy )*(?:traffic(?: jams?)?|congestion)$", re.I), "avoid_traffic"),
    (re.compile(r"(?:the |any |all )?(?:u-turns?)$", re.I), "avoid_u_turn"),
)
_CHANCE_ORDERS = frozenset({"navigation", "music"})
"""Where an order without "from now on" still tells of taste: "avoid adding salt" is a recipe, "avoid tunnels" none."""
NOUNS = {"navigation": "road", "food": "food", "music": "music"}
_ROAD_LIKE = re.compile(
    r"(?:the )?(?-i:[A-Z0-9])[\w' -]* (?:street|st|road|rd|avenue|ave|tunnel|bridge|lane|"
    r"drive|boulevard|parkway|square|way|junction|pass)$"
    r"|(?:the )?(?-i:[A-Z]{1,2})-?\d{1,4}$",
    re.IGNORECASE,
)
_AMOUNT = (
    r"(?P<v>(?:about |around |roughly |up to )?(?:[$€£¥]\s?)?\d[\d,.]*\d?k?(?: ?(?:dollars?|"
    r"euros?|pounds?|yuan|rmb|usd|eur|gbp|bucks|"
    r"km/h|kmh|kph|mph|percent|%|thousand|million|degrees))?(?:(?: an?| per|/) ?(?:night|day|"
    r"week|month|person|head|year|hour|meal|trip))?)"
)
_LASTING = r"(?:(?:from now on|in future|going forward|please|always),? ?){0,3}"
_OBJECT = r"(?P<v>\S.{0,100})$"
_TRIM = re.compile(
    r"\s*(?:,|\b(?:again|any ?more|ever|please|from now on|when(?:ever)?|if|because|"
    r"on the way|to (?:get|work|the)|for me|with me|"
    r"in (?:the|my) car|at all|in future|going forward|as much as|where(?:ver)?|unless|thanks)\b).*$",
    re.IGNORECASE,
)


def avoided(clause: Clause, thing: str, category: str | None, *, sure: bool) -> Iterator[Candidate]:
    """Yield the constraint not to meet ``thing``: a flag for kinds of road, else an entry of ``avoid_<thing>``.

    An order without "from now on" is believed less: it may be meant for this once.
    """
    for pattern, key in KINDS_OF_ROAD:
        if pattern.match(thing):
            yield weighed(preference(clause, "constraint", ("navigation", key), "set", True), sure)
            return
    found = "navigation" if _ROAD_LIKE.match(thing) else (category or known_category(thing))
    if sure or found in _CHANCE_ORDERS:
        place = (found or GENERAL, f"avoid_{NOUNS.get(found or '', 'thing')}")
        yield weighed(preference(clause, "constraint", place, "add", (thing,)), sure)


def weighed(candidate: PreferenceCandidate, sure: bool) -> PreferenceCandidate:
    """Return ``candidate`` as it is, or as a mere observation when it was not said to last."""
    if sure:
        return candidate
    return replace(candidate, provenance="observation", confidence=EXTRACTION.unmarked_constraint_confidence)


def _avoid(category: str | None = None, *, habit: bool = False) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if clause.one_off:
            return
        phrase = _TRIM.sub("", clause.group(match)).strip(" .,!")
        road = _ROAD_LIKE.match(phrase) or any(p.match(phrase) for p, _ in KINDS_OF_ROAD)
        for thing in [phrase] if road else things_en(phrase):
            if road or category != "navigation" or known_category(thing) == "navigation":
                yield from avoided(clause, thing, category, sure=habit or clause.lasting)

    return build


def _limited(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    thing = match["thing"].lower().removesuffix("s") if match["thing"] else ""
    if thing and not clause.one_off:
        category = THINGS.get(thing) or known_category(thing) or GENERAL
        yield preference(clause, "constraint", (category, f"{thing}_limit"), "set", clause.group(match).rstrip(".,"))


def _trip_budget(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    thing = match["thing"].lower().removesuffix("s")
    category = THINGS.get(thing) or known_category(thing) or GENERAL
    yield preference(clause, "constraint", (category, f"{thing}_limit"), "set", clause.group(match).rstrip(".,"))


def _budget(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield fact("budget", clause, clause.group(match).rstrip(".,"))


def _speed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not clause.one_off:
        yield preference(clause, "constraint", ("vehicle", "speed_limit"), "set", clause.group(match))


RULES_LIMIT: tuple[Rule, ...] = (
    rule(
        r"(?:my|our) (?:max(?:imum)? |total )?budget for (?:the |my |our |"
        rf"an? )?(?P<thing>[a-z]+)(?:'s| is) {_AMOUNT}",
        _trip_budget,
    ),
    rule(
        r"(?:my|our) (?P<thing>hotel|flight|trip|food|lunch|dinner|gift|taxi|shopping|"
        rf"travel) budget(?:'s| is) {_AMOUNT}",
        _trip_budget,
    ),
    rule(rf"(?:my|our) (?:max(?:imum)? |total )?budget(?:'s| is) (?:set at )?{_AMOUNT}", _budget),
    rule(rf"(?:I|we) have a budget of {_AMOUNT}", _budget),
    rule(
        rf"{_LASTING}keep (?:the |my |all )?(?P<thing>hotel|flight|lunch|dinner|taxi|ride|gift|"
        rf"meal|restaurant)s? (?:price )?(?:under|below) {_AMOUNT}",
        _limited,
    ),
    rule(
        r"(?:I )?(?:never|don't|do not) (?:ever |want to |wanna )?(?:spend|pay) (?:more than|"
        rf"over) {_AMOUNT} (?:on|for) (?:an? |my )?(?P<thing>[a-z]+)",
        _limited,
    ),
    rule(rf"{_LASTING}(?:never|don't) (?:drive|go) (?:faster than|over|above) {_AMOUNT}", _speed),
)
_TAKE = (
    r"(?:take(?! me)|use|drive (?:on|through|via|over)|go (?:via|through|on|over|along|down)|"
    r"route (?:me )?(?:via|through|over|along|onto)|send me (?:via|through|down)|"
    r"take me (?:via|through|over|down|along|across))"
)
RULES_AVOID: tuple[Rule, ...] = (
    rule(rf"{_LASTING}(?:don't|do not|never) (?:ever )?{_TAKE} {_OBJECT}", _avoid("navigation")),
    rule(rf"{_LASTING}(?:don't|do not|never) (?:ever )?(?:play|put on) (?:me )?(?:any )?{_OBJECT}", _avoid("music")),
    rule(rf"{_LASTING}(?:avoid|stay off|keep off|stay away from|steer clear of) {_OBJECT}", _avoid()),
    rule(r"no (?P<v>[\w -]{2,30}?) (?:please, )?(?:ever|for me, ever|from now on)\b", _avoid()),
    rule(r"no (?P<v>[\w -]{2,30}?) please, ever", _avoid()),
    rule(
        rf"I (?:always |usually |generally |try to |prefer to |like to |tend to ){{0,2}}(?:avoid|"
        rf"stay away from|steer clear of|stay off) {_OBJECT}",
        _avoid(habit=True),
    ),
    rule(
        r"I (?:don't|do not|never|can't) (?:ever )?(?:eat|drink|touch|have(?= (?:any )?(?:dairy|"
        r"gluten|sugar|nuts|peanuts|alcohol|caffeine|shellfish|meat|eggs|soy|"
        rf"wheat)\b)) (?:any )?{_OBJECT}",
        _avoid("food", habit=True),
    ),
    rule(rf"I (?:don't|do not|never) (?:ever )?(?:{_TAKE}|drive on) {_OBJECT}", _avoid("navigation", habit=True)),
)

TABLES = (RULES_LIMIT, RULES_AVOID)
