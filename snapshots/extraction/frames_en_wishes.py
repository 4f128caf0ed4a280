"""What the speaker needs and wants for good, in English: frames of requirements and of standing wishes."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import known_category
from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import of_others
from snapshots.extraction.limit_words_en import FOR_GOOD
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import phrase_en
from snapshots.extraction.rules import preference
from snapshots.extraction.rules_en_limits import field_of
from snapshots.extraction.values import Candidate

OBJ = r"(?P<v>\S.{0,100})"
_ITEMS = (
    r"(?:hotels?|hostels?|rooms?|restaurants?|places?|flights?|seats?|cars?|flats?|apartments?|airbnbs?|it|food|"
    r"meals?|everything|anything|any (?:\w+ )?\w+|whatever|snacks?|recipes?|meat|trips?|routes?|stuff|all (?:my |"
    r"our |the )?\w+|beds?|gifts?|toys?|shoes|clothes|dinners?|lunch(?:es)?)"
)


def _required(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    value = phrase_en(clause.group(match))
    if value:
        field = known_category(value) or field_of(clause.sentence)
        yield preference(clause, "constraint", (field, "requirements"), "add", (value,))


def _wished(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A wish for good: "always give me directions in miles"."""
    value = phrase_en(clause.group(match))
    if value:
        field = known_category(value) or field_of(clause.sentence)
        yield preference(clause, "explicit", (field, "wishes"), "add", (value,))


NEEDS: tuple[Frame, ...] = (
    frame(
        "free",
        r"\b(?P<v>(?:gluten|dairy|nut|sugar|lactose|egg|meat|peanut|alcohol|caffeine|soy|fragrance|scent|smoke|"
        r"step|pet)[- ]free)\b(?! (?:parking|trial|shipping))",
        lambda c, m: (
            _required(c, m)
            if re.search(
                r"\b(?:always|only|must|has to|have to|needs? to|I'm|I eat|for me|strictly|need|everything|every)\b",
                c.sentence,
                re.I,
            )
            else ()
        ),
    ),
    frame(
        "must has have needs need should always better requires require",
        rf"\b{_ITEMS}(?: (?:\w+ ){{0,4}}?)?(?:must|has to|have to|needs? to|should always|always has to|better|"
        r"gotta|got to)(?: always)? (?:be|have|come with|allow|include|offer|take|fit|accept) (?!fun|nice|here|"
        rf"there|like|said|done|a joke|in the|going)(?:an? )?{OBJ}",
        _required,
    ),
    frame(
        "need require needs",
        r"(?:^|\b(?:I|we)(?: always| really| only| also| will always|'ll always)* )(?:need|require)s? (?!to (?!be "
        r"|have |stay )|you|help|it\b|that|this|more|some|a (?:minute|sec|break|moment|table|favor|hand|ride|lift|"
        r"recipe|new|drink|coffee|nap|place to|plumber|quick|plan)|advice|ideas|directions|another|info|the "
        rf"(?:address|number|name)|two|tickets)(?:an? |the |at least |to (?:be|have|stay) )?{OBJ}",
        lambda c, m: (
            _required(c, m)
            if re.search(
                r"\b(?:always|every|whenever|because|since|for my|I'm|I have|I've|disab\w+|wheelchair|bad|medical|"
                r"allerg\w+|only|at least|otherwise|or else|doctor|any)\b",
                c.sentence,
                re.I,
            )
            else ()
        ),
    ),
    frame(
        "sure make",
        r"^(?:please |always |just )*make sure (?:that |you |it |they |there's |there is |any \w+ |the \w+ |we |I |"
        r"everything |whatever ){0,3}(?:book |is |are |has |have |always )?" + OBJ,
        lambda c, m: (
            _required(c, m)
            if c.lasting or re.search(r"\b(?:any|every|whenever|anything|everything)\b", c.sentence, re.I)
            else ()
        ),
    ),
    frame(
        "only just",
        r"(?:\b(?:I|we)(?:'m| am| can|'ll| will)? (?:can |will |strictly |really |mostly )?only (?:ever )?(?:eat|"
        r"drink|do|wear|buy|use|take|fly|stay (?:in|at)|go to|shop at|watch|listen to|read|travel|drive|trust|"
        r"want|accept|book|sit|sleep)|^(?:please |pls |always |strictly )*only (?:book|play|show|suggest|"
        r"recommend|get|order|buy|use|pick|choose|send|give me|do|stay|find)?(?: me)?) (?:at |in |on |with |by "
        r")?(?!have\b|if\b|a (?:few|little|couple)\b|kidding|joking|just|the other|one\b|got\b|\d|five|ten|two|"
        rf"three){OBJ}",
        _required,
    ),
    frame(
        "only",
        r"^(?P<v>(?!the\b|not\b|if\b|i\b|my\b|and\b|it\b|that\b|this\b|for\b|it's\b)[a-z][\w' -]{2,40}?) only(?:,? "
        r"(?:please|pls|thanks|for (?:me|us)|in))?(?=$|,| [-–])",
        lambda c, m: () if re.search(r"\b(?:text|time|order|trip)\b", m["v"]) else _required(c, m),
    ),
)
WISHES: tuple[Frame, ...] = (
    frame(
        "always default permanently whenever every forward future",
        rf"^(?:please |pls |from now on |so |and |also |hey |by default,? )*(?:always|whenever [^,]{{3,40}},?|"
        rf"every time [^,]{{3,40}},?|from now on,?|by default,?|going forward,?) (?:please |just |I want you to |"
        r"you should |can you )*(?:give|show|tell|read|play|put|set|use|send|make|keep|book|order|pick|choose|"
        r"turn|route|take|get|remind|call|speak|answer|reply|address|warn|ask|check|start|leave|text|add|include|"
        rf"find|talk|open|switch)(?: me| us| it)?(?: on| to me)? (?:to |with |in |via |by |at |as )?{OBJ}",
        _wished,
    ),
    frame(
        "me my want prefer like",
        r"^(?:please |pls |hey |so )*(?:(?:show|give|read|send|tell|speak to|talk to|address|text) me "
        r"(?:everything |all \w+ |prices? |directions? |the \w+ |my \w+ |things |it )?(?:in|as|using|via|with)|"
        r"(?:put|list|note|mark|register) me (?:down )?(?:as|under|for)|set (?:my |the )?default [\w ]{2,20}? "
        r"(?:to|as)|keep (?:it|things|the \w+|my \w+) (?:at|in|on|to)|use (?:the |my )?) ?" + OBJ,
        lambda c, m: (
            _wished(c, m) if FOR_GOOD.search(c.sentence) or "default" in m.group() or "down" in m.group() else ()
        ),
    ),
    frame(
        "want",
        r"\b(?:I|we) (?:always |only |just )*want (?:you to |my |the |all |your )" + OBJ,
        lambda c, m: _wished(c, m) if c.lasting or re.search(r"\bevery\b", c.sentence, re.I) else (),
    ),
)


_NEEDS = Frames(NEEDS, cues_in=words_in)
_WISHES = Frames(WISHES, cues_in=words_in)


def needs(clause: Clause) -> Iterator[Candidate]:
    """Yield what ``clause`` says that the speaker must have."""
    yield from _NEEDS.read(clause, unless=[of_others])


def wishes(clause: Clause) -> Iterator[Candidate]:
    """Yield the standing wish that ``clause`` utters."""
    yield from _WISHES.read(clause, unless=[of_others])
