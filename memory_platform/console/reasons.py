"""Why staff act: asked where an act takes something away or changes who may do what, kept in the audit trail."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

REASON_LENGTH = 400
"""Characters of a reason; the audit trail has room for what the act itself adds."""

Action = Callable[[Any, HttpRequest, QuerySet[Any]], None]


class ReasonField(forms.CharField):
    """One line that says why."""

    def __init__(self, *, required: bool = True) -> None:
        super().__init__(label=gettext_lazy("Reason"), max_length=REASON_LENGTH, required=required)
        self.widget.attrs.update({"size": 40, "autocomplete": "off"})


class ReasonedActions(ActionForm):
    """The bar of actions above a list, with room for a reason. Which action needs one, the action says."""

    reason = ReasonField(required=False)


def reason_of(request: HttpRequest) -> str:
    """Return the reason that was given, in one printable line; "" where none was."""
    words = " ".join(request.POST.get("reason", "").split())
    return "".join(character for character in words if character.isprintable())[:REASON_LENGTH]


def is_reason_missing(screen: Any, request: HttpRequest) -> bool:
    """Tell whether no reason was given; if so, say that nothing was done and what is needed."""
    if reason_of(request):
        return False
    screen.message_user(request, _("Nothing was done: say why, in the field “Reason”."), messages.ERROR)
    return True


def needs_reason(action: Action) -> Action:
    """Let a list's action run only when a reason was given."""

    @wraps(action)
    def run(screen: Any, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        if not is_reason_missing(screen, request):
            action(screen, request, queryset)

    return run
