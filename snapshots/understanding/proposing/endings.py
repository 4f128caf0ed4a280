"""The gate of proposed endings: the classifier of endings decides, with a lower threshold for doubt."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from snapshots.understanding.changes.foresee import Ending, HeldChange
from snapshots.understanding.changes.judge import Effect, candidates_among, judge
from snapshots.understanding.changes.pairs import texts_of
from snapshots.understanding.changes.sentences import Changing, told_sentences
from snapshots.understanding.config import CHANGES
from snapshots.understanding.grading.vectors import vectors_of
from snapshots.understanding.proposing.config import JUDGING, JudgingPolicy
from snapshots.understanding.proposing.counting import Outcome
from snapshots.understanding.proposing.passages import Said
from snapshots.understanding.proposing.shape import ProposedEnding


def judge_endings(
    said: Said, proposed: Iterable[ProposedEnding], held: Mapping[str, HeldChange], policy: JudgingPolicy = JUDGING
) -> list[tuple[Outcome, Ending | None]]:
    """Return the outcome of each proposed ending. No transaction may be open.

    A model makes notes doubtful at most: certain ends are found without it, and vital notes are left alone.
    """
    sentences = [one for one, _ in told_sentences(said.spoken, said.grades)]
    judged: list[tuple[Outcome, Ending | None]] = []
    for one in proposed:
        note = held.get(one.note)
        if note is None:
            judged.append(("unknown_name", None))
        elif note.said.is_vital:
            judged.append(("unsupported", None))
        else:
            found = next((made for each in sentences for made in _doubts(each, note, policy)), None)
            judged.append(("accepted", found) if found else ("unsupported", None))
    return judged


def _doubts(changing: Changing, note: HeldChange, policy: JudgingPolicy) -> Iterator[Ending]:
    texts = [note.said]
    among = candidates_among(changing.sentence, texts)
    if among:
        vectors = vectors_of(texts_of(changing.sentence, texts))
        sooner = replace(CHANGES, doubt_from=policy.doubt_from)
        for one in judge(changing.sentence, texts, among, vectors, sooner):
            if one.effect is not Effect.RETELLS:
                yield Ending(note.id, Effect.DOUBTS, changing.start, changing.end)
