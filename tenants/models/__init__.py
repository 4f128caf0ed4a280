"""Tenants, their keys, members, invitations and audit trail."""

from tenants.models.audit import ActorKind, AuditRecord, AuditSeal, SupportEnd, SupportSession
from tenants.models.base import TenantForeignKey, TenantOwned
from tenants.models.invitation import Invitation, InvitationDigest
from tenants.models.job_run import JobRun
from tenants.models.key import ApiKey, ApiKeyDigest, Scope, UsageLimit
from tenants.models.member import Member, Role
from tenants.models.model_use import CACHE, ModelPurpose, ModelRoute, ModelUsage
from tenants.models.policy import Experiment, ExperimentStatus, PolicyVersion
from tenants.models.staff_identity import StaffIdentity
from tenants.models.tenant import Tenant
from tenants.models.upstream import Upstream, UpstreamKind
from tenants.models.usage import ModelPrice, ModelTier, UsageDay, UsageEvent, UsageRequests

__all__ = [
    "CACHE",
    "ActorKind",
    "ApiKey",
    "ApiKeyDigest",
    "AuditRecord",
    "AuditSeal",
    "Experiment",
    "ExperimentStatus",
    "Invitation",
    "InvitationDigest",
    "JobRun",
    "Member",
    "ModelPrice",
    "ModelPurpose",
    "ModelRoute",
    "ModelTier",
    "ModelUsage",
    "PolicyVersion",
    "Role",
    "Scope",
    "StaffIdentity",
    "SupportEnd",
    "SupportSession",
    "Tenant",
    "TenantForeignKey",
    "TenantOwned",
    "Upstream",
    "UpstreamKind",
    "UsageDay",
    "UsageEvent",
    "UsageLimit",
    "UsageRequests",
]
