"""Words of everyday English talk that name nothing to be known by, and words that place a doing in time."""

import re

_STATES = """
able afraid alive alone amazed amazing angry anxious awesome awful bad beautiful best better big blessed bored
breathtaking brilliant busy calm close comfortable comforting committed confident crazy creative curious cute
delicious determined different easy emotional excited exciting exhausted exhausting fabulous fair fantastic fine
focused fun funny glad good gorgeous grateful great grown happy healthy heartbroken helpful honest hopeful huge
important impossible incredible inspired inspiring interested jealous kind little lonely lost lovely lucky mad
magical meaningful motivated nervous nice ok okay optimistic overwhelmed patient peaceful perfect positive possible
powerful precious pretty proud quiet rare ready real relaxed relaxing relieved rewarding rough sad safe satisfied
scared scary serious shocked sick small smart sore special stable stoked stressed stressful strong stronger stuck
super supportive sure surprised surreal terrible thankful thrilled tired touched tough tricky true unforgettable
unreal upset weird well wonderful worried worse worst worth yummy
"""
STATES = frozenset(_STATES.split())
"""How something or somebody is: no name of a thing when it stands alone, or before "to", "of", "that" and the like."""
_NOUNS = """
adventure advice attitude babies baby balance bit bits blast blessing boost break breath bunch challenge challenges
chance change changes chills choice complaints confidence couple courage credit day days difference drama dream
dreams dress effort encouragement energy excuse excuses exist experience experiences fact family feedback feeling
feelings folks friend friends fun future girl girls goal goals gratitude guy guys heart help hope hour hours house
hug idea ideas impact impression journey joy kid kids kindness life little-one lives lot lots luck man memories
memory mentor mind minute mistake mistakes moment moment's moments mood motivation opportunities opportunity part
past people person perspective photo photos pics picture pictures place plan plans pleasure point pressure problem
problems progress question reason reasons regret regrets reminder reset respect rest right rush second seconds sense
side sight sleep smile smiles step steps stories story strength stress stuff success support surprise surprises team
tears thanks theme thing things thought thoughts time times treat trouble turn-out vibe vibes view way ways
well-being win wins woman word words work world worries worry year years
"""
VAGUE = frozenset(_NOUNS.split())
"""What everybody has or feels: a taste, habit or limit "of life", "of people" tells nothing of anybody."""
_PASSING = """
aching bringing coming doing feel feeling feels getting giving happening holding hoping keeping letting making
meaning missing planning pounding putting saying setting taking talked telling thinking trying wishing wondering
"""
PASSING = frozenset(_PASSING.split())
"""Doings of the mind and of the moment: no pastimes, and nothing that is "now" for good."""
_DETERMINERS = re.compile(
    r"^(?:(?:a|an|the|my|our|some|any|all|another|more|most|quite|such|so|very|really|pretty|little|big|huge|good|great|"
    r"nice|own|whole|same|new|old|other|amazing|awesome|lovely|beautiful|special|fun|few|many|much|every|each|best|"
    r"worst|lot|lots|bit|couple|kind|sort|finally|still|already|weirdest|recurring|of|those|these) )+",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:you|your|yours|you're|i|i'm|i've|myself|yourself|he|she|him|they|them|we|we're|it|it's|its|someone|somebody|"
    r"someone's|everyone|everybody|everyone's|anyone|nobody|who|whom|what|how|why|where|which|"
    r"whatever|is|are|was|were|isn't|wasn't|been|ago|someday|yesterday|must|should|couldn't|wouldn't|yourselves|"
    r"themselves|for granted)\b"
    r"|\b\w+'(?:re|ve|ll|m)\b|\b(?:life|that|there|here)'s\b| [-–—]+ |\bmuch$"
    r"|\blast (?:week|weekend|night|month|year|\w+day)\b",
    re.IGNORECASE,
)
_HANGING = re.compile(
    r"\b(?:and|or|a|an|the|of|for|to|my|our|his|her|their|your|than)$",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"(?:been|being|be|am|have|has|had|did|does|do|don't|didn't|not|never|make sure|off|up|away|around|for|all about|"
    r"on cloud|cloud|full of|way (?:back|home|to|over|up)|something|everything|anything|nothing) ",
    re.IGNORECASE,
)
_MORE = re.compile(r" (?:of|that|for|with|in|at|on|about|to|from)\b")
_LIKE_A_STATE = re.compile(r"\w{3,}(?:ous|ful|less)")
_FOR_NOW = frozenset(["free", "full", "late", "clear"])
"""States by themselves; behind another word they tell a kind ("sugar free")."""
_BEHIND_A_STATE = "to for that of about with by in and at when because but if as again you i it"
_OF_A_STATE = frozenset(_BEHIND_A_STATE.split())


def names_something(value: str) -> bool:
    """Return whether ``value`` is a name of a thing or doing: no state, no fragment, nothing that only points."""
    said = value.strip(" .,!?\"'").lower()
    pointing = _POINTING.search(said) is not None and not any(map(str.isdigit, said))
    return not (pointing or tells_a_state(said) or _core(said) in VAGUE)


def is_cut_off(value: str) -> bool:
    """Return whether ``value`` ends in a word that something must follow: "creating a", "creativity and"."""
    return _HANGING.search(value.strip(" .,!?\"'")) is not None


def is_vague(value: str) -> bool:
    """Return whether what ``value`` is about is nothing of one's own: "rush of joy", "time with the team"."""
    return bool(VAGUE.intersection(_MORE.split(_core(value.lower()))[0].split()[-1:]))


def tells_a_state(value: str) -> bool:
    """Return whether ``value`` says how somebody or something is, or what is being done: "glad you came", "feeling"."""
    said = value.strip(" .,!?\"'").lower()
    words, core = said.split(), _core(said).split()
    if not core or _NO_NAME.match(said) or (len(core) == 1 and core[0] in _FOR_NOW):
        return True
    passing = core[0] in STATES or core[0] in PASSING or _LIKE_A_STATE.fullmatch(core[0]) is not None
    if passing and (len(core) == 1 or core[1] in _OF_A_STATE):
        return True
    return len(words) > 1 and words[-1] in STATES


def _core(said: str) -> str:
    return _DETERMINERS.sub("", said)


STEADY = re.compile(
    r"\b(?:usual(?:ly)?|normally|generally|typically|mostly|as ever|without fail|religiously|regularly|"
    r"routine(?:ly)?|(?:every|each) (?:single |other |long )?\w+|most (?:\w+s)|go-?to|tend to|"
    r"on (?:repeat|loop)|(?:once|twice|thrice|\w+ times) (?:a|per|this) \w+|all the time|day in|tradition|ritual|habit|"
    r"\w+days|weekends|mornings|evenings|nights|same|whenever|any ?time|never not|can'?t \w+ (?:\w+ ){0,3}without|"
    r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th))|yet another|in a row|"
    r"running)\b",
    re.IGNORECASE,
)
"""Words that make a habit even of what is told as done or to come; "always" does not: "I'll always remember"."""
MOVED_THEN = re.compile(
    r"\bmoved\b.*?\b(?:(?<!moved )back\b(?! in\b)|(?:19|20)\d\d|years ago|when (?:I|we) (?:was|were)|"
    r"as an? (?:kid|child|teen\w*|student)|for (?:an? |one |two |three |\d+ )?"
    r"(?:days?|weeks?|months?|years?|while|summer)|until|briefly|temporarily)\b",
    re.IGNORECASE,
)
"""A move of another time, or for a time: it does not tell where the speaker lives."""
