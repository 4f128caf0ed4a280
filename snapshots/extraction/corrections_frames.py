"""Ways of putting right that hold in any domain: a frame with slots for what is wrong and what is right, and guards.

A frame is looked for anywhere in a sentence and may reach over its end into the next ones ("Not gluten. Lactose.").
What keeps it from firing is read from the words around it: a question, a supposition, another's words, the moment.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from memory_platform.kernel.text import simplify
from snapshots.extraction.changes import swap
from snapshots.extraction.observe import Clause, matching_form
from snapshots.extraction.rules import preference
from snapshots.extraction.values import Candidate, PreferenceCandidate

REACH = 260
"""Characters from the head of a sentence that a frame may span."""
LONGEST = 1_000
"""Characters of a message above which it is a text, and no turn that puts something right."""
MOST_MATCHES = 3
PLAIN_WORDS = 2
"""Words of each side of a contrast between things that are neither names nor numbers."""
_DAY = re.compile(r"(?:(?:starting|beginning|from) )?(?:now|today|tonight|tomorrow)", re.IGNORECASE)
"""Since when something is otherwise, not what takes its place: "starting tomorrow, no more sugar"."""
_TELLS_OF_IT = re.compile(r" ?(?:就|都|也|会|太|很|不)")
"""Behind the old value in the place of the new one: it is spoken of, and nothing takes its place (我上高架就心慌)."""
_PRONOUNS = frozenset(["it", "its", "he", "she", "i", "we", "they"])
_ENDERS = ".!?。;…\n"

Says = Literal["swap", "new", "stands", "over"]
"""``swap``: old and new; ``new``: what is right, of what was said last; ``stands``: what is right, of what the words do
not tell; ``over``: what is wrong, with nothing in its place."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One way of putting right. ``cues``: words of which one stands in the text, lower case, or it is not looked for.

    ``firm``: its words alone say that something is held wrongly, of whomever, asked or not. ``alike``: both sides must
    be of one sort (names, numbers, plain words). ``telling``: what is right must be a name, a number or of a thing.
    """

    pattern: re.Pattern[str]
    cues: tuple[str, ...]
    says: Says
    firm: bool = False
    alike: bool = False
    telling: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """What one language brings: its frames, and how its words tell what is none."""

    frames: tuple[Frame, ...]
    idle: re.Pattern[str]
    """Before or in the match: asked, supposed, reported, of others, to be done once."""
    idle_firm: re.Pattern[str]
    """The same for firm frames: supposed or quoted."""
    momentary: re.Pattern[str]
    lasting: re.Pattern[str]
    empty_old: re.Pattern[str]
    empty_new: re.Pattern[str]
    head: re.Pattern[str]
    tail: re.Pattern[str]
    asks: re.Pattern[str]
    cues: tuple[str, ...] = field(init=False)
    """All cues of its frames, each looked for once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cues", tuple(sorted({cue for each in self.frames for cue in each.cues})))


def frame(says: Says, cues: str, *patterns: str, **more: bool) -> tuple[Frame, ...]:
    """Return the frames of ``patterns``; ``cues`` are parted by "|", ``more`` are their flags."""
    return tuple(Frame(re.compile(p, re.IGNORECASE), tuple(cues.split("|")), says, **more) for p in patterns)


def frame_changes(clauses: list[Clause], grammar: Grammar) -> list[Candidate]:
    """Return what the first frame that fits a sentence puts right."""
    first = clauses[0]
    if len(first.utterance.text) > LONGEST:
        return []
    start, length = first.sentence_start, len(first.sentence)
    text = _form_from(first)
    lowered = text.lower()
    there = {cue for cue in grammar.cues if cue in lowered}
    for each in grammar.frames:
        if there.isdisjoint(each.cues):
            continue
        for match in _matches(each.pattern, text, length):
            whole = replace(first, start=start, text=text, shift=0, last=True)
            found = [] if _is_idle(text, match, each, grammar) else list(_said(whole, match, each, grammar))
            if found:
                return found
    return []


def _form_from(first: Clause) -> str:
    """Return the matching form from the head of a sentence on, past its end."""
    rest = first.utterance.text[first.sentence_start : first.sentence_start + REACH]
    alone = len(rest) <= len(first.sentence) + 1
    return (first.sentence + matching_form(rest[len(first.sentence) :]))[:REACH] if alone else matching_form(rest)


def _matches(pattern: re.Pattern[str], text: str, length: int) -> Iterator[re.Match[str]]:
    """Yield the matches that begin in the sentence, up to ``MOST_MATCHES``; between words, those that overlap, too."""
    match = pattern.search(text)
    for _ in range(MOST_MATCHES):
        if match is None or match.start() >= length:
            return
        yield match
        match = pattern.search(text, match.start() + 1 if text.isascii() else max(match.end(), match.start() + 1))


def is_plausible(change: Candidate, grammar: Grammar) -> bool:
    """Return whether both sides of a change whose object is not named are values at all."""
    if not isinstance(change, PreferenceCandidate) or change.category is not None:
        return True
    old, new = change.replaces or "", str(change.value)
    if _DAY.fullmatch(new):
        return False
    return not ((old and grammar.empty_old.match(simplify(old))) or grammar.empty_new.match(simplify(new)))


def _said(clause: Clause, match: re.Match[str], each: Frame, grammar: Grammar) -> Iterator[Candidate]:
    old, new = (_side(clause, match, name, grammar) for name in ("old", "new"))
    if (each.alike and _sort_of(old) != _sort_of(new)) or (each.telling and not _tells(match, new)):
        return
    if (old and grammar.empty_old.match(simplify(old))) or (new and grammar.empty_new.match(simplify(new))):
        return  # the sides stand in the speaker's own characters, which may be traditional ones
    if old and new.startswith(old) and _TELLS_OF_IT.match(new, len(old)):
        return
    cited = replace(clause, text=match.group().strip(), start=clause.start + match.start(), shift=0)
    if each.says == "swap" and old and new and old.lower() != new.lower():
        yield from swap(cited, old, new)
    elif each.says == "new" and new:
        yield preference(cited, "change", (None, None), "replace", new)
    elif each.says == "stands" and new:
        yield preference(cited, "change", (None, None), "set", new)
    elif each.says == "over" and old:
        yield preference(cited, "change", (None, None), "remove", (old,))


def _side(clause: Clause, match: re.Match[str], name: str, grammar: Grammar) -> str:
    name = name if match.re.groupindex.get(name) and match.start(name) >= 0 else f"{name}2"
    if name not in match.re.groupindex or match.start(name) < 0:
        return ""
    words = clause.group(match, name).strip(" \t,.!;:'\"")
    return grammar.tail.sub("", grammar.head.sub("", words)).strip(" \t,.!;:'\"")


def _sort_of(words: str) -> str:
    if re.search(r"\d", words):
        return "number"
    if re.match(r"[A-Z]", words):
        return "name"
    return "words" if len(words.split()) <= PLAIN_WORDS else "clause"


def _tells(match: re.Match[str], new: str) -> bool:
    """Whether what is right is a name or a number, or said of a thing that is named."""
    return _sort_of(new) in {"number", "name"} or match["who"].lower() not in _PRONOUNS


def _is_idle(text: str, match: re.Match[str], each: Frame, grammar: Grammar) -> bool:
    """Whether the words around a match take back what it says."""
    begin = max(text.rfind(end, 0, match.start()) for end in _ENDERS) + 1
    end = next((at for at in range(match.end(), len(text)) if text[at] in _ENDERS), len(text))
    around = text[begin:end]
    if each.firm:
        return grammar.idle_firm.search(around) is not None
    if grammar.idle.search(around):
        return True
    if grammar.momentary.search(around) and not grammar.lasting.search(around):
        return True
    asked = end < len(text) and text[end] == "?" and not re.search("[,;-]", text[match.end() : end])
    return asked or grammar.asks.search(around) is not None
