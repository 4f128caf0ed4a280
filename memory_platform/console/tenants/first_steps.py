"""The first steps of a new tenant: an API key, the first message, the first context, each with a command to paste into
a shell. README.md has the same calls."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from memory_platform.console.shared.custom_pages import is_manager
from memory_platform.console.shared.support_session_guard import mark_impersonal
from memory_platform.console.shared.tenant_access import current_desk
from snapshots.models import Message, Receipt, ReceiptMemory
from tenants.models import ApiKey

FIRST_MESSAGE = r"""curl -s $BASE/v1/subjects/user_1/conversations/c1/messages \
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
  -d '{"messages": [{"role": "user", "content": "I am allergic to peanuts, and my home is at 12 Elm Street."},
                    {"role": "user", "content": "Last weekend we hiked up Mount Tam with my sister Ruth."}]}'"""
FIRST_CONTEXT = r"""curl -s $BASE/v1/subjects/user_1/context \
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \
  -d '{"query": "Any snack ideas for the next hike?", "system_prompt": "You are a helpful assistant."}'"""
KEY, MESSAGE, CONTEXT = "key", "message", "context"


@dataclass(frozen=True, slots=True)
class FirstStep:
    """One line of the checklist. ``call``: the command to paste into a shell. ``waiting``: the text of the page until
    the step is done."""

    name: str
    title: str
    is_done: bool
    address: str = ""
    call: str = ""
    waiting: str = ""


def render_first_call(call: str, base: str, key: str) -> str:
    """Return a call with the lines before it that name the platform's address and the key."""
    return f"BASE={base}\nKEY={key}\n{call}"


def find_base_address(request: HttpRequest) -> str:
    """Return the address of the platform, at the origin that a form of this page was sent from, if it was sent from
    one: behind a proxy with TLS the request itself does not tell that it came by https."""
    origin = request.headers.get("Origin", "")
    return origin if origin.startswith(("http://", "https://")) else request.build_absolute_uri("/").rstrip("/")


def list_first_steps(request: HttpRequest, token: str = "") -> list[FirstStep]:
    """Return the checklist of the open tenant, its calls with ``token`` or a place for one. Three queries."""
    base, key = find_base_address(request), token or _("YOUR_KEY")
    done = find_step_progress()
    return [
        FirstStep(
            KEY,
            _("Create an API key"),
            done[KEY],
            reverse("admin:tenants_apikey_add") if is_manager(request) else "",
        ),
        FirstStep(
            MESSAGE,
            _("Send the first message"),
            done[MESSAGE],
            call=render_first_call(FIRST_MESSAGE, base, key),
            waiting=_("waiting for the first message …"),
        ),
        FirstStep(
            CONTEXT,
            _("Make the first context"),
            done[CONTEXT],
            call=render_first_call(FIRST_CONTEXT, base, key),
            waiting=_("waiting for the first context; the message becomes memory within seconds …"),
        ),
    ]


def find_step_progress() -> dict[str, bool]:
    """Return by step whether it is done in the open tenant."""
    return {KEY: ApiKey.objects.exists(), MESSAGE: Message.objects.exists(), CONTEXT: Receipt.objects.exists()}


@mark_impersonal
@require_safe
def show_first_steps(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    """Return which steps are done, for the page that waits for them; nothing for a page of another tenant."""
    desk = current_desk(request)
    is_same = desk is not None and desk.tenant.id == tenant_id
    return JsonResponse({**find_step_progress(), "told": describe_context()} if is_same else {})


def describe_context() -> str:
    """Return how many memories the newest context holds, in words; "" without a context. Two queries."""
    newest = Receipt.objects.order_by("-created_at").first()
    if newest is None:
        return ""
    count = len(newest.due or ()) or ReceiptMemory.objects.filter(receipt=newest).count()
    if not count:
        return _("done, without memory yet: a message is learned from within seconds, then call again")
    return ngettext("done, %(count)d memory in it", "done, %(count)d memories in it", count) % {"count": count}
