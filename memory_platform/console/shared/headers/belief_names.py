"""Names of what is known about a person in words: profile fields, attributes, and categories and keys of preferences.

The names that the platform itself reads in talk are told in the language of the page. A name that a product made up
stays as the product wrote it.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from profiles.models import CandidateKind, Preference, ProfileFact

ATTRIBUTE_PREFIX = "attributes."

PROFILE_FIELD_LABELS: Mapping[str, Any] = {
    "name": pgettext_lazy("of a person", "name"),
    "occupation": gettext_lazy("occupation"),
    "interests": gettext_lazy("interests"),
    "mbti": gettext_lazy("personality type"),
    "age_range": gettext_lazy("age range"),
    "locale": gettext_lazy("locale"),
    "timezone": gettext_lazy("time zone"),
}
# Attributes that the platform reads in talk without being asked.
READ_ATTRIBUTE_LABELS: Mapping[str, Any] = {
    "age": gettext_lazy("age"),
    "birthday": gettext_lazy("birthday"),
    "car": gettext_lazy("car"),
    "city": gettext_lazy("city"),
    "conditions": gettext_lazy("health conditions"),
    "country": gettext_lazy("country"),
    "employer": gettext_lazy("employer"),
    "hometown": gettext_lazy("home town"),
    "languages": gettext_lazy("languages"),
    "medication": gettext_lazy("medication"),
    "pets": gettext_lazy("pets"),
    "phone": gettext_lazy("phone"),
    "workplace": gettext_lazy("workplace"),
}
CATEGORY_LABELS: Mapping[str, Any] = {
    "answer": pgettext_lazy("preference", "answers"),
    "climate": pgettext_lazy("preference", "climate"),
    "communication": pgettext_lazy("preference", "communication"),
    "entertainment": pgettext_lazy("preference", "entertainment"),
    "food": pgettext_lazy("preference", "food"),
    "general": pgettext_lazy("preference", "general"),
    "health": pgettext_lazy("preference", "health"),
    "home": pgettext_lazy("preference", "home"),
    "leisure": pgettext_lazy("preference", "leisure"),
    "music": pgettext_lazy("preference", "music"),
    "navigation": pgettext_lazy("preference", "navigation"),
    "people": pgettext_lazy("preference", "other people"),
    "shopping": pgettext_lazy("preference", "shopping"),
    "sports": pgettext_lazy("preference", "sports"),
    "travel": pgettext_lazy("preference", "travel"),
    "vehicle": pgettext_lazy("preference", "vehicle"),
    "work": pgettext_lazy("preference", "work"),
}
PREFERENCE_KEY_LABELS: Mapping[str, Any] = {
    "allergies": pgettext_lazy("preference", "allergies"),
    "avoid": pgettext_lazy("preference", "avoid"),
    "brightness": pgettext_lazy("preference", "brightness"),
    "budget_limit": pgettext_lazy("preference", "budget limit"),
    "diet": pgettext_lazy("preference", "diet"),
    "dislikes": pgettext_lazy("preference", "dislikes"),
    "earliest_time": pgettext_lazy("preference", "earliest time"),
    "fan": pgettext_lazy("preference", "fan"),
    "following_distance": pgettext_lazy("preference", "following distance"),
    "font_size": pgettext_lazy("preference", "font size"),
    "humidity": pgettext_lazy("preference", "humidity"),
    "language": pgettext_lazy("preference", "language"),
    "latest_time": pgettext_lazy("preference", "latest time"),
    "length": pgettext_lazy("preference", "length"),
    "likes": pgettext_lazy("preference", "likes"),
    "playback_speed": pgettext_lazy("preference", "playback speed"),
    "quiet_hours": pgettext_lazy("preference", "quiet hours"),
    "route": pgettext_lazy("preference", "route"),
    "seat_heating": pgettext_lazy("preference", "seat heating"),
    "seat_ventilation": pgettext_lazy("preference", "seat ventilation"),
    "style": pgettext_lazy("preference", "style"),
    "temperature": pgettext_lazy("preference", "temperature"),
    "tone": pgettext_lazy("preference", "tone"),
    "tyre_pressure": pgettext_lazy("preference", "tyre pressure"),
    "units": pgettext_lazy("preference", "units"),
    "volume": pgettext_lazy("preference", "volume"),
    "water_temperature": pgettext_lazy("preference", "water temperature"),
    "wishes": pgettext_lazy("preference", "wishes"),
}


def label_field(field: str, *, is_attribute: bool = False) -> str:
    """Return the label of a profile field. A free attribute keeps the name that the product gave it, unless the
    platform itself reads it in talk."""
    labels = READ_ATTRIBUTE_LABELS if is_attribute else PROFILE_FIELD_LABELS
    return str(labels.get(field, field))


def label_fact(fact: ProfileFact) -> str:
    return label_field(fact.field, is_attribute=fact.is_attribute)


def label_category(category: str) -> str:
    return str(CATEGORY_LABELS.get(category, category))


def label_preference_key(key: str) -> str:
    return str(PREFERENCE_KEY_LABELS.get(key, key))


def label_preference(preference: Preference) -> str:
    """Return for example "climate, temperature"."""
    return join_category(preference.category, preference.key)


def join_category(category: str, key: str) -> str:
    return _("%(category)s, %(key)s") % {"category": label_category(category), "key": label_preference_key(key)}


def label_belief(belief: Preference | ProfileFact) -> str:
    return label_preference(belief) if isinstance(belief, Preference) else label_fact(belief)


def label_target(kind: str, target: str) -> str:
    """Return the name of what a proposal would change: a label of a tag as it is."""
    if kind == CandidateKind.PREFERENCE and "/" in target:
        return join_category(*target.split("/", 1))
    if kind != CandidateKind.PROFILE:
        return target
    name = target.removeprefix(ATTRIBUTE_PREFIX)
    return label_field(name, is_attribute=target != name)
