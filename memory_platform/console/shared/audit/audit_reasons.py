"""Reasons of audit records in the reader's words: a service may have written before the reason what it did."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.utils.translation import gettext as _

from memory_platform.console.shared.support_session_guard import format_minutes
from tenants.models import Role, UsageLimit

INVITATION_ID = re.compile(r"\binvitation [0-9a-f-]{36}\b")
MINUTES = re.compile(r"(\d{1,9}) min")


def split_reason(record: Any) -> tuple[str, str]:
    """Return in words the role, limits or minutes that stand before the reason of a record, "" without them, and what
    was typed as the reason."""
    reason = INVITATION_ID.sub(_("by invitation"), record.reason)
    written, _colon, typed = reason.partition(": ")
    words = DESCRIPTIONS[record.action](written) if record.action in DESCRIPTIONS else ""
    return (words, typed) if words else ("", reason)


def _describe_role(code: str) -> str:
    return str(Role(code).label) if code in Role.values else ""


def _describe_limits(written: str) -> str:
    """Return "requests at once default · requests a second 7" of "burst default, requests_per_second 7"; "" of anything
    else."""
    words = []
    for part in written.split(", "):
        name, _blank, value = part.partition(" ")
        try:
            limit: Any = UsageLimit._meta.get_field(name)
            title = limit.verbose_name
        except (FieldDoesNotExist, AttributeError):
            return ""
        words.append(f"{title} {_('default') if value == 'default' else value}")
    return " · ".join(words)


def _describe_minutes(written: str) -> str:
    found = MINUTES.fullmatch(written)
    return format_minutes(int(found[1])) if found else ""


DESCRIPTIONS: Mapping[str, Callable[[str], str]] = {
    "member.set": _describe_role,
    "support.opened": _describe_minutes,
    "usage_limit.set": _describe_limits,
}
