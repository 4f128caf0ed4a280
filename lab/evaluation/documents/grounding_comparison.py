"""How well sentences are told apart: those that a passage supports, and those with one fact changed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lab.evaluation.documents.lane_comparison import index_pieces, rank_pieces
from lab.evaluation.documents.page_anchors import GroundingSentence
from lab.evaluation.documents.questions_of_pages import cut_pages
from snapshots.knowledge.grounding.config import LIMITS, SUPPORT
from snapshots.knowledge.grounding.evidence import (
    ChosenEvidence,
    ComparedEvidence,
    PassageText,
    choose_evidence,
    compare_evidence,
)

LANGUAGES = ("en", "zh")
SUPPORTED, CHANGED, UNANSWERED = "supported", "changed", "without their passage"
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SentenceTask:
    """A sentence with the passages that it is compared with. ``is_cut_off``: the one that it is about was kept from
    it."""

    sentence: GroundingSentence
    passages: Sequence[PassageText]
    is_cut_off: bool = False

    @property
    def is_right(self) -> bool:
        return self.sentence.grounded and not self.is_cut_off


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """A sentence with its evidence."""

    task: SentenceTask
    evidence: ChosenEvidence | None

    @property
    def is_supported(self) -> bool:
        return self.evidence is not None and self.evidence.support >= SUPPORT.supported


def list_tasks(
    folder: Path, sentences: Sequence[GroundingSentence], advance: Callable[[int], object] = lambda _: None
) -> list[SentenceTask]:
    """Return sentences with the best passages of the pages of ``folder``/LANGUAGE, all of a language in one heap; each
    true sentence a second time without the passages of its page that hold its anchor. Nothing is stored."""
    tasks: list[SentenceTask] = []
    for language in LANGUAGES:
        own = [one for one in sentences if one.language == language]
        pieces = cut_pages(folder / language)
        orders = rank_pieces(index_pieces(pieces, None, advance), [one.sentence for one in own])
        orders_of = [(one, order, False) for one, order in zip(own, orders, strict=True)]
        orders_of += [
            (one, [i for i in order if not (pieces[i].file == one.file and pieces[i].holds(one.anchor))], True)
            for one, order, _ in orders_of
            if one.grounded
        ]
        for one, order, is_cut_off in orders_of:
            best = [PassageText(pieces[i].text, pieces[i].headings) for i in order[: LIMITS.chunks]]
            tasks.append(SentenceTask(one, best, is_cut_off))
        advance(len(own))
    return tasks


def compare_sentences(tasks: Sequence[SentenceTask]) -> list[list[ComparedEvidence]]:
    return compare_evidence([(one.sentence.sentence, one.passages) for one in tasks])[0]


def judge_sentences(tasks: Sequence[SentenceTask]) -> list[JudgedSentence]:
    found, _ = choose_evidence([(one.sentence.sentence, one.passages) for one in tasks])
    return [JudgedSentence(one, it) for one, it in zip(tasks, found, strict=True)]


def render_judgements(judged: Sequence[JudgedSentence]) -> Iterator[str]:
    """Yield precision and recall of "supported" over all sentences and by language, then what was taken for supported
    by the kind of change."""
    whole = [one for one in judged if not one.task.is_cut_off]
    by_language = {name: [one for one in whole if one.task.sentence.language == name] for name in LANGUAGES}
    for name, among in {"all": whole, **by_language}.items():
        precision, recall = compute_precision_and_recall(among)
        yield f"  {name:<4} {len(among)} sentences: precision {precision:.2f}, recall {recall:.2f} of supported"
    for kind in sorted({one.task.sentence.changed for one in whole if one.task.sentence.changed}):
        among = [one for one in whole if one.task.sentence.changed == kind]
        yield f"  {sum(one.is_supported for one in among)} of {len(among)} with another {kind} are called supported"
    cut = [one for one in judged if one.task.is_cut_off]
    yield f"  {sum(one.is_supported for one in cut)} of {len(cut)} whose passage is not there are called supported"


def compute_precision_and_recall(judged: Sequence[JudgedSentence]) -> tuple[float, float]:
    """Return both of "supported"; 0 where nothing is called so."""
    hits = sum(one.task.is_right and one.is_supported for one in judged)
    return hits / max(sum(one.is_supported for one in judged), 1), hits / max(
        sum(one.task.is_right for one in judged), 1
    )
