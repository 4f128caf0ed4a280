"""``/v1/webhooks``: addresses that get the events of the tenant's memory, and their deliveries."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN
from memory_platform.api.requests.fields import FlagField, ListOfField, OneOfField, TextField
from memory_platform.api.requests.serializers import Input, NothingInput, Output, page_of
from memory_platform.api.views.base_views import TenantView, reply_without_content
from memory_platform.api.views.idempotency import Reply, refuse_kept_reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from snapshots.models import DeliveryState, OffReason, Webhook, WebhookDelivery, WebhookEvent
from snapshots.webhooks.deliveries import (
    DeliveryNotEnded,
    DeliveryUnknown,
    WebhookOff,
    add_test,
    name_person,
    replay_delivery,
)
from snapshots.webhooks.webhooks import (
    EVENTS,
    INCLUDABLE,
    TooManyWebhooks,
    WebhookDraft,
    WebhookUnknown,
    change_webhook,
    create_webhook,
    delete_webhook,
    load_webhook,
    rotate_secret,
)
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor
from tenants.services.upstreams.allowed_urls import BASE_URL_CHARS
from tenants.services.upstreams.secret_encryption import SealMissing

NAME_CHARS = 100
BELOW = "webhooks/<own_id:webhook_id>"
DELIVERIES = f"{BELOW}/deliveries"
URL_HELP = (
    "Where events are posted to. It needs TLS and a public address, unless the operator of the platform allows its "
    "host; both are checked again whenever something is sent. Redirects are not followed."
)
EVENTS_HELP = "Which events it hears."
INCLUDE_HELP = (
    "What messages carry besides ids and kinds: `text` adds the words of a memory or summary, as they are when the "
    "message is sent."
)


def make_events_field(**kwargs: Any) -> ListOfField:
    return ListOfField(child=OneOfField(choices=EVENTS), least=1, most=len(EVENTS), required=False, **kwargs)


def make_include_field() -> ListOfField:
    return ListOfField(
        child=OneOfField(choices=INCLUDABLE), most=len(INCLUDABLE), required=False, help_text=INCLUDE_HELP
    )


class WebhookInput(Input):
    """A new webhook."""

    url = TextField(max_bytes=BASE_URL_CHARS, help_text=URL_HELP)
    name = TextField(max_length=NAME_CHARS, required=False, help_text="What it is for.")
    events = make_events_field(help_text=f"{EVENTS_HELP} Default: all.")
    include = make_include_field()


class WebhookChangeInput(Input):
    """Changes of a webhook; what is left out stays."""

    url = TextField(max_bytes=BASE_URL_CHARS, required=False, help_text=URL_HELP)
    name = TextField(max_length=NAME_CHARS, required=False, help_text="What it is for.")
    events = make_events_field(help_text=EVENTS_HELP)
    include = make_include_field()
    enabled = FlagField(
        required=False,
        help_text="False switches it off: it hears of no event any more. True switches it on and sends what waited.",
    )


class WebhookOutput(Output):
    """A webhook without its secret."""

    id = serializers.UUIDField(help_text="Id of the webhook.")
    url = serializers.CharField(help_text="Where events are posted to.")
    name = serializers.CharField(allow_null=True, help_text="What it is for.")
    events = serializers.ListField(child=serializers.ChoiceField(choices=EVENTS), help_text=EVENTS_HELP)
    include = serializers.ListField(child=serializers.ChoiceField(choices=INCLUDABLE), help_text=INCLUDE_HELP)
    enabled = serializers.BooleanField(source="is_on", help_text="Whether it is sent anything.")
    off_reason = serializers.ChoiceField(
        choices=OffReason.values,
        allow_null=True,
        help_text="Why it is off: `asked`, `failing` for three days, or it answered 410 (`gone`); null while it is on.",
    )
    failing_since = serializers.DateTimeField(
        allow_null=True, help_text="Since when every try failed; null if the last one succeeded."
    )
    former_secret_until = serializers.DateTimeField(
        source="former_until", allow_null=True, help_text="Until when the secret before the last rotation signs, too."
    )
    created_at = serializers.DateTimeField(help_text="When it was made.")
    updated_at = serializers.DateTimeField(help_text="When it was last changed.")


class CreatedWebhookOutput(WebhookOutput):
    """A webhook with its new secret, which is shown this once."""

    secret = serializers.CharField(
        help_text="The key of its signatures, for a library of Standard Webhooks: `whsec_` and base64."
    )


class WebhookDeliveryOutput(Output):
    """One event for one webhook, and how far it got."""

    id = serializers.UUIDField(help_text="Id of the delivery.")
    event_id = serializers.UUIDField(
        help_text="Id of the event. The header `webhook-id` is `msg_` and this id, in every try."
    )
    type = serializers.ChoiceField(source="event", choices=WebhookEvent.values, help_text="What happened.")
    subject_id = serializers.CharField(allow_null=True, help_text="Id of the subject; null for events without one.")
    object_kind = serializers.CharField(
        allow_null=True, help_text="Kind of the memory or job; `subject` if a whole subject was erased."
    )
    object_id = serializers.UUIDField(
        allow_null=True, help_text="Id of the memory or job; null for events without one."
    )
    state = serializers.ChoiceField(
        choices=DeliveryState.values, help_text="`pending` is tried again without your help; `dead` is not."
    )
    attempts = serializers.IntegerField(help_text="Tries so far.")
    next_attempt_at = serializers.DateTimeField(
        allow_null=True, help_text="When it is tried next, at the earliest; null if it has ended."
    )
    last_status = serializers.IntegerField(allow_null=True, help_text="HTTP status of the last answer; null if none.")
    error = serializers.CharField(
        source="error_code", allow_null=True, help_text="Why the last try failed. New values may come."
    )
    created_at = serializers.DateTimeField(help_text="When the event happened.")
    ended_at = serializers.DateTimeField(allow_null=True, help_text="When it was delivered or given up.")

    @staticmethod
    def render_subject_id(row: WebhookDelivery) -> str | None:
        return name_person(row)

    @staticmethod
    def render_next_attempt_at(row: WebhookDelivery) -> Any:
        return row.due_at if row.state == DeliveryState.PENDING else None


class DeliveriesInput(PageInput):
    """Which deliveries to list."""

    state = OneOfField(choices=DeliveryState.values, required=False, help_text="Returns deliveries in this state only.")


class WebhookView(TenantView):
    """A view of webhooks: for administrators, since they send ids of every subject somewhere else."""

    noun = "webhooks"
    required_scope = ADMIN
    absent = "No webhook with this id."


class WebhooksView(WebhookView):
    @operation("list_webhooks", query=PageInput, answer=page_of(WebhookOutput))
    def get(self, request: Request) -> Response:
        """List the tenant's webhooks, oldest first."""
        page = Page.from_request(request, PageInput.parse(request))
        with tenant_tx(self.tenant_id):
            return Response(page.answer(Webhook.objects.all(), WebhookOutput.render))

    @operation(
        "create_webhook",
        request=WebhookInput,
        answer=CreatedWebhookOutput,
        status=201,
        keeps_reply=False,
        errors=[SealMissing, TooManyWebhooks],
    )
    def post(self, request: Request) -> Response:
        """Create a webhook. Its secret is shown this once. It hears what happens from now on.

        An answer with a secret is not kept, so `Idempotency-Key` is refused.
        """
        given = WebhookInput.parse(request)
        refuse_kept_reply(request)
        with tenant_tx(self.tenant_id):
            made = create_webhook(WebhookDraft(**given), by=self.actor)
        return Response(CreatedWebhookOutput.render(made.webhook, secret=made.secret), status=201)


class OneWebhookView(WebhookView):
    @operation("get_webhook", answer=WebhookOutput, errors=[WebhookUnknown])
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """Get a webhook, without its secret."""
        with tenant_tx(self.tenant_id):
            return Response(WebhookOutput.render(load_webhook(webhook_id)))

    @operation("change_webhook", request=WebhookChangeInput, answer=WebhookOutput, errors=[WebhookUnknown])
    def patch(self, request: Request, webhook_id: UUID) -> HttpResponse:
        """Change a webhook, or switch it on or off. What waits goes to the new address."""
        given = WebhookChangeInput.parse(request)
        return write_once(request, partial(reply_to_change, webhook_id, given, self.actor))

    @operation("delete_webhook", status=204, errors=[WebhookUnknown])
    def delete(self, request: Request, webhook_id: UUID) -> HttpResponseBase:
        """Delete a webhook with its deliveries. What waits is not sent any more."""
        with tenant_tx(self.tenant_id):
            delete_webhook(webhook_id, by=self.actor)
        return reply_without_content()


class WebhookRotationView(WebhookView):
    @operation(
        "rotate_webhook_secret",
        request=NothingInput,
        answer=CreatedWebhookOutput,
        keeps_reply=False,
        errors=[WebhookUnknown, SealMissing],
    )
    def post(self, request: Request, webhook_id: UUID) -> Response:
        """Make a new secret, which is shown this once. For a day messages are signed by the old one as well.

        An answer with a secret is not kept, so `Idempotency-Key` is refused.
        """
        NothingInput.parse(request)
        refuse_kept_reply(request)
        with tenant_tx(self.tenant_id):
            made = rotate_secret(webhook_id, by=self.actor)
        return Response(CreatedWebhookOutput.render(made.webhook, secret=made.secret))


class WebhookTestView(WebhookView):
    @operation(
        "test_webhook",
        request=NothingInput,
        answer=WebhookDeliveryOutput,
        status=202,
        errors=[WebhookUnknown, WebhookOff],
    )
    def post(self, request: Request, webhook_id: UUID) -> HttpResponse:
        """Send a `webhook.test` event within seconds. Its delivery tells how it went."""
        NothingInput.parse(request)
        return write_once(request, partial(reply_to_test, webhook_id, self.actor))


class WebhookDeliveriesView(WebhookView):
    @operation(
        "list_webhook_deliveries",
        query=DeliveriesInput,
        answer=page_of(WebhookDeliveryOutput),
        errors=[WebhookUnknown],
    )
    def get(self, request: Request, webhook_id: UUID) -> Response:
        """List what a webhook was or will be told, newest first. Deliveries are kept for 14 days."""
        query = DeliveriesInput.parse(request)
        page = Page.from_request(request, query, NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            rows = WebhookDelivery.objects.filter(webhook=load_webhook(webhook_id)).select_related("subject")
            if query.get("state"):
                rows = rows.filter(state=query["state"])
            return Response(page.answer(rows, WebhookDeliveryOutput.render))


class WebhookReplayView(WebhookView):
    absent = "No delivery with this id."

    @operation(
        "replay_webhook_delivery",
        request=NothingInput,
        answer=WebhookDeliveryOutput,
        status=202,
        errors=[DeliveryUnknown, DeliveryNotEnded],
    )
    def post(self, request: Request, webhook_id: UUID, delivery_id: UUID) -> HttpResponse:
        """Send an ended delivery once more, with the same `webhook-id`. While it is pending it is 409."""
        NothingInput.parse(request)
        return write_once(request, partial(reply_to_replay, webhook_id, delivery_id, self.actor))


def reply_to_change(webhook_id: UUID, changes: dict[str, Any], by: Actor) -> Reply:
    return Reply(WebhookOutput.render(change_webhook(webhook_id, changes, by=by)))


def reply_to_test(webhook_id: UUID, by: Actor) -> Reply:
    return Reply(WebhookDeliveryOutput.render(add_test(webhook_id, by=by)), status=202)


def reply_to_replay(webhook_id: UUID, delivery_id: UUID, by: Actor) -> Reply:
    row = replay_delivery(webhook_id, delivery_id, by=by)
    return Reply(WebhookDeliveryOutput.render(row), status=202, subject_id=row.subject_id)


urlpatterns = [
    path("webhooks", WebhooksView.as_view(), name="webhooks"),
    path(BELOW, OneWebhookView.as_view(), name="webhook"),
    path(f"{BELOW}/rotate", WebhookRotationView.as_view(), name="webhook-rotation"),
    path(f"{BELOW}/test", WebhookTestView.as_view(), name="webhook-test"),
    path(DELIVERIES, WebhookDeliveriesView.as_view(), name="webhook-deliveries"),
    path(f"{DELIVERIES}/<own_id:delivery_id>/replay", WebhookReplayView.as_view(), name="webhook-replay"),
]
