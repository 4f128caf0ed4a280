"""``/v1/policies``: versions of the tenant's policy, made, compared, activated, rolled back (row T4)."""

from dataclasses import asdict, replace
from functools import partial
from typing import Any, ClassVar

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import ADMIN
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.serializers import page_of
from memory_platform.api.v1.policies.policy_serializers import (
    DiffInput,
    DiffOutput,
    PolicyDetailOutput,
    PolicyInput,
    PolicyMadeOutput,
    PolicyOutput,
    ReasonInput,
    ReplayInput,
    ReplayOutput,
    SettingsOutput,
    serialize_changes,
    serialize_detail,
    serialize_made_version,
    serialize_settings,
    serialize_version,
)
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.kernel.errors import InvalidInput, VersionMismatch
from snapshots.policies.replay import ALWAYS_UNTOLD, replay_policy
from snapshots.policies.sections import SECTIONS
from tenants.errors import PolicyUnchanged, PolicyUnknown
from tenants.isolation import current_tenant_id, tenant_tx
from tenants.models import PolicyVersion, Tenant
from tenants.services.audit import Actor
from tenants.services.policies import (
    Proposal,
    activate_version,
    active_number,
    compare_versions,
    create_version,
    propose,
    version_by_number,
)

REMOVE = "remove."
NEWEST_NUMBER = Order(("number",), newest_first=True)


class PoliciesView(TenantView):
    """All versions."""

    noun = "policies"
    query_input = PageInput
    required_scope = ADMIN

    @operation("list_policies", query=PageInput, answer=page_of(PolicyOutput))
    def get(self, request: Request) -> Response:
        """List the versions, newest first."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_NUMBER)
        with tenant_tx(self.tenant_id):
            active = active_number()
            return Response(
                page.answer(PolicyVersion.objects.all(), lambda version: serialize_version(version, active))
            )

    @operation(
        "create_policy",
        request=PolicyInput,
        answer=PolicyMadeOutput,
        status=(201, 200),
        errors=[PolicyUnknown, PolicyUnchanged],
    )
    def post(self, request: Request) -> HttpResponse:
        """Make a version, which steers nothing before it is activated; with ``dry_run`` only tell what it would say."""
        return write_once(request, partial(reply_to_create, PolicyInput.parse(request), self.actor))


class PolicyView(TenantView):
    """One version."""

    noun = "policies"
    versioned = True
    required_scope = ADMIN

    @operation("get_policy", answer=PolicyDetailOutput, errors=[PolicyUnknown])
    def get(self, request: Request, version: int) -> Response:
        """Return a version with every value in force under it."""
        with tenant_tx(self.tenant_id):
            shown, tag = detail(version_by_number(version))
        return Response(shown, headers=tag)


class ActivateView(TenantView):
    """The version that steers."""

    noun = "policies"
    required_scope = ADMIN

    @operation(
        "activate_policy",
        request=ReasonInput,
        answer=PolicyDetailOutput,
        errors=[PolicyUnknown, PolicyUnchanged, VersionMismatch],
    )
    def post(self, request: Request, version: int) -> HttpResponse:
        """Let a version steer, from every process's next request on; an earlier one rolls back."""
        given, condition = ReasonInput.parse(request), IfMatch.from_request(request)
        return write_once(request, partial(reply_to_activate, version, given["reason"], self.actor, condition))


class DiffView(TenantView):
    """Two versions side by side."""

    noun = "policies"
    query_input = DiffInput
    required_scope = ADMIN

    @operation("diff_policies", query=DiffInput, answer=DiffOutput, errors=[PolicyUnknown])
    def get(self, request: Request) -> Response:
        """Return the fields whose values in force differ."""
        asked = DiffInput.parse(request)
        with tenant_tx(self.tenant_id):
            changes = compare_versions(asked["from"], asked["to"], SECTIONS)
        return Response({**asked, "changes": serialize_changes(changes)})


class ReplayView(TenantView):
    """A version tried on what another one did."""

    noun = "policies"
    query_input = ReplayInput
    required_scope = ADMIN

    @operation("replay_policy", query=ReplayInput, answer=ReplayOutput, errors=[PolicyUnknown])
    def get(self, request: Request) -> Response:
        """Order the candidates of the newest receipts of one version anew under another. Writes nothing, asks no model.

        Says how many contexts would hold other memories, and how often replies had used what would leave. Unknown
        versions: 404.
        """
        asked = ReplayInput.parse(request)
        with tenant_tx(self.tenant_id):
            told = replay_policy(asked["from"], asked["to"], receipts=asked["receipts"], examples=asked["examples"])
        versions = {"from": asked["from"], "to": asked["to"]}
        return Response({**versions, **asdict(told), "always_untold": ALWAYS_UNTOLD})


class SettingsView(TenantView):
    """What may be set."""

    noun = "policies"
    required_scope: ClassVar[str] = ADMIN

    @operation("list_policy_settings", answer=SettingsOutput)
    def get(self, request: Request) -> Response:
        """Return every field that a version may set, with its bounds and its default."""
        return Response({"settings": serialize_settings()})


def reply_to_create(given: dict[str, Any], by: Actor) -> Reply:
    """Create a version in the open transaction; a dry run only returns what it would change."""
    proposal = propose_from_body(given)
    version = None if given["dry_run"] else create_version(proposal, by=by, reason=given["reason"]).number
    shown = serialize_made_version(version, proposal.based_on, proposal.document, proposal.changes)
    return Reply(shown, status=201 if version else 200)


def propose_from_body(given: dict[str, Any]) -> Proposal:
    """Return the proposed version. Raises InvalidInput that names the members of the body."""
    changes, remove = given.get("changes", {}), given.get("remove", ())
    try:
        return propose(changes, SECTIONS, remove=remove, based_on=given.get("based_on"))
    except InvalidInput as refused:
        faults = [
            one if one.field.startswith(REMOVE) else replace(one, field=f"changes.{one.field}")
            for one in refused.faults
        ]
        raise InvalidInput(refused.detail, faults=faults) from None


def reply_to_activate(version: int, reason: str, by: Actor, condition: IfMatch) -> Reply:
    """Activate a version inside the open transaction."""
    found = activate_version(version, by=by, reason=reason, accept=condition.check)
    shown, tag = detail(found)
    return Reply(shown, headers=tag)


def detail(version: PolicyVersion) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a version as its own page shows it, and its tag: any change of what steers the tenant changes the tag."""
    tenant = Tenant.objects.only("policy_version", "policy_epoch").get(id=current_tenant_id())
    return serialize_detail(version, tenant.policy_version), {"ETag": etag_of(version.id, tenant.policy_epoch)}


urlpatterns = [
    path("policies", PoliciesView.as_view(), name="policies"),
    path("policies/settings", SettingsView.as_view(), name="policy-settings"),
    path("policies/replay", ReplayView.as_view(), name="policy-replay"),
    path("policies/diff", DiffView.as_view(), name="policy-diff"),
    path("policies/<version:version>", PolicyView.as_view(), name="policy"),
    path("policies/<version:version>/activate", ActivateView.as_view(), name="policy-activate"),
]
