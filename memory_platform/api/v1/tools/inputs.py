"""The arguments of the tools, checked as strictly as the requests that write the same things."""

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ValidationError

from memory_platform.api.config import POLICY
from memory_platform.api.requests.fields import (
    FlagField,
    JsonField,
    OneOfField,
    OwnIdField,
    ProductIdField,
    TextField,
    WholeField,
)
from memory_platform.api.requests.serializers import Input
from memory_platform.api.requests.validation_faults import flatten_faults, make_field_error
from memory_platform.api.v1.memories.shared_serializers import short_text
from memory_platform.api.v1.profiles.preference_serializers import CATEGORY_CHARS
from memory_platform.api.v1.profiles.profile_serializers import NAME_CHARS, ProfileInput
from memory_platform.api.v1.profiles.tag_serializers import LabelField, TagInput
from memory_platform.api.v1.recall.recall import TOP_K_MOST
from profiles.services.profile import LIST_FIELDS, FactName
from profiles.values import Provenance

# Provenances that a tool may give. The default is the model's own conclusion.
PROVENANCES = (Provenance.ANALYSIS.value, Provenance.CONFIRMED_BY_USER.value, Provenance.OBSERVATION.value)
# The arguments that name one thing of each kind that can be forgotten.
NEEDED = {
    "preference": ("category", "key"),
    "profile_fact": ("field",),
    "tag": ("label",),
    "memory": ("memory_id",),
}
FORGETTABLE = tuple(NEEDED)


class SavingInput(Input):
    """Arguments of every tool that saves."""

    provenance = OneOfField(choices=PROVENANCES, default=PROVENANCES[0])
    lasting = FlagField(default=True)


class SavePreferenceInput(SavingInput):
    """A preference."""

    category = ProductIdField()
    key = ProductIdField()
    value = JsonField()
    statement = TextField(max_bytes=POLICY.string_bytes, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs["category"]) > CATEGORY_CHARS:
            raise make_field_error("category", "length", f"Must have 1 to {CATEGORY_CHARS} characters.")
        refuse_empty(attrs["value"])
        return attrs


class SaveTagInput(SavingInput, TagInput):
    """A place under the user's own name for it."""

    kind = None  # type: ignore[assignment]  # REST framework's way to take a field out
    relation = None  # type: ignore[assignment]
    valid_at = None  # type: ignore[assignment]  # a model saves what is valid from now on


class SaveRelationshipInput(SavingInput):
    """A person in the user's life."""

    person = LabelField()
    relation = short_text(100, "Relation to the user, such as `mother`.")
    phone = short_text(64, "Telephone number.")
    address = TagInput._declared_fields["address"]
    aliases = TagInput._declared_fields["aliases"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "relation" not in attrs:
            raise make_field_error("relation", "required", "Is required.")
        return attrs


class SaveProfileFactInput(SavingInput):
    """A field of the profile or a free attribute."""

    field = TextField(max_bytes=4 * NAME_CHARS, max_length=NAME_CHARS)
    value = JsonField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        refuse_empty(attrs["value"])
        name = FactName.read(attrs["field"])
        if name.field in LIST_FIELDS and not name.is_attribute and isinstance(attrs["value"], str):
            attrs["value"] = [attrs["value"]]
        said = {"attributes": {name.field: attrs["value"]}} if name.is_attribute else {name.field: attrs["value"]}
        try:
            ProfileInput().run_validation(said)
        except ValidationError as error:
            path = "field" if "attributes" in error.detail and not name.field else "value"
            raise make_field_error(path, *first_fault(error)) from None
        return attrs


class ForgetInput(Input):
    """The thing to forget, named as its kind needs it."""

    kind = OneOfField(choices=FORGETTABLE)
    category = ProductIdField(required=False)
    key = ProductIdField(required=False)
    field = TextField(max_bytes=4 * NAME_CHARS, max_length=NAME_CHARS, required=False)
    label_ = LabelField(required=False)
    memory_id = OwnIdField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        needed = NEEDED[attrs["kind"]]
        for name in needed:
            if name not in attrs:
                raise make_field_error(name, "required", f"Is required to forget a {attrs['kind']}.")
        for name in attrs:
            if name not in {"kind", *needed}:
                raise make_field_error(name, "not_of_this_kind", f"Must be left out to forget a {attrs['kind']}.")
        return attrs


class RecallToolInput(Input):
    """A question."""

    query = TextField(max_bytes=POLICY.string_bytes)
    top_k = WholeField(least=1, most=TOP_K_MOST, required=False)


INPUTS: Mapping[str, type[Input]] = {
    "save_preference": SavePreferenceInput,
    "save_tag": SaveTagInput,
    "save_profile_fact": SaveProfileFactInput,
    "save_relationship": SaveRelationshipInput,
    "forget": ForgetInput,
    "recall": RecallToolInput,
}


def parse_arguments(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of one call with defaults. Raises ValidationError for ``arguments.x``."""
    try:
        return dict(INPUTS[tool]().run_validation(arguments))
    except ValidationError as error:
        raise ValidationError({"arguments": error.detail}) from None


def refuse_empty(value: Any) -> None:
    if value in ("", [], {}):
        raise make_field_error("value", "empty", "Must not be empty.")


def first_fault(error: ValidationError) -> tuple[str, str]:
    found = next(flatten_faults(error.detail))
    return found.code, found.message
