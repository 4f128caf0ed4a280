"""What is otherwise now, in English: "from X to Y", "Y instead of X", "used to X, now Y"."""

import re
from collections.abc import Iterator

from snapshots.extraction.categories import category_of
from snapshots.extraction.changes import swap
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder, Rule, preference, rule
from snapshots.extraction.things import things_en
from snapshots.extraction.values import Candidate

_SOME = r"[^,;:]{1,40}?"
_TAIL = (
    r"(?:,? (?:please|now|instead|these days|nowadays|then|from now on|for good|btw|actually|thanks|any ?more|any "
    r"longer"
    r"|in future|always|today|like you (?:think|said|wrote)|already|again))*"
)
_END = rf"{_TAIL}\W*$"
_STOP = rf"{_TAIL}(?=\W*$|[,;] | (?:because|since|so|and|but|as|where)\b)"
_ANY_MORE = r"(?: any ?more| any longer| now)?"
_PRE = (
    r"(?:(?!.{0,60}\b(?:he|she|they|my (?:neighbou?r|sister|brother|boss|friend|mom|mum|dad|uncle|aunt))\b).{0,60}?\b)?"
)
_NO_VALUE = re.compile(
    r"(?:$|(?:what|why|how|who|that|which|when|where|if|because|to be|not|sure|really|only|just|all|everything|nothing|"
    r"something|it|this|you|me|him|us|them|fine|ok|okay|so|too|very|bad|good|going|being|there|here|the (?:point|same|"
    r"best|worst|thing|principle|problem)|a (?:lot|bit|problem|big deal)|much|many|i\b|we\b|he\b|she\b|they\b)\b)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:(?:the|a|an|my|our|that|in|at|on|with|by|to|for|me|as|called) )+", re.IGNORECASE)
_DO = (
    r"(?:take|takes|go|use|drive|drink|eat|have|play|read|watch|listen to|work|live|shop|bank|train|fly|stay|wear|"
    r"order|get|"
    r"prefer|like|love|be|call|book|cycle|run|do)"
)


def _swap(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    old, new = _value(clause.group(match, "old")), _value(clause.group(match, "new"))
    if clause.one_off or old.lower() == new.lower() or _NO_VALUE.match(old) or _NO_VALUE.match(new):
        return
    yield from swap(clause, old, new)


def _to(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    new = _value(clause.group(match, "new"))
    if not (clause.one_off or _NO_VALUE.match(new)):
        yield preference(clause, "change", (None, None), "replace", new)


def _over(clause: Clause, match: re.Match[str]) -> Iterator[Candidate]:
    """What is done no more is taken out of the likes of its category."""
    if clause.one_off:
        return
    for thing in things_en(clause.group(match, "old")):
        yield preference(clause, "change", (category_of(thing), "likes"), "remove", (thing,))


def _value(words: str) -> str:
    return _ARTICLE.sub("", words.strip(" ,.'\"")).strip()


def _either(*patterns: str, build: Builder) -> tuple[Rule, ...]:
    return tuple(rule(pattern, build) for pattern in patterns)


_OLD, _NEW = rf"(?P<old>{_SOME})", rf"(?P<new>{_SOME})"
WHOLE: tuple[Rule, ...] = (
    *_either(
        rf"{_PRE}(?:(?:I|we)(?:'ve| have)? (?:just |recently |finally )?(?:switched|changed|moved|gone|went)|"
        rf"(?:please )?"
        rf"(?:switch|change|update|move|set|swap)(?: (?:my|the|our) [\w ]{{2,30}}?)?)(?: over)? from {_OLD} to "
        rf"{_NEW}{_STOP}",
        rf"{_PRE}(?:it's|it is|they're|that's|ends in|is|are|should be|have|has|was|on|at) {_NEW}(?: now)?,? "
        rf"(?:and|now,) not {_OLD}{_STOP}",
        rf"{_PRE}(?:it's|it is|that's|I'm|we're|with|use|text|call|email|have|has|take|book|play|get|make it|give "
        rf"me|put) (?:me )?{_NEW}"
        rf"(?: these days| now)? (?:instead of|rather than|in place of) (?:the )?{_OLD}{_STOP}",
        rf"(?:my |our |the )?{_OLD} (?:isn't|aren't|is not|are not|'s not|is no longer) (?:my|our|the) "
        rf"[\w ]{{2,25}}?{_ANY_MORE},? (?:but )?{_NEW} (?:is|are){_END}",
        rf"(?:my|our|the) [\w' ]{{2,30}}? (?:isn't|is not|aren't|'s not|is no longer) {_OLD}{_ANY_MORE}"
        rf"(?:, ?| (?=but |and ))(?:but |and )?(?:it's|they're|it is|I'm|we're|now)? ?{_NEW}{_STOP}",
        rf"(?:I'm|I am|we're) (?:not|no longer) {_OLD}{_ANY_MORE},? (?:but )?(?:I'm|I am|we're) (?:now )?{_NEW}{_STOP}",
        rf"{_PRE}used to (?:be |{_DO} (?:by |in |at |on |to |up )?)?{_OLD}(?:,| but| and|,? now) (?:but |and )?(?:"
        rf"(?:now|nowadays|these days|lately),? )?"
        rf"(?:(?:I|we|it)(?:'s|'m|'re| am| is| now| just)* ?)?(?:{_DO} (?:by |in |at |on |to )?)?{_NEW}(?: now| "
        rf"nowadays| these days| any ?more)*{_END}",
        rf"(?:I was|we were) {_OLD} (?:when|before|back|until|last|then)[^,]*, (?:but )?(?:now )?(?:I'm|I am|"
        rf"we're) {_NEW}{_STOP}",
        rf"{_PRE}(?:you|u)(?:'ve)? (?:still )?(?:have|had|got|put|wrote|noted|think|thought|said|listed)(?: me| it|"
        rf" us)?(?: down)?(?: in| at| as| I'm| it's| is| that I'm)* {_OLD},? "
        rf"(?:but |and )?(?:I'm|it's|I am|we're|that's|it is|I)(?: (?:actually|now|in|at|live in|work at|moved "
        rf"to))* {_NEW}{_STOP}",
        rf"{_PRE}(?:'s|is|are|I'm|it's) (?:actually )?(?:an? |the )?{_NEW}(?: btw| actually)?,? (?:but )?(?:you|u)"
        rf"(?:'ve)? (?:still )?(?:have|had|got|put|wrote|noted|said|keep saying) (?:it down as |me as |it as "
        rf")?{_OLD}{_END}",
        rf"{_PRE}stop calling (?:me|us|it|him|her) {_OLD},? (?:just )?(?:it's |call me )?{_NEW}(?: is (?:fine|ok|"
        rf"okay|better|enough|good))?{_END}",
        rf"{_PRE}(?:don't|do not|stop) (?:use|using|call|calling|book|play|send|take|email|text) (?:me )?(?:on |"
        rf"with |to )?{_OLD}{_ANY_MORE},? (?:I(?:'ve)? (?:moved|switched|changed|went|am on|now use) (?:to |on )?|"
        rf"use |I'm (?:on|with) |it's |call |take |text )(?:me )?{_NEW}{_STOP}",
        rf"{_PRE}(?:quit|left|sold|dropped|ditched|cancelled|gave up|got rid of|finished at)(?: my job)?(?: at| "
        rf"with)? {_OLD}(?: (?:in|last|this) \w+)?,? (?:and |so |but )?(?:I'm|I am|I|we're|we|now)(?: now)?(?: "
        rf"with| at| on| in| use| drive| have| got| bought| work at| work for)? (?:now )?{_NEW}{_STOP}",
        rf"(?:I'm|I've) (?:gone off|over|done with|sick of|tired of|through with) {_OLD},? (?:and )?(?:now )?"
        rf"(?:it's |I'm (?:all about|into|onto) )?{_NEW}(?: (?:is|are) (?:my|our|what|more).*)?{_END}",
        rf"I (?:don't|no longer|do not) {_DO} {_OLD}{_ANY_MORE},? (?:so )?(?:make it|it's|I|I'm on|just|only|give "
        rf"me)(?: (?:now|only|just))*(?: {_DO})? {_NEW}{_STOP}",
        rf"{_PRE}chang(?:e|ed|ing) my mind (?:about|on) {_OLD},? (?:and )?(?:I'd like |go (?:for|with) |make it |I "
        rf"want |let's do |it's )?{_NEW}(?: instead)?{_STOP}",
        build=_swap,
    ),
    *_either(
        rf"{_PRE}(?:no\b[,.]? ?)+{_NEW},? not {_OLD}{_STOP}",
        rf"{_PRE}(?P<new>text|call|email|ring|message|phone|write)(?: me| us)?,? instead of (?:an? |the )?"
        rf"(?P<old>\w+)\b",
        build=_swap,
    ),
)
CLAUSES: tuple[Rule, ...] = (
    *_either(
        rf"{_PRE}(?:(?:that|it|this|the [\w ]{{2,20}}) )?should (?:be|say|read|have been) {_NEW}{_STOP}",
        rf"(?:.{{0,40}}?\b)?(?:I'm|I am|we're|I) (?:now )?(?:with|at|on|using|use|drive|driving|take|drink|eat|"
        rf"working at) {_NEW} (?:now|these days|nowadays){_END}",
        build=_to,
    ),
    *_either(
        rf"(?:.{{0,30}}?\b)?(?:I|we)(?:'ve| have)? (?:stopped|quit|given up|gave up|dropped) (?:\w+ing )?(?:to "
        rf")?{_OLD}{_STOP}",
        rf"(?:.{{0,30}}?\b)?(?:I|we) (?:no longer|don't|do not) {_DO}(?: to| at)? {_OLD}(?: any ?more| any longer)\b",
        rf"(?:.{{0,30}}?\b)?(?:I|we) no longer {_DO}(?: to| at)? {_OLD}{_STOP}",
        build=_over,
    ),
)
"""Read clause by clause, after what the older tables say: only the new side is named, or only the old one."""
