"""What tags were, as it goes out, and which moment is asked for."""

from typing import Any

from rest_framework import serializers

from memory_platform.api.requests.fields import FlagField, InstantField, names
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.pagination import PageInput
from profiles.models import DetailName, TagDetail
from profiles.values import Provenance


class TagListInput(PageInput):
    """``as_of`` is what was true then, ``known_at`` what was known then; ``include_history`` adds what each was."""

    as_of = InstantField(required=False)
    known_at = InstantField(required=False)
    include_history = FlagField(default=False)


class TagDetailOutput(Output):
    """One value that a detail of a tag has had; true in ``[valid_at, invalid_at)``. Patch it in to bring it back."""

    id = serializers.UUIDField()
    detail = serializers.ChoiceField(choices=names(DetailName.values))
    value = serializers.JSONField()
    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=names(Provenance.values))
    valid_at = serializers.DateTimeField()
    invalid_at = serializers.DateTimeField(allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    last_validated_at = serializers.DateTimeField()


class TagDetailPageOutput(Output):
    """A page of values, in the order in which they began."""

    data = TagDetailOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


def serialize_detail(row: TagDetail) -> dict[str, Any]:
    """Return one value of a detail as JSON; an image of a value before a change has the value's own id."""
    return {
        "id": row.value_id,
        "detail": row.detail,
        "value": row.value,
        "confidence": row.confidence,
        "provenance": row.provenance,
        "valid_at": row.valid_at,
        "invalid_at": row.invalid_at,
        "superseded_by": row.superseded_by_id,
        "recorded_at": row.recorded_at,
        "last_validated_at": row.last_validated_at,
    }
