"""The reason for an act. Secrets in it are masked before it reaches the audit trail."""

from collections.abc import Mapping
from typing import Any

from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import TextField
from memory_platform.api.requests.serializers import Input
from snapshots.sensitive.detector import mask_sensitive

_LONGEST = 500


class OptionalReasonInput(Input):
    """An optional reason."""

    reason = TextField(required=False, max_bytes=1 * KIB, help_text="Why, for the audit trail.")


def masked_reason(given: Mapping[str, Any]) -> str:
    """Return the reason without secrets, at most 500 characters; empty when there is none."""
    return mask_sensitive(given.get("reason", ""))[0][:_LONGEST]
