"""Fields of a profile in requests and answers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from rest_framework import serializers

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.fields import (
    JsonObjectField,
    ListOfField,
    TextField,
    make_field_error,
    raise_field_error,
)
from memory_platform.api.requests.json_guard import printable_key
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.memories.common_memory_fields import (
    VERDICT_HELP,
    make_confidence_output,
    make_provenance_output,
    make_short_text_field,
    make_texts_output,
)
from memory_platform.kernel.character_checks import has_control
from profiles.completeness import Priority
from profiles.models import PROFILE_FIELDS, ProfileFact
from profiles.provenance_and_verdict import Verdict
from profiles.services.profile import ATTRIBUTES, FactChange, FactName, Mode
from profiles.services.value_claims import ABSENT, NOT_A_LIST, OLDER, REMOVED, WEAKER, make_stated_claim
from snapshots.notes.slot_links import list_notes_of_slots

WRITE_REASONS = [OLDER, WEAKER]
WRITE_REASON_HELP = (
    "Reason for the verdict: `older` (a later value stays current; this one is in the history only), "
    "`weaker_than_current` (the current value has a stronger provenance). Null if the verdict needs no reason."
)
ATTRIBUTES_MOST = 100
NAME_CHARS = 200
# A language of two or three letters, and subtags. Source: RFC 5646, section 2.1.
LOCALE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
MODES = [mode for mode in get_args(Mode) if mode != "remove"]
FIELD_HELP = "Name of a profile field, such as `occupation`, or `attributes.` and the name of an attribute."


class BeliefOutput(Output):
    """A value and the time in which it was true: from ``valid_at`` until ``invalid_at``."""

    id = serializers.UUIDField(source="value_id", help_text="Id of this value.")
    value = serializers.JSONField(help_text="The value; any JSON.")
    confidence = make_confidence_output()
    provenance = make_provenance_output()
    valid_at = serializers.DateTimeField(help_text="Since when the value is true.")
    invalid_at = serializers.DateTimeField(
        allow_null=True, help_text="Until when the value was true; null while it is current."
    )
    superseded_by = serializers.UUIDField(
        source="superseded_by_id", allow_null=True, help_text="Id of the value that replaced this one, if any."
    )
    recorded_at = serializers.DateTimeField(help_text="When the platform recorded this value or its end.")
    last_validated_at = serializers.DateTimeField(help_text="When the value was last said or confirmed.")


class LocaleField(TextField):
    """A language tag of BCP 47; underscores are accepted: en, en-GB, zh-Hans, zh_CN. Only its form is checked."""

    def to_internal_value(self, data: Any) -> str:
        given = super().to_internal_value(data)
        if not LOCALE.fullmatch(given):
            raise_field_error("not_a_locale", "Must be a language tag such as en, en-GB, zh-Hans or zh_CN.")
        return given


class AttributesField(JsonObjectField):
    """Free attributes: names of 1-200 characters, any JSON. A null is dropped."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        given = super().to_internal_value(data)
        if len(given) > ATTRIBUTES_MOST:
            raise_field_error("length", f"Must have at most {ATTRIBUTES_MOST} attributes.")
        for name in given:
            if not 0 < len(name) <= NAME_CHARS or has_control(name):
                message = f"Must have 1 to {NAME_CHARS} characters and no control characters."
                raise make_field_error(printable_key(name), "not_a_name", message)
        return {name: value for name, value in given.items() if value is not None}


class ModesField(JsonObjectField):
    """How to apply the new value of each named field."""

    def to_internal_value(self, data: Any) -> dict[str, Mode]:
        given = super().to_internal_value(data)
        for path, mode in given.items():
            if mode not in MODES:
                raise make_field_error(printable_key(path), "not_a_choice", f"Must be one of: {', '.join(MODES)}.")
        return given


class ProfileFields(StrictSerializer):
    """Values for a profile. A field that is absent or null keeps its value."""

    name = make_short_text_field(500, "The user's name.")
    occupation = make_short_text_field(500, "What the user does for a living.")
    interests = ListOfField(
        child=TextField(max_bytes=800, max_length=NAME_CHARS),
        most=200,
        required=False,
        help_text="What the user is interested in.",
    )
    mbti = make_short_text_field(16, "Personality type, such as `INTJ`.")
    age_range = make_short_text_field(64, "Age range, such as `30-39`.")
    locale = LocaleField(
        max_length=64, required=False, help_text="Language of the user as a BCP 47 tag, such as `en-GB` or `zh_CN`."
    )
    timezone = make_short_text_field(64, "IANA name of the user's time zone, such as `Europe/Berlin`.")
    attributes = AttributesField(
        max_bytes=API_CONFIG.string_bytes,
        required=False,
        help_text=f"Attributes of your own: up to {ATTRIBUTES_MOST} names, each with any JSON value.",
    )
    remove = ListOfField(
        child=TextField(max_bytes=API_CONFIG.id_bytes + 16),
        most=ATTRIBUTES_MOST,
        required=False,
        help_text="Fields to remove, such as `occupation` or `attributes.shoe_size`. Their history stays.",
    )
    modes = ModesField(
        max_bytes=API_CONFIG.string_bytes,
        required=False,
        help_text="How to apply a value, by field: `overwrite` (default), `append` (add to a list) or `merge` (add to "
        "a list or an object).",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = set(list_changed_paths(attrs))
        for index, path in enumerate(attrs.get("remove", ())):
            if FactName.read(path).path in given:
                raise make_field_error(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        for path in attrs.get("modes", ()):
            if FactName.read(path).path not in given:
                raise make_field_error(
                    f"modes.{printable_key(path)}", "no_value", "Must name a field that is given a value."
                )
        return attrs


class ProfileInput(ProfileFields, Input):
    """Changes of a profile. A field that is absent or null keeps its value."""


class ProfileOutput(Output):
    """Who the subject is. A field is null if it is not known."""

    name = serializers.CharField(allow_null=True, help_text="The user's name.")
    occupation = serializers.CharField(allow_null=True, help_text="What the user does for a living.")
    interests = make_texts_output("What the user is interested in.", allow_null=True)
    mbti = serializers.CharField(allow_null=True, help_text="Personality type.")
    age_range = serializers.CharField(allow_null=True, help_text="Age range.")
    locale = serializers.CharField(allow_null=True, help_text="Language of the user as a language tag.")
    timezone = serializers.CharField(allow_null=True, help_text="IANA name of the user's time zone.")
    attributes = serializers.DictField(help_text="Attributes of your own, by name.")


class StandingOutput(Output):
    """How well a profile field is known."""

    confidence = make_confidence_output()
    provenance = make_provenance_output()
    valid_at = serializers.DateTimeField(help_text="Since when the value is true.")
    note_id = serializers.UUIDField(
        allow_null=True, help_text="Id of the newest note that the value was read from; null if there is none."
    )


class StandingProfileOutput(ProfileOutput):
    """A profile, and how well each of its fields is known."""

    standing = serializers.DictField(
        child=StandingOutput(), help_text="By field or attribute: how sure the value is, and since when it is true."
    )


class FactVerdictOutput(Output):
    """The result of a change of one profile field."""

    field = serializers.CharField(source="name.path", help_text=FIELD_HELP)
    verdict = serializers.ChoiceField(choices=Verdict.values, help_text=VERDICT_HELP)
    reason = serializers.ChoiceField(
        choices=[*WRITE_REASONS, NOT_A_LIST, ABSENT, REMOVED],
        allow_null=True,
        help_text=f"{WRITE_REASON_HELP} Also: `not_a_list` (the mode needs a list), `removed` (removed as asked), "
        "`absent` (there was nothing to remove).",
    )


class PatchedProfileOutput(StandingProfileOutput):
    """A profile after a change, and the result for each field."""

    verdicts = FactVerdictOutput(many=True, help_text="One result for each changed or removed field, in that order.")


class FactOutput(BeliefOutput):
    """One value that a profile field has had."""

    field = serializers.CharField(help_text=FIELD_HELP)

    @staticmethod
    def render_field(fact: ProfileFact) -> str:
        return FactName(fact.field, fact.is_attribute).path


class MissingOutput(Output):
    """One thing that is not known about the subject yet."""

    key = serializers.CharField(help_text="What is missing, such as `name` or `home`.")
    priority = serializers.ChoiceField(choices=get_args(Priority), help_text="How important it is to know.")


class CompletenessOutput(Output):
    """The subject's missing information."""

    initialised = serializers.BooleanField(help_text="True if nothing of high priority is missing.")
    missing = MissingOutput(many=True, help_text="What is missing, most important first.")
    next_question = serializers.CharField(
        allow_null=True,
        help_text="A question for the first of `missing`, in the user's language; null if nothing is missing.",
    )


def list_changed_paths(body: Mapping[str, Any]) -> list[str]:
    own = [name for name in PROFILE_FIELDS if name in body]
    return [*own, *(f"{ATTRIBUTES}{name}" for name in body.get("attributes", ()))]


def list_fact_changes(body: Mapping[str, Any]) -> list[FactChange]:
    modes = {FactName.read(path).path: mode for path, mode in body.get("modes", {}).items()}
    values = {name: body[name] for name in PROFILE_FIELDS if name in body}
    values |= {f"{ATTRIBUTES}{name}": value for name, value in body.get("attributes", {}).items()}
    return [
        FactChange(FactName.read(path), make_stated_claim(value), modes.get(path, "overwrite"))
        for path, value in values.items()
    ]


def list_removals(body: Mapping[str, Any]) -> Sequence[FactName]:
    return list(dict.fromkeys(FactName.read(path) for path in body.get("remove", ())))


def render_standing_profile(facts: Sequence[ProfileFact]) -> dict[str, dict[str, Any]]:
    """Return how well each current fact is known, by its name; in the open scope, one query."""
    notes = list_notes_of_slots(ProfileFact, [fact.id for fact in facts])
    # Attributes come first, so that a profile field wins over an attribute of the same name.
    return {
        fact.field: StandingOutput.render(fact, note_id=notes.get(fact.id))
        for fact in sorted(facts, key=lambda fact: not fact.is_attribute)
    }
