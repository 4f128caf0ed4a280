"""Join the clauses of a message into note parts: the smallest parts that stand alone.

Lasting clauses of one sentence are one part, with the words between them. A sentence that depends on the one before it
("She's two") joins it. A fragment is kept only with a high grade, or as the answer to a question.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memory_platform.kernel.pattern_files import load_patterns
from snapshots.models import VitalClass
from snapshots.understanding.config import NOTING, NotingConfig
from snapshots.understanding.drafting.person_mentions import opens_with_person
from snapshots.understanding.grading.clause_classifier import ClauseGrade
from snapshots.understanding.grading.clause_cues import (
    find_outright_vital,
    find_vital_cues,
    has_cue,
    says_from_now_on,
)
from snapshots.understanding.grading.clause_features import SpokenMessage, count_words
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.modality import is_question
from snapshots.understanding.reading.text_folding import estimate_tokens, fold_for_matching
from snapshots.understanding.reading.vital_words import (
    classify_vital_words,
    drop_things_named_after_illnesses,
    gives_order,
    may_be_vital,
    tells_only_reaction,
)
from snapshots.understanding.reading.web_addresses import has_link

_RE = load_patterns(Path(__file__).with_name("note_parts.toml"))
# Words, and Chinese characters, of a part that says little by itself.
_FRAGMENT_EN, _FRAGMENT_ZH = 3, 5
# Characters around a clause in which it may be laughed at.
_LAUGHED_AT = 24


@dataclass(frozen=True, slots=True)
class NotePart:
    """Characters ``start`` to ``end`` of a message that become a note, and the grade that speaks for it."""

    start: int
    end: int
    sentence: int
    grade: ClauseGrade
    vital_class: str
    language: str
    is_other: bool = False


def assemble_parts(
    message: SpokenMessage, grades: Sequence[ClauseGrade], config: NotingConfig = NOTING
) -> list[NotePart]:
    """Return the lasting parts of a message, in order, from the grades of its clauses."""
    lasting = [
        _build_part(message, clause, grade, config) for clause, grade in zip(message.clauses, grades, strict=False)
    ]
    before = [None if clause.in_question else part for clause, part in zip(message.clauses, lasting, strict=False)]
    kept = [
        _extend_back(part, named, message, config) if named else part
        for named, part in zip([None, *before], lasting, strict=False)
        if part.grade.lasting >= _find_least_lasting(part, message, config)
    ]
    whole = _join_parts(kept, _is_one_statement, message, config)
    joined = _join_parts(whole, _depends_on_previous, message, config)
    return [part for part in joined if not _is_weak_fragment(part, message, config)]


def is_about_other(text: str, language: str, grade: ClauseGrade, config: NotingConfig = NOTING) -> bool:
    if grade.other >= config.other_from:
        return True
    return grade.other >= config.other_opening_from and opens_with_person(text, language)


def find_vital_class(clause: Clause, grade: ClauseGrade, config: NotingConfig = NOTING, sentence: str = "") -> str:
    """Return why a clause is vital: by its words alone, by a class on which words and classifier agree, or by the
    classifier if it is nearly sure; "" otherwise, and for orders and links."""
    form = fold_for_matching(clause.text)
    if not may_be_vital(form, sentence or form):
        return ""
    if not clause.in_question and (by_words := classify_vital_words(form)):
        return by_words
    if is_question(form, ends_asked=False, language=clause.language) and not _names_anybody(form):
        return ""
    said = drop_things_named_after_illnesses(form)
    cues = find_vital_cues(said)
    if cues and grade.vital >= config.vital_from:
        return grade.vital_class if grade.vital_class in cues else cues[0]
    is_sure = grade.vital >= config.vital_without_cue and said == form
    return grade.vital_class if is_sure else find_outright_vital(said)


def names_vital(form: str) -> bool:
    """Return whether the words of a clause (matching form) name what is vital, whatever the classifier finds."""
    return bool(find_vital_cues(form) or classify_vital_words(form) or find_outright_vital(form))


def _names_anybody(form: str) -> bool:
    return any(has_cue(name, form) for name in ("me", "us", "people", "third"))


def _build_part(message: SpokenMessage, clause: Clause, grade: ClauseGrade, config: NotingConfig) -> NotePart:
    around = fold_for_matching(message.text[max(0, clause.start - _LAUGHED_AT) : clause.end + _LAUGHED_AT])
    form = fold_for_matching(clause.text)
    # Nothing is vital that is the reason of an instruction.
    vital = "" if message.sentence_has_order(clause.sentence) else find_vital_class(clause, grade, config, around)
    if message.is_asked_to_remember(clause.start, clause.end):
        grade = replace(grade, lasting=1.0)
    elif clause.in_question and not vital:
        grade = replace(grade, lasting=grade.lasting * config.held_from / config.asked_held_from)
    elif says_from_now_on(form) or (vital and classify_vital_words(form) == "allergy"):
        grade = replace(grade, lasting=max(grade.lasting, config.held_from))
    is_other = is_about_other(clause.text, clause.language, grade, config)
    return NotePart(clause.start, clause.end, clause.sentence, grade, vital, clause.language, is_other)


def _find_least_lasting(part: NotePart, message: SpokenMessage, config: NotingConfig) -> float:
    """Return from which probability on a part is kept: words that name what is vital need less than the classifier's
    word alone."""
    form = fold_for_matching(message.text[part.start : part.end])
    return config.vital_held_from if part.vital_class and names_vital(form) else config.held_from


def _extend_back(part: NotePart, before: NotePart, message: SpokenMessage, config: NotingConfig) -> NotePart:
    """Return a part that only says "him", "that's how" or "her lips swell up" together with the clause before it, which
    names the person or thing."""
    text = message.text[part.start : part.end]
    is_reaction = part.vital_class == "allergy" and tells_only_reaction(fold_for_matching(text))
    if not (points_back(text) or is_reaction) or part.sentence - before.sentence > (not is_reaction):
        return part
    if not _may_join(replace(before, vital_class=""), part, message, config):
        return part
    return replace(part, start=before.start, is_other=part.is_other or before.is_other)


def _is_one_statement(before: NotePart, after: NotePart, text: str) -> bool:
    """Return whether parts of one sentence are one note: not two statements with subjects of their own of which only
    one is vital or about somebody else."""
    if before.sentence != after.sentence:
        return False
    if (bool(before.vital_class), before.is_other) == (bool(after.vital_class), after.is_other):
        return True
    if _is_fragment_part(before, text) or _is_fragment_part(after, text):
        return True
    first, second = (fold_for_matching(text[one.start : one.end]) for one in (before, after))
    is_reason = _RE["reason"].search(fold_for_matching(text[before.end : after.end])[: after.start - before.end + 2])
    return (
        is_reason is not None
        or _RE["refers"].search(second) is not None
        or not (_RE["own_subject"].match(first) and _RE["own_subject"].match(second))
    )


def points_back(text: str) -> bool:
    """Return whether all that a clause says refers to the clause before it: "that's how I have it", 就是他."""
    return _RE["points_back"].search(fold_for_matching(text)) is not None


def _join_parts(
    parts: Iterable[NotePart],
    belong: Callable[[NotePart, NotePart, str], bool],
    message: SpokenMessage,
    config: NotingConfig,
) -> list[NotePart]:
    joined: list[NotePart] = []
    for part in parts:
        before = joined[-1] if joined else None
        if before and belong(before, part, message.text) and _may_join(before, part, message, config):
            telling = _choose_telling_part(before, part)
            lasting = max(before.grade.lasting, part.grade.lasting)
            joined[-1] = replace(
                telling,
                start=before.start,
                end=part.end,
                sentence=part.sentence,
                grade=replace(telling.grade, lasting=lasting),
                vital_class=_choose_graver_class(before.vital_class, part.vital_class),
                language=before.language,
            )
        else:
            joined.append(part)
    return joined


def _choose_graver_class(first: str, second: str) -> str:
    """Return the class that is told first in the closed list, where both are vital: an illness before safety."""
    return min(filter(None, (first, second)), key=VitalClass.values.index, default="")


def _choose_telling_part(before: NotePart, after: NotePart) -> NotePart:
    """Return the part whose grade the joined note has: the vital one, which must not end with a plan beside it, be that
    vital, too; else the surer one."""
    return max(
        before,
        after,
        key=lambda part: (
            bool(part.vital_class),
            bool(part.vital_class) and part.grade.kind != "plan",
            part.grade.lasting,
        ),
    )


def _may_join(before: NotePart, after: NotePart, message: SpokenMessage, config: NotingConfig) -> bool:
    """Return whether two parts are short enough for one note and hold no instruction. A vital part is not joined with a
    link (it would lose its mark) or with an order (every prompt would then show it)."""
    text, both = message.text, message.text[before.start : after.end]
    if estimate_tokens(both) > config.tokens or message.span_has_order(before.end, after.start):
        return False
    if not (before.vital_class or after.vital_class):
        return True
    orders = any(
        gives_order(fold_for_matching(text[one.start : one.end])) for one in (before, after) if not one.vital_class
    )
    return not orders and not has_link(both)


def _depends_on_previous(before: NotePart, after: NotePart, text: str) -> bool:
    if after.sentence - before.sentence != 1:
        return False
    return (
        _RE["leans"].match(fold_for_matching(text[after.start : after.end])) is not None
        or _is_fragment_part(after, text)
        or _is_fragment_part(before, text)
    )


def _is_fragment_part(part: NotePart, text: str) -> bool:
    return is_fragment(text[part.start : part.end], part.language)


def is_fragment(text: str, language: str) -> bool:
    """Return whether a part is too short to say much; "I'm vegan" and 我有哮喘 have a subject."""
    if _RE["has_subject"].match(text):
        return False
    if language == "zh":
        return len(_RE["han"].findall(text)) <= _FRAGMENT_ZH
    return count_words(text) <= _FRAGMENT_EN


def _is_weak_fragment(part: NotePart, message: SpokenMessage, config: NotingConfig) -> bool:
    if not _is_fragment_part(part, message.text) or part.grade.lasting >= config.fragment_from or part.vital_class:
        return False
    return not message.answer and not (message.follows_question and part.start == message.clauses[0].start)
