"""Records the answer to an ask as the subject's own statement."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, FieldFault, NotFound, Refused
from memory_platform.kernel.text import detect_language
from profiles.models import Ask, Subject, TagKind
from profiles.provenance_and_verdict import Verdict
from profiles.services.preferences import change_list_preference, remove_from_opposite
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.subject_lock import lock_subject
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.value_claims import make_stated_claim

PLACE_LABELS = {"home": ("home", "家"), "work": ("work", "公司")}
CONTACT_LABEL = ("emergency contact", "紧急联系人")
PLACE_DETAILS = ("address", "poi_id", "lat", "lon")
LONGEST = {"person": 200, "relation": 100, "address": 1_000, "poi_id": 200, "name": 500, "occupation": 500}
LONGEST_ENTRY = 200
ENTRIES_MOST = 50
_PHONE = re.compile(r"\+?[0-9][0-9 ()./-]{1,40}[0-9]")
_APART = re.compile(r"^[\s,:;,:;、。(()]+|[\s,:;,:;、。())]+$")


class AskAnswered(Conflict):
    """The ask was answered before. HTTP 409."""

    code = "ask_answered"


class ValueUnclear(Refused):
    """The value does not fit this ask. HTTP 422."""

    code = "value_unclear"

    def __init__(self, message: str) -> None:
        super().__init__(message, faults=[FieldFault("value", "unclear", message)])


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """An answer in the form to be stored: the tag's ``label`` and ``details``, or ``entries`` of a list, or one
    ``text``."""

    key: str
    text: str = ""
    entries: tuple[str, ...] = ()
    label: str = ""
    details: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AnswerResult:
    """The effect of an answer; no verdict if there was nothing to write."""

    ask: Ask
    verdict: Verdict | None = None
    reason: str = ""


def open_ask(subject: Subject, ask_id: UUID) -> Ask:
    """Return an unanswered ask, with the subject locked. Raises NotFound, AskAnswered."""
    lock_subject(subject)
    ask = Ask.objects.filter(subject_id=subject.id, id=ask_id).first()
    if ask is None:
        raise NotFound("No ask with this id.")
    if ask.answered_at is not None:
        raise AskAnswered("This ask was answered already.")
    return ask


def read_answer(key: str, value: Any, *, question: str = "") -> AskAnswer:
    """Return the parsed answer: a text, a list of texts, or an object. Raises ValueUnclear.

    A tag that it makes has its label in the language of ``question``.
    """
    chinese = detect_language(question) == "zh"
    if key in PLACE_LABELS:
        return AskAnswer(key, label=PLACE_LABELS[key][chinese], details=_parse_place(value))
    if key == "emergency_contact":
        return _parse_contact(value, CONTACT_LABEL[chinese])
    if key in {"name", "occupation"}:
        return AskAnswer(key, text=_parse_text(value, key))
    return AskAnswer(key, entries=_parse_entries(value))


def settle_ask(subject: Subject, ask: Ask, *, accepted: bool, answer: AskAnswer | None = None) -> AnswerResult:
    """Record whether the subject answered, and store the answer; :func:`open_ask` has locked the subject."""
    ask.accepted, ask.answered_at = accepted, utc_now()
    ask.save(update_fields=["accepted", "answered_at"])
    if answer is None:
        return AnswerResult(ask)
    verdict, reason = _write(subject, answer)
    return AnswerResult(ask, verdict, reason)


def _write(subject: Subject, answer: AskAnswer) -> tuple[Verdict, str]:
    if answer.details is not None:
        tag = upsert_tag(subject, TagDraft(answer.label, answer.details))
        return tag.verdict, tag.reason
    if answer.key in {"food", "music"}:
        claim = make_stated_claim(list(answer.entries))
        listed = change_list_preference(subject, (answer.key, "likes"), claim, add=answer.entries)
        remove_from_opposite(subject, "likes", claim, answer.entries)
        return listed.verdict, listed.reason
    is_list = answer.key == "interests"
    claim = make_stated_claim(list(answer.entries) if is_list else answer.text)
    change = FactChange(FactName.read(answer.key), claim, "append" if is_list else "overwrite")
    (fact,) = patch_profile(subject, [change])
    return fact.verdict, fact.reason


def _parse_place(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {"address": _parse_text(value, "address")}
    unknown = value.keys() - set(PLACE_DETAILS)
    if unknown or not value or ("lat" in value) != ("lon" in value):
        raise ValueUnclear("Must be an address, or an object with address, poi_id, lat and lon (both or none).")
    details: dict[str, Any] = {name: _parse_text(value[name], name) for name in ("address", "poi_id") if name in value}
    for name, most in (("lat", 90.0), ("lon", 180.0)):
        if name in value:
            details[name] = _parse_degrees(value[name], most)
    return details


def _parse_contact(value: Any, usual: str) -> AskAnswer:
    """Parse a contact: an object with ``phone`` and perhaps ``person`` and ``relation``, or a text with all."""
    if isinstance(value, dict):
        if value.keys() - {"person", "phone", "relation"} or "phone" not in value:
            raise ValueUnclear("Must be a text with a telephone number, or an object with person, phone and relation.")
        phone = _PHONE.fullmatch(_parse_text(value["phone"], "phone"))
        person = _parse_text(value["person"], "person") if "person" in value else ""
        relation = _parse_text(value["relation"], "relation") if "relation" in value else ""
    else:
        said = _parse_text(value, "address")
        phone, relation = _PHONE.search(said), ""
        person = _APART.sub("", said[: phone.start()] + said[phone.end() :]) if phone else ""
    if phone is None or len(person) > LONGEST["person"]:
        raise ValueUnclear("Must name a telephone number, and at most one person.")
    details = {"kind": TagKind.CONTACT, "phone": phone.group().strip()} | ({"relation": relation} if relation else {})
    return AskAnswer("emergency_contact", label=person or relation or usual, details=details)


def _parse_entries(value: Any) -> tuple[str, ...]:
    entries: Sequence[Any] = value if isinstance(value, list) else [value]
    if not 0 < len(entries) <= ENTRIES_MOST:
        raise ValueUnclear(f"Must have 1 to {ENTRIES_MOST} entries.")
    return tuple(_parse_text(one, "entry") for one in entries)


def _parse_text(value: Any, name: str) -> str:
    most = LONGEST.get(name, LONGEST_ENTRY)
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        raise ValueUnclear(f"Must be a text of 1 to {most} characters.")
    return value.strip()


def _parse_degrees(value: Any, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -most <= value <= most:
        raise ValueUnclear("`lat` must be a number from -90 to 90, `lon` from -180 to 180.")
    return float(value)
