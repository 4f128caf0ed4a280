"""The fast lane (G4): what the subject put right, what it replaces and what is new. Pure; the writer applies it."""

import re
from collections.abc import Collection, Iterator

from snapshots.extraction import (
    changes_en,
    changes_slots,
    changes_zh,
    corrections_en,
    corrections_frames_en,
    corrections_frames_zh,
    corrections_zh,
)
from snapshots.extraction.corrections_frames import LONGEST, frame_changes, is_plausible
from snapshots.extraction.corrections_reader import LONGEST_READ, is_doubtful
from snapshots.extraction.observe import Clause, whole_sentence
from snapshots.extraction.rules import apply
from snapshots.extraction.values import Candidate, Evidence, PreferenceCandidate, TagCandidate

_CUE_WORDS = """
not isn't don't meant now days lately longer more switch change replace make set stopped quit gone off given gave
used to moved again wrong sorry update instead rather should forget scratch drop ditch sold left cancel mind you wrote
drive no, actually scrap turns started took new became skip bored sick tired over retired converted upgraded
别 別 应 從 从 由 成 搬 卖 賣 不 换 換 改 现在 現在 最近 如今 以前 之前 过去 過去 原来 曾经 戒 搬 可以 调
調 应该 應該 不对 不對 错 錯 算了
"""
_GRAMMARS = {"en": corrections_frames_en.GRAMMAR, "zh": corrections_frames_zh.GRAMMAR}
_CUES = tuple(_CUE_WORDS.split())
_FRAME_CUES = tuple(sorted({cue for one in _GRAMMARS.values() for each in one.frames for cue in each.cues}))
_NO_MORE = re.compile(r"\b(?:any ?more|any longer|no longer)\b|已经|已經|早就|早已|再也|不再", re.IGNORECASE)
"""What is over is not refused: a limit may be read of the same words."""
_CLAUSES = {
    "en": (*corrections_en.CLAUSES, *changes_en.CLAUSES),
    "zh": (*corrections_zh.CLAUSES, *changes_zh.CLAUSES),
}
_WHOLE = {
    "en": (*corrections_en.WHOLE, *changes_en.WHOLE),
    "zh": (*corrections_zh.WHOLE, *changes_zh.WHOLE),
}

_SLOTS = {"en": changes_slots.slots_en, "zh": changes_slots.slots_zh}


def may_correct(text: str) -> bool:
    """Return whether ``text`` holds a word that corrections are made with: cheap, never misses what is found below."""
    lowered = text.lower()
    return _may_change(lowered) or (len(text) <= LONGEST and any(cue in lowered for cue in _FRAME_CUES))


def sentence_changes(clauses: list[Clause]) -> list[Candidate]:
    """Return the changes said across a whole sentence ("not X, Y"); where there are any, it says nothing else."""
    if not _may_change(clauses[0].sentence.lower()):
        return []
    whole = whole_sentence(clauses)
    if _GRAMMARS[whole.language].idle.search(whole.sentence):
        return []
    for found in (apply(_WHOLE[whole.language], whole), _SLOTS[whole.language](whole)):
        changes = [change for change in found if is_plausible(change, _GRAMMARS[whole.language])]
        if changes:
            return changes
    return []


def clause_changes(clause: Clause) -> Iterator[Candidate]:
    """Yield the changes of one clause ("now I like ...", "no longer ...")."""
    if _may_change(clause.sentence.lower()):
        yield from apply(_CLAUSES[clause.language], clause)


def framed_changes(clauses: list[Clause], stated: Collection[Candidate]) -> list[Candidate]:
    """Return what a sentence puts right in a way that the tables above do not know, whatever it is about.

    What does not name the wrong value says nothing beside a candidate that is ``stated`` with its place. Frames fit
    much that is no correction, so what a reader doubts is none; the tables above are exact, and stand against it.
    """
    found = frame_changes(clauses, _GRAMMARS[clauses[0].language])
    told = [value.lower() for one in stated for value in _values(one)]
    around = [one.evidence for one in stated]
    changes = [one for one in found if not (_is_told(one, told) or _is_beside(one, around))]
    return [] if changes and _is_doubtful(clauses[0]) else changes


def _is_doubtful(clause: Clause) -> bool:
    """Return whether the words around a clause are unlikely to put anything right."""
    whole = clause.utterance.text
    return is_doubtful(whole if len(whole) <= LONGEST_READ else whole[clause.sentence_start :])


def _is_told(change: Candidate, told: Collection[str]) -> bool:
    if not isinstance(change, PreferenceCandidate) or change.replaces is not None:
        return False
    if change.mode == "remove" and _NO_MORE.search(change.statement):
        return False
    words = " ".join(_values(change)).lower()
    return any(value in words or words in value for value in told)


def _is_beside(change: Candidate, stated: Collection[Evidence]) -> bool:
    """Return whether the words of a change that names no object are those of something stated with its place."""
    if not isinstance(change, PreferenceCandidate) or change.category or change.replaces or change.mode == "remove":
        return False
    return any(change.texts[0] in one.quote for one in stated)


def _values(found: Candidate) -> tuple[str, ...]:
    return found.texts[1:] if isinstance(found, TagCandidate) else found.texts


def _may_change(lowered: str) -> bool:
    return any(cue in lowered for cue in _CUES)
