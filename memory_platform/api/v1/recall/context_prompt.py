"""The part ``prompt`` of a context: the same messages as the body of one vendor's request."""

from typing import Any

from rest_framework import serializers

from memory_platform.api.requests.fields import FlagField, OneOfField, TextField
from memory_platform.api.requests.serializers import Output, StrictSerializer
from memory_platform.api.requests.validation_faults import make_field_error
from memory_platform.providers.prompt_cache.vendor_forms import VENDORS
from snapshots.context.writing.vendor_prompts import KEPT_BY, VendorPrompt, VendorRequest
from snapshots.prompt_cache.cache_prefix import NotKept

NAME_BYTES = 300


class PromptFields(StrictSerializer):
    """The vendor that the context is for."""

    vendor = OneOfField(
        choices=sorted(VENDORS),
        required=False,
        help_text="Adds `prompt`: the messages in the form of this vendor's API. Needs the format `messages`.",
    )
    cached_content = FlagField(
        default=False, help_text=f"Lets the vendor keep the stable prefix between requests. Needs the vendor {KEPT_BY}."
    )
    cached_content_lost = TextField(
        max_bytes=NAME_BYTES,
        required=False,
        help_text="Name of cached content that the vendor no longer has; the platform makes it anew.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raise ValidationError for a vendor without messages, or cached content of a vendor that keeps none."""
        if "vendor" in attrs and attrs["format"] != "messages":
            raise make_field_error("vendor", "contradiction", "Needs the format messages.")
        for name in ("cached_content", "cached_content_lost"):
            if attrs.get(name) and attrs.get("vendor") != KEPT_BY:
                raise make_field_error(name, "contradiction", f"Needs the vendor {KEPT_BY}.")
        return attrs


class CachedContentOutput(Output):
    """The part of the prompt that the vendor keeps."""

    name = serializers.CharField(help_text="Name of the cached content, for the vendor's request.")
    model = serializers.CharField(help_text="The only model that can read it.")
    tokens = serializers.IntegerField(help_text="Its tokens as the vendor counts them; 0 if the vendor does not say.")
    expires_at = serializers.DateTimeField(help_text="When the vendor drops it.")


class PromptOutput(Output):
    """The messages of a context in the form of a vendor's API."""

    vendor = serializers.ChoiceField(choices=sorted(VENDORS), help_text="The vendor.")
    body = serializers.DictField(help_text="Members for the body of the vendor's request.")
    cached_content = CachedContentOutput(allow_null=True, help_text="The cached content, if there is any.")
    degraded_reason = serializers.ChoiceField(
        source="missing",
        choices=list(NotKept),
        allow_null=True,
        help_text="Why there is no cached content although it was asked for, else null.",
    )

    @staticmethod
    def render_cached_content(prompt: VendorPrompt) -> dict[str, Any] | None:
        return CachedContentOutput.render(prompt.kept, model=prompt.model) if prompt.kept else None


def vendor_request_of(given: dict[str, Any]) -> VendorRequest | None:
    """Return the vendor's part of a checked body; None if it names no vendor."""
    if "vendor" not in given:
        return None
    lost = given.get("cached_content_lost", "")
    return VendorRequest(given["vendor"], cached_content=given["cached_content"] or bool(lost), lost_name=lost)
