"""The screen of prompt prefixes that vendors cache on request: whose, how large, until when. Their text is not here."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.list_filters import SubjectFilter
from memory_platform.console.shared.rendering import EMPTY_VALUE, make_column, make_fieldset, render_word, shorten_id
from memory_platform.kernel.clock import utc_now
from memory_platform.providers.registry import prompt_keeper
from snapshots.models import KeptPrefix


def render_endpoint(identity: str) -> str:
    """Return the model of the configured endpoint; for any other endpoint the end of its keyed hash."""
    keeper = prompt_keeper()
    return render_word(keeper.model if keeper and keeper.identity == identity else shorten_id(identity))


@admin.display(description=gettext_lazy("state"))
def render_prefix_state(kept: KeptPrefix) -> str:
    """Return whether the vendor keeps the prefix, is being asked to, or may keep one whose name never arrived."""
    now: datetime = utc_now()
    if kept.claim is not None and kept.claimed_until > now:
        return _("being created or extended")
    if kept.name and kept.expires_at > now:
        return _("kept")
    if kept.unnamed_until > now:
        return _("possibly kept: the vendor did not answer")
    return _("over")


endpoint_column = make_column("endpoint", render_endpoint, gettext_lazy("endpoint"))


@admin.register(KeptPrefix)
class KeptPrefixScreen(SubjectOwnedAdmin):
    """Cached prefixes, the longest-lived first. They are read-only: an erasure deletes them."""

    list_display = (
        subject_column,
        endpoint_column,
        make_column("prefix_hash", lambda found: render_word(found[:12]), gettext_lazy("prefix hash")),
        "tokens",
        render_prefix_state,
        "expires_at",
    )
    list_filter = (SubjectFilter,)
    search_fields = ("subject__external_id", "prefix_hash", "name")
    search_help_text = gettext_lazy("Subject id, prefix hash or name")
    ordering = ("-expires_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, endpoint_column, render_prefix_state, "tokens", "expires_at"),
        make_fieldset(
            gettext_lazy("At the vendor"),
            make_column("name", lambda name: render_word(name) if name else EMPTY_VALUE, gettext_lazy("name")),
            "prefix_hash",
            make_column("gone_by", lambda at: at, gettext_lazy("deleted at the latest by")),
        ),
        make_fieldset(gettext_lazy("More"), "id"),
    )

    def title_of(self, obj: Any) -> str:
        return str(obj.prefix_hash[:12])
