"""Fields of a note in requests and answers."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    ListOfField,
    NumberField,
    OneOfField,
    OwnIdField,
    TextField,
    make_field_error,
)
from memory_platform.api.requests.sensitive_values import refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.memories.common_memory_fields import (
    ALLOW_FORGOTTEN_HELP,
    CONFIDENCE_HELP,
    PROVENANCE_INPUT_HELP,
    MessageSourceOutput,
    MomentListInput,
    make_confidence_output,
    make_provenance_output,
    make_short_text_field,
)
from memory_platform.api.v1.memories.snapshot_serializers import MemoryField
from profiles.provenance_and_verdict import PRODUCT_PROVENANCES, Verdict
from snapshots.lifecycle.write_types import CONFIRMED_NOTE_COLUMNS
from snapshots.models import AboutKind, NoteGrade, VitalClass
from snapshots.notes.selectors import NoteFilter
from snapshots.notes.values import NewNote, NoteAbout, SourcedNote

ABOUT_CHARS = 100
GRADE_HELP = (
    "Kind of the note: `fact` (about the user), `about_other` (about somebody or something else), `habit`, `limit` "
    "(something to avoid), `plan`."
)
VITAL_HELP = "True if the note can do harm when it is missing, such as an allergy: it stands in every context."
VITAL_CLASS_HELP = "Why the note is vital; null if it is not."
POSSIBLY_OUTDATED_HELP = "True if a newer message may have ended the note."
ABOUT_HELP = "Whom or what the note is about; null for the user."
CONTEXT_HELP = "The message before it, if the note cannot be understood without; else null."
SAID_AT_HELP = "When the user said it."
# The columns that a PATCH may empty, and the empty value.
REMOVABLE: Mapping[str, Any] = {"review_by": None, "vital_class": ""}


class AboutInput(StrictSerializer):
    """The note's person or thing."""

    kind = OneOfField(
        choices=AboutKind.values, help_text="`self` is the user; a `contact` or `thing` needs `id` or `label`."
    )
    id = OwnIdField(required=False, help_text="Id of a tag of the subject.")
    label_ = make_short_text_field(ABOUT_CHARS, "The user's word for it, such as `妈妈`.")
    relation = make_short_text_field(ABOUT_CHARS, "Relation to the user, such as `mother`.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        is_self = attrs["kind"] == AboutKind.SELF
        names = [name for name in ("id", "label", "relation") if name in attrs]
        if is_self and names:
            message = "A note about the user (`kind: self`) takes neither `id`, `label` nor `relation`; leave it out."
            raise make_field_error(names[0], "contradiction", message)
        if not is_self and not {"id", "label"} & attrs.keys():
            raise make_field_error("label", "required", "A contact or thing needs `id`, the id of a tag, or `label`.")
        return attrs


class NoteFields(StrictSerializer):
    """Details of a note."""

    grade = OneOfField(choices=NoteGrade.values, required=False, help_text=f"{GRADE_HELP} Default: read from the text.")
    about = AboutInput(required=False, help_text="Whom or what the note is about. Default: the user.")
    vital = FlagField(
        required=False,
        help_text=f"{VITAL_HELP} A text that gives orders to the model cannot be vital (422 `instruction`).",
    )
    vital_class = OneOfField(
        choices=VitalClass.values,
        required=False,
        help_text="Why the note is vital. Default for a vital note: read from the text, else `safety`.",
    )
    confidence = NumberField(least=0.0, most=1.0, required=False, help_text=f"{CONFIDENCE_HELP} Default: that maximum.")
    provenance = OneOfField(choices=PRODUCT_PROVENANCES, required=False, help_text=PROVENANCE_INPUT_HELP)
    review_by = InstantField(required=False, help_text="When to ask the user whether the note is still true.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        vital_class = attrs.get("vital_class")
        if vital_class and attrs.get("vital") is False:
            raise make_field_error("vital_class", "contradiction", "Must be left out when `vital` is false.")
        if vital_class == "" and attrs.get("vital"):
            raise make_field_error("vital_class", "contradiction", "Must not be null when `vital` is true.")
        return attrs


class NoteInput(NoteFields, Input):
    """A new note."""

    text = MemoryField(max_bytes=API_CONFIG.string_bytes, help_text="The note in the user's own words.")
    said_at = InstantField(required=False, local=True, help_text="When the user said it. Default: now.")
    allow_forgotten = FlagField(required=False, help_text=ALLOW_FORGOTTEN_HELP)


class NoteEditInput(NoteFields, Input):
    """Changes of a note. Omitted fields keep their values; `vital_class: null` means not vital."""

    text = MemoryField(max_bytes=API_CONFIG.string_bytes, required=False, help_text="The new text.")
    possibly_outdated = FlagField(
        required=False, help_text="False confirms a note that a newer message may have ended; true puts it in doubt."
    )
    remove = ListOfField(
        child=OneOfField(choices=list(REMOVABLE)),
        most=len(REMOVABLE),
        required=False,
        help_text="Details to remove.",
    )

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        value = super().to_internal_value(data)
        # Null removes the vital class; elsewhere null is the same as absent.
        if "vital_class" in data and data["vital_class"] is None:
            value["vital_class"] = ""
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        super().validate(attrs)
        for index, name in enumerate(attrs.get("remove", ())):
            if attrs.get(name) or (name == "vital_class" and attrs.get("vital")):
                raise make_field_error(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        return attrs


class NoteListInput(MomentListInput):
    """Which notes to list."""

    grade = OneOfField(choices=NoteGrade.values, required=False, help_text="Returns notes of this kind only.")
    about = TextField(
        max_bytes=API_CONFIG.id_bytes,
        max_length=API_CONFIG.id_chars,
        required=False,
        help_text="Returns notes about this only: `self`, `contact`, `thing`, the id of a tag, or a label.",
    )
    vital = FlagField(required=False, help_text="Returns vital notes only, or with false the others only.")

    @staticmethod
    def filter_of(parsed: Mapping[str, Any]) -> NoteFilter:
        names = ("grade", "about", "vital", "as_of", "known_at", "include_history")
        return NoteFilter(**{name: parsed[name] for name in names if name in parsed})


class AboutOutput(Output):
    """The note's person or thing."""

    kind = serializers.ChoiceField(
        choices=[AboutKind.CONTACT.value, AboutKind.THING.value], help_text="A person, or something else."
    )
    id = serializers.UUIDField(allow_null=True, help_text="Id of its tag; null if it has none.")
    label_ = serializers.CharField(allow_null=True, help_text="The user's word for it, such as `妈妈`.")
    relation = serializers.CharField(allow_null=True, help_text="Relation to the user, such as `mother`.")


class SlotOutput(Output):
    """A profile field, preference or tag that was filled from a note."""

    kind = serializers.ChoiceField(choices=["preference", "profile", "tag"], help_text="What was filled.")
    category = serializers.CharField(allow_null=True, help_text="Category of a preference, else null.")
    key = serializers.CharField(help_text="Key of the preference, name of the profile field, or label of the tag.")


class NoteOutput(Output):
    """A lasting thing in the user's own words."""

    id = serializers.UUIDField(source="snapshot.id", help_text="Id of the note.")
    text = serializers.CharField(source="snapshot.text", help_text="The note in the user's own words.")
    grade = serializers.ChoiceField(source="note.grade", choices=NoteGrade.values, help_text=GRADE_HELP)
    about = AboutOutput(allow_null=True, help_text=ABOUT_HELP)
    vital = serializers.BooleanField(source="note.is_vital", help_text=VITAL_HELP)
    confidence = make_confidence_output(source="snapshot.confidence")
    provenance = make_provenance_output(source="snapshot.provenance")
    said_at = serializers.DateTimeField(source="snapshot.said_at", help_text=SAID_AT_HELP)
    valid_at = serializers.DateTimeField(source="snapshot.valid_at", help_text="Since when the note is true.")
    invalid_at = serializers.DateTimeField(
        source="snapshot.invalid_at", allow_null=True, help_text="Until when the note was true; null while it is."
    )
    superseded_by = serializers.UUIDField(
        source="snapshot.superseded_by_id", allow_null=True, help_text="Id of the note that replaced it, if any."
    )
    possibly_outdated = serializers.BooleanField(source="note.possibly_outdated", help_text=POSSIBLY_OUTDATED_HELP)
    review_by = serializers.DateTimeField(
        source="note.review_by", allow_null=True, help_text="When to ask the user whether the note is still true."
    )
    grade_probability = serializers.FloatField(
        source="note.grade_probability", help_text="How probable it is that the note lasts, 0 to 1."
    )
    vital_class = serializers.ChoiceField(
        source="note.vital_class", choices=VitalClass.values, allow_null=True, help_text=VITAL_CLASS_HELP
    )
    context_ = serializers.CharField(source="note.context", allow_null=True, help_text=CONTEXT_HELP)
    sources = MessageSourceOutput(many=True, help_text="The messages that say it, in the order they were sent.")
    slots = SlotOutput(many=True, help_text="What was filled from the note.")

    @staticmethod
    def render_about(sourced: SourcedNote) -> dict[str, Any] | None:
        """Return the person or thing, named by the note, else by its tag; None for the user."""
        note, tag = sourced.note, sourced.tag
        if note.about_kind == AboutKind.SELF:
            return None
        return {
            "kind": note.about_kind,
            "id": note.about_tag_id,
            "label": note.about_label or (tag.label if tag else "") or None,
            "relation": note.relation or (tag.relation if tag else "") or None,
        }


class WrittenNoteOutput(NoteOutput):
    """A note after a write, and the result of the write."""

    verdict = serializers.ChoiceField(
        choices=[Verdict.STORED.value, Verdict.MERGED.value, Verdict.UNCHANGED.value],
        help_text="`stored` (a new note, or changed), `merged` (a note that says the same got new details), "
        "`unchanged` (nothing new).",
    )


class NoteStateOutput(NoteOutput):
    """A note as it was for a time."""

    version = serializers.IntegerField(source="snapshot.version", help_text="Version of the note, from 1.")
    recorded_at = serializers.DateTimeField(help_text="Since when the platform held this version.")
    retired_at = serializers.DateTimeField(
        allow_null=True, help_text="Until when the platform held this version; null while it does."
    )


def refuse_sensitive_about(body: Mapping[str, Any]) -> None:
    """Raise Sensitive if ``about`` holds a secret. Secrets in the text are masked instead."""
    about = body.get("about", {})
    refuse_sensitive({name: about[name] for name in ("label", "relation") if name in about}, below="about.")


def build_new_note(body: Mapping[str, Any]) -> NewNote:
    return NewNote(**{**body, "about": build_note_about(body)})


def split_edit_columns(body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the changes of a checked edit by column: those of the snapshot, and those of the note."""
    words = {name: body[name] for name in ("text", "confidence", "provenance") if name in body}
    details = {name: body[name] for name in ("grade", "review_by", "possibly_outdated") if name in body}
    if details.get("possibly_outdated") is False:
        details |= CONFIRMED_NOTE_COLUMNS
    return words, details | {name: REMOVABLE[name] for name in body.get("remove", ())}


def build_note_about(body: Mapping[str, Any]) -> NoteAbout | None:
    about = body.get("about")
    if about is None:
        return None
    return NoteAbout(about["kind"], about.get("id"), about.get("label", ""), about.get("relation", ""))
