"""The page on which a person is joined with another one: who, the effects, and the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.action_reasons import ReasonField
from memory_platform.console.shared.code_labels import describe_counts, label_field
from memory_platform.console.shared.value_rendering import format_json_value, render_line
from memory_platform.console.subjects.join_screen import describe_refusal
from profiles.models import Preference, Subject
from profiles.selectors import find_subject
from snapshots.joins.conflicts import BeliefConflict, BeliefRow
from snapshots.joins.errors import JoinRefused
from snapshots.joins.join import JoinPreview, preview_join
from snapshots.joins.moved_rows import OWN_TABLES


class OtherForm(forms.Form):
    """The product's id of the other person."""

    other = forms.CharField(label=gettext_lazy("The other person’s id"), max_length=220)
    subject: Subject | None = None

    def clean_other(self) -> str:
        typed: str = self.cleaned_data["other"]
        # Postgres refuses NUL.
        self.subject = None if "\x00" in typed else find_subject(typed)
        if self.subject is None:
            raise forms.ValidationError(_("Nobody in this tenant has this id."))
        return typed


class JoinForm(OtherForm):
    """The other person, as the preview named them, and the reason for the join."""

    reason = ReasonField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].widget = forms.HiddenInput()


@dataclass(frozen=True, slots=True)
class ShownPreview:
    """A preview in words. ``refusal``: why the two cannot be joined, "" if they can. ``conversations``: how many names
    are those of conversations."""

    other: Subject
    refusal: str = ""
    kept: Sequence[str] = ()
    joined: Sequence[str] = ()
    values: Sequence[dict[str, Any]] = ()
    names: Sequence[dict[str, str]] = ()
    conversations: int = 0


def show_join_preview(kept: Subject, other: Subject) -> ShownPreview:
    try:
        preview = preview_join(kept, other)
    except JoinRefused as refused:
        return ShownPreview(other, describe_refusal(refused))
    return ShownPreview(
        other,
        "",
        describe_counts(preview.kept),
        describe_counts({table: rows for table, rows in preview.joined.items() if table not in OWN_TABLES}),
        [_show_conflict(one, kept) for one in preview.beliefs if not one.is_same],
        _list_names(preview),
        len(preview.conversations),
    )


def _list_names(preview: JoinPreview) -> list[dict[str, str]]:
    return [{"name": one.name, "new_name": one.new_name} for one in (*preview.tags, *preview.conversations)]


def _show_conflict(conflict: BeliefConflict, kept: Subject) -> dict[str, Any]:
    kept_wins = conflict.winner.subject_id == kept.pk
    own, other = (conflict.winner, conflict.loser) if kept_wins else (conflict.loser, conflict.winner)
    return {
        "what": _name_value(own),
        "kept": render_line(format_json_value(own.value)),
        "joined": render_line(format_json_value(other.value)),
        "kept_wins": kept_wins,
    }


def _name_value(row: BeliefRow) -> str:
    if isinstance(row, Preference):
        return f"{row.category} / {row.key}"
    return label_field(row.field, is_attribute=row.is_attribute)
