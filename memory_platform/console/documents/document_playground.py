"""The playground of documents: the passages that a search finds now, in each lane, and why. Nothing is stored.

It needs the role support, because a question may cost a call to a model. Models are asked with no open transaction, so
the page opens the tenant's scope itself: once to record who asked, and once to render the passages found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.after_commit_responses import respond_in_scope
from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.custom_pages import redirect_to_tenant_choice, render_console_page
from memory_platform.console.shared.tenant_access import current_desk, make_actor
from memory_platform.console.shared.value_rendering import build_change_address
from memory_platform.kernel.keyword_terms import shared_words
from snapshots.knowledge.documents.collections import list_collections
from snapshots.knowledge.search.config import ANSWER_LIMITS
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import (
    DocumentAbstainReason,
    DocumentAnswer,
    DocumentQuery,
    DocumentScope,
    FoundPassage,
)
from snapshots.models import Document
from tenants.isolation import tenant_tx
from tenants.models import Role
from tenants.services.audit import record_audit

MAX_QUERY_CHARS = 2_000
MAX_COLLECTIONS = 200
SHOWN_PASSAGES = 10
ABSTAIN_TEXTS = {
    DocumentAbstainReason.NO_DOCUMENTS: gettext_lazy("There are no documents that this search may read."),
    DocumentAbstainReason.NOTHING_FOUND: gettext_lazy(
        "No passage has a word or a meaning in common with the question."
    ),
    DocumentAbstainReason.NOTHING_RELEVANT: gettext_lazy("No passage probably answers the question."),
}


class DocumentQuestionForm(forms.Form):
    """A question to documents, and what its reader may see."""

    query = forms.CharField(
        label=gettext_lazy("Question"), max_length=MAX_QUERY_CHARS, widget=forms.Textarea(attrs={"rows": 2})
    )
    collection = forms.ChoiceField(label=gettext_lazy("Collection"), required=False)
    labels = forms.CharField(
        label=gettext_lazy("Access labels, separated by commas"), max_length=MAX_QUERY_CHARS, required=False
    )
    every = forms.BooleanField(label=gettext_lazy("Show passages that probably do not answer, too"), required=False)

    def __init__(self, *args: Any, collections: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["collection"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  # for the type checker
        field.choices = [("", _("all collections")), *((one, one) for one in collections)]

    def make_query(self) -> DocumentQuery:
        """Return the question of a valid form."""
        values = self.cleaned_data
        labels = (one.strip() for one in values["labels"].replace("，", ",").split(","))
        return DocumentQuery(
            values["query"].replace("\x00", ""),
            top_k=SHOWN_PASSAGES,
            scope=DocumentScope(
                (values["collection"],) if values["collection"] else None, tuple(one for one in labels if one)
            ),
            min_relevance=0.0 if values["every"] else ANSWER_LIMITS.min_relevance,
            explain=True,
        )


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as the page shows it; ``address`` is that of its document's page."""

    passage: FoundPassage
    text: SafeString
    address: str


def show_document_playground(request: HttpRequest) -> HttpResponse:
    """Show the playground; no scope may be open. Raises PermissionDenied."""
    desk = current_desk(request)
    if desk is None:
        return redirect_to_tenant_choice(request)
    if not desk.has_role(Role.SUPPORT):
        raise PermissionDenied
    with tenant_tx(desk.tenant.id):
        names = list(list_collections().values_list("external_id", flat=True)[:MAX_COLLECTIONS])
        form = DocumentQuestionForm(request.POST if request.method == "POST" else None, collections=names)
        is_asked = form.is_bound and form.is_valid()
        # The record does not hold the question.
        verb = "document_playground.asked" if is_asked else "document_playground.opened"
        record_audit(make_actor(request), verb, object_kind="document")
    # Between the two scopes: a model call must not hold a transaction.
    answer = search_documents(desk.tenant.id, form.make_query()) if is_asked else None
    return respond_in_scope(desk, lambda: _render(request, form, answer))


def _render(request: HttpRequest, form: DocumentQuestionForm, answer: DocumentAnswer | None) -> HttpResponse:
    context: dict[str, Any] = {"opts": Document._meta, "form": form, "answer": answer}
    if answer is not None:
        context |= {
            "passages": _show_passages(form.cleaned_data["query"], answer.passages),
            "abstained": ABSTAIN_TEXTS[answer.abstained] if answer.abstained else "",
            "degraded": [render_code(one) for one in sorted(answer.degraded)],
        }
    return render_console_page(request, "console/documents/playground.html", _("Search documents"), **context)


def _show_passages(query: str, passages: Sequence[FoundPassage]) -> list[ShownPassage]:
    names = {one.citation.document_id for one in passages}
    ids = dict(Document.objects.filter(external_id__in=names).values_list("external_id", "pk"))
    return [
        ShownPassage(
            one,
            mark_words(one.text, shared_words(query, one.text)),
            build_change_address(Document, ids[one.citation.document_id]) if one.citation.document_id in ids else "",
        )
        for one in passages
    ]


def mark_words(text: str, words: Sequence[str]) -> SafeString:
    """Return a text as HTML with each place of these words marked, whatever their capitals. Overlapping ones are
    marked together."""
    low = text.lower()
    if len(low) != len(text):  # a letter whose small form is longer: places would not agree
        low = text
    spans = sorted((at, at + len(word)) for word in words for at in _find_places(low, word.lower()))
    parts: list[tuple[str, str]] = []
    at = 0
    for start, end in _join_spans(spans):
        parts.append((text[at:start], text[start:end]))
        at = end
    marked = format_html_join("", "{}<mark>{}</mark>", parts)
    return marked + format_html_join("", "{}", [(text[at:],)])


def _find_places(text: str, word: str) -> list[int]:
    """Return where a word stands; in scripts with blanks only as a whole word or at the beginning of one."""
    places, at = [], text.find(word)
    while word and at >= 0:
        if not word.isascii() or at == 0 or not text[at - 1].isalnum():
            places.append(at)
        at = text.find(word, at + 1)
    return places


def _join_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
