"""The history of a tenant's policy: when each version was active, who activated it and why, and its changes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.html import format_html, format_html_join
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.policies.settings_in_words import summarise_changes
from memory_platform.console.shared.status_badges import StatusBadge, get_policy_badge, render_badge
from memory_platform.console.shared.tenant_access import annotate_actor_names, annotate_user_names
from memory_platform.console.shared.value_rendering import render_word
from snapshots.policies.policy_sections import SECTIONS
from tenants.models import AuditRecord, PolicyVersion, Tenant
from tenants.policies.policy_documents import Change, list_differences
from tenants.services.policies import FIRST

MAX_VERSIONS = 200
MAX_REASON_CHARS = 40
# A new release makes such a version and activates it, without an audit record.
MADE_BY_RELEASE = re.compile(r"defaults of release \d+")


@dataclass(frozen=True, slots=True)
class ActiveSpell:
    """A time in which a version was active; ``until`` is None while it is. ``who`` activated it, and why."""

    since: datetime
    until: datetime | None
    who: str
    reason: str


Spells = Mapping[int, Sequence[ActiveSpell]]


def load_active_spells() -> Spells:
    """Return the times in which each version was active, oldest first. Two queries."""
    starts = sorted([*_load_activations(), *_load_unrecorded_activations()], key=lambda start: start[1])
    spells: dict[int, list[ActiveSpell]] = {}
    ends = [*(at for _number, at, _who, _reason in starts[1:]), None]
    for (number, at, who, reason), until in zip(starts, ends, strict=False):
        spells.setdefault(number, []).append(ActiveSpell(at, until, who, reason))
    return spells


def _load_activations() -> Iterator[tuple[int, datetime, str, str]]:
    records = AuditRecord.objects.filter(object_kind="policy_version", action="policy.activated", refused=False)
    named: Any = annotate_actor_names(records)
    for number, at, who, reason in named.values_list("object_id", "at", "who", "reason"):
        yield int(number), at, who, reason


def _load_unrecorded_activations() -> Iterator[tuple[int, datetime, str, str]]:
    """Yield the first version, which is active from the beginning, and those that a release made."""
    for version in PolicyVersion.objects.filter(author="").only("number", "created_at", "reason"):
        if version.number == FIRST or MADE_BY_RELEASE.fullmatch(version.reason):
            yield version.number, version.created_at, "", version.reason


def annotate_versions(versions: QuerySet[PolicyVersion]) -> QuerySet[Any]:
    """Annotate versions with ``who`` made them, the number of the ``active`` one and its ``active_document``, and the
    ``base_document``."""
    tenant = Tenant.objects.filter(id=OuterRef("tenant_id"))
    active = PolicyVersion.objects.filter(number=OuterRef("active"))
    base = PolicyVersion.objects.filter(number=OuterRef("based_on"))
    annotated: QuerySet[Any] = annotate_user_names(versions, "author").annotate(
        active=Subquery(tenant.values("policy_version")[:1]), base_document=Subquery(base.values("document")[:1])
    )
    return annotated.annotate(active_document=Subquery(active.values("document")[:1]))  # type: ignore[no-any-return]  # annotated


def list_spells(version: Any) -> Sequence[ActiveSpell]:
    """Return the times in which an annotated version was active; a list of versions loads those of all at once."""
    if not hasattr(version, "spells"):
        version.spells = load_active_spells().get(version.number, ())
    spells: Sequence[ActiveSpell] = version.spells
    return spells


def is_active_version(version: Any) -> bool:
    return bool(getattr(version, "active", None) == version.number)


def is_earlier_version(version: Any) -> bool:
    """Return whether a version was active once and is not any more."""
    return not is_active_version(version) and bool(list_spells(version))


def get_version_badge(version: Any) -> StatusBadge:
    return get_policy_badge(is_active=is_active_version(version), was_active=bool(list_spells(version)))


def list_changes_from_base(version: Any) -> list[Change]:
    return list_differences(version.base_document or {}, version.document, SECTIONS)


@admin.display(description=gettext_lazy("version"), ordering="number")
def render_version(version: PolicyVersion) -> str:
    return format_html("{} {}", _("Version %s") % version.number, render_badge(get_version_badge(version)))


@admin.display(description=gettext_lazy("active"))
def render_active_times(version: PolicyVersion) -> str:
    """Return when a version was active, as HTML: newest first."""
    return format_html_join("", "<div>{}</div>", ((_render_spell(one),) for one in reversed(list_spells(version))))


def _render_spell(spell: ActiveSpell) -> str:
    if spell.until is None:
        return _("since %s") % f"{spell.since:%Y-%m-%d %H:%M}"
    same_day = spell.since.date() == spell.until.date()
    return format_html(
        '<span class="nowrap">{} – {}</span>',
        f"{spell.since:%Y-%m-%d %H:%M}",
        f"{spell.until:%H:%M}" if same_day else f"{spell.until:%Y-%m-%d %H:%M}",
    )


@admin.display(description=gettext_lazy("what changed"))
def render_change_line(version: PolicyVersion) -> str:
    changes = list_changes_from_base(version)
    return render_word(describe_restored(version, changes) or summarise_changes(changes))


def describe_restored(version: PolicyVersion, changes: Sequence[Change]) -> str:
    """Return whose settings a version has that differs in nothing from its base; "" for any other."""
    if changes:
        return ""
    return _("The settings of version %s.") % version.based_on if version.based_on else _("The default settings.")


def find_previous_version(version: PolicyVersion) -> PolicyVersion | None:
    """Return the version that was active before this one was activated last; None for the first. Three queries."""
    starts = sorted((spell.since, number) for number, spells in load_active_spells().items() for spell in spells)
    own = max((place for place, (_since, number) in enumerate(starts) if number == version.number), default=0)
    earlier = [number for _since, number in starts[:own] if number != version.number]
    return PolicyVersion.objects.filter(number=earlier[-1]).first() if earlier else None


def list_changes_from_previous(version: PolicyVersion) -> Sequence[Change]:
    """Return the changes that a version which restores another one made when it became active."""
    previous = find_previous_version(version)
    return list_differences(previous.document, version.document, SECTIONS) if previous else []


def list_version_choices(active: int) -> list[tuple[str, str]]:
    """Return the newest versions for a select: number and description. One query."""
    held = PolicyVersion.objects.order_by("-number").values_list("number", "reason")[:MAX_VERSIONS]
    return [(str(number), _name_version(number, reason, is_active=number == active)) for number, reason in held]


def _name_version(number: int, reason: str, *, is_active: bool) -> str:
    if is_active:
        return _("Active policy (v%s)") % number
    told = _("version %s") % number
    why = {"name": told, "value": Truncator(reason).chars(MAX_REASON_CHARS)}
    return _("%(name)s: %(value)s") % why if reason else told
