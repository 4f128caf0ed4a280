"""Invitations: create (the link is shown once), look at, accept once, revoke.

A link's token is ``<slug of the tenant>.<id of the invitation>.<secret 43>``, the id in 32 hex digits, the secret in
base 62. The first two parts find the row before a tenant is open, the secret proves the right to it.
"""

import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractUser
from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from tenants.config import INVITATION_CONFIG
from tenants.errors import AlreadyMember, InvitationEnded
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, Invitation, InvitationDigest, Member, Role
from tenants.services.audit import COMMAND_LINE, Actor, record_audit
from tenants.services.keys import NO_DIGEST, SECRET_LENGTH, compute_digest, make_secret
from tenants.services.tenants import set_member

_TOKEN = re.compile(rf"([a-z0-9-]{{1,63}})\.([0-9a-f]{{32}})\.([0-9A-Za-z]{{{SECRET_LENGTH}}})")
StaffUser = TypeVar("StaffUser", bound=AbstractUser)
FIND_INVITATION = """
SELECT tenant_id, tenant_name, invitation_id, role, expires_at, digest FROM app.find_invitation(%s, %s)
"""


@dataclass(frozen=True, slots=True)
class CreatedInvitation:
    """A new invitation and the token of its link; the token is stored nowhere and cannot be shown again."""

    invitation: Invitation
    token: str


@dataclass(frozen=True, slots=True)
class InvitationOffer:
    """The parts of an invitation that somebody with a valid link may see."""

    tenant_id: UUID
    tenant_name: str
    invitation_id: UUID
    role: Role
    expires_at: datetime
    inviter: str = ""


def create_invitation(
    *, role: Role, invitee: str, slug: str, by: Actor, reason: str, invitation_ref: UUID | None = None
) -> CreatedInvitation:
    """Invite somebody into the open tenant, whose slug is ``slug``.

    ``invitation_ref`` is the id of its row, for callers that may ask twice: the second time raises IntegrityError.
    """
    secret = make_secret()
    invitation = Invitation.objects.create(
        id=invitation_ref or new_id(),
        role=role,
        invitee=invitee,
        actor_kind=by.kind,
        actor_id=by.id,
        expires_at=utc_now() + INVITATION_CONFIG.lasts,
    )
    InvitationDigest.objects.create(invitation=invitation, digest=compute_digest(secret, settings.KEY_PEPPER))
    _record(by, "member.invited", invitation, f"{role.value}: {reason}" if reason else role.value)
    return CreatedInvitation(invitation, f"{slug}.{invitation.id.hex}.{secret}")


def revoke_invitation(invitation: Invitation, *, by: Actor, reason: str) -> bool:
    """End an invitation's link at once. Return whether it was open or expired; an accepted one stays as it is."""
    open_one = Invitation.objects.filter(id=invitation.id, accepted_at__isnull=True, revoked_at__isnull=True)
    if not open_one.update(revoked_at=utc_now()):
        return False
    _record(by, "invitation.revoked", invitation, reason)
    return True


def renew_invitation(invitation: Invitation, *, slug: str, by: Actor, reason: str) -> CreatedInvitation | None:
    """Revoke an invitation and make the same one anew, with another link. None if it was accepted or revoked."""
    if not revoke_invitation(invitation, by=by, reason=reason):
        return None
    return create_invitation(role=Role(invitation.role), invitee=invitation.invitee, slug=slug, by=by, reason=reason)


def count_open_invitations() -> int:
    return Invitation.objects.filter(
        accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=utc_now()
    ).count()


def find_offer(token: str) -> InvitationOffer:
    """Return the offer of the link with this token; nothing changes. Raises InvitationEnded, the same for every reason;
    unknown links take as long as known ones."""
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        raise InvitationEnded
    slug, invitation_id, secret = parts.groups()
    with connection.cursor() as cursor:
        cursor.execute(FIND_INVITATION, [slug, UUID(invitation_id)])
        row = cursor.fetchone()
    digest = bytes(row[-1]) if row else NO_DIGEST
    is_genuine = hmac.compare_digest(compute_digest(secret, settings.KEY_PEPPER), digest)
    if row is None or not is_genuine:
        raise InvitationEnded
    offer = InvitationOffer(
        tenant_id=row[0], tenant_name=row[1], invitation_id=row[2], role=Role(row[3]), expires_at=row[4]
    )
    with tenant_tx(offer.tenant_id):
        invitation = _load_open_invitation(offer)
        return replace(offer, inviter=_name_inviter(invitation))


def accept_invitation(
    offer: InvitationOffer, find_or_make_user: Callable[[], StaffUser], *, request_id: str = ""
) -> StaffUser:
    """Make the account that the function returns a member, in one transaction with the making of the account.

    Opens its own scope. Raises InvitationEnded if the invitation was accepted, revoked or has expired since the offer
    was found, and AlreadyMember, which leaves the invitation open.
    """
    with tenant_tx(offer.tenant_id):
        invitation = _load_open_invitation(offer, lock=True)
        user = find_or_make_user()
        if Member.objects.filter(user_id=user.pk).exists():
            raise AlreadyMember
        Invitation.objects.filter(id=invitation.id).update(accepted_at=utc_now())
        by = Actor(ActorKind.OPERATOR if user.is_superuser else ActorKind.STAFF, str(user.pk), request_id)
        set_member(user.pk, offer.role, by=by, reason=f"invitation {invitation.id}")
        _record(by, "member.accepted", invitation, offer.role.value)
    return user


def _load_open_invitation(offer: InvitationOffer, *, lock: bool = False) -> Invitation:
    """Return the invitation if it can still be accepted. Raises InvitationEnded."""
    rows = Invitation.objects.select_for_update() if lock else Invitation.objects.all()
    invitation = rows.filter(
        id=offer.invitation_id, accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=utc_now()
    ).first()
    if invitation is None or not _may_still_invite(invitation):
        raise InvitationEnded
    return invitation


def _name_inviter(invitation: Invitation) -> str:
    """Return the user name of whoever made the invitation; "" for the command line."""
    if invitation.actor_id == COMMAND_LINE.id:
        return ""
    maker = get_user_model().objects.filter(pk=invitation.actor_id)
    return maker.values_list("username", flat=True).first() or ""


def _may_still_invite(invitation: Invitation) -> bool:
    """Return whether whoever made the invitation could make it today: nobody returns by a link that they made before
    their account or role was taken away."""
    if invitation.actor_id == COMMAND_LINE.id:
        return True
    who = {"pk": invitation.actor_id, "is_active": True}
    if invitation.actor_kind == ActorKind.OPERATOR:
        return get_user_model().objects.filter(**who, is_superuser=True).exists()
    return Member.objects.filter(user_id=invitation.actor_id, user__is_active=True, role=Role.MANAGER).exists()


def _record(by: Actor, action: str, invitation: Invitation, reason: str) -> None:
    # Not for whom: the audit trail holds ids.
    record_audit(by, action, object_kind="invitation", object_id=str(invitation.id), reason=reason)
