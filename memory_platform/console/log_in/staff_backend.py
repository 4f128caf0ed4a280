"""Passwords of staff."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User


class StaffBackend(ModelBackend):
    """Knows active staff only: everybody else is answered like an unknown name, and a session of theirs is over."""

    def user_can_authenticate(self, user: Any) -> bool:
        return isinstance(user, User) and user.is_active and user.is_staff

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """Return none: staff get their permissions from their roles in tenants. Django would ask twice for each
        page."""
        return set()
