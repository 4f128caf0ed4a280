"""What answers say of the policy that steered them, and the shapes of its versions."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from memory_platform.api.policy import KIB
from memory_platform.api.requests.fields import FlagField, JsonObjectField, ListOfField, TextField, WholeField
from memory_platform.api.requests.serializers import Input, Output, QueryInput
from snapshots.policies.sections import SECTIONS
from tenants.models import PolicyVersion
from tenants.policies.sections import Change, Document, Section, effective_values

REASON_CHARS = 400
REMOVED_MOST = 100
VERSIONS_MOST = 2_147_483_647
REPLAYED, REPLAYED_MOST = 200, 1_000
"""Receipts that one request replays: 1,000 of 70 candidates take about 4 s."""
EXAMPLES, EXAMPLES_MOST = 10, 100


class ExperimentOutput(Output):
    """The experiment that the subject takes part in."""

    name = serializers.CharField()
    arm = serializers.CharField()


class ReasonInput(Input):
    """Why, for the audit trail."""

    reason = TextField(max_bytes=2 * KIB, max_length=REASON_CHARS)


class PolicyInput(ReasonInput):
    """Changes over a version, by default the active one: ``changes`` as ``{section: {field: value}}``.

    What ``remove`` names, a whole section or ``section.field``, has the platform's own value again.
    """

    changes = JsonObjectField(required=False)
    remove = ListOfField(child=TextField(max_bytes=200), most=REMOVED_MOST, required=False)
    based_on = WholeField(least=1, most=VERSIONS_MOST, required=False)
    dry_run = FlagField(default=False, help_text="Only tells what the version would say; makes none.")


class DiffInput(QueryInput):
    """Which two versions."""

    from_ = WholeField(least=1, most=VERSIONS_MOST)
    to = WholeField(least=1, most=VERSIONS_MOST)


class ChangeOutput(Output):
    """One field whose value in force differs."""

    section = serializers.CharField()
    field = serializers.CharField()
    before = serializers.JSONField()
    after = serializers.JSONField()


class PolicyOutput(Output):
    """One version. ``settings`` is what it sets itself, by section and field."""

    version = serializers.IntegerField()
    active = serializers.BooleanField()
    based_on = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    settings = serializers.DictField()


class PolicyDetailOutput(PolicyOutput):
    """One version with every value in force under it."""

    effective = serializers.DictField()


class PolicyMadeOutput(Output):
    """A version that was made, null in a dry run, and by what it differs from the one it is based on."""

    version = serializers.IntegerField(allow_null=True)
    based_on = serializers.IntegerField()
    settings = serializers.DictField()
    effective = serializers.DictField()
    changes = ChangeOutput(many=True)


class DiffOutput(Output):
    """By what ``to`` differs from ``from``."""

    from_ = serializers.IntegerField()
    to = serializers.IntegerField()
    changes = ChangeOutput(many=True)


class ReplayInput(DiffInput):
    """Receipts of which version, under which other one; how many of the newest, and how many changes to list."""

    receipts = WholeField(least=1, most=REPLAYED_MOST, default=REPLAYED)
    examples = WholeField(least=0, most=EXAMPLES_MOST, default=EXAMPLES)


class ShareOutput(Output):
    """``count`` of ``of``; the true share lies between ``low`` and ``high`` with 95 % confidence. Null of none."""

    count = serializers.IntegerField()
    of = serializers.IntegerField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


class ReplayExampleOutput(Output):
    """One context that would change: which memories would enter, which leave."""

    receipt_id = serializers.UUIDField()
    entering = serializers.ListField(child=serializers.CharField())
    leaving = serializers.ListField(child=serializers.CharField())


class RefusalOutput(Output):
    """Receipts that are left out, because another release or reader ``made`` them than would judge them ``now``."""

    reason = serializers.ChoiceField(choices=["other_release", "other_clauses", "other_relevance"])
    made_by = serializers.CharField()
    now = serializers.CharField()
    receipts = serializers.IntegerField()


class ReplayOutput(Output):
    """What ``to`` would have done with receipts of ``from``. ``reproduced`` tells how far to believe the rest: receipts
    that come out as they were under their own version. ``untold`` differs and cannot be told from receipts; nor can
    ``always_untold``, whatever differs."""

    from_ = serializers.IntegerField()
    to = serializers.IntegerField()
    receipts = serializers.IntegerField()
    compared = serializers.IntegerField()
    reproduced = ShareOutput()
    changed = ShareOutput()
    entering = serializers.IntegerField()
    leaving = serializers.IntegerField()
    tokens_before = serializers.FloatField()
    tokens_after = serializers.FloatField()
    utilised_leaving = ShareOutput()
    utilised_staying = ShareOutput()
    untold = serializers.ListField(child=serializers.CharField())
    always_untold = serializers.ListField(child=serializers.CharField())
    examples = ReplayExampleOutput(many=True)
    refused = RefusalOutput(many=True)


class SettingOutput(Output):
    """One field that may be set: its bounds, its value where nobody sets it, and where that comes from."""

    section = serializers.CharField()
    field = serializers.CharField()
    default_ = serializers.JSONField()
    bounds = serializers.DictField()
    provenance = serializers.ChoiceField(choices=["measured", "assumed", "promised"])
    source_ = serializers.CharField()


class SettingsOutput(Output):
    """All that may be set."""

    settings = SettingOutput(many=True)


def serialize_experiment_arm(experiment: str, arm: str) -> dict[str, str] | None:
    """Return a subject's part in an experiment as JSON; None for a subject without any."""
    return {"name": experiment, "arm": arm} if experiment else None


def serialize_version(version: PolicyVersion, active: int) -> dict[str, Any]:
    """Return a version as lists show it; ``active`` is the number of the active one."""
    return {
        "version": version.number,
        "active": version.number == active,
        "based_on": version.based_on,
        "reason": version.reason,
        "created_by": version.author,
        "created_at": version.created_at,
        "settings": version.document,
    }


def serialize_detail(version: PolicyVersion, active: int) -> dict[str, Any]:
    """Return a version as its own page shows it."""
    return {**serialize_version(version, active), "effective": effective_values(version.document, SECTIONS)}


def serialize_made_version(
    version: int | None, based_on: int, document: Document, changes: Iterable[Change]
) -> dict[str, Any]:
    """Return a version that was made, or would be."""
    return {
        "version": version,
        "based_on": based_on,
        "settings": document,
        "effective": effective_values(document, SECTIONS),
        "changes": serialize_changes(changes),
    }


def serialize_changes(changes: Iterable[Change]) -> list[dict[str, Any]]:
    return [{"section": one.section, "field": one.field, "before": one.before, "after": one.after} for one in changes]


def serialize_settings() -> list[dict[str, Any]]:
    """Return every field a tenant may set, in the order of declaration."""
    return [_setting(section, field) for section in SECTIONS.values() for field in section.kinds]


def _setting(section: Section[Any], field: str) -> dict[str, Any]:
    provenance = section.provenance(field)
    return {
        "section": section.name,
        "field": field,
        "default": section.to_json(section.default)[field],
        "bounds": section.kinds[field].describe(),
        "provenance": provenance.kind,
        "source": provenance.source,
    }
