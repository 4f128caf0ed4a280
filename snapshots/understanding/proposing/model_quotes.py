"""Locate a model's quotes in a message, and check the clauses around them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from snapshots.understanding.grading.clause_classifier import ClauseGrade
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading import modality
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.text_folding import fold_for_matching

_EDGES = " \t\r\n\"'“”‘’「」『』.,;:!?…。,、;:!?"
_LETTER = re.compile(r"[^\W_]")
_WORDLIKE = re.compile(r"[a-z0-9]")


@dataclass(frozen=True, slots=True)
class GatedMessage:
    """A message for the gate: its text, the subject's own clauses, and their grades."""

    text: str
    spoken: SpokenMessage
    grades: Sequence[ClauseGrade]

    def list_clauses(self, start: int, end: int) -> list[tuple[Clause, ClauseGrade]]:
        pairs = zip(self.spoken.clauses, self.grades, strict=False)
        return [(clause, grade) for clause, grade in pairs if clause.start < end and start < clause.end]

    def sentence_span(self, clause: Clause) -> tuple[int, int]:
        parts = [one for one in self.spoken.clauses if one.sentence == clause.sentence]
        return parts[0].start, parts[-1].end


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return where ``quote`` stands in ``text`` as whole words; case, blanks, script, and marks at its edges do not
    matter."""
    parts = fold_for_matching(quote).lower().strip(_EDGES).split()
    if not parts:
        return None
    form = fold_for_matching(text)
    lowered = form.lower()
    form = lowered if len(lowered) == len(form) else form
    before = r"(?<![a-z0-9])" if _WORDLIKE.match(parts[0]) else ""
    after = r"(?![a-z0-9])" if _WORDLIKE.match(parts[-1][-1]) else ""
    found = re.search(before + r"\s{1,9}".join(map(re.escape, parts)) + after, form)
    return found.span() if found else None


def compute_quoted_share(clause: Clause, start: int, end: int) -> float:
    inside = clause.text[max(0, start - clause.start) : max(0, end - clause.start)]
    return len(_LETTER.findall(inside)) / max(1, len(_LETTER.findall(clause.text)))


def is_asserted(message: GatedMessage, clause: Clause) -> bool:
    form = fold_for_matching(message.spoken.text)
    start, end = message.sentence_span(clause)
    own, sentence = form[clause.start : clause.end], form[start:end]
    ends_asked = clause.in_question and clause.end == end  # the mark closes the last clause of a sentence
    if modality.is_question(own, ends_asked=ends_asked, language=clause.language):
        return False
    return not (modality.is_hypothetical(own, sentence) or modality.is_ironic(sentence))


def is_temporary(clause: Clause, grade: ClauseGrade) -> bool:
    """Return whether a clause holds only for a while; a plan may name its day."""
    form = fold_for_matching(clause.text)
    return grade.kind != "plan" and modality.is_for_now(form) and not modality.is_lasting(form)


def is_in_quotes(message: GatedMessage, start: int, end: int) -> bool:
    """Return whether a span stands in quotation marks, and so may be somebody else's words."""
    quoted = modality.find_quotations(fold_for_matching(message.spoken.text))
    return any(first < end and start < last for first, last in quoted)
