"""``/v1/policies``: versions of the tenant's policy."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN
from memory_platform.api.requests.serializers import page_of
from memory_platform.api.v1.policies.policy_serializers import (
    ChangeOutput,
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
    settings,
)
from memory_platform.api.views.base_views import TenantView
from memory_platform.api.views.etags import IfMatch, build_etag
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.kernel.errors import InvalidInput, VersionMismatch
from snapshots.policies.policy_replay import ALWAYS_UNTOLD, replay_policy
from snapshots.policies.policy_sections import SECTIONS
from tenants.errors import PolicyUnchanged, PolicyUnknown
from tenants.isolation import current_tenant_id, tenant_tx
from tenants.models import PolicyVersion, Tenant
from tenants.policies.policy_documents import effective_values
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
    noun = "policies"
    required_scope = ADMIN

    @operation("list_policies", query=PageInput, answer=page_of(PolicyOutput))
    def get(self, request: Request) -> Response:
        """List the versions of the policy, newest first."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_NUMBER)
        with tenant_tx(self.tenant_id):
            active = active_number()
            return Response(
                page.answer(
                    PolicyVersion.objects.all(), lambda row: PolicyOutput.render(row, active=row.number == active)
                )
            )

    @operation(
        "create_policy",
        request=PolicyInput,
        answer=PolicyMadeOutput,
        status=(201, 200),
        errors=[PolicyUnknown, PolicyUnchanged],
    )
    def post(self, request: Request) -> HttpResponse:
        """Make a version of the policy. It has no effect before it is activated; with `dry_run` it is not stored."""
        return write_once(request, partial(reply_to_create, PolicyInput.parse(request), self.actor))


class PolicyView(TenantView):
    noun = "policies"
    versioned = True
    required_scope = ADMIN

    @operation("get_policy", answer=PolicyDetailOutput, errors=[PolicyUnknown])
    def get(self, request: Request, version: int) -> Response:
        """Get a version of the policy with all values in force under it."""
        with tenant_tx(self.tenant_id):
            rendered, tag = render_with_etag(version_by_number(version))
        return Response(rendered, headers=tag)


class ActivateView(TenantView):
    noun = "policies"
    required_scope = ADMIN

    @operation(
        "activate_policy",
        request=ReasonInput,
        answer=PolicyDetailOutput,
        errors=[PolicyUnknown, PolicyUnchanged, VersionMismatch],
    )
    def post(self, request: Request, version: int) -> HttpResponse:
        """Activate a version of the policy from the next request on. Activate an earlier one to roll back."""
        given, condition = ReasonInput.parse(request), IfMatch.from_request(request)
        return write_once(request, partial(reply_to_activate, version, given["reason"], self.actor, condition))


class DiffView(TenantView):
    noun = "policies"
    required_scope = ADMIN

    @operation("diff_policies", query=DiffInput, answer=DiffOutput, errors=[PolicyUnknown])
    def get(self, request: Request) -> Response:
        """Compare two versions of the policy: return the fields whose values differ."""
        query = DiffInput.parse(request)
        with tenant_tx(self.tenant_id):
            changes = compare_versions(query["from"], query["to"], SECTIONS)
        return Response({**query, "changes": ChangeOutput.render_many(changes)})


class ReplayView(TenantView):
    noun = "policies"
    required_scope = ADMIN

    @operation("replay_policy", query=ReplayInput, answer=ReplayOutput, errors=[PolicyUnknown])
    def get(self, request: Request) -> Response:
        """Replay the newest receipts of one version under another. Nothing is stored, and no model is called.

        The answer says how many contexts would hold other memories, and how often replies used those that would go.
        """
        query = ReplayInput.parse(request)
        with tenant_tx(self.tenant_id):
            replay = replay_policy(query["from"], query["to"], receipts=query["receipts"], examples=query["examples"])
        versions = {"from": query["from"], "to": query["to"]}
        return Response(ReplayOutput.render(replay, **versions, always_untold=ALWAYS_UNTOLD))


class SettingsView(TenantView):
    noun = "policies"
    required_scope = ADMIN

    @operation("list_policy_settings", answer=SettingsOutput)
    def get(self, request: Request) -> Response:
        """List the fields that a version of the policy may set, with bounds and defaults."""
        return Response({"settings": list(settings())})


def reply_to_create(body: dict[str, Any], by: Actor) -> Reply:
    """Create a version in the open transaction; in a dry run, only return the proposal."""
    proposal = propose_from_body(body)
    version = None if body["dry_run"] else create_version(proposal, by=by, reason=body["reason"]).number
    effective = effective_values(proposal.document, SECTIONS)
    return Reply(
        PolicyMadeOutput.render(proposal, version=version, effective=effective), status=201 if version else 200
    )


def propose_from_body(body: dict[str, Any]) -> Proposal:
    """Return the proposed version. Raises InvalidInput that names fields of the body."""
    changes, remove = body.get("changes", {}), body.get("remove", ())
    try:
        return propose(changes, SECTIONS, remove=remove, based_on=body.get("based_on"))
    except InvalidInput as refused:
        faults = [
            one if one.field.startswith(REMOVE) else replace(one, field=f"changes.{one.field}")
            for one in refused.faults
        ]
        raise InvalidInput(refused.detail, faults=faults) from None


def reply_to_activate(version: int, reason: str, by: Actor, condition: IfMatch) -> Reply:
    activated = activate_version(version, by=by, reason=reason, accept=condition.check)
    rendered, tag = render_with_etag(activated)
    return Reply(rendered, headers=tag)


def render_with_etag(version: PolicyVersion) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a version and its ``ETag``, which changes with the tenant's policies in force."""
    tenant = Tenant.objects.only("policy_version", "policy_epoch").get(id=current_tenant_id())
    rendered = PolicyDetailOutput.render(version, active=version.number == tenant.policy_version)
    return rendered, {"ETag": build_etag(version.id, tenant.policy_epoch)}


urlpatterns = [
    path("policies", PoliciesView.as_view(), name="policies"),
    path("policies/settings", SettingsView.as_view(), name="policy-settings"),
    path("policies/replay", ReplayView.as_view(), name="policy-replay"),
    path("policies/diff", DiffView.as_view(), name="policy-diff"),
    path("policies/<version:version>", PolicyView.as_view(), name="policy"),
    path("policies/<version:version>/activate", ActivateView.as_view(), name="policy-activate"),
]
