"""Tastes in English said without words of liking: give me X every time, X tastes like soap."""

import re
from collections.abc import Iterator

from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import ADV, ILL, POINTED, liked, of_others
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import phrase_en, phrases_en
from snapshots.extraction.rules import Builder, entries
from snapshots.extraction.values import Candidate

_OBJ = r" (?P<v>\S.{0,100})"
_SO = (
    r"(?:(?:just|really|always|totally|still|actually|absolutely|honestly|never fails to|so|quite|"
    r"seriously|literally) )*"
)
_HEAD = r"^(?P<v>(?!(?:I|it|this|that|he|she|they|you|we|which|what|who|there)\b)[^,?:]{3,45}?) "
_THEM = r"(?:it|them|that|that stuff|this stuff|'em|em|those|these|all (?:of )?(?:it|that|them))"
_GOOD = (
    r"(?:love|luv|adore|like|enjoy|live for|swear by|can'?t get enough of|cant get enough of|"
    r"could (?:eat|drink|watch|listen to)|crave|dig|"
    r"am (?:all )?(?:about|over|into)|'m (?:all )?(?:about|over|into)|(?:'m|am) (?:obsessed with|"
    r"addicted to|hooked on|mad about|keen on))"
)
_BAD = (
    r"(?:hate|despise|loathe|detest|dread|can'?t (?:stand|bear|stomach|abide|do|deal with|"
    r"be doing with)|cannot (?:stand|bear|stomach|abide)|"
    r"don'?t (?:like|enjoy|rate|get|trust|want|do)|never (?:liked|got|got on with)|(?:'m|"
    r"am) (?:not (?:a fan of|into|keen on|big on)|sick of|over|done with))"
)
_POOR = (
    r"(?:overrated|overhyped|a (?:complete |total |massive |huge )?(?:waste of (?:time|money|"
    r"space|petrol)|crime|sin|con|rip-?off|travesty|chore|"
    r"pain|nightmare|abomination|menace|no from me)|rubbish|garbage|boring|pointless|dull|vile|"
    r"gross|disgusting|horrible|awful|terrible|the worst|"
    r"the devil|hell on earth|not worth (?:it|the \w+))"
)
_FINE = (
    r"(?:underrated|unbeatable|unreal|elite|heaven|bliss|hard to beat|delicious|gorgeous|"
    r"brilliant|lovely|amazing|the dream|the best(?=$|,| thing| "
    r"ever| in the world| invention)|(?:the )?bee'?s knees|top tier|god ?tier|king|life)"
)


def _named(key: str) -> Builder:
    """A taste of what opens the clause; what only points at something is none."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not POINTED.match(match["v"]):
            yield from liked(key)(clause, match)

    return build


def _before(key: str) -> Builder:
    """A taste of what the clause before it names: "old school hip hop in the kitchen, I love that stuff"."""

    def build(clause: Clause, _: re.Match[str]) -> Iterator[Candidate]:
        topic = clause.before
        if topic is None or topic.before is not None or POINTED.match(topic.text) or _A_CLAUSE.search(topic.text):
            return
        thing = phrase_en(topic.text)
        if thing and len(thing.split()) <= _TOPIC:
            yield from entries(clause, "explicit", key, [(thing, None)])

    return build


_TOPIC = 5
"""Words of a clause that only names something."""
_A_CLAUSE = re.compile(
    r"\b(?:I|we|you|he|she|they|is|are|was|were|has|have|had|do|does|did|will|would|can|could|got|"
    r"get|gets|play|put|add|order|turn|set|show|"
    r"find|book|tell|give|make|makes|went|going|just|please|thanks|the (?:new|last|next)|"
    r"my (?:wife|husband|kids?|mum|mom|dad))\b",
    re.IGNORECASE,
)


def _listed(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """ "dislikes: cilantro, truffle oil"."""
    key = "dislikes" if re.match(r"dis|hat|not|no\b|can", match["key"], re.IGNORECASE) else "likes"
    things = [thing for part in re.split(r", ?| and | & ", clause.group(match)) for thing in phrases_en(part)[:1]]
    yield from entries(clause, "explicit", key, [(thing, None) for thing in things[:8]])


def _by_verb(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    key = (
        "dislikes"
        if re.match(r"hate|dislike|dread|can|despise|loathe|detest|struggle", match["verb"], re.IGNORECASE)
        else "likes"
    )
    yield from liked(key)(clause, match)


SAID: tuple[Frame, ...] = (
    frame(
        "likes dislikes like dislike loves hates favourites favorites faves into",
        r"^(?:my )?(?P<key>likes?|dislikes?|loves?|hates?|fav(?:ou?rite)?s?|faves?|not into|into|"
        r"can'?t stand) ?(?:list)? ?[:=] ?(?P<v>\S.{1,100})",
        _listed,
    ),
    frame(
        "bore bores annoy annoys irritate irritates scare scares terrify terrifies stress stresses fr"
        "eak freaks creep creeps gross grosses exhaust exhausts drain drains knacker irk",
        _HEAD + _SO + r"(?:bore|annoy|irritate|irk|scare|terrify|terrifie|stress|stresse|freak|creep|gross|grosse|"
        r"exhaust|drain)s? me\b",
        _named("dislikes"),
    ),
    frame(
        "drive drives make makes send sends put puts get gets",
        _HEAD + _SO + r"(?:(?:drives?|makes?|sends?) me (?:crazy|nuts|mad|insane|up the wall|round the bend|"
        r"round the twist|gag|sick|queasy|anxious|nervous|dizzy|feel (?:ill|sick|queasy|uneasy)|"
        rf"{ILL}|cringe|furious)|puts? me (?:off|on edge|in a bad mood|to sleep)|"
        r"gets? (?:on my (?:nerves|wick|goat)|right up my nose|me down))\b",
        _named("dislikes"),
    ),
    frame(
        "tastes taste smells smell",
        _HEAD + _SO + r"(?:tastes?|smells?) (?:like|of) (?:soap|cardboard|feet|dirt|mud|socks|medicine|chemicals|"
        r"sick|vomit|nothing|rubber|death|petrol|perfume|dishwater|metal)\b",
        _named("dislikes"),
    ),
    frame(
        "leaves leave does do isnt arent not miss one",
        _HEAD + _SO + r"(?:leaves? me cold|(?:does|do) nothing for me|(?:isn'?t|aren'?t|is not|are not|was never|"
        r"were never) (?:really )?(?:for me|my (?:scene|bag|idea of fun|cup of tea|kind of thing|"
        r"sort of thing))|can do one|can get in the (?:bin|sea))",
        _named("dislikes"),
    ),
    frame(
        "draw pass skip spare life keep catch touch love time patience without miss",
        r"(?:\bI (?:always |usually |tend to |'ll |'d )*(?:draw the line at|pass on|steer clear of|"
        r"could do without|can live without|have no (?:time|patience|love) for)|\bI'(?:ll|"
        r"d) (?:always |usually |rather )?(?:pass on|skip|give a miss to)|^spare me(?: the| all the| your)?|"
        r"\blife'?s too short for|\byou (?:won'?t|will never|wouldn'?t) catch me (?:\w+ing|on|in|at|"
        r"near|with)|\bI wouldn'?t (?:touch|thank you for)|\bno love (?:lost )?for)" + _OBJ,
        liked("dislikes"),
    ),
    frame(
        "into",
        rf"(?:^|\b(?:I'm|I am|we're|im|I've been|been) ){ADV}(?:big|well|dead|heavily|seriously|"
        r"properly|massively|huge|mega|right|deep|deeply) (?:into|on|for)" + _OBJ,
        liked("likes"),
    ),
    frame(
        "give",
        r"\bgive me (?P<v>(?!a\b|the|some|five|two|one|more|your|it|that)[^,]{2,40}?)(?:,)? (?:every t"
        r"ime|any day(?: of the week)?|anyday|any time|all day long|over (?:a |an |the )?\w+)",
        liked("likes"),
    ),
    frame(
        "anything something everything",
        r"^(?:anything|something|everything) (?:by|with|from|involving|set in|featuring|"
        r"made with) (?P<v>[^,?]{3,40}?)(?=$|,)",
        lambda c, m: (
            liked("likes")(c, m)
            if re.search(
                r"\band,? (?:I'm|I am|im|you've got me|count me) (?:happy|sold|in\b|there|sorted|good|yours)",
                c.sentence,
                re.I,
            )
            else ()
        ),
    ),
    frame(
        "happy sold there sorted in",
        r"^(?:(?:anything|something|everything) (?:by|with|from|involving|to do with|set in|featuring|"
        r"made with) )?(?P<v>[^,?]{3,40}?),? and (?:I'm|I am|im) (?:happy|sold|in\b|there|sorted|good|"
        r"yours|a happy \w+)",
        _named("likes"),
    ),
    frame(
        "fails does hits makes has gets wins hard takes must slaps rules rocks beat underrated",
        _HEAD + _SO + r"(?:never (?:fails?|gets? old|disappoints?)|(?:does|do) it for me|hits? the spot|(?:makes?|"
        r"made) my (?:day|week|morning|evening)|has my heart|gets? my vote|wins? every time|"
        r"takes? some beating|slaps?|can'?t be beat(?:en)?)\b",
        _named("likes"),
    ),
    frame(
        "think reckon find imo opinion book view ask",
        r"(?:\bI (?:honestly |really |personally |actually )*(?:think|reckon|find)|\bif you ask me,?|"
        r"\bin my (?:book|opinion|view),?|\bimo,?) (?:that )?(?P<v>(?!I\b|it|this|that|you|we|they|he|"
        rf"she|the \w+ (?:is|are))[^,?]{{3,40}}?)(?: (?:is|are|to be))? (?:just |so |very |really |"
        rf"totally |completely |far too |way too |too |pretty |a bit )*{_POOR}",
        _named("dislikes"),
    ),
    frame(
        "think reckon find imo opinion book view ask",
        r"(?:\bI (?:honestly |really |personally |actually )*(?:think|reckon|find)|\bif you ask me,?|"
        r"\bin my (?:book|opinion|view),?|\bimo,?) (?:that )?(?P<v>(?!I\b|it|this|that|you|we|they|he|"
        rf"she|the \w+ (?:is|are))[^,?]{{3,40}}?)(?: (?:is|are|to be)) (?:just |so |very |really |"
        rf"totally |completely |pretty )*{_FINE}",
        _named("likes"),
    ),
    frame(
        "overrated overhyped waste worth",
        _HEAD + r"(?:is|are) (?:so |way |massively |totally |completely |really |just |a bit )*(?:overrated|"
        r"overhyped|a (?:complete |total )?waste of (?:time|money))\b",
        _named("dislikes"),
    ),
    frame(
        "underrated unbeatable elite heaven bliss beat",
        _HEAD + r"(?:is|are) (?:so |way |massively |totally |completely |really |just |pure |absolute |"
        r"my idea of )*(?:underrated|unbeatable|elite|heaven|bliss|hard to beat)\b",
        _named("likes"),
    ),
    frame(
        "i",
        r"(?:\bwhat|\bthe (?:one |only )?(?:things?|food|drink|music|kind|sort|part|bit)|"
        r"\ball)(?: that)? I (?:really |absolutely |always |most |secretly )*(?P<verb>love|like|enjoy|"
        r"hate|dislike|dread|can'?t stand|crave|live for|despise|loathe|struggle with)(?: (?:most|"
        r"best|more than anything|least|the most|above all))?(?: (?:in|about|of|for|on) [^,]{2,20})? ("
        r"?:is|are|would be|has to be|have to be|will always be|has always been)" + _OBJ,
        _by_verb,
    ),
    frame(
        "more",
        r"(?:^|\b(?:I'm|I am|we're|im) )(?:definitely |always been |way |much |probably )*more (?:of )"
        r"?(?:a |an |into )?(?P<v>[\w' -]{3,30}?)(?: (?:person|guy|girl|man|woman|type))? than (?:a |"
        r"an )?[\w' -]{2,30}",
        liked("likes"),
    ),
    frame(
        "put mark count log note list down",
        r"\b(?:put|mark|count|log|note|list|file) me (?:down )?(?:as|for|in as|under) (?:an? |the |"
        r"some )?(?P<v>[\w' -]{3,30}?)(?: (?:person|guy|girl|man|woman|lover|fan|drinker|eater|type|"
        r"kind of \w+|sort of \w+))(?=[.,!]|$)",
        liked("likes"),
    ),
    frame(
        "love luv adore like enjoy live swear enough could crave dig about over into obsessed addicted hooked mad keen",
        rf"^{_HEAD[1:-1]}[,.?!–-]+ (?:and |but )?(?:(?:I|we) )?{_SO}{_GOOD} {_THEM}\b",
        _named("likes"),
    ),
    frame(
        "hate despise loathe detest dread stand bear stomach abide do deal like enjoy rate get trust "
        "want never sick over done not",
        rf"^{_HEAD[1:-1]}[,.?!–-]+ (?:and |but )?(?:(?:I|we) )?{_SO}{_BAD} {_THEM}\b",
        _named("dislikes"),
    ),
    frame(
        "love luv adore like enjoy live swear enough could crave dig about over into obsessed addicted hooked mad keen",
        rf"^(?:(?:I|we) ?){_SO}{_GOOD} {_THEM}(?=$|,| (?:so|too|more|all))",
        _before("likes"),
    ),
    frame(
        "hate despise loathe detest dread stand bear stomach abide do deal like enjoy rate get trust "
        "want never sick over done not",
        rf"^(?:(?:I|we) ?){_SO}{_BAD} {_THEM}(?=$|,| (?:so|at all|one bit))",
        _before("dislikes"),
    ),
    frame(
        "wrong no up down here there",
        r"(?:\b(?:you )?can'?t go (?:far )?wrong with|\bI(?:'d| would|'ll| will)? never (?:say no to|"
        r"turn down)|\bI'?m (?:always|forever) (?:up|down|game|here) for|\bI'?m (?:here|there) for)" + _OBJ,
        liked("likes"),
    ),
    frame(
        "favourite favorite fave fav go",
        r"\bmy (?:absolute |all-?time |current )?(?:go-?to|favou?rite|fave|fav)(?: [\w' -]{2,25}?)? (?"
        r":has to be|would be|will always be|has always been|is probably|is still|is hands down|"
        r"gotta be|has got to be)" + _OBJ,
        liked("likes"),
    ),
    frame(
        "over",
        r"^(?P<v>[\w' -]{3,30}?) over (?:a |an |the )?[\w' -]{3,30},? (?:any day|every time|always|"
        r"every day of the week|for me|all day)",
        _named("likes"),
    ),
)
_SAID = Frames(SAID, cues_in=words_in)


def said_of(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste that ``clause`` tells without a word for it."""
    yield from _SAID.read(clause, unless=[of_others])
