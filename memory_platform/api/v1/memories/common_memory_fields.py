"""Fields that the requests and answers of several nouns share."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memory_platform.api.requests.fields import FlagField, InstantField, TextField
from memory_platform.api.requests.serializers import Output
from memory_platform.api.views.pagination import PageInput
from profiles.models import TagKind
from profiles.provenance_and_verdict import Provenance

CONFIDENCE_HELP = (
    "How sure the platform is that this is true, 0 to 1. The provenance sets the maximum: 0.6 for `observation`, "
    "0.8 for `analysis` and `imported`, 0.9 for `corrected_by_staff`, 1.0 for `confirmed_by_user`."
)
_PROVENANCE_HELP = (
    "How this came to be known: `observation` (read from a message), `analysis` (concluded from several messages), "
    "`confirmed_by_user` (the user or your product said so), `imported` (another memory system wrote it)"
)
PROVENANCE_INPUT_HELP = f"{_PROVENANCE_HELP}."
PROVENANCE_OUTPUT_HELP = f"{_PROVENANCE_HELP}, `corrected_by_staff` (support staff corrected it in the console)."
VERDICT_HELP = (
    "Result of the write: `stored` (new), `merged` (added to the existing one), `superseded` (replaced the old value), "
    "`unchanged` (known already), `rejected` (not accepted), `pending` (waits for review)."
)
ALLOW_FORGOTTEN_HELP = "Store the text even if the subject had the same text forgotten. Otherwise: 422 `forgotten`."


def make_short_text_field(chars: int, help_text: str) -> TextField:
    """Return an optional text field for at most ``chars`` characters in any script."""
    return TextField(max_bytes=4 * chars, max_length=chars, required=False, help_text=help_text)


def make_confidence_output(**kwargs: Any) -> serializers.FloatField:
    return serializers.FloatField(help_text=CONFIDENCE_HELP, **kwargs)


def make_provenance_output(**kwargs: Any) -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=Provenance.values, help_text=PROVENANCE_OUTPUT_HELP, **kwargs)


def make_texts_output(help_text: str, **kwargs: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), help_text=help_text, **kwargs)


class MomentListInput(PageInput):
    """A list as it is now, or as it was at a past time."""

    as_of = InstantField(required=False, help_text="Returns values that were true at this time, as known today.")
    known_at = InstantField(required=False, help_text="Returns values that the platform held at this time.")
    include_history = FlagField(default=False, help_text="Also returns values that are no longer true.")

    @staticmethod
    def choose_moments(parsed: Mapping[str, Any]) -> dict[str, Any]:
        return {name: parsed.get(name) for name in ("as_of", "known_at")}


class MessageSourceOutput(Output):
    """The message behind a memory."""

    conversation_id = serializers.CharField(help_text="Id of the conversation.")
    message_id = serializers.CharField(help_text="Id of the message in the conversation.")


class TagBaseOutput(Output):
    """A labelled place, contact or thing. A field is null if it is not known."""

    id = serializers.UUIDField(help_text="Id of the tag.")
    label_ = serializers.CharField(help_text="The user's word for it, such as `home` or `妈妈`.")
    kind = serializers.ChoiceField(choices=TagKind.values, help_text="What the tag stands for.")
    address = serializers.CharField(allow_null=True, help_text="Postal address.")
    poi_id = serializers.CharField(allow_null=True, help_text="Id of the place in your map service.")
    lat = serializers.FloatField(allow_null=True, help_text="Latitude in degrees.")
    lon = serializers.FloatField(allow_null=True, help_text="Longitude in degrees.")
    phone = serializers.CharField(allow_null=True, help_text="Telephone number.")
    relation = serializers.CharField(allow_null=True, help_text="Relation to the user, such as `mother`.")
    confidence = make_confidence_output()
    provenance = make_provenance_output()
