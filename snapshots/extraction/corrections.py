"""The fast lane (G4): what the subject put right, what it replaces and what is new. Pure; the writer applies it."""

from collections.abc import Iterator

from snapshots.extraction import changes_en, changes_zh, corrections_en, corrections_zh
from snapshots.extraction.observe import Clause, whole_sentence
from snapshots.extraction.rules import apply
from snapshots.extraction.values import Candidate

_CUE_WORDS = """
not isn't don't meant now days lately longer more switch change replace make set stopped quit gone off given gave
used to moved again wrong sorry update instead rather should forget scratch drop ditch sold left cancel mind you wrote
drive no, actually
别 別 应 從 从 由 成 搬 卖 賣 不 换 換 改 现在 現在 最近 如今 以前 之前 过去 過去 原来 曾经 戒 搬 可以 调
調 应该 應該 不对 不對 错 錯 算了
"""
_CUES = tuple(_CUE_WORDS.split())
_CLAUSES = {
    "en": (*corrections_en.CLAUSES, *changes_en.CLAUSES),
    "zh": (*corrections_zh.CLAUSES, *changes_zh.CLAUSES),
}
_WHOLE = {
    "en": (*corrections_en.WHOLE, *changes_en.WHOLE),
    "zh": (*corrections_zh.WHOLE, *changes_zh.WHOLE),
}


def may_correct(text: str) -> bool:
    """Return whether ``text`` holds a word that corrections are made with: cheap, never misses what is found below."""
    lowered = text.lower()
    return any(cue in lowered for cue in _CUES)


def sentence_changes(clauses: list[Clause]) -> list[Candidate]:
    """Return the changes said across a whole sentence ("not X, Y"); where there are any, it says nothing else."""
    if not may_correct(clauses[0].sentence):
        return []
    whole = whole_sentence(clauses)
    return list(apply(_WHOLE[whole.language], whole))


def clause_changes(clause: Clause) -> Iterator[Candidate]:
    """Yield the changes of one clause ("now I like ...", "no longer ...")."""
    if may_correct(clause.sentence):
        yield from apply(_CLAUSES[clause.language], clause)
