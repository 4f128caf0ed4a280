"""Repeated doings become habits, though nobody calls them so: confidence grows with each day.

A single doing is nothing. On a second day it becomes a note at 0.5; each further day adds 0.1, up to 0.8.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from memory_platform.kernel.clock import in_zone
from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.pattern_files import load_patterns
from profiles.provenance_and_verdict import Provenance
from profiles.time_zones import find_zone
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import AboutKind, NoteGrade, Snapshot, SnapshotKind, SnapshotSource
from snapshots.notes.config import HABITS
from snapshots.notes.store_and_confirm import is_inferred
from snapshots.notes.values import NoteRepeat
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.clause_joining import NotePart
from snapshots.understanding.drafting.note_drafts import NoteDraft, draft_note
from snapshots.understanding.drafting.repeated_notes import KnownNote, make_known_note
from snapshots.understanding.grading.clause_classifier import ClauseGrade
from snapshots.understanding.grading.clause_cues import has_cue
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.clauses import Clause, split_clauses
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.statements.statements import HeardMessage
from tenants.isolation import tenant_tx

_RE = load_patterns(Path(__file__).with_name("repeated_habits.toml"))
# Words that tell one occasion from another, and nothing of what is done.
_IDLE = frozenset(
    split_terms(
        "again another just now today tonight morning evening afternoon usual as first second third fourth here back "
        "finish finished had drank ate done quick get getting have having go going grab grabbing head heading take "
        "taking do doing off out bit more 又 再 刚 刚刚 今天 现在 正在 还是 又来 了 在 去 来 我 一 次 杯 个 个 第 二 三"
    )
)
_LEAST_TERMS = 2


def is_current_doing(clause: Clause, grade: ClauseGrade) -> bool:
    """Return whether a clause is about the user's doing at the moment, of their own accord."""
    form = fold_for_matching(clause.text).lower()
    if (
        clause.in_question
        or grade.other >= NOTING.other_from
        or any(has_cue(name, form) for name in ("wish", "feeling"))
    ):
        return False
    is_again = grade.likeliest == "event" and _RE["again"].search(form) is not None
    return (grade.likeliest == "momentary" or is_again) and len(list_doing_terms(clause.text)) >= _LEAST_TERMS


def draft_doings(heard: HeardMessage, spoken: SpokenMessage, grades: Sequence[ClauseGrade]) -> list[NoteDraft]:
    if spoken.answer or spoken.remember_spans:
        return []
    return [
        weaken_to_habit(
            draft_note(heard, spoken, NotePart(one.start, one.end, one.sentence, grade, "", one.language), NOTING)
        )
        for one, grade in zip(spoken.clauses, grades, strict=False)
        if grade.lasting < NOTING.held_from and is_current_doing(one, grade)
    ]


def list_doing_terms(text: str) -> frozenset[str]:
    return frozenset(split_terms(fold_for_matching(text))) - _IDLE


def is_same_doing(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) >= NOTING.same_doing * len(one | other)


def find_habits(tenant_id: UUID, doings: Sequence[NoteDraft]) -> list[NoteDraft]:
    """Return the habits that begin with ``doings``: those that were done on another day before, with both messages as
    sources. Opens a scope of its own when there is any doing."""
    found = []
    if doings:
        with tenant_tx(tenant_id):
            for draft in doings:
                earlier = _find_earlier_doing(draft)
                if earlier is not None:
                    ids = (earlier, *draft.snapshot.message_ids)
                    found.append(replace(draft, snapshot=replace(draft.snapshot, message_ids=ids)))
    return found


def find_habit_repeat(draft: NoteDraft, known_notes: Iterable[KnownNote]) -> NoteRepeat | None:
    if not is_inferred(draft.details.grade, draft.snapshot.provenance):
        return None
    own, core = make_known_note(draft), list_doing_terms(draft.snapshot.text)
    for one in known_notes:
        if one.id != own.id and one.about == own.about and is_same_doing(core, list_doing_terms(one.text)):
            provenance = Provenance(draft.snapshot.provenance)
            return NoteRepeat(one.id, draft.snapshot.message_ids[-1], draft.snapshot.confidence, provenance)
    return None


def weaken_unsure_habit(draft: NoteDraft) -> NoteDraft:
    """Return a habit of which its own speaker is unsure as the first evidence of one; any other note as it is."""
    details, snapshot = draft.details, draft.snapshot
    if details.grade != NoteGrade.HABIT or details.vital_class or details.grade_probability == 1:
        return draft
    is_hedged = _RE["hedges"].search(fold_for_matching(snapshot.text)) is not None
    return weaken_to_habit(draft) if is_hedged or is_inferred(details.grade, snapshot.provenance) else draft


def weaken_to_habit(draft: NoteDraft) -> NoteDraft:
    """Return a note as the first evidence of a habit: half believed, and due for review."""
    snapshot = replace(draft.snapshot, confidence=HABITS.first, provenance=Provenance.OBSERVATION)
    review_by = draft.snapshot.said_at + HABITS.looked_at_after
    return NoteDraft(snapshot, replace(draft.details, grade=NoteGrade.HABIT, vital_class="", review_by=review_by))


def _find_earlier_doing(draft: NoteDraft) -> UUID | None:
    if draft.details.about_kind != AboutKind.SELF:
        return None
    own, zone = draft.snapshot, find_zone(draft.snapshot.subject_id)
    day = in_zone(own.said_at, zone).date()
    rows = Snapshot.objects.filter(
        build_current_snapshot_condition(),
        subject_id=own.subject_id,
        kind=SnapshotKind.STATEMENT,
        said_at__lt=own.said_at,
        said_at__gt=own.said_at - timedelta(days=NOTING.habit_days),
    )
    core = list_doing_terms(own.text)
    for row in rows.order_by("-said_at").only("id", "text", "said_at", "said_offset")[: NOTING.held_compared]:
        is_same_day = in_zone(row.said_locally, zone).date() == day
        if is_same_day or len(core & list_doing_terms(row.text)) < NOTING.same_doing * len(core):
            continue
        if any(is_same_doing(core, list_doing_terms(clause.text)) for clause in split_clauses(row.text)):
            links = SnapshotSource.objects.filter(subject_id=own.subject_id, memory_id=row.id).order_by()
            return links.values_list("message_id", flat=True).first()
    return None
