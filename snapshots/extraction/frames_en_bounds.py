"""Limits in English said by what they do or when: X brings me out in hives, no calls during prayers, motorways only."""

import re
from collections.abc import Iterator

from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import POINTED, of_others
from snapshots.extraction.frames_en_limits import avoid, bounded, harmful, refused
from snapshots.extraction.limit_words_en import AMOUNT, FOR_GOOD, TELL
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import phrase_en, phrases_en
from snapshots.extraction.rules import preference
from snapshots.extraction.rules_en_limits import field_of
from snapshots.extraction.values import Candidate

_ILL = (
    r"(?:hives|(?:a |an |the )?(?:rash|migraines?|headaches?|cramps|heartburn|reflux|"
    r"stomach ?aches?|(?:asthma|panic) attacks?|eczema|welts|"
    r"swelling|palpitations|indigestion|bloating|nausea|the runs|bad stomach|upset stomach))"
)
_SUBJECT = (
    r"(?:^|, |\b(?:and|so|but|because|since) )(?P<v>(?!(?:I|it|this|that|he|she|they|you|we|which|"
    r"what|there)\b)[^,?:]{3,30}?) "
)
_WHEN = (
    r"(?P<v>(?:during|over|through(?:out)?|at|on|in|between|while|when|after|before|until|till|"
    r"past) (?:the |my |our )?(?:[\w'-]+ ){0,3}?(?:prayers?|mass|"
    r"church|mosque|meetings?|class(?:es)?|lessons?|lectures?|school run|school|pick-?up|"
    r"drop-?off|bedtime|bath ?time|nap ?time|naps?|dinner(?:time)?|"
    r"lunch(?:time)?|breakfast|service|shift|rush|rush hour|surgery|rounds|training|practice|"
    r"rehearsals?|sleep|work(?:ing)? hours|night ?shifts?|weekends?|"
    r"weekdays?|holidays?|sabbath|shabbat|ramadan|lent|iftar|(?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)days?(?: (?:mornings?|afternoons?|evenings?|"
    r"nights?))?|mornings?|evenings?|nights?|I'm (?:driving|asleep|working|on (?:shift|a call)|"
    r"in a meeting|with (?:a )?\w+)|(?:the )?(?:kids|baby|"
    r"children) (?:are|is) (?:asleep|in bed|napping|home)))"
)
_HALF = (
    r"(?:half (?:past )?|quarter (?:past|to) )(?:one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve|\d{1,2})"
)
_BIG = (
    r"(?:truck|van|lorry|rig|bus|trailer|motorhome|camper(?:van)?|caravan|car|roof ?box|boat|"
    r"vehicle|load|wagon|coach|minibus|pickup)"
)
_LENGTH = r"(?:foot|feet|ft|metres?|meters?|m\b|inches|in\b|tonnes?|tons?|t\b|kg|cm|')"
_ONCE = re.compile(
    r"\b(?:today|tonight|this (?:time|morning|afternoon|evening|trip|week|one)|right now|for now|"
    r"tomorrow)\b",
    re.IGNORECASE,
)


_ANOTHERS = re.compile(r"\b(?:my|our|the) [a-z]+'s [a-z]|\b(?:his|her|their|your) ", re.IGNORECASE)


def _harms(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not POINTED.match(match["v"]):
        yield from harmful(clause, match)


def _shunned(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not POINTED.match(match["v"]) and not _ONCE.search(clause.sentence):
        yield from avoid(clause, phrases_en(clause.group(match)))


def _needed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    value = phrase_en(clause.group(match))
    if value and not POINTED.match(match["v"]) and not _ONCE.search(clause.sentence):
        yield preference(clause, "constraint", (field_of(clause.sentence), "requirements"), "add", (value,))


def _quiet(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not _ONCE.search(clause.sentence):
        said = clause.group(match).strip(" .,")
        yield preference(clause, "constraint", (field_of(clause.sentence), "quiet_hours"), "set", said)


def _sized(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if not _ANOTHERS.search(clause.text[: match.start("v")]):
        yield preference(clause, "constraint", ("vehicle", "limit"), "set", clause.group(match).strip(" .,"))


def _private(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if FOR_GOOD.search(clause.sentence):
        yield preference(clause, "constraint", ("communication", "avoid"), "add", (clause.group(match),))


BOUNDS: tuple[Frame, ...] = (
    frame(
        "kill kills out gives give triggers trigger sets set makes make brings bring upsets upset fla"
        "res send sends wrecks",
        _SUBJECT + r"(?:always |really |just |can |could |will |would |might |tends? to |usually |literally |"
        rf"nearly |almost )*(?:kills?(?:ed)? me|(?:brings?|breaks?|makes?) me (?:out|up) in {_ILL}|"
        rf"(?:gives?|gave) me (?:awful |terrible |really bad |bad |the worst |horrible )?{_ILL}|"
        r"(?:triggers?|sets? off|flares? up|upsets?|wrecks?|plays? havoc with|messes? with|"
        r"irritates?) my \w+|makes? me (?:come out|break out|swell|wheeze|itch|puke|vomit|throw up)|"
        r"sends? me (?:straight )?to (?:hospital|a&e|the er))\b",
        _harms,
    ),
    frame(
        "get carsick seasick travel migraines hives rash queasy sick ill itchy",
        r"\bI (?:always |usually |tend to |often |sometimes )*(?:get|am|feel|come out in|break out in|"
        r"go) (?:really |so |a bit |very |awful |terrible |bad |horribly )*(?:carsick|seasick|airsick|"
        rf"travel ?sick|queasy|sick|ill|itchy|dizzy|panicky|{_ILL})(?: (?:on|from|with|in|after|"
        r"when I (?:eat|drink|have|take)|if I (?:eat|drink|have|take)|if there's|around|"
        rf"near))+ (?P<v>[a-z][\w' -]{{2,30}}?)(?=$|,| so\b| and\b)",
        _harms,
    ),
    frame(
        "warfarin statins metformin insulin meds medication diabetic pregnant",
        r"\b(?:I'm|I am|im) (?:on|taking) (?P<v>warfarin|statins|metformin|insulin|blood thinners|"
        r"antidepressants|chemo|dialysis|beta blockers|lithium|antibiotics for life)\b",
        lambda c, m: [preference(c, "constraint", ("health", "medication"), "set", c.group(m))],
    ),
    frame(
        "watch easy light hold lay limit",
        r"\b(?:so |please |always )*(?:watch|go easy on|easy on|go light on|light on|lay off|"
        r"careful with|mind) the (?P<v>[a-z][\w' -]{2,30}?)(?=$|,| please| with| for me| because| in )",
        lambda c, m: (
            _shunned(c, m)
            if re.search(r"\b(?:I'm|I am|im|my|doctor|always|blood|on \w+in)\b", c.sentence, re.I)
            else ()
        ),
    ),
    frame(
        "only",
        r"(?:, |\bso |\band |\bmeans |\bplease )(?:it's |it has to be |make it |keep it |"
        r"just )?(?P<v>(?!the\b|not\b|if\b|i\b|my\b|it\b|that\b|this\b|for\b|can\b|"
        r"could\b)[a-z][\w'-]*(?: [\w'-]+){0,2}?) only\b",
        lambda c, m: _needed(c, m) if re.search(r"\b(?:I|I'm|I've|my|we|bad|always|im)\b", c.sentence) else (),
    ),
    frame(
        "calls call meetings schedule book plan ring message disturb phone texts bookings anything no"
        "thing appointments bother",
        r"\b(?:never|no|don'?t|dont|do not|not|please don'?t|nothing|none)\b[^,]{0,12}?(?:schedul\w+|"
        r"book\w*|call\w*|ring|phone|messag\w+|disturb|bother|plan\w*|meetings?|appointments?|texts?|"
        r"notif\w+|alarms?|deliver\w+|visits?|put anything|arrange)[^,]{0,22}? " + _WHEN,
        _quiet,
    ),
    frame(
        "calls quiet silence disturb noise",
        r"(?P<v>(?:\d{1,2}(?::\d\d)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
        r"noon) ?(?:am|pm)?(?: to | ?- ?|–| till | until )(?:\d{1,2}(?::\d\d)?|one|two|three|four|"
        r"five|six|seven|eight|nine|ten|eleven|noon|midnight) ?(?:am|pm)?)\b[^.]{0,25}?(?:no (?:calls?"
        r"|visitors|noise|messages|meetings|texts|deliveries)|do not disturb|don'?t (?:call|ring|"
        r"disturb|text|message|book)|quiet|silen\w+)",
        _quiet,
    ),
    frame(
        "home back out done by bed",
        r"\b(?:have|need|has|got|gotta|want) to be (?:home|back|done|out|finished|in bed|at \w+|there|"
        rf"off) (?:by |before |at )(?P<v>{_HALF}|\d{{1,2}}(?::\d\d)? ?(?:am|pm)?)",
        lambda c, m: (
            _quiet(c, m)
            if c.lasting
            or re.search(
                r"\b(?:every|for the|because|carer|kids?|school|nursery|sitter|dog|curfew|always)\b", c.sentence, re.I
            )
            else ()
        ),
    ),
    frame(
        "sundays saturdays fridays mondays tuesdays wednesdays thursdays weekends evenings mornings",
        r"(?:^|, |\band )(?P<v>(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|weekday|evening|"
        r"morning|night)s(?: and (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)s)?) (?:are|"
        r"is) (?:strictly |always |for |my |our |the )*(?:family|off|sacred|mine|church|blocked|out|"
        r"no[- ]go|rest|a no|free|personal|me|kids?'?|football|day off|off[- ]limits|reserved)\b",
        _quiet,
    ),
    frame(
        "working work days",
        r"\bI (?:don'?t|never|can'?t|won'?t) (?:work|do|drive|travel|take (?:calls|bookings|"
        r"jobs)) (?:on )?(?P<v>(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|evening|night|"
        r"bank holiday)s)\b",
        _quiet,
    ),
    frame(
        "share tell give post send",
        r"\b(?:don'?t|never|do not|dont)(?: ever)? (?:share|give out|give|tell|post|send|pass on|"
        r"hand out|reveal|mention|sell) (?:any(?:one|body) )?(?:my |our |the )(?P<v>[\w' -]{3,30}?)(?:"
        r" (?:with|to|on|in|around|near|from)\b|,|$)",
        _private,
    ),
    frame(
        "less more under max most up over than",
        r"\b(?:no more than|less than|under|max(?:imum)?(?: of)?|at most|up to|fewer than|"
        rf"not more than|limit of|only) {AMOUNT}(?: of [\w ]{{2,20}}?)? (?:a|per|each|every|"
        r"in a) (?:day|week|month|night|shift|meal|person|head|visit|trip)\b",
        bounded,
    ),
    frame(
        "max maximum tops limit most cap",
        rf"(?<!\bin )(?<![\d.,]){AMOUNT} (?:[\w']+ ){{1,4}}(?:max(?:imum)?|tops|at (?:the )?most|"
        r"is (?:my|our|the) (?:limit|"
        r"cap|max))\b",
        bounded,
    ),
    frame(
        "high tall wide long heavy is weighs clearance",
        rf"\b(?:(?:my|the|our|this) )?{_BIG}(?:'s| is| stands| weighs| measures| needs)(?: about|"
        rf" around| over| just over)? (?P<v>\d[\d.]*(?: ?{_LENGTH})?(?: \d{{1,2}}(?: ?(?:inches|"
        r"in))?)?)(?= (?:high|tall|wide|long|heavy|clearance)|,|$)",
        lambda c, m: (
            _sized(c, m)
            if re.search(r"\d ?(?:foot|feet|ft|m|t|kg|ton|inch|cm|')", m["v"])
            or re.search(r"\b(?:high|tall|wide|long|heavy|clearance|bridge|low)\b", c.sentence, re.I)
            else ()
        ),
    ),
    frame(
        "must allowed welcome has have need",
        r"^(?P<v>(?!it|that|this|you|they|we|there)[a-z][\w' -]{2,25}?) (?:must|have to|has to|"
        r"need to|needs to|should always|always have to) (?:always )?be (?:allowed|welcome|included|"
        r"permitted|possible|available|there|in|nearby)\b",
        _needed,
    ),
    frame(
        "never",
        r"^(?:we keep [^,]{3,20} so )?(?P<v>(?!it|that|this|you|they|we|there|i\b)[a-z][\w' -]{2,25}?("
        r"?: (?:and|or) [a-z][\w' -]{2,20}?)?) (?:should |must |can |is to |are to )?never (?:go(?:es)"
        r"?|come|comes|be|gets?|appear|makes? it|enters?|touch(?:es)?|crosse?s?)\b",
        _shunned,
    ),
    frame(
        "halal kosher",
        r"\b(?:I|we) (?:only )?(?:keep|eat|do|observe|follow|stick to) (?:strictly |"
        r"strict )?(?P<v>halal|kosher)\b",
        lambda c, m: [preference(c, "constraint", ("food", "diet"), "set", c.group(m))],
    ),
    frame(
        "nothing with wheat containing",
        r"\b(?:so|and|,) (?:absolutely |strictly )?nothing (?:with|containing|that has|that contains|"
        r"made (?:with|of|from)|made out of) (?P<v>[a-z][\w' -]{2,30}?)(?: in it| in them| in)?(?=$|,)",
        _shunned,
    ),
    frame(
        "no",
        r"^no (?P<v>(?!need|idea|worries|problem|way|doubt|rush|thanks|one|more|less|longer|luck|time|"
        r"point|use|reason|chance|matter|wonder|sign|answer|signal)[a-z][\w' -]{2,30}?)(?: (?:in|on|"
        r"with|for|near|at|through) [^,]{2,20})?, (?:company|boss|insurance|wife|husband|kids?|doctor|"
        r"landlord|work|policy|law|religion|it's (?:the|my)|they (?:won'?t|don'?t)|we (?:can'?t|"
        r"don'?t))\b",
        refused(),
    ),
    frame(
        "no none",
        r"^(?:and |also )?(?:none of (?:that|this|those|the)|no bloody|no fancy|no more) (?P<v>[a-z]["
        r"\w' -]{2,30}?)(?: for me| in my \w+| on my \w+| please| ever)(?=$|,)",
        refused(),
    ),
    frame(
        "not under never anywhere below",
        rf"\b(?:{TELL}|send|take|route) me (?:under|through|over|down|along|onto|across|past|near|via|"
        rf"into|up) (?P<v>(?!anything|it|that|there)[^,]{{3,30}})",
        lambda c, m: (
            _shunned(c, m)
            if re.search(r"\b(?:never|don'?t|dont|do not|avoid|stop)\b", c.text[: m.start()], re.I)
            else ()
        ),
    ),
)
_BOUNDS = Frames(BOUNDS, cues_in=words_in)


def bounds(clause: Clause) -> Iterator[Candidate]:
    """Yield the limit that ``clause`` sets."""
    yield from _BOUNDS.read(clause, unless=[of_others])
