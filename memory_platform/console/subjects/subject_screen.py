"""The screen of subjects: search, current knowledge, export as a file, and erasure for good."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, Value
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext_lazy

from memory_platform.console.shared.action_reasons import read_reason
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.code_labels import describe_counts
from memory_platform.console.shared.config import SEARCH
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.lists.change_lists import is_list
from memory_platform.console.shared.tenant_access import annotate_actor_names, make_actor
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    format_json_value,
    make_column,
    make_folded_fieldset,
    render_line,
    render_list_link,
    render_value,
    render_value_line,
)
from memory_platform.console.subjects.export_and_erasure_forms import EraseForm, ExportForm, make_file_response
from memory_platform.console.subjects.join_page import JoinForm, OtherForm, read_keep_ids, show_join_preview
from memory_platform.console.subjects.join_screen import describe_refusal
from memory_platform.console.subjects.past_moment import load_slider_range, parse_moment, parse_time_axis
from memory_platform.console.subjects.people_overview import annotate_details, annotate_overview
from memory_platform.console.subjects.search_hits import (
    describe_findings,
    is_only_match,
    list_other_searches,
    render_hits,
)
from memory_platform.console.subjects.subject_page import (
    build_jumps,
    build_page_sections,
    count_rows_by_kind,
    count_waiting_proposals,
    make_moment_form,
)
from memory_platform.console.subjects.subject_search import find_subject_by_id, find_subjects
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from profiles.models import ErasureState, Subject, SubjectAlias, SubjectJoin
from snapshots.erasure.subject_tables import count_rows_left
from snapshots.erasure.subjects import erase_subject
from snapshots.joins.errors import JoinRefused
from snapshots.joins.join import join_subjects
from snapshots.portability.export import export_lines
from tenants.isolation import current_tenant_id
from tenants.models import AuditRecord
from tenants.services.audit import record_audit

# Where somebody who was never heard stands among the others.
NEVER = datetime.min.replace(tzinfo=UTC, year=1970)


def _render_aliases(subject: Any) -> str:
    """Return the ids that name the subject since a join as a link to the joins; "" for none."""
    if not subject.other_ids:
        return ""
    text = _("also %(names)s") % {"names": ", ".join(subject.other_ids)}
    return render_list_link(SubjectJoin, text, subject=subject.pk)


@admin.display(description=pgettext_lazy("of a person", "name"), ordering="external_id")
def render_name(subject: Any) -> str:
    """Return the name of a person with the product's id; the id alone for somebody without a name."""
    name = format_json_value(subject.known_name)
    if not name:
        return format_html("<bdi>{}</bdi>", subject.external_id)
    return format_html('<bdi>{}</bdi> <bdi class="faint">{}</bdi>', name, subject.external_id)


def render_places(places: Sequence[str]) -> str:
    return format_html_join(mark_safe("<br>"), "{}", ((render_line(place),) for place in places)) or EMPTY_VALUE


@admin.register(Subject)
class SubjectScreen(TenantAdmin):
    """Subjects by id, name, attribute or tag. The page shows all that is stored, as of any past moment. Support may
    export a subject, because it may read every row anyway. Only managers erase."""

    change_form_template = "console/subjects/subject.html"
    list_display = (
        render_name,
        make_column("known_city", render_value_line, gettext_lazy("city")),
        make_column("known_occupation", render_value_line, gettext_lazy("occupation")),
        make_column("known_places", render_places, gettext_lazy("places")),
        "last_heard",
        "created_at",
    )
    count_text = ngettext_lazy("%(count)d person", "%(count)d people", "count")
    search_fields = ("external_id", "search_text")
    # Above the list stands the box of the header: it finds people by more than Django's, and forgives typos.
    finds_people = True
    ordering = ("-created_at", "-id")
    fieldsets = (
        make_folded_fieldset(
            gettext_lazy("Technical details"),
            make_column("pk", str, gettext_lazy("id in the platform")),
            make_column("metadata", render_value, gettext_lazy("metadata")),
            "created_at",
            "updated_at",
        ),
    )

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("<path:object_id>/export/", self.export_view, "profiles_subject_export"),
            make_console_path("<path:object_id>/erase/", self.erase_view, "profiles_subject_erase"),
            make_console_path("<path:object_id>/join/", self.join_view, "profiles_subject_join"),
            make_console_path("find/", self.find_view, "profiles_subject_find"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subject]:
        aliases = SubjectAlias.objects.filter(subject=OuterRef("pk")).order_by("created_at", "id")
        found = super().get_queryset(request).filter(erasing=False)
        if is_list(request, self):
            found = annotate_details(found)
        return annotate_overview(found.annotate(other_ids=ArraySubquery(aliases.values("external_id"))))

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        subject = kwargs["obj"]
        span = load_slider_range(subject, parse_time_axis(request.GET), utc_now())
        moment = parse_moment(request.GET, span)
        context |= {
            "timing": make_moment_form(moment, span),
        }
        held, sections = count_rows_by_kind(subject), build_page_sections(subject, moment)
        context |= {
            "sections": sections,
            "held": held,
            "jumps": build_jumps(sections, held if moment.at is None else []),
            "waiting": count_waiting_proposals(subject),
        }
        return super().render_change_form(request, context, *args, **kwargs)

    def name_kind(self) -> str:
        return capfirst(_("person"))

    def title_of(self, obj: Subject) -> str:
        return obj.external_id

    def describe_row(self, obj: Any) -> str:
        return format_json_value(obj.known_name) or obj.external_id

    def list_facts(self, obj: Any) -> Sequence[Any]:
        return (
            obj.external_id if obj.known_name else "",
            format_json_value(obj.known_city),
            make_time_fact(gettext_lazy("last heard %s"), obj.last_heard) or gettext_lazy("never heard"),
            make_time_fact(gettext_lazy("known since %s"), obj.created_at),
            _render_aliases(obj),
        )

    def list_acts(self, request: HttpRequest, obj: Any) -> Sequence[HeaderAct]:
        def make_act(label: Any, page: str, **looks: bool) -> HeaderAct:
            return HeaderAct(label, reverse(f"admin:{page}", args=[obj.pk]), **looks)

        acts, more = [], []
        if self.has_support_permission(request):
            acts.append(make_act(_("Add a note"), "add_note", is_main=True))
            acts.append(make_act(_("Playground"), "snapshots_receipt_playground"))
            more.append(make_act(_("Add a preference"), "add_preference"))
            more.append(make_act(_("Export"), "profiles_subject_export"))
        more += super().list_acts(request, obj)
        if self.has_manager_permission(request):
            more.append(make_act(_("Join with another person"), "profiles_subject_join"))
            join = (
                SubjectJoin.objects.filter(subject=obj, undone_at=None)
                .defer("moved", "former")
                .order_by("joined_at", "id")
                .last()
            )
            if join is not None:
                undo = reverse("admin:profiles_subjectjoin_undo", args=[join.pk])
                label = _("Undo the join with %(id)s") % {"id": join.former_external_id}
                more.append(HeaderAct(label, undo))
            more.append(make_act(_("Erase"), "profiles_subject_erase", is_grave=True))
        return [*acts, *(replace(act, is_minor=bool(acts)) for act in more)]

    def list_audit_records(self, obj: Any) -> QuerySet[AuditRecord]:
        """Return the records about the person, and about everything that is kept of them."""
        return AuditRecord.objects.filter(subject_ref=obj.pk)

    def list_ids(self, obj: Any) -> Sequence[tuple[Any, str]]:
        return [(_("Copy id"), obj.external_id)]

    @admin.display(description=gettext_lazy("last heard"), ordering=Coalesce("last_heard", Value(NEVER)))
    def last_heard(self, subject: Any) -> Any:
        return render_time_ago(subject.last_heard) or EMPTY_VALUE

    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Show the subjects that match ``q``; an exact id, and words that only one person has, redirect to the
        subject's page. ``patiently``: typos are searched in all subjects, which takes seconds in a large tenant."""
        # Postgres refuses NUL.
        query = request.GET.get("q", "").replace("\x00", "")
        exact = find_subject_by_id(query) if query.strip() else None
        if exact is not None:
            return redirect("admin:profiles_subject_change", exact.pk)
        findings = find_subjects(query, patiently="patiently" in request.GET)
        if query.strip():
            self._record_access(request, "searched")
        if is_only_match(query, findings):
            return redirect("admin:profiles_subject_change", findings.people[0].subject.pk)
        return render_console_page(
            request,
            "console/subjects/search.html",
            describe_findings(query, findings) if findings.people else _("Find a person"),
            find_query=query,
            asked=bool(query.strip()),
            findings=findings,
            rows=render_hits(findings),
            other_searches=list_other_searches(query) if query.strip() else (),
            of_everybody=f"?{urlencode({'q': query, 'patiently': 1})}",
            limit=SEARCH.max_shown,
        )

    def export_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason; then return all data as a file, to read or to import."""
        require_permission(self.has_support_permission, request)
        subject = self.get_or_404(request, object_id)
        form = ExportForm(request.POST or None)
        if not form.is_valid():
            last = self._find_last_export(subject)
            return render_console_page(
                request,
                "console/subjects/subject_export.html",
                _("Export"),
                subject=subject,
                subtitle=subject.external_id,
                form=form,
                last_export=last,
                last_export_ago=render_time_ago(last.at) if last else "",
            )
        record_audit(
            make_actor(request),
            "subject.exported",
            object_kind="subject",
            object_id=str(subject.pk),
            subject_ref=subject.pk,
            reason=read_reason(request),
        )
        tenant_id = current_tenant_id()
        # The export opens scopes of its own while it streams.
        export, file = partial(export_lines, tenant_id, subject.external_id), form.cleaned_data["form"]
        return AfterCommitResponse(lambda: make_file_response(request, subject, file, export))

    def _find_last_export(self, subject: Subject) -> Any:
        exports = AuditRecord.objects.filter(subject_ref=subject.pk, action="subject.exported")
        return annotate_actor_names(exports).order_by("-at").first()

    def erase_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the id and a reason; then erase the subject and show the certificate."""
        require_permission(self.has_manager_permission, request)
        subject = self.get_or_404(request, object_id)
        form = EraseForm(request.POST or None, subject)
        if not form.is_valid():
            return render_console_page(
                request,
                "console/subjects/subject_erase.html",
                _("Erase"),
                subject=subject,
                subtitle=subject.external_id,
                form=form,
                stored=describe_counts(count_rows_left(subject.pk)),
            )
        tenant_id = current_tenant_id()
        # The erasure opens scopes of its own.
        return AfterCommitResponse(lambda: self._erase(request, tenant_id, subject))

    def join_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for the other person, show the effects of a join, and ask for a reason; then join and show its record."""
        require_permission(self.has_manager_permission, request)
        subject = self.get_or_404(request, object_id)
        asked: Any = request.POST or request.GET
        other_form = OtherForm(asked if "other" in asked else None)
        other = other_form.subject if other_form.is_valid() else None
        found = self._find_others(request, subject, asked.get("other", "")) if other_form.errors else {}
        keep_ids = read_keep_ids(request.POST)
        preview = show_join_preview(subject, other, keep_ids) if other else None
        form = JoinForm(request.POST or None, initial={"other": other.external_id} if other else {})
        if request.method != "POST" or preview is None or preview.refusal or not form.is_valid():
            return render_console_page(
                request,
                "console/subjects/subject_join.html",
                _("Join with another person"),
                subject=subject,
                subtitle=subject.external_id,
                other_form=other_form,
                form=form,
                preview=preview,
                other_way=urlencode({"other": subject.external_id}),
                **found,
            )
        tenant_id = current_tenant_id()
        # The join opens scopes of its own.
        return AfterCommitResponse(lambda: self._join(request, tenant_id, subject, preview.other, keep_ids))

    def _find_others(self, request: HttpRequest, subject: Subject, words: str) -> dict[str, Any]:
        """Return the people whom these words find, but for the subject, each with the address of the preview."""
        if not words.strip() or "\x00" in words:
            return {}
        record_audit(make_actor(request), "subject.searched", object_kind="subject")
        rows = [
            {**row, "address": f"?{urlencode({'other': row['id']})}", "acts": []}
            for row in render_hits(find_subjects(words))
            if row["id"] != subject.external_id
        ]
        return {"rows": rows}

    def _join(
        self, request: HttpRequest, tenant_id: Any, subject: Subject, other: Subject, keep_ids: Sequence[UUID]
    ) -> HttpResponse:
        by, reason = make_actor(request), read_reason(request)
        try:
            join = join_subjects(tenant_id, subject.pk, other.pk, by=by, reason=reason, keep_ids=keep_ids)
        except NotFound:
            raise Http404 from None
        except JoinRefused as refused:  # something changed since the preview
            self.message_user(request, describe_refusal(refused), messages.ERROR)
            page = reverse("admin:profiles_subject_join", args=[subject.pk])
            return redirect(f"{page}?{urlencode({'other': other.external_id})}")
        self.message_user(request, _("Joined. This is the record of it."), messages.SUCCESS)
        return redirect("admin:profiles_subjectjoin_change", join.pk)

    def _erase(self, request: HttpRequest, tenant_id: Any, subject: Subject) -> HttpResponse:
        try:
            erasure, _job = erase_subject(
                tenant_id, subject.external_id, by=make_actor(request), reason=read_reason(request)
            )
        except NotFound:
            raise Http404 from None
        text = _("Erased. This is the certificate.")
        if erasure.state != ErasureState.DONE:
            text = _(
                "The data can no longer be read. Its rows are being deleted, and this page becomes the certificate."
            )
        self.message_user(request, text, messages.SUCCESS)
        return redirect("admin:profiles_erasure_change", erasure.pk)
