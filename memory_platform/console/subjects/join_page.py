"""The page on which a person is joined with another one: who, the effects, and the reason."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.action_reasons import ReasonField
from memory_platform.console.shared.code_labels import describe_counts
from memory_platform.console.shared.headers.belief_names import label_fact, label_preference
from memory_platform.console.shared.value_rendering import format_json_value, parse_uuid
from memory_platform.console.subjects.join_screen import describe_refusal
from memory_platform.console.transcript.changes_since_prompt import render_tag_as_sent
from profiles.models import Preference, Subject
from profiles.selectors import find_subject
from snapshots.joins.conflicts import BeliefConflict, BeliefRow, NameConflict
from snapshots.joins.errors import JoinRefused
from snapshots.joins.join import preview_join
from snapshots.joins.moved_rows import OWN_TABLES

# Names of the inputs that choose one of two values begin with it.
KEEP = "keep-"


class OtherForm(forms.Form):
    """The product's id of the other person."""

    other = forms.CharField(
        label=gettext_lazy("The other person"),
        max_length=220,
        help_text=gettext_lazy("Their id; or a name, place or contact, to choose among those who have it."),
    )
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
    """A preview in words. ``refusal``: why the two cannot be joined, "" if they can. ``names``: of conversations that
    both have."""

    other: Subject
    refusal: str = ""
    kept: Sequence[str] = ()
    joined: Sequence[str] = ()
    pairs: Sequence["ShownPair"] = ()
    names: Sequence[NameConflict] = ()


@dataclass(frozen=True, slots=True)
class ShownPair:
    """Two values, or two places of one name, of which one is kept: that of the kept subject, then the other one.
    ``new_name``: what the place that is not kept is called."""

    what: str
    sides: Sequence["ShownSide"]
    new_name: str = ""


@dataclass(frozen=True, slots=True)
class ShownSide:
    """One of two values, and whether it is kept."""

    row_id: UUID
    text: str
    is_kept: bool


def read_keep_ids(sent: QueryDict) -> list[UUID]:
    """Return which of two values or places the form keeps, for each pair."""
    chosen = (parse_uuid(value) for name, value in sent.items() if name.startswith(KEEP) and isinstance(value, str))
    return [one for one in chosen if one is not None]


def show_join_preview(kept: Subject, other: Subject, keep_ids: Collection[UUID] = ()) -> ShownPreview:
    try:
        preview = preview_join(kept, other, keep_ids)
    except JoinRefused as refused:
        return ShownPreview(other, describe_refusal(refused))
    return ShownPreview(
        other,
        "",
        describe_counts(preview.kept),
        describe_counts({table: rows for table, rows in preview.joined.items() if table not in OWN_TABLES}),
        [
            *(_show_values(one, kept) for one in preview.beliefs if not one.is_same),
            *(_show_places(one, kept) for one in preview.tags),
        ],
        preview.conversations,
    )


def _show_values(conflict: BeliefConflict, kept: Subject) -> ShownPair:
    return ShownPair(
        _name_value(conflict.winner),
        _show_sides(conflict.winner, conflict.loser, kept, lambda row: format_json_value(row.value)),
    )


def _show_places(conflict: NameConflict, kept: Subject) -> ShownPair:
    sides = _show_sides(conflict.keeper, conflict.row, kept, render_tag_as_sent)
    return ShownPair(conflict.name, sides, conflict.new_name)


def _show_sides(winner: Any, loser: Any, kept: Subject, describe: Callable[[Any], str]) -> list[ShownSide]:
    rows = sorted((winner, loser), key=lambda row: row.subject_id != kept.pk)
    return [ShownSide(row.pk, describe(row), row is winner) for row in rows]


def _name_value(row: BeliefRow) -> str:
    if isinstance(row, Preference):
        return label_preference(row)
    return label_fact(row)
