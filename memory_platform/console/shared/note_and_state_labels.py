"""Labels of a note's kind, person and vital class, and of the states of memories: current, ended, retired ..."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.value_rendering import EMPTY_VALUE, render_row_link, render_word
from profiles.models import Tag
from snapshots.models import AboutKind, Note, NoteGrade, Snapshot, SnapshotKind, VitalClass

# Kinds of notes by their code: "limit" alone is what an API key may use.
GRADE_LABELS: Mapping[str, Any] = {
    NoteGrade.FACT: NoteGrade.FACT.label,
    NoteGrade.ABOUT_OTHER: NoteGrade.ABOUT_OTHER.label,
    NoteGrade.HABIT: NoteGrade.HABIT.label,
    NoteGrade.LIMIT: gettext_lazy("limitation"),
    NoteGrade.PLAN: NoteGrade.PLAN.label,
}
CURRENT, SUPERSEDED, ENDED, RETIRED, EARLIER = "current", "superseded", "ended", "retired", "earlier"
STATE_LABELS: Mapping[str, Any] = {
    CURRENT: gettext_lazy("current"),
    SUPERSEDED: gettext_lazy("superseded"),
    ENDED: gettext_lazy("ended"),
    RETIRED: gettext_lazy("retired"),
    EARLIER: gettext_lazy("earlier version"),
}
VITAL_CLASS_LABELS: Mapping[str, Any] = {"": gettext_lazy("not vital"), **dict(VitalClass.choices)}
# Percent that is written of what is not certain.
MAX_PERCENT = 99


def render_grade_with_probability(note: Note) -> str:
    return f"{render_grade(note)} · {render_probability(note.grade_probability)}"


def render_grade(note: Note) -> str:
    return str(GRADE_LABELS.get(note.grade, note.grade))


def render_probability(probability: float) -> str:
    if probability >= 1.0:
        return _("stated explicitly")
    percent = min(round(probability * 100), MAX_PERCENT)
    return _("lasts with a probability of %(percent)s %%") % {"percent": percent}


def render_about(note: Note, tag: Tag | None) -> str:
    kind = AboutKind(note.about_kind).label
    name = render_row_link(tag, tag.label) if tag is not None else render_word(note.about_label)
    if name == EMPTY_VALUE and not note.relation:
        return str(kind)
    told = name if name != EMPTY_VALUE else render_word(note.relation)
    if name != EMPTY_VALUE and note.relation:
        return format_html("{} ({})", told, render_word(note.relation))
    return format_html('{} <span class="faint">{}</span>', told, kind)


def render_vital_class(note: Note) -> str:
    return str(note.get_vital_class_display()) if note.is_vital else EMPTY_VALUE


def classify_state(memory: Any) -> str:
    """Return the state of a memory. A belief that was retired has ended: only the audit trail tells by whom."""
    if isinstance(memory, Tag):
        return CURRENT
    if getattr(memory, "version_of_id", None):
        return EARLIER
    if memory.retired_at is not None:
        return RETIRED
    now = timezone.now()
    ends = [at for at in (memory.invalid_at, getattr(memory, "expires_at", None)) if at is not None]
    if not any(at <= now for at in ends):
        return CURRENT
    return SUPERSEDED if memory.superseded_by_id else ENDED


def build_snapshot_state_conditions(path: str = "") -> dict[str, Q]:
    """Return the condition of each state of a snapshot at the end of ``path``."""
    now = timezone.now()
    over = Q(**{f"{path}invalid_at__lte": now}) | Q(**{f"{path}expires_at__lte": now})
    lasting = Q(**{f"{path}invalid_at": None}) | Q(**{f"{path}invalid_at__gt": now})
    kept = Q(**{f"{path}expires_at": None}) | Q(**{f"{path}expires_at__gt": now})
    held, followed = Q(**{f"{path}retired_at": None}), Q(**{f"{path}superseded_by__isnull": False})
    return {
        CURRENT: held & lasting & kept,
        SUPERSEDED: held & over & followed,
        ENDED: held & over & ~followed,
        RETIRED: Q(**{f"{path}retired_at__isnull": False}),
    }


def build_belief_state_conditions() -> dict[str, Q]:
    """Return the condition of each state of a preference or profile fact; :data:`ENDED` has the retired ones, too."""
    image, held = Q(version_of__isnull=False), Q(retired_at=None)
    ended, followed = Q(invalid_at__isnull=False), Q(superseded_by__isnull=False)
    return {
        CURRENT: held & ~ended,
        SUPERSEDED: held & ended & followed,
        ENDED: (held & ended & ~followed) | (~held & ~image),
        EARLIER: image,
    }


def render_state_badge(state: str) -> SafeString:
    return format_html('<span class="state-badge state-{}">{}</span>', state, capfirst(str(STATE_LABELS[state])))


def is_note(memory: Any) -> bool:
    return isinstance(memory, Snapshot) and memory.kind == SnapshotKind.NOTE


def find_note(memory: Any) -> Note | None:
    """Return the note of a memory, with its contact; None for a memory of another kind."""
    if not is_note(memory):
        return None
    own = Note.objects.select_related("about_tag")
    return own.filter(snapshot_id=memory.id, subject_id=memory.subject_id).first()


def render_note_facts(note: Note) -> list[tuple[Any, str]]:
    """Return label and value (HTML) of a note's properties, for the page of an act."""
    return [
        (_("kind"), render_grade_with_probability(note)),
        (_("about"), render_about(note, note.about_tag)),
        (_("vital"), render_vital_class(note)),
    ]
