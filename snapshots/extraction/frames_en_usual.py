"""What the speaker is used to, in English, said by what comes back: my fourth flat white, never miss a game."""

import re
from collections.abc import Iterator

from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import OTHERS
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import phrases_en
from snapshots.extraction.rules import Builder, entries
from snapshots.extraction.values import Candidate

_ORDINAL = r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|umpteenth|nth|\d+(?:st|nd|rd|th))"
_PACK = (
    r"(?:bag|box|pack|packet|bottle|jar|case|round|tub|tin|can|carton|crate|batch|bunch|six-pack|"
    r"pair|roll|tray|loaf|pot|cup|mug|pint|bowl|plate)s?"
)
_VAGUE = re.compile(
    r"(?:one|time|times|day|thing|week|place|way|order|spot|stuff|it|them|that|this|same|usual|"
    r"meeting|email|call|delay|problem|minute|bill|"
    r"carton|bottle|box|pack|bag|jar|can|cup|mug|pint|glass|round|pair|meeting was|attempt|try|"
    r"reason|message|mistake|error|question|seat|table|room|playlist|number|floor|"
    r"grade|avenue|street|person|half|quarter|chance|world|country|party)s?",
    re.IGNORECASE,
)
_OBJ = r" (?P<v>\S.{1,60})"


def _used_to(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if OTHERS.search(clause.sentence):
        return
    things = [thing for thing in phrases_en(clause.group(match))[:3] if not _VAGUE.fullmatch(thing)]
    yield from entries(clause, "implicit", "likes", [(thing, None) for thing in things])


def _listed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "the usual, two large doners and a garlic naan"."""
    said = re.split(r",? (?:and )?(?:then|so|before|because|but)\b", clause.group(match))[0]
    parts = re.split(r", (?:and )?| and (?=an? |two |three |some )|(?<=\w) and (?=the )", said)
    things = [thing for part in parts[:3] for thing in phrases_en(part)[:1] if not _VAGUE.fullmatch(thing)]
    yield from entries(clause, "implicit", "likes", [(thing, None) for thing in things])


def _when(pattern: str, then: Builder) -> Builder:
    """Only where another word of the sentence says that it comes back."""
    sign = re.compile(pattern, re.IGNORECASE)
    return lambda clause, match: then(clause, match) if sign.search(clause.sentence) else ()


USUAL: tuple[Frame, ...] = (
    frame(
        "second third fourth fifth sixth seventh eighth ninth tenth my thats its this",
        r"\b(?:my|that's (?:my|the)|thats (?:my|the)|it's (?:my|the)|this is (?:my|the)|already on my|"
        rf"onto my|on my) (?:[a-z]+ )?{_ORDINAL} (?:{_PACK} of )?(?P<v>[a-z][\w' -]{{2,30}}?)(?= (?:and"
        r" it|this|today|since|already|in (?:a|two|three)|of the (?:day|week|month)|so far|before|"
        r"by)\b|,|$)",
        _when(
            r"\b(?:this|today|since|already|isn't even|not even|in a|of the|so far|row|before (?:noon|"
            r"lunch))\b",
            _used_to,
        ),
    ),
    frame(
        "second third fourth fifth sixth seventh eighth ninth tenth",
        rf"\b{_ORDINAL} (?:week|day|night|month|year|weekend|evening|morning|saturday|sunday|"
        r"friday)(?: (?:in a row|running|straight))? (?:at|in|on|with|to|of) (?P<v>(?!a row)[^,]"
        rf"{{3,40}})",
        _used_to,
    ),
    frame(
        "never missed miss havent skip",
        r"\bI (?:(?:never|hardly ever|rarely|wouldn'?t|would never|don'?t ever) (?:miss|skip)|"
        r"(?:haven'?t|have not|have never|'ve never) (?:missed|skipped)) (?:an? |the |my |a single |"
        r"any )?(?P<v>(?!one\b|it\b|you|him|her|them|out|a beat|the (?:bus|train|turn))[^,]{3,40})",
        _used_to,
    ),
    frame(
        "past resist walk", r"\b(?:can|could)(?:'?t| never|not)(?: ever)? (?:walk|drive|go|get) past" + _OBJ, _used_to
    ),
    frame(
        "usual same regular",
        r"\b(?:the|my|our) (?:usual|regular)(?: (?:order|thing|one|please|pls|thanks|again|playlist|"
        r"station|lunch|breakfast|dinner|takeaway|drink|show|route))?(?: (?:at|from|in) [^,]{2,25})?(?"
        r": please| pls)?[,:–-] ?(?:the |so |that's )?(?P<v>(?!please|but|and|is|thanks|I\b|how|what|"
        r"can)[a-z0-9][^.]{2,70})",
        _listed,
    ),
    frame(
        "same",
        r"\b(?:the )?same (?:as|thing as|order as|again as|like) (?:always|ever|every \w+|last time|"
        r"usual|before|yesterday|last \w+)(?: please| pls| thanks)?[,:–-] ?(?P<v>(?!please|but|and|is|"
        r"thanks|I\b|how|what|can)[a-z0-9][^.]{2,70})",
        _listed,
    ),
    frame(
        "usual regular normal table spot seat room",
        r"\b(?:my|our|the) (?:usual|regular|normal) (?:table|spot|seat|room|booth|corner|stool|pew|"
        r"pitch|slot|place|desk|bike|lane) (?:at|in|by|near|on|with)" + _OBJ,
        _used_to,
    ),
    frame(
        "like as usual always",
        r"^(?:can you |could you |please |just |and )*(?:book|get|put|order|stick|play|grab|fetch|"
        r"reserve|take|drive|add|set|turn|bring|pour|make|do|give)(?: (?:me|us|in|on|up|into|at|to|"
        r"out|down|the \w+ to))* (?P<v>(?!it\b|that\b|this\b|me\b|us\b)[^,]{3,40}?),? (?:like (?:alway"
        r"s|usual|normal|every|we always|i always)|as (?:always|usual|ever|per usual|normal)|"
        r"same as (?:always|ever|usual|every)|the usual way)\b",
        _used_to,
    ),
    frame(
        "reorder restock top more order",
        r"^(?:can you |could you |please |just |and |time to |gotta |need to )*(?:re-?order|"
        r"restock(?: on| up on)?|top up|order (?:some |us |me )?more|get (?:some |us |me )?more|"
        r"stock up on)(?: (?:the|my|our|some|more))? (?P<v>[a-z][\w' -]{2,40}?)(?=$|,| again| please|"
        r" for| before)",
        _when(
            r"\b(?:re-?order|restock|stock up|again|always|go through|get through|fly through|run out|"
            r"every|already|burn through|as usual)\b",
            _used_to,
        ),
    ),
    frame(
        "out",
        r"\b(?:(?:we|I)(?:'re|'m| are| am)?|we've|I've)? ?(?:(?:almost|nearly|already|totally|"
        r"clean) )?(?:run|running|ran)? ?out of (?P<v>(?!time|office|here|there|town|the\b|my (?:mind|"
        r"depth)|order|control|date|stock|breath|luck|battery|ideas|petrol|gas|space|memory|data|"
        r"juice|bed|reach|work)[a-z][\w' -]{2,30}?) (?:again|already|yet again)\b",
        _used_to,
    ),
    frame(
        "another",
        r"\b(?:through|finished|bought|ordered|killed|demolished|opened|on|need|worn (?:out|through)|"
        rf"read|watched|drank|ate|down to|into) (?:yet )?another (?:{_PACK} of )?(?P<v>[a-z][\w' -]"
        rf"{{2,30}}?)(?=$|,| (?:this|today|already|in|and|somebody|someone|since|so)\b)",
        _when(
            r"another \w+ of|already|again|somebody stop|someone stop|addict|this (?:week|month)|"
            r"yet another|worn",
            _used_to,
        ),
    ),
    frame(
        "ends end goes go everything",
        r"\b(?:add|put|stick|pop|chuck|get) (?P<v>[a-z][\w' -]{2,30}?) (?:on|to|in|onto) (?:the|my|"
        r"our) (?:\w+ )?(?:list|basket|cart|order|trolley),? .{0,30}?(?:everything|all the time|"
        r"every (?:day|week|night|morning|meal)|always|by the \w+|like water|get through|go through|"
        r"fly through|run out)",
        _used_to,
    ),
    frame(
        "get book give order",
        r"\b(?:get|book|give|find|call|order)(?: me| us)? (?P<v>[A-Za-z][\w'. -]{2,30}?),? (?:I|"
        r"we) (?:always |usually |only ever |end up |go |see |use |ask |get |have |been )+(?:with |"
        r"to |for |seeing |at )?(?:her|him|them|it|there|that one)\b(?: every| always|$|,)",
        _used_to,
    ),
    frame(
        "back off headed heading again",
        r"\b(?:back|off|headed|heading|going|driving|we're|I'm) (?:off |down |up |over |back |"
        r"out )*(?:to|at|in) (?P<v>(?!the (?:same|shop|office|road)|my |bed|work|school|sleep|normal|"
        r"square)[A-Za-z][\w' -]{2,30}?) again\b(?=.*\b(?:every|always|third|fourth|fifth|second|"
        r"this (?:week|month)|as usual|without fail)\b)",
        _used_to,
    ),
    frame(
        "tradition ritual fail without",
        r"(?:^|\b(?:we|I) (?:go|do|have|drive|head|are|'re|'m)(?: off)?(?: to)? )(?P<v>[A-Za-z][\w' -]"
        r"{2,30}?)(?: again)?,? every (?:\w+ )?(?:year|summer|winter|august|july|christmas|easter|"
        r"sunday|saturday|friday|weekend|morning|night|week) without fail",
        _used_to,
    ),
    frame(
        "repeat loop rotation",
        r"(?:^|\bI(?:'ve)? (?:have |had |got |been playing |been listening to )?)(?P<v>[A-Za-z0-9][\w'"
        r" -]{2,30}?)(?: has been|'s been|is|have been| been)?(?: stuck)? on (?:repeat|loop|"
        r"heavy rotation)\b",
        _used_to,
    ),
    frame(
        "pop put stick turn play bung whack get",
        r"^(?:can you |could you |please |just )*(?:pop|put|stick|turn|play|bung|whack|"
        r"get) (?P<v>[A-Za-z0-9][\w' -]{2,30}?)(?: on)?(?=$|,)",
        _when(
            r"\b(?:it'?s|they'?re|that'?s|she'?s|he'?s) (?:always|usually|forever) (?:on|playing|what I|"
            r"my)\b",
            _used_to,
        ),
    ),
    frame(
        "daily nightly weekly morning evening lunchtime post",
        r"\b(?:my|our) (?:usual |regular )?(?:daily|nightly|weekly|fortnightly|monthly|post-work|"
        r"pre-work|after-work|lunchtime|early[- ]morning|(?:mon|tues|wednes|thurs|fri|satur|"
        r"sun)day(?: (?:morning|night|evening))?) (?P<v>[a-z][\w' -]{2,25}?)(?=$|,| (?:at|with|on|in|"
        r"is|so|and|before|after|can|will|by|please|to|from)\b)",
        _when(
            r"^(?!.*\b(?:meeting|call|report|standup|stand-up|class at school|flight|appointment|shift)\b)", _used_to
        ),
    ),
    frame(
        "junkie habit problem addicted kick phase fix",
        r"\bmy (?P<v>[a-z][\w' -]{2,25}?) (?:habit|addiction|problem|obsession|fix|phase|"
        r"collection) (?:is|has|keeps|got|again|strikes|continues)|\b(?:on an?|in my) (?P<w>[a-z][\w' "
        r"-]{2,25}?) (?:kick|phase|binge|bender)\b",
        lambda c, m: [*entries(c, "implicit", "likes", [(c.group(m) or c.group(m, "w"), None)])],
    ),
    frame(
        "before after most",
        r"\bI do (?:my |our )?(?P<v>[a-z][\w' -]{2,20}?) (?:before|after|every|most|on|each) (?:work|"
        r"breakfast|school|lunch|morning|mornings|day|days|night|evening|evenings|weekend|(?:mon|tues|"
        r"wednes|thurs|fri|satur|sun)days?)\b",
        _used_to,
    ),
)
_USUAL = Frames(USUAL, cues_in=words_in)


def usual(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste that ``clause`` shows by what comes back."""
    yield from _USUAL.read(clause, momentary=True)
