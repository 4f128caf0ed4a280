"""The tools that save: each fact once in a conversation, through the same services as the API's own writes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar
from uuid import UUID

from memory_platform.api.requests.sensitive_values import Sensitive, refuse_sensitive
from memory_platform.api.v1.profiles.preference_serializers import PreferenceOutput
from memory_platform.api.v1.profiles.tag_serializers import TagOutput, refuse_sensitive_tag
from memory_platform.api.v1.tools.tool_calls import (
    ALREADY_SAVED,
    FORGOTTEN_BY_SUBJECT,
    INSTRUCTION,
    NOT_REMEMBERED,
    ONE_OFF,
    ToolAnswer,
    ToolCall,
)
from profiles.models import Preference, ProfileFact, Subject, Tag, TagKind
from profiles.prompt_lines import SHARED_KEYS
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.idempotency import record_save, was_saved
from profiles.services.list_values import find_entry, list_entries
from profiles.services.preferences import (
    build_preference_place,
    change_list_preference,
    record_preference,
    remove_from_opposite,
)
from profiles.services.profile import LIST_FIELDS, FactChange, FactName, Mode, build_fact_place, patch_profile
from profiles.services.subject_lock import lock_subject
from profiles.services.tags.tags import TagDraft, find_tag_by_label, upsert_tag
from profiles.services.tombstones import find_forgotten_texts, has_tombstones
from profiles.services.value_claims import Claim, have_same_value, make_stated_claim
from snapshots.models import Conversation
from snapshots.notes.notes_of_ended_slots import end_notes_of_slot
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction
from snapshots.understanding.reading.text_folding import fold_for_matching

# Arguments that are not words of the fact.
NO_WORDS = frozenset({"provenance", "lasting"})
M = TypeVar("M", Preference, ProfileFact, Tag)
Arguments = Mapping[str, Any]
TAG_DETAILS = ("address", "poi_id", "lat", "lon", "phone", "relation", "aliases")


@dataclass(frozen=True, slots=True)
class SaveResult(Generic[M]):
    """The verdict of a write. ``row`` now contains the fact; None if no row does."""

    verdict: Verdict
    reason: str
    row: M | None


@dataclass(frozen=True, slots=True)
class Saver(Generic[M]):
    """How one kind of fact is saved. ``find`` returns a row that contains it already; ``check`` raises Sensitive."""

    check: Callable[[Arguments], None]
    find: Callable[[Subject, Arguments], M | None]
    save: Callable[[Subject, Arguments], SaveResult[M]]
    render: Callable[[M], dict[str, Any]]


def save_once(subject: Subject, call: ToolCall) -> ToolAnswer:
    """Save one fact, once in a conversation. Locks the subject in the open transaction."""
    lock_subject(subject)
    saver = SAVERS[call.tool]
    refusal = find_refusal(subject, call)
    if refusal is not None:
        return ToolAnswer(call.tool, Verdict.REJECTED, refusal)
    known = saver.find(subject, call.arguments)
    if known is not None and call.conversation_id and was_saved(subject, call.conversation_id, _value_id(known)):
        return ToolAnswer(call.tool, Verdict.UNCHANGED, ALREADY_SAVED, saver.render(known))
    saved = saver.save(subject, call.arguments)
    if saved.row is None:
        return ToolAnswer(call.tool, saved.verdict, saved.reason)
    if call.conversation_id and saved.verdict is not Verdict.REJECTED:
        record_save(subject, call.conversation_id, _value_id(saved.row))
    end_notes_of_slot(saved.row)
    return ToolAnswer(call.tool, saved.verdict, saved.reason, saver.render(saved.row))


def check_arguments(tool: str, arguments: Arguments) -> None:
    """Raise Sensitive for ``arguments.x`` when a fact must not be remembered."""
    if tool in SAVERS:
        try:
            SAVERS[tool].check(arguments)
        except Sensitive as refused:
            faults = [type(one)(f"arguments.{one.field}", one.code, one.message) for one in refused.faults]
            raise Sensitive(faults=faults) from None


def build_claim(arguments: Arguments, value: Any, **details: Any) -> Claim:
    return make_stated_claim(value, provenance=Provenance(arguments["provenance"]), **details)


def _value_id(row: Preference | ProfileFact | Tag) -> UUID:
    return row.id if isinstance(row, Tag) else row.value_id


def _check_preference(arguments: Arguments) -> None:
    said = {name: arguments[name] for name in ("category", "key", "value", "statement") if name in arguments}
    refuse_sensitive(said, names={"value": arguments["key"]})


def _find_preference(subject: Subject, arguments: Arguments) -> Preference | None:
    row = build_preference_place(subject, arguments["category"], arguments["key"]).current()
    return row if row is not None and _contains(row.value, arguments, is_list=arguments["key"] in SHARED_KEYS) else None


def _save_preference(subject: Subject, arguments: Arguments) -> SaveResult[Preference]:
    category, key, value = arguments["category"], arguments["key"], arguments["value"]
    details = {"statement": arguments["statement"]} if "statement" in arguments else {}
    claim = build_claim(arguments, value, **details)
    entries = list_entries(value)
    if key not in SHARED_KEYS or entries is None:
        outcome = record_preference(subject, category, key, claim)
    else:
        outcome = change_list_preference(subject, (category, key), claim, add=entries)
        remove_from_opposite(subject, key, claim, entries)
    return SaveResult(outcome.verdict, outcome.reason, outcome.current or outcome.row)


def _check_fact(arguments: Arguments) -> None:
    refuse_sensitive({"field": arguments["field"], "value": arguments["value"]}, names={"value": arguments["field"]})


def _find_fact(subject: Subject, arguments: Arguments) -> ProfileFact | None:
    name = FactName.read(arguments["field"])
    row = build_fact_place(subject, name).current()
    return row if row is not None and _contains(row.value, arguments, is_list=_is_list(name)) else None


def _save_fact(subject: Subject, arguments: Arguments) -> SaveResult[ProfileFact]:
    name = FactName.read(arguments["field"])
    mode: Mode = "append" if _is_list(name) else "overwrite"
    (verdict,) = patch_profile(subject, [FactChange(name, build_claim(arguments, arguments["value"]), mode)])
    return SaveResult(verdict.verdict, verdict.reason, build_fact_place(subject, name).current() or verdict.row)


def _is_list(name: FactName) -> bool:
    return name.field in LIST_FIELDS and not name.is_attribute


def _contains(value: Any, arguments: Arguments, *, is_list: bool) -> bool:
    """Return whether a value is that of the arguments, or a list with all their entries."""
    if not is_list:
        return have_same_value(value, arguments["value"])
    known, wanted = list_entries(value), list_entries(arguments["value"])
    return known is not None and wanted is not None and all(find_entry(one, known) for one in wanted)


def _draft(arguments: Arguments) -> TagDraft:
    details = {name: arguments[name] for name in TAG_DETAILS if name in arguments}
    label = arguments.get("label")
    if label is None:
        label, details = arguments["person"], {**details, "kind": TagKind.CONTACT}
    claim = build_claim(arguments, None)
    return TagDraft(label, details, claim.provenance, claim.confidence)


def _check_tag(arguments: Arguments) -> None:
    refuse_sensitive_tag({**arguments, "label": arguments.get("label") or arguments["person"]})


def _find_tag(subject: Subject, arguments: Arguments) -> Tag | None:
    draft = _draft(arguments)
    tag = find_tag_by_label(subject, draft.label)
    if tag is None:
        return None
    news = draft.get_new_details()
    aliases = news.pop("aliases", [])
    known = all(getattr(tag, name) == value for name, value in news.items())
    return tag if known and all(find_entry(one, tag.aliases) for one in aliases) else None


def _save_tag(subject: Subject, arguments: Arguments) -> SaveResult[Tag]:
    outcome = upsert_tag(subject, _draft(arguments))
    return SaveResult(outcome.verdict, outcome.reason, outcome.tag)


def _render_fact(fact: ProfileFact) -> dict[str, Any]:
    return {
        "id": fact.value_id,
        "field": FactName(fact.field, fact.is_attribute).path,
        "value": fact.value,
        "confidence": fact.confidence,
        "provenance": fact.provenance,
        "valid_at": fact.valid_at,
    }


render_preference = partial(PreferenceOutput.render, sources=[], note_id=None)
SAVE_TAG: Saver[Tag] = Saver(_check_tag, _find_tag, _save_tag, TagOutput.render)
SAVERS: Mapping[str, Saver[Any]] = {
    "save_preference": Saver(_check_preference, _find_preference, _save_preference, render_preference),
    "save_profile_fact": Saver(_check_fact, _find_fact, _save_fact, _render_fact),
    "save_tag": SAVE_TAG,
    "save_relationship": SAVE_TAG,
}


def find_refusal(subject: Subject, call: ToolCall) -> str | None:
    """Return the reason to refuse a saving call, or None. A transaction must be open."""
    if not call.arguments["lasting"]:
        return ONE_OFF
    said = [text for name, value in call.arguments.items() if name not in NO_WORDS for text in list_value_texts(value)]
    if any(is_instruction(fold_for_matching(text)) for text in said):
        return INSTRUCTION
    if call.conversation_id and _is_conversation_not_remembered(subject, call.conversation_id):
        return NOT_REMEMBERED
    if has_tombstones(subject.id) and find_forgotten_texts(subject.id, said):
        return FORGOTTEN_BY_SUBJECT
    return None


def list_value_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from list_value_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from list_value_texts(inner)


def _is_conversation_not_remembered(subject: Subject, conversation_id: str) -> bool:
    rows = Conversation.objects.filter(subject_id=subject.id, external_id=conversation_id, remember=False)
    return rows.exists()
