"""The fast lane in English: "not X, Y", "no, I meant Y", "now I like", "no longer", "change that to 23"."""

import re
from collections.abc import Iterable, Iterator

from snapshots.extraction.categories import allergen_category, category_of
from snapshots.extraction.corrections_phrases_en import KIN
from snapshots.extraction.lexicon_en import OCCUPATIONS
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import AVOID, Builder, Rule, fact, preference, rule
from snapshots.extraction.things import things_en
from snapshots.extraction.values import Candidate

_DIETS = (
    r"(?P<v>vegetarian|vegan|pescatarian|flexitarian|plant-based|halal|kosher|keto|"
    r"gluten-free|paleo|low-carb|dairy-free|"
    r"sugar-free|lactose-free)"
)
_SOME = r"[^,;.:]{1,40}?"
_REST = r"[^,;:]{1,40}?"
_END = r"(?=(?: (?:please|instead|now|then|from now on))*\W*$)"
_NUMBER = r"(?:[$€£¥]\s?)?\d[\d.,]*(?: ?(?:degrees?|°[CF]?|%|percent|euros?|dollars?|km/h|mph|minutes?|c\b))?"
_NOT_OLD = re.compile(
    r"(?:bad|really|sure|now|only|yet|at|that|again|gonna|much|too|today|tonight|necessarily|"
    r"an? (?:lot|problem|big|bad|chance)|everything|my|so|"
    r"just|quite|exactly|the (?:point|worst|best|first|only|money|time|size|price|thing|heat|distance)|you|your|"
    r"me|i\b|i'm|he|she|we|"
    r"they|it|going|to|every|everyone|even|if|when|"
    r"because|always|all|long|many|until|till|in|on|about|for|looking|being|having|feeling|"
    r"doing|what|why|how|who|this|anymore|any|"
    r"one of|ready|good|great|fun|easy|ideal|perfect|true|right|working|here|there|like|very|"
    r"super|particularly|especially)\b",
    re.IGNORECASE,
)
_NOT_NEW = re.compile(
    r"(?:thanks?|thank|later|but|and|maybe|yet|please|still|though|just|because|so|me\b|you|"
    r"i\b|i'm|i've|he|she|we|they|that|it's|it\b|"
    r"sorry|ok|okay|right|really|to be|which|who|what|is|isn't|are|was|bob|then|too|also|even|"
    r"as|or|not|my (?:friend|dear|man))\b",
    re.IGNORECASE,
)
_CORRECTING = re.compile(
    r"\W*(?:no|nope|sorry|wrong|actually|correction|oops|wait|rather|i said|not quite|"
    r"never ?mind|scratch that|forget it)\b",
    re.IGNORECASE,
)
_PLAIN_WORDS = 2
"""Words of each side of a swap without a word of correction."""
_PLAIN_TALK = re.compile(
    r"\b(?:quality|quantity|fun|day|time|work|hard|smart|easy|love|war|sure|yet|today|maybe)\b", re.I
)
_NAMED = r"(?-i:[A-Z])[\w'-]{0,30}"
_LIKE = r"(?:like|love|enjoy|prefer|adore)"
_REALLY = r"(?:(?:really|actually|much|also|absolutely) ){0,2}"


def _swap(*, marked: bool = False) -> Builder:
    """The old value and the new one, whatever they are values of; ``marked``: only after "no", "sorry", "actually"."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        old, new = clause.group(match, "old").strip(" ,."), clause.group(match, "new").strip(" ,.")
        if _NOT_OLD.match(old) or _NOT_NEW.match(new) or old.lower() == new.lower() or clause.one_off:
            return
        if not marked or _CORRECTING.match(clause.sentence):
            yield preference(clause, "change", (None, None), "replace", new, replaces=old)

    return build


def _plain_swap(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "White, not red.": with no word of correction, only where nothing else is said."""
    whole = clause.utterance.text.strip(" .!") == clause.sentence.strip(" .!")
    short = all(len(match[side].split()) <= _PLAIN_WORDS for side in ("old", "new"))
    if whole and short and not _PLAIN_TALK.search(match.group()):
        yield from _swap()(clause, match)


def _new(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    new = clause.group(match, "new").strip(" ,.")
    if new and not re.match(
        r"(?:to|that|what|it|well|no|every|you|how|something|anything|the (?:other|same)|for|" r"when)\b",
        new,
        re.IGNORECASE,
    ):
        yield preference(clause, "change", (None, None), "replace", new)


def _renamed(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    yield fact("name", clause, clause.group(match, "new"), replaces=clause.group(match, "old"))


def _reemployed(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    if match["new"].lower().split()[-1] in OCCUPATIONS:
        yield fact("occupation", clause, clause.group(match, "new"), replaces=clause.group(match, "old"))


def _moved(clause: Clause, match: re.Match[str]) -> Iterable[Candidate]:
    yield fact("city", clause, clause.group(match, "new"), replaces=clause.group(match, "old"))


def _grouped(clause: Clause, phrase: str, mode: str) -> Iterator[Candidate]:
    if clause.one_off:
        return
    for thing in things_en(phrase):
        yield preference(
            clause, "change", (category_of(thing), "likes"), "add" if mode == "add" else "remove", (thing,)
        )


def _now_liked(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    return _grouped(clause, clause.group(match), "add")


def _unliked(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    return _grouped(clause, clause.group(match), "remove")


def _not_consumed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield from _grouped(clause, clause.group(match), "remove")
    for thing in things_en(clause.group(match)):
        yield preference(clause, "constraint", ("food", AVOID), "add", (thing,))


def _turned(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    olds, news = things_en(clause.group(match, "old")), things_en(clause.group(match, "new"))
    if len(olds) == len(news) == 1:
        yield preference(clause, "change", (category_of(news[0]), "likes"), "replace", news[0], replaces=olds[0])


def _diet_over(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "change", ("food", "diet"), "remove", (clause.group(match),))


def _allergy_over(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    for thing in things_en(clause.group(match)):
        yield preference(clause, "change", (allergen_category(thing), "allergies"), "remove", (thing,))


def _allergy_swapped(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    olds, news = things_en(clause.group(match, "old")), things_en(clause.group(match, "new"))
    if len(olds) == len(news) == 1:
        place = (allergen_category(news[0]), "allergies")
        yield preference(clause, "change", place, "replace", news[0], replaces=olds[0])


def _denied_allergy(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if _CORRECTING.match(clause.sentence):
        yield from _allergy_over(clause, match)


def _road_open_after_all(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if _CORRECTING.match(clause.sentence) and not clause.one_off:
        yield from _road_open(clause, match)


def _road_open(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    yield preference(clause, "change", ("navigation", AVOID), "remove", (clause.group(match),))


WHOLE: tuple[Rule, ...] = (
    rule(
        rf"(?:no,? |actually,? |sorry,? )*(?:I'm|I am) not (?:the one )?allergic to (?P<v>{_SOME})[,;.]? (?:that|it)"
        rf"(?:'s| is| was)(?: actually| really)? (?:my|our) (?:\w+ )?{KIN}{_END}",
        _allergy_over,
    ),
    rule(
        rf"(?:I'm|I am) not allergic to (?P<old>{_SOME}),? (?:but |only )?(?:it's|it is|(?:I'm|I am) allergic"
        rf"(?: to)?|to) (?P<new>{_REST}){_END}",
        _allergy_swapped,
    ),
    rule(
        rf"my name(?: isn't| is not|'s not|'s) (?:not )?(?P<old>{_NAMED}),? (?:it's|but|my name is|"
        rf"it is) (?P<new>{_NAMED})",
        _renamed,
    ),
    rule(
        r"(?:I'm|I am) not an? (?P<old>[\w -]{2,30}?),? (?:but )?(?:I'm |"
        r"I am )?an? (?P<new>[\w -]{2,30}?)\W*$",
        _reemployed,
    ),
    rule(
        rf"(?:I moved,? )?(?:I|we) (?:don't|do not|no longer) live in (?P<old>{_NAMED})(?: any ?mor"
        rf"e| any longer)?,? (?:and )?(?:but )?(?:now )?(?:I|we)(?: now)? live in (?P<new>{_NAMED})",
        _moved,
    ),
    rule(
        r"(?:I|we)(?:'ve| have)? (?:just |recently |"
        rf"finally )?moved (?:house )?from (?P<old>{_NAMED}) to (?P<new>{_NAMED})",
        _moved,
    ),
    rule(
        rf"I used to (?:really )?{_LIKE} (?P<old>{_SOME}),? (?:but |and )?(?:now|these days|"
        rf"nowadays),? (?:I )?(?:now )?{_REALLY}{_LIKE} (?P<new>{_REST})\W*$",
        _turned,
    ),
    rule(
        r"(?:I'd |please |let's )?(?:switch|change)(?: it|"
        rf" me)?(?: over)? from (?P<old>{_SOME}) to (?P<new>{_REST}){_END}",
        _swap(),
    ),
    rule(rf"(?:please )?replace (?P<old>{_SOME}) (?:with|by) (?P<new>{_REST}){_END}", _swap()),
    rule(
        r"(?:no,? |please )?(?:change|set|switch|update) (?:that|it|this) (?:back )?(?:to|"
        rf"into) (?P<new>{_REST}){_END}",
        _new,
    ),
    rule(rf"(?:make|set) (?:it|that) (?:to |at )?(?P<new>{_NUMBER}){_END}", _new),
    rule(
        rf"I (?:said|meant|asked for|wanted|ordered|mean) (?P<new>{_SOME}),? (?:and )?not (?P<old>" rf"{_REST}){_END}",
        _swap(),
    ),
    rule(
        rf"(?:it's|it is|that's|it was|should be|it should be) (?P<new>{_SOME}),? (?:and )?not "
        rf"(?P<old>{_REST}){_END}",
        _swap(marked=True),
    ),
    rule(
        rf"(?:it's|it is|that's|it was) not (?P<old>{_SOME}),? (?:but|it's|it is|" rf"that's) (?P<new>{_REST}){_END}",
        _swap(),
    ),
    rule(rf"I meant (?P<new>{_REST}){_END}", _new),
    rule(rf"not (?P<old>{_SOME}),? ?(?:but|rather|,) ?(?P<new>{_REST}){_END}", _swap()),
    rule(rf"(?:wrong:? )?(?P<new>{_SOME}),? not (?P<old>{_REST}){_END}", _swap(marked=True)),
    rule(rf"(?P<new>{_SOME}), not (?P<old>{_REST}){_END}", _plain_swap),
)
_OVER = r"(?: any ?more| any longer)"
_OBJECT = r"(?P<v>\S.{0,100})$"
CLAUSES: tuple[Rule, ...] = (
    rule(rf"(?:now|these days|nowadays|lately),? I(?:'m)? {_REALLY}{_LIKE} {_OBJECT}", _now_liked),
    rule(rf"I now {_REALLY}{_LIKE} {_OBJECT}", _now_liked),
    rule(rf"I {_REALLY}(?:no longer) {_LIKE} {_OBJECT}", _unliked),
    rule(rf"I (?:don't|do not|dont) {_REALLY}{_LIKE} (?P<v>\S.{{0,60}}?){_OVER}", _unliked),
    rule(r"I no longer (?:eat|drink) (?P<v>\S.{0,60})$", _not_consumed),
    rule(rf"I (?:don't|do not) (?:eat|drink) (?P<v>\S.{{0,60}}?){_OVER}", _not_consumed),
    rule(rf"(?:I'm|I am) (?:no longer|not) (?:an? )?{_DIETS}\b", _diet_over),
    rule(r"(?:I'm|I am) (?:no longer allergic to (?P<v>\S.{0,40})$)", _allergy_over),
    rule(rf"(?:I'm|I am) not allergic to (?P<v>\S.{{0,40}}?){_OVER}", _allergy_over),
    rule(r"(?:I'm|I am) not allergic to (?P<v>\S.{0,40})$", _denied_allergy),
    rule(
        r"(?:you can|it's (?:ok|okay|fine) to|feel free to) (?:take|"
        r"use) (?P<v>(?:the )?[\w' -]{3,40}?) (?:again|now)\b",
        _road_open,
    ),
    rule(
        r"(?:you can|it's (?:ok|okay|fine) to|feel free to) (?:take|use) (?P<v>(?:the )?[\w' -]{3,40}?)"
        r"(?: after all)?\W*$",
        _road_open_after_all,
    ),
)
