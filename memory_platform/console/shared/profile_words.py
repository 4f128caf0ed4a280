"""Labels of profile fields. A free attribute keeps the name that the product gave it."""

from typing import Any

from django.utils.translation import gettext_lazy as _

FIELDS: dict[str, Any] = {
    "name": _("name"),
    "occupation": _("occupation"),
    "interests": _("interests"),
    "mbti": _("personality type"),
    "age_range": _("age range"),
    "locale": _("locale"),
    "timezone": _("time zone"),
}


def field_name(field: str, *, is_attribute: bool = False) -> str:
    return field if is_attribute else str(FIELDS.get(field, field))
