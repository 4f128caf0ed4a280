"""The screen of subjects: identity, current knowledge, and links to all stored data."""

from typing import Any, NoReturn

from django.contrib import admin
from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.rendering import (
    format_json_value,
    make_column,
    make_fieldset,
    render_value,
    render_value_line,
    render_word,
)
from memory_platform.console.subjects.export_and_erasure import SubjectExportAdmin
from memory_platform.console.subjects.past_moment import load_slider_range, parse_clock, parse_moment
from memory_platform.console.subjects.subject_page import build_subject_page, make_moment_form
from memory_platform.kernel.clock import utc_now
from profiles.models import ProfileFact, Subject
from snapshots.models import Conversation


def annotate_overview(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
    """Annotate the subjects with ``known_name`` (a JSON value) and ``last_heard``."""
    named = ProfileFact.objects.filter(
        subject=OuterRef("pk"), field="name", is_attribute=False, invalid_at__isnull=True, retired_at__isnull=True
    )
    heard = Conversation.objects.filter(subject=OuterRef("pk")).order_by().values("subject")
    return subjects.annotate(
        known_name=Subquery(named.values("value")[:1]),
        last_heard=Subquery(heard.annotate(last=Max("last_accepted_at")).values("last")),
    )


@admin.register(Subject)
class SubjectScreen(SubjectExportAdmin):
    """Subjects by id, name, attribute or tag. The page shows all that is stored, as of any past moment."""

    change_form_template = "console/subject.html"
    list_display = (
        "external_id",
        make_column("known_name", lambda name: render_word(format_json_value(name)), _("name")),
        make_column("search_text", render_value_line, _("known by")),
        "last_heard",
        "created_at",
    )
    search_fields = ("external_id", "search_text")
    search_help_text = _("Subject id, name, attribute or tag")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        make_fieldset(
            _("More"), make_column("metadata", render_value, _("metadata")), "id", "created_at", "updated_at"
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subject]:
        return annotate_overview(super().get_queryset(request).filter(erasing=False))

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> NoReturn:
        """Respond 404, which the site records: the id may be another tenant's."""
        raise Http404

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        subject = kwargs["obj"]
        span = load_slider_range(subject, parse_clock(request.GET), utc_now())
        moment = parse_moment(request.GET, span)
        context |= {
            "may_export": self.has_support_permission(request),
            "may_erase": self.has_manager_permission(request),
        }
        context |= {"timing": make_moment_form(moment, span), "parts": build_subject_page(subject, moment)}
        return super().render_change_form(request, context, *args, **kwargs)

    def title_of(self, obj: Subject) -> str:
        return obj.external_id

    @admin.display(description=_("last heard"))
    def last_heard(self, subject: Any) -> Any:
        return subject.last_heard
