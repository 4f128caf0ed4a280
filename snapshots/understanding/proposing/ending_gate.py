"""The gate of proposed endings: the classifier of endings decides, with a lower threshold for doubt."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from snapshots.understanding.changes.ending_classifier import EndingEffect, classify_effects, find_meant_notes
from snapshots.understanding.changes.note_ending_sentences import ChangingSentence, list_sentences_with_grades
from snapshots.understanding.changes.predicted_endings import CurrentNote, NoteEnding
from snapshots.understanding.changes.sentence_note_features import list_pair_texts
from snapshots.understanding.config import CHANGES
from snapshots.understanding.grading.sentence_vectors import embed_sentences
from snapshots.understanding.proposing.answer_schema import ProposedEnding
from snapshots.understanding.proposing.config import JUDGING
from snapshots.understanding.proposing.model_quotes import GatedMessage
from snapshots.understanding.proposing.proposal_metrics import Outcome


def gate_endings(
    message: GatedMessage, proposed: Iterable[ProposedEnding], notes_by_handle: Mapping[str, CurrentNote]
) -> list[tuple[Outcome, NoteEnding | None]]:
    """Return the outcome of each proposed ending. No transaction may be open. A model makes notes doubtful at most:
    certain ends are found without it, and vital notes are left alone."""
    sentences = [one for one, _ in list_sentences_with_grades(message.spoken, message.grades)]
    judged: list[tuple[Outcome, NoteEnding | None]] = []
    for one in proposed:
        note = notes_by_handle.get(one.note)
        if note is None:
            judged.append(("unknown_name", None))
        elif note.content.is_vital:
            judged.append(("unsupported", None))
        else:
            found = next((made for each in sentences for made in _find_doubts(each, note)), None)
            judged.append(("accepted", found) if found else ("unsupported", None))
    return judged


def _find_doubts(changing: ChangingSentence, note: CurrentNote) -> Iterator[NoteEnding]:
    texts = [note.content]
    among = find_meant_notes(changing.sentence, texts)
    if among:
        vectors = embed_sentences(list_pair_texts(changing.sentence, texts))
        sooner = replace(CHANGES, doubt_from=JUDGING.doubt_from)
        for one in classify_effects(changing.sentence, texts, among, vectors, sooner):
            if one.effect is not EndingEffect.RETELLS:
                yield NoteEnding(note.id, EndingEffect.DOUBTS, changing.start, changing.end)
