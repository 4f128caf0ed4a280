"""The platform's own log: who changed accounts, the timetable and prices. Tenants have audit trails of their own."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_celery_beat.models import PeriodicTask

from memory_platform.console.operation.timetable_screens import RUN_NOW
from memory_platform.console.shared.audit.audit_sentences import TimeFilter
from memory_platform.console.shared.base_screens import OperatorAdmin
from memory_platform.console.shared.headers.object_header import make_time_fact
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    make_column,
    make_computed_column,
    make_folded_fieldset,
    render_line,
)

CHANGED = "Changed "


def describe_act(entry: LogEntry) -> str:
    """Return the act, without its reason."""
    told = entry.get_change_message()
    if is_written_by_django(entry):
        return told.rstrip(".") or entry.get_action_flag_display()
    act = told.partition(": ")[0]
    if act == RUN_NOW:
        return _("Ran the job now")
    return _("Changed: %(what)s") % {"what": act.removeprefix(CHANGED)} if act.startswith(CHANGED) else act


def find_reason(entry: LogEntry) -> str:
    return "" if is_written_by_django(entry) else entry.change_message.partition(": ")[2]


def is_written_by_django(entry: LogEntry) -> bool:
    """Return whether Django wrote the message, as JSON: then it names fields and has no reason."""
    return entry.change_message.startswith("[") or not entry.change_message


def name_object(entry: LogEntry) -> str:
    """Return the name of the changed object; a job without its schedule, which its name holds in the library."""
    return entry.object_repr.partition(": ")[0] if is_about_job(entry) else entry.object_repr


def is_about_job(entry: LogEntry) -> bool:
    return entry.content_type is not None and entry.content_type.model_class() is PeriodicTask


def link_object(entry: LogEntry) -> str:
    """Return the changed object and its kind, as HTML, with a link if it has a page."""
    kind = _("Job") if is_about_job(entry) else capfirst(entry.content_type.name) if entry.content_type else ""
    name, address = name_object(entry), entry.get_admin_url() if entry.content_type else None
    shown = format_html('<a href="{}"><bdi>{}</bdi></a>', address, name) if address else name
    return format_html('{} <span class="faint">{}</span>', shown, kind)


object_column = make_computed_column("object", link_object, gettext_lazy("on what"))


class KindFilter(admin.RelatedOnlyFieldListFilter):
    """Filters the log by the kind of the changed object."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title: Any = gettext_lazy("on what")


@admin.register(LogEntry)
class PlatformLogScreen(OperatorAdmin):
    """Changes of platform-wide rows: staff accounts, timetable, prices, theme."""

    machine_written = True
    list_display = (
        make_column("action_time", render_time_ago, gettext_lazy("when"), order="action_time"),
        make_column("user", str, gettext_lazy("who"), order="user__username"),
        make_computed_column("act", describe_act, gettext_lazy("what")),
        object_column,
        make_computed_column(
            "reason", lambda entry: render_line(find_reason(entry)) or EMPTY_VALUE, gettext_lazy("reason")
        ),
    )
    list_filter = (("content_type", KindFilter), ("action_time", TimeFilter))
    list_select_related = ("user", "content_type")
    search_fields = ("user__username", "object_repr", "change_message")
    empty_text = gettext_lazy("Nobody has changed an account, a job or a price yet.")
    ordering = ("-action_time", "-id")
    fieldsets = (make_folded_fieldset(gettext_lazy("Technical details"), "object_id", "change_message"),)

    def title_of(self, obj: LogEntry) -> str:
        return describe_act(obj)

    def name_kind(self) -> str:
        return _("Entry of the platform’s log")

    def list_facts(self, obj: LogEntry) -> Sequence[Any]:
        return (link_object(obj), str(obj.user), make_time_fact("%s", obj.action_time), find_reason(obj))
