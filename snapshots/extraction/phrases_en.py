"""Object phrases of English: from the words behind a frame to what they name, cut where the name ends.

Wider than ``things``: "the coast road" and "a window seat" name something where a frame says that they are meant
for good.
"""

import re

from snapshots.extraction.policy import EXTRACTION

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_END = re.compile(
    rf"\s*(?:[;()\[\]!?\"*]|:(?!\d)|\.(?:\s|$)|,(?! (?:and|or) |\s?\d{{3}}\b)| [-–—]+ |—|\.\.+|…"
    r"|\b(?:because|cause|cuz|coz|cos|since|although|though|unless|until|till|whenever|if|while|whereas|as long as|"
    r"except|but|so(?! \w+ing)|than|yet|that's|that is|it's|which|who|where|when|ever since|no matter|"
    r"please|pls|plz|thanks|thank you|thx|ok|okay|lol|haha\w*|tbh|btw|imo|honestly|really|actually|though|"
    r"a lot|very much|so much|the most|most of all|more than (?:anything|i)|way more|way too much|too much|too(?!\s)|"
    r"as well|either|at all|whatsoever|anymore|any more|any longer|again|now(?!\w)|nowadays|these days|lately|"
    r"recently|"
    r"ever|always|forever|for good|from now on|going forward|in future|by default|already|anyway|instead|rather|"
    r"over|all the time|every (?:single |other )?\w+|each \w+|most \w+s|"
    rf"on (?:{_DAYS}|weekends?|weekdays?|the way\b.*|my way\b.*|my commute|the commute|repeat|loop|long drives?|"
    r"shift)|"
    r"in the (?:mornings?|evenings?|afternoons?|car|office)|at (?:night|home|work|weekends?)|after (?:work|a|my|"
    r"the|every|"
    r"school)\b|before (?:work|a|my|the|every|bed|school)\b|back in \w+|in (?:jan\w*|feb\w*|march|april|may|june|"
    r"july|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|20\d\d)|last (?:week|month|year|spring|summer|autumn|fall|winter|"
    r"\w+day)|this (?:year|month|spring|summer|autumn|fall|winter)|a (?:week|month|year) ago|for (?:me|us|"
    r"breakfast|lunch|dinner|years|ages|a while|now|"
    r"everything|everyone|once|sure|fun)|to (?:wind|calm|relax|unwind|fall|wake|get|help|start|end|be|work|school|"
    r"bed|me)|"
    r"(?:to|for|with) (?:them|him|her)|with (?:me|us|my (?:wife|husband|kids?|family|friends?|mates?))|(?:once|"
    r"twice|thrice) (?:a|every)|"
    r"(?:one|two|three|four|five|six|\d+) (?:times|nights|days|mornings) (?:a|this|per)|like (?:crazy|mad|it|i|"
    r"clockwork)|"
    r"and (?:i|i'm|i've|we|it|its|my|our|that|he|she|they|then|you|so|never|always|don't|not|have|been|the kids|"
    r"nothing else)|or (?:i|im|i'm|i'll|ill|it|else|so|whatever|something)|not (?!\w+ing)|i |i'm |i've |we |you |"
    r"he |she |they )(?:(?<=\s)|(?!\w))).*$",
    re.IGNORECASE | re.DOTALL,
)
_HEAD = re.compile(
    r"^(?:(?:the|a|an|my|our|your|some|any|those|these|that|this|all|most|more|just|only|mostly|mainly|pretty much|"
    r"basically|"
    r"another|same|usual|own|whole|entire|little|bit of|lot of|lots of|plenty of|anything|things|stuff|good|nice|"
    r"proper|"
    r"big|huge|to|for|at|in|on|of|with|by|from|via|about|like|always|still|usually|straight|also|very|really|super) )+"
    r"(?=\S)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:really|actually|honestly|just|ever|always|again|now|too|so|either|please) )+(?=[\w$£€])", re.I
)
_ARTICLE = re.compile(r"^(?:(?:the|a|an|some|any|those|these|that|to|of|like|always|just|really|also) )+(?=\S)", re.I)
_EMPTY = re.compile(
    r"(?:i|me|my|it|its|this|that|these|those|you|your|him|her|his|he|she|they|them|us|we|one|ones|what|how|why|who|"
    r"when|where|which|there|here|so|not|no|to|of|the|a|an|is|are|was|were|be|been|being|do|does|did|will|would|can|"
    r"could|should|may|might|must|has|have|had|if|as|and|or|but|for|with|at|in|on|up|out|off|down|back|away|"
    r"everything|anything|nothing|something|everyone|anyone|someone|lot|bit|way|thing|things|stuff|time|times|much|"
    r"many|more|most|less|few|little|good|great|nice|bad|sure|fine|ok|okay|right|wrong|same|other|others|too|very|"
    r"really|just|only|even|also|still|again|now|then|today|life|idea|fact|people|person|guy|girl|someone|sorry|"
    r"help|problem|problems|issue|issues|trouble|question|questions|feeling|kind|sort|type|part|rest|end|start)",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"^(?:it|its|it's|(?:this|that|these|those)(?= (?:is|are|was|were|one|you|i|we|he|she|they|has|have|will|would|"
    r"can)\b|$)|that's|you|your|you're|him|her|his|he|she|they|them|their|me|i|i'm|we|us|how|what|why|"
    r"who|when|where|which|there|here|being|having|seeing|hearing|knowing|is|are|was|were|be|if|as|and|or|but|not|"
    r"will|would|can|could|should|do|does|did|has|had|after|before|during|without|until|unless|because|since)\b|.* "
    r"(?:it|'?em|them|him|her|that|this|me|you)$",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"(?<=\w) (?:on|at|in|to|for|from|with|of|as|by)$", re.IGNORECASE)
"""What is left where the words behind it were cut off: "country on" the radio."""
MEASURED = re.compile(
    r"(?:\w+ )?(?:any|some|no|every)thing (?!over|under|other|after|ever)(?:\w+er|more|less)\b(?! \w+ing)",
    re.IGNORECASE,
)
"""Measured by what is not said with it: "under anything lower" (than that)."""
_CLAUSE = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|wasn't|has|does|did|will|would|can't|don't|doesn't|me|him|"
    r"them|us|your)\b|\bI\b"
)
"""Small words that stand in a clause and, written so, in no name."""
_LIST = re.compile(r"\s*(?:,\s*(?:and|or)?|\band\b|\bor\b|&|/|\bplus\b)\s+", re.IGNORECASE)
_PAIRS = re.compile(
    r"(?-i:[A-Z])\w+ & (?-i:[A-Z])\w+|\b(?:mac|rock|salt|fish|bread|ham|bacon|peanut butter|sweet|arts?|drum|black|"
    r"gin|bed|dungeons|rhythm|bubble|"
    r"bangers|surf|b|r|half|true|pins|mum|mom|back|up|before|\d+) (?:and|&) \w+",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(r" (?:from|at|in|on|with|for|near|by|that|to|about) ", re.IGNORECASE)
_MOST = 8
"""Words of one thing; longer ones are cut before their last preposition, or given up."""


def phrase_en(words: str) -> str:
    """Return the one thing that ``words`` begin with, "" where they name none."""
    cut = _END.sub("", _opened(words)).strip(" ,.'\"~-")
    if _POINTS.match(cut) or MEASURED.match(cut):
        return ""
    cut = _DANGLING.sub("", _ARTICLE.sub("", cut))
    while len(cut.split()) > _MOST:
        shorter = list(_PREPOSITION.finditer(cut))
        if not shorter:
            return ""
        cut = cut[: shorter[-1].start()]
    core = _HEAD.sub("", cut)
    if not re.search(r"\w\w", core) or _CLAUSE.search(core) or _EMPTY.fullmatch(core) or _POINTS.match(core):
        return ""
    return cut if len(cut) <= EXTRACTION.max_value_chars else ""


def _opened(words: str) -> str:
    return _OPENING.sub("", words.strip(" ,:-'\""))
