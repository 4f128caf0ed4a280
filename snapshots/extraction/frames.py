"""Frames: ways of saying something that may stand anywhere in a clause, found by the words they cannot do without.

A frame is the fixed part of a way of speaking ("can't stand ...", ...受不了) with a slot; what fills the slot is read
by the phrase parsers. Only frames whose cue stands in the clause are tried, so that many frames cost little.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from snapshots.extraction.marks import ONE_OFF
from snapshots.extraction.observe import Clause
from snapshots.extraction.rules import Builder
from snapshots.extraction.values import Candidate

Guard = Callable[[Clause], bool]


@dataclass(frozen=True, slots=True)
class Frame:
    """``pattern`` is searched in clauses that hold one of ``cues``; ``of_anyone`` frames also read of others.

    ``last``: of several places where it fits, the last one tells ("going to work I always take the tram").
    """

    cues: frozenset[str]
    pattern: re.Pattern[str]
    build: Builder
    of_anyone: bool = False
    last: bool = False

    def matches(self, text: str) -> list[re.Match[str]]:
        """Return where the frame fits, most telling first."""
        if not self.last:
            first = self.pattern.search(text)
            return [first] if first else []
        return list(self.pattern.finditer(text))[::-1]


def frame(cues: str, pattern: str, build: Builder, *, of_anyone: bool = False, last: bool = False) -> Frame:
    """Return a frame; ``cues`` are words (English) or characters (Chinese), parted by blanks."""
    return Frame(frozenset(cues.split()), re.compile(pattern, re.IGNORECASE), build, of_anyone, last)


class Frames:
    """A table of frames in order of precedence, indexed by cue."""

    def __init__(self, frames: Iterable[Frame], *, cues_in: Callable[[str], Iterable[str]]) -> None:
        self._frames = tuple(frames)
        self._cues_in = cues_in
        self._at: dict[str, list[int]] = {}
        for position, each in enumerate(self._frames):
            for cue in each.cues:
                self._at.setdefault(cue, []).append(position)

    def read(self, clause: Clause, *, unless: Sequence[Guard] = (), momentary: bool = False) -> Iterator[Candidate]:
        """Yield what the first frame that fits finds; nothing where ``clause`` is not asserted or a guard holds.

        ``momentary``: it may name a moment ("third time this week").
        """
        due = {position for cue in self._cues_in(clause.text) for position in self._at.get(cue, ())}
        for position in sorted(due):
            each = self._frames[position]
            matches = each.matches(clause.text) if clause.subject != "other" or each.of_anyone else []
            if not matches:
                continue
            if not clause.asserted or (clause.one_off and not momentary) or any(guard(clause) for guard in unless):
                return
            found = next(filter(None, (list(each.build(clause, match)) for match in matches)), None)
            if found:
                yield from found
                return

    def read_all(self, clause: Clause) -> Iterator[Candidate]:
        """Yield what every frame that fits finds in ``clause``: its parts may each tell something."""
        due = {position for cue in self._cues_in(clause.text) for position in self._at.get(cue, ())}
        for position in sorted(due):
            each = self._frames[position]
            matches = each.matches(clause.text) if clause.subject != "other" or each.of_anyone else []
            if matches and clause.asserted and not (clause.one_off and _passes(clause, matches[0])):
                yield from each.build(clause, matches[0])


def _passes(clause: Clause, match: re.Match[str]) -> bool:
    """Return whether a word of the moment is said of what ``match`` found, and not by the way of something else."""
    begin = clause.text.rfind(",", 0, match.start()) + 1
    end = clause.text.find(",", match.end())
    piece = clause.text[begin : end if end >= 0 else len(clause.text)]
    return ONE_OFF.search(piece) is not None or _TODAY.search(clause.sentence) is not None


_TODAY = re.compile(
    r"\b(?:today|tonight|tomorrow|this (?:time|once|trip|morning|afternoon|evening|weekend|week)|for now)\b"
    r"|[今明昨]|这[次回趟两]|暂时|本次|待会|周末",
    re.IGNORECASE,
)
"""Words of a moment that a whole sentence is about; "at the moment" and "last year" are of their own words only."""


_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


@lru_cache(maxsize=8)  # each table of frames asks for the words of the same clause
def words_in(text: str) -> Iterable[str]:
    """Return the lower-case words of English ``text``, apostrophes left out: "can't" is "cant"."""
    return frozenset(word.replace("'", "") for word in _WORD.findall(text.lower()))


def cues_of(cues: Iterable[str]) -> Callable[[str], Iterable[str]]:
    """Return the finder of Chinese cues: the characters of a text and, of ``cues``, the longer ones in it."""
    longer = tuple(sorted({cue for cue in cues if len(cue) > 1}))

    def found(text: str) -> Iterable[str]:
        return {*text, *(cue for cue in longer if cue in text)}

    return found
