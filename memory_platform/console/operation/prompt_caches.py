"""The screen of prompt prefixes that vendors cache on request: whose, how large, until when. Their text is not here."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.shared.display import EMPTY, column, part, short_id, word
from memory_platform.console.shared.filters import OfSubject
from memory_platform.kernel.clock import utc_now
from memory_platform.providers.registry import prompt_keeper
from snapshots.models import KeptPrefix


def endpoint_shown(identity: str) -> str:
    """Return the model of the configured endpoint; for any other endpoint the end of its keyed hash."""
    keeper = prompt_keeper()
    return word(keeper.model if keeper and keeper.identity == identity else short_id(identity))


@admin.display(description=gettext_lazy("state"))
def state(kept: KeptPrefix) -> str:
    """Return whether the vendor keeps the prefix, is being asked to, or may keep one whose name never arrived."""
    now: datetime = utc_now()
    if kept.claim is not None and kept.claimed_until > now:
        return _("being created or extended")
    if kept.name and kept.expires_at > now:
        return _("kept")
    if kept.unnamed_until > now:
        return _("possibly kept: the vendor did not answer")
    return _("over")


endpoint_line = column("endpoint", endpoint_shown, gettext_lazy("endpoint"))


@admin.register(KeptPrefix)
class KeptPrefixScreen(SubjectOwnedAdmin):
    """Cached prefixes, the longest-lived first. They are read-only: an erasure deletes them."""

    list_display = (
        subject_shown,
        endpoint_line,
        column("prefix_hash", lambda found: word(found[:12]), gettext_lazy("prefix hash")),
        "tokens",
        state,
        "expires_at",
    )
    list_filter = (OfSubject,)
    search_fields = ("subject__external_id", "prefix_hash", "name")
    search_help_text = gettext_lazy("Subject id, prefix hash or name")
    ordering = ("-expires_at", "-id")
    fieldsets = (
        part(None, subject_shown, endpoint_line, state, "tokens", "expires_at"),
        part(
            gettext_lazy("At the vendor"),
            column("name", lambda name: word(name) if name else EMPTY, gettext_lazy("name")),
            "prefix_hash",
            column("gone_by", lambda at: at, gettext_lazy("deleted at the latest by")),
        ),
        part(gettext_lazy("More"), "id"),
    )

    def title_of(self, obj: Any) -> str:
        return str(obj.prefix_hash[:12])
