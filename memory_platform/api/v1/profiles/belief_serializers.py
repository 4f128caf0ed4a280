"""The part that values of preferences, profile fields and tag details have in common."""

from rest_framework import serializers

from memory_platform.api.requests.serializers import Output
from memory_platform.api.v1.memories.shared_serializers import confidence_output, provenance_output
from profiles.services.claims import OLDER, WEAKER

WRITE_REASONS = [OLDER, WEAKER]
WRITE_REASON_HELP = (
    "Reason for the verdict: `older` (a later value stays current; this one is in the history only), "
    "`weaker_than_current` (the current value has a stronger provenance). Null if the verdict needs no reason."
)


class BeliefOutput(Output):
    """A value and the time in which it was true: from ``valid_at`` until ``invalid_at``."""

    id = serializers.UUIDField(source="value_id", help_text="Id of this value.")
    value = serializers.JSONField(help_text="The value; any JSON.")
    confidence = confidence_output()
    provenance = provenance_output()
    valid_at = serializers.DateTimeField(help_text="Since when the value is true.")
    invalid_at = serializers.DateTimeField(
        allow_null=True, help_text="Until when the value was true; null while it is current."
    )
    superseded_by = serializers.UUIDField(
        source="superseded_by_id", allow_null=True, help_text="Id of the value that replaced this one, if any."
    )
    recorded_at = serializers.DateTimeField(help_text="When the platform recorded this value or its end.")
    last_validated_at = serializers.DateTimeField(help_text="When the value was last said or confirmed.")
