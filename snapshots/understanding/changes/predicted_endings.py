"""Predict endings before anything is written: no transaction may be open while texts are embedded."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import AboutKind, Message, Note, Snapshot, SnapshotKind
from snapshots.understanding.changes.change_words import has_change_cue
from snapshots.understanding.changes.ending_classifier import STRENGTH, EndingEffect, classify_effects, find_meant_notes
from snapshots.understanding.changes.mentioned_people import SELF
from snapshots.understanding.changes.note_ending_sentences import ChangingSentence
from snapshots.understanding.changes.sentence_note_features import NoteText, SaidSentence, list_pair_texts
from snapshots.understanding.config import CHANGES, ChangeConfig
from snapshots.understanding.drafting.note_drafts import NoteDraft
from snapshots.understanding.grading.sentence_vectors import Vectors, embed_sentences
from snapshots.understanding.reading.text_folding import fold_for_matching


@dataclass(frozen=True, slots=True)
class CurrentNote:
    """A note that a later sentence may end. ``seq`` is its message's order in its conversation; it holds until
    ``ended_at``."""

    id: UUID
    content: NoteText
    said_at: datetime
    conversation_id: UUID | None
    seq: int | None
    ended_at: datetime | None = None

    @classmethod
    def from_draft(cls, draft: NoteDraft) -> "CurrentNote":
        snapshot, details = draft.snapshot, draft.details
        said = NoteText(snapshot.text, _make_about_label(details.about_kind, details.about_label), details.vital_class)
        return cls(snapshot.id, said, snapshot.said_at, snapshot.conversation_id, snapshot.seq)


def is_said_before(note: CurrentNote | Snapshot, message: Message) -> bool:
    """Return whether a note was said before a message: by its order in one conversation, else by its time."""
    if note.conversation_id == message.conversation_id and note.seq is not None:
        return note.seq < message.seq
    return note.said_at <= message.said_at


@dataclass(frozen=True, slots=True)
class NoteEnding:
    """The effect of characters ``start`` to ``end`` of a message on a note. ``wrong`` are the words of the note that
    they correct; the rest of it stands."""

    note_id: UUID
    effect: EndingEffect
    start: int
    end: int
    wrong: str = ""

    @property
    def is_sure(self) -> bool:
        return self.effect is EndingEffect.ENDS


def load_current_notes(
    subject_id: UUID, *, since: datetime | None = None, config: ChangeConfig = CHANGES
) -> list[CurrentNote]:
    """Return the subject's newest current notes, oldest first, in the open scope. Two queries. With ``since``, also
    those that have ended since then, so that a message delivered again meets the notes of its time."""
    holds = (
        build_current_snapshot_condition() | Q(invalid_at__gte=since, retired_at__isnull=True)
        if since
        else build_current_snapshot_condition()
    )
    own = Snapshot.objects.filter(holds, subject_id=subject_id, kind=SnapshotKind.NOTE)
    newest = own.order_by("-position").values_list("id", "text", "said_at", "conversation_id", "seq", "invalid_at")
    rows = list(newest[: config.held_compared])[::-1]
    notes = Note.objects.filter(subject_id=subject_id, snapshot_id__in=[row[0] for row in rows])
    columns = ("snapshot_id", "about_kind", "about_label", "vital_class")
    details = {
        note_id: (_make_about_label(kind, label), vital) for note_id, kind, label, vital in notes.values_list(*columns)
    }
    return [
        CurrentNote(note_id, NoteText(text, *details[note_id]), said_at, conversation_id, seq, ended_at)
        for note_id, text, said_at, conversation_id, seq, ended_at in rows
        if note_id in details
    ]


@dataclass(frozen=True, slots=True)
class NoteComparison:
    """The sentences of one message beside the notes ``notes`` before it: for each sentence the indexes of notes that it
    may mean."""

    notes: Sequence[CurrentNote]
    pairs: Sequence[tuple[ChangingSentence, Sequence[int]]]

    @property
    def texts_to_embed(self) -> list[str]:
        told = ((one.sentence, [self.notes[place].content for place in places]) for one, places in self.pairs)
        return list(dict.fromkeys(text for sentence, held in told for text in list_pair_texts(sentence, held)))


def pair_sentences_with_notes(changing: Sequence[ChangingSentence], notes: Sequence[CurrentNote]) -> NoteComparison:
    texts = [one.content for one in notes]
    among = ((one, find_meant_notes(one.sentence, texts)) for one in changing)
    meant = ((one, [at for at in places if not _only_repeats(one.sentence, texts[at])]) for one, places in among)
    return NoteComparison(notes, [(one, places) for one, places in meant if places])


def _only_repeats(sentence: SaidSentence, note: NoteText) -> bool:
    form = fold_for_matching(sentence.text)
    return fold_for_matching(note.text) in form and not has_change_cue(form)


def predict_endings(changing: Sequence[ChangingSentence], notes: Sequence[CurrentNote]) -> list[NoteEnding]:
    """Return the strongest effect of the sentences of one message on each note in ``notes``. No transaction may be
    open. Raises EmbeddingUnavailable without the encoder's files."""
    compared = pair_sentences_with_notes(changing, notes)
    return classify_comparison(compared, embed_sentences(compared.texts_to_embed))


def classify_comparison(compared: NoteComparison, vectors: Vectors) -> list[NoteEnding]:
    """Return the effects of a comparison. Raises KeyError without a vector of one of its texts."""
    texts = [one.content for one in compared.notes]
    found: dict[UUID, NoteEnding] = {}
    for one, places in compared.pairs:
        for judged in classify_effects(one.sentence, texts, places, vectors):
            ending = NoteEnding(compared.notes[judged.place].id, judged.effect, one.start, one.end)
            before = found.get(ending.note_id)
            if before is None or STRENGTH[ending.effect] > STRENGTH[before.effect]:
                found[ending.note_id] = ending
    return list(found.values())


def _make_about_label(kind: str, label: str) -> str:
    return SELF if kind == AboutKind.SELF or not label else label
