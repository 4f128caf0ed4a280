"""A candidate of Chinese rules beside the words it was found in: who is spoken of, and where the value stands."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from snapshots.extraction.observe import matching_form
from snapshots.extraction.values import Candidate, PreferenceCandidate, ProfileFact, TagCandidate
from snapshots.extraction.words_zh import Word, is_telling, words_at

_ME = re.compile(r"我|咱|俺|本人")
_TO_ME = re.compile(r"(?:让|给|对|跟|和|吸引|使|帮|令|为|向|把|被|叫|替|问|告诉|通知)我|我们?(?:酒店|宾馆|公司|店)")
"""The speaker as somebody's object, and a firm that speaks of itself."""
ADDRESSED = re.compile(r"我|俺|咱|你|您|改|换|以后|记|不对|(?<!不)错(?!过)|说[的过错]|才对|本人|现在在")
"""Who says so speaks of himself or to the assistant, or puts something right."""


@dataclass(frozen=True)
class Told:
    """A candidate beside its words, in matching form: ``quote`` is the clause, ``message`` all that was written."""

    candidate: Candidate
    quote: str
    message: str
    values: tuple[str, ...]
    replaces: str

    @cached_property
    def value(self) -> str:
        """The first thing that it would bring into memory."""
        return self.values[0] if self.values else ""

    @cached_property
    def at(self) -> int:
        """Where the value stands in the quote; -1 where it does not."""
        return self.quote.find(self.value) if self.value else -1

    @cached_property
    def inside(self) -> tuple[Word, ...]:
        """The words of the value."""
        return words_at(self.quote, self.value)

    @cached_property
    def behind(self) -> str:
        """What the quote says after the value."""
        return self.quote[self.at + len(self.value) :] if self.at >= 0 else ""

    @cached_property
    def before(self) -> str:
        """What the quote says before the value."""
        return self.quote[: self.at] if self.at > 0 else ""

    @cached_property
    def of_me(self) -> bool:
        """Does the speaker act in this clause?"""
        return _ME.search(_TO_ME.sub("", self.quote)) is not None

    @cached_property
    def names_me(self) -> bool:
        return _ME.search(self.quote) is not None

    @cached_property
    def mine(self) -> bool:
        """Is the speaker named anywhere in the message?"""
        return _ME.search(self.message) is not None

    @cached_property
    def telling(self) -> bool:
        return is_telling(self.message)

    @property
    def sort(self) -> str:
        if isinstance(self.candidate, PreferenceCandidate):
            return self.candidate.sort
        if isinstance(self.candidate, TagCandidate):
            return "tag"
        return "change" if self.candidate.replaces else "profile"

    @property
    def key(self) -> str:
        if isinstance(self.candidate, ProfileFact):
            return self.candidate.field
        return (self.candidate.key or "") if isinstance(self.candidate, PreferenceCandidate) else ""


Check = Callable[[Told], bool]
"""One reason against a candidate: true where it is not the speaker's, does not last or is no name."""


def told_in(candidate: Candidate, message: str) -> Told:
    """Return ``candidate`` beside its words; ``message`` is in matching form."""
    match candidate:
        case TagCandidate():
            values = [*filter(None, (candidate.address, candidate.phone)), *candidate.aliases]
        case ProfileFact():
            values = [candidate.value]
        case PreferenceCandidate():
            values = list(candidate.value) if isinstance(candidate.value, tuple) else [str(candidate.value)]
    replaces = "" if isinstance(candidate, TagCandidate) else candidate.replaces or ""
    quote = matching_form(candidate.evidence.quote)
    return Told(candidate, quote, message, tuple(map(matching_form, values)), matching_form(replaces))
