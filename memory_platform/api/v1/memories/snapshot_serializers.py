"""A snapshot as it goes in and out."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from memory_platform.api.policy import KIB, POLICY
from memory_platform.api.requests.faults import fault
from memory_platform.api.requests.fields import (
    FlagField,
    InstantField,
    JsonObjectField,
    ListOfField,
    NumberField,
    OneOfField,
    TextField,
    names,
    refuse,
)
from memory_platform.api.requests.serializers import Input, Output, StrictSerializer
from memory_platform.api.views.pagination import PageInput
from memory_platform.kernel.text import collapse_spaces, visible
from profiles.values import Provenance, Verdict
from snapshots.embedding.aliases import ALIAS_CHARS, ALIASES_MOST
from snapshots.lifecycle.selectors import SnapshotFilter
from snapshots.lifecycle.values import Fate, HeldSnapshot, SourcedSnapshot, SourceNames
from snapshots.models import CUT_OUT, Snapshot, SnapshotKind

BULK_MOST = 1_000
TOPICS_MOST = 32
NAME_CHARS = 100
NAME_BYTES = 400
QUERY_WORDS_MOST = 32
REMOVABLE = {"category": "", "expires_at": None}
"""What a PATCH may take away, and what then stands in its place."""


class MemoryField(TextField):
    """The words of a memory, kept as they came; they say something that can be seen."""

    def to_internal_value(self, data: Any) -> str:
        """Return the text. Raises ValidationError."""
        text = super().to_internal_value(data)
        if not collapse_spaces(visible(text)):
            refuse("empty", "Must not be empty.")
        return text


def name_field() -> TextField:
    """Return the field of a category or a topic."""
    return TextField(max_bytes=NAME_BYTES, max_length=NAME_CHARS, required=False)


class PostedKindField(OneOfField):
    """The kind of a snapshot that is posted: any but a note, which has an address and fields of its own, and a reply,
    which is cut out of the assistant's message."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=names([kind for kind in SnapshotKind.values if kind not in CUT_OUT]), **kwargs)

    def to_internal_value(self, data: Any) -> str:
        """Return the kind. Raises ValidationError."""
        if data == SnapshotKind.NOTE:
            refuse("not_a_choice", "Notes are written with POST /v1/subjects/{subject_id}/notes.")
        if data == SnapshotKind.REPLY:
            refuse("not_a_choice", "Replies are made of the assistant's messages: post these.")
        return super().to_internal_value(data)


class SnapshotFields(StrictSerializer):
    """What both a new snapshot and an edit may say."""

    category = name_field()
    topics = ListOfField(child=TextField(max_bytes=NAME_BYTES, max_length=NAME_CHARS), most=TOPICS_MOST, required=False)
    aliases = ListOfField(
        child=TextField(max_bytes=4 * ALIAS_CHARS, max_length=ALIAS_CHARS),
        most=ALIASES_MOST,
        required=False,
        help_text="Other names of what it is about: `strict` takes a memory whose alias the question says.",
    )
    importance = NumberField(least=0.0, most=1.0, required=False)
    confidence = NumberField(least=0.0, most=1.0, required=False)
    provenance = OneOfField(choices=names(Provenance.values), required=False)
    said_at = InstantField(required=False, local=True)
    expires_at = InstantField(required=False)
    metadata = JsonObjectField(required=False)


class SnapshotInput(SnapshotFields, Input):
    """A new snapshot. Confidence may be at most what the provenance allows: 0.6, 0.8 or 1.0.

    What the subject had forgotten is refused (``forgotten``) unless ``allow_forgotten``.
    """

    text = MemoryField(max_bytes=POLICY.string_bytes)
    kind = PostedKindField(default=SnapshotKind.MANUAL.value)
    allow_forgotten = FlagField(required=False)


class SnapshotBulkInput(Input):
    """Up to 1,000 new snapshots. A malformed one refuses the whole request, naming ``items.3.text``.

    ``allow_forgotten`` here is for the items that do not say it themselves.
    """

    items = ListOfField(child=SnapshotInput(), least=1, most=BULK_MOST)
    allow_forgotten = FlagField(default=False)


class SnapshotEditInput(SnapshotFields, Input):
    """Changes: what is not given stays. ``metadata`` is replaced; ``remove`` takes away category and expiry."""

    text = MemoryField(max_bytes=POLICY.string_bytes, required=False)
    remove = ListOfField(child=OneOfField(choices=names(list(REMOVABLE))), most=len(REMOVABLE), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a field that is both given and taken away."""
        for index, name in enumerate(attrs.get("remove", ())):
            if name in attrs:
                raise fault(f"remove.{index}", "contradiction", "Must not be given a value as well.")
        return attrs

    @staticmethod
    def changes_of(parsed: dict[str, Any]) -> dict[str, Any]:
        """Return the changes by column."""
        changes = {name: value for name, value in parsed.items() if name != "remove"}
        for name in {"topics", "aliases"} & changes.keys():
            changes[name] = list(dict.fromkeys(changes[name]))
        return changes | {name: REMOVABLE[name] for name in parsed.get("remove", ())}


class SnapshotListInput(PageInput):
    """``from`` and ``to`` mean ``said_at``; every word of ``q`` has to stand in the text, whatever its case.

    Notes are left out unless ``kind`` is ``note``: ``GET .../notes`` lists them with all that is known of them. So is
    what the assistant said, unless ``kind`` is ``reply``.
    """

    kind = OneOfField(choices=names(SnapshotKind.values), required=False)
    topic = name_field()
    from_ = InstantField(required=False)
    to = InstantField(required=False)
    as_of = InstantField(required=False)
    q = TextField(max_bytes=KIB, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse more words than a search looks for."""
        if len(attrs.get("q", "").split()) > QUERY_WORDS_MOST:
            raise fault("q", "length", f"Has at most {QUERY_WORDS_MOST} words.")
        return attrs

    @staticmethod
    def filter_of(parsed: dict[str, Any]) -> SnapshotFilter:
        """Return which snapshots are asked for."""
        return SnapshotFilter(
            kind=parsed.get("kind"),
            whole="kind" not in parsed,
            topic=parsed.get("topic"),
            since=parsed.get("from"),
            until=parsed.get("to"),
            as_of=parsed.get("as_of"),
            words=tuple(parsed.get("q", "").split()),
        )


class SnapshotSourceOutput(Output):
    """A message behind a memory."""

    conversation_id = serializers.CharField()
    message_id = serializers.CharField()


class SnapshotOutput(Output):
    """One piece of memory. ``name`` is the named speaker, null for the subject's own words.

    ``masked`` says that a card or identity number or a secret was taken out of the text.
    """

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=SnapshotKind.choices)
    text = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    category = serializers.CharField(allow_null=True)
    topics = serializers.ListField(child=serializers.CharField())
    aliases = serializers.ListField(child=serializers.CharField())
    importance = serializers.FloatField()
    confidence = serializers.FloatField()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    metadata = serializers.DictField()
    masked = serializers.BooleanField()
    sources = SnapshotSourceOutput(many=True)
    said_at = serializers.DateTimeField()
    valid_at = serializers.DateTimeField()
    invalid_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    superseded_by = serializers.UUIDField(allow_null=True)
    created_at = serializers.DateTimeField()
    last_validated_at = serializers.DateTimeField()
    version = serializers.IntegerField()


class WrittenSnapshotOutput(SnapshotOutput):
    """A snapshot after a write, and what the write did."""

    verdict = serializers.ChoiceField(choices=[Verdict.STORED.value, Verdict.UNCHANGED.value])


class SnapshotPageOutput(Output):
    """A page of snapshots, oldest first."""

    data = SnapshotOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class HeldSnapshotOutput(SnapshotOutput):
    """A snapshot as it was held from ``recorded_at`` until ``retired_at``, null while it is held."""

    recorded_at = serializers.DateTimeField()
    retired_at = serializers.DateTimeField(allow_null=True)


class SnapshotHistoryOutput(Output):
    """A page of states, the first one first."""

    data = HeldSnapshotOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class SnapshotFateOutput(Output):
    """What became of one item; ``id`` is null when it was rejected."""

    id = serializers.UUIDField(allow_null=True)
    verdict = serializers.ChoiceField(choices=[Verdict.STORED.value, Verdict.UNCHANGED.value, Verdict.REJECTED.value])
    reason = serializers.CharField(allow_null=True)


class SnapshotBulkOutput(Output):
    """The fates of the items, in their order."""

    data = SnapshotFateOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property


def serialize_snapshot(sourced: SourcedSnapshot) -> dict[str, Any]:
    return _common_fields(sourced.snapshot, sourced.sources)


def serialize_history_entry(held: HeldSnapshot, sources: Sequence[SourceNames]) -> dict[str, Any]:
    return {
        **_common_fields(held.snapshot, sources),
        "recorded_at": held.recorded_at,
        "retired_at": held.retired_at,
    }


def serialize_fate(fate: Fate) -> dict[str, Any]:
    return {"id": fate.id, "verdict": fate.verdict, "reason": fate.reason}


def _common_fields(snapshot: Snapshot, sources: Sequence[SourceNames]) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "kind": snapshot.kind,
        "text": snapshot.text,
        "name": snapshot.name,
        "category": snapshot.category or None,
        "topics": snapshot.topics,
        "aliases": snapshot.aliases,
        "importance": snapshot.importance,
        "confidence": snapshot.confidence,
        "provenance": snapshot.provenance,
        "metadata": snapshot.metadata,
        "masked": snapshot.masked,
        "sources": [{"conversation_id": one.conversation_id, "message_id": one.message_id} for one in sources],
        "said_at": snapshot.said_at,
        "valid_at": snapshot.valid_at,
        "invalid_at": snapshot.invalid_at,
        "expires_at": snapshot.expires_at,
        "superseded_by": snapshot.superseded_by_id,
        "created_at": snapshot.recorded_at,
        "last_validated_at": snapshot.last_validated_at,
        "version": snapshot.version,
    }
