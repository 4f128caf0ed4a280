"""What the subject likes, in English: likes, dislikes, favourites, diet, allergies, habits, style of answer."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, allergen_category, category_of, known_category
from snapshots.extraction.lexicon_en import SPELLINGS, THINGS
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, Rule, entries, preference, rule
from snapshots.extraction.things import things_en, without_rival_en, without_tail_en
from snapshots.extraction.values import Candidate, Sort

_REALLY = (
    r"(?:(?:really|also|absolutely|just|always|still|truly|do|particularly|especially|totally|"
    r"generally|usually|quite) ){0,3}"
)
_OBJECT = r"(?P<v>\S.{0,160})$"
_DEGREES = r"(?P<v>\d{2}(?:\.\d)?(?: ?(?:degrees?(?: (?:celsius|c))?|°[CF]?|℃|c\b|celsius))?)"
DIETS = (
    r"(?P<v>vegetarian|vegan|pescatarian|flexitarian|plant-based|halal|kosher|keto|"
    r"gluten-free|paleo|low-carb|dairy-free|"
    r"sugar-free|lactose-free)"
)
_NO_DIET_TAIL = r"(?! (?:food|restaurants?|options?|place|dish|dishes|friend|recipe|recipes|leather|shoes|menu|burger))"
_THING = r"(?P<thing>[a-z]+(?: [a-z]+)?)"
_LIVING_HABIT = re.compile(
    r"(?:a )?(?:shower|bath|break|nap|walk|look|lot|while|long|few|my (?:time|medication|" r"pills))\b", re.I
)
_TONES = (
    r"formal|informal|casual|friendly|polite|professional|humorous|funny|direct|blunt|serious|"
    r"warm|technical|playful|encouraging"
)
_LENGTHS = r"short|shorter|brief|concise|long|longer|detailed|to the point|succinct|terse|thorough"
_LANGUAGES = (
    r"(?P<v>english|german|french|spanish|italian|portuguese|dutch|chinese|mandarin|cantonese|"
    r"japanese|korean|russian|arabic|hindi|"
    r"turkish|polish|swedish|danish|greek|hebrew|thai|vietnamese|(?:british|american|plain|"
    r"simple) english|simplified chinese|"
    r"traditional chinese)"
)


def _liked(key: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not clause.one_off:
            things = things_en(clause.group(match))
            yield from entries(clause, "explicit", key, [(thing, None) for thing in things])

    return build


def _preferred(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not clause.one_off:
        things = things_en(without_rival_en(clause.group(match)))
        yield from entries(clause, "explicit", "likes", [(thing, None) for thing in things])


def _habit(hint: str | None) -> Builder:
    """A habit shows a liking without saying so. Only things of a known category: habits of life are no taste."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        phrase = without_tail_en(clause.group(match))
        if clause.one_off or _LIVING_HABIT.match(phrase):
            return
        things = things_en(phrase) or ([phrase] if re.match(r"the [a-z ]{2,30}$", phrase, re.I) else [])
        known = [(thing, hint) for thing in things if hint or known_category(thing)]
        yield from entries(clause, "implicit", "likes", known)

    return build


def _favourite(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    thing = SPELLINGS.get(match["thing"].lower(), match["thing"].lower())
    values = things_en(clause.group(match)) if not clause.one_off else []
    if not values or thing in {"thing", "part", "one", "ones", "things", "memory", "moment", "time"}:
        return
    category = THINGS.get(thing) or THINGS.get(thing.split()[-1]) or _category(thing, values[0])
    value = values[0] if len(values) == 1 else tuple(values)
    yield preference(clause, "explicit", (category, f"favourite_{thing.replace(' ', '_')}"), "set", value)


def _category(thing: str, value: str) -> str:
    return known_category(thing) or (GENERAL if thing == "colour" else category_of(value))


def _diet(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "explicit", ("food", "diet"), "set", clause.group(match))


def _allergic(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    by_category: dict[str, list[str]] = {}
    for thing in things_en(clause.group(match)):
        by_category.setdefault(allergen_category(thing), []).append(thing)
    for category, names in by_category.items():
        yield preference(clause, "constraint", (category, "allergies"), "add", tuple(names))


def _temperature(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A setting asked for once is a habit seen; one asked for from now on, or called liked, is a statement."""
    if clause.one_off:
        return
    liked = re.match(r"I\b", clause.text)
    sort: Sort = "explicit" if liked else "constraint" if clause.lasting else "implicit"
    yield preference(clause, sort, ("climate", "temperature"), "set", clause.group(match))


def _style(key: str) -> Builder:
    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not clause.one_off:
            yield preference(clause, "explicit", ("answer", key), "set", clause.group(match))

    return build


def _flag(clause: Clause, key: str) -> Iterator[Candidate]:
    if not clause.one_off:
        yield preference(clause, "constraint", ("answer", key), "set", True)


def _person(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "A tea person" likes tea; "a morning person" likes nothing in particular."""
    if known_category(match["v"]):
        yield from entries(clause, "explicit", "likes", [(clause.group(match), None)])


_ANSWER = r"(?:your |the |all )?(?:answers?|repl(?:y|ies)|responses?|messages?|explanations?)"
_ALWAYS = r"(?:(?:always|please|from now on,?|in future,?|only) ){0,2}"
RULES_STYLE: tuple[Rule, ...] = (
    rule(
        rf"{_ALWAYS}(?:keep|make|give me) (?:{_ANSWER}|it|things) (?:more |very |" rf"as )?(?P<v>{_LENGTHS})\b",
        _style("length"),
    ),
    rule(
        rf"{_ALWAYS}(?:give me|I (?:prefer|like|want)) (?:more )?(?P<v>{_LENGTHS}) (?:answers|"
        r"replies|responses|explanations)\b",
        _style("length"),
    ),
    rule(
        rf"{_ALWAYS}(?:be|answer|reply|respond) (?:more )?(?P<v>{_LENGTHS}|briefly|concisely|"
        r"in (?:one|two) sentences?)(?=\W*$| (?:with|in|when|from|please|thanks)\b)",
        _style("length"),
    ),
    rule(
        rf"{_ALWAYS}(?:reply|answer|respond|speak|talk|" rf"write)(?: to me)? (?:only )?in {_LANGUAGES}\b",
        _style("language"),
    ),
    rule(
        r"(?:I prefer|set) (?:(?:your|the|my) )?(?:answers|replies|language)(?: to be)? (?:in|" rf"to) {_LANGUAGES}\b",
        _style("language"),
    ),
    rule(
        rf"{_ALWAYS}(?:be|keep it|sound|use a|talk in a|I'd (?:rather|like|"
        r"prefer) (?:it if )?you (?:to )?(?:be|were)) (?:a bit |a little )?(?:more |"
        rf"less )?(?P<v>{_TONES})(?: tone)?\b",
        _style("tone"),
    ),
    rule(rf"{_ALWAYS}(?:keep|make) {_ANSWER} (?:more )?(?P<v>{_TONES})\b", _style("tone")),
)
RULES_MANNERS: tuple[Rule, ...] = (
    rule(
        rf"{_ALWAYS}(?:don't|do not|never|stop) (?:use|using|send|sending|write|writing) (?:any |" r"me )?emojis?\b",
        lambda c, _: _flag(c, "avoid_emoji"),
    ),
    rule(rf"{_ALWAYS}use (?P<v>metric|imperial) units\b", _style("units")),
)
RULES_FAVOURITE: tuple[Rule, ...] = (
    rule(
        r"(?:my |our |the )?(?:all-time |absolute |number one )?(?:fav(?:ou?rite|"
        rf"e)?) {_THING}(?: of all time| ever| in town| around here| here| these days| at the moment)?(?: is|'s| "
        rf"are| has always been| has to be|"
        rf":) {_OBJECT}",
        _favourite,
    ),
    rule(rf"(?P<v>[\w' -]{{2,40}}?) (?:is|are) my (?:all-time |absolute )?fav(?:ou?rite|e) {_THING}\b", _favourite),
)
RULES_DIET: tuple[Rule, ...] = (
    rule(
        r"(?:I'm|I am|we're|we are|I've (?:always )?been|I (?:became|went|turned|have gone)|"
        r"I eat) (?:a |an )?(?:strict |strictly |"
        rf"mostly |fully |now |also )?{DIETS}\b{_NO_DIET_TAIL}",
        _diet,
    ),
    rule(rf"I(?:'m on| follow| keep| stick to|'m doing) (?:a |an )?(?:strict )?{DIETS}(?: diet)?\b", _diet),
    rule(rf"(?:I'm|I am|we're) (?:also |very |severely |highly |deathly )?allergic to {_OBJECT}", _allergic),
    rule(
        r"I(?:'ve got| have| suffer from) (?:a |an )?(?:severe |bad |serious |mild |"
        r"strong )?(?P<v>[a-z]+(?: [a-z]+)?) allerg(?:y|ies)\b",
        _allergic,
    ),
    rule(r"I(?:'m| am) (?P<v>lactose|gluten|fructose)[ -]intolerant", _allergic),
    rule(
        r"I have (?:celiac|coeliac)(?P<v>)",
        lambda c, m: [preference(c, "constraint", ("food", "allergies"), "add", ("gluten",))],
    ),
)
RULES_CLIMATE: tuple[Rule, ...] = (
    rule(
        rf"I {_REALLY}(?:like|prefer|want|keep|love) (?:it|the (?:ac|cabin|car|room|temperature|"
        rf"heating|house|thermostat|air ?con))(?: set)? (?:at|to(?: be)?|around) {_DEGREES}",
        _temperature,
    ),
    rule(
        r"(?:from now on,? )?(?:please )?(?:always )?(?:set|keep|turn|put) (?:the |my )?(?:ac|a/c|"
        r"air ?con(?:ditioning|ditioner)?|temperature|heating|heater|cabin|thermostat|"
        rf"climate)(?: temperature)? (?:at|to|on) {_DEGREES}",
        _temperature,
    ),
    rule(rf"(?:ac|a/c|air ?con|heating|thermostat) (?:at|to|on) {_DEGREES}", _temperature),
    rule(
        r"(?:from now on,? )?(?:please )?(?:always )?keep it (?:at|"
        r"around) (?P<v>\d{2}(?:\.\d)? ?(?:degrees|°[CF]?))",
        _temperature,
    ),
)
RULES_LIKES: tuple[Rule, ...] = (
    rule(
        rf"I {_REALLY}(?:don't|do not|dont|never|can't|cannot|didn't ever) (?:really |"
        rf"particularly |even |actually |usually |normally |generally |typically )?"
        rf"(?:like|enjoy|love|stand|bear|care for|fancy) {_OBJECT}",
        _liked("dislikes"),
    ),
    rule(
        rf"(?:I {_REALLY})?(?:hate|dislike|detest|despise|loathe|can't stand|cannot stand) {_OBJECT}",
        _liked("dislikes"),
    ),
    rule(
        rf"(?:(?:really |definitely )?not|never been) (?:much of )?(?:a |an )?(?:big |huge )?(?:fan of|into|keen "
        rf"on) {_OBJECT}",
        _liked("dislikes"),
    ),
    rule(rf"(?:big|huge|massive|lifelong|total) (?:fan of|sucker for) {_OBJECT}", _liked("likes")),
    rule(r"(?P<v>[\w' -]{2,40}?),? (?:please,? )?(?:that's|is|are) my default\b", _liked("likes")),
    rule(
        r"I(?:'m| am) (?:really |just )?(?:not|no) (?:really |exactly |too |very |that |"
        r"much of )?(?:a |an )?(?:big |huge |great )?(?:fan of|into|keen on|fond of|"
        rf"crazy about) {_OBJECT}",
        _liked("dislikes"),
    ),
    rule(rf"I {_REALLY}prefer (?:to (?=[a-z]+ )(?!(?:be|see|hear|know|have|get|think|say)\b))?{_OBJECT}", _preferred),
    rule(
        rf"I {_REALLY}(?:like(?! (?:i|you|he|she|we|they) )|love|enjoy|adore|"
        rf"fancy) (?:to (?=[a-z]+ )(?!(?:be|see|hear|know|have|get|think|say)\b))?{_OBJECT}",
        _liked("likes"),
    ),
    rule(
        r"I(?:'m| am) (?:really |such |just )?(?:a |an )?(?:big |huge |great |massive )?(?:fan of|"
        rf"fond of|crazy about|obsessed with|a sucker for) {_OBJECT}",
        _liked("likes"),
    ),
    rule(
        r"I(?:'m| am) (?:more of |definitely |very much )?an? (?P<v>[a-z]+) (?:person|lover|"
        r"addict|fan|enthusiast|girl|guy)\b",
        _person,
    ),
    rule(
        r"I could (?:eat|drink|listen to|watch) (?P<v>[^,]{2,40}?) (?:every day|all day|forever|"
        r"every night|for ever|non-?stop)\b",
        _liked("likes"),
    ),
    rule(
        r"I (?:always |usually )?(?:take|drink|have) (?P<v>my (?:coffee|tea|steak|eggs|whisky|"
        r"toast|latte) [a-z][^,]{2,30})$",
        _liked("likes"),
    ),
    rule(
        r"(?P<v>[\w' -]{2,40}?) (?:isn't|is not|aren't|are not|is|are)(?: really|"
        r" quite)? (?:not )?(?:really )?my (?:thing|cup of tea|"
        r"jam)\b(?<!is my thing)(?<!are my thing)",
        _liked("dislikes"),
    ),
    rule(rf"what I (?:really )?(?:like|love|enjoy)(?: the)? (?:most|best) is {_OBJECT}", _liked("likes")),
    rule(r"(?P<v>[\w' -]{2,40}?) (?:is|are) (?:more )?my (?:thing|jam|cup of tea)\b", _liked("likes")),
)
_USUALLY = r"(?:usually|normally|typically|generally|mostly|always|often|tend to|almost always)"
_EVERY = r"(?:every (?:morning|day|evening|night|week|weekend),? )"
RULES_HABIT: tuple[Rule, ...] = (
    rule(rf"(?:I {_USUALLY}|{_EVERY}I) (?:drink|eat|order|have|cook) {_OBJECT}", _habit("food")),
    rule(rf"(?:I {_USUALLY}|{_EVERY}I) (?:listen to|put on|play) {_OBJECT}", _habit(None)),
    rule(rf"(?:I {_USUALLY}|{_EVERY}I) (?:watch|read) {_OBJECT}", _habit("entertainment")),
    rule(rf"(?:I {_USUALLY}) (?:fly|stay|travel)(?: with| at| in| by)? {_OBJECT}", _habit("travel")),
    rule(rf"(?:I {_USUALLY}|{_EVERY}I) (?:take|drive|use) {_OBJECT}", _habit(None)),
)

TABLES = (
    (
        *RULES_STYLE,
        *RULES_MANNERS,
        *RULES_FAVOURITE,
        *RULES_DIET,
        *RULES_CLIMATE,
        *RULES_LIKES,
        *RULES_HABIT,
    ),
)
"""One table: a clause that sets the temperature or names a favourite says no second liking by the same words."""
