"""What the speaker likes and shuns, in English: frames of taste, and what tells a habit from a doing."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import GENERAL, known_category
from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import is_amount, phrase_en, phrases_en
from snapshots.extraction.rules import Builder, entries, preference
from snapshots.extraction.values import Candidate, Sort

ADV = (
    r"(?:(?:really|absolutely|totally|definitely|genuinely|honestly|literally|truly|actually|seriously|secretly|"
    r"personally|particularly|especially|massively|strongly|massively|lowkey|kinda|kind of|sort of|pretty much|"
    r"mostly|mainly|generally|usually|normally|typically|always|still|also|just|only|do|so|such|very|super|quite|much|"
    r"far|way|more of|both|all|now|currently|have|been|never not|too|totes|basically|weirdly|a bit|a little|a total|a "
    r"complete|a huge|a big|a massive|a real|a proper|a lifelong|quietly|deeply|completely) )*"
)
ME = r"(?:^|\b(?:I|we)(?:'?(?:m|ve|re))? (?:am )?|\b(?:im|ive) )"
MED = r"(?:^|\b(?:I|we)(?:'?(?:m|ve|re|d|ll))? (?:would |will |am )?|\b(?:im|ive|id) )"
NOT = r"(?:don'?t|do not|can'?t|cannot|can not|never|won'?t|couldn'?t|could not|didn'?t)"
OBJ = r" (?P<v>\S.{0,120})"
_FOR_NOW = re.compile(
    r"\b(?:like|love|need|want) (?:to (?:know|see|hear|book|order|buy|go|be|get|have|ask|return|cancel|change|make|"
    r"talk|"
    r"speak|check|find|think|say|thank|take|point|imagine)|it|that|this)\b|\b(?:sure|yeah right|of course|exactly "
    r"what),? I\b"
    r"|\b(?:just|so) LOVE\b|\blove how\b",
)


def liked(key: str, sort: Sort = "explicit") -> Builder:
    """Return the builder of a taste: every thing of the list that the slot ``v`` holds goes to ``key``."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if _FOR_NOW.search(clause.text[match.start() :]):
            return
        said = clause.group(match)
        things = [thing for thing in map(_undone, phrases_en(said)) if not is_amount(thing)]
        if things and not (_SPECIFIC.match(said) and not known_category(things[0])):
            yield from entries(clause, sort, key, [(thing, None) for thing in things])

    return build


_SPECIFIC = re.compile(
    r"(?:the|this|these|that|those|your|his|her|their) (?-i:[a-z])|to (?!(?:eat|drink|play|watch|read|listen|cook|"
    r"bake|run|swim|hike|travel|drive|walk|cycle|ski|dance|sing|draw|paint|knit|fish|camp|sleep)\b)|it\b|being |"
    r"having ",
    re.IGNORECASE,
)
"""What points at one thing of the talk ("the plan", "that song") is no taste unless its kind is known."""
_DOING = re.compile(
    r"^(?:to )?(?:eat|eating|drink|drinking|hav(?:e|ing)|listen to|listening to|watch|watching|tak(?:e|ing)|us(?:e|"
    r"ing)|"
    r"wear|wearing|order|ordering|order in|play|playing|buy|buying|get|getting|go(?:ing)? for|stay(?:ing)? in|"
    r"sit(?:ting)? (?:in|by|on|at)|"
    r"go(?:ing)? (?:to|by|via|with)|keep(?:ing)? (?:it|things)) (?=\w{3})",
    re.IGNORECASE,
)


def _undone(thing: str) -> str:
    """ "Taking the train" is the train: what is done with a thing is left out."""
    bare = _DOING.sub("", thing)
    return phrase_en(bare) or thing if bare != thing else thing


_HABIT_WORD = (
    r"usual(?:ly)?|normally|generally|typically|mostly|always|as (?:ever|per usual)|without fail|religiously|"
    r"regularly|"
    r"often|routinely|tend to|inevitably|invariably|basically|more often than not|9 times|nine (?:times )?out of|"
    r"(?:every|each) (?:single |other |long |damn |bloody )?(?:time|day|morning|lunch\w*|evening|night|weekend|week|"
    r"weekday|month|summer|winter|year|trip|shift|\w+day|school run|commute|flight|payday)|"
    r"(?:most|these|all my|my) (?:mornings|nights|days|evenings|weekends|weeks|lunches|times|\w+days)|"
    r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)) (?:\w+ ){0,5}?(?:this|in a|"
    r"of the|time|running|straight)|"
    r"keep (?:on )?\w+ing|kept \w+ing|keeps \w+ing|go-?to|end(?:s|ed)? up|on (?:repeat|loop)|whenever|anytime|any "
    r"time|"
    r"(?:once|twice|thrice|\w+ times) (?:a|this|already|per) (?:day|week|month)?|times (?:a|this)|"
    r"(?:on|in) (?:mon|tues|wednes|thurs|fri|satur|sun)days|for (?:years|ages|months|weeks)|again|yet another|"
    r"like clockwork|out of habit|can'?t \w+ (?:\w+ ){0,3}without|won'?t \w+ (?:\w+ ){0,3}without|"
    r"same (?:\w+ ){0,4}as|all the time|day in|tradition|routine|ritual|habit|addicted|only ever|live on|live off|"
    r"another (?:week|day|night)|a week\b|when(?:ever)? (?:i|we)(?:'m|'re)? |at weekends|on weekends"
)
HABIT = re.compile(rf"\b(?:{_HABIT_WORD})\b", re.IGNORECASE)
OTHERS = re.compile(
    r"\b(?:he|she|they|(?:my|our|the) (?:\w+ )?(?:wife|husband|son|daughter|boss|sister|brother|mom|mum|dad|kids?|"
    r"neighbou?rs?|colleagues?|friends?|flatmates?|roommates?|uncle|aunt|ex|partner|girlfriend|boyfriend|gf|bf|"
    r"manager|"
    r"teacher|landlord|toddler|baby|cousin|nan|gran|grandma|grandad|mate|people|everyone|everybody))(?:'s)? "
    r"(?:\w+ )?(?:always|usually|keeps?|every|tends?|orders?|likes?|loves?|hates?|can'?t|won'?t|never|eats?|"
    r"drinks?|only|prefers?|just)\b",
    re.IGNORECASE,
)


def of_others(clause: Clause) -> bool:
    """Return whether a clause tells of somebody else's ways and none of the speaker's."""
    told = OTHERS.search(clause.text)
    return told is not None and not re.search(r"\b(?:I|me|my)\b", clause.text[told.end() :])


def is_habit(clause: Clause) -> bool:
    """Return whether a word of the sentence makes its doing a habit."""
    near = clause.text if clause.before is None else f"{clause.before.text}, {clause.text}"
    return HABIT.search(near) is not None and not OTHERS.search(clause.sentence)


_LOVE = (
    r"(?:(?<=always )(?:loved|enjoyed|adored)|love|luv|loves|lurve|like|enjoy|adore|"
    r"dig|prefer|favou?r|appreciate|crave|live (?:for|off|on)|swear by|"
    r"lean towards?|"
    r"gravitate (?:to|towards?)|go (?:crazy|nuts|mad|wild) for|can'?t (?:get enough of|resist|live without|say no "
    r"to|beat)|"
    r"could (?:eat|drink|listen to|watch|live on|live off)|never (?:get (?:tired|bored|sick) of|say no to)|"
    r"have (?:a |an |such a |this )?(?:\w+ )?(?:soft spot|thing|weakness|passion|obsession|love|sweet tooth) for|"
    r"'?ve got (?:a |such a )?(?:\w+ )?(?:soft spot|thing|weakness|passion) for|got (?:a |such a )?(?:\w+ "
    r")?(?:soft spot|thing|weakness) for)"
)
_KEEN = (
    r"(?:into|fond(?:est)? of|keen on|partial to|obsessed with|hooked on|addicted to|crazy about|mad (?:about|for|"
    r"on)|nuts "
    r"about|big on|huge on|all about|(?:an? )?(?:\w+ )?(?:fan|sucker|lover|devotee) (?:of|for)|fans of|suckers for|"
    r"passionate about|"
    r"in love with|happiest (?:with|when)|wild about|drawn to|loyal to|most comfortable (?:with|in))"
)
_BAD = (
    r"(?:hate|dislike|detest|despise|loathe|dread|resent|"
    r"can'?t (?:really )?(?:stand|bear|stomach|abide|tolerate|do with|handle|deal with|get into|be bothered with|"
    r"be doing with|take)|"
    r"cannot (?:stand|bear|stomach|abide|tolerate|handle|deal with)|"
    r"(?:don'?t|do not|never) (?:really |particularly |much |actually |even |ever |usually |normally |"
    r"generally |typically )*(?:like|liked|enjoy|enjoyed|"
    r"love|fancy|"
    r"care for|cared for|get on with|got into|trust|rate|want|go for|do well with|cope with|bother with)|"
    r"could (?:happily )?(?:do|live) without|have (?:no|zero|little) (?:time|patience|interest|use|appetite) "
    r"(?:for|in)|"
    r"get (?:annoyed|bored|sick|anxious|stressed|nervous) (?:by|of|with|on|in))"
)
_NOT_KEEN = (
    r"(?:not|no|never) (?:been )?(?:really |exactly |too |very |that |much |all that |particularly |super |a |an |"
    r"one |of |big |huge |much of |even )*"
    r"(?:into|big on|fond of|keen on|crazy about|mad (?:about|on)|fan of|fans of|one for|partial to|for|"
    r"comfortable (?:with|in|on))"
)
ILL = (
    r"feel (?:(?:so|really|a bit|very) )?(?:ill|sick|queasy|uneasy|anxious|awful|terrible|bad|worse|tired|old|stupid|"
    r"trapped|nauseous|uncomfortable|sluggish|bloated|rough|gross|dizzy|weak|sad|down|low|nervous|stressed|guilty|drained)|"
    r"want to (?:scream|cry|vomit|throw up|hurl|gag|die|leave|run|hide|puke)"
)
_MINE = (
    r"(?:my (?:absolute |all-?time |whole |total |one |only |number one |biggest |main |real |true |weekly |daily |"
    r"regular )*(?:thing|jam|fave|fav|favou?rite|"
    r"happy place|love language|weakness|guilty pleasure|comfort (?:food|show|drink)|go-?to|default|kryptonite|"
    r"passion|drug|vice|addiction|obsession|style|vibe|speed|"
    r"staple|religion|life|everything|first choice|top pick|cup of tea)s?|where it'?s at|the only way(?: to go)?|"
    r"what I (?:want|like|need|go for)(?: now)?|life\b|the dream|how I (?:unwind|relax|de-?stress|switch off))"
)
POINTED = re.compile(
    r"(?:it|this|that|he|she|they|you|which|what|who|there|everything|something|my (?!phone|alarm))\b", re.IGNORECASE
)
TASTES: tuple[Frame, ...] = (
    frame(
        "dont never cant cannot hate dislike detest despise loathe dread resent could have get do",
        rf"{ME}{ADV}{_BAD}{OBJ}",
        liked("dislikes"),
    ),
    frame("not no never", rf"{ME}{ADV}{_NOT_KEEN}{OBJ}", liked("dislikes")),
    frame(
        "rather sooner always choose pick take prefer give opt go",
        r"(?:\b(?:I|we)(?:'?d| would|'?ll| will)? |^)(?:much |far |always |definitely |still )*(?:rather|sooner|"
        r"choose|pick|"
        r"prefer|opt for|go for|give me|take|have)(?: (?:have|take|get|go for|choose|pick|use|do|eat|drink|watch|"
        r"listen to|"
        r"sit (?:in|by|on)|stay in|stay at|go by|go with|be in|pay for))? (?P<v>\S[^,]{1,60}?) (?:over|than|"
        r"instead of|rather than|any day|every time|every day of the week)\b",
        liked("likes"),
    ),
    frame(
        "rather sooner",
        r"\b(?:I|we)(?:'?d| would) (?:much |far |always |definitely |really )*(?:rather|sooner) "
        r"(?!you|not|be |know|see|die|if|we |i )(?:have |take |get |go for |choose |pick |use |do |eat |drink "
        r")?(?P<v>\S.{2,60})",
        liked("likes"),
    ),
    frame(
        "love loved enjoyed adored luv loves like enjoy adore dig prefer favor favour appreciate crave live swear "
        "lean gravitate go cant could never have ve got ive",
        rf"{ME}{ADV}(?<!would )(?<!'d ){_LOVE}(?! (?:it|you|how|when|that|this|the way|what|if|i|we|he|she|"
        rf"they)\b){OBJ}",
        liked("likes"),
    ),
    frame(
        "into fond fondest keen partial obsessed hooked addicted crazy mad nuts big huge all fan fans sucker "
        "suckers lover devotee passionate "
        "love happiest wild drawn loyal most",
        rf"{ME}{ADV}{_KEEN}{OBJ}",
        liked("likes"),
    ),
    frame(
        "morning night early light heavy home picky left handed eater sleeper driver owl bird homebody introvert "
        "extrovert hoarder claustrophobic colourblind colorblind vertigo",
        r"(?:\b(?:I|we)(?:'?m|'?re| am| are| have|'?ve got) |\b(?:im|ive got) |^|as )(?:really |definitely |more "
        r"of |very much |totally |such |just |very |super |quite |pretty |a |an |total |complete |big |huge |"
        r"massive |real |proper )*"
        r"(?P<v>morning person|night owl|early (?:bird|riser)|night person|evening person|(?:light|heavy|deep|"
        r"terrible|bad) sleeper|homebody|(?:picky|fussy|slow|big) eater|nervous (?:driver|flyer|flier)|left[- "
        r"]handed|introvert|extrovert|claustrophobic|colou?r[- ]?blind|vertigo)\b",
        lambda c, m: [preference(c, "explicit", (GENERAL, "traits"), "add", (c.group(m),))],
    ),
    frame(
        "person people lover addict fan girl guy man woman junkie nut buff freak head snob fiend family household",
        r"(?:\b(?:I|we)(?:'?m|'?re| am| are) |\bim |^)(?:really |definitely |more of |very much |totally |such |"
        r"just |a |an |total |"
        r"complete |big |huge |massive |real |proper |self-confessed )*(?P<v>(?!the |that |some|most|many|other|"
        r"these |those |rich|poor|young|good |nice |family |people |old |lucky |"
        r"busy |bad |only |tall |short |one |new |same |big |little |young |different|sick|single|shy|private|grown)"
        r"[a-z][\w'-]*(?: [a-z][\w'-]*)?) (?:person|people|lover|addict|fan|girl|guy|man|woman|junkie|nut|buff|"
        r"freak|head|snob|"
        r"fiend|family|household)\b",
        liked("likes"),
    ),
    frame("team", r"^(?:I'm |we're )?(?:very much |firmly |always )?team (?P<v>[\w' -]{3,30})$", liked("likes")),
    frame(
        "my where life dream how",
        rf"^(?P<v>[^,:?]{{3,50}}?)(?: (?:is|are|will always be|has always been)|'s) (?!not\b){ADV}{_MINE}\b(?! "
        r"(?:name|number))",
        liked("likes"),
    ),
    frame(
        "thing bag style jam vibe cup favourite favorite me",
        r"^(?P<v>[^,:?]{3,50}?),? (?:(?:is|are|was|were)(?:n'?t| not| never| just not| really not)|ain'?t)(?: "
        r"(?:really|quite|for|exactly|at all))* (?:my (?:thing|"
        r"bag|style|jam|vibe|cup of tea|favou?rite)|me$)",
        liked("dislikes"),
    ),
    frame(
        "beats beat like",
        r"(?:nothing|you can'?t) (?:beats?|better than|like) (?:a |an |some |my )?(?:good |nice |proper |decent |"
        r"hot |cold )?(?P<v>\S[^,]{2,50})",
        liked("likes"),
    ),
    frame(
        "me for",
        r"^(?P<v>[^,?]{3,40}?) (?:just |really |always |totally )*(?:works? best for|(?:drives?|makes?|gets?) "
        r"me (?:happy|smile|calm)|calms? me|relax(?:es)? me|helps? me (?:sleep|focus|relax|unwind|wake))\b",
        liked("likes"),
    ),
    frame(
        "me",
        r"^(?P<v>[^,?]{3,40}?) (?:just |really |always |totally |still |actually )*(?:(?:drives?|makes?|sends?|"
        r"gets?) me (?:crazy|nuts|mad|"
        rf"insane|up the wall|round the bend|gag|sick|queasy|anxious|nervous|dizzy|sleepy|{ILL})|"
        r"(?:grosses|creeps|freaks|stresses|weirds|puts|bores|annoys|irritates|scares|terrifies|exhausts)(?: "
        r"me)?(?: out| off)?\b)",
        lambda c, m: () if POINTED.match(m["v"]) else liked("dislikes")(c, m),
    ),
    frame(
        "disgusting gross vile awful worst rank nasty yuck minging foul revolting",
        r"^(?P<v>[a-z][\w' -]{2,30}?)(?: (?:is|are|taste|tastes)|'s|s'?) (?:just |so |absolutely |honestly |really "
        r"|literally |like |the )*(?:disgusting|gross|vile|"
        r"awful|worst|rank|nasty|minging|foul|revolting|soap)\b",
        lambda c, m: liked("dislikes")(c, m) if known_category(m["v"]) else (),
    ),
    frame(
        "only always all default everything everywhere please every",
        r"^(?P<v>(?!not\b|no\b|same\b|if\b|i\b|it\b|this\b|that\b|the only\b|when\b|just\b|yeah\b|and\b)[a-z][\w' "
        r"-]{2,40}?),? (?:(?:only|always|all the way|by default|for everything|every(?:where| time| single time)|"
        r"any day(?: of the week)?)(?:,? (?:please|pls|thanks|for me))?|(?:please,? )?(?:as|is|are) (?:my|the|our) "
        r"default)(?=$|,)",
        liked("likes"),
    ),
)

_TASTES = Frames(TASTES, cues_in=words_in)


def tastes(clause: Clause) -> Iterator[Candidate]:
    """Yield what the speaker says to like or dislike in ``clause``."""
    yield from _TASTES.read(clause, unless=[of_others])
