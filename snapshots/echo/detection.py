"""The echo guard (S6): what a prompt had shown is not learned again when it comes back in a message. Pure.

A subject who says a thing again is no echo, and says so in the first person; what comes back in our own elements, in
quotation marks, after "you said", or from the assistant is one when it holds nothing new. In doubt a sentence is kept:
to learn a thing twice is the lesser evil, recall shows it once.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Self

from memory_platform.kernel.text import comparable, index_form
from snapshots.echo.policy import ECHO, EchoPolicy
from snapshots.echo.wording import (
    ATTRIBUTION,
    KINDS_OF_CONTACT,
    SUMMARY,
    Wording,
    acts,
    plain,
    says_for_oneself,
    speaks_to_or_of_the_user,
)

# Characters ``start`` to ``end`` of a message; the end is not included.
Span = tuple[int, int]

_ELEMENT = re.compile(r"<user_memory\b(?P<attributes>[^<>]{0,600})>(?P<body>[^<]*)</user_memory>")
# A prompt that is one text marks the user's own words with this. The words stay.
_QUERY = re.compile(r"</?query>")
# The attributes of a memory element in our prompts. Nobody writes them by hand.
_OURS = re.compile(
    r'\s*source="[^"]*" confidence="[^"]*" provenance="[^"]*"(?: valid_since="[^"]*" category="[^"]*")?'
    r'(?: nonce="[^"]*")?\s*'
)
_SENTENCE = re.compile(
    r"(?:[^.!?。！？\n]|(?:(?<=\bSt)|(?<=\bMr)|(?<=\bMs)|(?<=\bDr)|(?<=\bMrs))\."
    r"|[.!?](?![\"”’」』)]{0,3}(?:[\s.!?]|$|[\u3400-\u9fff])))+(?:[.!?。！？]+[\"”’」』)]*)?"
)
_QUOTED = re.compile(r'"[^"\n]{4,300}"|“[^”\n]{4,300}”|「[^」\n]{4,300}」|『[^』\n]{4,300}』')
_CLAUSE = re.compile(r"\s*[,;:，；：、]\s*|\s+(?:and|but|or|while)\s+|并且|而且|以及|和|但是?|还有")
_PAUSE = re.compile(r"[,;，；]")
# A list item in a prompt, with its date or below it.
_LISTED = re.compile(r"^- (?P<words>.+?)(?: \([^()]{0,9}\d[^()]{0,12}\))?$", re.MULTILINE)
_DAY = re.compile(r"(?:\d{1,2} [A-Z][a-z]{2}(?: \d{4})?:|(?:\d{4}年)?\d{1,2}月\d{1,2}日：)\s*")
_KEYED = re.compile(r"^[\s*•-]*[^\s:]{1,60}: ", re.MULTILINE)
_TELLS = re.compile(r'["“「『]|^\s*>', re.MULTILINE)
# A word and its stem share this many letters.
_STEM = 3


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A memory that a prompt showed: its words there, first at ``since``. ``said``: its words when it was learned."""

    text: str
    lane: str
    since: datetime
    said: str = ""
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or value of a memory, and its clauses where it has several."""

    whole: Wording
    clauses: tuple[Wording, ...]

    @classmethod
    def of(cls, text: str, *, has_clauses: bool) -> Self:
        """Return ``text`` as a unit."""
        clauses = [Wording.of(clause) for clause in _CLAUSE.split(text)] if has_clauses else []
        return cls(Wording.of(text), tuple(one for one in clauses if one.words) if len(clauses) > 1 else ())


@dataclass(frozen=True)
class _Held:
    """A shown memory as sentences are held against it; what is costly is made for those that share their words."""

    memory: ShownMemory

    @cached_property
    def form(self) -> str:
        """All of its words, to look for others in them."""
        return index_form(f"{self.memory.text} {self.memory.said}")

    @cached_property
    def units(self) -> list[_Unit]:
        """The memory, and each of its sentences and values: an answer may say one of them."""
        keyed = self.memory.lane == "preferences"
        return [_Unit.of(part, has_clauses=not keyed) for part in _parts_of(self.memory)]

    def says(self, said: Wording, words: frozenset[str], policy: EchoPolicy) -> bool:
        """Return whether one of its units says just that. ``words`` are those of ``said`` without names."""
        words = words - KINDS_OF_CONTACT if self.memory.lane == "tags" else words
        if not words or not all(word[:_STEM] in self.form for word in words):
            return False
        return any(said.form == unit.whole.form or _is_near(said, words, unit, policy) for unit in self.units)


@dataclass(frozen=True)
class Shown:
    """What the prompts of one subject showed. ``lines``: all else that stood in them, comparable, line by line."""

    memories: Sequence[ShownMemory] = ()
    lines: frozenset[str] = frozenset()

    @cached_property
    def rendered(self) -> dict[str, datetime]:
        """When a preference or tag first stood in a prompt as ``key: value``."""
        keyed = [one for one in self.memories if one.lane in {"preferences", "tags"}]
        return {plain(one.text): one.since for one in reversed(keyed)}

    @cached_property
    def names(self) -> frozenset[str]:
        """Words of the subject's own name: to be called by it is no news."""
        return frozenset().union(*(Wording.of(one.text).words for one in self.memories if one.is_name))

    @cached_property
    def _held(self) -> list[_Held]:
        return [_Held(one) for one in self.memories if not one.is_name]

    def holds(self, text: str, at: datetime, policy: EchoPolicy = ECHO) -> bool:
        """Return whether ``text`` says what one memory shown before ``at`` says, and nothing else."""
        said = Wording.of(text)
        words = said.words - self.names
        return bool(words) and any(one.memory.since < at and one.says(said, words, policy) for one in self._held)


@dataclass(frozen=True, slots=True)
class Echoes:
    """What in a message is echo: ``pasted`` elements and lines of a prompt, ``told`` whole sentences, ``quoted`` words
    inside of sentences."""

    pasted: tuple[Span, ...] = ()
    told: tuple[Span, ...] = ()
    quoted: tuple[Span, ...] = ()

    def hold(self, span: Span) -> bool:
        """Return whether what stands at ``span`` was read from echo alone."""
        first, last = span
        return any(start <= first and last <= stop for start, stop in (*self.pasted, *self.told, *self.quoted))

    def rest(self, text: str) -> str:
        """Return ``text`` without sentences, elements and lines that are echo."""
        cut = (*self.pasted, *self.told)
        if not cut:
            return text
        lines = blanked(text, cut).splitlines()
        return "\n".join(line.strip() for line in lines if line.strip())

    def unpasted(self, text: str) -> str:
        """Return ``text`` with blank lines for what is pasted: every other character keeps its place."""
        return blanked(text, self.pasted)


NO_ECHO = Echoes()


def may_echo(text: str, role: str) -> bool:
    """Return whether a message can hold an echo at all: a cheap look, before anything is read of what was shown."""
    if role != "user":
        return True
    if "<user_memory" in text or any(one.search(text) for one in (_TELLS, _KEYED, _LISTED)):
        return True
    return speaks_to_or_of_the_user(text) or ATTRIBUTION.match(text) is not None


def has_elements(text: str) -> bool:
    """Return whether a text holds an element as prompts hold memories."""
    return any(_OURS.fullmatch(found["attributes"]) for found in _ELEMENT.finditer(text))


def echoes_in(text: str, role: str, shown: Shown, at: datetime, policy: EchoPolicy = ECHO) -> Echoes:
    """Return what in a message of ``role``, accepted at ``at``, only comes back from a prompt."""
    pasted = [*_elements(text, shown, at)]
    pasted += _lines(blanked(text, pasted), shown)
    pasted += _listed(blanked(text, pasted), shown, at)
    read = blanked(text, pasted)[: policy.message_chars]
    told = tuple(_sentences(read, role, shown, at))
    may_quote = role == "user" and bool(shown.memories)
    quoted = tuple(one.span() for one in _QUOTED.finditer(read) if may_quote and _all_of(one.group(), shown, at))
    return Echoes(tuple(pasted), told, quoted) if pasted or told or quoted else NO_ECHO


def _elements(text: str, shown: Shown, at: datetime) -> Iterator[Span]:
    """Yield elements of a prompt's form, whatever they hold: it may have changed since; others when they hold what was
    shown."""
    if "<user_memory" not in text:
        return
    yield from (tag.span() for tag in _QUERY.finditer(text))
    for found in _ELEMENT.finditer(text):
        body = html.unescape(found["body"]).splitlines()
        lines = [line for line in body if line.strip() and not _DAY.fullmatch(line)]
        if _OURS.fullmatch(found["attributes"]) or (lines and all(shown.holds(line, at) for line in lines)):
            yield found.span()


def _lines(text: str, shown: Shown) -> Iterator[Span]:
    start = 0
    for line in text.splitlines(keepends=True):
        if comparable(line) in shown.lines:
            yield start, start + len(line.rstrip())
        start += len(line)


def _listed(text: str, shown: Shown, at: datetime) -> Iterator[Span]:
    """Yield lines as a prompt lists memories, where one that was shown says the same."""
    return (found.span() for found in _LISTED.finditer(text) if shown.holds(found["words"], at))


def _sentences(text: str, role: str, shown: Shown, at: datetime, policy: EchoPolicy = ECHO) -> Iterator[Span]:
    """Yield the sentences that are echo, each with the "you said:" that stands alone before it."""
    if not shown.memories:
        return
    opening: Span | None = None
    is_summary = False
    for found in _SENTENCE.finditer(text):
        said = found.group()
        if not said.strip() or len(said) > policy.sentence_chars:
            continue
        is_summary = is_summary or (role == "user" and SUMMARY.match(said) is not None)
        if _is_echo(said, role, shown, at) or (is_summary and _all_of(said, shown, at)):
            yield from [opening] if opening else []
            yield found.span()
            continue
        introduced = ATTRIBUTION.match(said)
        opening = found.span() if introduced and not plain(said[introduced.end() :]) else None


def _is_echo(said: str, role: str, shown: Shown, at: datetime) -> bool:
    if role != "user":
        return shown.holds(said, at) or (not acts(said) and _all_of(said, shown, at))
    told = ATTRIBUTION.match(said)
    if told:
        quoted, *own = _PAUSE.split(said[told.end() :])
        return not any(map(says_for_oneself, own)) and _all_of(" , ".join([quoted, *own]), shown, at)
    if plain(said) in shown.rendered:
        return shown.rendered[plain(said)] < at
    bare = said.strip()
    whole = _QUOTED.match(bare)
    if bare.startswith(">") or (whole and not plain(bare[whole.end() :])):
        return _all_of(bare, shown, at)
    return speaks_to_or_of_the_user(said) and not says_for_oneself(said) and _all_of(said, shown, at)


def _all_of(said: str, shown: Shown, at: datetime) -> bool:
    """Return whether a sentence, or each clause of it that says something, is what a memory says."""
    if shown.holds(said, at):
        return True
    clauses = [clause for clause in _CLAUSE.split(said) if Wording.of(clause).words - shown.names]
    return len(clauses) > 1 and all(shown.holds(clause, at) for clause in clauses)


def _is_near(said: Wording, words: frozenset[str], unit: _Unit, policy: EchoPolicy) -> bool:
    """Return whether ``words`` are most of a unit or all of a clause, nothing beside it, in its order and sense."""
    told = unit.whole
    strange = len(said.pairs - told.pairs)
    if not words <= told.words or strange > policy.strange_pairs * len(said.pairs):
        return False
    if len(words) >= policy.held_share * len(told.words) and _in_sense(said, told):
        return True
    return any(one.words <= words and _in_sense(said, one) for one in unit.clauses)


def _in_sense(said: Wording, told: Wording) -> bool:
    return said.denies is told.denies and (told.changes or not said.changes)


def _parts_of(memory: ShownMemory) -> Iterator[str]:
    """Yield a memory's words whole and in parts; each part of a ``key: value`` says what the key says of it."""
    yield memory.text
    if memory.said:
        yield memory.said
    if memory.lane == "preferences":
        key, _, values = re.sub(r" \([^()]*\)(?=: )", "", memory.text).partition(": ")  # without the category
        yield from (f"{key}: {value}" for value in _CLAUSE.split(values) if value.strip())
    else:
        yield from (sentence for sentence in _SENTENCE.findall(memory.text) if sentence != memory.text)


def blanked(text: str, spans: Sequence[Span]) -> str:
    """Return ``text`` with line ends in place of ``spans``, which do not overlap."""
    kept, at = [], 0
    for start, stop in sorted(spans):
        kept += [text[at:start], "\n" * (stop - start)]
        at = stop
    return "".join([*kept, text[at:]])
