"""Forgetting beliefs in the console: managers only, with a reason, for good."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.access import actor_of
from memory_platform.console.base import SubjectOwnedAdmin
from memory_platform.console.reasons import ReasonedActions, needs_reason, reason_of
from memory_platform.kernel.errors import NotFound
from profiles.models import Erasure, Preference, ProfileFact, Tag
from snapshots.erasure.beliefs import forget_fact, forget_preference, forget_tag
from tenants.services.audit import Actor


def forget_belief(row: Preference | ProfileFact | Tag, *, by: Actor, reason: str) -> Erasure:
    """Forget the belief that a row is a value of, in the open transaction. Raises NotFound when it is gone already."""
    if isinstance(row, Preference):
        return forget_preference(row.subject, row.category, row.key, by=by, reason=reason)
    if isinstance(row, ProfileFact):
        return forget_fact(row.subject, row.field, is_attribute=row.is_attribute, by=by, reason=reason)
    return forget_tag(row.subject, row, by=by, reason=reason)


class ForgettableAdmin(SubjectOwnedAdmin):
    """A screen of beliefs that a manager can have forgotten, each with every value that it had."""

    action_form = ReasonedActions
    actions = ("forget",)

    @admin.action(description=_("Forget for good: every value it had, nothing is left"), permissions=["manager"])
    @needs_reason
    def forget(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Forget the beliefs of the chosen rows; several values of one belief are one."""
        by, reason = actor_of(request), reason_of(request)
        done = 0
        for row in queryset.order_by("subject_id", "id"):
            try:
                forget_belief(row, by=by, reason=reason)
            except NotFound:
                continue
            done += 1
        text = ngettext("%(count)d belief was forgotten.", "%(count)d beliefs were forgotten.", done)
        self.message_user(request, text % {"count": done}, messages.SUCCESS if done else messages.WARNING)
