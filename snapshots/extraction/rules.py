"""The shape of a rule for changes, and the ways to make candidates from what it matched.

A rule is a pattern anchored at the head of a clause and a builder. Tables of rules live in one module per subject and
language; adding a way of saying something is adding a row.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from snapshots.extraction.observe import Clause
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.values import Candidate, FactMode, Mode, PreferenceCandidate, ProfileFact, Value
from snapshots.sensitive.detector import mask_sensitive

AVOID = "avoid"
"""The key of lists of what is not to be eaten, used or driven over."""

Builder = Callable[[Clause, re.Match[str]], Iterable[Candidate]]

_FOR_GOOD = re.compile(
    r"(?:from now on|in (?:the )?future|going forward|as of (?:now|today)) (?=I\b|we\b)", re.IGNORECASE
)
"""Said before a statement without a comma: "from now on I prefer tea"."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying something. ``of_anyone`` rules also read clauses about others ("my mum's number is ...")."""

    pattern: re.Pattern[str]
    build: Builder
    of_anyone: bool = False


def rule(pattern: str, build: Builder, *, of_anyone: bool = False) -> Rule:
    """Return a rule whose ``pattern`` is matched from the head of the clause, case ignored."""
    return Rule(re.compile(pattern, re.IGNORECASE), build, of_anyone)


def apply(rules: Iterable[Rule], clause: Clause) -> Iterator[Candidate]:
    """Yield the candidates that the first matching rule of one table makes of ``clause``."""
    lead = _FOR_GOOD.match(clause.text)
    for each in rules:
        match = each.pattern.match(clause.text) or (each.pattern.match(clause.text, lead.end()) if lead else None)
        # The marks are read after the match: they cost more than a pattern that fails at its first letter.
        if match and clause.asserted and (each.of_anyone or clause.subject != "other"):
            found = list(each.build(clause, match))
            if found:
                yield from found
                return


def fact(
    field: str, clause: Clause, value: str, *, mode: FactMode = "overwrite", replaces: str | None = None
) -> ProfileFact:
    """Return a profile fact proven by ``clause``."""
    confidence = EXTRACTION.change_confidence if replaces else EXTRACTION.fact_confidence
    return ProfileFact(field, value, clause.evidence(), mode=mode, replaces=replaces, confidence=confidence)


def preference(
    clause: Clause,
    sort: Literal["change", "constraint"],
    place: tuple[str | None, str | None],
    mode: Mode,
    value: Value,
    replaces: str | None = None,
) -> PreferenceCandidate:
    """Return a preference at ``place`` (category, key) proven by ``clause``: a change, or a limit said beside one."""
    return PreferenceCandidate(
        category=place[0],
        key=place[1],
        value=value,
        statement=statement_of(clause),
        mode=mode,
        sort=sort,
        evidence=clause.evidence(),
        replaces=replaces,
        confidence=EXTRACTION.change_confidence if sort == "change" else EXTRACTION.explicit_confidence,
    )


def statement_of(clause: Clause) -> str:
    """Return the whole sentence in the user's words, sensitive data masked: what a person is shown as the reason."""
    end = clause.sentence_start + len(clause.sentence)
    return mask_sensitive(clause.utterance.text[clause.sentence_start : end].strip())[0]
