"""The forms of acts on one memory. Each carries the version that its page showed, and asks for a reason."""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.forms.boundfield import BoundWidget
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from rapidfuzz import fuzz

from memory_platform.console.memory_actions.value_fields import (
    LinesField,
    LongTextField,
    SourceMemoriesField,
    check_not_sensitive,
    find_max_chars,
    make_place_fields,
    make_value_field,
    parse_plain_value,
    render_initial_value,
)
from memory_platform.console.memory_actions.value_origins import choose_telling_origins
from memory_platform.console.shared.action_reasons import ReasonField
from memory_platform.console.shared.note_and_state_labels import VITAL_CLASS_LABELS, find_note
from memory_platform.console.shared.value_rendering import format_json_value, render_named
from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.kernel.text import to_comparable
from profiles.models import Preference, ProfileFact, Tag, TagDetail, TagKind
from profiles.selectors import detail_history
from profiles.services.tags.details import list_columns_to_restore
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.belief_origins import find_mentions_of_corrected, find_origins
from snapshots.lifecycle.staff_actions.memory_actions import ActedMemory
from snapshots.lifecycle.staff_actions.value_mentions import find_mentions, list_values
from snapshots.models import CUT_OUT, ActVerb, MemoryAct, Snapshot, SnapshotKind
from snapshots.sensitive.detector import is_telephone
from tenants.models import AuditRecord

# Newest memories that are compared with the one to be merged.
MAX_COMPARED = 500
MAX_OFFERED = 50
MAX_OFFERED_CHARS = 160
# Shares of words, and of letters in per cent, from which two memories may be the same. Of demo lives: "home, 12 Willow
# Lane, Portland" and "office, 88 Mill Avenue, Portland" share 0.2 of the words and 67 % of the letters, two notes about
# one allergy 0.5 of the words.
MIN_SHARED_WORDS, MIN_SAME_LETTERS = 0.5, 80
UUID_FORM = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
TAG_COLUMNS = ("label", "kind", "address", "phone", "relation", "aliases", "lat", "lon")
# Keys of preferences that mean different things, whatever stands in them; a product's own key may mean any.
INCOMPATIBLE_KEYS = frozenset({"likes", "dislikes", "allergies", "diet", "habits"})
# Memories made of many messages: retired because of one message only if a person ticks them.
MULTI_MESSAGE_KINDS = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT)


def make_version_token(memory: ActedMemory) -> str:
    return f"{memory.id}.{memory.version}"


class StaffActionForm(forms.Form):
    """The fields of every act: the reason, and the ``version`` that the page showed."""

    version = forms.CharField(widget=forms.HiddenInput, required=False)
    reason = ReasonField()
    field_order: Any = None
    # What an undo takes back.
    act: MemoryAct | None = None
    # The field that one comes to change, and those that one rarely changes.
    main_field = ""
    rare_fields: tuple[str, ...] = ()

    def __init__(self, memory: ActedMemory, data: Any = None) -> None:
        super().__init__(data, initial={"version": make_version_token(memory), **self.initial_values_for(memory)})
        self.memory: Any = memory
        self.add_fields()
        self.order_fields([name for name in self.fields if name != "reason"])
        if self.main_field:
            self.fields[self.main_field].widget.attrs["autofocus"] = True

    @property
    def main_fields(self) -> list[forms.BoundField]:
        return [one for one in self.visible_fields() if one.name not in self.rare_fields]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        return [one for one in self.visible_fields() if one.name in self.rare_fields]

    @property
    def has_faults_in_fold(self) -> bool:
        return any(one.errors for one in self.folded_fields)

    @property
    def value_before(self) -> str:
        """The value of the main field before the change, as text."""
        return format_json_value(self.initial.get(self.main_field)) if self.main_field else ""

    def initial_values_for(self, memory: Any) -> dict[str, Any]:
        return {}

    def add_fields(self) -> None:
        pass


class RetireBeliefForm(StaffActionForm):
    """Which memories retire together with the belief: those it was learned from, and others that say its value."""

    origins_help_text: Any = _(
        "Recall still finds the old words in memories that are not ticked. An undo brings the ticked ones back."
    )

    def add_fields(self) -> None:
        origins = list(find_origins(self.memory).order_by("-position")[:MAX_OFFERED])
        telling = choose_telling_origins(self.memory, origins) if origins else []
        rest = [one for one in origins if one not in telling]
        mentions = find_mentions(self.memory.subject_id, list_values(self.memory), [one.id for one in origins])
        value = self.memory.label if isinstance(self.memory, Tag) else format_json_value(self.memory.value)
        text = ngettext(
            "Also retire the %(count)d memory it was learned from",
            "Also retire the %(count)d memories it was learned from",
            len(telling),
        )
        without = _("From the same message, but not about “%(value)s”") % {"value": Truncator(value).chars(40)}
        groups = [(_("Said elsewhere"), [one.memory for one in mentions]), (without, rest)]
        ticked = [*telling, *(one.memory for one in mentions if one.is_whole)]
        label = text % {"count": len(telling)} if telling else _("Also retire")
        grouped = [(name, _list_origin_choices(memories)) for name, memories in groups if memories]
        self.add_origins(label, [*_list_origin_choices(telling), *grouped], ticked)

    def add_origins(self, label: Any, choices: Sequence[Any], ticked: Iterable[Snapshot]) -> None:
        """Add the field that chooses memories, unless there are none."""
        if choices:
            self.fields["origins"] = SourceMemoriesField(
                label=label,
                choices=choices,
                initial=[make_version_token(one) for one in ticked if one.kind not in MULTI_MESSAGE_KINDS],
                required=False,
                help_text=self.origins_help_text,
            )

    def chosen_origins(self) -> dict[UUID, int]:
        """Return the shown version of each chosen memory; malformed choices are left out."""
        tokens = [str(token).partition(".") for token in self.cleaned_data.get("origins", [])]
        return {
            UUID(one): int(version[:18])
            for one, _dot, version in tokens
            if UUID_FORM.fullmatch(one) and version.isascii() and version.isdecimal()
        }


class RetireMentionsForm(RetireBeliefForm):
    """Which memories that still say a corrected value are retired."""

    origins_help_text = ""

    def add_fields(self) -> None:
        mentions = find_mentions_of_corrected(self.memory)
        choices = _list_origin_choices(one.memory for one in mentions)
        self.add_origins(_("Memories"), choices, [one.memory for one in mentions if one.is_whole])
        if mentions:  # they go for the reason of the correction
            about = {"subject_ref": self.memory.subject_id, "object_id": str(self.memory.pk), "refused": False}
            records = AuditRecord.objects.filter(**about, action=f"memory.{ActVerb.CORRECTED}").order_by("-at", "-id")
            self.initial["reason"] = records.values_list("reason", flat=True).first() or ""


def _list_origin_choices(origins: Iterable[Snapshot]) -> list[tuple[str, str]]:
    return [
        (make_version_token(one), render_named(one.get_kind_display(), render_memory_label(one))) for one in origins
    ]


class CorrectBeliefForm(RetireBeliefForm):
    """The right value of a preference or profile field; for a preference also the statement and its place."""

    main_field = "value"
    rare_fields = ("category", "key", "statement")

    def initial_values_for(self, memory: Any) -> dict[str, Any]:
        place = {"category": memory.category, "key": memory.key} if isinstance(memory, Preference) else {}
        return {"value": render_initial_value(memory.value), **place}

    def add_fields(self) -> None:
        if isinstance(self.memory, Preference):
            self.fields |= make_place_fields()
        self.fields["value"] = make_value_field(self.memory.value, chars=find_max_chars(self.memory))
        if isinstance(self.memory, Preference):
            self.fields["statement"] = LongTextField(
                label=_("In the user's words"),
                required=False,
                rows=2,
                help_text=_("The user's words, if you know them."),
            )
        super().add_fields()

    def chosen_place(self) -> tuple[str, str]:
        """Return category and key of the right value; those of the memory if none were sent."""
        given = self.cleaned_data
        return given.get("category") or self.memory.category, given.get("key") or self.memory.key

    def is_moved(self) -> bool:
        return self.chosen_place() != (self.memory.category, self.memory.key)

    def read_value(self) -> Any:
        """Return the value for another key: a text there may be a yes or a number."""
        value = self.cleaned_data["value"]
        return parse_plain_value(value) if isinstance(value, str) else value

    def clean_value(self) -> Any:
        is_preference = isinstance(self.memory, Preference)
        called = self.cleaned_data.get("key") or self.memory.key if is_preference else self.memory.field
        check_not_sensitive(called, self.cleaned_data["value"])
        return self.cleaned_data["value"]

    def clean_statement(self) -> str:
        check_not_sensitive("statement", self.cleaned_data["statement"])
        return str(self.cleaned_data["statement"])


class CorrectTagForm(RetireBeliefForm):
    """The right columns of a tag."""

    origins_help_text = _("Only memories that mention a value that you change are retired. An undo brings them back.")

    label = forms.CharField(label=_("Label"), max_length=200)
    kind = forms.ChoiceField(label=_("Kind"), choices=TagKind.choices)
    address = LongTextField(label=_("Address"), chars=1_000, rows=2, required=False)
    phone = forms.CharField(label=_("Phone"), max_length=64, required=False)
    relation = forms.CharField(label=_("Relation"), max_length=100, required=False)
    lat = forms.FloatField(label=_("Latitude"), min_value=-90, max_value=90, required=False)
    lon = forms.FloatField(label=_("Longitude"), min_value=-180, max_value=180, required=False)

    def initial_values_for(self, memory: Any) -> dict[str, Any]:
        return {name: getattr(memory, name) for name in TAG_COLUMNS}

    def add_fields(self) -> None:
        self.fields["aliases"] = LinesField(label=_("Aliases"), known=[], required=False)
        super().add_fields()
        is_place = self.memory.kind == TagKind.PLACE
        self.main_field = "address" if is_place else "phone"
        shown = ("label", "address") if is_place else ("label", "phone", "relation")
        self.rare_fields = tuple(name for name in TAG_COLUMNS if name not in shown)

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if (given.get("lat") is None) != (given.get("lon") is None):
            self.add_error("lon", _("Enter both latitude and longitude, or neither."))
        for name in ("label", "address", "phone", "relation", "aliases"):
            if name == "phone" and is_telephone(given.get("phone", "")):
                continue
            try:
                check_not_sensitive(name, given.get(name) or "")
            except forms.ValidationError as refused:
                self.add_error(name, refused)
        return given

    def corrected_columns(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in TAG_COLUMNS}


class BringBackForm(StaffActionForm):
    """An earlier value of a tag to restore."""

    def add_fields(self) -> None:
        self.earlier = load_earlier_values(self.memory)[:MAX_OFFERED]
        choices = [
            (
                str(row.id),
                f"{row.get_detail_display()}: {Truncator(format_json_value(row.value)).chars(MAX_OFFERED_CHARS)}"
                f" ({row.valid_at:%Y-%m-%d} \N{EN DASH} {row.invalid_at:%Y-%m-%d})",
            )
            for row in self.earlier
        ]
        self.fields["value"] = forms.ChoiceField(
            label=_("Value to bring back"), choices=choices, widget=forms.RadioSelect
        )

    def corrected_columns(self) -> dict[str, Any]:
        chosen = UUID(self.cleaned_data["value"])
        return list_columns_to_restore(next(row for row in self.earlier if row.id == chosen))


def load_earlier_values(tag: Any) -> list[TagDetail]:
    """Return the earlier values of a tag's details, the latest first."""
    if not isinstance(tag, Tag):
        return []
    rows = detail_history(tag).filter(invalid_at__isnull=False).select_related("tag__subject")
    return [row for row in rows.order_by("-invalid_at", "-id") if getattr(tag, row.detail) != row.value]


class CorrectSnapshotForm(StaffActionForm):
    """The right text of a snapshot."""

    main_field = "text"
    text = LongTextField(label=_("New text"), rows=5)

    def initial_values_for(self, memory: Any) -> dict[str, Any]:
        return {"text": memory.text}


class VitalForm(StaffActionForm):
    """The vital class of a note."""

    vital_class = forms.ChoiceField(
        label=_("Why it is vital"), choices=list(VITAL_CLASS_LABELS.items()), widget=forms.RadioSelect, required=False
    )

    def initial_values_for(self, memory: Any) -> dict[str, Any]:
        note = find_note(memory)
        return {"vital_class": note.vital_class if note else ""}


class MergeForm(StaffActionForm):
    """The memory to merge into this one: first memories with similar words, then others that may mean the same, for
    example in another language."""

    def add_fields(self) -> None:
        self.others = find_merge_candidates(self.memory)
        alike = [other for other in self.others if is_alike(self.memory, other)]
        ordered = [*alike, *(other for other in self.others if other not in alike)]
        self.alike_count = len(alike)
        choices = [(str(other.id), render_memory_label(other)) for other in ordered]
        self.fields["other"] = forms.ChoiceField(
            label=_("Memory to merge into this one"), choices=choices, widget=forms.RadioSelect
        )

    @property
    def alike_choices(self) -> list[BoundWidget]:
        return list(self["other"])[: self.alike_count]

    @property
    def list_less_alike_choices(self) -> list[BoundWidget]:
        return list(self["other"])[self.alike_count :]

    @property
    def stays(self) -> str:
        return render_memory_label(self.memory)

    def chosen_memory(self) -> ActedMemory:
        chosen = UUID(self.cleaned_data["other"])
        found: ActedMemory = next(other for other in self.others if other.id == chosen)
        return found


def find_merge_candidates(memory: Any) -> list[Any]:
    """Return the memories in use that may mean the same as this one, the most similar first."""
    rows = type(memory)._default_manager.select_related("subject").filter(subject_id=memory.subject_id)
    if isinstance(memory, Snapshot):
        same = Q(kind=memory.kind) if memory.kind in CUT_OUT else ~Q(kind__in=CUT_OUT)
        rows = rows.filter(build_current_snapshot_condition(), same).order_by("-recorded_at")
    elif not isinstance(memory, Tag):
        rows = rows.filter(invalid_at__isnull=True, retired_at__isnull=True).order_by("-recorded_at")
    if isinstance(memory, Preference):
        rows = rows.filter(category=memory.category)
    elif isinstance(memory, Tag):
        rows = rows.filter(kind=memory.kind)
    said = join_memory_text(memory)
    # Bounded, since every candidate is compared with the words of this memory.
    newest = [other for other in rows.exclude(id=memory.id)[:MAX_COMPARED] if may_have_same_meaning(memory, other)]
    newest.sort(key=lambda other: -fuzz.token_set_ratio(said, join_memory_text(other)))
    return newest[:MAX_OFFERED]


def may_have_same_meaning(memory: Any, other: Any) -> bool:
    """Return whether the keys of two memories allow the same meaning: a like is not an allergy."""
    if isinstance(memory, Preference):
        return not {memory.key, other.key} <= INCOMPATIBLE_KEYS
    if isinstance(memory, ProfileFact):
        return memory.is_attribute or other.is_attribute
    return True


def is_alike(memory: Any, other: Any) -> bool:
    """Return whether two memories share at least half the words of the shorter one, or are written almost the same: of
    two places "home" and "office" in Portland only the city is the same."""
    said, told = _join_telling_text(memory), _join_telling_text(other)
    words, others = set(split_terms(said)), set(split_terms(told))
    is_half = bool(words and others) and len(words & others) >= MIN_SHARED_WORDS * min(len(words), len(others))
    return is_half or fuzz.ratio(to_comparable(said), to_comparable(told)) >= MIN_SAME_LETTERS


def _join_telling_text(memory: Any) -> str:
    """Return the words of a memory without the key that it stands under."""
    return join_memory_text(memory) if isinstance(memory, Snapshot | Tag) else format_json_value(memory.value)


def join_memory_text(memory: Any) -> str:
    if isinstance(memory, Snapshot):
        return memory.text
    if isinstance(memory, Tag):
        return " ".join(filter(None, [memory.label, memory.address, memory.phone, memory.relation, *memory.aliases]))
    return f"{memory} {format_json_value(memory.value)}"


def render_memory_label(memory: Any) -> str:
    name = "" if isinstance(memory, Snapshot | Tag) else f"{memory}: "
    says = join_memory_text(memory) if isinstance(memory, Snapshot | Tag) else format_json_value(memory.value)
    return Truncator(f"{name}{says}").chars(MAX_OFFERED_CHARS)
