"""Requests and answers about policy versions."""

from collections.abc import Iterator
from typing import Any

from rest_framework import serializers

from memory_platform.api.config import KIB
from memory_platform.api.requests.fields import FlagField, JsonObjectField, ListOfField, TextField, WholeField
from memory_platform.api.requests.serializers import Input, Output, QueryInput
from snapshots.policies.policy_sections import SECTIONS
from tenants.models import PolicyVersion
from tenants.policies.policy_documents import Section, effective_values

REASON_CHARS = 400
REMOVED_MOST = 100
VERSIONS_MOST = 2_147_483_647
# Receipts that one request replays: 1,000 with 70 candidates each take about 4 s.
REPLAYED, REPLAYED_MOST = 200, 1_000
EXAMPLES, EXAMPLES_MOST = 10, 100


def make_version_field(help_text: str, **kwargs: Any) -> WholeField:
    return WholeField(least=1, most=VERSIONS_MOST, help_text=help_text, **kwargs)


class ReasonInput(Input):
    """The reason for a change."""

    reason = TextField(max_bytes=2 * KIB, max_length=REASON_CHARS, help_text="Why. It is kept in the audit trail.")


class PolicyInput(ReasonInput):
    """Changes that make a new version."""

    changes = JsonObjectField(
        required=False,
        help_text="New values, as `{section: {field: value}}`. `GET /v1/policies/settings` lists all fields.",
    )
    remove = ListOfField(
        child=TextField(max_bytes=200),
        most=REMOVED_MOST,
        required=False,
        help_text="Sections, or fields as `section.field`, that get their default values back.",
    )
    based_on = make_version_field("Version that the changes apply to. Default: the active one.", required=False)
    dry_run = FlagField(default=False, help_text="Returns the version without storing it.")


class DiffInput(QueryInput):
    """Two versions to compare."""

    from_ = make_version_field("Number of the first version.")
    to = make_version_field("Number of the second version.")


class ChangeOutput(Output):
    """A field whose value differs."""

    section = serializers.CharField(help_text="Section of the field.")
    field = serializers.CharField(help_text="Name of the field.")
    before = serializers.JSONField(help_text="Its value in the first version.")
    after = serializers.JSONField(help_text="Its value in the second version.")


class PolicyOutput(Output):
    """A version of the tenant's policy."""

    version = serializers.IntegerField(source="number", help_text="Number of the version, from 1.")
    active = serializers.BooleanField(help_text="True for the version that is in force.")
    based_on = serializers.IntegerField(allow_null=True, help_text="Version that it was made from, if any.")
    reason = serializers.CharField(help_text="Why it was made.")
    created_by = serializers.CharField(source="author", help_text="Who made it, as in the audit trail.")
    created_at = serializers.DateTimeField(help_text="When it was made.")
    settings = serializers.DictField(source="document", help_text="The values that it sets, by section and field.")


class PolicyDetailOutput(PolicyOutput):
    """A version of the tenant's policy with all values."""

    effective = serializers.DictField(help_text="All values in force under it, by section and field.")

    @staticmethod
    def render_effective(version: PolicyVersion) -> dict[str, Any]:
        return effective_values(version.document, SECTIONS)


class PolicyMadeOutput(Output):
    """A version that was made, or would be made by a request without `dry_run`."""

    version = serializers.IntegerField(allow_null=True, help_text="Number of the new version; null in a dry run.")
    based_on = serializers.IntegerField(help_text="Version that it was made from.")
    settings = serializers.DictField(source="document", help_text="The values that it sets, by section and field.")
    effective = serializers.DictField(help_text="All values in force under it, by section and field.")
    changes = ChangeOutput(many=True, help_text="What differs from `based_on`.")


class DiffOutput(Output):
    """Differences between two versions."""

    from_ = serializers.IntegerField(help_text="Number of the first version.")
    to = serializers.IntegerField(help_text="Number of the second version.")
    changes = ChangeOutput(many=True, help_text="The fields whose values differ.")


class ReplayInput(DiffInput):
    """Which receipts to replay under another version."""

    receipts = WholeField(
        least=1, most=REPLAYED_MOST, default=REPLAYED, help_text="How many of the newest receipts to replay."
    )
    examples = WholeField(
        least=0, most=EXAMPLES_MOST, default=EXAMPLES, help_text="How many changed contexts to return."
    )


class ShareOutput(Output):
    """A share, with its 95 % confidence interval. The last three are null if `of` is 0."""

    count = serializers.IntegerField(help_text="How many of them.")
    of = serializers.IntegerField(help_text="How many there are.")
    value = serializers.FloatField(allow_null=True, help_text="The share, 0 to 1.")
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the interval.")


class ReplayExampleOutput(Output):
    """A context that would change."""

    receipt_id = serializers.UUIDField(help_text="Id of its receipt.")
    entering = serializers.ListField(child=serializers.CharField(), help_text="Ids of memories that would come in.")
    leaving = serializers.ListField(child=serializers.CharField(), help_text="Ids of memories that would go out.")


class RefusalOutput(Output):
    """Receipts that cannot be replayed because other software made them."""

    reason = serializers.ChoiceField(
        choices=["other_release", "other_clauses", "other_relevance"], help_text="Which part of the software differs."
    )
    made_by = serializers.CharField(help_text="Version that made them.")
    now = serializers.CharField(help_text="Version that is installed now.")
    receipts = serializers.IntegerField(help_text="How many receipts.")


class ReplayOutput(Output):
    """The results of version `to` on the receipts of version `from`."""

    from_ = serializers.IntegerField(help_text="Version that the receipts were made under.")
    to = serializers.IntegerField(help_text="Version that they were replayed under.")
    receipts = serializers.IntegerField(help_text="Receipts that were read.")
    compared = serializers.IntegerField(help_text="Receipts that had candidates to choose from.")
    reproduced = ShareOutput(
        help_text="Receipts that come out the same under their own version: how far to trust the replay."
    )
    changed = ShareOutput(help_text="Contexts that would hold other memories.")
    entering = serializers.IntegerField(help_text="Memories that would come in.")
    leaving = serializers.IntegerField(help_text="Memories that would go out.")
    tokens_before = serializers.FloatField(help_text="Mean tokens of memories in a context, as it was.")
    tokens_after = serializers.FloatField(help_text="Mean tokens of memories in a context, as it would be.")
    utilised_leaving = ShareOutput(help_text="Memories used by a reply, among those that would go out.")
    utilised_staying = ShareOutput(help_text="Memories used by a reply, among those that would stay.")
    untold = serializers.ListField(
        child=serializers.CharField(), help_text="Fields that differ and whose effect a replay cannot show."
    )
    always_untold = serializers.ListField(
        child=serializers.CharField(), help_text="Effects that a replay can never show."
    )
    examples = ReplayExampleOutput(many=True, help_text="Contexts that would change.")
    refused = RefusalOutput(many=True, help_text="Receipts that were left out, and why.")


class SettingOutput(Output):
    """A field that a version may set."""

    section = serializers.CharField(help_text="Section of the field.")
    field = serializers.CharField(help_text="Name of the field.")
    default_ = serializers.JSONField(help_text="Its value if no version sets it.")
    bounds = serializers.DictField(help_text="Its type and the values that it may have.")
    provenance = serializers.ChoiceField(
        choices=["measured", "assumed", "promised"],
        help_text="Why the default is what it is: it was measured, it is an assumption, or the product promises it.",
    )
    source_ = serializers.CharField(help_text="Where the default comes from.")


class SettingsOutput(Output):
    """All fields that a version may set."""

    settings = SettingOutput(many=True, help_text="The fields, by section.")


def settings() -> Iterator[dict[str, Any]]:
    """Yield every field that a version may set, in the order of declaration."""
    for section in SECTIONS.values():
        for field in section.kinds:
            yield _render_setting(section, field)


def _render_setting(section: Section[Any], field: str) -> dict[str, Any]:
    provenance = section.provenance(field)
    return {
        "section": section.name,
        "field": field,
        "default": section.to_json(section.default)[field],
        "bounds": section.kinds[field].describe(),
        "provenance": provenance.kind,
        "source": provenance.source,
    }
