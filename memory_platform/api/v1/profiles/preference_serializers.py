"""A preference as it goes in and out."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_platform.api.policy import POLICY
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    JsonField,
    ListOfField,
    NumberField,
    OneOfField,
    ProductIdField,
    TextField,
    names,
)
from memory_platform.api.requests.sensitive import refuse_sensitive
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.recall.recall_serializers import SourceOutput
from memory_platform.api.views.pagination import PageInput
from memory_platform.kernel.errors import FieldFault, InvalidInput
from profiles.models import Preference
from profiles.services.claims import Claim, stated_claim
from profiles.values import Provenance, Verdict
from snapshots.lifecycle.values import SourceNames

CATEGORY_CHARS = 100
SOURCES_MOST = 100


class SourceInput(StrictSerializer):
    """A message behind a memory; without conversation the newest message of that id."""

    message_id = ProductIdField()
    conversation_id = ProductIdField(required=False)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "minLength": 1, "maxLength": POLICY.id_chars},
            {
                "type": "object",
                "required": ["message_id"],
                "properties": {"message_id": {"type": "string"}, "conversation_id": {"type": ["string", "null"]}},
                "additionalProperties": False,
            },
        ]
    }
)
class SourceField(serializers.Field[SourceNames, Any, Any, Any]):
    """A message id, or a message id with its conversation."""

    def to_internal_value(self, data: Any) -> SourceNames:
        """Return the names of a message. Raises ValidationError."""
        given = {"message_id": data} if isinstance(data, str) else data
        value = SourceInput().run_validation(given)
        return SourceNames(value.get("conversation_id", ""), value["message_id"])


class PreferenceInput(Input):
    """One value. Confidence may be at most what the provenance allows: 0.6, 0.8 or 1.0; by default it is that."""

    value = JsonField()
    statement = TextField(max_bytes=POLICY.string_bytes, required=False)
    provenance = OneOfField(choices=names(Provenance.values), required=False)
    confidence = NumberField(least=0.0, most=1.0, required=False)
    valid_at = InstantField(required=False)
    sources = ListOfField(child=SourceField(), most=SOURCES_MOST, required=False)


class PreferenceListInput(PageInput):
    """``as_of`` is what was true then, ``known_at`` what was known then; ``include_history`` adds what had ended."""

    category = TextField(max_bytes=4 * CATEGORY_CHARS, max_length=CATEGORY_CHARS, required=False)
    as_of = InstantField(required=False)
    known_at = InstantField(required=False)
    include_history = FlagField(default=False)

    @staticmethod
    def moment_of(parsed: Mapping[str, Any]) -> dict[str, Any]:
        """Return which preferences are asked for."""
        return {name: parsed.get(name) for name in ("category", "as_of", "known_at", "include_history")}


class PreferenceOutput(Output):
    """One value of a preference; true in ``[valid_at, invalid_at)``, ``invalid_at`` null while it is current.

    ``note_id`` is the newest note whose words it was read from, null where there is none.
    """

    id = serializers.UUIDField()
    category = serializers.CharField()
    key = serializers.CharField()
    value = serializers.JSONField()
    statement = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=names(Provenance.values))
    valid_at = serializers.DateTimeField()
    invalid_at = serializers.DateTimeField(allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    last_validated_at = serializers.DateTimeField()
    sources = SourceOutput(many=True)
    note_id = serializers.UUIDField(allow_null=True)
    version = serializers.IntegerField()


class WrittenPreferenceOutput(PreferenceOutput):
    """The current value after a write, and what the write did."""

    verdict = serializers.ChoiceField(choices=names(Verdict.values))
    reason = serializers.CharField(allow_null=True)


class PreferencePageOutput(Output):
    """A page of values."""

    data = PreferenceOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


def check_category(category: str) -> None:
    """Raise InvalidInput when a category of a path is too long."""
    if len(category) > CATEGORY_CHARS:
        raise InvalidInput(faults=[FieldFault("category", "length", f"Has 1-{CATEGORY_CHARS} characters.")])


def refuse_in(category: str, key: str, given: Mapping[str, Any]) -> None:
    """Raise Sensitive naming what of a preference must not be remembered; a value is called what its key says."""
    said = {name: given[name] for name in ("value", "statement") if name in given}
    refuse_sensitive({"category": category, "key": key, **said}, names={"value": key})


def claim_of(given: Mapping[str, Any]) -> Claim:
    """Return what a checked input states. Raises ConfidenceAboveCeiling and ValidInFuture."""
    provenance = given.get("provenance")
    return stated_claim(
        given["value"],
        provenance=Provenance(provenance) if provenance else None,
        confidence=given.get("confidence"),
        valid_at=given.get("valid_at"),
        **({"statement": given["statement"]} if "statement" in given else {}),
    )


def serialize_preference(
    preference: Preference, sources: Iterable[SourceNames], note_id: UUID | None = None
) -> dict[str, Any]:
    """Return a value as JSON; an image of a value before a change has the value's own id."""
    return {
        "id": preference.value_id,
        "category": preference.category,
        "key": preference.key,
        "value": preference.value,
        "statement": preference.statement or None,
        "confidence": preference.confidence,
        "provenance": preference.provenance,
        "valid_at": preference.valid_at,
        "invalid_at": preference.invalid_at,
        "superseded_by": preference.superseded_by_id,
        "recorded_at": preference.recorded_at,
        "last_validated_at": preference.last_validated_at,
        "sources": [{"conversation_id": one.conversation_id, "message_id": one.message_id} for one in sources],
        "note_id": note_id,
        "version": preference.version,
    }
