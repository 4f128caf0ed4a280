"""The screen of subjects: who each is, what is known now, and links to all that is stored."""

from typing import Any, NoReturn

from django.contrib import admin
from django.db.models import Max, OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.display import column, part, plain, value_line, value_whole, word
from memory_platform.console.subjects.export_and_erasure import LeavableAdmin
from memory_platform.console.subjects.moment import read_clock, read_moment, span_of
from memory_platform.console.subjects.page import parts_of, timing_of
from memory_platform.kernel.clock import utc_now
from profiles.models import ProfileFact, Subject
from snapshots.models import Conversation


def with_overview(subjects: QuerySet[Subject]) -> QuerySet[Subject]:
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
class SubjectScreen(LeavableAdmin):
    """Subjects by id, name, attribute or tag. The page shows all that is stored, as of any past moment."""

    change_form_template = "console/subject.html"
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
    fieldsets = (part(_("More"), column("metadata", value_whole, _("metadata")), "id", "created_at", "updated_at"),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subject]:
        return with_overview(super().get_queryset(request).filter(erasing=False))

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> NoReturn:
        """Respond 404, which the site records: the id may be another tenant's."""
        raise Http404

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        subject = kwargs["obj"]
        span = span_of(subject, read_clock(request.GET), utc_now())
        moment = read_moment(request.GET, span)
        context |= {
            "may_export": self.has_support_permission(request),
            "may_erase": self.has_manager_permission(request),
        }
        context |= {"timing": timing_of(moment, span), "parts": parts_of(subject, moment)}
        return super().render_change_form(request, context, *args, **kwargs)

    def title_of(self, obj: Subject) -> str:
        return obj.external_id

    @admin.display(description=_("last heard"))
    def last_heard(self, subject: Any) -> Any:
        return subject.last_heard
