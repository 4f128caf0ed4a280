"""A tag as it goes in and out."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, get_args

from rest_framework import serializers

from memory_platform.api.policy import KIB
from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import (
    InstantField,
    ListOfField,
    NumberField,
    OneOfField,
    TextField,
    WholeField,
    names,
    refuse,
)
from memory_platform.api.requests.sensitive import refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output, QueryInput, StrictSerializer
from memory_platform.api.v1.profiles.tag_history_serializers import TagDetailOutput, serialize_detail
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.text import comparable
from profiles.models import Tag, TagDetail, TagKind
from profiles.policy import BELIEFS, TAG_LOOKUP
from profiles.services.tags.lookup import Match, TagMatch
from profiles.services.tags.tags import CLEARABLE, TagDraft, TagOutcome, empty_columns
from profiles.values import Provenance, Verdict
from snapshots.models import NoteGrade
from snapshots.notes.values import SourcedNote
from snapshots.sensitive.detector import is_telephone

LABEL_CHARS = 200
ALIASES_MOST = 50
ADDRESS_CHARS = 1_000
NOTES_MOST = 50
"""Notes that the page of one tag shows."""


def words(chars: int) -> TextField:
    """Return an optional text of at most ``chars`` characters."""
    return TextField(max_bytes=4 * chars, max_length=chars, required=False)


class LabelField(TextField):
    """A label or an alias: 1-200 characters that show something."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_bytes=4 * LABEL_CHARS, max_length=LABEL_CHARS, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        """Return the label. Raises ValidationError."""
        label = super().to_internal_value(data)
        if not comparable(label):
            refuse("empty", "Must not be empty.")
        return label


class TagFields(StrictSerializer):
    """What both a new tag and a change may say; ``lat`` and ``lon`` stand together."""

    kind = OneOfField(choices=names(TagKind.values), required=False)
    address = words(ADDRESS_CHARS)
    poi_id = words(LABEL_CHARS)
    lat = NumberField(least=-90.0, most=90.0, required=False)
    lon = NumberField(least=-180.0, most=180.0, required=False)
    phone = words(64)
    relation = words(100)
    aliases = ListOfField(child=LabelField(), most=ALIASES_MOST, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse half a position."""
        for one, other in (("lat", "lon"), ("lon", "lat")):
            if one in attrs and other not in attrs:
                raise fault(other, "required", f"Is required with {one}.")
        return attrs


class SaidField(InstantField):
    """Since when it is true, by default now; what is older than what holds enters the past only."""

    def to_internal_value(self, data: Any) -> datetime:
        """Return the moment. Raises ValidationError."""
        moment: datetime = super().to_internal_value(data)
        if moment > utc_now() + BELIEFS.clock_tolerance:
            refuse("in_future", "Must not be in the future.")
        return moment


class TagInput(TagFields, Input):
    """A tag. Without ``kind`` it is a contact when it has a phone or relation and no place, else a place."""

    label = LabelField()  # type: ignore[assignment]  # a field here, not REST framework's label
    valid_at = SaidField(required=False)


class TagEditInput(TagFields, Input):
    """Changes: what is not given stays, ``aliases`` are replaced, ``remove`` takes away what a tag may do without."""

    label = LabelField(required=False)  # type: ignore[assignment]  # a field here, not REST framework's label
    valid_at = SaidField(required=False)
    remove = ListOfField(child=OneOfField(choices=names(CLEARABLE)), most=len(CLEARABLE), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse half a position, and a field that is both given and taken away."""
        super().validate(attrs)
        gone = attrs.get("remove", [])
        for index, name in enumerate(gone):
            if name in attrs:
                raise fault(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        if ("lat" in gone) != ("lon" in gone):
            raise fault("remove", "half_a_position", "Names lat and lon together.")
        return attrs

    @staticmethod
    def changes_of(parsed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the changes by column."""
        changes = {name: value for name, value in parsed.items() if name not in {"remove", "valid_at"}}
        return changes | empty_columns(parsed.get("remove", []))


class LookupInput(QueryInput):
    """What somebody said, such as "navigate home" or "打电话给妈妈"."""

    q = TextField(max_bytes=KIB)
    limit = WholeField(least=1, most=50, default=TAG_LOOKUP.limit)


class TagOutput(Output):
    """A labelled place or contact; null where nothing is known."""

    id = serializers.UUIDField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field here, not REST framework's label
    kind = serializers.ChoiceField(choices=names(TagKind.values))
    address = serializers.CharField(allow_null=True)
    poi_id = serializers.CharField(allow_null=True)
    lat = serializers.FloatField(allow_null=True)
    lon = serializers.FloatField(allow_null=True)
    phone = serializers.CharField(allow_null=True)
    relation = serializers.CharField(allow_null=True)
    aliases = serializers.ListField(child=serializers.CharField())
    use_count = serializers.IntegerField()
    last_used = serializers.DateTimeField(allow_null=True)
    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=names(Provenance.values))
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    version = serializers.IntegerField()


class WrittenTagOutput(TagOutput):
    """A tag after it was posted, and what that did."""

    verdict = serializers.ChoiceField(choices=names(Verdict.values))
    reason = serializers.CharField(allow_null=True)


class ListedTagOutput(TagOutput):
    """A tag of a list; ``history`` is null unless it is asked for."""

    history = TagDetailOutput(many=True, allow_null=True)


class TagNoteOutput(Output):
    """A note about a contact or thing."""

    id = serializers.UUIDField()
    text = serializers.CharField()
    grade = serializers.ChoiceField(choices=names(NoteGrade.values))
    said_at = serializers.DateTimeField(allow_null=True)


class OneTagOutput(TagOutput):
    """A tag with the newest notes about it; ``GET .../notes?about={id}`` lists them all."""

    notes = TagNoteOutput(many=True)


class TagPageOutput(Output):
    """A page of tags, oldest first."""

    data = ListedTagOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class TagMatchOutput(Output):
    """A tag that the text may mean; ``score`` is 0..1."""

    tag = TagOutput()
    score = serializers.FloatField()
    match = serializers.ChoiceField(choices=names(get_args(Match)))


class LookupOutput(Output):
    """Matches, best first."""

    data = TagMatchOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property


def refuse_in(given: Mapping[str, Any]) -> None:
    """Raise Sensitive naming what of a tag must not be remembered.

    Telephone numbers are fine; ids of places are a map's own numbers, of which every tenth passes a card's checksum.
    """
    words = {name: given[name] for name in ("label", "address", "relation", "aliases") if name in given}
    phone = given.get("phone", "")
    refuse_sensitive(words if is_telephone(phone) else {**words, "phone": phone})


def draft_of(given: Mapping[str, Any]) -> TagDraft:
    """Return the tag that a checked input describes."""
    details = {name: value for name, value in given.items() if name not in {"label", "valid_at"}}
    return TagDraft(given["label"], details, valid_at=given.get("valid_at"))


def serialize_tag(tag: Tag) -> dict[str, Any]:
    return {
        "id": tag.id,
        "label": tag.label,
        "kind": tag.kind,
        "address": tag.address or None,
        "poi_id": tag.poi_id or None,
        "lat": tag.lat,
        "lon": tag.lon,
        "phone": tag.phone or None,
        "relation": tag.relation or None,
        "aliases": tag.aliases,
        "use_count": tag.use_count,
        "last_used": tag.last_used_at,
        "confidence": tag.confidence,
        "provenance": tag.provenance,
        "created_at": tag.created_at,
        "updated_at": tag.updated_at,
        "version": tag.version,
    }


def serialize_listed_tag(tag: Tag, history: Sequence[TagDetail] | None) -> dict[str, Any]:
    return {**serialize_tag(tag), "history": None if history is None else [serialize_detail(row) for row in history]}


def serialize_tag_with_notes(tag: Tag, notes: Iterable[SourcedNote]) -> dict[str, Any]:
    told = (
        {"id": one.snapshot.id, "text": one.snapshot.text, "grade": one.note.grade, "said_at": one.snapshot.said_at}
        for one in notes
    )
    return {**serialize_tag(tag), "notes": list(told)}


def serialize_tag_outcome(outcome: TagOutcome) -> dict[str, Any]:
    return {**serialize_tag(outcome.tag), "verdict": outcome.verdict, "reason": outcome.reason or None}


def serialize_tag_match(match: TagMatch) -> dict[str, Any]:
    return {"tag": serialize_tag(match.tag), "score": match.score, "match": match.match}
