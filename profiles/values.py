"""Words shared by every memory: how it came to be known, and what a write did."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Provenance(models.TextChoices):
    """How a memory came to be known, weakest first (row P5)."""

    OBSERVATION = "observation", _("observation")
    ANALYSIS = "analysis", _("analysis")
    CONFIRMED_BY_USER = "confirmed_by_user", _("confirmed by user")

    @property
    def strength(self) -> int:
        """Rank among the provenances: a weaker one never replaces a stronger one by itself."""
        return list(Provenance).index(self)


class Verdict(models.TextChoices):
    """What a write did (row P8)."""

    STORED = "stored", _("stored")
    MERGED = "merged", _("merged")
    SUPERSEDED = "superseded", _("superseded")
    UNCHANGED = "unchanged", _("unchanged")
    REJECTED = "rejected", _("rejected")
    PENDING = "pending", _("waits for review")
