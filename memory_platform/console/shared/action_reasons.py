"""The reason for an act: required where data or access is changed, and kept in the audit trail."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME, ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# Characters of a reason; the audit trail has room for what the act itself adds.
MAX_REASON_CHARS = 400

# Fields that a refused action of a list keeps. What the page adds itself, such as a version, is made anew.
KEPT_FIELDS = frozenset({"action", "reason", "select_across"})

# Codes of the actions of lists that nothing takes back.
FINAL_ACTIONS = frozenset({"forget", "discard", "revoke", "renew", "rotate"})

ListAction = Callable[[Any, HttpRequest, QuerySet[Any]], HttpResponse | None]


class ReasonField(forms.CharField):
    """A text field of one line for the reason of an act."""

    def __init__(self, *, required: bool = True) -> None:
        super().__init__(label=gettext_lazy("Reason"), max_length=MAX_REASON_CHARS, required=required)
        self.widget.attrs.update({"size": 40, "autocomplete": "off"})

    def to_python(self, value: Any) -> str:
        """Return the reason in one printable line, as the audit trail keeps it."""
        return join_lines(super().to_python(value) or "")


class ReasonedActionForm(ActionForm):
    """The form of list actions, with a field for a reason. Each action decides whether it needs one."""

    reason = ReasonField(required=False)

    @property
    def final_labels(self) -> list[str]:
        """Return the labels of the actions that cannot be undone."""
        return [label for code, label, _text in self.buttons if code in FINAL_ACTIONS]

    @property
    def buttons(self) -> list[tuple[str, str, str]]:
        """Return code, label and full text of each action: "Retire" of "Retire: recall no longer finds it"."""
        choices: Any = self.fields["action"].choices  # type: ignore[attr-defined]  # it is a choice
        told = [(code, str(text)) for code, text in choices if code]
        return [(code, text.replace("：", ":").partition(":")[0], text) for code, text in told]


def read_reason(request: HttpRequest) -> str:
    """Return the reason that was sent, in one printable line; "" without one."""
    return join_lines(request.POST.get("reason", ""))[:MAX_REASON_CHARS]


def is_reason_missing(screen: Any, request: HttpRequest) -> bool:
    """Return whether no reason was sent; if so, show an error."""
    if read_reason(request):
        return False
    refuse_action(screen, request, _("Nothing was done: give a reason in the field “Reason”."))
    return True


def refuse_action(screen: Any, request: HttpRequest, text: Any) -> None:
    """Show why an action did nothing. A list then shows the choice again: see :func:`is_action_refused`."""
    screen.message_user(request, text, messages.ERROR)
    request.action_refused = True  # type: ignore[attr-defined]  # read back by is_action_refused


def is_action_refused(request: HttpRequest) -> bool:
    """Return whether a list's action was refused, or sent without an action or a row."""
    if request.method != "POST" or ("index" not in request.POST and ACTION_CHECKBOX_NAME not in request.POST):
        return False
    is_empty = not request.POST.get("action") or not request.POST.getlist(ACTION_CHECKBOX_NAME)
    return is_empty or getattr(request, "action_refused", False)


def restore_refused_choice(request: HttpRequest, context: dict[str, Any]) -> None:
    """Put the rows, the action and the reason that a refused action was sent with into the context of its list."""
    form, changes = context.get("action_form"), context["cl"]
    if form is not None:
        form.initial = {name: request.POST[name] for name in form.fields if name in KEPT_FIELDS & request.POST.keys()}
        if "reason" in form.fields and not read_reason(request):
            form.fields["reason"].widget.attrs["autofocus"] = True
    chosen = set(request.POST.getlist(ACTION_CHECKBOX_NAME))
    rows = list(changes.result_list)
    for row in rows:
        row.is_chosen = str(row.pk) in chosen
    changes.result_list = rows


def require_reason(action: ListAction) -> ListAction:
    """Make a list action run only when a reason was sent."""

    @wraps(action)
    def run(screen: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        return None if is_reason_missing(screen, request) else action(screen, request, queryset)

    return run


def join_lines(text: str) -> str:
    """Return a text in one printable line."""
    words = " ".join(text.split())
    return "".join(character for character in words if character.isprintable()).strip()
