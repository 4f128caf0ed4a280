"""A memory as a sentence: the title of its page."""

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from memory_platform.console.shared.headers.belief_names import label_category, label_fact, label_preference_key
from memory_platform.console.shared.value_rendering import format_json_value
from profiles.models import Preference, ProfileFact, Subject, Tag


def select_current_name(subject: Any) -> QuerySet[Any, Any]:
    """Return the query for the current name of a subject, or of an outer reference to one."""
    named = ProfileFact.objects.filter(
        subject=subject, field="name", is_attribute=False, invalid_at__isnull=True, retired_at__isnull=True
    )
    return named.values_list("value", flat=True)[:1]


def load_subject_name(subject: Subject) -> str:
    """Return the name that is known of a subject, or the product's own id. One query, the first time."""
    held: str | None = getattr(subject, "shown_name", None)
    if held is not None:
        return held
    name = format_json_value(select_current_name(subject).first()) or subject.external_id
    subject.shown_name = name  # type: ignore[attr-defined]  # a page names a person more than once
    return name


def describe_preference(preference: Preference, who: str) -> str:
    """Return for example "Ada’s navigation preference: avoid highway"."""
    key, value = _format_key(label_preference_key(preference.key)), preference.value
    # A wish that is simply there is said by its name alone.
    what = key if value is True else f"{key} {format_json_value(value)}"
    return _("%(who)s’s %(category)s preference: %(what)s") % {
        "who": who,
        "category": _format_key(label_category(preference.category)),
        "what": what,
    }


def describe_fact(fact: ProfileFact, who: str) -> str:
    """Return for example "Ada’s occupation: engineer"."""
    return _("%(who)s’s %(field)s: %(value)s") % {
        "who": who,
        "field": _format_key(label_fact(fact)),
        "value": format_json_value(fact.value),
    }


def describe_tag(tag: Tag, who: str) -> str:
    """Return for example "Ada’s place “home”: 12 Elm Street"."""
    named = _("%(who)s’s %(kind)s “%(label)s”") % {"who": who, "kind": tag.get_kind_display(), "label": tag.label}
    details = ", ".join(part for part in (tag.relation, tag.address, tag.phone) if part)
    return _("%(name)s: %(value)s") % {"name": named, "value": details} if details else named


def describe_memory(memory: Any, who: str) -> str:
    """Return the sentence of a preference, profile fact or tag."""
    if isinstance(memory, Preference):
        return describe_preference(memory, who)
    return describe_tag(memory, who) if isinstance(memory, Tag) else describe_fact(memory, who)


def _format_key(key: str) -> str:
    """Return a name from the API without its underscores."""
    return key.replace("_", " ")
