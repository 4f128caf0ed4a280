"""The reason for an act: required where data or access is changed, and kept in the audit trail."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# Characters of a reason; the audit trail has room for what the act itself adds.
MAX_REASON_CHARS = 400

ListAction = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


class ReasonField(forms.CharField):
    """A text field of one line for the reason of an act."""

    def __init__(self, *, required: bool = True) -> None:
        super().__init__(label=gettext_lazy("Reason"), max_length=MAX_REASON_CHARS, required=required)
        self.widget.attrs.update({"size": 40, "autocomplete": "off"})

    def to_python(self, value: Any) -> str:
        """Return the reason in one printable line, as the audit trail keeps it."""
        return _join_lines(super().to_python(value) or "")


class ReasonedActionForm(ActionForm):
    """The form of list actions, with a field for a reason. Each action decides whether it needs one."""

    reason = ReasonField(required=False)


def read_reason(request: HttpRequest) -> str:
    """Return the reason that was sent, in one printable line; "" without one."""
    return _join_lines(request.POST.get("reason", ""))[:MAX_REASON_CHARS]


def is_reason_missing(screen: Any, request: HttpRequest) -> bool:
    """Return whether no reason was sent; if so, show an error."""
    if read_reason(request):
        return False
    screen.message_user(request, _("Nothing was done: give a reason in the field “Reason”."), messages.ERROR)
    return True


def require_reason(action: ListAction) -> ListAction:
    """Make a list action run only when a reason was sent."""

    @wraps(action)
    def run(screen: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return None if is_reason_missing(screen, request) else action(screen, request, queryset)

    return run


def _join_lines(text: str) -> str:
    words = " ".join(text.split())
    return "".join(character for character in words if character.isprintable()).strip()
