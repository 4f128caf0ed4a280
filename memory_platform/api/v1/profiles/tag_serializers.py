"""Fields of a tag in requests and answers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, get_args

from rest_framework import serializers

from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import (
    InstantField,
    ListOfField,
    NumberField,
    OneOfField,
    TextField,
    WholeField,
    make_field_error,
    raise_field_error,
)
from memory_platform.api.requests.sensitive_values import refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output, QueryInput, StrictSerializer
from memory_platform.api.v1.memories.common_memory_fields import (
    VERDICT_HELP,
    TagBaseOutput,
    make_short_text_field,
    make_texts_output,
)
from memory_platform.api.v1.profiles.profile_serializers import WRITE_REASON_HELP, WRITE_REASONS, BeliefOutput
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.text import to_comparable
from profiles.config import BELIEFS, TAG_LOOKUP
from profiles.models import DetailName, TagKind
from profiles.provenance_and_verdict import Verdict
from profiles.services.tags.lookup import Match
from profiles.services.tags.tags import CLEARABLE, TagDraft, empty_columns
from snapshots.models import NoteGrade
from snapshots.sensitive.detector import is_telephone

LABEL_CHARS = 200
ALIASES_MOST = 50
ADDRESS_CHARS = 1_000
# Notes in the answer about one tag.
NOTES_MOST = 50


class LabelField(TextField):
    """A label or an alias: 1-200 characters, at least one of them visible."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_bytes=4 * LABEL_CHARS, max_length=LABEL_CHARS, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        label = super().to_internal_value(data)
        if not to_comparable(label):
            raise_field_error("empty", "Must not be empty.")
        return label


class TagFields(StrictSerializer):
    """Details of a tag."""

    kind = OneOfField(
        choices=TagKind.values,
        required=False,
        help_text="What the tag stands for. Default: `contact` if there is a phone or a relation and no place, else "
        "`place`.",
    )
    address = make_short_text_field(ADDRESS_CHARS, "Postal address.")
    poi_id = make_short_text_field(LABEL_CHARS, "Id of the place in your map service.")
    lat = NumberField(least=-90.0, most=90.0, required=False, help_text="Latitude in degrees. Needs `lon`.")
    lon = NumberField(least=-180.0, most=180.0, required=False, help_text="Longitude in degrees. Needs `lat`.")
    phone = make_short_text_field(64, "Telephone number.")
    relation = make_short_text_field(100, "Relation to the user, such as `mother`.")
    aliases = ListOfField(
        child=LabelField(), most=ALIASES_MOST, required=False, help_text="Other words for it, such as `mum`."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for one, other in (("lat", "lon"), ("lon", "lat")):
            if one in attrs and other not in attrs:
                raise make_field_error(
                    other, "required", f"This field is required with `{one}`: give both, or neither."
                )
        return attrs


class PastField(InstantField):
    """A moment that is not in the future."""

    def to_internal_value(self, data: Any) -> datetime:
        moment: datetime = super().to_internal_value(data)
        if moment > utc_now() + BELIEFS.clock_tolerance:
            raise_field_error("in_future", "Must not be in the future.")
        return moment


class TagInput(TagFields, Input):
    """A tag to create, or new details of the tag with this label."""

    label_ = LabelField(help_text="The user's word for it. It is unique within the subject.")
    valid_at = PastField(
        required=False, help_text="Since when the details are true. Default: now. Older details enter the history only."
    )


class TagEditInput(TagFields, Input):
    """Changes of a tag. Omitted fields keep their values; `aliases` are replaced."""

    label_ = LabelField(required=False, help_text="A new label.")
    valid_at = PastField(required=False, help_text="Since when the new details are true. Default: now.")
    remove = ListOfField(
        child=OneOfField(choices=CLEARABLE),
        most=len(CLEARABLE),
        required=False,
        help_text="Details to remove. `lat` and `lon` go together.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        super().validate(attrs)
        removed = attrs.get("remove", [])
        for index, name in enumerate(removed):
            if name in attrs:
                raise make_field_error(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        if ("lat" in removed) != ("lon" in removed):
            raise make_field_error(
                "remove",
                "half_a_position",
                "Must name both `lat` and `lon`, or neither of them.",
            )
        return attrs

    @staticmethod
    def changes_of(parsed: Mapping[str, Any]) -> dict[str, Any]:
        changes = {name: value for name, value in parsed.items() if name not in {"remove", "valid_at"}}
        return changes | empty_columns(parsed.get("remove", []))


class LookupInput(QueryInput):
    """A text that may name a tag."""

    q = TextField(max_bytes=KIB, help_text="What the user said, such as `navigate home` or `打电话给妈妈`.")
    limit = WholeField(least=1, most=50, default=TAG_LOOKUP.limit, help_text="Largest number of tags to return.")


class TagOutput(TagBaseOutput):
    """A tag with its use and its version."""

    aliases = make_texts_output("Other words for it.")
    use_count = serializers.IntegerField(help_text="How often your product used the tag.")
    last_used = serializers.DateTimeField(source="last_used_at", allow_null=True, help_text="When it was last used.")
    created_at = serializers.DateTimeField(help_text="When the tag was created.")
    updated_at = serializers.DateTimeField(help_text="When the tag last changed.")
    version = serializers.IntegerField(help_text="Version of the tag; grows with each change.")


class WrittenTagOutput(TagOutput):
    """A tag after a write, and the result of the write."""

    verdict = serializers.ChoiceField(choices=Verdict.values, help_text=VERDICT_HELP)
    reason = serializers.ChoiceField(choices=WRITE_REASONS, allow_null=True, help_text=WRITE_REASON_HELP)


class TagDetailOutput(BeliefOutput):
    """One value that a detail of a tag has had. PATCH the tag with it to restore it."""

    detail = serializers.ChoiceField(choices=DetailName.values, help_text="The detail, such as `address`.")


class ListedTagOutput(TagOutput):
    """A tag in a list."""

    history = TagDetailOutput(
        many=True, allow_null=True, help_text="All values of its details; null without `include_history`."
    )


class TagNoteOutput(Output):
    """A note about a contact or thing."""

    id = serializers.UUIDField(source="snapshot.id", help_text="Id of the note.")
    text = serializers.CharField(source="snapshot.text", help_text="The note in the user's own words.")
    grade = serializers.ChoiceField(source="note.grade", choices=NoteGrade.values, help_text="Kind of the note.")
    said_at = serializers.DateTimeField(source="snapshot.said_at", allow_null=True, help_text="When it was said.")


class OneTagOutput(TagOutput):
    """A tag with notes about it."""

    notes = TagNoteOutput(
        many=True, help_text=f"The newest notes about it, at most {NOTES_MOST}. `GET .../notes?about=` lists all."
    )


class TagMatchOutput(Output):
    """A tag that a text may name."""

    tag = TagOutput(help_text="The tag.")
    score = serializers.FloatField(help_text="How well the text names the tag, 0 to 1.")
    match = serializers.ChoiceField(
        choices=get_args(Match), help_text="By what it was found: its label, an alias, or a similar spelling."
    )


class LookupOutput(Output):
    """The tags that a text may name."""

    data_ = TagMatchOutput(many=True, help_text="The matches, best first.")


def refuse_sensitive_tag(body: Mapping[str, Any]) -> None:
    """Raise Sensitive if a tag holds a secret. Telephone numbers are allowed. ``poi_id`` is not checked: it is a map's
    own number, and every tenth passes a card's checksum."""
    texts = {name: body[name] for name in ("label", "address", "relation", "aliases") if name in body}
    phone = body.get("phone", "")
    refuse_sensitive(texts if is_telephone(phone) else {**texts, "phone": phone})


def build_tag_draft(body: Mapping[str, Any]) -> TagDraft:
    details = {name: value for name, value in body.items() if name not in {"label", "valid_at"}}
    return TagDraft(body["label"], details, valid_at=body.get("valid_at"))
