"""Fields of a preference in requests and answers."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import (
    InstantField,
    JsonField,
    ListOfField,
    NumberField,
    OneOfField,
    ProductIdField,
    TextField,
)
from memory_platform.api.requests.sensitive_values import refuse_sensitive
from memory_platform.api.requests.serializers import Input, StrictSerializer
from memory_platform.api.v1.memories.common_memory_fields import (
    CONFIDENCE_HELP,
    PROVENANCE_INPUT_HELP,
    VERDICT_HELP,
    MessageSourceOutput,
    MomentListInput,
    make_short_text_field,
)
from memory_platform.api.v1.profiles.profile_serializers import WRITE_REASON_HELP, WRITE_REASONS, BeliefOutput
from memory_platform.kernel.errors import FieldFault, InvalidInput
from profiles.provenance_and_verdict import PRODUCT_PROVENANCES, Provenance, Verdict
from profiles.services.value_claims import Claim, make_stated_claim
from snapshots.lifecycle.write_types import MessageAddress

CATEGORY_CHARS = 100
SOURCES_MOST = 100
MESSAGE_HELP = "Id of the message."
CONVERSATION_HELP = "Id of its conversation. Without it, the newest message with this id."


class SourceInput(StrictSerializer):
    """The message behind a memory."""

    message_id = ProductIdField(help_text=MESSAGE_HELP)
    conversation_id = ProductIdField(required=False, help_text=CONVERSATION_HELP)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "minLength": 1, "maxLength": API_CONFIG.id_chars},
            {
                "type": "object",
                "required": ["message_id"],
                "properties": {
                    "message_id": {"type": "string", "description": MESSAGE_HELP},
                    "conversation_id": {"type": ["string", "null"], "description": CONVERSATION_HELP},
                },
                "additionalProperties": False,
            },
        ]
    }
)
class SourceField(serializers.Field[MessageAddress, Any, Any, Any]):
    """A message id, or a message id with its conversation."""

    def to_internal_value(self, data: Any) -> MessageAddress:
        given = {"message_id": data} if isinstance(data, str) else data
        value = SourceInput().run_validation(given)
        return MessageAddress(value.get("conversation_id", ""), value["message_id"])


class PreferenceInput(Input):
    """One value of a preference."""

    value = JsonField(help_text="The value: any JSON, such as a text, a number, `true` or a list.")
    statement = TextField(
        max_bytes=API_CONFIG.string_bytes, required=False, help_text="The preference in the user's own words."
    )
    provenance = OneOfField(
        choices=PRODUCT_PROVENANCES, required=False, help_text=f"{PROVENANCE_INPUT_HELP} Default: `confirmed_by_user`."
    )
    confidence = NumberField(least=0.0, most=1.0, required=False, help_text=f"{CONFIDENCE_HELP} Default: that maximum.")
    valid_at = InstantField(required=False, help_text="Since when the value is true. Default: now.")
    sources = ListOfField(
        child=SourceField(), most=SOURCES_MOST, required=False, help_text="The messages that say this."
    )


class PreferenceListInput(MomentListInput):
    """Which preferences to list."""

    category = make_short_text_field(CATEGORY_CHARS, "Returns preferences of this category only.")

    @staticmethod
    def filter_of(parsed: Mapping[str, Any]) -> dict[str, Any]:
        return {name: parsed.get(name) for name in ("category", "as_of", "known_at", "include_history")}


class PreferenceOutput(BeliefOutput):
    """One value of a preference."""

    category = serializers.CharField(help_text="The category, such as `food` or `navigation`.")
    key = serializers.CharField(help_text="The key in the category, such as `diet`.")
    statement = serializers.CharField(allow_null=True, help_text="The preference in the user's own words, if known.")
    sources = MessageSourceOutput(many=True, help_text="The messages that say this, in the order they were sent.")
    note_id = serializers.UUIDField(
        allow_null=True, help_text="Id of the newest note that this value was read from; null if there is none."
    )
    version = serializers.IntegerField(help_text="Version of the row; grows with each change.")


class WrittenPreferenceOutput(PreferenceOutput):
    """The current value after a write, and the result of the write."""

    verdict = serializers.ChoiceField(choices=Verdict.values, help_text=VERDICT_HELP)
    reason = serializers.ChoiceField(choices=WRITE_REASONS, allow_null=True, help_text=WRITE_REASON_HELP)


def check_category(category: str) -> None:
    if len(category) > CATEGORY_CHARS:
        message = f"`category` must have 1 to {CATEGORY_CHARS} characters."
        raise InvalidInput(faults=[FieldFault("category", "length", message)])


def refuse_sensitive_preference(category: str, key: str, body: Mapping[str, Any]) -> None:
    """Raise Sensitive if a preference holds a secret. The key counts as the name of the value."""
    texts = {name: body[name] for name in ("value", "statement") if name in body}
    refuse_sensitive({"category": category, "key": key, **texts}, names={"value": key})


def build_claim(body: Mapping[str, Any]) -> Claim:
    """Return the claim of a checked input. Raises ConfidenceAboveCeiling and ValidInFuture."""
    provenance = body.get("provenance")
    return make_stated_claim(
        body["value"],
        provenance=Provenance(provenance) if provenance else None,
        confidence=body.get("confidence"),
        valid_at=body.get("valid_at"),
        **({"statement": body["statement"]} if "statement" in body else {}),
    )
