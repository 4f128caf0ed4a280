"""A profile as it goes in and out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from rest_framework import serializers

from memory_platform.api.policy import POLICY
from memory_platform.api.requests.characters import has_control
from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import JsonObjectField, ListOfField, TextField, names, refuse
from memory_platform.api.requests.json_guard import printable_key
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from profiles.completeness import Priority
from profiles.models import PROFILE_FIELDS, ProfileFact
from profiles.services.claims import stated_claim
from profiles.services.profile import ATTRIBUTES, FactChange, FactName, FactVerdict, Mode
from profiles.values import Provenance, Verdict
from snapshots.notes.slots import notes_of_slots

ATTRIBUTES_MOST = 100
NAME_CHARS = 200
LOCALE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*")
"""A language of two or three letters, and subtags. Source: RFC 5646, section 2.1."""
MODES = [mode for mode in get_args(Mode) if mode != "remove"]


def words(chars: int) -> TextField:
    """Return an optional text of at most ``chars`` characters."""
    return TextField(max_bytes=4 * chars, max_length=chars, required=False)


class LocaleField(TextField):
    """A language as BCP 47 writes it, by form alone, or with underscores: en, en-GB, zh-Hans, zh_CN."""

    def to_internal_value(self, data: Any) -> str:
        """Return it as it came. Raises ValidationError."""
        given = super().to_internal_value(data)
        if not LOCALE.fullmatch(given):
            refuse("not_a_locale", "Must be a language tag such as en, en-GB, zh-Hans or zh_CN.")
        return given


class AttributesField(JsonObjectField):
    """Free attributes: names of 1-200 characters, any JSON; null says nothing."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the attributes that say something. Raises ValidationError."""
        given = super().to_internal_value(data)
        if len(given) > ATTRIBUTES_MOST:
            refuse("length", f"Has at most {ATTRIBUTES_MOST} attributes.")
        for name in given:
            if not 0 < len(name) <= NAME_CHARS or has_control(name):
                raise fault(
                    printable_key(name), "not_a_name", f"Has 1-{NAME_CHARS} characters, none of them a control."
                )
        return {name: value for name, value in given.items() if value is not None}


class ModesField(JsonObjectField):
    """How a change of each named field is meant: overwrite (the default), append or merge."""

    def to_internal_value(self, data: Any) -> dict[str, Mode]:
        """Return ``{path: mode}``. Raises ValidationError."""
        given = super().to_internal_value(data)
        for path, mode in given.items():
            if mode not in MODES:
                raise fault(printable_key(path), "not_a_choice", f"Must be one of: {', '.join(MODES)}.")
        return given


class ProfileFields(StrictSerializer):
    """What may be said about a profile. Null is no news; ``remove`` takes away fields and ``attributes.x``."""

    name = words(500)
    occupation = words(500)
    interests = ListOfField(child=TextField(max_bytes=800, max_length=NAME_CHARS), most=200, required=False)
    mbti = words(16)
    age_range = words(64)
    locale = LocaleField(max_length=64, required=False)
    timezone = words(64)
    attributes = AttributesField(max_bytes=POLICY.string_bytes, required=False)
    remove = ListOfField(child=TextField(max_bytes=POLICY.id_bytes + 16), most=ATTRIBUTES_MOST, required=False)
    modes = ModesField(max_bytes=POLICY.string_bytes, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse what contradicts itself: removed and given, or a mode for nothing."""
        given = set(changed_paths(attrs))
        for index, path in enumerate(attrs.get("remove", ())):
            if FactName.read(path).path in given:
                raise fault(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        for path in attrs.get("modes", ()):
            if FactName.read(path).path not in given:
                raise fault(f"modes.{printable_key(path)}", "no_value", "Names a field that is given a value.")
        return attrs


class ProfileInput(ProfileFields, Input):
    """Changes of a profile: what is not given stays."""


class ProfileOutput(Output):
    """Who the subject is; null where nothing is known."""

    name = serializers.CharField(allow_null=True)
    occupation = serializers.CharField(allow_null=True)
    interests = serializers.ListField(child=serializers.CharField(), allow_null=True)
    mbti = serializers.CharField(allow_null=True)
    age_range = serializers.CharField(allow_null=True)
    locale = serializers.CharField(allow_null=True)
    timezone = serializers.CharField(allow_null=True)
    attributes = serializers.DictField()


class StandingOutput(Output):
    """How a field stands. ``note_id`` is the note whose words it was read from, null where there is none."""

    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=names(Provenance.values))
    valid_at = serializers.DateTimeField()
    note_id = serializers.UUIDField(allow_null=True)


class StandingProfileOutput(ProfileOutput):
    """The profile, and by field or attribute how surely it is known, since when, and from which note."""

    standing = serializers.DictField(child=StandingOutput())


class FactVerdictOutput(Output):
    """What became of one field; attributes are written ``attributes.x``."""

    field = serializers.CharField()
    verdict = serializers.ChoiceField(choices=names(Verdict.values))
    reason = serializers.CharField(allow_null=True)


class PatchedProfileOutput(StandingProfileOutput):
    """The profile after a change, and what became of each field."""

    verdicts = FactVerdictOutput(many=True)


class FactOutput(Output):
    """One value that a field has had; true in ``[valid_at, invalid_at)``."""

    id = serializers.UUIDField()
    field = serializers.CharField()
    value = serializers.JSONField()
    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=names(Provenance.values))
    valid_at = serializers.DateTimeField()
    invalid_at = serializers.DateTimeField(allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True)
    recorded_at = serializers.DateTimeField()
    last_validated_at = serializers.DateTimeField()


class FactPageOutput(Output):
    """A page of values, in the order in which they began."""

    data = FactOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class MissingOutput(Output):
    """One thing that is not known yet."""

    key = serializers.CharField()
    priority = serializers.ChoiceField(choices=names(get_args(Priority)))


class CompletenessOutput(Output):
    """What is missing, most important first; ``initialised`` when nothing of high priority is."""

    initialised = serializers.BooleanField()
    missing = MissingOutput(many=True)
    next_question = serializers.CharField(allow_null=True)


def changed_paths(given: Mapping[str, Any]) -> list[str]:
    """Return the paths of the fields and attributes that ``given`` has values for."""
    own = [name for name in PROFILE_FIELDS if name in given]
    return [*own, *(f"{ATTRIBUTES}{name}" for name in given.get("attributes", ()))]


def changes_of(given: Mapping[str, Any]) -> list[FactChange]:
    """Return the changes that a checked input asks for."""
    modes = {FactName.read(path).path: mode for path, mode in given.get("modes", {}).items()}
    values = {name: given[name] for name in PROFILE_FIELDS if name in given}
    values |= {f"{ATTRIBUTES}{name}": value for name, value in given.get("attributes", {}).items()}
    return [
        FactChange(FactName.read(path), stated_claim(value), modes.get(path, "overwrite"))
        for path, value in values.items()
    ]


def removals_of(given: Mapping[str, Any]) -> Sequence[FactName]:
    """Return what a checked input takes away, each once."""
    return list(dict.fromkeys(FactName.read(path) for path in given.get("remove", ())))


def serialize_verdicts(verdicts: Iterable[FactVerdict]) -> list[dict[str, Any]]:
    return [{"field": one.name.path, "verdict": one.verdict, "reason": one.reason or None} for one in verdicts]


def serialize_fact(fact: ProfileFact) -> dict[str, Any]:
    return {
        "id": fact.value_id,
        "field": FactName(fact.field, fact.is_attribute).path,
        "value": fact.value,
        "confidence": fact.confidence,
        "provenance": fact.provenance,
        "valid_at": fact.valid_at,
        "invalid_at": fact.invalid_at,
        "superseded_by": fact.superseded_by_id,
        "recorded_at": fact.recorded_at,
        "last_validated_at": fact.last_validated_at,
    }


def serialize_standing_profile(facts: Sequence[ProfileFact]) -> dict[str, dict[str, Any]]:
    """Return how each current fact stands as JSON, by its name; in the open scope, one query."""
    notes = notes_of_slots(ProfileFact, [fact.id for fact in facts])
    # A field of the profile proper after the free attributes: it has the name where both do.
    return {
        fact.field: {
            "confidence": fact.confidence,
            "provenance": fact.provenance,
            "valid_at": fact.valid_at,
            "note_id": notes.get(fact.id),
        }
        for fact in sorted(facts, key=lambda fact: not fact.is_attribute)
    }
