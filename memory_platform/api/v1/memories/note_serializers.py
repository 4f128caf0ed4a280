"""A note as it goes in and out."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_platform.api.policy import POLICY
from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    ListOfField,
    NumberField,
    OneOfField,
    OwnIdField,
    TextField,
    names,
)
from memory_platform.api.requests.sensitive import refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.memories.snapshot_serializers import MemoryField, SnapshotSourceOutput
from memory_platform.api.views.pagination import PageInput
from profiles.values import Provenance, Verdict
from snapshots.lifecycle.values import SETTLED
from snapshots.models import AboutKind, NoteGrade, VitalClass
from snapshots.notes.selectors import NoteFilter
from snapshots.notes.values import NewNote, NoteAbout, NoteState, SourcedNote

ABOUT_CHARS = 100
GRADES = names(NoteGrade.values)
VITAL_CLASSES = names(VitalClass.values)
REMOVABLE: Mapping[str, Any] = {"review_by": None, "vital_class": ""}
"""What a PATCH may take away, and what then stands in its place."""


class AboutInput(StrictSerializer):
    """Whom or what a note speaks of. ``id`` is a tag of the subject; a contact or thing has it, or a ``label``."""

    kind = OneOfField(choices=names(AboutKind.values))
    id = OwnIdField(required=False)
    label = TextField(max_bytes=4 * ABOUT_CHARS, max_length=ABOUT_CHARS, required=False)  # type: ignore[assignment]  # a field here, not REST framework's label
    relation = TextField(max_bytes=4 * ABOUT_CHARS, max_length=ABOUT_CHARS, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse somebody else without a name, and the user with one."""
        is_self = attrs["kind"] == AboutKind.SELF
        named = [name for name in ("id", "label", "relation") if name in attrs]
        if is_self and named:
            message = "A note about the user (`kind: self`) takes neither `id`, `label` nor `relation`; leave it out."
            raise fault(named[0], "contradiction", message)
        if not is_self and not {"id", "label"} & attrs.keys():
            raise fault("label", "required", "A contact or thing needs `id`, the id of a tag, or `label`.")
        return attrs


class NoteFields(StrictSerializer):
    """What both a new note and an edit may say. ``vital: true`` without a ``vital_class`` gets the one that its words
    hint at, else ``safety``. What gives orders to the model is never vital (422 ``instruction``)."""

    grade = OneOfField(choices=GRADES, required=False)
    about = AboutInput(required=False)
    vital = FlagField(required=False)
    vital_class = OneOfField(choices=VITAL_CLASSES, required=False)
    confidence = NumberField(least=0.0, most=1.0, required=False)
    provenance = OneOfField(choices=names(Provenance.values), required=False)
    review_by = InstantField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a note that is to be vital and not vital."""
        vital_class = attrs.get("vital_class")
        if vital_class and attrs.get("vital") is False:
            raise fault("vital_class", "contradiction", "Must be left out when `vital` is false.")
        if vital_class == "" and attrs.get("vital"):
            raise fault("vital_class", "contradiction", "Must not be null when `vital` is true.")
        return attrs


class NoteInput(NoteFields, Input):
    """A new note. Confidence may be at most what the provenance allows: 0.6, 0.8 or 1.0; by default it is that.

    Without ``grade`` the words say what it is: a plan, a limit, a habit, else a fact.
    What the subject had forgotten is refused (``forgotten``) unless ``allow_forgotten``.
    """

    text = MemoryField(max_bytes=POLICY.string_bytes)
    said_at = InstantField(required=False, local=True)
    allow_forgotten = FlagField(required=False)


class NoteEditInput(NoteFields, Input):
    """Changes: what is not given stays. ``vital_class: null``, like ``vital: false``, says that it is not vital.

    ``remove`` takes away ``review_by`` and ``vital_class``; ``about: {"kind": "self"}`` makes it a note about the user.
    """

    text = MemoryField(max_bytes=POLICY.string_bytes, required=False)
    possibly_outdated = FlagField(required=False)
    remove = ListOfField(child=OneOfField(choices=names(list(REMOVABLE))), most=len(REMOVABLE), required=False)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the values; here a null is not the same as an absent field for ``vital_class``."""
        value = super().to_internal_value(data)
        if "vital_class" in data and data["vital_class"] is None:
            value["vital_class"] = ""
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a field that is both given and taken away."""
        super().validate(attrs)
        for index, name in enumerate(attrs.get("remove", ())):
            if attrs.get(name) or (name == "vital_class" and attrs.get("vital")):
                raise fault(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        return attrs


class NoteListInput(PageInput):
    """``about`` is ``self``, ``contact``, ``thing``, a tag's id, or a label such as 妈妈.

    ``as_of`` is what was true then, ``known_at`` what was known then; ``include_history`` adds what had ended.
    """

    grade = OneOfField(choices=GRADES, required=False)
    about = TextField(max_bytes=POLICY.id_bytes, max_length=POLICY.id_chars, required=False)
    vital = FlagField(required=False)
    as_of = InstantField(required=False)
    known_at = InstantField(required=False)
    include_history = FlagField(default=False)

    @staticmethod
    def filter_of(parsed: Mapping[str, Any]) -> NoteFilter:
        """Return which notes are asked for."""
        wanted = ("grade", "about", "vital", "as_of", "known_at", "include_history")
        return NoteFilter(**{name: parsed[name] for name in wanted if name in parsed})


class AboutOutput(Output):
    """Whom or what a note speaks of, other than the user. ``id`` is the tag's, null where none is held.

    ``label`` and ``relation`` are the note's own words, else those of the tag.
    """

    kind = serializers.ChoiceField(choices=names([AboutKind.CONTACT.value, AboutKind.THING.value]))
    id = serializers.UUIDField(allow_null=True)
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # a field here, not REST framework's label
    relation = serializers.CharField(allow_null=True)


class SlotOutput(Output):
    """A profile field, preference or tag whose value was taken from a note."""

    kind = serializers.CharField()
    category = serializers.CharField(allow_null=True)
    key = serializers.CharField()


@extend_schema_field({"type": ["string", "null"], "enum": [*VitalClass.values, None]})
class VitalClassOutput(serializers.CharField):
    """A vital class, or null."""


class NoteOutput(Output):
    """A lasting thing in the user's own words. ``about`` is null for a note about the user.

    ``grade_probability`` says how probable it is that it lasts, ``confidence`` how sure it is that it is true.
    ``context`` is the turn before, where the note does not say by itself whom or what it means.
    """

    id = serializers.UUIDField()
    text = serializers.CharField()
    grade = serializers.ChoiceField(choices=GRADES)
    about = AboutOutput(allow_null=True)
    vital = serializers.BooleanField()
    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=names(Provenance.values))
    said_at = serializers.DateTimeField()
    valid_at = serializers.DateTimeField()
    invalid_at = serializers.DateTimeField(allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True)
    possibly_outdated = serializers.BooleanField()
    review_by = serializers.DateTimeField(allow_null=True)
    grade_probability = serializers.FloatField()
    vital_class = VitalClassOutput(allow_null=True)
    context = serializers.CharField(allow_null=True)  # type: ignore[assignment]  # a field here, not REST framework's context
    sources = SnapshotSourceOutput(many=True)
    slots = SlotOutput(many=True)


class WrittenNoteOutput(NoteOutput):
    """A note after a write, and what the write did."""

    verdict = serializers.ChoiceField(
        choices=names([Verdict.STORED.value, Verdict.MERGED.value, Verdict.UNCHANGED.value])
    )


class NotePageOutput(Output):
    """A page of notes, in the order in which they were recorded."""

    data = NoteOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class NoteStateOutput(NoteOutput):
    """A note as it was held from ``recorded_at`` until ``retired_at``, null while it is held."""

    version = serializers.IntegerField()
    recorded_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True)


class NoteHistoryOutput(Output):
    """A page of states, the first one first."""

    data = NoteStateOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


def refuse_in(given: Mapping[str, Any]) -> None:
    """Raise Sensitive naming what of a note's ``about`` must not be remembered; in its text it is masked."""
    about = given.get("about", {})
    refuse_sensitive({name: about[name] for name in ("label", "relation") if name in about}, below="about.")


def new_note(given: Mapping[str, Any]) -> NewNote:
    """Return the note that a checked input describes."""
    return NewNote(**{**given, "about": about_of(given)})


def edit_columns(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the changes of a checked edit by column: those of the snapshot, and those of the note."""
    words = {name: given[name] for name in ("text", "confidence", "provenance") if name in given}
    details = {name: given[name] for name in ("grade", "review_by", "possibly_outdated") if name in given}
    if details.get("possibly_outdated") is False:
        details |= SETTLED
    return words, details | {name: REMOVABLE[name] for name in given.get("remove", ())}


def about_of(given: Mapping[str, Any]) -> NoteAbout | None:
    """Return whom or what a checked input speaks of, None where it does not say."""
    about = given.get("about")
    if about is None:
        return None
    return NoteAbout(about["kind"], about.get("id"), about.get("label", ""), about.get("relation", ""))


def render_note(sourced: SourcedNote) -> dict[str, Any]:
    """Return a note as the API shows it."""
    note, snapshot = sourced.note, sourced.snapshot
    return {
        "id": snapshot.id,
        "text": snapshot.text,
        "grade": note.grade,
        "about": render_about(sourced),
        "vital": note.is_vital,
        "confidence": snapshot.confidence,
        "provenance": snapshot.provenance,
        "said_at": snapshot.said_at,
        "valid_at": snapshot.valid_at,
        "invalid_at": snapshot.invalid_at,
        "superseded_by": snapshot.superseded_by_id,
        "possibly_outdated": note.possibly_outdated,
        "review_by": note.review_by,
        "grade_probability": note.grade_probability,
        "vital_class": note.vital_class or None,
        "context": note.context or None,
        "sources": [{"conversation_id": one.conversation_id, "message_id": one.message_id} for one in sourced.sources],
        "slots": [{"kind": one.kind, "category": one.category, "key": one.key} for one in sourced.slots],
    }


def render_about(sourced: SourcedNote) -> dict[str, Any] | None:
    """Return whom or what a note speaks of as the API shows it, None for the user."""
    note, tag = sourced.note, sourced.tag
    if note.about_kind == AboutKind.SELF:
        return None
    return {
        "kind": note.about_kind,
        "id": note.about_tag_id,
        "label": note.about_label or (tag.label if tag else "") or None,
        "relation": note.relation or (tag.relation if tag else "") or None,
    }


def render_state(state: NoteState) -> dict[str, Any]:
    """Return a state of a note's history as the API shows it."""
    times = {"recorded_at": state.recorded_at, "retired_at": state.retired_at}
    return {**render_note(state.sourced), "version": state.sourced.snapshot.version, **times}
