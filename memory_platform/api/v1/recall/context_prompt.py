"""The part ``prompt`` of a context: the same messages in the form of the vendor that the request names."""

from typing import Any

from rest_framework import serializers

from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import FlagField, OneOfField, TextField, names
from memory_platform.api.requests.serializers import Output, StrictSerializer
from memory_platform.providers.prompt_cache.vendor_forms import VENDORS
from snapshots.context.writing.vendors import KEPT_BY, VendorPrompt, VendorRequest
from snapshots.prompt_cache.keep import NotKept

NAME_BYTES = 300


class PromptFields(StrictSerializer):
    """Whose form is wanted, and whether that vendor shall keep the stable prefix."""

    vendor = OneOfField(choices=names(sorted(VENDORS)), required=False)
    cached_content = FlagField(default=False)
    cached_content_lost = TextField(max_bytes=NAME_BYTES, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a form of no messages, and cached content of a vendor that has none."""
        if "vendor" in attrs and attrs["format"] != "messages":
            raise fault("vendor", "contradiction", "Needs the format messages.")
        for name in ("cached_content", "cached_content_lost"):
            if attrs.get(name) and attrs.get("vendor") != KEPT_BY:
                raise fault(name, "contradiction", f"Needs the vendor {KEPT_BY}.")
        return attrs


class CachedContentOutput(Output):
    """What the vendor keeps of the prompt; only ``model`` can read it. ``tokens``: the vendor's count, 0 if untold."""

    name = serializers.CharField()
    model = serializers.CharField()
    tokens = serializers.IntegerField()
    expires_at = serializers.DateTimeField()


class PromptOutput(Output):
    """``body``: members of the vendor's request. ``degraded_reason``: why there is no ``cached_content``, asked for."""

    vendor = serializers.ChoiceField(choices=sorted(VENDORS))
    body = serializers.DictField()
    cached_content = CachedContentOutput(allow_null=True)
    degraded_reason = serializers.ChoiceField(choices=[str(reason) for reason in NotKept], allow_null=True)


def vendor_request_of(given: dict[str, Any]) -> VendorRequest | None:
    """Return what a checked body asks for; None of one that names no vendor."""
    if "vendor" not in given:
        return None
    lost = given.get("cached_content_lost", "")
    return VendorRequest(given["vendor"], cached_content=given["cached_content"] or bool(lost), lost_name=lost)


def shown_prompt(prompt: VendorPrompt | None) -> dict[str, Any] | None:
    """Return a prompt as the API shows it."""
    if prompt is None:
        return None
    kept = prompt.kept
    cached = kept and {
        "name": kept.name,
        "model": prompt.model,
        "tokens": kept.tokens,
        "expires_at": kept.expires_at,
    }
    return {"vendor": prompt.vendor, "body": prompt.body, "cached_content": cached, "degraded_reason": prompt.missing}
