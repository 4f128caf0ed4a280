"""A person leaves: the forms of export and erasure, and the file of an export."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.action_reasons import ReasonField
from memory_platform.console.subjects.readable_export import render_readable_export
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from profiles.models import Subject

HTML, JSON_LINES = "html", "ndjson"
MEDIA_TYPES: Mapping[str, str] = {HTML: "text/html; charset=utf-8", JSON_LINES: "application/x-ndjson"}
# The page of an export learns by this cookie that its file was sent; see subject.js.
DOWNLOADED_COOKIE, DOWNLOADED_SECONDS = "downloaded", 60
MAX_NAME_CHARS = 80


class ExportForm(forms.Form):
    """The form of the file and the reason for an export."""

    form = forms.ChoiceField(
        label=gettext_lazy("File"),
        choices=(
            (HTML, gettext_lazy("A page to read (HTML)")),
            (JSON_LINES, gettext_lazy("JSON lines, which an import accepts")),
        ),
        widget=forms.RadioSelect,
        initial=HTML,
    )
    reason = ReasonField()


class EraseForm(forms.Form):
    """The subject's id, typed by hand, and the reason for the erasure."""

    typed = forms.CharField(label=gettext_lazy("Id of the person, typed by hand"), max_length=220, strip=False)
    reason = ReasonField()

    def __init__(self, data: Any, subject: Subject) -> None:
        super().__init__(data)
        self.subject = subject
        self.fields["typed"].widget.attrs.update(
            {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false"}
        )

    def clean_typed(self) -> str:
        typed: str = self.cleaned_data["typed"]
        # An id that was copied brings blanks along; one that has blanks of its own may be typed with them.
        if self.subject.external_id not in (typed, typed.strip()):
            raise forms.ValidationError(_("This is not the id of this person. Type the id exactly as shown."))
        return typed


def make_file_response(
    request: HttpRequest, subject: Subject, form: str, export: Callable[[], Iterator[bytes]]
) -> HttpResponse:
    """Return an export as a file that is named by subject and date. Raises Http404 for an erased subject."""
    try:
        lines = export()
    except NotFound:
        raise Http404 from None
    pieces: Iterator[Any] = render_readable_export(lines) if form == HTML else lines
    answer = StreamingHttpResponse(pieces, content_type=MEDIA_TYPES[form])
    name = f"{_make_file_name(subject)}-{utc_now():%Y-%m-%d}.{form}"
    answer["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    answer["Cache-Control"] = "no-store"
    answer.set_cookie(
        DOWNLOADED_COOKIE,
        "1",
        max_age=DOWNLOADED_SECONDS,
        path=request.path,
        secure=request.is_secure(),
        samesite="Strict",
    )
    return answer  # type: ignore[return-value]  # a stream is an answer to every caller of a view


def _make_file_name(subject: Subject) -> str:
    """Return the product's id as far as it can name a file; it may hold anything."""
    return slugify(subject.external_id, allow_unicode=True)[:MAX_NAME_CHARS] or str(subject.pk)
