"""What the speaker is used to, in English: frames of habits, which show a taste without stating it."""

import re
from collections.abc import Iterator
from dataclasses import replace

from snapshots.extraction.categories import GENERAL, INTEREST_CATEGORIES, known_category
from snapshots.extraction.frames import Frame, Frames, frame, words_in
from snapshots.extraction.frames_en import ADV, is_habit
from snapshots.extraction.habit_words_en import COUNTED, GO, GO_WORDS, NO_HABIT_OBJECT, NOW
from snapshots.extraction.observe import Clause
from snapshots.extraction.phrases_en import phrases_en
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.rules import Builder, entries, fact
from snapshots.extraction.values import Candidate

OBJ = r" (?P<v>\S.{0,120})"


def _kept_up(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A pastime kept up: only what is known as one."""
    if is_habit(clause) and known_category(match["v"].lower()) in INTEREST_CATEGORIES:
        thing = clause.group(match)
        interest = fact("interests", clause, thing, mode="append")
        yield replace(interest, provenance="observation", confidence=EXTRACTION.implicit_confidence)
        yield from entries(clause, "implicit", "likes", [(thing, None)])


def _habit(hint: str | None, *, narrow: bool = False) -> Builder:
    """A taste that shows in what is done again and again; ``narrow`` asks for a thing of a known category."""

    def build(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
        if not is_habit(clause):
            return
        for thing in phrases_en(clause.group(match))[:3]:
            known = known_category(thing)
            if narrow and not known:
                continue
            yield from entries(clause, "implicit", "likes", [(thing, known or hint or GENERAL)])
            if known in INTEREST_CATEGORIES:
                interest = fact("interests", clause, thing, mode="append")
                yield replace(interest, provenance="observation", confidence=EXTRACTION.implicit_confidence)

    return build


def _for_now(clause: Clause) -> bool:
    """Return whether a doing is of today only: "usually I walk, today I drive"."""
    return NOW.search(clause.text) is not None and not COUNTED.search(clause.text)


def _moving(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    if is_habit(clause):
        yield from entries(clause, "implicit", "likes", [(clause.group(match), "travel")])


def _seen_at_once(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """A taste that needs no other word to be a habit: what is stocked up on."""
    yield from entries(clause, "implicit", "likes", [(thing, None) for thing in phrases_en(clause.group(match))])


HABITS: tuple[Frame, ...] = (
    frame(
        "another",
        r"^(?:add|get|order|grab|buy|stick|put|reorder) (?:me |us |in |on )?another (?:bag|box|pack|bottle|jar|"
        r"case|round|tub|tin|carton|crate|batch|bunch|six-pack) of (?P<v>\S.{2,40})",
        _seen_at_once,
    ),
    frame(
        "list basket cart order",
        r"^(?:can you |please |just )*(?:stick|put|add|pop|chuck) (?P<v>\S[^,]{2,40}?) (?:on|to|in|onto) (?:the|my|"
        r"our) (?:\w+ )?(?:list|basket|cart|order)\b(?=.*\b(?:get through|go through|goes through|run out|always|"
        r"again|every|as usual|usual)\b)",
        _seen_at_once,
    ),
    frame(
        "walk cycle bike drive run jog swim hike",
        r"\b(?:I|we)(?:'ll|'d)? (?:usually |always |normally |generally |mostly |just |tend to |often |still |only "
        r")*(?P<v>(?:walk|cycle|bike|drive|run|jog|swim|hike)(?: (?:home|in|there|back|everywhere|to (?:work|"
        r"school|the \w+)))?)(?! (?:late|out|errands|low|into|over|away|down|a (?:bath|marathon|risk))\b)(?= |$|,)",
        _moving,
    ),
    frame(
        "my our every each",
        r"\b(?:my|our) (?P<v>[a-z]+(?: [a-z]+)?) (?:takes|needs|is|are|gets)?[^,]{0,12}?(?:every|each) (?:single "
        r")?(?:morning|day|night|evening|week|weekend|shift)",
        _habit(None, narrow=True),
    ),
    frame(
        "been go do going doing went my running swimming yoga pilates cycling hiking climbing",
        r"(?:\b(?:I|we)(?:'ve| have|'m)?|^been|^)(?: been| go| going| went| do| doing| always| usually| love| still| "
        r"also)* (?P<v>[a-z]+ing|yoga|pilates|crossfit|karate|judo)\b(?: \w+)?",
        _kept_up,
    ),
    frame(
        "same as",
        r"(?:the )?same [^,]{3,40}? as (?:always|ever|last time|usual|before),? (?P<v>(?:the|my|a|an) [^,]{3,50}|"
        r"(?-i:[A-Z])[^,]{2,50})",
        _habit(GENERAL),
    ),
    frame(
        "usual always back again usually normally",
        r"(?:\b(?:as (?:usual|always|per usual),? )(?:I'm|I'll be|we're|I am)|\bI'm (?:usually|always|normally|"
        r"generally)|^(?:I'm |we're )?back) (?:at|on|in|to) (?P<v>\S[^,]{2,40})",
        _habit(GENERAL),
    ),
    frame(
        "know",
        r"^you know (?:me|us|how I am|how it is)[,:]? (?P<v>\S[^,]{2,50})",
        lambda c, m: entries(c, "implicit", "likes", [(t, None) for t in phrases_en(c.group(m))]),
    ),
    frame(
        "remind get order book pick grab start warm turn set queue play put like as",
        r"^(?:can you |could you |please |just )*(?:remind me to |order|reorder|book|get|grab|pick up|play|put on|"
        r"queue(?: up)?|start|set|warm up|turn on)(?: me)? (?:get |grab |pick up |buy )?(?P<v>\S[^,]{2,50}?),? "
        r"(?:like (?:every|always|usual|we always|i always)|as (?:always|usual|ever|per usual)|the usual way)\b",
        lambda c, m: entries(c, "implicit", "likes", [(t, None) for t in phrases_en(c.group(m))]),
    ),
    frame(
        "usual",
        r"(?:^|.{0,40}?\b)(?:the|my|our) usual(?! (?:message|email|text|suspects|reason|stuff)\b),? ?(?:order |of |"
        r"thing |one |place |spot )?(?:\(|:|,|is|- )? ?(?P<v>(?:(?!time\b|way\b|place\b|one\b|spot\b)\w).{2,60})",
        lambda c, m: (
            _habit(None)(c, m)
            if not re.match(r"(?:is|was|please|but|for|at|and|on|from|to|again)\b", m["v"], re.I)
            else ()
        ),
    ),
    frame(
        "go-to goto go to",
        r"(?:my|our|the) (?:absolute |usual )?go-? ?to(?: [a-z]+){0,2}?(?: (?:on|for|in|at|after|when|before) "
        r"[^,]{2,30}?)?(?: is|'s| are| has been|:) (?:still |always |definitely )?(?P<v>\S.{2,60})",
        _habit(GENERAL),
    ),
    frame(
        "without",
        r"(?:can'?t|won'?t|cannot|couldn'?t|never) (?!complain|recommend)[^,]{0,40}?\bwithout (?P<v>\S.{2,50})",
        _habit(GENERAL),
    ),
    frame(
        "same again always usual",
        r"(?:the )?same (?:[^,]{3,40}? as (?:always|ever|last time|usual|before), (?=(?-i:the|my|a|an|"
        r"[A-Z])))?(?P<v>(?!thing|time|way|one\b|place|as\b|here|again)[^,]{3,40}?) (?:as (?:always|ever|last time|"
        r"usual|before|every)|every|again)\b",
        _habit(GENERAL),
    ),
    frame(
        "this in running straight row month week year",
        r"\b(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th)) (?:pair of |cup of |"
        r"bowl of |bottle of |round of |set of )?(?P<v>(?!time|day|week|month|year|night|in |this |of |person|"
        r"floor|attempt|try|grade|avenue|ave|street)[^,]{3,40}?) (?:this|in a row|of the (?:week|day|month)|"
        r"running|in a (?:week|month))\b",
        _habit(GENERAL),
    ),
    frame(
        "another",
        r"\byet another (?P<v>(?!day|week|time|meeting|email|delay|problem|error|traffic|reason|excuse|call|crash|"
        r"bill)[^,]{3,40}?)(?:$| (?:finished|bought|ordered|done|down|this|added|arrived|for)\b|,)",
        _habit(GENERAL),
    ),
    frame(
        "its it has gotta",
        r"(?:^|\b)(?:it's|it is|its|it'?ll be|that's)(?: always| usually| normally| been| just| gotta be| got to "
        r"be)* (?:always |just |mostly )?(?P<v>(?!always|the same|been|so |too|not|a (?:long|bit|lot|good|shame|"
        r"pain)|just|really|getting|raining|snowing|like|fine|ok|my |me|him|her|on |in |at |that|this|time|about|"
        r"to |going|only|been|cold|hot|late|hard|easy|busy|packed|full|closed|open|broken|more|less|"
        r"better)[a-z][^,]{3,40})(?: for me| for us| again|$| from| before| first| and| with)",
        _habit(None, narrow=True),
    ),
    frame(
        GO_WORDS,
        r"(?:\b(?:I|we)(?:'?(?:m|ve|ll|d))?(?: (?:will|am|have|do|been))? |^(?:me )?|^(?:i|we) |\bi(?:m|ve)? |"
        rf"\bmyself ){ADV}(?:(?:tend|seem|like|have|manage|find myself) (?:to )?|keep |kept |end(?:ed)? up |always "
        r"|usually |"
        rf"swear i |only ever |been |almost |nearly |often |never not )*{ADV}{GO}{NO_HABIT_OBJECT}(?: (?:myself|"
        rf"me|us))?{OBJ}",
        lambda c, m: _habit(_hint(c, m))(c, m),
    ),
    frame(
        "tradition ritual routine mornings nights evenings weekends saturdays sundays fridays mondays tuesdays "
        "wednesdays thursdays lunch breakfast",
        r"\b(?:my|our) (?:\w+ )?(?:mornings?|nights?|evenings?|weekends?|\w+days|mornings?|lunch|breakfast|"
        r"routine)(?: (?:is|are|always|usually|basically|just|pretty much|mean|means|all about))+ (?P<v>\S.{2,40})",
        _habit(GENERAL),
    ),
    frame(
        "regular regulars",
        r"(?:I'm|we're|I am|im) (?:a |basically a |such a |becoming a )*regulars? (?:at|in) (?P<v>\S.{2,40})",
        lambda c, m: entries(c, "implicit", "likes", [(t, None) for t in phrases_en(c.group(m))]),
    ),
    frame(
        "put play queue order reorder start",
        r"^(?:can you |could you |please |just )*(?:put|play|queue|stick|order|reorder|start|book|get)(?: me| "
        r"us)?(?: on| up| in)? (?P<v>\S[^,]{2,50}?)(?: on)? (?:again|as usual|as always|like (?:always|usual|"
        r"every\w*)|like (?:i|we) (?:always|usually) do)\b",
        lambda c, m: entries(
            c,
            "implicit",
            "likes",
            [(t, None) for t in phrases_en(c.group(m)) if known_category(t) or re.search(r"(?-i:[A-Z])", t)],
        ),
    ),
)
_HINTS = (
    ("food", r"eat|ate|drink|drank|cook|brew|snack|order"),
    ("music", r"listen|put|blast|stream|fall"),
    ("entertainment", r"watch|binge|rewatch|re-?read"),
    ("shopping", r"buy|bought|wear|wore|pay|shop|reach"),
    ("travel", r"fly|flew|book|stay|pack"),
    ("navigation", r"driv|park|walk|cycl|leav"),
)


def _hint(clause: Clause, match: re.Match[str]) -> str | None:
    said = clause.text[match.start() : match.start("v")].lower()
    return next((name for name, verbs in _HINTS if re.search(rf"\b(?:{verbs})", said)), GENERAL)


_HABITS = Frames(HABITS, cues_in=words_in)


def habits(clause: Clause) -> Iterator[Candidate]:
    """Yield the taste that ``clause`` shows by a habit."""
    yield from _HABITS.read(clause, unless=[_for_now], momentary=True)
