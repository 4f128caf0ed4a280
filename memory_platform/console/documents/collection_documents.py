"""The documents of a collection, and the call that uploads one."""

from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.shared.lists.change_lists import SafeChangeList
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    make_column,
    make_computed_column,
    render_link,
)
from snapshots.models import Document, DocumentCollection

# Documents of a collection that its page names.
MAX_SHOWN_DOCUMENTS = 50
# As docs/contexts/documents.md has it.
UPLOAD_CALL = 'curl -X PUT "$BASE/v1/documents/returns" -H "Authorization: Bearer $KEY" -F "file=@returns.md"'


def count_documents(collections: Any) -> Any:
    """Return the query of collections with ``document_count``."""
    own = Document.objects.filter(collection=OuterRef("pk")).order_by().values("collection")
    counted = Subquery(own.annotate(rows=Count("pk")).values("rows"))
    return collections.annotate(document_count=Coalesce(counted, 0))


def render_documents(collection: DocumentCollection) -> str:
    """Return the newest documents of a collection as HTML, each a link to its page."""
    rows = list(
        Document.objects.filter(collection=collection).order_by("-updated_at", "-id")[: MAX_SHOWN_DOCUMENTS + 1]
    )
    links = [(render_link(Document, row.pk, row.shown_title),) for row in rows[:MAX_SHOWN_DOCUMENTS]]
    listed = format_html_join("", "<li>{}</li>", links)
    more = format_html('<li class="faint">{}</li>', _("and further ones")) if len(rows) > len(links) else ""
    return format_html('<ul class="inbox-list">{}{}</ul>', listed, more) if links else EMPTY_VALUE


count_column = make_column(
    "document_count", lambda count: count, gettext_lazy("documents"), order="document_count", is_number=True
)
documents_column = make_computed_column("documents", render_documents, gettext_lazy("documents"))


def describe_document_count(collection: DocumentCollection) -> str:
    count = Document.objects.filter(collection=collection).count()
    return ngettext("%(count)d document", "%(count)d documents", count) % {"count": count}


class DocumentChangeList(SafeChangeList):
    """A list of documents that tells how one is uploaded."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.intro = format_html(
            '{} <code id="upload-call">{}</code> '
            '<button type="button" class="copy" data-copy-from="upload-call" data-copied="{}">{}</button>',
            _("Your product uploads documents through the API:"),
            UPLOAD_CALL,
            _("Copied"),
            _("Copy"),
        )
