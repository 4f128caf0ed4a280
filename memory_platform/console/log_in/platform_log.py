"""Acts in the platform's own log: accounts and models belong to no tenant."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.dispatch import receiver


def record_platform_act(by: User, name: str, message: str) -> None:
    """Record an act on something of the platform that has no row, by its name."""
    LogEntry.objects.create(user=by, object_repr=name[:200], action_flag=CHANGE, change_message=message)


def record_staff_change(by: User, user: User, message: str, flag: int = CHANGE) -> None:
    """Record a change of ``user`` by ``by``."""
    LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(user.pk),
        object_repr=user.get_username()[:200],
        action_flag=flag,
        change_message=message,
    )


@receiver(authenticator_added)
def record_factor_on(user: User, authenticator: Authenticator, **kwargs: Any) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        record_staff_change(user, user, "Second factor switched on.")


@receiver(authenticator_removed)
def record_factor_off(user: User, authenticator: Authenticator, **kwargs: Any) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        record_staff_change(user, user, "Second factor switched off.")
