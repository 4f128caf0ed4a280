"""The subject's screen: who this is, what is known now, and the ways to everything else that is held."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from memory_platform.console.display import (
    column,
    line,
    link,
    list_address,
    part,
    plain,
    share,
    value_line,
    value_whole,
    word,
)
from memory_platform.console.find import FindableAdmin
from profiles.models import Ask, Candidate, Preference, ProfileFact, Subject, Tag
from snapshots.models import Conversation, Message, Receipt, Snapshot, Task, Work

HELD = (ProfileFact, Preference, Tag, Snapshot, Conversation, Message, Task, Receipt, Candidate, Ask, Work)
"""What the subject's page links to, as filtered lists."""
KNOWN_SHOWN = 100
"""Facts, preferences and tags shown on the subject's page; their lists have them all."""


def with_overview(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
    """Return the subjects with ``known_name`` (a JSON value) and ``last_heard``, computed for shown rows only."""
    named = ProfileFact.objects.filter(
        subject=OuterRef("pk"), field="name", is_attribute=False, invalid_at__isnull=True, retired_at__isnull=True
    )
    heard = Conversation.objects.filter(subject=OuterRef("pk")).order_by().values("subject")
    return subjects.annotate(
        known_name=Subquery(named.values("value")[:1]),
        last_heard=Subquery(heard.annotate(last=Max("last_accepted_at")).values("last")),
    )


@admin.display(description=_("known now"))
def known_now(subject: Subject) -> SafeString:
    """Show the current profile, preferences and tags, each with its confidence and a way to its page."""
    return render_to_string("console/known_now.html", {"rows": list(known_rows(subject))})


def known_rows(subject: Subject) -> Iterator[dict[str, Any]]:
    """Yield what is believed now of the subject, as the table shows it."""
    believed: dict[str, Any] = {"subject": subject, "invalid_at__isnull": True, "retired_at__isnull": True}
    for fact in ProfileFact.objects.filter(**believed)[:KNOWN_SHOWN]:
        yield _known_row(fact, fact.field, plain(fact.value), fact.valid_at)
    for preference in Preference.objects.filter(**believed)[:KNOWN_SHOWN]:
        yield _known_row(preference, str(preference), plain(preference.value), preference.valid_at)
    for tag in Tag.objects.filter(subject=subject)[:KNOWN_SHOWN]:
        yield _known_row(tag, tag.label, tag.address or tag.phone or tag.relation, tag.created_at)


def _known_row(memory: ProfileFact | Preference | Tag, name: str, value: str, since: datetime) -> dict[str, Any]:
    return {
        "link": link(memory, name),
        "kind": memory._meta.verbose_name,
        "value": line(value),
        "confidence": share(memory.confidence),
        "provenance": memory.get_provenance_display(),
        "since": since,
    }


@admin.display(description=_("all that is held"))
def all_held(subject: Subject) -> SafeString:
    """Show how much there is of each kind, linked to the lists."""
    held = [
        {
            "name": capfirst(str(model._meta.verbose_name_plural)),
            "count": model._default_manager.filter(subject=subject).count(),
            "address": list_address(model, subject=subject.pk),
        }
        for model in HELD
    ]
    return render_to_string("console/links.html", {"links": held})


@admin.register(Subject)
class SubjectScreen(FindableAdmin):
    """Find a subject by id, name, attribute or tag."""

    list_display = (
        "external_id",
        column("known_name", lambda name: word(plain(name)), _("name")),
        column("search_text", value_line, _("known by")),
        "last_heard",
        "created_at",
    )
    search_fields = ("external_id", "search_text")
    search_help_text = _("Subject id, name, attribute or tag")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(None, "external_id", all_held, known_now),
        part(_("More"), column("metadata", value_whole, _("metadata")), "id", "created_at", "updated_at"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subject]:
        return with_overview(super().get_queryset(request).filter(erasing=False))

    def title_of(self, obj: Subject) -> str:
        return obj.external_id

    @admin.display(description=_("last heard"))
    def last_heard(self, subject: Any) -> Any:
        return subject.last_heard
