"""Find echoes: words that a prompt showed and that come back in a message. They are not learned again. Pure.

A subject who says a thing again in the first person is no echo. An echo stands in our own elements, in quotation marks,
after "you said", or in the assistant's words, and holds nothing new. In doubt a sentence is kept: learning a thing
twice is the lesser evil, because recall shows it once.
"""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Self

from memory_platform.kernel.text import index_form, to_comparable
from snapshots.echo.comparable_text import (
    ATTRIBUTION,
    KINDS_OF_CONTACT,
    SUMMARY,
    ComparableText,
    mentions_user,
    reports_action,
    speaks_of_speaker,
    strip_surrounding_marks,
)
from snapshots.echo.config import ECHO, EchoConfig

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
    """A memory that a prompt showed: its text there, first at ``since``; ``learned_text`` is the text when it was
    learned."""

    text: str
    lane: str
    since: datetime
    learned_text: str = ""
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class _MemoryPart:
    """A sentence or value of a memory, and its clauses where it has several."""

    whole: ComparableText
    clauses: tuple[ComparableText, ...]

    @classmethod
    def build(cls, text: str, *, has_clauses: bool) -> Self:
        clauses = [ComparableText.build(clause) for clause in _CLAUSE.split(text)] if has_clauses else []
        return cls(ComparableText.build(text), tuple(one for one in clauses if one.words) if len(clauses) > 1 else ())


@dataclass(frozen=True)
class _ComparableMemory:
    """A shown memory ready for comparison. Costly forms are computed only when a sentence shares its words."""

    memory: ShownMemory

    @cached_property
    def all_words(self) -> str:
        return index_form(f"{self.memory.text} {self.memory.learned_text}")

    @cached_property
    def parts(self) -> list[_MemoryPart]:
        """The memory, and each of its sentences and values: an answer may repeat just one."""
        keyed = self.memory.lane == "preferences"
        return [_MemoryPart.build(part, has_clauses=not keyed) for part in _split_memory(self.memory)]

    def repeats_words(self, text: ComparableText, words: frozenset[str]) -> bool:
        words = words - KINDS_OF_CONTACT if self.memory.lane == "tags" else words
        if not words or not all(word[:_STEM] in self.all_words for word in words):
            return False
        return any(text.form == unit.whole.form or _is_near_part(text, words, unit) for unit in self.parts)


@dataclass(frozen=True)
class ShownPrompts:
    """The content of one subject's prompts: ``memories``, and in ``lines`` all other lines in comparable form."""

    memories: Sequence[ShownMemory] = ()
    lines: frozenset[str] = frozenset()

    @cached_property
    def first_shown(self) -> dict[str, datetime]:
        keyed = [one for one in self.memories if one.lane in {"preferences", "tags"}]
        return {strip_surrounding_marks(one.text): one.since for one in reversed(keyed)}

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The words of the subject's own name: to be called by it is no news."""
        return frozenset().union(*(ComparableText.build(one.text).words for one in self.memories if one.is_name))

    @cached_property
    def _comparable(self) -> list[_ComparableMemory]:
        return [_ComparableMemory(one) for one in self.memories if not one.is_name]

    def repeats_memory(self, text: str, at: datetime) -> bool:
        """Return whether ``text`` repeats one memory that was shown before ``at``, and nothing else."""
        said = ComparableText.build(text)
        words = said.words - self.own_names
        return bool(words) and any(one.memory.since < at and one.repeats_words(said, words) for one in self._comparable)


@dataclass(frozen=True, slots=True)
class Echoes:
    """The echoes in a message: ``pasted`` elements and lines of a prompt, ``sentences`` repeated whole, ``quoted``
    words inside sentences."""

    pasted: tuple[Span, ...] = ()
    sentences: tuple[Span, ...] = ()
    quoted: tuple[Span, ...] = ()

    def covers(self, span: Span) -> bool:
        first, last = span
        return any(start <= first and last <= stop for start, stop in (*self.pasted, *self.sentences, *self.quoted))

    def remove_echoes(self, text: str) -> str:
        cut = (*self.pasted, *self.sentences)
        if not cut:
            return text
        lines = blank_spans(text, cut).splitlines()
        return "\n".join(line.strip() for line in lines if line.strip())

    def blank_pasted(self, text: str) -> str:
        """Return ``text`` with line ends in place of pasted parts, so that other characters keep their positions."""
        return blank_spans(text, self.pasted)


NO_ECHO = Echoes()


def may_echo(text: str, role: str) -> bool:
    """Return whether a message can hold an echo. Cheap: it needs no database."""
    if role != "user":
        return True
    if "<user_memory" in text or any(one.search(text) for one in (_TELLS, _KEYED, _LISTED)):
        return True
    return mentions_user(text) or ATTRIBUTION.match(text) is not None


def has_memory_elements(text: str) -> bool:
    return any(_OURS.fullmatch(found["attributes"]) for found in _ELEMENT.finditer(text))


def find_echoes(text: str, role: str, prompts: ShownPrompts, at: datetime, config: EchoConfig = ECHO) -> Echoes:
    """Return the echoes in a message of ``role`` that was accepted at ``at``."""
    pasted = [*_find_elements(text, prompts, at)]
    pasted += _find_prompt_lines(blank_spans(text, pasted), prompts)
    listed = _LISTED.finditer(blank_spans(text, pasted))
    pasted += [found.span() for found in listed if prompts.repeats_memory(found["words"], at)]
    read = blank_spans(text, pasted)[: config.message_chars]
    told = tuple(_find_sentences(read, role, prompts, at))
    may_quote = role == "user" and bool(prompts.memories)
    quoted = tuple(one.span() for one in _QUOTED.finditer(read) if may_quote and _repeats_all(one.group(), prompts, at))
    return Echoes(tuple(pasted), told, quoted) if pasted or told or quoted else NO_ECHO


def _find_elements(text: str, prompts: ShownPrompts, at: datetime) -> Iterator[Span]:
    """Yield elements as our prompts write them, whatever they hold, because the memory may have changed since; other
    elements when all their lines were shown."""
    if "<user_memory" not in text:
        return
    yield from (tag.span() for tag in _QUERY.finditer(text))
    for found in _ELEMENT.finditer(text):
        body = html.unescape(found["body"]).splitlines()
        lines = [line for line in body if line.strip() and not _DAY.fullmatch(line)]
        if _OURS.fullmatch(found["attributes"]) or (lines and all(prompts.repeats_memory(line, at) for line in lines)):
            yield found.span()


def _find_prompt_lines(text: str, prompts: ShownPrompts) -> Iterator[Span]:
    start = 0
    for line in text.splitlines(keepends=True):
        if to_comparable(line) in prompts.lines:
            yield start, start + len(line.rstrip())
        start += len(line)


def _find_sentences(text: str, role: str, prompts: ShownPrompts, at: datetime) -> Iterator[Span]:
    """Yield the sentences that are echoes, each with a "you said:" that stands alone before it."""
    if not prompts.memories:
        return
    opening: Span | None = None
    is_summary = False
    for found in _SENTENCE.finditer(text):
        said = found.group()
        if not said.strip() or len(said) > ECHO.sentence_chars:
            continue
        is_summary = is_summary or (role == "user" and SUMMARY.match(said) is not None)
        if _is_echo_sentence(said, role, prompts, at) or (is_summary and _repeats_all(said, prompts, at)):
            yield from [opening] if opening else []
            yield found.span()
            continue
        introduced = ATTRIBUTION.match(said)
        opening = found.span() if introduced and not strip_surrounding_marks(said[introduced.end() :]) else None


def _is_echo_sentence(sentence: str, role: str, prompts: ShownPrompts, at: datetime) -> bool:
    if role != "user":
        return prompts.repeats_memory(sentence, at) or (
            not reports_action(sentence) and _repeats_all(sentence, prompts, at)
        )
    told = ATTRIBUTION.match(sentence)
    if told:
        quoted, *own = _PAUSE.split(sentence[told.end() :])
        return not any(map(speaks_of_speaker, own)) and _repeats_all(" , ".join([quoted, *own]), prompts, at)
    if strip_surrounding_marks(sentence) in prompts.first_shown:
        return prompts.first_shown[strip_surrounding_marks(sentence)] < at
    bare = sentence.strip()
    whole = _QUOTED.match(bare)
    if bare.startswith(">") or (whole and not strip_surrounding_marks(bare[whole.end() :])):
        return _repeats_all(bare, prompts, at)
    return mentions_user(sentence) and not speaks_of_speaker(sentence) and _repeats_all(sentence, prompts, at)


def _repeats_all(text: str, prompts: ShownPrompts, at: datetime) -> bool:
    if prompts.repeats_memory(text, at):
        return True
    clauses = [clause for clause in _CLAUSE.split(text) if ComparableText.build(clause).words - prompts.own_names]
    return len(clauses) > 1 and all(prompts.repeats_memory(clause, at) for clause in clauses)


def _is_near_part(text: ComparableText, words: frozenset[str], unit: _MemoryPart) -> bool:
    """Return whether ``words`` are most of a part or all of a clause, with nothing new, in its order and sense."""
    told = unit.whole
    strange = len(text.pairs - told.pairs)
    if not words <= told.words or strange > ECHO.strange_pairs * len(text.pairs):
        return False
    if len(words) >= ECHO.held_share * len(told.words) and _has_same_sense(text, told):
        return True
    return any(one.words <= words and _has_same_sense(text, one) for one in unit.clauses)


def _has_same_sense(text: ComparableText, memory_text: ComparableText) -> bool:
    return text.denies is memory_text.denies and (memory_text.changes or not text.changes)


def _split_memory(memory: ShownMemory) -> Iterator[str]:
    yield memory.text
    if memory.learned_text:
        yield memory.learned_text
    if memory.lane == "preferences":
        key, _, values = re.sub(r" \([^()]*\)(?=: )", "", memory.text).partition(": ")  # without the category
        yield from (f"{key}: {value}" for value in _CLAUSE.split(values) if value.strip())
    else:
        yield from (sentence for sentence in _SENTENCE.findall(memory.text) if sentence != memory.text)


def blank_spans(text: str, spans: Sequence[Span]) -> str:
    """Return ``text`` with line ends in place of ``spans``, which do not overlap."""
    kept, at = [], 0
    for start, stop in sorted(spans):
        kept += [text[at:start], "\n" * (stop - start)]
        at = stop
    return "".join([*kept, text[at:]])
