"""Values shared by every memory: provenance, and the verdict of a write."""

from collections.abc import Mapping, Sequence

from django.db import models
from django.utils.translation import gettext_lazy as _


class Provenance(models.TextChoices):
    """How a memory came to be known. ``CORRECTED_BY_STAFF``: support staff typed it; products cannot claim it.
    ``IMPORTED``: another memory system wrote it, and how that one knew is not told."""

    OBSERVATION = "observation", _("observation")
    ANALYSIS = "analysis", _("analysis")
    CORRECTED_BY_STAFF = "corrected_by_staff", _("corrected by staff")
    CONFIRMED_BY_USER = "confirmed_by_user", _("confirmed by user")
    IMPORTED = "imported", _("imported")

    @property
    def strength(self) -> int:
        """Rank among the provenances: a weaker one never replaces a stronger one by itself. Words of staff and of the
        user are of one rank: the later word holds."""
        return {Provenance.OBSERVATION: 0, Provenance.ANALYSIS: 1, Provenance.IMPORTED: 1}.get(self, 2)


# What a person said, and nobody concluded.
STATED_PROVENANCES = frozenset({Provenance.CORRECTED_BY_STAFF, Provenance.CONFIRMED_BY_USER})
# What a product may say about its own memories.
PRODUCT_PROVENANCES = tuple(one.value for one in Provenance if one != Provenance.CORRECTED_BY_STAFF)


class Verdict(models.TextChoices):
    """The outcome of a write."""

    STORED = "stored", _("stored")
    MERGED = "merged", _("merged")
    SUPERSEDED = "superseded", _("superseded")
    UNCHANGED = "unchanged", _("unchanged")
    REJECTED = "rejected", _("rejected")
    PENDING = "pending", _("waits for review")


def describe_value(value: object) -> str:
    """Return a JSON value as text: lists with commas, "22 °C" and "level 2" for quantities, "key: value" for other
    objects, "" for null."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        if set(value) == {"value", "unit"}:
            number, unit = describe_value(value["value"]), describe_value(value["unit"])
            return f"{unit} {number}" if unit == "level" else f"{number} {unit}".strip()
        pairs = ((str(key), describe_value(inner)) for key, inner in value.items())
        return "; ".join(f"{key}: {inner}" for key, inner in pairs if inner)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(filter(None, map(describe_value, value)))
    return "" if value is None else str(value)
