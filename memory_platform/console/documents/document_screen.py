"""Screens of documents, with the status of each, and of their collections."""

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from memory_platform.console.documents.chunk_surroundings import cut_passage
from memory_platform.console.documents.collection_documents import (
    DocumentChangeList,
    count_column,
    count_documents,
    describe_document_count,
    documents_column,
)
from memory_platform.console.documents.document_playground import show_document_playground
from memory_platform.console.shared.action_reasons import is_reason_missing, read_reason
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import (
    make_console_path,
    render_confirmation,
    render_console_page,
    require_permission,
)
from memory_platform.console.shared.headers.object_header import HeaderAct
from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.status_badges import BAD, GOOD, WARNING, StatusBadge, render_badge
from memory_platform.console.shared.tenant_access import make_actor, mark_scopeless
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    build_change_address,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    render_line,
    render_link,
    render_value,
    render_word,
)
from snapshots.knowledge.documents.config import DOCUMENT_CONFIG
from snapshots.knowledge.documents.document_store import delete_document, reindex_collection, reindex_document
from snapshots.knowledge.documents.fault_texts import describe_fault
from snapshots.knowledge.documents.selectors import GAVE_UP, list_chunks, load_text
from snapshots.knowledge.documents.values import DocumentUnknown
from snapshots.models import Document, DocumentCollection, DocumentStatus, Job, JobStatus
from tenants.models import Role

TONES = {DocumentStatus.READY: GOOD, DocumentStatus.PROCESSING: WARNING, DocumentStatus.FAILED: BAD}


def get_status_badge(document: Document) -> StatusBadge:
    status = document.shown_status
    return StatusBadge(status.label, TONES[status])


def describe_failure(document: Document) -> str:
    """Return the error of the newest upload and how to mend it; "" without an error."""
    if document.shown_status != DocumentStatus.FAILED:
        return ""
    return str(describe_fault(document.error_code or (document.job.error_code if document.job else "")))


title_column = make_computed_column(
    "title", lambda document: render_line(document.shown_title), gettext_lazy("title"), order="title"
)
id_column = make_column("external_id", render_line, gettext_lazy("document id"), order="external_id")
collection_column = make_column(
    "collection", lambda row: render_word(row.external_id if row else ""), gettext_lazy("collection")
)
status_column = make_computed_column(
    "status", lambda document: render_badge(get_status_badge(document)), gettext_lazy("status"), order="status"
)
failure_column = make_computed_column(
    "failure", lambda document: describe_failure(document) or EMPTY_VALUE, gettext_lazy("what to do")
)
job_column = make_column(
    "job", lambda job: render_link(Job, job.pk, describe_progress(job)) if job else EMPTY_VALUE, gettext_lazy("job")
)
address_column = make_column("source_url", render_word, gettext_lazy("source address"))


def describe_progress(job: Job) -> str:
    """Return the status of a job, and while it runs, how many chunks are embedded."""
    status = str(job.get_status_display())
    if job.status != JobStatus.RUNNING or not job.total:
        return status
    return _("%(status)s, %(done)d of %(total)d chunks") % {"status": status, "done": job.done, "total": job.total}


def render_collection_progress(collection: DocumentCollection) -> str:
    """Return how many documents of a collection are in each state, each a link to their list, as HTML."""
    own = Document.objects.filter(collection=collection)
    waiting = own.filter(status=DocumentStatus.PROCESSING)
    counts = {
        DocumentStatus.READY: own.filter(status=DocumentStatus.READY).count(),
        DocumentStatus.PROCESSING: waiting.exclude(GAVE_UP).count(),
        DocumentStatus.FAILED: own.filter(status=DocumentStatus.FAILED).count() + waiting.filter(GAVE_UP).count(),
    }
    page = reverse("admin:snapshots_document_changelist")
    shown = [
        (f"{page}?{urlencode({'status': status.value, 'q': collection.external_id})}", status.label, count)
        for status, count in counts.items()
        if count
    ]
    return format_html_join(" · ", '<a href="{}">{}: {}</a>', shown) or EMPTY_VALUE


collection_progress_column = make_computed_column(
    "progress", render_collection_progress, gettext_lazy("documents by status")
)


@admin.display(description=gettext_lazy("chunks"))
def render_chunks(document: Document) -> str:
    """Return the first chunks as HTML: where each stands, its beginning, and a link to its place in the text."""
    shown = [
        (
            reverse("admin:snapshots_document_chunk", args=[document.pk, chunk.position]),
            chunk.position + 1,
            " › ".join(chunk.heading_path),
            render_line(chunk.text),
        )
        for chunk in list_chunks(document)[: DOCUMENT_CONFIG.chunks_shown]
    ]
    rows = format_html_join("", '<li><a href="{}">{}</a> <bdi class="faint">{}</bdi><br>{}</li>', shown)
    return format_html('<ol class="inbox-list quiet">{}</ol>', rows) if shown else EMPTY_VALUE


class StatusFilter(ConditionFilter):
    """Filters documents by the status of their newest upload."""

    title = gettext_lazy("status")
    parameter_name = "status"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        return {
            DocumentStatus.FAILED.value: (DocumentStatus.FAILED.label, Q(status=DocumentStatus.FAILED) | GAVE_UP),
            DocumentStatus.PROCESSING.value: (
                DocumentStatus.PROCESSING.label,
                Q(status=DocumentStatus.PROCESSING) & ~GAVE_UP,
            ),
            DocumentStatus.READY.value: (DocumentStatus.READY.label, Q(status=DocumentStatus.READY)),
        }


@admin.register(Document)
class DocumentScreen(TenantAdmin):
    """Documents with their chunks. Support indexes one again, or deletes it."""

    personal_data = False
    list_select_related = ("collection", "job")
    list_display = (
        title_column,
        id_column,
        collection_column,
        status_column,
        "chunk_count",
        failure_column,
        "updated_at",
    )
    count_text = ngettext_lazy("%(count)d document", "%(count)d documents", "count")
    empty_text = gettext_lazy("What your product uploads stands here. No document was uploaded yet.")
    list_filter = (StatusFilter, "content_type", "created_at")
    search_fields = ("external_id", "title", "found_title", "collection__external_id")
    search_help_text = gettext_lazy("Document id, title or collection")
    ordering = ("-updated_at", "-id")
    change_list_template = "console/documents/document_list.html"
    fieldsets = (
        make_fieldset(
            None,
            id_column,
            collection_column,
            failure_column,
            job_column,
            "content_type",
            address_column,
            render_chunks,
        ),
        make_fieldset(
            gettext_lazy("Metadata"), make_column("metadata", render_value, gettext_lazy("metadata")), "byte_count"
        ),
        make_fieldset(gettext_lazy("Times"), "created_at", "updated_at", "indexed_at"),
        make_folded_fieldset(gettext_lazy("Technical details"), "id"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        return super().get_queryset(request).select_related("collection", "job")

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        shown = {"may_search": self.has_support_permission(request)}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    def title_of(self, obj: Document) -> str:
        return obj.shown_title

    def get_badge(self, obj: Document) -> StatusBadge:
        return get_status_badge(obj)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DocumentChangeList

    def list_facts(self, obj: Document) -> Sequence[Any]:
        chunks = ngettext("%(count)d chunk", "%(count)d chunks", obj.chunk_count)
        return (chunks % {"count": obj.chunk_count},)

    def list_ids(self, obj: Document) -> Sequence[tuple[Any, str]]:
        return [(_("Copy document id"), obj.external_id)]

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("playground/", self.playground_view, "snapshots_document_playground"),
            make_console_path("<path:object_id>/reindex/", self.reindex_view, "snapshots_document_reindex"),
            make_console_path("<path:object_id>/remove/", self.remove_view, "snapshots_document_remove"),
            make_console_path("<path:object_id>/chunks/<int:position>/", self.chunk_view, "snapshots_document_chunk"),
            *super().get_urls(),
        ]

    def list_acts(self, request: HttpRequest, obj: Document) -> Sequence[HeaderAct]:
        acts = []
        if self.has_support_permission(request):
            address = {
                verb: reverse(f"admin:snapshots_document_{verb}", args=[obj.pk]) for verb in ("reindex", "remove")
            }
            acts = [
                HeaderAct(_("Search documents"), reverse("admin:snapshots_document_playground")),
                HeaderAct(_("Index again"), address["reindex"]),
                HeaderAct(_("Delete"), address["remove"], is_grave=True),
            ]
        return [*acts, *super().list_acts(request, obj)]

    @mark_scopeless
    def playground_view(self, request: HttpRequest) -> HttpResponse:
        """Show the playground. Runs without a tenant's scope, since it may call models."""
        return show_document_playground(request)

    def reindex_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        what = _("The newest upload is read, cut and embedded again. What is indexed now answers until that is done.")

        def act(document: Document) -> HttpResponse:
            reindex_document(document.external_id, by=make_actor(request), reason=read_reason(request))
            self.message_user(request, _("The document is being indexed again."), messages.SUCCESS)
            return redirect(build_change_address(Document, document.pk))

        return self._ask_and_act(request, object_id, _("Index again"), what, act)

    def remove_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        what = _("The document and its chunks are deleted at once. No search finds them any more.")

        def act(document: Document) -> HttpResponse:
            delete_document(
                document.external_id, by=make_actor(request), accept=lambda *_: None, reason=read_reason(request)
            )
            self.message_user(request, _("The document was deleted."), messages.SUCCESS)
            return redirect("admin:snapshots_document_changelist")

        return self._ask_and_act(request, object_id, _("Delete"), what, act, is_grave=True)

    def chunk_view(self, request: HttpRequest, object_id: str, position: int) -> HttpResponse:
        """Show a chunk where it stands in the text of its document."""
        require_permission(self.has_view_permission, request)
        document = self.get_or_404(request, object_id)
        chunk = list_chunks(document).filter(position=position).first() if position < document.chunk_count else None
        if chunk is None:
            raise Http404
        title = _("Chunk %(number)d of %(count)d") % {"number": position + 1, "count": document.chunk_count}
        return render_console_page(
            request,
            "console/documents/chunk.html",
            title,
            opts=self.opts,
            document=document,
            chunk=chunk,
            headings=" › ".join(chunk.heading_path),
            passage=cut_passage(load_text(document), chunk.start, chunk.end),
            before=position - 1 if position else None,
            after=position + 1 if position + 1 < document.chunk_count else None,
        )

    def _ask_and_act(
        self,
        request: HttpRequest,
        object_id: str,
        title: str,
        what: str,
        act: Callable[[Document], HttpResponse],
        *,
        is_grave: bool = False,
    ) -> HttpResponse:
        """Ask for a reason; then do it."""
        require_permission(self.has_support_permission, request)
        document = self.get_or_404(request, object_id)
        if request.method == "POST" and not is_reason_missing(self, request):
            try:
                return act(document)
            except DocumentUnknown:
                raise Http404 from None
        named: dict[str, Any] = {"subtitle": capfirst(document.shown_title), "opts": self.opts, "is_grave": is_grave}
        back = build_change_address(Document, document.pk)
        return render_confirmation(request, title, what, button=title, back=back, **named)


@admin.register(DocumentCollection)
class DocumentCollectionScreen(TenantAdmin):
    """Collections of documents. The product makes them through the API."""

    personal_data = False
    view_role = Role.VIEWER
    list_display = (
        make_column("external_id", render_line, gettext_lazy("collection"), order="external_id"),
        make_column("access_label", render_word, gettext_lazy("access label"), order="access_label"),
        count_column,
        "created_at",
    )
    empty_text = gettext_lazy("Documents can stand in collections, which open by a label. There is none yet.")
    search_fields = ("external_id", "access_label")
    ordering = ("external_id", "id")
    fieldsets = (
        make_fieldset(
            None,
            make_column("external_id", render_word, gettext_lazy("collection")),
            make_column("access_label", render_word, gettext_lazy("access label")),
            collection_progress_column,
            documents_column,
            "created_at",
        ),
        make_folded_fieldset(gettext_lazy("Technical details"), "id"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentCollection]:
        return count_documents(super().get_queryset(request))  # type: ignore[no-any-return]  # annotated

    def title_of(self, obj: DocumentCollection) -> str:
        return obj.external_id

    def get_urls(self) -> list[URLPattern]:
        name = "snapshots_documentcollection_reindex"
        return [make_console_path("<path:object_id>/reindex/", self.reindex_view, name), *super().get_urls()]

    def list_acts(self, request: HttpRequest, obj: DocumentCollection) -> Sequence[HeaderAct]:
        acts = []
        if self.has_support_permission(request):
            page = reverse("admin:snapshots_documentcollection_reindex", args=[obj.pk])
            acts = [HeaderAct(_("Index all documents again"), page)]
        return [*acts, *super().list_acts(request, obj)]

    def reindex_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason; then have all documents of the collection indexed again."""
        require_permission(self.has_support_permission, request)
        collection = self.get_or_404(request, object_id)
        back = build_change_address(DocumentCollection, collection.pk)
        if request.method == "POST" and not is_reason_missing(self, request):
            count = reindex_collection(collection.external_id, by=make_actor(request), reason=read_reason(request))
            told = ngettext(
                "%(count)d document is being indexed again.", "%(count)d documents are being indexed again.", count
            )
            self.message_user(request, told % {"count": count}, messages.SUCCESS)
            return redirect(back)
        title, named = _("Index all documents again"), {"subtitle": collection.external_id, "opts": self.opts}
        what = _(
            "The newest uploads are read, cut and embedded again, one after the other. What is indexed now answers "
            "until each is done."
        )
        return render_confirmation(request, title, what, button=title, back=back, **named)

    def list_facts(self, obj: DocumentCollection) -> Sequence[Any]:
        who = _("searches that name “%(label)s” may read it") % {"label": obj.access_label} if obj.access_label else ""
        return (describe_document_count(obj), who)
