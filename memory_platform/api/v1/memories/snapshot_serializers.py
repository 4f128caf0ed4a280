"""Fields of a snapshot in requests and answers."""

from typing import Any

from rest_framework import serializers

from memory_platform.api.config import API_CONFIG, KIB
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    JsonObjectField,
    ListOfField,
    NumberField,
    OneOfField,
    TextField,
    make_field_error,
    raise_field_error,
)
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.v1.memories.common_memory_fields import (
    ALLOW_FORGOTTEN_HELP,
    CONFIDENCE_HELP,
    PROVENANCE_INPUT_HELP,
    MessageSourceOutput,
    make_confidence_output,
    make_provenance_output,
    make_short_text_field,
    make_texts_output,
)
from memory_platform.api.views.pagination import PageInput
from memory_platform.kernel.text import collapse_spaces, remove_invisible
from profiles.provenance_and_verdict import PRODUCT_PROVENANCES, Verdict
from profiles.services.tombstones import REASON as FORGOTTEN
from profiles.services.value_claims import ConfidenceAboveCeiling
from snapshots.embedding.marker_terms import ALIAS_CHARS, ALIASES_MOST
from snapshots.lifecycle.selectors import SnapshotFilter
from snapshots.lifecycle.write_types import ExpiresInPast
from snapshots.models import CUT_OUT, SnapshotKind

BULK_MOST = 1_000
TOPICS_MOST = 32
NAME_CHARS = 100
QUERY_WORDS_MOST = 32
# The columns that a PATCH may empty, and the empty value.
REMOVABLE = {"category": "", "expires_at": None}
KIND_HELP = (
    "Kind of the memory: `statement` (a message), `manual` (posted), `conversation` and `segment` (summaries), "
    "`episode` (a finished task), `consolidated` (several that said nearly the same), `note`, `reply` (of the "
    "assistant)."
)
ALIASES_HELP = "Other names of what the memory is about. A question that says one of them names the memory."
METADATA_HELP = "Data of your own; any JSON object."


class MemoryField(TextField):
    """The words of a memory, at least one of them visible."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not collapse_spaces(remove_invisible(text)):
            raise_field_error("empty", "Must not be empty.")
        return text


class PostedKindField(OneOfField):
    """The kind of a posted snapshot: any but a note and a reply, which have other addresses."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=[kind for kind in SnapshotKind.values if kind not in CUT_OUT], **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if data == SnapshotKind.NOTE:
            raise_field_error("not_a_choice", "Must not be `note`: post notes to POST /v1/subjects/{subject_id}/notes.")
        if data == SnapshotKind.REPLY:
            raise_field_error("not_a_choice", "Must not be `reply`: replies are made from the assistant's messages.")
        return super().to_internal_value(data)


class SnapshotFields(StrictSerializer):
    """Details of a snapshot."""

    category = make_short_text_field(NAME_CHARS, "A category of your own, such as `family`.")
    topics = ListOfField(
        child=make_short_text_field(NAME_CHARS, ""), most=TOPICS_MOST, required=False, help_text="Topics of the memory."
    )
    aliases = ListOfField(
        child=make_short_text_field(ALIAS_CHARS, ""), most=ALIASES_MOST, required=False, help_text=ALIASES_HELP
    )
    importance = NumberField(least=0.0, most=1.0, required=False, help_text="Importance, 0 to 1. Default: 0.5.")
    confidence = NumberField(least=0.0, most=1.0, required=False, help_text=f"{CONFIDENCE_HELP} Default: that maximum.")
    provenance = OneOfField(choices=PRODUCT_PROVENANCES, required=False, help_text=PROVENANCE_INPUT_HELP)
    said_at = InstantField(required=False, local=True, help_text="When it was said. Default: now.")
    expires_at = InstantField(
        required=False, help_text="When the memory is deleted. Default: by the retention period of its kind."
    )
    metadata = JsonObjectField(required=False, help_text=METADATA_HELP)


class SnapshotInput(SnapshotFields, Input):
    """A new memory."""

    text = MemoryField(max_bytes=API_CONFIG.string_bytes, help_text="The words to remember.")
    kind = PostedKindField(default=SnapshotKind.MANUAL.value, help_text=KIND_HELP)
    allow_forgotten = FlagField(required=False, help_text=ALLOW_FORGOTTEN_HELP)


class SnapshotBulkInput(Input):
    """Several new memories."""

    items = ListOfField(
        child=SnapshotInput(),
        least=1,
        most=BULK_MOST,
        help_text="The memories. If one is malformed, nothing is stored, and the error names it: `items.3.text`.",
    )
    allow_forgotten = FlagField(default=False, help_text="Applies to items without an `allow_forgotten` of their own.")


class SnapshotEditInput(SnapshotFields, Input):
    """Changes of a snapshot. Omitted fields keep their values; `metadata` is replaced."""

    text = MemoryField(max_bytes=API_CONFIG.string_bytes, required=False, help_text="The new text.")
    remove = ListOfField(
        child=OneOfField(choices=list(REMOVABLE)),
        most=len(REMOVABLE),
        required=False,
        help_text="Details to remove.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for index, name in enumerate(attrs.get("remove", ())):
            if name in attrs:
                raise make_field_error(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        return attrs

    @staticmethod
    def changes_of(parsed: dict[str, Any]) -> dict[str, Any]:
        changes = {name: value for name, value in parsed.items() if name != "remove"}
        for name in {"topics", "aliases"} & changes.keys():
            changes[name] = list(dict.fromkeys(changes[name]))
        return changes | {name: REMOVABLE[name] for name in parsed.get("remove", ())}


class SnapshotListInput(PageInput):
    """Which snapshots to list."""

    kind = OneOfField(
        choices=SnapshotKind.values,
        required=False,
        help_text="Returns snapshots of this kind only. Notes and replies are returned only if their kind is named.",
    )
    topic = make_short_text_field(NAME_CHARS, "Returns snapshots with this topic only.")
    from_ = InstantField(required=False, help_text="Returns snapshots said at this time or later.")
    to = InstantField(required=False, help_text="Returns snapshots said at this time or earlier.")
    as_of = InstantField(required=False, help_text="Returns snapshots that were true at this time.")
    q = TextField(
        max_bytes=KIB,
        required=False,
        help_text=f"Returns snapshots whose text has all these words, at most {QUERY_WORDS_MOST}; case does not count.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs.get("q", "").split()) > QUERY_WORDS_MOST:
            raise make_field_error("q", "length", f"Must have at most {QUERY_WORDS_MOST} words.")
        return attrs

    @staticmethod
    def filter_of(parsed: dict[str, Any]) -> SnapshotFilter:
        return SnapshotFilter(
            kind=parsed.get("kind"),
            whole="kind" not in parsed,
            topic=parsed.get("topic"),
            since=parsed.get("from"),
            until=parsed.get("to"),
            as_of=parsed.get("as_of"),
            words=tuple(parsed.get("q", "").split()),
        )


class SnapshotOutput(Output):
    """One memory."""

    id = serializers.UUIDField(source="snapshot.id", help_text="Id of the snapshot.")
    kind = serializers.ChoiceField(source="snapshot.kind", choices=SnapshotKind.values, help_text=KIND_HELP)
    text = serializers.CharField(source="snapshot.text", help_text="The remembered words.")
    name = serializers.CharField(
        source="snapshot.name", allow_null=True, help_text="Name of the speaker; null if it is the user."
    )
    category = serializers.CharField(source="snapshot.category", allow_null=True, help_text="The category, if any.")
    topics = make_texts_output("Topics of the memory.", source="snapshot.topics")
    aliases = make_texts_output(ALIASES_HELP, source="snapshot.aliases")
    importance = serializers.FloatField(source="snapshot.importance", help_text="How important it is, 0 to 1.")
    confidence = make_confidence_output(source="snapshot.confidence")
    provenance = make_provenance_output(source="snapshot.provenance")
    metadata = serializers.DictField(source="snapshot.metadata", help_text=METADATA_HELP)
    masked = serializers.BooleanField(
        source="snapshot.masked", help_text="True if a card or identity number or a secret was taken out of the text."
    )
    sources = MessageSourceOutput(many=True, help_text="The messages that say it, in the order they were sent.")
    said_at = serializers.DateTimeField(source="snapshot.said_at", help_text="When it was said.")
    valid_at = serializers.DateTimeField(source="snapshot.valid_at", help_text="Since when it is true.")
    invalid_at = serializers.DateTimeField(
        source="snapshot.invalid_at", allow_null=True, help_text="Until when it was true; null while it is."
    )
    expires_at = serializers.DateTimeField(
        source="snapshot.expires_at", allow_null=True, help_text="When it is deleted; null for never."
    )
    superseded_by = serializers.UUIDField(
        source="snapshot.superseded_by_id", allow_null=True, help_text="Id of the snapshot that replaced it, if any."
    )
    created_at = serializers.DateTimeField(source="snapshot.recorded_at", help_text="When it was stored.")
    last_validated_at = serializers.DateTimeField(
        source="snapshot.last_validated_at", help_text="When it was last said or confirmed."
    )
    version = serializers.IntegerField(
        source="snapshot.version", help_text="Version of the snapshot; grows with each change."
    )


class WrittenSnapshotOutput(SnapshotOutput):
    """A snapshot after a write, and the result of the write."""

    verdict = serializers.ChoiceField(
        choices=[Verdict.STORED.value, Verdict.UNCHANGED.value],
        help_text="`stored` (new or changed) or `unchanged` (known already; confirmed now).",
    )


class HeldSnapshotOutput(SnapshotOutput):
    """A snapshot as it was for a time."""

    recorded_at = serializers.DateTimeField(help_text="Since when the platform held this version.")
    retired_at = serializers.DateTimeField(
        allow_null=True, help_text="Until when the platform held this version; null while it does."
    )


class SnapshotFateOutput(Output):
    """The result for one item."""

    id = serializers.UUIDField(allow_null=True, help_text="Id of the snapshot; null if the item was rejected.")
    verdict = serializers.ChoiceField(
        choices=[Verdict.STORED.value, Verdict.UNCHANGED.value, Verdict.REJECTED.value],
        help_text="`stored`, `unchanged` (known already; confirmed now) or `rejected`.",
    )
    reason = serializers.ChoiceField(
        choices=[FORGOTTEN, ConfidenceAboveCeiling.code, ExpiresInPast.code],
        allow_null=True,
        help_text="Why the item was rejected, else null.",
    )


class SnapshotBulkOutput(Output):
    """The results for all items."""

    data_ = SnapshotFateOutput(many=True, help_text="One result for each item, in their order.")
