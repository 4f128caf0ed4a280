"""The log-in of a person from the OpenID provider, and the roles that their groups give."""

import re
from collections.abc import Iterable
from hashlib import sha256
from uuid import UUID

from django.conf import settings
from django.contrib.admin.models import ADDITION
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from memory_platform.console.log_in.oidc_provider import ProviderPerson
from memory_platform.console.log_in.platform_log import record_staff_change
from memory_platform.console.shared.tenant_access import ROLE_RANKS
from tenants.models import ActorKind, Role, StaffIdentity, Tenant
from tenants.selectors import roles_of_staff
from tenants.services.audit import Actor
from tenants.services.log_in_group_memberships import sync_group_memberships

ACTOR_ID = "oidc"
MAX_USERNAME_CHARS = 100
SUFFIX_CHARS = 8


def admit_person(person: ProviderPerson, request_id: str) -> User | None:
    """Return the person's account, with the memberships that their groups give; None if there is no way in.

    An account is found by issuer and subject alone, and made only if a group gives a role in a tenant.
    """
    roles = resolve_roles(person.groups)
    user = find_staff(person) or (make_staff(person) if roles else None)
    if user is None or not (user.is_active and user.is_staff):
        return None
    by = Actor(ActorKind.OPERATOR, ACTOR_ID, request_id)
    sync_group_memberships(user.pk, roles, member_of=roles_of_staff(user.pk), by=by)
    return user


def resolve_roles(groups: Iterable[str]) -> dict[UUID, Role]:
    """Return the strongest role that the groups give in each tenant. A tenant that does not exist gives nothing."""
    mapping = settings.CONSOLE_OIDC_GROUPS
    grants = [grant for group in mapping.keys() & set(groups) for grant in mapping[group].items()]
    tenants = dict(Tenant.objects.filter(slug__in={slug for slug, _ in grants}).values_list("slug", "id"))
    roles: dict[UUID, Role] = {}
    for slug, role in sorted(grants, key=lambda grant: ROLE_RANKS[grant[1]]):
        if slug in tenants:
            roles[tenants[slug]] = Role(role)
    return roles


def find_staff(person: ProviderPerson) -> User | None:
    found = StaffIdentity.objects.select_related("user").filter(issuer=person.issuer, subject=person.subject).first()
    return found.user if found else None


def make_staff(person: ProviderPerson) -> User | None:
    """Make a staff account without a password. Two log-ins at once make one."""
    try:
        with transaction.atomic():
            user = User(username=choose_username(person), is_staff=True, **_choose_names(person))
            user.set_unusable_password()
            user.save()
            StaffIdentity.objects.create(user=user, issuer=person.issuer, subject=person.subject)
            record_staff_change(user, user, "Made at the first log-in through the OpenID provider.", ADDITION)
    except IntegrityError:
        return find_staff(person)
    return user


def choose_username(person: ProviderPerson) -> str:
    """Return a free user name: the provider's, and a suffix if somebody has it. It is only shown."""
    wish = re.sub(r"[^\w.@+-]", "", person.names["preferred_username"])[:MAX_USERNAME_CHARS]
    if wish and not User.objects.filter(username__iexact=wish).exists():
        return wish
    suffix = sha256(f"{person.issuer} {person.subject}".encode()).hexdigest()[:SUFFIX_CHARS]
    return f"{wish or ACTOR_ID}-{suffix}"


def _choose_names(person: ProviderPerson) -> dict[str, str]:
    email = person.names["email"]
    try:
        validate_email(email)
    except ValidationError:
        email = ""
    return {
        "first_name": person.names["given_name"][: User._meta.get_field("first_name").max_length],
        "last_name": person.names["family_name"][: User._meta.get_field("last_name").max_length],
        "email": email,
    }
