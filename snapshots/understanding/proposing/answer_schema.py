"""The schema of a model's answer: proposals, each with the number of its message.

Closed choices (messages, keys, fields, handles) stand in the schema, where a grammar enforces them. Reading an answer
does not check them, so that one wrong item does not cost the others: the gate does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, create_model

from snapshots.models import NoteGrade, VitalClass
from snapshots.understanding.grading.clause_classifier import LASTING
from snapshots.understanding.proposing.config import ASKING
from tenants.policies.descriptions_value_kind import FieldDescription

NOT_VITAL = "none"
# The slots that a model may fill, all about the user: contacts and settings are left to patterns. The model is shown
# the names; the gate compares clauses with the descriptions.
ASKED_SLOTS = tuple(
    FieldDescription(name, description)
    for name, description in {
        "name": "what the user is called",
        "occupation": "what the user does for a living",
        "employer": "the company the user works for",
        "city": "the city or town where the user lives",
        "hometown": "where the user grew up",
        "birthday": "the day on which the user was born",
        "age": "how old the user is",
        "languages": "languages that the user speaks",
        "interests": "what the user does in their spare time, hobbies and sports",
        "likes": "things, food or music that the user likes",
        "dislikes": "things that the user dislikes or cannot stand",
        "avoid": "food, things or roads that the user avoids",
        "allergies": "what the user is allergic to",
        "diet": "how the user eats: vegetarian, vegan, halal, gluten free",
        "conditions": "an illness or a condition that the user has",
        "medication": "medicine that the user takes",
        "car": "the car that the user drives",
        "phone": "the telephone number of the user",
        "home_address": "the address of the user's home",
        "work_address": "the address where the user works",
    }.items()
)
SLOT_KEYS = tuple(one.name for one in ASKED_SLOTS)
# Longest lists of an answer, whatever it is about: pydantic refuses what is longer.
_MOST = 64


def _require_all_members(schema: dict[str, Any]) -> None:
    """Have a model write every member; an answer that lacks one is still read."""
    schema["required"] = list(schema["properties"])
    schema.pop("description", None)
    for one in schema["properties"].values():
        one.pop("default", None)


class _ProposedItem(BaseModel):
    model_config = ConfigDict(json_schema_extra=_require_all_members)

    message: int


class ProposedNote(_ProposedItem):
    """A lasting clause. ``about`` is "" for the user."""

    quote: str
    grade: str = NoteGrade.FACT
    about: str = ""
    relation: str = ""
    vital: str = NOT_VITAL


class ProposedSlot(_ProposedItem):
    """A value under a key of SLOT_KEYS."""

    key: str
    value: str


class ProposedField(_ProposedItem):
    """A value of a requested field."""

    field: str
    value: str


class ProposedEnding(_ProposedItem):
    """A current note, by its handle, that a message says is over."""

    note: str


@dataclass(frozen=True, slots=True)
class Proposals:
    """A model's proposals in the order of its answer."""

    notes: tuple[ProposedNote, ...] = ()
    slots: tuple[ProposedSlot, ...] = ()
    fields: tuple[ProposedField, ...] = ()
    ended: tuple[ProposedEnding, ...] = ()

    @classmethod
    def from_answer(cls, answer: BaseModel) -> "Proposals":
        return cls(**{name: tuple(getattr(answer, name, ())) for name in cls.__slots__})

    def for_message(self, number: int) -> "Proposals":
        lists = {name: getattr(self, name) for name in self.__slots__}
        return Proposals(**{name: tuple(one for one in some if one.message == number) for name, some in lists.items()})

    def __len__(self) -> int:
        return sum(len(getattr(self, name)) for name in self.__slots__)


def make_note_handles(note_count: int) -> tuple[str, ...]:
    return tuple(f"h{number}" for number in range(1, note_count + 1))


@lru_cache(maxsize=64)
def build_schema(
    messages: int, note_count: int = 0, requested_fields: tuple[FieldDescription, ...] = ()
) -> type[BaseModel]:
    """Return the schema of an answer for so many messages, ``note_count`` notes and requested fields. Without notes or
    fields the schema has no list of them."""
    number = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": messages})]
    most = ASKING.items + messages
    note = _constrain_item(
        ProposedNote,
        message=number,
        quote=_build_text_type(ASKING.quote_chars),
        grade=_build_choice_type(LASTING),
        about=_build_text_type(ASKING.name_chars, least=0),
        relation=_build_text_type(ASKING.name_chars, least=0),
        vital=_build_choice_type((NOT_VITAL, *VitalClass.values)),
    )
    slot = _constrain_item(
        ProposedSlot, message=number, key=_build_choice_type(SLOT_KEYS), value=_build_text_type(ASKING.name_chars)
    )
    lists: dict[str, Any] = {"notes": _list_type(note, most), "slots": _list_type(slot, most)}
    if requested_fields:
        examples = {one.name: "".join(f" e.g. {example}" for example in one.examples[:1]) for one in requested_fields}
        told = "; ".join(f"{one.name}: {one.description}{examples[one.name]}" for one in requested_fields)
        names = _build_choice_type(tuple(one.name for one in requested_fields), description=told)
        field = _constrain_item(ProposedField, message=number, field=names, value=_build_text_type(ASKING.quote_chars))
        lists["fields"] = _list_type(field, most)
    if note_count:
        lists["ended"] = _list_type(
            _constrain_item(ProposedEnding, message=number, note=_build_choice_type(make_note_handles(note_count))),
            note_count,
        )
    return create_model("Answer", **lists)


def _constrain_item(base: type[_ProposedItem], **kinds: Any) -> type[_ProposedItem]:
    defaults = {name: field.get_default() for name, field in base.model_fields.items() if not field.is_required()}
    members: dict[str, Any] = {name: (kind, defaults.get(name, ...)) for name, kind in kinds.items()}
    return create_model(base.__name__, __base__=base, **members)


def _list_type(item: type[_ProposedItem], most: int) -> Any:
    return Annotated[list[item], Field(max_length=_MOST, json_schema_extra={"maxItems": most})], ...  # type: ignore[valid-type]


def _build_text_type(longest: int, *, least: int = 1) -> Any:
    return Annotated[str, WithJsonSchema({"type": "string", "minLength": least, "maxLength": longest})]


def _build_choice_type(values: Sequence[str], **more: str) -> Any:
    return Annotated[str, WithJsonSchema({"type": "string", "enum": list(values), **more})]
